"""Implements a store with HTTP/2 that ends streams and connections as a test requests (RFC 9113).
"""
import collections
import socket
import struct
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 5, 7, 8
CONTINUATION = 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PREFACE = 24  # size of the connection preface in bytes
NO_CONTENT = b"\x89"  # :status 204 (RFC 7541, appendix A)
NO_ERROR, PROTOCOL_ERROR, REFUSED, CANCEL = 0, 1, 7, 8

# The possible actions of the server for a request.
TAKEN = "it is stored and acknowledged"
REFUSE = "its stream is refused"
GO_AWAY = "the connection goes away, and the request was not looked at"
GO_AWAY_AND_END = "the same, and the connection ends"
STORE_AND_GO_AWAY = "it is stored, and the connection goes away and ends without an answer"
STORE_AND_CANCEL = "it is stored, and its stream is cancelled"
STORE_AND_END = "it is stored, and the connection ends"
STORE_AND_RESET = "it is stored, and the connection is reset"


def number(value):
    return struct.pack(">I", value)


# Frames that HTTP/2 does not allow, or that only report a failure. The server answers with one of
# them after it has stored the request: kind, flags, offset from the request's stream (None: stream
# 0), payload.
BROKEN = {
    "a header block that cannot be read": (HEADERS, END_STREAM | END_HEADERS, 0, b"\xff" * 5),
    "a header in capitals":
        (HEADERS, END_STREAM | END_HEADERS, 0, NO_CONTENT + b"\x00\x01A\x01b"),
    "no status": (HEADERS, END_STREAM | END_HEADERS, 0, b"\x00\x01a\x01b"),
    "two statuses": (HEADERS, END_STREAM | END_HEADERS, 0, NO_CONTENT * 2),
    "headers of no stream": (HEADERS, END_STREAM | END_HEADERS, None, NO_CONTENT),
    "headers of a stream that never was": (HEADERS, END_STREAM | END_HEADERS, 2, NO_CONTENT),
    "data before headers": (DATA, END_STREAM, 0, b"stored"),
    "a frame that is too long": (DATA, 0, 0, bytes(20000)),
    "a window that overflows": (WINDOW_UPDATE, 0, None, number(0x7fffffff)),
    "a reset that is too short": (RST_STREAM, 0, 0, b"ab"),
    "settings with a bad value": (SETTINGS, 0, None, b"\x00\x04" + number(0xffffffff)),
    "a promise": (PUSH_PROMISE, END_HEADERS, 0, number(2) + b"\x82"),
    "a continuation without headers": (CONTINUATION, END_HEADERS, 0, NO_CONTENT),
    "a goaway that is too short": (GOAWAY, 0, None, number(0)),
    "a reset without an error": (RST_STREAM, 0, 0, number(NO_ERROR)),
    "a reset for an error": (RST_STREAM, 0, 0, number(PROTOCOL_ERROR)),
}


class Http2Store:
    """Each complete request takes the next step of `script`. Later requests are stored and
    acknowledged."""

    def __init__(self, context, *script):
        context.set_alpn_protocols(["h2"])
        self.script = collections.deque(script)
        self.stored = []  # bodies
        self.requests = 0
        self._context = context
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.place = f"//127.0.0.1:{self._socket.getsockname()[1]}/write"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def lines(self):
        return b"".join(self.stored).decode().splitlines()

    def _accept(self):
        while True:
            try:
                connection = self._socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with self._context.wrap_socket(connection, server_side=True) as secure:
                Http2Connection(self, secure).serve()
                # A close with unread data resets the connection, and a client that then writes to
                # it would never read earlier answers.
                secure.shutdown(socket.SHUT_WR)
                while secure.recv(65536):
                    pass
        except OSError:
            pass  # the client has gone


class Http2Connection:
    def __init__(self, store, connection):
        self._store = store
        self._connection = connection
        self._stream = connection.makefile("rb")
        self._bodies = collections.defaultdict(bytes)
        self._last = None  # the last stream that is served after a GOAWAY; later ones are ignored

    def serve(self):
        self._stream.read(PREFACE)
        self._send(SETTINGS, 0, 0)
        while len(head := self._stream.read(9)) == 9:
            length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            stream = int.from_bytes(head[5:], "big")
            payload = self._stream.read(length)
            if kind == SETTINGS and not flags & ACK:
                self._send(SETTINGS, ACK, 0)
            if kind == DATA:
                self._bodies[stream] += payload
                if payload:
                    self._send(WINDOW_UPDATE, 0, 0, number(length))
            if kind in (DATA, HEADERS) and flags & END_STREAM and not self._answer(stream):
                return

    def _send(self, kind, flags, stream, payload=b""):
        self._connection.sendall(len(payload).to_bytes(3, "big") + bytes([kind, flags]) +
                                 number(stream) + payload)

    def _answer(self, stream):
        """Returns whether the connection continues."""
        store = self._store
        if self._last is not None and stream > self._last:
            return True
        step = store.script.popleft() if store.script else TAKEN
        store.requests += 1
        if step in BROKEN or step in (TAKEN, STORE_AND_GO_AWAY, STORE_AND_CANCEL, STORE_AND_END,
                                      STORE_AND_RESET):
            store.stored.append(self._bodies.pop(stream))
        if step == TAKEN:
            self._send(HEADERS, END_STREAM | END_HEADERS, stream, NO_CONTENT)
        elif step in (REFUSE, STORE_AND_CANCEL):
            self._send(RST_STREAM, 0, stream, number(REFUSED if step == REFUSE else CANCEL))
        elif step in (GO_AWAY, GO_AWAY_AND_END):
            self._last = max(stream - 2, 0)
            self._send(GOAWAY, 0, 0, number(self._last) + number(0))
        elif step == STORE_AND_GO_AWAY:
            self._send(GOAWAY, 0, 0, number(stream) + number(0))
        elif step == STORE_AND_RESET:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                        struct.pack("ii", 1, 0))
        elif step in BROKEN:
            kind, flags, after, payload = BROKEN[step]
            self._send(kind, flags, 0 if after is None else stream + after, payload)
        return step in BROKEN or step in (TAKEN, REFUSE, STORE_AND_CANCEL, GO_AWAY)
