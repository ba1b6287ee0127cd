"""Tests readers of standard output that read only a few lines, or that begin late."""
import os
import time

from built import NO_BROKEN_PIPE, WINDOWS, not_on_windows
from capture_writing import write_capture
from protobuf import metric
from shell import ConsumerTest, main
from sluice_program import RIEMANN, STOP_LIMIT, parse_lines

MANY = 20000  # lines of more than 200 bytes, so that pipe and queues cannot hold all


class Head(ConsumerTest):
    """`sluice ... | head -5`: both end with zero, soon after the fifth line."""

    def assert_ended_well(self, program, began):
        ledger = program.finish()
        if began is not None:
            self.assertLess(time.monotonic() - began, STOP_LIMIT)
        self.assertEqual([line["value"] for line in program.output()], list(range(5)))
        self.assertEqual([line for line in program.log() if "listening on" not in line],
                         ["sluice: stdout: the reader has gone; this sink has ended"])
        return ledger["sinks"][0]

    def test_under_load(self):
        program = self.shell(f"sluice --listen '{RIEMANN}' | head -5")
        flood = self.flood(program, lambda number: metric(number - 1))
        self.assertTrue(program.stdout.wait_for(lambda lines: len(lines) == 5))
        self.assert_ended_well(program, time.monotonic())
        flood.end()

    @not_on_windows(NO_BROKEN_PIPE)
    def test_when_nothing_comes_any_more(self):
        program = self.shell(f"sluice --listen '{RIEMANN}' | head -5")
        self.sender(program).send_all([metric(value) for value in range(4)])
        self.sender(program).send(metric(4))
        sink = self.assert_ended_well(program, time.monotonic())
        self.assertEqual((sink["offered"], sink["written"]), (5, 5))

    def test_of_a_capture(self):
        path = self.folder / "many.pcap"
        write_capture(path, map(metric, range(MANY)))
        program = self.shell(f"sluice --listen 'pcap:{path}?schema=riemann' | head -5",
                             listeners=0)
        sink = self.assert_ended_well(program, None)
        lost = sink["failed"]["reader_gone"] + sink["refused"]["sink_ended"]
        # or the program has read less input
        self.assertTrue(lost > 0 or sink["offered"] < MANY, sink)


class Late(ConsumerTest):
    """`sluice ... | (sleep; cat)`: exactly the records that the ledger counts as lost are missing.
    """

    def start_late(self, *options):
        """The reader reads nothing until a word comes through the FIFO `told`; then it reads
        everything."""
        told = self.folder / "told"
        os.mkfifo(told)
        words = " ".join(("sluice", "--listen", f"'{RIEMANN}'", *options))
        return self.shell(f"{words} | (read -r go <'{told}'; cat)"), told

    def test_a_reader_that_comes_before_the_stop(self):
        options = ("--memory", self.least_memory("--listen", RIEMANN))
        program, told = self.start_late(*options)
        sender = self.sender(program)
        sender.send_all([metric(value) for value in range(MANY)])
        program.wait_for_log("stdout:.*refused [0-9]+ records")
        told.write_text("go\n", encoding="ascii")
        settled = program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["written"] == ledger["sinks"][0]["queued"],
            "all that was queued was read")["sinks"][0]
        sender.send_all([metric(value) for value in range(MANY, MANY + 100)], before=MANY)
        ledger = program.stop()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        values = [line["value"] for line in program.output()]
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual(values[-100:], list(range(MANY, MANY + 100)), "it has caught up")
        self.assertEqual(len(values), sink["written"])
        self.assertEqual(listener["decoded"] + listener["reasons"]["no_buffer"], MANY + 100)
        lost = sum(sink["refused"].values())
        self.assertEqual(lost, sum(settled["refused"].values()), "nothing after it came")
        self.assertGreater(lost, 0)
        self.assertEqual(len(values) + lost + listener["reasons"]["no_buffer"], MANY + 100)

    def test_a_reader_that_comes_after_the_stop(self):
        """The records that are still in the queues at the stop's time limit are missing. The others
        are complete."""
        program, told = self.start_late("--stop-timeout", "100ms")
        self.sender(program).send_all([metric(value) for value in range(3000)])
        program.ask_to_stop()
        self.assertTrue(program.stderr.wait_for(lambda _: program.ledgers()[-1]["final"]))
        told.write_text("go\n", encoding="ascii")
        ledger = program.finish()
        sink = ledger["sinks"][0]
        data = b"".join(program.stdout.lines())
        values = [line["value"] for line in parse_lines(data[:data.rfind(b"\n") + 1])]
        if WINDOWS:  # Wine cannot end a blocked write to a Linux pipe, so its bytes are not counted
            self.assertEqual(values, list(range(len(values))))
            self.assertGreaterEqual(len(values), sink["written"])
        else:
            self.assertEqual(values, list(range(sink["written"])))
        self.assertEqual(sink["written"] + sink["failed"]["stop_timeout"], 3000)
        self.assertGreater(sink["failed"]["stop_timeout"], 0)


if __name__ == "__main__":
    main("bash", "head", "cat")
