"""A client of the collector's control socket: requests and JSON answers, a line each."""
import socket

from sluice_program import DEADLINE, parse_json, wait_until


class ControlClient:
    """Fails where an answer does not come in time."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE)
        wait_until(lambda: self._connects(str(path)), f"somebody listens at {path}")
        self._pending = b""

    def _connects(self, path):
        """The socket is there a moment before somebody listens."""
        try:
            self.socket.connect(path)
        except ConnectionRefusedError:
            return False
        return True

    def close(self):
        self.socket.close()

    def send(self, request):
        self.socket.sendall(request.encode() + b"\n")

    def read_line(self):
        """The next line, parsed; None at the end."""
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
