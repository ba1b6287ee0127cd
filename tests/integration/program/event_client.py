"""A client of /events, which sends events to the status page."""
import socket
import time

from sluice_program import DEADLINE, parse_json


class EventClient:
    """One stream of events over its own connection. If the server refuses it, `status` has the
    status and the connection is closed."""

    def __init__(self, host, port, receive_buffer=None, more=""):
        self.socket = socket.socket(socket.AF_INET)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(DEADLINE)
        self.socket.connect((host, port))
        self.socket.sendall(f"GET /events HTTP/1.0\r\nHost: {host}:{port}\r\n{more}\r\n".encode())
        self._bytes = b""
        self.events = []

    def close(self):
        self.socket.close()

    def begin(self):
        """Reads the head of the answer. Returns its status and headers."""
        head = self._until(b"\r\n\r\n").decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        return int(head[0].split()[1]), headers

    def _until(self, end):
        while end not in self._bytes:
            more = self.socket.recv(1 << 16)
            if not more:
                raise AssertionError("the stream has ended")
            self._bytes += more
        found, _, self._bytes = self._bytes.partition(end)
        return found

    def next(self):
        """Returns the name of the next event and its data."""
        lines = self._until(b"\n\n").decode().split("\n")
        fields = dict(line.split(":", 1) for line in lines)
        return fields["event"].strip(), parse_json(fields["data"])

    def wait_for(self, reached, what):
        """Reads the events of each second until reached(event) is true. Returns that event."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            name, event = self.next()
            if name == "now" and reached(event):
                return event
        raise AssertionError(f"waited {DEADLINE} s without success: {what}")

    def ends(self):
        """Reads the rest of the stream. Returns whether it ends."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except ConnectionResetError:
            pass
        return True
