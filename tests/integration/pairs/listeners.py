"""Makes listeners of every kind, with every framing and with TLS, and senders for them."""
import contextlib
import os
import socket
import ssl
import struct

import capture_writing
from covering import STREAMS
from protobuf import delimited, double, message, metric, text
from readers import value_of
from service_manager import LAUNCHER
from sluice_program import DEADLINE, SLUICE
from test_frame_streams import START, control
from test_otlp_udp import datagram, request
from test_udp_notif import notif

_PORT = 5555  # destination port of the datagrams in captures
_DNSTAP = b"protobuf:test"


def _otlp(number):
    """An OTLP request with one data point of a gauge."""
    label = message(7, text(1, "host") + message(2, text(1, f"h{number}")))
    point = message(1, label + double(4, value_of(number)))
    return request(text(1, "load") + message(5, point))


def _framed(framing, number):
    body = metric(value_of(number), "load", host=f"h{number}")
    if framing == "delimited":
        return delimited(body)
    if framing == "length16":
        return struct.pack(">H", len(body)) + body
    if framing == "length16-le":
        return struct.pack("<H", len(body)) + body
    if framing == "length32-le":
        return struct.pack("<I", len(body)) + body
    if framing in ("length32", "frame-streams"):
        return struct.pack(">I", len(body)) + body
    if framing == "cisco-mdt":
        return struct.pack(">HHHHI", 1, 1, 1, 0, len(body)) + body
    if framing == "udp-notif":
        return notif(number, body)
    if framing == "otlp-udp":
        return datagram(b"M1", _otlp(number))
    return body


class Listener:
    """The listener of a row, in all runs of the program.

    `certificate` is a pair of files; `authority` is the file of the authority that signed it."""

    def __init__(self, features, folder, certificate, authority):
        self._features = features
        self._certificate, self._authority = certificate, authority
        self._open = contextlib.ExitStack()
        self._socket = None  # a client's socket, used until the program ends
        self._bound = self._bind() if features.kind == "fd" else None
        self._fifo = folder / "fifo.pcap"
        self._path = folder / "socket"  # of a unix: listener
        self._writer = self._make_fifo() if features.kind == "pcap" else None
        self.decoded = 0  # messages that were sent to this run of the program
        self.control = 0  # frames that are not messages

    def _bind(self):
        kind = socket.SOCK_STREAM if self._is_stream() else socket.SOCK_DGRAM
        bound = self._open.enter_context(socket.socket(socket.AF_INET, kind))
        bound.bind(("127.0.0.1", 0))
        if self._is_stream():
            bound.listen()
        return bound

    def _make_fifo(self):
        """Opened for reading as well, so that the open does not wait for the program."""
        os.mkfifo(self._fifo)
        return self._open.enter_context(open(self._fifo, "r+b", buffering=0))

    def _is_stream(self):
        return self._features in STREAMS

    def close(self):
        self.disconnect()
        self._open.close()

    def url(self, changed):
        """The listener's URL. `changed`: one key has another value."""
        framing = self._features.framing
        keys = f"schema={'otlp' if framing == 'otlp-udp' else 'riemann'}"
        if framing != "datagram":
            keys += f"&framing={framing}"
        if self._writer is None:  # only a restart can change a capture
            keys += f"&rate_limit={100001 if changed else 100000}"
        if self._features.tls:
            keys += "&max_connections=2&tls=on&cert={}&key={}".format(*self._certificate)
        place = {"udp": "udp://127.0.0.1:0", "tcp": "tcp://127.0.0.1:0", "fd": "fd:3",
                 "unix": f"unix:{self._path}"}
        if self._writer is not None:
            return f"pcap:{self._fifo}?port={_PORT}&{keys}"
        return f"{place[self._features.kind]}?{keys}"

    def launch(self, start, *arguments):
        """Starts the program with start(*arguments), and waits until it listens."""
        self.decoded = self.control = 0
        if self._bound is not None:
            descriptor = self._bound.fileno()
            program = start(
                "-c", LAUNCHER, str(descriptor), SLUICE, *arguments, program="python3",
                pass_fds=[descriptor], env={**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "own"})
            program.wait_for_log("listening on fd:3 ")
            return program
        program = start(*arguments)
        if self._writer is not None:
            program.wait_for_log("writing to ")
            self._writer.write(capture_writing.HEADER)
            return program
        return program.wait_for_listeners()

    def disconnect(self):
        """Closes the senders, before the configuration is changed or the program ends."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _connect(self, program):
        if self._features.kind == "unix":
            return self._begun(self._connect_local())
        host, port = ("127.0.0.1", program.port()) if self._bound is None else \
            self._bound.getsockname()
        kind = socket.SOCK_STREAM if self._is_stream() else socket.SOCK_DGRAM
        connected = socket.socket(socket.AF_INET, kind)
        connected.settimeout(DEADLINE)
        connected.connect((host, port))
        if self._features.tls:
            trusted = ssl.create_default_context(cafile=self._authority)
            connected = trusted.wrap_socket(connected, server_hostname="127.0.0.1")
        return self._begun(connected)

    def _connect_local(self):
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(DEADLINE)
        connected.connect(str(self._path))
        return connected

    def _begun(self, connected):
        """Sends the first frame of a stream, if the framing has one."""
        if self._features.framing == "frame-streams":
            connected.sendall(control(START, _DNSTAP))
            self.control += 1
        return connected

    def send(self, program, numbers):
        """Sends records of these numbers."""
        self.decoded += len(numbers)
        frames = [_framed(self._features.framing, number) for number in numbers]
        if self._writer is not None:
            self._writer.write(b"".join(
                capture_writing.record(number, frame, _PORT)
                for number, frame in zip(numbers, frames)))
            return
        if self._socket is None:
            self._socket = self._connect(program)
        if self._is_stream():
            self._socket.sendall(b"".join(frames))
            return
        for frame in frames:
            self._socket.send(frame)
