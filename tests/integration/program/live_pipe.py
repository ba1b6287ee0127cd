"""A pipe that the program reads by its path and the test writes. For Windows programs it is a named
pipe, created by its writer; a program that TEST_PIPES names relays the data of a Linux pipe to it.
Otherwise it is a FIFO."""
import os
import subprocess

from built import WINDOWS, command
from sluice_program import wait_for_bytes


class _Fifo:
    def __init__(self, folder):
        self.path = str(folder / "fifo.pcap")
        self._opened = []
        os.mkfifo(self.path)

    def open(self):
        self._opened.append(open(self.path, "wb", buffering=0))
        return self._opened[-1]

    def put(self, data):
        self._opened.append(open(self.path, "r+b", buffering=0))
        self._opened[-1].write(data)

    def close(self):
        for file in self._opened:
            file.close()


class _PipeOfWindows:
    _count = 0

    def __init__(self, _):
        _PipeOfWindows._count += 1
        name = f"sluice-test-{os.getpid()}-{_PipeOfWindows._count}"
        self.path = f"//./pipe/{name}"
        self._process = subprocess.Popen(command(os.environ["TEST_PIPES"], "serve", name),
                                         bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._expect(b"made\n")

    def _expect(self, line):
        wait_for_bytes(self._process.stdout)
        found = self._process.stdout.readline()
        if found != line:
            raise AssertionError(f"{found!r}, not {line!r}")

    def open(self):
        self._expect(b"open\n")
        return self._process.stdin

    def put(self, data):
        self._process.stdin.write(data)

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process.stdin.close()


class LivePipe:
    """`path` is the path that the program reads."""

    def __init__(self, folder):
        self._pipe = (_PipeOfWindows if WINDOWS else _Fifo)(folder)
        self.path = self._pipe.path

    def open(self):
        """Waits until the program has opened the pipe. Returns an unbuffered file to write to and
        close."""
        return self._pipe.open()

    def put(self, data):
        """Writes data that fits in the pipe, before or after the program has opened it. The pipe
        stays open."""
        self._pipe.put(data)

    def close(self):
        self._pipe.close()
