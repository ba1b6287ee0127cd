"""Tests outages of a server to which a sink sends: the log from the beginning to the end, and the
health report during the outage."""
import contextlib
import os
import socket
import ssl
import threading
import unittest

from certificates import OPENSSL, Authority
from http_store import Store
from kafka_mock import KafkaMock
from metrics_client import MetricsClient
from nats_server import NatsServer
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest

KEYS = "format=json&flush_interval=10ms"


class Outages(ProgramTest):
    def check_outage(self, url, away, back, reason=".*"):
        """`away` begins the outage; its error matches `reason`. `back` ends it."""
        program = self.start("--listen", RIEMANN, "--sink", url, "--metrics", "127.0.0.1:0")
        metrics = MetricsClient(program)
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 1, "it is written")
        away()
        sender.send_all([metric(1)])
        program.wait_for_log(f"error: [^ ]*: {reason}; trying again.*; records wait ")
        _, health = metrics.wait_for_health(lambda said: said["status"] == "degraded", "it shows")
        self.assertEqual([said["reason"] for said in health["reasons"]], ["sink_fails"])
        self.assertRegex(health["reasons"][0]["error"], reason)
        back()
        program.wait_for_log(r"writing again after [0-9.]+ s; records lost since: none")
        _, health = metrics.wait_for_health(lambda said: said["status"] == "ready", "it is over")
        past, = health["past"]
        self.assertEqual(past["sink"], program.ledger_now()["sinks"][0]["name"])
        self.assertRegex(past["error"], reason)
        self.assertGreaterEqual(min(past["seconds"], past["ended_seconds_ago"]), 0)
        self.assertEqual(program.stop()["sinks"][0]["written"], 2)
        lines = [line for line in program.log() if "trying again" in line]
        self.assertLessEqual(len(lines), 6)  # at increasing intervals

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

    @unittest.skipUnless("TEST_KAFKA_MOCK" in os.environ, "needs librdkafka")
    def test_a_kafka_topic_without_enough_replicas(self):
        cluster = KafkaMock(self)
        cluster.order("create t 1")
        self.check_outage(f"kafka://{cluster.brokers}/t?{KEYS}",
                          lambda: cluster.order("short 16"),  # an attempt every 100 ms
                          lambda: None,
                          "the messages are refused: Broker: Not enough in-sync replicas")

    @unittest.skipUnless(os.environ.get("TEST_CURL") == "1", "needs libcurl")
    def test_a_store_that_is_restarted(self):
        stores = [Store()]

        def back():
            stores.append(Store(port=stores[0].port))
            self.addCleanup(stores[-1].close)
        self.check_outage(f"http://127.0.0.1:{stores[0].port}/write?{KEYS}", stores[0].close, back)

class Certificates(ProgramTest):
    """The log and the health report name the error of a server's certificate, and the remedy."""

    def serve(self, days):
        """A server with a certificate for 127.0.0.1."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.authority.issue("server", days=days))
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)

        def shake_hands():
            with contextlib.suppress(OSError):
                while True:
                    connection = listening.accept()[0]
                    with contextlib.suppress(OSError):
                        context.wrap_socket(connection, server_side=True).close()
        threading.Thread(target=shake_hands, daemon=True).start()
        return listening.getsockname()[1]

    def check(self, make_url, expired, other_name, unknown_issuer):
        self.authority = Authority(self.folder)
        other = Authority(self.folder, "other")
        for days, host, authority, expected in ((-1, "127.0.0.1", self.authority, expired),
                                                (2, "localhost", self.authority, other_name),
                                                (2, "127.0.0.1", other, unknown_issuer)):
            url = make_url(f"{host}:{self.serve(days)}", authority.cert)
            program = self.start("--listen", RIEMANN, "--sink", url, "--metrics", "127.0.0.1:0")
            self.sender(program).send_all([metric(0)])
            program.wait_for_log(f"error: [^ ]*: .*{expected}.*; trying again")
            _, health = MetricsClient(program).wait_for_health(
                lambda said: said["status"] == "degraded", "it shows")
            self.assertRegex(health["reasons"][0]["error"], expected)
            program.stop()

    @unittest.skipUnless("TEST_KAFKA_MOCK" in os.environ and OPENSSL, "needs librdkafka, openssl")
    def test_of_kafka(self):
        self.check(lambda place, ca: f"kafka://{place}/t?{KEYS}&kafka.security.protocol=ssl&"
                                     f"kafka.ssl.ca.location={ca}&timeout=100ms",
                   r"the server's certificate expired on \d{4}-\d\d-\d\d: renew it there "
                   r"\(subject=/CN=server, issuer=/CN=ca\)",
                   "the server's certificate is for another name",
                   "unknown issuer: ssl.ca.location must name it")

    @unittest.skipUnless(os.environ.get("TEST_CURL") == "1" and OPENSSL, "needs libcurl, openssl")
    def test_of_a_store(self):
        self.check(lambda place, ca: f"https://{place}/w?{KEYS}&server_ca={ca}&timeout=1s",
                   "certificate has expired: renew the server's certificate there",
                   "'localhost': the URL must have a name that the server's certificate has",
                   "server_ca= must name the authority that signed the certificate")


if __name__ == "__main__":
    unittest.main()
