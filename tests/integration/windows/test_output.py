"""Standard output is a Windows pipe. Such a pipe shows when its reader has closed it."""
import os
import subprocess
import unittest

from built import command
from drive import on_drive
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest, Sluice, read_lines


class Piped(Sluice):
    """A run of the program whose standard output is a Windows pipe. Reads this number of lines from
    it."""

    def __init__(self, lines, *arguments):
        self.watch(subprocess.Popen(
            command(os.environ["TEST_PIPES"], "read", lines, on_drive(SLUICE), *arguments,
                    "--ledger", "json"),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def ask_to_stop(self):
        """Does not use Ctrl-C, which the program's parent would also receive."""
        subprocess.run(command(SLUICE, "ctl", "stop", self.number), timeout=DEADLINE, check=True,
                       stdin=subprocess.DEVNULL)


class Reader(ProgramTest):
    def start_piped(self, lines, *arguments):
        program = Piped(lines, "--listen", RIEMANN, *arguments)
        self.addCleanup(program.close)
        return program.wait_for_listeners()

    def test_every_line_comes(self):
        program = self.start_piped(2000)
        self.sender(program).send_all([metric(value, host="x" * (value % 300))
                                       for value in range(2000)])
        sink = program.finish()["sinks"][0]
        self.assertEqual([line["value"] for line in program.output()], list(range(2000)))
        self.assertEqual(sink["written"], 2000)
        self.assertNotIn(b"\r", b"".join(program.stdout.lines()))

    def test_a_reader_that_goes_without_a_word_ends_the_program(self):
        program = self.start_piped(0)
        program.finish()  # without a datagram
        program.wait_for_log("the reader has gone")

    def test_a_reader_that_takes_one_line_and_goes_ends_the_program(self):
        program = self.start_piped(1)
        self.sender(program).send(metric(1))
        self.assertEqual(program.wait_for_output(1)[0]["value"], 1)
        program.finish()  # without another datagram
        program.wait_for_log("the reader has gone")

    def test_where_another_sink_is_left_the_program_goes_on(self):
        file = self.folder / "lines"
        program = self.start_piped(1, "--sink", "stdout:", "--sink", f"file:{file}")
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_log("the reader has gone")
        sender.send_all([metric(value) for value in range(1, 300)], before=1)
        sinks = program.stop()["sinks"]
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(300)))
        self.assertEqual(sinks[0]["written"], 1)
        self.assertEqual(sinks[0]["refused"]["sink_ended"] + sinks[0]["failed"]["reader_gone"],
                         299)
        self.assertEqual(sinks[1]["written"], 300)

    def test_with_on_epipe_stop_the_program_ends_and_the_other_sink_is_drained(self):
        file = self.folder / "lines"
        program = self.start_piped(200, "--sink", "stdout:?on_epipe=stop",
                                   "--sink", f"file:{file}?flush_interval=1h")
        self.sender(program).send_all([metric(value) for value in range(200)])
        ledger = program.finish()
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(200)))
        self.assertEqual([sink["written"] for sink in ledger["sinks"]], [200, 200])


if __name__ == "__main__":
    unittest.main()
