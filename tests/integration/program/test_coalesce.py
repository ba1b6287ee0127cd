"""Tests the pauses of a receiving thread (coalesce=), which strace shows. All records must be
written."""
import json
import re
import signal
import time
import unittest

from built import STOP_SIGNAL
from protobuf import gauge, metric
from sluice_program import BURST, CHANGED, RIEMANN, ProgramTest, read_lines, wait_until
from test_config import READS_FILES
from test_tcp import OK, TCP, Client, framed
from tracing import main, signal_traced, start_traced

# Pause between groups of 500 datagrams. At 10,000 datagrams a second, a traced or emulated thread
# processes a group before the next one comes.
PAUSE = 0.05

STREAM = "tcp://127.0.0.1:0?schema=telemetry&framing=length32"


class Coalesce(ProgramTest):
    def start_with(self, keys, sink_keys="", listener=RIEMANN):
        self.calls = self.folder / "calls"
        return start_traced(self, "clock_nanosleep", self.calls, "--listen", listener + keys,
                            "--sink", f"file:{self.folder / 'lines'}{sink_keys}")

    def rests(self):
        """The pauses of the program's threads, in nanoseconds."""
        return [int(seconds) * 10**9 + int(nanoseconds) for seconds, nanoseconds in
                re.findall(r"clock_nanosleep\(CLOCK_MONOTONIC, 0, {tv_sec=(\d+), tv_nsec=(\d+)}",
                           self.calls.read_text(encoding="utf-8"))]

    def send_until(self, program, reached, what):
        sender = self.sender(program)
        self.sent = 0

        def sent_more():
            for _ in range(500):
                sender.send(metric(1))
            self.sent += 500
            time.sleep(PAUSE)
            return reached()
        wait_until(sent_more, what)

    def end(self, program):
        signal_traced(program, STOP_SIGNAL)
        program.finish()

    def test_at_a_high_rate_a_thread_rests_for_as_long_as_it_may(self):
        # 7 ms is the maximum: a pause is shorter if the receive buffer would overflow.
        default, leave = 500000, 7000000
        program = self.start_with("&coalesce=7ms")
        self.send_until(program, lambda: any(rest > default for rest in self.rests()),
                        "a thread has rested for longer than it may by default")
        self.end(program)
        self.assertLessEqual(max(self.rests()), leave)

    def test_it_rests_no_longer_than_a_sink_lets_records_be_late(self):
        usual, allowed = 500000, 2000000
        program = self.start_with("", "?flush_interval=2ms")
        self.send_until(program, lambda: any(rest > usual for rest in self.rests()),
                        "a thread has rested for longer than usual")
        self.end(program)
        self.assertLessEqual(max(self.rests()), allowed)

    def test_where_no_record_may_be_late_rests_are_short(self):
        program = self.start_with("", "?flush_interval=0")
        self.send_until(program, lambda: len(self.rests()) > 10, "a thread has rested")
        self.end(program)
        self.assertLessEqual(max(self.rests()), 500000)

    def test_without_leave_none_rests(self):
        program = self.start_with("&coalesce=0")
        self.send_until(program, lambda: self.sent >= 20000, "all is sent")
        self.end(program)
        self.assertEqual(self.rests(), [])

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_says_anew_how_long_a_thread_may_rest(self):
        file, self.calls = self.folder / "sluice.yaml", self.folder / "calls"

        def configure(coalesce):
            file.write_text(json.dumps({
                "listeners": [f"{RIEMANN}&receivers=2&coalesce={coalesce}"],
                "sinks": [f"file:{self.folder / 'lines'}"]}), encoding="utf-8")
        configure("0")
        program = start_traced(self, "clock_nanosleep", self.calls, "--config", file)
        self.send_until(program, lambda: self.sent >= 5000, "all is sent")
        self.assertEqual(self.rests(), [])
        configure("7ms")
        signal_traced(program, signal.SIGHUP)
        wait_until(lambda: any(CHANGED in line for line in program.log()), "it was reloaded")
        self.send_until(program, lambda: any(rest > 500000 for rest in self.rests()),
                        "a thread has rested for longer than it may by default")
        self.end(program)
        self.assertLessEqual(max(self.rests()), 7000000)

    def stream_until(self, program, reached, what):
        """Sends frames one at a time over two connections. Returns the number sent over each."""
        clients = [Client(program) for _ in range(2)]
        for client in clients:
            self.addCleanup(client.socket.close)
        sent = 0

        def sent_more():
            nonlocal sent
            for number in range(sent, sent + 500):
                for name, client in zip("ab", clients):
                    client.send(framed(gauge(name, number)))
            sent += 500
            return reached(sent)
        wait_until(sent_more, what)
        return sent

    def assert_in_order(self, sent):
        values = {"a": [], "b": []}
        for line in read_lines(self.folder / "lines"):
            values[line["name"]].append(line["value"])
        self.assertEqual(values, {"a": list(range(sent)), "b": list(range(sent))})

    def test_a_thread_of_a_stream_rests_for_as_long_as_it_may(self):
        program = self.start_with("&receivers=2&coalesce=4ms", listener=STREAM)
        sent = self.stream_until(program, lambda _: any(rest > 500000 for rest in self.rests()),
                                 "a thread has rested for longer than usual")
        self.end(program)
        self.assertLessEqual(max(self.rests()), 4000000)
        self.assert_in_order(sent)

    def test_without_leave_no_thread_of_a_stream_rests(self):
        program = self.start_with("&coalesce=0", listener=STREAM)
        sent = self.stream_until(program, lambda sent: sent >= 5000, "all is sent")
        self.end(program)
        self.assertEqual(self.rests(), [])
        self.assert_in_order(sent)

    def test_who_waits_for_answers_is_not_kept_waiting(self):
        program = self.start_with("", listener=TCP)
        client = Client(program)
        self.addCleanup(client.socket.close)
        for number in range(2000):
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
        self.end(program)
        self.assertEqual(self.rests(), [])

    def test_what_comes_last_over_a_stream_is_written_though_nothing_follows(self):
        program = self.start("--listen", STREAM + "&receivers=2", "--sink", "stdout:")
        client = Client(program)
        self.addCleanup(client.socket.close)
        bursts = 30
        for burst in range(1, bursts + 1):
            for value in range(BURST):
                client.send(framed(gauge("a", value)))
            program.wait_for_lines(burst * BURST)
        self.assertEqual([line["value"] for line in program.output()],
                         list(range(BURST)) * bursts)
        self.assertEqual(program.stop()["sinks"][0]["written"], bursts * BURST)

    def test_what_comes_last_at_a_high_rate_is_written_though_nothing_follows(self):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:")
        sender = self.sender(program)
        bursts = 30
        for burst in range(1, bursts + 1):
            for value in range(BURST):
                sender.send(metric(value))
            # Without a request for the ledger, because that would wake the program.
            program.wait_for_lines(burst * BURST)
        self.assertEqual([line["value"] for line in program.output()],
                         list(range(BURST)) * bursts)
        self.assertEqual(program.stop()["sinks"][0]["written"], bursts * BURST)


if __name__ == "__main__":
    main()
