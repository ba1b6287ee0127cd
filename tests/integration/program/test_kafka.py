"""Tests `kafka:` sinks: written records are in the topic, and the ledger counts the outcome of the
others."""
import json
import os
import unittest

import sealing
from kafka_mock import KafkaMock
from metrics_client import SERVES, MetricsClient, labels
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, built_with, wait_until
from spill_reading import kill, wait_for_records
from test_config import READS_FILES
from wire_reading import varint_at, zigzag

USAGE, CONFIGURATION = 64, 78
SEALED = os.environ.get("TEST_SODIUM") == "1" and sealing.bindings is not None

# Errors that are detected when the sink is opened, not when its URL is parsed.
LATER = ("not a topic", "topic missing", "a user and a password", "begins no field", "not HOST:PORT",
         "properties:2: librdkafka does")

NATS_REFUSED = ([("nats://user:hidden@127.0.0.1:1/t", "a user and a password")]
                if built_with("nats") else [])


class Kafka(ProgramTest):
    def cluster(self):
        cluster = KafkaMock(self)
        cluster.order("create t 1")
        return cluster

    def start_to(self, cluster, keys="", *options):
        return self.start("--listen", RIEMANN, "--sink",
                          f"kafka://{cluster.brokers}/t?format=json&flush_interval=10ms{keys}",
                          *options)

    def assert_balances(self, sink):
        self.assertEqual(sink["queued"],
                         sink["written"] + sink["filtered"] + sink["evicted"] + sink["unknown"] +
                         sum(sink["failed"].values()))

    def values(self, cluster):
        return [json.loads(value)["value"] for _, value in cluster.read("t")]


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Figures(Kafka):
    def test_what_the_library_says_of_its_brokers_is_in_the_metrics(self):
        cluster = self.cluster()
        program = self.start_to(cluster, "&kafka.statistics.interval.ms=100",
                                "--metrics", "127.0.0.1:0")
        client = MetricsClient(program)
        self.sender(program).send_all([metric(number) for number in range(100)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 100,
                                "all are written")
        own = labels(sink=f"kafka://{cluster.brokers}/t")

        def number(name):
            return client.numbers()[f"sluice_sink_{name}", own]

        wait_until(lambda: number("requests_total") > 0 < number("connections"),
                   "the library has said what it did")
        wait_until(lambda: number("messages_in_flight") == 0, "it has said that all is answered")
        self.assertGreaterEqual(number("connects_total"), number("connections"))
        self.assertEqual(number("producer_restarts_total"), 0)
        self.assertGreaterEqual(number("request_seconds_count"), 1)


class Acknowledged(Kafka):
    def test_each_record_is_a_message_in_its_order(self):
        cluster = self.cluster()
        program = self.start_to(cluster, "&key=source")
        self.sender(program).send_all([metric(number) for number in range(500)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (500, 0))
        self.assert_balances(sink)
        messages = cluster.read("t")
        self.assertEqual([json.loads(value)["value"] for _, value in messages], list(range(500)))
        self.assertEqual({key for key, _ in messages}, {b"127.0.0.1"})

    @unittest.skipUnless(SEALED, "needs libsodium and PyNaCl")
    def test_the_key_and_the_topic_are_those_of_the_sender(self):
        cluster = self.cluster()
        cluster.order("create t.web 1")
        cluster.order("create t._ 1")
        web, path = sealing.Key("web"), self.folder / "keys"
        sealing.write_keys(path, web)
        program = self.start("--listen", f"{RIEMANN}&framing=sealed&keys={path}", "--listen", RIEMANN,
                             "--sink", f"kafka://{cluster.brokers}/t.%{{sender}}?format=json&key=sender",
                             listeners=2)
        session = sealing.Session(web)
        self.sender(program, 0).send_all([session.seal(metric(number)) for number in range(3)])
        self.sender(program, 1).send_all([metric(3)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (4, 0))
        named, others = cluster.read("t.web"), cluster.read("t._")
        self.assertEqual([(key, json.loads(value)["value"]) for key, value in named],
                         [(b"web", 0), (b"web", 1), (b"web", 2)])
        self.assertEqual([(key or b"", json.loads(value)["value"]) for key, value in others], [(b"", 3)])

    def test_per_block_a_message_has_many_lines(self):
        cluster = self.cluster()
        program = self.start_to(cluster, "&per=block")
        self.sender(program).send_all([metric(number) for number in range(500)])
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], 500)
        messages = cluster.read("t")
        self.assertLess(len(messages), 500)
        lines = b"".join(value for _, value in messages).splitlines()
        self.assertEqual([json.loads(line)["value"] for line in lines], list(range(500)))

    def test_a_broker_that_was_away_gets_everything_once(self):
        cluster = self.cluster()
        program = self.start_to(cluster)
        sender = self.sender(program)
        sender.send_all([metric(number) for number in range(100)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 100,
                                "the first are written")
        cluster.order("down")
        sender.send_all([metric(number) for number in range(100, 200)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["queued"] == 200,
                                "the others are queued")
        cluster.order("up")
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 200,
                                "all are written")
        sink = program.stop()["sinks"][0]
        self.assert_balances(sink)
        self.assertEqual(self.values(cluster), list(range(200)))


def registry_message(value):
    """The schema, indices and content of a message, as consumers with a schema registry read it."""
    if value[0] != 0:
        raise AssertionError(f"not a message of a registry: {value[:8]}")
    schema = int.from_bytes(value[1:5], "big")
    count, at = varint_at(value, 5)
    indices = []
    for _ in range(zigzag(count)):
        index, at = varint_at(value, at)
        indices.append(zigzag(index))
    return schema, indices or [0], value[at:]


class Registry(Kafka):
    def messages(self, keys):
        cluster = self.cluster()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"kafka://{cluster.brokers}/t?format=protobuf{keys}")
        sent = [metric(number) for number in range(20)]
        self.sender(program).send_all(sent)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"]), (20, 20))
        return sent, [value for _, value in cluster.read("t")]

    def test_a_message_begins_with_the_number_of_its_schema(self):
        sent, values = self.messages("&schema_id=100002")
        self.assertEqual([registry_message(value) for value in values],
                         [(100002, [0], one) for one in sent])
        self.assertEqual(values[0][:6], bytes((0, 0, 1, 0x86, 0xa2, 0)))

    def test_the_place_of_the_message_in_its_file_follows(self):
        sent, values = self.messages("&schema_id=7:2.65")
        self.assertEqual([registry_message(value) for value in values],
                         [(7, [2, 65], one) for one in sent])

    def test_without_it_a_message_follows_its_length(self):
        sent, values = self.messages("")
        self.assertEqual(values, [bytes((len(one),)) + one for one in sent])

    def test_it_is_for_messages_of_one_record_in_protobuf(self):
        for keys, says in (("format=json&schema_id=1", "is for format=protobuf"),
                           ("format=protobuf&schema_id=1&per=block", "messages of one record")):
            said = self.refused("--listen", RIEMANN, "--sink", f"kafka://127.0.0.1:1/t?{keys}",
                                code=USAGE)
            self.assertIn(says, said)


class Killed(Kafka):
    def test_what_waits_for_a_broker_is_on_disk_when_the_program_is_killed(self):
        cluster = self.cluster()
        cluster.order("down")
        keys = f"&spill={self.folder}/spill"
        program = self.start_to(cluster, keys)
        self.sender(program).send_all([metric(number) for number in range(30)])
        wait_for_records(self.folder / "spill", 30)
        kill(program)
        cluster.order("up")
        program = self.start_to(cluster, keys)
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 30, "all arrives")
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["recovered"], sink["possible_duplicates"]), (30, 30))
        self.assertEqual(self.values(cluster), list(range(30)))


