"""Tests signals while datagrams arrive: they stop the program, at once or gracefully, or request
its ledger."""
import os
import signal
import socket
import time
import unittest

from built import WINDOWS, not_on_windows
from ports import free_port
from protobuf import gauge, metric
from sluice_program import (RIEMANN, STOP_LIMIT, TELEMETRY, ProgramTest, is_still, parse_lines,
                            read_lines, settled, same_with_one_thread, wait_until)

FILLS_A_PIPE = 3000  # lines of more than 200 bytes, far more than the 64 KiB of a pipe


def numbered(number):
    return gauge("load", number, sender="load", boot=1, sequence=number)


class UnderLoad(ProgramTest):
    def stop(self, number):
        path = self.folder / "lines"
        program = self.start("--listen", TELEMETRY, "--sink", f"file:{path}")
        flood = self.flood(program, numbered)
        program.wait_for_settled(2000)
        began = time.monotonic()
        ledger = program.stop(number)
        self.assertLess(time.monotonic() - began, STOP_LIMIT)
        flood.end()

        lines = read_lines(path)  # fails if any line, also the last one, is incomplete
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(len(lines), sink["written"])
        self.assertEqual(sum(sink["failed"].values()), 0)
        self.assertEqual(listener["decoded"], sink["written"] + sum(sink["refused"].values()))
        values = [line["value"] for line in lines]
        self.assertEqual(values, sorted(set(values)))
        self.assertLessEqual(listener["received"] + listener["kernel_drops"] +
                             listener["refused_while_stopping"], flood.sent)
        # Sequence gaps are at most the kernel's drops before the last datagram. For Windows
        # programs, drops during the stop cannot be read.
        if not WINDOWS:
            self.assertLessEqual(listener["lost"], listener["kernel_drops"])

    @not_on_windows("it has no SIGTERM: Wine ends the process by it")
    def test_sigterm_drains_and_ends(self):
        self.stop(signal.SIGTERM)

    def test_sigint_drains_and_ends(self):
        self.stop(signal.SIGINT)

    def test_what_came_before_the_stop_is_received_and_written(self):
        """The datagrams and the signal arrive while the program is frozen, so it gets all of them
        together."""
        # The receive buffer can hold them. Under Wine it has the size that any user may request.
        count = 300 if WINDOWS else 4000
        file = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{file}")
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.freeze()
        for value in range(1, count):
            sender.send(metric(value))
        program.look_at_drops()
        program.ask_to_stop()
        program.send_signal(signal.SIGCONT)
        ledger = program.finish()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(listener["received"] + listener["kernel_drops"], count)
        self.assertEqual(listener["refused_while_stopping"], 0)
        self.assertEqual(sink["written"] + sum(sink["refused"].values()), listener["decoded"])
        values = [line["value"] for line in read_lines(file)]
        self.assertEqual(len(values), sink["written"])
        if listener["kernel_drops"] == 0 and sum(sink["refused"].values()) == 0:
            self.assertEqual(values, list(range(count)))

    def test_a_stop_without_a_single_datagram(self):
        program = self.start("--listen", RIEMANN)
        ledger = program.stop(limit=STOP_LIMIT)
        self.assertEqual(ledger["listeners"][0]["received"], 0)
        self.assertEqual(program.output(), [])


