"""Reads the output of sinks, which must be complete, and returns the records' numbers. Each record
contains the number with which it was sent."""
import csv
import gzip
import io
import json
import socket
import struct
import zlib


class Torn(Exception):
    """An output ends inside a record, or has an invalid format."""


def of_lines(data):
    """The numbers in JSON lines."""
    if data and not data.endswith(b"\n"):
        raise Torn(f"the last line is torn: {data[-100:]!r}")
    try:
        return [int(json.loads(line)["value"]) for line in data.splitlines()]
    except (ValueError, KeyError) as error:
        raise Torn(f"{error}: {data[:300]!r}") from None


def of_table(data):
    """The numbers in CSV with a header line."""
    if data and not data.endswith(b"\r\n") and not data.endswith(b"\n"):
        raise Torn(f"the last line is torn: {data[-100:]!r}")
    try:
        return [int(float(row["value"])) for row in csv.DictReader(io.StringIO(data.decode()))]
    except (ValueError, KeyError, TypeError) as error:
        raise Torn(f"{error!r}: {data[:300]!r}") from None


def of_gzip(data):
    """The numbers in compressed JSON lines."""
    try:
        return of_lines(gzip.decompress(data))
    except (EOFError, OSError, zlib.error) as error:
        raise Torn(f"{error!r} of {len(data)} bytes") from None


def of_datagram(datagram):
    """The number in a message: its last 8 bytes are the value."""
    return int(struct.unpack("<d", datagram[-8:])[0])


def of_packets(data):
    """The numbers in a pcap file."""
    numbers, at = [], 24
    if data and len(data) < at:
        raise Torn(f"a head of {len(data)} bytes")
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0] if at + 16 <= len(data) else len(data)
        if at + 16 + size > len(data):
            raise Torn("the last packet is torn")
        numbers.append(of_datagram(data[at + 16:at + 16 + size]))
        at += 16 + size
    return numbers


def count_letters(data):
    """The number of packets in a pcapng capture of dead letters."""
    count, at = 0, 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at) if at + 8 <= len(data) else (0, 0)
        if size < 12 or at + size > len(data) or data[at + size - 4:at + size] != data[at + 4:at + 8]:
            raise Torn("the last block of the dead letters is torn")
        count += kind == 6
        at += size
    return count


class Files:
    """The files of a sink whose paths match a pattern. There may be none."""
    exact = True  # all records that are counted as written must be found
    keeps = True  # and so must the records of an earlier run

    def __init__(self, folder, pattern, read=of_lines, name=None, there=0):
        """`there`: number of records in the files before the first run."""
        self.there = there
        self.name = name or f"file:{folder}/{pattern}"
        self._folder, self._pattern, self._read = folder, pattern, read

    def numbers(self):
        found = []
        for path in sorted(self._folder.glob(self._pattern)):
            try:
                found += self._read(path.read_bytes())
            except Torn as error:
                raise Torn(f"{path}: {error}") from None
        return found


class Fed(Files):
    """The output of a command, which may have been killed before it had read everything."""
    exact = False


class Delivered:
    """The records at the far end of a delivery."""
    exact = True
    keeps = True
    there = 0

    def __init__(self, name, numbers):
        self.name = name
        self._numbers = numbers

    def numbers(self):
        return self._numbers


class Relayed:
    """The datagrams that a socket of the test receives."""
    exact = True
    keeps = False
    there = 0

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.name = f"udp:127.0.0.1:{self._socket.getsockname()[1]}"

    def numbers(self):
        found = []
        while True:
            try:
                found.append(of_datagram(self._socket.recv(1 << 16)))
            except BlockingIOError:
                return found

    def close(self):
        self._socket.close()
