"""nats: sinks: what is written is in the stream, and the ledger says what became of the rest."""
import json
import unittest

from nats_server import NatsServer
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest

CONFIGURATION = 78


class Nats(ProgramTest):
    def server(self, **more):
        server = NatsServer(self)
        server.add_stream("S", "t.>", **more)
        return server

    def start_to(self, server, keys="", *options):
        return self.start("--listen", RIEMANN, "--sink",
                          f"nats://127.0.0.1:{server.port}/t.%{{schema}}"
                          f"?format=json&flush_interval=10ms{keys}", *options)

    def assert_balances(self, sink):
        self.assertEqual(sink["queued"],
                         sink["written"] + sink["filtered"] + sink["evicted"] + sink["unknown"] +
                         sum(sink["failed"].values()))

    def values(self, server):
        return [json.loads(line)["value"]
                for message in server.read("S") for line in message.splitlines()]


class Acknowledged(Nats):
    def test_records_come_in_blocks_in_their_order(self):
        server = self.server()
        program = self.start_to(server)
        self.sender(program).send_all([metric(number) for number in range(500)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (500, 0))
        self.assert_balances(sink)
        self.assertEqual(self.values(server), list(range(500)))
        self.assertLess(len(server.read("S")), 500)

    def test_per_record_each_is_a_message(self):
        server = self.server()
        program = self.start_to(server, "&per=record")
        self.sender(program).send_all([metric(number) for number in range(50)])
        self.assertEqual(program.stop()["sinks"][0]["written"], 50)
        self.assertEqual([json.loads(message)["value"] for message in server.read("S")],
                         list(range(50)))

    def test_a_server_that_was_killed_gets_the_rest_when_it_is_back(self):
        server = self.server()
        program = self.start_to(server)
        sender = self.sender(program)
        sender.send_all([metric(number) for number in range(100)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 100,
                                "the first are written")
        server.kill()
        sender.send_all([metric(number) for number in range(100, 200)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["queued"] == 200,
                                "the others are queued")
        server.start()
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["written"] + ledger["sinks"][0]["unknown"] == 200,
            "the others have their fate")
        sink = program.stop()["sinks"][0]
        self.assert_balances(sink)
        values = self.values(server)
        self.assertEqual(len(values), len(set(values)), "nothing is there twice")
        self.assertGreaterEqual(len(values), sink["written"])
        self.assertLessEqual(len(values), sink["written"] + sink["unknown"])


class NotWritten(Nats):
    def test_what_is_too_large_for_the_stream_has_failed(self):
        server = self.server(max_msg_size=10)
        program = self.start_to(server)
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["failed"]["too_large"] == 20,
                                "all are too large")
        sink = program.stop()["sinks"][0]
        self.assert_balances(sink)
        self.assertEqual(server.read("S"), [])

    def test_without_a_stream_records_fail_when_their_time_is_over(self):
        server = NatsServer(self)
        program = self.start_to(server, "&timeout=1s")
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["failed"]["timeout_unsent"] == 20,
            "their time is over")
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (0, 0))
        self.assert_balances(sink)

    def test_a_stop_while_a_server_is_silent_leaves_what_was_sent_unknown(self):
        server = self.server()
        program = self.start_to(server, "", "--stop-timeout", "1s")
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 1,
                                "the first is written")
        server.freeze()
        sender.send_all([metric(number) for number in range(1, 20)])
        program.wait_for_received(20)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], 1)
        self.assertEqual(sink["unknown"] + sum(sink["failed"].values()), 19)
        self.assertGreater(sink["unknown"], 0)
        self.assert_balances(sink)


class Refused(ProgramTest):
    def test_what_cannot_be_used_is_refused_at_the_start(self):
        secret = self.folder / "login"
        secret.write_text("user=hidden\n")
        for sink, why in (
                ("nats://127.0.0.1:1/a..b", "no subject"),
                ("nats://127.0.0.1:1/a.>", "no subject"),
                ("nats://127.0.0.1:1/a b", "no subject"),
                ("nats://127.0.0.1:1/%{source}", "begins no field"),
                (f"nats://127.0.0.1:1/t?credentials_file={secret}", "has neither"),
                ("nats://127.0.0.1:1/t?tls=on", "server_ca=")):
            with self.subTest(sink):
                said = self.refused("--listen", RIEMANN, "--sink", sink, code=CONFIGURATION)
                self.assertIn(why, said)
                self.assertNotIn("hidden", said)


if __name__ == "__main__":
    unittest.main()