class NotWritten(Kafka):
    def test_what_is_denied_has_failed_and_the_rest_goes_on(self):
        cluster = self.cluster()
        cluster.order("deny 1")
        program = self.start_to(cluster)
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["failed"]["denied"] == 1,
                                "it was denied")
        # The library may remember the broker's refusal of the topic for a while.
        count = 1
        while program.ledger_now()["sinks"][0]["written"] == 0:
            sender.send_all([metric(count)])
            count += 1
            program.wait_for_settled(count)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"] + sink["failed"]["denied"], count)
        self.assert_balances(sink)
        self.assertEqual(self.values(cluster), list(range(count - sink["written"], count)))

    def test_without_a_broker_records_fail_when_their_time_is_over(self):
        cluster = self.cluster()
        cluster.order("down")
        program = self.start_to(cluster, "&timeout=1s")
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["failed"]["timeout_unsent"] == 20,
                                "their time is over")
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (0, 0))
        self.assert_balances(sink)
        cluster.order("up")
        self.assertEqual(self.values(cluster), [])

    def test_a_stop_while_a_broker_is_silent_leaves_what_was_sent_unknown(self):
        cluster = self.cluster()
        program = self.start_to(cluster, "", "--stop-timeout", "1s")
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 1,
                                "the first is written")
        cluster.order("rtt 60000")
        sender.send_all([metric(number) for number in range(1, 20)])
        program.wait_for_received(20)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], 1)
        self.assertEqual(sink["unknown"] + sum(sink["failed"].values()), 19)
        self.assertGreater(sink["unknown"], 0)
        self.assert_balances(sink)


