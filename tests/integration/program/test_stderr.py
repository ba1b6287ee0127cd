"""Standard error that is not read does not block the program."""
import fcntl
import os
import signal
import subprocess
import unittest

from built import STOP_SIGNAL, command, not_on_windows
from sluice_program import ANY_PORT, CAPTURES, DEADLINE, SLUICE, ProgramTest, parse_lines

CAPTURE = f"pcap:{CAPTURES / 'riemann_cli_v4.pcap'}?schema=riemann"


def full_pipe():
    reader, writer = os.pipe()
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    for size in (4096, 1):
        try:
            while True:
                os.write(writer, b"x" * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(writer, fcntl.F_SETFL, flags)
    return reader, writer


class FullStderr(ProgramTest):
    def run_with_full_stderr(self, signals):
        """Starts the program with a full stderr. Sends it the signals when it has written the
        capture."""
        reader, writer = full_pipe()
        self.addCleanup(os.close, reader)
        line = command(SLUICE, "--listen", ANY_PORT, "--listen", CAPTURE, "--sink",
                       "stdout:?view=message")
        program = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.kill)
        lines = [program.stdout.readline() for _ in range(30)]
        for number in signals:
            program.send_signal(number)
        self.assertEqual(program.wait(DEADLINE), 0)
        self.assertEqual(len(parse_lines(b"".join(lines))), 30)
        return reader

    def test_a_stop_ends_it(self):
        self.run_with_full_stderr([STOP_SIGNAL])

    @not_on_windows("it is asked for with the process's number, which only stderr tells")
    def test_a_ledger_that_is_asked_for_does_not_hang_it(self):
        self.run_with_full_stderr([signal.SIGUSR1, STOP_SIGNAL])

    def test_nothing_is_squeezed_in(self):
        reader = self.run_with_full_stderr([STOP_SIGNAL])
        with os.fdopen(os.dup(reader), "rb") as stream:
            self.assertEqual(set(stream.read()), {ord("x")})


if __name__ == "__main__":
    unittest.main()
