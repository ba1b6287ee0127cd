"""Tests --check=connect with `kafka:` sinks and librdkafka's mock cluster.

The mock creates each topic that a client requests; refusals are tested in
tests/integration/servers.
"""
import socket
import unittest

from built import WINDOWS
from connecting import ConnectTest
from kafka_mock import KafkaMock
from ports import free_port

# librdkafka gets the text of a socket error from the C library, which has none on Windows.
REFUSED = "Unknown error" if WINDOWS else "refused"


class Kafka(ConnectTest):
    def test_a_topic_that_is_there_is_reached(self):
        kafka = KafkaMock(self)
        kafka.order("create t 3")
        self.assert_reached(f"kafka://{kafka.brokers}/t?format=json",
                            r"reached \d brokers?; the topic has \d+ partitions?\Z")

    def test_of_topics_that_records_name_the_brokers_alone_are_reached(self):
        kafka = KafkaMock(self)
        self.assert_reached(f"kafka://{kafka.brokers}/t.%{{schema}}?format=json",
                            r"reached \d brokers?; the topics depend on the records")

    def test_where_nobody_listens_nothing_is_reached(self):
        self.assert_not_reached(f"kafka://127.0.0.1:{free_port()}/t?format=json",
                                f"no broker answers: .*{REFUSED}", keys=("--check-timeout", "1s"))

    def test_a_name_that_does_not_resolve_is_said(self):
        self.assert_not_reached("kafka://name.invalid/t?format=json", "name.invalid.*resolve",
                                keys=("--check-timeout", "2s"))

    def test_a_broker_that_never_answers_is_given_up(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            self.assert_not_reached(f"kafka://127.0.0.1:{port}/t?format=json", "no broker answers",
                                    keys=("--check-timeout", "500ms"))


if __name__ == "__main__":
    unittest.main()
