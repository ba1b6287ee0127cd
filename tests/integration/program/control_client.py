"""A client of the collector's control socket: requests and JSON answers, one on each line.

On Windows the control socket is a named pipe. A program that TEST_PIPES names connects it with a
Linux socket."""
import os
import select
import socket
import subprocess

from built import command
from sluice_program import DEADLINE, parse_json, wait_until


RELAY_END = 10  # seconds


class ControlClient:
    """Fails if an answer does not come in time. `address` is that of --control."""

    def __init__(self, address):
        kind, _, place = address.partition(":")
        self._process = None
        if kind == "pipe":
            self._connect_to_pipe(place)
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            wait_until(lambda: self._connects(place), f"somebody listens at {place}")
        self.socket.settimeout(DEADLINE)
        self._pending = b""

    def _connects(self, path):
        """Returns False while the socket does not exist, or exists but does not listen yet."""
        try:
            self.socket.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        return True

    def _connect_to_pipe(self, name):
        self.socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(command(os.environ["TEST_PIPES"], "connect", name),
                                             stdin=its, stdout=its)

    def close(self):
        self.socket.close()
        if self._process is not None:
            self._end_relay()

    def _end_relay(self):
        """Waits until the relay has transferred all data, closed the pipe and ended.

        One of some thousand relays blocks in Wine's NtTerminateProcess if the pipe and the socket
        end at the same time. Then its handles are closed, but its process stays."""
        try:
            self._process.wait(RELAY_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(DEADLINE)

    def send(self, request):
        self.socket.sendall(request.encode() + b"\n")

    def read_line(self):
        """The next line, parsed. None if the connection has ended."""
        while b"\n" not in self._pending:
            part = self.socket.recv(65536)
            if not part:
                if self._pending:
                    raise AssertionError(f"the last line is torn: {self._pending[-200:]!r}")
                return None
            self._pending += part
        line, _, self._pending = self._pending.partition(b"\n")
        return parse_json(line.decode("utf-8"))

    def ask(self, request):
        self.send(request)
        return self.read_line()

    def is_given_up(self):
        """Returns whether the other side has closed the connection, even if data is still unread.
        """
        if self._process is not None:  # the relay notices the end only when it writes
            try:
                self.send("ledger")
            except BrokenPipeError:
                return True
        probe = select.poll()
        probe.register(self.socket, 0)
        return any(events & select.POLLHUP for _, events in probe.poll(0))
