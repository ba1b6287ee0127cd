"""Common code of tests of file sinks that rotate. Makes numbered records, and finds their numbers
in the files. A record is a datagram of the schema telemetry with one gauge, whose value is the
record's number."""
import gzip
import re
import struct
import subprocess

from protobuf import gauge
from sluice_program import ANY_PORT, ProgramTest, read_lines

# The receive buffer holds the datagrams of a few seconds here. A system may grant a smaller one.
NUMBERED = ANY_PORT + "?schema=telemetry&receive_buffer=64MiB"

PCAP_HEAD = 24
PACKET_HEAD = 16


def numbered(number, sender="load"):
    return gauge("load", number, sender=sender, boot=1, sequence=number)


def unpacked(path):
    """The content of a file, decompressed by third-party programs. A damaged frame is an error."""
    data = path.read_bytes()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstdcat", "--no-progress", path], check=True,
                              stdout=subprocess.PIPE).stdout
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    return data


def _of_packets(data):
    """The numbers of the packets in a capture: the last 8 bytes of a datagram are its value, a
    double."""
    numbers, at = [], PCAP_HEAD
    while at < len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        at += PACKET_HEAD + size
        if at > len(data):
            raise AssertionError("the last packet is torn")
        numbers.append(int(struct.unpack_from("<d", data, at - 8)[0]))
    return numbers


def _of_messages(data):
    """The same as _of_packets, for messages that each follow their length."""
    numbers, at = [], 0
    while at < len(data):
        size = shift = 0
        while True:
            size |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                break
        at += size
        if at > len(data):
            raise AssertionError("the last message is torn")
        numbers.append(int(struct.unpack_from("<d", data, at - 8)[0]))
    return numbers


NUMBER = re.compile(rb'\{"time":"[^"]+","name":"load","kind":"gauge","value":(\d+),"labels":\{\},'
                    rb'"received":"[^"]+","source":"[^"]+","listener":"[^"]+"\}')


def numbers_in(data, encoding="json"):
    """The numbers of all records in `data`, which must contain only complete records."""
    if encoding == "pcap":
        return _of_packets(data)
    if encoding == "protobuf":
        return _of_messages(data)
    if data and not data.endswith(b"\n"):
        raise AssertionError(f"the last line is torn: {data[-200:]!r}")
    numbers = []
    for line in data.split(b"\n")[:-1]:
        found = NUMBER.fullmatch(line)
        if not found:
            raise AssertionError(f"a line is torn: {line!r}")
        numbers.append(int(found[1]))
    return numbers


class RotatingTest(ProgramTest):
    """A test whose program writes to the folder `out`."""

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()

    def sink(self, path, keys):
        return f"file:{self.out}/{path}?{keys}"

    def start_sink(self, path, keys, *more, listen=NUMBERED):
        return self.start("--listen", listen, "--sink", self.sink(path, keys), *more)

    def files(self):
        """Names below the folder, sorted."""
        return sorted(str(path.relative_to(self.out))
                      for path in self.out.rglob("*") if path.is_file())

    def numbers(self, *names, encoding="json"):
        return [number for name in names
                for number in numbers_in(unpacked(self.out / name), encoding)]

    def values(self, *names):
        return [line["value"] for name in names for line in read_lines(self.out / name)]
