"""Tests rate_limit=, which limits how much each source may send. The expected counts are exact for
a capture. For a running program they depend on the measured time."""
import socket
import time
import unittest

from capture_writing import HEADER, record
from protobuf import metric
from sluice_program import BURST, RIEMANN, ProgramTest, dropped
from test_sources import CROWD, FEW, THE_FEW, Sources

RATE = 100
ABOVE_ALL = 10_000_000  # values of the source that sends too much begin here


def refused_by_reason(listener):
    return {reason: count for reason, count in listener["reasons"].items() if count}


class Limited(Sources):
    def send_many(self, program, source, values, ports=1):
        """Sends the values in bursts from one source without loss, alternating between its ports.
        Returns the time in seconds."""
        senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(ports)]
        for sender in senders:
            self.addCleanup(sender.close)
            sender.bind((source, 0))
        before = program.ledger_now()["listeners"][0]["received"]
        begin = time.monotonic()
        for start in range(0, len(values), BURST):
            part = values[start:start + BURST]
            for number, value in enumerate(part):
                senders[number % ports].sendto(metric(value), ("127.0.0.1", program.port()))
            program.wait_for_received(before + start + len(part))
        return time.monotonic() - begin

    def assert_within_rate(self, passed, seconds):
        """Asserts that at least the records of one second pass, and at most those of one second
        plus the measured time."""
        self.assertGreaterEqual(passed, RATE)
        self.assertLessEqual(passed, RATE + seconds * RATE)


class Crowd(Limited):
    def test_of_a_crowd_one_network_passes_and_of_its_loud_one_what_it_may_send(self):
        """10,000 sources, of which 250 are allowed. One of these sends 20 times its limit."""
        letters = self.folder / "dead.pcapng"
        program = self.start("--listen", RIEMANN + f"&allow={THE_FEW}&rate_limit={RATE}",
                             "--dead-letter", f"file:{letters}")
        loud = FEW[100]
        others = [source for source in CROWD if source != loud]
        sent = range(ABOVE_ALL, ABOVE_ALL + 20 * RATE)
        self.send_from_all(program, others[:5000])
        seconds = self.send_many(program, loud, sent)
        for start in range(5000, len(others), BURST):
            part = others[start:start + BURST]
            for number, source in enumerate(part):
                self.send_from(program, source, metric(start + number))
            program.wait_for_received(len(sent) + start + len(part))
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual(dropped(listener), 0)
        self.assertEqual(listener["received"], len(others) + len(sent))

        lines = program.output()
        quiet = [line for line in lines if line["value"] < ABOVE_ALL]
        passed = [line["value"] for line in lines if line["value"] >= ABOVE_ALL]
        self.assertEqual([line["source"].rpartition(":")[0] for line in quiet],
                         [source for source in FEW if source != loud])
        self.assertEqual({line["source"].rpartition(":")[0] for line in lines} - {loud},
                         set(FEW) - {loud})
        self.assertEqual(passed[:RATE], list(sent[:RATE]))
        self.assertEqual(passed, sorted(set(passed)))
        self.assert_within_rate(len(passed), seconds)
        self.assertEqual(listener["decoded"], len(FEW) - 1 + len(passed))
        self.assertEqual(refused_by_reason(listener),
                         {"source_denied": len(CROWD) - len(FEW),
                          "rate_limited": len(sent) - len(passed)})
        self.assertEqual(ledger["dead_letters"]["offered"], 0)


class OneSource(Limited):
    def test_it_may_send_again_when_a_second_is_over(self):
        program = self.start("--listen", RIEMANN + f"&rate_limit={RATE}")
        begin = time.monotonic()
        self.send_many(program, "127.0.0.9", range(3 * RATE))
        ledger = program.ledger_now()
        first = ledger["listeners"][0]["decoded"]
        # The limit uses the clock, so wait until a second is over.
        time.sleep(1.1)
        self.send_many(program, "127.0.0.9", range(3 * RATE))
        seconds = time.monotonic() - begin
        listener = program.stop()["listeners"][0]
        self.assertGreaterEqual(listener["decoded"] - first, RATE)
        self.assert_within_rate(listener["decoded"], seconds)
        self.assertEqual(refused_by_reason(listener),
                         {"rate_limited": 6 * RATE - listener["decoded"]})

    def test_its_ports_and_our_sockets_make_no_difference(self):
        program = self.start("--listen", RIEMANN + f"&rate_limit={RATE}&receivers=4")
        seconds = self.send_many(program, "127.0.0.9", range(10 * RATE), ports=50)
        listener = program.stop()["listeners"][0]
        self.assert_within_rate(listener["decoded"], seconds)
        self.assertEqual(refused_by_reason(listener),
                         {"rate_limited": 10 * RATE - listener["decoded"]})

    def test_each_listener_has_a_limit_of_its_own(self):
        program = self.start("--listen", RIEMANN + "&rate_limit=1", "--listen", RIEMANN,
                             listeners=2)
        for listener in range(2):
            sender = self.sender(program, listener)
            sender.send_all([metric(number) for number in range(50)])
        limited, free = program.stop()["listeners"]
        self.assertGreater(limited["reasons"]["rate_limited"], 0)
        self.assertEqual(limited["decoded"] + limited["reasons"]["rate_limited"], 50)
        self.assertEqual(free["decoded"], 50)

    def test_it_is_reported_as_other_refusals_are(self):
        program = self.start("--listen", RIEMANN + "&rate_limit=1")
        self.send_many(program, "127.0.0.1", range(50))
        self.check_refusals_are_reported(program, program.stop(), "rate_limited",
                                     r"\d+ bytes from 127\.0\.0\.1:\d+")


class Captured(ProgramTest):
    def test_a_capture_is_limited_by_its_own_time(self):
        """For ten seconds: seven records a second from a host that may send three, and two from
        another host."""
        path = self.folder / "capture.pcap"
        path.write_bytes(HEADER + b"".join(
            record(second, metric(second), host=host)
            for second in range(10) for host in (1, 1, 5, 1, 1, 1, 5, 1, 1)))
        program, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann&rate_limit=3")
        listener = ledger["listeners"][0]
        self.assertEqual(refused_by_reason(listener), {"rate_limited": 40})
        came_from = [line["source"].rpartition(":")[0] for line in program.output()]
        self.assertEqual(came_from, ["10.0.0.1", "10.0.0.1", "10.0.0.5", "10.0.0.1",
                                     "10.0.0.5"] * 10)


class Wrong(ProgramTest):
    def test_a_limit_that_is_none_is_refused(self):
        for value in ("0", "1000001", "100/s", "fast"):
            said = self.refused("--listen", RIEMANN + f"&rate_limit={value}", "--check", code=64)
            self.assertIn(f'rate_limit "{value}"', said)

    def test_its_memory_is_of_the_budget(self):
        def least(listen):
            return int(self.least_memory("--listen", listen).removesuffix("KiB"))
        more = least(RIEMANN + "&rate_limit=5") - least(RIEMANN)
        self.assertGreaterEqual(more, 512)
        self.assertLess(more, 520)


if __name__ == "__main__":
    unittest.main()
