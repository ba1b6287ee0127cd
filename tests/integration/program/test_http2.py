"""Tests `https:` sinks over HTTP/2. Requests that the server certainly did not process are sent
again and counted. The outcome of other unanswered requests is unknown."""
import ssl
import subprocess
import unittest

from built import NO_HTTP2, command, nothing_on_windows
from certificates import OPENSSL, Authority
from http2_store import (BROKEN, GO_AWAY, GO_AWAY_AND_END, REFUSE, STORE_AND_CANCEL, STORE_AND_END,
                         STORE_AND_GO_AWAY, STORE_AND_RESET, TAKEN, Http2Store)
from metrics_client import MetricsClient, labels
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest

nothing_on_windows(NO_HTTP2)
VERSION = subprocess.run(command(SLUICE, "--version"), capture_output=True, timeout=DEADLINE,
                         check=True).stdout


@unittest.skipIf(OPENSSL is None, "needs openssl")
class Http2(ProgramTest):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)
        self.certificate = self.authority.issue("server")

    def start_with(self, *script, keys=""):
        """A store that answers by this script, and a program with a sink to it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate)
        store = Http2Store(context, *script)
        self.addCleanup(store.close)
        program = self.start("--metrics", "127.0.0.1:0", "--listen", RIEMANN, "--sink",
                             f"https:{store.place}?format=json{keys}"
                             f"&server_ca={self.authority.cert}")
        return store, program

    def deliver(self, *script):
        """Sends three records, each in its own block. Returns the sink's ledger, the store, and
        the number of repeated requests."""
        store, program = self.start_with(*script, keys="&flush_interval=20ms&in_flight=1")
        sender = self.sender(program)
        for value in range(3):
            sender.send(metric(value))
            program.wait_for_settled(value + 1)
        label = labels(sink=f"https:{store.place}")
        repeated = MetricsClient(program).numbers()["sluice_sink_request_retries_total", label]
        return program.stop()["sinks"][0], store, repeated

    def test_what_was_not_looked_at_is_sent_again(self):
        for step in (REFUSE, GO_AWAY, GO_AWAY_AND_END):
            for before in ([], [TAKEN], [TAKEN, TAKEN]):
                with self.subTest(step=step, before=len(before)):
                    sink, store, repeated = self.deliver(*before, step)
                    self.assertEqual((sink["written"], sink["unknown"]), (3, 0))
                    self.assertEqual((store.requests, repeated), (4, 1))
                    self.assertEqual(len(set(store.lines())), 3)
                    self.assertEqual(len(store.lines()), 3)
                    self.assertEqual(sink["possible_duplicates"], 0)

    def test_also_where_that_happens_twice(self):
        sink, store, repeated = self.deliver(TAKEN, REFUSE, GO_AWAY)
        self.assertEqual((sink["written"], sink["unknown"]), (3, 0))
        self.assertEqual((store.requests, repeated), (5, 2))

    def test_also_of_several_streams_at_a_time(self):
        """The server announces that it will close the connection. libcurl reports this for only one
        of the requests."""
        steps = [REFUSE if at % 5 == 4 else GO_AWAY if at % 7 == 6 else TAKEN for at in range(150)]
        store, program = self.start_with(*steps, keys="&flush_interval=1ms&in_flight=4")
        sender = self.sender(program)
        for value in range(300):
            sender.send(metric(value))
            program.wait_for_received(value + 1)
        program.wait_for_settled(300)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["unknown"]), (300, 0))
        self.assertEqual(sorted(store.lines()), sorted(set(store.lines())))
        self.assertEqual(len(store.lines()), 300)

    def test_what_the_server_may_have_is_unknown(self):
        for step in (STORE_AND_GO_AWAY, STORE_AND_CANCEL, STORE_AND_END, STORE_AND_RESET):
            for before in ([], [TAKEN]):
                with self.subTest(step=step, before=len(before)):
                    sink, store, repeated = self.deliver(*before, step)
                    self.assertEqual((sink["written"], sink["unknown"]), (2, 1))
                    self.assertEqual((store.requests, repeated), (3, 0))
                    self.assertEqual(len(store.lines()), 3)

    def test_an_answer_that_is_none_of_http2_is_no_refusal(self):
        """Each answer also comes on a connection with an earlier good one, where libcurl accepts it
        as an answer. libcurl 8 uses some of these connections for the next request, and then does
        not read the answer to that one."""
        steps = [step for broken in BROKEN for step in (broken, TAKEN, broken)]
        store, program = self.start_with(*steps, keys="&flush_interval=1ms&in_flight=1")
        sender = self.sender(program)
        for value in range(len(steps)):
            sender.send(metric(value))
            program.wait_for_settled(value + 1)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"] + sink["unknown"], len(steps))
        if b"\nhttp: libcurl 7." in VERSION:
            self.assertEqual(sink["written"], len(BROKEN))
        self.assertGreaterEqual(sink["unknown"], 2 * len(BROKEN))
        self.assertGreater(sink["written"], len(BROKEN) // 2)
        self.assertEqual(store.requests, len(steps))
        self.assertEqual(len(set(store.lines())), len(steps))
        self.assertEqual(len(store.lines()), len(steps))


if __name__ == "__main__":
    unittest.main()
