"""Tests captures that another program writes while they are read, like `tcpdump -w` into a pipe."""
import os
import signal
import threading
import time
import unittest

from built import NO_DEV_STDIN, STOP_SIGNAL, WINDOWS, not_on_windows
from capture_writing import HEADER, record
from live_pipe import LivePipe
from protobuf import metric
from sluice_program import (CAPTURES, RIEMANN, STOP_LIMIT, ProgramTest, parse_lines, read_lines,
                            wait_until)
from test_captures import capture_url, truth

URL = "?port=5555&schema=riemann"


class LiveTest(ProgramTest):
    """A test with a pipe at `self.path` and its writer `self.pipe`."""

    def setUp(self):
        super().setUp()
        self.live = LivePipe(self.folder)
        self.addCleanup(self.live.close)
        self.path = self.live.path
        self.url = f"pcap:{self.path}{URL}"

    def open_pipe(self):
        """Waits until the program has opened the pipe, and becomes its writer."""
        self.pipe = self.live.open()
        return self.pipe

    def launch_reader(self, *arguments, written=b"", **more):
        program = self.launch("--listen", self.url, *arguments, **more)
        self.open_pipe().write(written)
        return program

    def launch_without_writer(self, *arguments, **more):
        """Starts the program and returns when it has opened the FIFO, so that no later signal is
        lost.

        A Windows pipe has a writer, which does not write."""
        program = self.launch("--listen", self.url, *arguments, **more)
        if WINDOWS:
            self.open_pipe()
            return program
        folder = f"/proc/{program.process.pid}/fd"

        def has_opened():
            for name in os.listdir(folder):
                try:
                    if os.readlink(f"{folder}/{name}") == self.path:
                        return True
                except FileNotFoundError:
                    pass  # closed by the program
            return False

        wait_until(has_opened, "it opens the FIFO")
        return program

    def stop_in_time(self, program, received, number=STOP_SIGNAL):
        began = time.monotonic()
        ledger = program.stop(number)
        self.assertLess(time.monotonic() - began, STOP_LIMIT)
        self.assertEqual([line for line in program.log()
                          if not line.startswith("sluice: listening on ")], [])
        self.assertEqual(ledger["listeners"][0]["received"], received)
        self.assertEqual(ledger["sinks"][0]["written"], received)
        return ledger


class Reading(LiveTest):
    def test_a_capture_is_read_as_from_a_file(self):
        name = "riemann_cli_v4"
        program = self.launch_reader("--sink", "stdout:?view=message&names=proto",
                                     written=(CAPTURES / f"{name}.pcap").read_bytes())
        self.pipe.close()
        program.finish()
        self.assertEqual([line["message"] for line in program.output()],
                         [line["message"] for line in truth(name)])

    @not_on_windows(NO_DEV_STDIN)
    def test_standard_input(self):
        reader, writer = os.pipe()
        program = self.launch("--listen", f"pcap:/dev/stdin{URL}", stdin=reader)
        os.close(reader)
        with open(writer, "wb", buffering=0) as pipe:
            for number in range(3):
                pipe.write((b"" if number else HEADER) + record(number, metric(number)))
                program.wait_for_output(number + 1)
        program.finish()
        self.assertEqual([line["value"] for line in program.output()], [0, 1, 2])

    def test_a_record_of_a_paused_capture_is_written_without_further_traffic(self):
        """Also if the pause begins inside the next record, where a writer's buffer may end."""
        whole, begun = record(0, metric(1)), record(1, metric(2))
        program = self.launch_reader(written=HEADER + whole + begun[:40])
        self.assertEqual(program.wait_for_output(1)[0]["value"], 1)
        self.pipe.write(begun[40:])
        self.assertEqual(program.wait_for_output(2)[1]["value"], 2)
        self.pipe.close()
        program.finish()

    def test_a_pause_hands_on_everything_though_a_sink_is_busy(self):
        """Standard output is full, so records are collected to be offered together. The wait must
        end."""
        count = 1000
        file = self.folder / "lines"
        reader, writer = os.pipe()
        program = self.launch_reader("--sink", "stdout:", "--sink", f"file:{file}", stdout=writer)
        os.close(writer)
        self.pipe.write(HEADER + b"".join(record(number, metric(number))
                                          for number in range(count)))
        wait_until(lambda: file.exists() and file.read_bytes().count(b"\n") == count,
                   "all is in the file")
        if not WINDOWS:  # after the end of the capture, Windows programs cannot be asked
            self.assertLess(program.ledger_now()["sinks"][0]["written"], count)
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(count)))
        self.pipe.close()
        with open(reader, "rb") as pipe:
            self.assertEqual(len(parse_lines(pipe.read())), count)
        program.finish()

    def test_garbage(self):
        program = self.launch_reader(written=bytes(range(256)))
        ledger = program.finish(code=65)
        self.assertEqual(len(program.log()), 1)
        self.assertIn(f"{self.path}: is neither pcap nor pcapng", program.log()[0])
        self.assertEqual(program.output(), [])
        self.assertEqual(ledger["listeners"][0]["received"], 0)

    def test_garbage_does_not_end_the_other_listeners(self):
        program = self.launch("--listen", RIEMANN, "--listen", self.url)
        self.open_pipe().write(b"no capture")
        program.wait_for_listeners().wait_for_log("is neither pcap nor pcapng")
        self.sender(program).send(metric(1))
        program.wait_for_output(1)
        program.stop(code=65)


