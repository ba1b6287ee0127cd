"""Implements a store that receives records by HTTP and answers as a test requests."""
import collections
import socket
import threading

from certificates import HOST
from ports import free_port
from sluice_program import DEADLINE

Request = collections.namedtuple("Request", "path headers body")

NO_ANSWER = "no answer"  # the connection stays open
CLOSE = "close"  # after the whole body
CLOSE_EARLY = "close early"  # before it is read


class Store:
    """Answers each request with the next step of `script`, and later ones with `otherwise`. A step
    is a status, a status with headers and an optional body, or one of the words above; a function
    that returns one of these for a request; or bytes, which are sent unchanged before the
    connection ends. `stored` has the requests that were answered with 2xx, in the order of the
    answers."""

    def __init__(self, *script, port=None, context=None):
        self.script = collections.deque(script)
        self.otherwise = 204
        self.requests = []
        self.stored = b""
        self.changed = threading.Condition()
        self._context = context
        self._connections = set()
        self.port = port or free_port()
        self._socket = socket.create_server(("127.0.0.1", self.port))
        self.place = f"//{'127.0.0.1' if context is None else HOST}:{self.port}/write"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        """Closes the store and its connections."""
        if self._socket.fileno() >= 0:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
        self.cut()

    def cut(self):
        """Closes all open connections."""
        with self.changed:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the client has already closed it

    def wait_for_requests(self, count):
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.requests) >= count, DEADLINE):
                raise AssertionError(f"{len(self.requests)} of {count} requests came")

    def keep(self, request, taken):
        self.requests.append(request)
        if taken:
            self.stored += request.body

    def lines(self):
        return self.stored.decode().splitlines()

    def _accept(self):
        while True:
            try:
                connection = self._socket.accept()[0]
            except OSError:
                return
            with self.changed:
                self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            stream = connection.makefile("rb")
            while self._answer(connection, stream):
                pass
            stream.close()
        except OSError:
            pass  # the client is gone, or has refused the certificate
        finally:
            with self.changed:
                self._connections.discard(connection)
            connection.close()

    def _answer(self, connection, stream):
        head = stream.readline().decode().split()
        if not head:
            return False
        headers = {}
        while (line := stream.readline().decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        with self.changed:
            step = self.script.popleft() if self.script else self.otherwise
        if step == CLOSE_EARLY:
            return False
        body = stream.read(int(headers["content-length"]))
        request = Request(head[1], headers, body)
        step = step(request) if callable(step) else step
        status, more, *rest = step if isinstance(step, tuple) else (step, {})
        with self.changed:
            self.keep(request, status in (200, 204))
            self.changed.notify_all()
        if status == CLOSE:
            return False
        if isinstance(status, bytes):
            connection.sendall(status)
            connection.shutdown(socket.SHUT_WR)
            stream.read(1)  # until the client closes
            return False
        if status == NO_ANSWER:
            stream.read(1)  # until the client closes
            return False
        lines = [f"HTTP/1.1 {status} So", *(f"{name}: {value}" for name, value in more.items())]
        body = rest[0] if rest else b""
        if status != 204:
            lines.append(f"Content-Length: {len(body)}")
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return True
