"""command: sinks with commands of cmd.exe. They start the tests' actor program."""
import os
import pathlib
import time
import unittest

from drive import on_drive
from protobuf import metric
from sluice_program import RIEMANN, STOP_LIMIT, ProgramTest, read_lines, wait_until

ACTOR = on_drive(os.environ["TEST_ACTOR"])
IO_ERROR = 74


def processes_with(text):
    """The arguments of all processes that contain this text, except those of the program."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if any(text in word for word in words) and "--listen" not in words:
            found.append(words)
    return found


class Commands(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "lines"
        self.to_file = on_drive(self.path)

    def start_command(self, command, *arguments):
        return self.start("--listen", RIEMANN, "--sink", f"command:{command}", *arguments)

    def test_what_is_received_is_read_by_the_command_in_order_and_all_of_it(self):
        program = self.start_command(f"{ACTOR} cat >{self.to_file}")
        self.sender(program).send_all([metric(value) for value in range(300)])
        program.wait_for_settled(300)  # the actor reads byte by byte
        sink = program.stop()["sinks"][0]
        self.assertEqual([line["value"] for line in read_lines(self.path)], list(range(300)))
        self.assertEqual((sink["written"], sink["restarts"]), (300, 0))
        self.assertEqual(sink["bytes"], self.path.stat().st_size)

    def test_what_a_slow_one_has_not_read_at_the_deadline_has_failed_exactly(self):
        program = self.start_command(f"{ACTOR} cat >{self.to_file}", "--sink", "stdout:",
                                     "--stop-timeout", "100ms")
        self.sender(program).send_all([metric(value) for value in range(2000)])
        sink = program.stop()["sinks"][0]
        self.assertGreater(sink["failed"]["stop_timeout"], 0)
        self.assertEqual(sink["written"] + sink["failed"]["stop_timeout"], 2000)
        read = b"".join(program.stdout.lines())[:sink["bytes"]]
        self.assertEqual(len(read), sink["bytes"])
        self.assertEqual(sink["written"], read.count(b"\n"))
        # A byte that the command has read but not written when it is ended counts as read.
        self.assertIn(self.path.read_bytes(), (read, read[:-1]))

    def test_it_is_a_command_of_the_shell(self):
        second = self.folder / "a b"
        program = self.start_command(f'{ACTOR} cat | {ACTOR} cat >"{on_drive(second)}" && '
                                     f"{ACTOR} out:after >{self.to_file}")
        self.sender(program).send_all([metric(1)])
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(second)], [1])
        self.assertEqual(self.path.read_bytes(), b"after")

    def test_what_the_command_writes_goes_to_stderr_and_never_to_stdout(self):
        program = self.start_command(f"{ACTOR} errline:to-stderr out:to-stdout errline: drain",
                                     "--sink", "stdout:")
        self.sender(program).send(metric(1))
        program.wait_for_output(1)
        program.wait_for_log("to-stdout")
        program.wait_for_log("to-stderr")
        program.stop()
        self.assertEqual(len(program.output()), 1)

    def test_a_reload_ends_it_when_it_has_read_all_and_starts_another(self):
        program = self.start_command(f"{ACTOR} cat >>{self.to_file}")
        sender = self.sender(program)
        for value in range(3):
            sender.send_all([metric(value * 100 + index) for index in range(100)], value * 100)
            program.wait_for_settled((value + 1) * 100)
            program.ask_to_reload()
            program.wait_for_log("was restarted", value + 1)
        sink = program.stop()["sinks"][0]
        self.assertEqual([line["value"] for line in read_lines(self.path)], list(range(300)))
        self.assertEqual((sink["written"], sink["restarts"]), (300, 3))

    def test_one_that_ends_is_reported_and_started_again(self):
        program = self.start_command(f"{ACTOR} read:1 exit:3")
        self.sender(program).send_all([metric(value) for value in range(10)])
        program.wait_for_log("ended with exit code 3, .*; restarting it in 100 ms")
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["restarts"] > 0,
                                "it was started again")
        program.wait_for_settled(10)
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        self.assertEqual(sink["written"] + sink["failed"]["command_ended"], 10)
        self.assertGreater(sink["failed"]["command_ended"], 0)

    def test_one_that_never_reads_is_ended_at_the_stop(self):
        program = self.start_command(f"{ACTOR} sleep", "--stop-timeout", "300ms")
        self.sender(program).send_all([metric(value) for value in range(500)])
        began = time.monotonic()
        sink = program.stop()["sinks"][0]
        self.assertLess(time.monotonic() - began, 0.3 + STOP_LIMIT)
        self.assertEqual((sink["written"], sink["failed"]["stop_timeout"]), (0, 500))

    def test_one_that_has_read_all_and_does_not_end_is_ended_with_all_that_it_started(self):
        never = on_drive(self.folder / "never")
        program = self.start_command(f'{ACTOR} "spawn:await:{never}" drain sleep',
                                     "--stop-timeout", "300ms")
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        wait_until(lambda: len(processes_with(f"await:{never}")) > 1, "it has started another")
        began = time.monotonic()
        self.assertEqual(program.stop()["sinks"][0]["written"], 1)
        self.assertLess(time.monotonic() - began, 0.3 + STOP_LIMIT)
        self.assertEqual(processes_with(f"await:{never}"), [])

    def test_a_command_that_is_not_there_is_reported(self):
        program = self.start_command("no-such-program-here")
        self.sender(program).send_all([metric(value) for value in range(20)])
        program.wait_for_log("ended with exit code")
        program.wait_for_settled(20)
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["command_ended"]), (0, 20))


if __name__ == "__main__":
    unittest.main()
