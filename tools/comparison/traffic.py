"""The traffic: datagrams with one value each, and probes among them.

telemetry: made by sluice-send, 117 bytes. collectd and netflow: for programs that accept no other
protocol; datagrams with one value (a flow) from a capture, which sluice-replay sends. If the rate
exceeds PLAIN_MOST a second, this program sends the datagrams, 64 in one call (UDP_SEGMENT), all
made in advance. A probe is a datagram of the same kind with a number; a hundred are sent each
second.

traffic.py FILE SIZE PORT RATE SECONDS sends the datagrams of SIZE bytes in the file, in segments.
RATE 0 is as fast as possible.
"""
import re
import socket
import struct
import subprocess
import sys
import time

SIZE = 117  # bytes of a telemetry datagram
LOAD_NAME = b"eu-west-1"  # the label "region" in datagrams of sluice-send
PROBE_NAME = b"probe-%s"
PROBE_HOST = "probe-"
PROBE_PACKETS = 2
NOMINAL_RATE = 1000  # of captures, in datagrams a second; sluice-replay sends them faster
PLAIN_MOST = 200_000  # datagrams a second; above that, one processor can only send segments
SEGMENTS = 64
ROUNDS_MADE = 64  # number of calls with different datagrams; then they repeat
UDP_SEGMENT = 103


# --- datagrams --------------------------------------------------------------------------------

def field(number, data):
    """Returns a length-delimited field of protobuf. `data` has less than 128 bytes."""
    return bytes([number << 3 | 2, len(data)]) + data


def telemetry(number, now_ns, region):
    """Returns a message with one sample and three labels, like those of sluice-send."""
    sample = (field(1, b"system.cpu.usage") + b"\x19" + struct.pack("<d", 0.425) + field(7, b"1")
              + field(10, field(1, b"cpu") + field(2, b"0")))
    return (field(1, b"compare/2") + b"\x11" + struct.pack("<Q", 1)
            + bytes([0x18, number & 0x7f | 0x80, number >> 7 & 0x7f])
            + b"\x21" + struct.pack("<Q", now_ns)
            + field(5, field(1, b"host") + field(2, b"web-01"))
            + field(5, field(1, b"region") + field(2, region)) + field(6, sample))


def telemetry_probe(number, now_ns):
    return telemetry(number, now_ns, PROBE_NAME % (b"%06d" % number))


def telemetry_load(number, now_ns):
    return telemetry(number, now_ns, LOAD_NAME + b"xxxxxx")


def collectd_text(kind, text):
    return struct.pack(">HH", kind, len(text) + 5) + text.encode() + b"\0"


def collectd_value(host, number, time_ns):
    """Returns a gauge in collectd's network protocol. Times are in 2^-30 s."""
    high = (time_ns << 30) // 1_000_000_000
    return (collectd_text(0, host) + struct.pack(">HHQ", 8, 12, high)
            + struct.pack(">HHQ", 9, 12, 10 << 30) + collectd_text(2, "comparison")
            + collectd_text(4, "gauge") + collectd_text(5, "system.cpu.usage")
            + struct.pack(">HHHB", 6, 15, 1, 1) + struct.pack("<d", number))


def netflow_flow(packets, octets, sequence, now_ns):
    """Returns a NetFlow 5 datagram with one flow."""
    header = struct.pack(">HHIIIIBBH", 5, 1, 3_600_000, now_ns // 10**9, now_ns % 10**9, sequence,
                         0, 0, 0)
    return header + struct.pack(">4s4s4sHHIIIIHHBBBBHHBBH", bytes([192, 0, 2, 1]),
                                bytes([198, 51, 100, 1]), bytes(4), 1, 2, packets, octets,
                                3_590_000, 3_599_000, 40000, 443, 0, 0x18, 6, 0, 64500, 64501,
                                24, 24, 0)


PROBES = {
    "telemetry": telemetry_probe,
    "collectd": lambda number, now: collectd_value(PROBE_HOST, number, now),
    "netflow": lambda number, now: netflow_flow(PROBE_PACKETS, number, number, now),
}