class Stopping(LiveTest):
    def test_without_a_writer(self):
        for number in sorted({STOP_SIGNAL, signal.SIGINT}):
            with self.subTest(signal=number):
                self.stop_in_time(self.launch_without_writer(), 0, number)

    def test_a_silent_writer(self):
        program = self.launch_reader(written=HEADER)
        self.stop_in_time(program, 0)

    def test_a_writer_silent_after_some_records(self):
        program = self.launch_reader(written=HEADER + record(0, metric(1)) + record(1, metric(2)))
        program.wait_for_output(2)
        self.stop_in_time(program, 2)

    def test_a_writer_silent_within_a_record_has_damaged_nothing(self):
        program = self.launch_reader(written=HEADER + record(0, metric(1)) + b"\0" * 8)
        program.wait_for_output(1)
        self.stop_in_time(program, 1)

    def test_a_writer_of_other_traffic_that_never_pauses(self):
        program = self.launch_reader(written=HEADER)
        others = record(0, metric(1), port=53) * 1000
        with self.assertRaises(BrokenPipeError):
            for turn in range(10 ** 9):
                self.pipe.write(others)
                if turn == 100:
                    program.ask_to_stop()
                    began = time.monotonic()
                if turn > 100 and time.monotonic() - began > STOP_LIMIT:
                    break
        ledger = program.finish(limit=STOP_LIMIT)
        self.assertGreater(ledger["listeners"][0]["other"], 0)

    def test_beside_a_socket(self):
        program = self.launch("--listen", RIEMANN, "--listen", self.url).wait_for_listeners()
        self.sender(program).send(metric(1))
        program.wait_for_output(1)
        self.stop_in_time(program, 1)

    def test_duration(self):
        program = self.launch_without_writer("--duration", "100ms")
        program.finish(limit=STOP_LIMIT)

    def test_max_datagrams_ends_a_capture_that_stays_open(self):
        program = self.launch_reader("--max-datagrams", 3, written=HEADER + b"".join(
            record(number, metric(number)) for number in range(10)))
        ledger = program.finish(limit=STOP_LIMIT)
        self.assertEqual(ledger["listeners"][0]["received"], 3)
        self.assertEqual([line["value"] for line in program.output()], [0, 1, 2])

    def test_max_datagrams_of_another_listener_ends_a_wait(self):
        # The program may end before it opens this FIFO, so the test does not wait for that.
        self.live.put(HEADER)
        program = self.launch("--listen", self.url, "--listen", capture_url("riemann_cli_v4"),
                              "--max-datagrams", 7)
        ledger = program.finish(limit=STOP_LIMIT)
        self.assertEqual(sum(counts["received"] for counts in ledger["listeners"]), 7)


@not_on_windows("a pipe is for one reader, so nothing can look at it before")
class Check(LiveTest):
    def check(self):
        program, _ = self.run_to_end("--check", "--listen", self.url, ledger=None)
        self.assertEqual(program.said(), ["sluice: the configuration is valid"])

    def test_a_fifo_without_a_writer_is_not_waited_for(self):
        self.check()

    def test_what_is_in_the_fifo_is_left_to_the_next_reader(self):
        with open(self.path, "r+b", buffering=0) as both:
            both.write(HEADER)
            self.check()
            self.assertEqual(both.read(100), HEADER)

    def test_a_writer_goes_on_waiting_for_its_reader(self):
        """A check that opened the FIFO would release the writer, which would then have no reader.
        """
        opened = threading.Event()

        def write():
            with open(self.path, "wb", buffering=0) as pipe:
                opened.set()
                pipe.write(HEADER + record(0, metric(1)))

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        self.check()
        self.assertFalse(opened.is_set())
        program = self.launch("--listen", self.url)
        program.finish()
        self.assertEqual([line["value"] for line in program.output()], [1])
        writer.join(STOP_LIMIT)


if __name__ == "__main__":
    unittest.main()