class Refused(ProgramTest):
    def test_what_cannot_be_used_is_refused_at_the_start(self):
        secret = self.folder / "properties"
        secret.write_text("sasl.password=hidden\nlinger.ms=hidden\n")
        for sink, why in (
                ("kafka://127.0.0.1:1/t t", "not a topic"),
                ("kafka://127.0.0.1:1/%{source}", "begins no field"),
                ("kafka://127.0.0.1:1", "topic missing"),
                ("kafka://127.0.0.1:x/t", "not HOST:PORT"),
                ("kafka://user:hidden@127.0.0.1:1/t", "a user and a password"),
                ("kafka://user:1/hidden@127.0.0.1:1/t", "a user and a password"),
                ("kafka://user:x,hidden@127.0.0.1:1/t", "a user and a password"),
                *NATS_REFUSED,
                (f"kafka://127.0.0.1:1/t?properties_file={secret}", "properties:2: librdkafka does"),
                ("kafka://127.0.0.1:1/t?key=name", "key is"),
                ("kafka://127.0.0.1:1/t?headers=schema,x", "headers has no"),
                ("kafka://127.0.0.1:1/t?kafka.sasl.password=hidden", "sasl.password\" is a secret"),
                ("kafka://127.0.0.1:1/t?kafka.nonsense=1", "column 29: librdkafka does not know the property"),
                ("kafka://127.0.0.1:1/t?kafka.linger.ms=x", "does not accept this value of linger.ms"),
                ("kafka://127.0.0.1:1/t?kafka.acks=0", "acks cannot be set here"),
                ("kafka://127.0.0.1:1/t?credentials_file=x", "for a nats: sink")):
            with self.subTest(sink):
                said = self.refused("--listen", RIEMANN, "--sink", sink,
                                    code=CONFIGURATION if why in LATER else USAGE)
                self.assertIn(why, said)
                self.assertNotIn("hidden", said)


class Properties(Kafka):
    def test_a_property_reaches_the_library(self):
        cluster = self.cluster()
        program = self.start_to(cluster, "&kafka.linger.ms=1&kafka.message.max.bytes=1000")
        self.sender(program).send_all([metric(0), metric(1, "x" * 2000)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["too_large"]), (1, 1))

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_file_says_where_a_property_is_wrong_and_shows_those_that_are_right(self):
        file = self.folder / "sluice.yaml"
        text = ("listeners:\n- address: udp://127.0.0.1:0\n  schema: riemann\n"
                "sinks:\n- to: kafka://127.0.0.1:1/t\n  kafka.linger.ms: 7\n  key: source\n")
        file.write_text(text + "  kafka.linger.mz: 5\n")
        said = self.refused("--config", file, code=CONFIGURATION)
        self.assertIn(f"{file}:8:9: librdkafka does not know the property linger.mz", said)
        file.write_text(text + "  kafka.compression.level: 3\n")
        program, _ = self.run_to_end("--print-config", "--config", file, ledger=None)
        printed = b"".join(program.stdout.lines()).decode()
        self.assertIn("    kafka.linger.ms: 7 #", printed)
        self.assertIn("    kafka.compression.level: 3 #", printed)


if __name__ == "__main__":
    unittest.main()
