"""A third-party name server, started for a test on loopback, and a client that queries it."""
import shutil
import socket
import struct
import subprocess
import time

from sluice_program import DEADLINE

CLASS_IN, TYPE_A = 1, 1
NAME, ADDRESS = "www.example.test", "192.0.2.7"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def question(name):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return labels + b"\0" + struct.pack(">HH", TYPE_A, CLASS_IN)


def query(number, name):
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + question(name)


class NameServer:
    """Runs a copy of the program `command` until it is closed.

    A copy, because AppArmor may confine the installed program by its path, so that it cannot read a
    test's folder."""

    def __init__(self, folder, command, port):
        self.port = port
        self.log = folder / "server.log"
        with open(self.log, "wb") as log:
            copy = shutil.copy(shutil.which(command[0], path=PATH), folder)
            self.process = subprocess.Popen([copy, *map(str, command[1:])], cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ask(self, number, name=NAME):
        """Repeats the query until the server answers, because it may not listen yet. Returns the
        query, the answer, and the port that asked."""
        end = time.monotonic() + DEADLINE
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.settimeout(0.2)
            client.connect(("127.0.0.1", self.port))
            while time.monotonic() < end and self.process.poll() is None:
                try:
                    client.send(query(number, name))
                    return query(number, name), client.recv(4096), client.getsockname()[1]
                except (ConnectionRefusedError, TimeoutError):
                    time.sleep(0.02)
        raise AssertionError(f"the name server does not answer; it said:\n{self.said()}")
