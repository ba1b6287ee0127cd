"""Reads captures with tshark, an independent decoder, and with only struct. Exits with 77 (skipped)
without tshark."""
import shutil
import struct
import subprocess

from built import skip
from sluice_program import DEADLINE

TSHARK = shutil.which("tshark")
if TSHARK is None:
    skip("no tshark here")

_FIELDS = ("frame.time_epoch", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "udp.srcport",
           "udp.dstport", "udp.payload", "udp.length", "ip.checksum.status", "udp.checksum.status",
           "frame.comment", "_ws.malformed")
GOOD = "1"  # of a checksum: it is correct


def _run(*arguments):
    done = subprocess.run([TSHARK, "-n", *map(str, arguments)], timeout=DEADLINE,
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"tshark: {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


def _nanoseconds(text):
    seconds, fraction = text.split(".")
    return int(seconds) * 10 ** 9 + int(fraction)


def read_packets(path):
    """tshark's view of each packet: a dict of source, destination, time, payload, ..."""
    fields = [part for field in _FIELDS for part in ("-e", field)]
    packets = []
    for line in _run("-r", path, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
                     "-T", "fields", "-E", "separator=|", *fields):
        (time, source4, destination4, source6, destination6, source_port, port, payload, length,
         ip_checksum, checksum, comment, malformed) = line.split("|")
        packets.append({
            "time": _nanoseconds(time), "source": (source4 or source6, int(source_port)),
            "destination": (destination4 or destination6, int(port)),
            "payload": bytes.fromhex(payload), "length": int(length) - 8,
            "ip_checksum": ip_checksum, "checksum": checksum, "comment": comment,
            "malformed": malformed})
    return packets


def plain_pcap(path):
    """The records of a little-endian pcap file with nanoseconds. The file must be complete."""
    data = path.read_bytes()
    if data[:24] != struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 101):
        raise AssertionError(f"another head: {data[:24].hex()}")
    records, at = [], 24
    while at < len(data):
        seconds, nanoseconds, captured, length = struct.unpack_from("<IIII", data, at)
        packet = data[at + 16:at + 16 + captured]
        if captured != length or len(packet) != captured:
            raise AssertionError(f"a torn record at {at}")
        records.append((seconds * 10 ** 9 + nanoseconds, packet))
        at += 16 + captured
    return records