CAPTURED = ("collectd", "netflow")

LOADS = {
    "telemetry": telemetry_load,
    "collectd": lambda number, now: collectd_value("compare", number % 100, now + number * 1000),
    "netflow": lambda number, now: netflow_flow(1, 1500, number, now),
}


def write_capture(path, kind, count):
    """Writes a pcap (raw IPv4) of `count` datagrams, NOMINAL_RATE a second."""
    make, now = LOADS[kind], time.time_ns()
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101))
        for number in range(count):
            data = make(number, now)
            size = len(data) + 28
            seconds, part = divmod(number, NOMINAL_RATE)
            out.write(struct.pack("<IIII", 1_000_000 + seconds, part * (1_000_000 // NOMINAL_RATE),
                                  size, size))
            out.write(struct.pack(">BBHHHBBH4s4sHHHH", 0x45, 0, size, 0, 0, 64, 17, 0,
                                  bytes([127, 0, 0, 1]), bytes([127, 0, 0, 1]), 9, 9,
                                  len(data) + 8, 0) + data)


# --- sending ----------------------------------------------------------------------------------

class Sources:
    """Makes files with the datagrams of the requested kinds."""

    def __init__(self, folder, kinds, seconds):
        self.captures = {kind: folder / f"{kind}.pcap" for kind in kinds if kind in CAPTURED}
        self.segments = {kind: folder / f"{kind}.segments" for kind in kinds}
        self.sizes = {kind: write_segments(path, kind) for kind, path in self.segments.items()}
        for kind, path in self.captures.items():
            write_capture(path, kind, int(PLAIN_MOST * seconds))


def start(kind, programs, sources, port, rate, seconds):
    """Starts the sender; `rate` 0 is as fast as possible. Returns it, and whether it must be
    stopped."""
    endless = False
    to = ("--to", f"udp://127.0.0.1:{port}")
    if rate == 0 or rate > PLAIN_MOST:
        command = [sys.executable, __file__, sources.segments[kind], sources.sizes[kind], port,
                   rate, seconds]
    elif kind == "telemetry":
        command = [programs / "sluice-send", *to, "--schema", "telemetry", "--sender", "compare",
                   "--size", f"{SIZE}B", "--rate", rate, "--duration", f"{int(seconds * 1000)}ms"]
    else:
        speed = f"{rate / NOMINAL_RATE:.6f}x"
        command = [programs / "sluice-replay", sources.captures[kind], *to, "--speed", speed]
        endless = True
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True), endless


def sent(output):
    """Returns the datagrams and seconds in the sender's report."""
    found = re.search(r"sent (\d+) datagrams .* in ([\d.]+) s", output)
    if not found:
        raise RuntimeError(f"the sender reports: {output}")
    return int(found[1]), float(found[2])


def write_segments(path, kind):
    """Writes datagrams of the same size. Returns that size."""
    now = time.time_ns()
    made = [LOADS[kind](number, now) for number in range(SEGMENTS * ROUNDS_MADE)]
    if len({len(data) for data in made}) != 1:
        raise RuntimeError(f"datagrams of {kind} differ in size")
    path.write_bytes(b"".join(made))
    return len(made[0])


def send_segments(path, size, port, rate, seconds):
    """Sends the datagrams of a file. Returns their number and the seconds that this took."""
    with open(path, "rb") as made:
        calls = list(iter(lambda: made.read(SEGMENTS * size), b""))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
        sender.connect(("127.0.0.1", port))
        begin = now = time.monotonic()
        count = 0
        while now - begin < seconds:
            if not rate or count * SEGMENTS <= rate * (now - begin):
                try:
                    sender.send(calls[count % len(calls)])
                except ConnectionRefusedError:
                    pass  # the error of an earlier call: the receiver has ended
                count += 1
            now = time.monotonic()
    return count * SEGMENTS, now - begin


if __name__ == "__main__":
    total, took = send_segments(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]),
                                float(sys.argv[5]))
    print(f"sent {total} datagrams (in segments) in {took:.3f} s", file=sys.stderr)
