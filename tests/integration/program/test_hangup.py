"""Tests what happens when the terminal in which the program was started is closed."""
import fcntl
import os
import pty
import signal
import termios
import unittest

from built import NO_TERMINAL, not_on_windows
from protobuf import metric
from sluice_program import RIEMANN, SLUICE, ProgramTest, read_lines, wait_until

CLOSED = "the terminal was closed"


@not_on_windows(NO_TERMINAL)
class Hangup(ProgramTest):
    def start_on_terminal(self, *words):
        """Starts the program with these words in a session on a terminal. Its standard error is a
        pipe, so that its ledger can be read. self.ours is the other end of the terminal."""
        self.ours, its = pty.openpty()
        self.path = self.folder / "out.ndjson"
        first, *others = *words, SLUICE, "--listen", RIEMANN, "--sink", f"file:{self.path}"
        program = self.start(*others, program=first, stdin=its, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(its, termios.TIOCSCTTY, 0))
        os.close(its)
        program.ask_for_ledger = lambda: os.kill(program.number, signal.SIGUSR1)
        self.source = self.sender(program)
        return program

    def check_it_goes_on(self, program):
        """Asserts that the program still receives. It handles all earlier signals before the
        request for a ledger."""
        program.ledger_now()
        self.source.send(metric(2))
        program.wait_for_received(2)
        self.assertNotIn(CLOSED, "".join(program.log()))

    def check_it_stopped(self, ledger, program):
        self.assertEqual(ledger["listeners"][0]["decoded"], ledger["sinks"][0]["written"])
        self.assertEqual(len(read_lines(self.path)), ledger["sinks"][0]["written"])
        self.assertEqual(len([line for line in program.log() if CLOSED in line]), 1)

    def test_stops_with_its_ledger(self):
        program = self.start_on_terminal()
        self.source.send_all([metric(value) for value in range(50)])
        os.close(self.ours)
        ledger = program.finish()
        self.assertEqual(ledger["listeners"][0]["received"], 50)
        self.check_it_stopped(ledger, program)

    def test_stops_in_the_foreground_of_a_shell_which_ends_first(self):
        program = self.start_on_terminal("sh", "-c", '"$@"; exit', "sh")
        self.source.send(metric(1))
        os.close(self.ours)
        self.check_it_stopped(program.finish(code=-signal.SIGHUP), program)

    def test_stops_in_the_background_of_a_shell_that_passes_the_signal_on(self):
        program = self.start_on_terminal(
            "bash", "-c", 'set -m; trap "kill -HUP %1; exit 3" HUP; "$@" & wait', "bash")
        self.source.send(metric(1))
        os.close(self.ours)
        self.check_it_stopped(program.finish(code=3), program)

    def test_does_not_stop_after_nohup(self):
        program = self.start_on_terminal("sh", "-c", 'trap "" HUP; exec "$@"', "sh")
        self.source.send(metric(1))
        os.close(self.ours)
        self.check_it_goes_on(program)
        program.stop()

    def test_a_signal_on_a_terminal_that_is_there_reopens_the_files(self):
        program = self.start_on_terminal(
            "bash", "-c", 'set -m; "$@" & read; kill -HUP %1; wait', "bash")
        self.source.send(metric(1))
        program.wait_for_settled(1)
        self.path.rename(self.folder / "moved")
        os.write(self.ours, b"\n")
        wait_until(self.path.exists, "the file was opened again")
        self.check_it_goes_on(program)
        os.kill(program.number, signal.SIGTERM)
        program.finish()
        self.assertEqual(len(read_lines(self.path)), 1)
        os.close(self.ours)

    def test_a_later_signal_reopens_the_files_of_a_background_job(self):
        """The shell and the terminal of the job have ended, and the program did not get a signal.
        """
        program = self.start_on_terminal("bash", "-c", 'set -m; "$@" & read', "bash")
        self.source.send(metric(1))
        os.write(self.ours, b"\n")
        program.process.wait()
        os.close(self.ours)
        program.wait_for_settled(1)
        self.path.rename(self.folder / "moved")
        os.kill(program.number, signal.SIGHUP)
        self.check_it_goes_on(program)
        os.kill(program.number, signal.SIGTERM)
        program.finish()
        self.assertEqual(len(read_lines(self.path)), 1)


if __name__ == "__main__":
    unittest.main()
