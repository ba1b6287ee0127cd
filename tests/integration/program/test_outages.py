"""An outage of a far end: the log from its beginning to its end, and health during it."""
import os
import unittest

from http_store import Store
from kafka_mock import KafkaMock
from metrics_client import MetricsClient
from nats_server import NatsServer
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest

KEYS = "format=json&flush_interval=10ms"


class Outages(ProgramTest):
    def check_outage(self, url, away, back):
        """`away` begins the outage and `back` ends it."""
        program = self.start("--listen", RIEMANN, "--sink", url, "--metrics", "127.0.0.1:0")
        metrics = MetricsClient(program)
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 1, "it is written")
        away()
        sender.send_all([metric(1)])
        program.wait_for_log("error: .*; trying again.*; records wait ")
        _, health = metrics.wait_for_health(lambda said: said["status"] == "degraded", "it shows")
        self.assertEqual([reason["reason"] for reason in health["reasons"]], ["sink_fails"])
        back()
        program.wait_for_log(r"writing again after [0-9.]+ s; records lost since: none")
        metrics.wait_for_health(lambda said: said["status"] == "ready", "it is over")
        self.assertEqual(program.stop()["sinks"][0]["written"], 2)
        lines = [line for line in program.log() if "trying again" in line]
        self.assertLessEqual(len(lines), 6)  # at growing intervals

    @unittest.skipUnless("TEST_NATS_SERVER" in os.environ, "needs cnats and nats-server")
    def test_a_nats_server_that_is_restarted(self):
        server = NatsServer(self)
        server.add_stream("S", "t.>")
        self.check_outage(f"nats://127.0.0.1:{server.port}/t.x?{KEYS}", server.kill, server.start)

    @unittest.skipUnless("TEST_KAFKA_MOCK" in os.environ, "needs librdkafka")
    def test_a_kafka_broker_that_is_restarted(self):
        cluster = KafkaMock(self)
        cluster.order("create t 1")
        self.check_outage(f"kafka://{cluster.brokers}/t?{KEYS}", lambda: cluster.order("down 1"),
                          lambda: cluster.order("up 1"))

    @unittest.skipUnless(os.environ.get("TEST_CURL") == "1", "needs libcurl")
    def test_a_store_that_is_restarted(self):
        stores = [Store()]

        def back():
            stores.append(Store(port=stores[0].port))
            self.addCleanup(stores[-1].close)
        self.check_outage(f"http://127.0.0.1:{stores[0].port}/write?{KEYS}", stores[0].close, back)


if __name__ == "__main__":
    unittest.main()
