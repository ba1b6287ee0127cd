"""Worlds with a far end: HTTP stores, brokers, TLS clients."""
import json
import ssl

from certificates import Authority
from fault_outputs import Delivered, of_lines
from fault_worlds import World
from http_store import Store
from kafka_mock import KafkaMock
from nats_server import NatsServer
from ports import free_port


class Stores(World):
    """One store that accepts each request and one that cannot be reached, both with a spill. Also a
    listener with TLS."""
    name = "stores"
    NEEDS = ("openssl",)
    listeners = 2

    def __init__(self, folder):
        super().__init__(folder)
        authority = Authority(self.folder)
        self._cert, self._key = authority.issue("server")
        self.secured = ssl.create_default_context(cafile=authority.cert)
        self._store = Store()
        self.addCleanup(self._store.close)
        self._away = free_port()
        self._runs = 0

    def prepare(self, run):
        if run.before is None:  # late requests of the previous run have another path
            self._runs += 1
            self._store.requests.clear()
        super().prepare(run)

    def config(self, run, number):
        keys = f"format=json&flush_interval={1 + number}ms&in_flight=1"
        return {
            "memory": "200MiB", "stop-timeout": "300ms",
            "listeners": [
                "udp://127.0.0.1:0?schema=riemann",
                f"tcp://127.0.0.1:0?schema=riemann&tls=on&cert={self._cert}&key={self._key}",
            ],
            "sinks": [
                f"http:{self._place()}?{keys}&spill={run.folder}/spill",
                f"http://127.0.0.1:{self._away}/away?{keys}&spill={run.folder}/away"
                "&spill_size=16MiB",
            ]}

    def outputs(self, run):
        path = f"/write{self._runs}"
        return [Delivered(f"http:{self._place()}", of_lines(b"".join(
            request.body for request in list(self._store.requests) if request.path == path)))]

    def _place(self):
        return f"{self._store.place}{self._runs}"


class Kafka(World):
    """A Kafka topic."""
    name = "kafka"

    def __init__(self, folder):
        super().__init__(folder)
        self._cluster = KafkaMock(self)
        self._topics = 0

    def prepare(self, run):
        if run.before is None:
            self._topics += 1
            self._cluster.order(f"create t{self._topics} 1")
        super().prepare(run)

    def _place(self):
        return f"kafka://{self._cluster.brokers}/t{self._topics}"

    def config(self, run, number):
        return {"memory": "100MiB", "listeners": ["udp://127.0.0.1:0?schema=riemann"],
                "sinks": [f"{self._place()}?format=json&flush_interval={1 + number}ms"]}

    def outputs(self, run):
        found = [json.loads(value) for _, value in self._cluster.read(f"t{self._topics}")]
        return [Delivered(self._place(), [int(line["value"]) for line in found])]


class Nats(World):
    """A NATS JetStream stream."""
    name = "nats"

    def __init__(self, folder):
        super().__init__(folder)
        self._server = NatsServer(self)
        self._streams = 0

    def prepare(self, run):
        if run.before is None:
            self._streams += 1
            self._server.add_stream(f"S{self._streams}", f"t{self._streams}",
                                    storage="memory")
        super().prepare(run)

    def _place(self):
        return f"nats://127.0.0.1:{self._server.port}/t{self._streams}"

    def config(self, run, number):
        return {"memory": "100MiB", "listeners": ["udp://127.0.0.1:0?schema=riemann"],
                "sinks": [f"{self._place()}?format=json&flush_interval={1 + number}ms"]}

    def outputs(self, run):
        return [Delivered(self._place(),
                          of_lines(b"".join(self._server.read(f"S{self._streams}"))))]


DELIVERIES = {world.name: world for world in (Stores, Kafka, Nats)}
