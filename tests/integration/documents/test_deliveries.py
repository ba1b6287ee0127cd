"""Tests the commands in documents that deliver records to a server: the server must get all
records."""
import os
import re
import shutil
import unittest

from http_store import Store
from kafka_mock import KafkaMock
from nats_server import NatsServer
from readme import commands
from sending import send
from shell import ConsumerTest

LISTENER = re.compile(r"udp://\[::\]:\d+")
STORE = re.compile(r"(http://127\.0\.0\.1:)\d+")
SPILL = "spill=spill/"


class Deliveries(ConsumerTest):
    def each(self, scheme):
        """The documented lines with a sink of this scheme, with free ports and the test's
        folder."""
        found = [line for _, line in commands()
                 if f"--sink '{scheme}" in line and LISTENER.search(line)]
        self.assertGreater(len(found), 1)
        for number, line in enumerate(found):
            folder = self.folder / f"{scheme[:4]}{number}"
            folder.mkdir()
            yield line, LISTENER.sub("udp://127.0.0.1:0", line).replace(SPILL, f"spill={folder}/")

    def run_until_written(self, line):
        """Runs a command with datagrams of its schema. Asserts that all records were acknowledged.
        Returns the sink's counts."""
        schema = re.search(r"schema=([\w.-]+)", line)[1]
        shutil.rmtree(self.folder / "bin", ignore_errors=True)
        program = self.shell(line)
        count = send(schema, self.sender(program))
        program.wait_for_settled(count)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"] + sink["filtered"], sink["queued"])
        self.assertGreater(sink["written"], 0)
        return sink

    @unittest.skipUnless("TEST_KAFKA_MOCK" in os.environ, "needs librdkafka")
    def test_to_kafka(self):
        cluster = KafkaMock(self)
        for topic in ("metrics", "metrics.riemann"):
            cluster.order(f"create {topic} 1")
        for shown, line in self.each("kafka://"):
            with self.subTest(command=shown):
                topic = re.search(r"9092/([\w.%{}]+)", line)[1].replace("%{schema}", "riemann")
                before = len(cluster.read(topic))
                sink = self.run_until_written(line.replace("127.0.0.1:9092", cluster.brokers))
                self.assertEqual(len(cluster.read(topic)) - before, sink["written"])

    @unittest.skipUnless("TEST_NATS_SERVER" in os.environ, "needs nats-server and nats.c")
    def test_to_nats(self):
        server = NatsServer(self)
        server.add_stream("RECORDS", "metrics", subjects=["metrics", "metrics.>"])
        lines = 0
        for shown, line in self.each("nats://"):
            with self.subTest(command=shown):
                sink = self.run_until_written(
                    line.replace("127.0.0.1:4222", f"127.0.0.1:{server.port}"))
                lines += sink["lines"]
                self.assertEqual(len(b"".join(server.read("RECORDS")).splitlines()), lines)

    def test_to_stores(self):
        self.require_http()
        for shown, line in self.each("http://"):
            with self.subTest(command=shown):
                store = Store()
                self.addCleanup(store.close)
                self.run_until_written(STORE.sub(rf"\g<1>{store.port}", line))
                path = re.search(r"'http://[\d.:]+(/[^?']*)?", line)[1] or "/v1/"
                self.assertTrue(all(request.path.startswith(path) for request in store.requests))
                self.assertTrue(store.stored)


if __name__ == "__main__":
    unittest.main()
