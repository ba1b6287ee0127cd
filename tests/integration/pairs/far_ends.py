"""Makes sinks of every kind, and collects the data that arrive at their far ends."""
import contextlib
import itertools
import socket
import ssl

from http_store import Store
from kafka_mock import KafkaMock
from readers import numbers_in

UNAVAILABLE = 503

# Without this header, remote write sends the records again in version 1.0.
TAKEN = (204, {"X-Prometheus-Remote-Write-Samples-Written": "1"})


class FarEnd:
    """The far end of a row's sink. With a spill, it is unreachable until arrive()."""

    def __init__(self, row, folder):
        self.row, self.folder = row, folder
        self.stdouts = []  # the standard output of each run of the program

    def place(self):
        raise NotImplementedError

    def more_keys(self):
        return ""

    def url(self, changed):
        """The sink's URL. `changed`: one key has another value."""
        if self.row.listener.kind == "pcap":  # only a restart can change the sinks of a capture
            changed = False
        keys = f"?format={self.row.format}&flush_interval={2 if changed else 1}ms{self.more_keys()}"
        if self.row.spill:
            keys += f"&spill={self.folder}/spill"
        return self.place() + keys

    def leave(self):
        """Accepts no more records."""

    def arrive(self):
        """Accepts records from now on."""

    def close(self):
        pass

    def pieces(self):
        raise NotImplementedError

    def numbers(self):
        return numbers_in(self.row.format, self.pieces())


class StandardOutput(FarEnd):
    def place(self):
        return "stdout:"

    def pieces(self):
        return [b"".join(stream.lines()) for stream in self.stdouts]


class File(FarEnd):
    """One file. With openmetrics, one file for each flush."""

    def __init__(self, row, folder):
        super().__init__(row, folder)
        self._out = folder / "out"
        self._out.mkdir()

    def place(self):
        return f"file:{self._out}/lines"

    def pieces(self):
        return [path.read_bytes() for path in self._out.iterdir()]


class Command(File):
    def place(self):
        return f"command:cat >>{self._out}/lines"


class Relayed(FarEnd):
    def __init__(self, row, folder):
        super().__init__(row, folder)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self._found = []

    def place(self):
        return f"udp:127.0.0.1:{self._socket.getsockname()[1]}"

    def pieces(self):
        try:
            while True:
                self._found.append(self._socket.recv(1 << 16))
        except BlockingIOError:
            return self._found

    def close(self):
        self._socket.close()


class _KeepingStore(Store):
    """`taken`: the bodies of the requests that it has answered with success."""

    def __init__(self, context):
        self.taken = []
        super().__init__(context=context)
        self.otherwise = TAKEN

    def keep(self, request, taken):
        super().keep(request, taken)
        if taken:
            self.taken.append(request.body)


class Http(FarEnd):
    def __init__(self, row, folder, certificate=None, authority=None):
        super().__init__(row, folder)
        self._authority = authority
        context = None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
        self._store = _KeepingStore(context)

    def place(self):
        return f"{self.row.sink}:{self._store.place}"

    def more_keys(self):
        return f"&server_ca={self._authority}" if self._authority is not None else ""

    def leave(self):
        self._store.otherwise = UNAVAILABLE

    def arrive(self):
        self._store.otherwise = TAKEN

    def pieces(self):
        return list(self._store.taken)

    def close(self):
        self._store.close()


class Kafka(FarEnd):
    """A separate cluster, whose broker can be unreachable."""

    def __init__(self, row, folder):
        super().__init__(row, folder)
        self._open = contextlib.ExitStack()
        self.addCleanup = self._open.callback  # as tests call it; pylint: disable=invalid-name
        self._cluster = KafkaMock(self)
        self._cluster.order("create t 1")

    def place(self):
        return f"kafka://{self._cluster.brokers}/t"

    def more_keys(self):
        return "&kafka.reconnect.backoff.max.ms=100" if self.row.spill else ""

    def leave(self):
        self._cluster.order("down 1")

    def arrive(self):
        self._cluster.order("up 1")

    def pieces(self):
        return [value for _, value in self._cluster.read("t")]

    def close(self):
        self._open.close()


class Nats(FarEnd):
    """A stream of the server that all rows share. Until arrive(), no stream accepts the subject."""
    _names = map("t{}".format, itertools.count())

    def __init__(self, row, folder, server):
        super().__init__(row, folder)
        self._server = server
        self._name = next(self._names)
        if not row.spill:
            self.arrive()

    def place(self):
        return f"nats://127.0.0.1:{self._server.port}/{self._name}"

    def arrive(self):
        self._server.add_stream(f"S{self._name}", self._name, storage="memory")

    def pieces(self):
        return self._server.read(f"S{self._name}")


def far_end_of(row, folder, nats, certificate, authority):
    if row.sink == "https":
        return Http(row, folder, certificate, authority)
    if row.sink == "nats":
        return Nats(row, folder, nats)
    return {"stdout": StandardOutput, "file": File, "command": Command, "udp": Relayed,
            "http": Http, "kafka": Kafka}[row.sink](row, folder)
