"""Tests `http:` sinks with servers that answer badly or not at all: only the records that the
ledger counts may be lost."""
import time
import unittest

from http_store import CLOSE, CLOSE_EARLY, NO_ANSWER, Store
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, read_lines


class BadAnswers(ProgramTest):
    def deliver(self, step, keys="", count=1):
        """The sink's ledger after one block with this answer. Later blocks are acknowledged."""
        store = Store(step)
        self.addCleanup(store.close)
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}?flush_interval=20ms&in_flight=1{keys}")
        self.sender(program).send_all([metric(value) for value in range(count)])
        program.wait_for_settled(count)
        sink = program.stop()["sinks"][0]
        self.lines = [line for line in program.log() if "not delivered" in line]
        return sink

    def assert_unknown(self, step, keys=""):
        sink = self.deliver(step, keys)
        self.assertEqual((sink["written"], sink["unknown"]), (0, 1))
        self.assertEqual(len(self.lines), 1)

    def assert_written(self, step, keys=""):
        sink = self.deliver(step, keys)
        self.assertEqual((sink["written"], sink["unknown"]), (1, 0))
        self.assertEqual(self.lines, [])

    def test_nonsense_is_no_answer(self):
        for answer in (b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 100, b"\r\n\r\n", b"HTTP/9.9\r\n\r\n",
                       bytes(range(256)) * 100):
            with self.subTest(answer=answer[:20]):
                self.assert_unknown(answer)

    def test_so_is_half_of_one(self):
        for answer in (b"H", b"HTTP/1.1", b"HTTP/1.1 20"):
            with self.subTest(answer=answer):
                self.assert_unknown(answer)

    def test_a_connection_that_ends(self):
        for step in (CLOSE, CLOSE_EARLY):
            with self.subTest(step=step):
                self.assert_unknown(step)

    def test_a_server_that_never_answers(self):
        self.assert_unknown(NO_ANSWER, "&timeout=600ms")
        self.assertRegex(self.lines[0], "timed out")

    def test_an_answer_that_was_cut_acknowledges_nothing(self):
        for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc",
                       b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                       b"HTTP/1.1 200 OK\r\nX-Part: a",
                       b"HTTP/1.1 204 None\r\nX-Whole: a\r\n"):
            with self.subTest(answer=answer):
                self.assert_unknown(answer)

    def test_one_that_refuses_counts_by_its_status(self):
        sink = self.deliver(b"HTTP/1.1 403 No\r\nContent-Length: 1000\r\n\r\nabc")
        self.assertEqual(sink["failed"]["denied"], 1)

    def test_headers_without_end_are_no_answer_and_are_not_read_on(self):
        for status in (b"200 OK", b"403 No"):
            with self.subTest(status=status):
                begin = time.monotonic()
                self.assert_unknown(b"HTTP/1.1 " + status + b"\r\n" +
                                    (b"X: " + b"a" * 1000 + b"\r\n") * 3000)
                self.assertIn("longer than 256 KiB", self.lines[0])
                self.assertLess(time.monotonic() - begin, 8)

    def test_what_is_said_on_the_way_is_no_answer(self):
        self.assert_written(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                            b"HTTP/1.1 204 None\r\n\r\n")
        self.assert_unknown(b"HTTP/1.1 100 Continue\r\n\r\n")

    def test_an_answer_without_end_is_not_read_on(self):
        begin = time.monotonic()
        for keys in ("", "&format=otlp"):
            self.assert_written(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n" +
                                b"x" * 3000000, keys)
        # The time limit here is a third of timeout=, 10 s.
        self.assertLess(time.monotonic() - begin, 8)

    def test_a_refusal_is_reported_on_one_short_line_without_controls(self):
        sink = self.deliver((400, {}, b"no\x1b[31m " + b"x" * 5000 + b"\nmore"))
        self.assertEqual(sink["failed"]["rejected"], 1)
        self.assertEqual(len(self.lines), 1)
        self.assertIn("the server answered 400: no?[31m xxx", self.lines[0])
        self.assertLess(len(self.lines[0]), 400)

    def test_wishes_to_be_left_alone_that_make_no_sense(self):
        for wish in ("-5", "", "soon", "1e9", "99999999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "0x10", "\xff"):
            with self.subTest(wish=wish):
                sink = self.deliver((429, {"Retry-After": wish}))
                self.assertEqual(sink["written"], 1)

    def test_a_wish_that_is_too_long_ends_with_the_blocks_time(self):
        for wish in ("3600", "Fri, 31 Dec 9999 23:59:59 GMT"):
            with self.subTest(wish=wish):
                sink = self.deliver((429, {"Retry-After": wish}), "&timeout=400ms")
                self.assertEqual((sink["written"], sink["failed"]["timeout_unsent"]), (0, 1))


class Away(ProgramTest):
    def test_a_name_that_cannot_be_looked_up_holds_up_nobody(self):
        other = self.folder / "other"
        name = "x" * 70  # a label may have 63 characters, so no name server is asked
        program = self.start("--listen", RIEMANN, "--sink", f"file:{other}", "--sink",
                             f"http://{name}/?flush_interval=20ms&timeout=500ms")
        self.sender(program).send_all([metric(value) for value in range(500)])
        program.wait_for_settled(500)
        file, sink = program.stop()["sinks"]
        self.assertEqual((file["written"], len(read_lines(other))), (500, 500))
        self.assertEqual(sink["failed"]["timeout_unsent"], 500)
        self.assertRegex("\n".join(program.log()), "(?i)could not resolve host.*; trying again")

    def test_nobody_listens(self):
        store = Store()
        store.close()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}?flush_interval=20ms&timeout=500ms")
        self.sender(program).send(metric(1))
        program.wait_for_settled(1)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["failed"]["timeout_unsent"], 1)
        # Attempts follow after 100 ms, and after 200 ms more.
        self.assertIn(sink["write_errors"], (2, 3))


if __name__ == "__main__":
    unittest.main()
