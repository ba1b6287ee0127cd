"""Writes captures for tests: pcap files of IPv4 datagrams, with the link type raw IP."""
import struct

HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101)

FIRST_CAPTURED = 1700000000  # in seconds since 1970


def record(number, data, port=5555, host=1):
    """A pcap record of a datagram from 10.0.0.`host`, captured `number` seconds after
    FIRST_CAPTURED."""
    udp = struct.pack(">HHHH", 40000, port, 8 + len(data), 0) + data
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, 0x0A000000 + host,
                     0x0A000002)
    size = len(ip) + len(udp)
    return struct.pack("<IIII", FIRST_CAPTURED + number, 0, size, size) + ip + udp


def write_capture(path, datagrams):
    """A file of datagrams to port 5555."""
    with open(path, "wb") as file:
        file.write(HEADER)
        for number, data in enumerate(datagrams):
            file.write(record(number, data))
