"""The traffic for the collector: good and bad datagrams of each schema, streams, and clients of its
pages."""
import http.client
import json
import os
import socket
import struct
import subprocess
import threading
import urllib.error
import urllib.request

import life
from protobuf import delimited, gauge, metric

TEST_SEND = os.environ["TEST_SEND"]
SCHEMAS = {life.TELEMETRY: "telemetry", life.RIEMANN: "riemann", life.OTLP: "otlp"}


class Senders:
    """The project's sender programs. Each one sends for some seconds, and then the next one
    starts."""

    def __init__(self, random, life_):
        self.random, self.life = random, life_
        self.running = {}

    def keep_going(self):
        for port in SCHEMAS:
            process = self.running.get(port)
            if process is None or process.poll() is not None:
                self.collect(port)
                self.running[port] = self.start(port)

    def start(self, port):
        rate = self.random.choice((50, 500, 2000, 6000))
        words = ["--to", f"udp://127.0.0.1:{port}", "--schema", SCHEMAS[port], "--rate", rate,
                 "--duration", f"{self.random.randint(2, 6)}s", "--sources", self.random.choice((1, 3, 40)),
                 "--samples", self.random.choice((1, 1, 5)), "--burst", self.random.choice((1, 50)),
                 "--malformed", "2%", "--empty", "1%", "--oversized", "1/2000",
                 "--quiet", "--report", "json"]  # fmt: skip
        return subprocess.Popen([TEST_SEND, *map(str, words)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip

    def collect(self, port):
        """The sent records, after the sender has ended."""
        process = self.running.pop(port, None)
        if process is not None:
            report = json.loads(process.communicate(timeout=60)[0])
            self.life.sent[port] = self.life.sent.get(port, 0) + report["sent"]

    def end(self):
        for port in SCHEMAS:
            self.collect(port)


class Client(threading.Thread):
    """Repeats one of these actions, and ignores errors of the connection."""

    def __init__(self, random, life_):
        super().__init__(daemon=True)
        self.random, self.life = random, life_
        self.done = threading.Event()
        self.held = []
        self.deeds = [self.group, self.batches, self.stream, self.bad_stream, self.page, self.garbage]

    def run(self):
        while not self.done.wait(0.02):
            try:
                self.random.choice(self.deeds)()
            except (OSError, http.client.HTTPException):
                pass  # the collector is stopped, out of descriptors, or has closed the connection
        for client in self.held:
            client.close()

    def end(self):
        self.done.set()
        self.join(60)

    def datagram(self, port, *datagrams):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for datagram in datagrams:
                sender.sendto(datagram, ("127.0.0.1", port))

    def group(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("192.0.2.1"))
            sender.sendto(gauge("group", 1.0), ("239.1.2.3", life.GROUP))

    def batches(self):
        messages = [metric(float(i)) for i in range(self.random.randint(1, 20))]
        self.datagram(life.DELIMITED, delimited(*messages))

    def garbage(self):
        port = self.random.choice((life.DELIMITED, life.OPTIONAL))
        self.datagram(port, self.random.randbytes(self.random.choice((0, 1, 30, 1400, 65507))))

    def connect(self):
        return socket.create_connection(("127.0.0.1", life.STREAM), timeout=5)

    def stream(self):
        frames = [riemann_frame(metric(float(i))) for i in range(self.random.randint(1, 50))]
        with self.connect() as client:
            data = b"".join(frames)
            while data:
                size = self.random.randint(1, len(data))
                client.sendall(data[:size])
                data = data[size:]
            client.recv(1)

    def bad_stream(self):
        client = self.connect()
        self.held.append(client)
        client.sendall(self.random.choice((
            b"", riemann_frame(bytes(100))[:50], b"\xff\xff\xff\xff", riemann_frame(b"\xff" * 40) * 20)))
        if len(self.held) > 30:
            gone = self.held.pop(0)
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.close()

    def page(self):
        page = self.random.choice(("metrics", "healthz", "", "levels.json", "nothing"))
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{life.METRICS}/{page}", timeout=5).read()
        except urllib.error.HTTPError:
            pass  # 404, or 503 if the collector is not well


def riemann_frame(message):
    return struct.pack(">I", len(message)) + message
