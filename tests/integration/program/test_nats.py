"""Tests `nats:` sinks: written records are in the stream, and the ledger has the outcome of the
others."""
import json
import ssl
import unittest

from certificates import OPENSSL, Authority
from control_client import ControlClient
from nats_operator import USER, Key, NatsOperator
from nats_server import NatsServer
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest
from spill_reading import kill, wait_for_records

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
            "the others have their outcome")
        sink = program.stop()["sinks"][0]
        self.assert_balances(sink)
        values = self.values(server)
        self.assertEqual(len(values), len(set(values)), "nothing is there twice")
        self.assertGreaterEqual(len(values), sink["written"])
        self.assertLessEqual(len(values), sink["written"] + sink["unknown"])


class Killed(Nats):
    def test_what_a_server_does_not_answer_is_on_disk_when_the_program_is_killed(self):
        server = self.server()
        keys = f"&spill={self.folder}/spill"
        program = self.start_to(server, keys)
        server.freeze()
        self.sender(program).send_all([metric(number) for number in range(30)])
        wait_for_records(self.folder / "spill", 30)
        kill(program)
        server.kill()
        server.start()
        program = self.start_to(server, keys)
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 30, "all arrives")
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["recovered"], sink["possible_duplicates"]), (30, 30))
        self.assertEqual(self.values(server), list(range(30)))


    def test_what_a_lost_connection_does_not_answer_is_sent_again_at_once_and_in_its_order(self):
        server = self.server()
        program = self.start_to(server, f"&timeout=10m&spill={self.folder}/spill")
        sender = self.sender(program)
        server.freeze()
        sender.send_all([metric(number) for number in range(30)])
        wait_for_records(self.folder / "spill", 30)
        sender.send_all([metric(number) for number in range(30, 60)], before=30)
        server.kill()
        server.start()
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 60, "all arrives")
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["unknown"], 0)
        self.assertEqual(self.values(server), list(range(60)))


class TooLarge(Nats):
    def assert_only_large_ones_fail(self, server, padding, keys=""):
        """Every 100th record has a host of `padding` bytes, which is too large for a message."""
        program = self.start_to(server, keys)
        self.sender(program).send_all(
            [metric(number, host="h" * padding if number % 100 == 50 else "h")
             for number in range(1000)])
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["written"] +
            ledger["sinks"][0]["failed"]["too_large"] == 1000, "all have their outcome")
        sink = program.stop()["sinks"][0]
        self.assert_balances(sink)
        self.assertEqual((sink["queued"], sink["written"], sink["failed"]["too_large"]),
                         (1000, 990, 10))
        self.assertEqual(sorted(self.values(server)),
                         [number for number in range(1000) if number % 100 != 50])

    def test_a_stream_with_a_limit_gets_all_but_what_is_larger(self):
        self.assert_only_large_ones_fail(self.server(max_msg_size=1200), 2000)

    def test_with_a_spill_too(self):
        self.assert_only_large_ones_fail(self.server(max_msg_size=1200), 2000,
                                         f"&spill={self.folder}/spill&fsync=always")

    def test_a_server_with_a_limit_gets_all_but_what_is_larger(self):
        server = NatsServer(self, "max_payload: 4096")
        server.add_stream("S", "t.>")
        self.assert_only_large_ones_fail(server, 6000)


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

    def test_without_headers_records_fail_for_certain_and_the_log_says_why(self):
        server = NatsServer(self, "no_header_support: true")
        server.add_stream("S", "t.>")
        program = self.start_to(server, "&timeout=1s")
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["failed"]["timeout_unsent"] == 20,
            "their time is over")
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (0, 0))
        self.assert_balances(sink)
        self.assertIn("no_header_support", "\n".join(program.log()))

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


class Secrets(Nats):
    def login(self, text):
        file = self.folder / "login"
        file.write_text(text)
        return f"&credentials_file={file}"

    def assert_written(self, server, keys):
        server.add_stream("S", "t.>")
        program = self.start_to(server, keys)
        self.sender(program).send_all([metric(number) for number in range(20)])
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], 20, program.log())
        self.assertEqual(self.values(server), list(range(20)))
        self.assertNotIn("hidden", "\n".join(program.log()))

    def assert_not_written(self, server, keys, why):
        program = self.start_to(server, keys + "&timeout=1s")
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["failed"]["timeout_unsent"] == 20,
            "their time is over")
        self.assert_balances(program.stop()["sinks"][0])
        said = "\n".join(program.log())
        self.assertIn(why, said)
        self.assertNotIn("hidden", said)


