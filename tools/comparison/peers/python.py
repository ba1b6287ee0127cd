#!/usr/bin/env python3
"""The smallest comparable receiver, without decoding: writes each datagram as a line of hexadecimal
digits.

    python.py PORT BUFFER OUTPUT
"""
import signal
import socket
import sys

port, buffer, output = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
receiver.bind(("127.0.0.1", port))
receiver.settimeout(0.05)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

with open(output, "w", encoding="ascii", buffering=65536) as lines:
    while True:
        try:
            lines.write(receiver.recv(65536).hex() + "\n")
        except TimeoutError:
            lines.flush()
