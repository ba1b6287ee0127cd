"""Runs the tools and receives their datagrams. TEST_SEND is the path of one tool. The others are in
the same folder."""
import json
import os
import pathlib
import selectors
import socket
import struct
import subprocess
import time

import built

ROOT = pathlib.Path(__file__).resolve().parents[3]
CAPTURES = ROOT / "tests" / "captures"
DEADLINE = 60  # seconds that one step may take

SO_RCVBUFFORCE = 33
SO_MEMINFO = 55
SK_MEMINFO_DROPS = 8


def command(tool, *arguments):
    """The command of a tool."""
    return built.command(built.beside(os.environ["TEST_SEND"], tool), *arguments)


def run(tool, *arguments, stdin=b"", **more):
    """Runs a tool to its end. Captures its streams unless arguments specify others."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if "stdin" not in more and not isinstance(stdin, bytes):
        more["stdin"] = stdin
    elif "stdin" not in more:
        more["input"] = stdin
    return subprocess.run(command(tool, *arguments), timeout=DEADLINE, check=False,
                          **{**streams, **more})


def close_stream(number):
    """A preexec_fn that closes this stream before the program starts."""
    return lambda: os.close(number)


def truth(capture):
    """The content of a capture as other programs decoded it, one element for each datagram."""
    with open(CAPTURES / f"{capture}.ndjson", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Receiver:
    """A UDP socket on a port that the system chose. Keeps the datagrams as bytes, with their source
    ports."""

    def __init__(self, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
        self.socket.bind((host, 0))
        self.socket.setblocking(False)
        self.port = self.socket.getsockname()[1]
        brackets = f"[{host}]" if ":" in host else host
        self.url = f"udp://{brackets}:{self.port}"
        self.datagrams = []
        self.ports = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def refuse(self):
        """Connects the socket to its own address, so that datagrams of others are refused."""
        self.socket.connect(self.socket.getsockname())

    def drops(self):
        """The number of datagrams for which the kernel had no room."""
        memory = self.socket.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 4 * 16)
        return struct.unpack_from("I", memory, 4 * SK_MEMINFO_DROPS)[0]

    def drain(self):
        """Receives all datagrams that have arrived."""
        while True:
            try:
                data, source = self.socket.recvfrom(65536)
            except BlockingIOError:
                return
            self.datagrams.append(data)
            self.ports.append(source[1])

    def wait_for(self, done):
        """Receives until done() is true."""
        end = time.monotonic() + DEADLINE
        with selectors.DefaultSelector() as selector:
            selector.register(self.socket, selectors.EVENT_READ)
            while not done():
                if time.monotonic() > end:
                    raise TimeoutError(f"{len(self.datagrams)} datagrams after {DEADLINE} s")
                selector.select(0.05)
                self.drain()

    def receive_from(self, tool, *arguments, sent=None):
        """Runs a tool. Receives while it runs, and then until all that it sent has arrived. `sent`
        reads that number from the ended process. Returns the process."""
        with subprocess.Popen(command(tool, *arguments), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                self.wait_for(lambda: process.poll() is not None)
                out, err = process.communicate(timeout=DEADLINE)
            finally:
                process.kill()
        ended = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        if sent is not None:
            total = sent(ended)
            self.wait_for(lambda: len(self.datagrams) + self.drops() >= total)
        return ended