class Logins(Secrets):
    """Credentials are in a file, and none of them is shown."""

    def test_a_user_and_a_password(self):
        server = NatsServer(self, 'authorization { user: me, password: hidden }',
                            login={"user": "me", "pass": "hidden"})
        self.assert_written(server, self.login("user=me\npassword=hidden\n"))

    def test_a_token(self):
        server = NatsServer(self, 'authorization { token: hidden }', login={"auth_token": "hidden"})
        self.assert_written(server, self.login("token=hidden\n"))

    def test_a_wrong_token_is_reported(self):
        server = NatsServer(self, 'authorization { token: right }', login={"auth_token": "right"})
        self.assert_not_written(server, self.login("token=hidden\n"), "Authentication Violation")

    @unittest.skipIf(OPENSSL is None, "needs openssl")
    def test_an_nkey_and_its_seed(self):
        key, other = Key(self.folder, USER), Key(self.folder, USER)
        server = NatsServer(self, "authorization { users: [ {user: admin, password: a}, "
                            f"{{nkey: {key.public}}} ] }}", login={"user": "admin", "pass": "a"})
        seed = self.folder / "seed"
        seed.write_text(key.seed() + "\n")
        self.assert_written(server, self.login(f"nkey={key.public}\nseed_file={seed}\n"))
        seed.write_text(other.seed() + "\n")
        self.assert_not_written(server, self.login(f"nkey={key.public}\nseed_file={seed}\n"),
                                "Auth")

    @unittest.skipIf(OPENSSL is None, "needs openssl")
    def test_a_file_of_nsc(self):
        who = NatsOperator(self.folder)
        server = NatsServer(self, who.config())
        # The account has no streams, so this answer proves that the login worked.
        self.assert_not_written(server, f"&credentials_file={who.credentials('hidden')}",
                                "no stream takes this subject")

    @unittest.skipIf(OPENSSL is None, "needs openssl")
    def test_a_file_of_nsc_of_somebody_else_is_reported(self):
        server = NatsServer(self, NatsOperator(self.folder).config())
        other = NatsOperator(self.folder)
        self.assert_not_written(server, f"&credentials_file={other.credentials('hidden')}",
                                "Authentication Violation")

    def test_a_subject_that_the_server_denies_is_denied(self):
        server = NatsServer(self, 'authorization { users: [ {user: admin, password: a},'
                            ' {user: me, password: hidden, permissions: {publish: {deny: "t.>"}}} ] }',
                            login={"user": "admin", "pass": "a"})
        server.add_stream("S", "t.>")
        control = f"unix:{self.folder / 'control'}"
        program = self.start_to(server, self.login("user=me\npassword=hidden\n"),
                                "--control", control)
        client = ControlClient(control)
        self.addCleanup(client.close)
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["failed"]["denied"] == 20,
                                "they are denied")
        figures = client.ask("levels")["sinks"][0]["figures"]
        self.assertEqual(figures["messages_in_flight"], 0)
        self.assert_balances(program.stop()["sinks"][0])
        self.assertIn("Permissions Violation", "\n".join(program.log()))


@unittest.skipIf(OPENSSL is None, "needs openssl")
class Tls(Secrets):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)
        self.cert, self.key = self.authority.issue("server")

    def secure(self, verify=False):
        context = ssl.create_default_context(cafile=self.authority.cert)
        context.check_hostname = False
        if verify:
            context.load_cert_chain(*self.authority.issue("client"))
        return NatsServer(self, f'tls {{ cert_file: "{self.cert}", key_file: "{self.key}", '
                          f'ca_file: "{self.authority.cert}", verify: {str(verify).lower()} }}',
                          tls=context)

    def test_a_server_whose_certificate_is_right(self):
        self.assert_written(self.secure(), f"&tls=on&server_ca={self.authority.cert}")

    def test_a_server_that_wants_our_certificate(self):
        server = self.secure(verify=True)
        cert, key = self.authority.issue("us")
        self.assert_written(server, f"&tls=on&server_ca={self.authority.cert}&client_cert={cert}"
                            f"&client_key={key}")

    def test_our_certificate_and_its_key_in_one_file(self):
        server = self.secure(verify=True)
        cert, key = self.authority.issue("us")
        both = self.folder / "both.pem"
        both.write_bytes(cert.read_bytes() + key.read_bytes())
        self.assert_written(server, f"&tls=on&server_ca={self.authority.cert}&client_cert={both}")

    def test_without_our_certificate_such_a_server_is_not_written_to(self):
        self.assert_not_written(self.secure(verify=True),
                                f"&tls=on&server_ca={self.authority.cert}", "cannot connect")

    def test_a_server_of_another_authority_is_not_written_to(self):
        other = Authority(self.folder, "other")
        self.assert_not_written(self.secure(), f"&tls=on&server_ca={other.cert}", "SSL")

    def test_a_server_with_a_certificate_of_another_name_is_not_written_to(self):
        server = self.secure()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"nats://localhost:{server.port}/t.x?format=json&flush_interval=10ms"
                             f"&timeout=1s&tls=on&server_ca={self.authority.cert}")
        self.sender(program).send_all([metric(0)])
        program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["failed"]["timeout_unsent"] == 1, "its time is over")
        program.stop()
        self.assertIn("cannot connect", "\n".join(program.log()))


class Refused(ProgramTest):
    def test_what_cannot_be_used_is_refused_at_the_start(self):
        secret = self.folder / "login"
        secret.write_text("user=hidden\n")
        for sink, why in (
                ("nats://127.0.0.1:1/a..b", "not a subject"),
                ("nats://127.0.0.1:1/a.>", "not a subject"),
                ("nats://127.0.0.1:1/a b", "not a subject"),
                ("nats://127.0.0.1:1/%{source}", "begins no field"),
                (f"nats://127.0.0.1:1/t?credentials_file={secret}", "must have either"),
                ("nats://127.0.0.1:1/t?tls=on", "server_ca=")):
            with self.subTest(sink):
                said = self.refused("--listen", RIEMANN, "--sink", sink, code=CONFIGURATION)
                self.assertIn(why, said)
                self.assertNotIn("hidden", said)
        self.assertIn("client_key requires client_cert=FILE", self.refused(
            "--listen", RIEMANN, "--sink", "nats://127.0.0.1:1/t?tls=on&client_key=x", code=64))


if __name__ == "__main__":
    unittest.main()