class Stalled(ProgramTest):
    """Standard output is a pipe that is not read while the program stops."""

    def stall(self, stop_timeout):
        self.reader, writer = os.pipe()
        program = self.start("--listen", f"udp://127.0.0.1:{free_port()}?schema=riemann",
                             "--stop-timeout", stop_timeout, stdout=writer)
        os.close(writer)
        self.addCleanup(os.close, self.reader)
        self.sender(program).send_all([metric(value) for value in range(FILLS_A_PIPE)])
        return program

    def check_what_was_written(self, ledger):
        sink = ledger["sinks"][0]
        with open(os.dup(self.reader), "rb") as pipe:
            data = pipe.read()
        # Only the last line of a stalled pipe may be incomplete.
        whole, _, torn = data.rpartition(b"\n")
        lines = parse_lines(whole + b"\n")
        self.assertEqual([line["value"] for line in lines], list(range(len(lines))))
        self.assertEqual(sink["written"], len(lines))
        self.assertEqual(sink["bytes"], len(data))
        self.assertGreater(sink["written"], 0)
        self.assertGreater(sink["failed"]["stop_timeout"], 0)
        self.assertEqual(sink["written"] + sink["failed"]["stop_timeout"], sink["queued"])
        self.assertEqual(ledger["listeners"][0]["decoded"], FILLS_A_PIPE)
        return torn

    def test_the_stop_is_over_when_stop_timeout_is(self):
        program = self.stall("300ms")
        began = time.monotonic()
        ledger = program.stop()
        self.assertGreaterEqual(time.monotonic() - began, 0.3)
        torn = self.check_what_was_written(ledger)
        if torn:
            program.wait_for_log("the last line is cut")

    def test_a_second_signal_does_not_wait(self):
        program = self.stall("1h")
        program.ask_to_stop()
        wait_until(lambda: self.is_free(program.port()), "the stop has closed the socket")
        self.assertIsNone(program.process.poll(), "it did not wait for its reader")
        began = time.monotonic()
        ledger = program.stop()
        self.assertLess(time.monotonic() - began, STOP_LIMIT)
        self.check_what_was_written(ledger)

    def is_free(self, port):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            try:
                other.bind(("127.0.0.1", port))
                return True
            except OSError:
                return False

    def test_a_reader_that_comes_in_time_gets_everything(self):
        program = self.stall("1h")
        program.ask_to_stop()
        with open(os.dup(self.reader), "rb") as pipe:
            lines = parse_lines(pipe.read())
        ledger = program.finish()
        self.assertEqual([line["value"] for line in lines], list(range(FILLS_A_PIPE)))
        self.assertEqual(ledger["sinks"][0]["written"], FILLS_A_PIPE)


class Ledger(ProgramTest):
    def test_sigusr1_prints_the_running_ledger_as_json(self):
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1), metric(2), b"\xff"])
        ledger = program.wait_for_ledger(
            lambda now: settled(now["sinks"][0]) == 2 and is_still(now["sinks"][0]),
            "two have their outcome")
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(listener["name"], program.names[0])
        self.assertEqual((listener["kind"], listener["schema"]), ("udp", "riemann"))
        self.assertEqual((listener["received"], listener["decoded"],
                          listener["reasons"]["malformed"]), (3, 2, 1))
        self.assertEqual((sink["name"], sink["written"], sink["in_flight"]), ("stdout:", 2, 0))
        self.assertNotIn("balances", ledger)
        program.stop()

    def test_sigusr1_prints_the_running_ledger_as_text(self):
        program = self.start("--listen", RIEMANN, ledger="text")
        sender = self.sender(program)
        sender.send(metric(1))
        sender.send(b"\xff")
        program.wait_for_output(1)
        program.wait_for_log("malformed: datagram of 1 bytes")

        def counted():  # a line may be read just before it is counted
            program.ask_for_ledger()
            return any(line.startswith("    lines 1, samples 1, bytes ") for line in program.said())

        wait_until(counted, "the line is in the ledger")
        program.wait_for_log(r"ledger after \d+\.\d s \(running\)$")
        program.stop()
        said = program.said()
        final = said[max(index for index, line in enumerate(said)
                         if line.startswith("ledger after")):]
        self.assertRegex(final[0], r"\Aledger after \d+\.\d s\Z")
        self.assertEqual(final[1:3] + final[4:7] + final[-1:], [
            f"  listener {program.names[0]} (riemann)",
            "    received 2 = decoded 1 + malformed 1",
            "  sink stdout:",
            "    offered 1 = queued 1",
            "    queued 1 = written 1 + in flight 0",
            "  balances: yes"])

    @same_with_one_thread
    def test_every_running_ledger_under_load_is_true(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}", "--sink",
                             f"file:{path}.messages?view=message")
        flood = self.flood(program, metric)
        for _ in range(100):
            program.ledger_now()  # checks the relations of a running ledger
        flood.end()
        program.wait_for_received(flood.sent)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["received"] +
                         ledger["listeners"][0]["kernel_drops"], flood.sent)


if __name__ == "__main__":
    unittest.main()
