"""Runs the program under strace, which records its system calls."""
import os
import pathlib
import shutil
import subprocess
import unittest

from built import command, skip
from sluice_program import SLUICE, Sluice


def start_traced(test, calls, path, *arguments, options=()):
    """Starts the program under strace, which writes these calls to the file at `path`. `options`
    are further options of strace.
    """
    program = Sluice.__new__(Sluice)
    program.watch(subprocess.Popen(
        ["strace", "-f", "-y", "-e", f"trace={calls}", "-o", path, *options,
         "--", *command(SLUICE, *arguments, "--ledger", "json",
                        "--duration", "60s")],  # ends the program if the test does not
        # The leak sanitizer cannot work under ptrace.
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    test.addCleanup(program.close)
    return program.wait_for_listeners()


def signal_traced(program, number):
    """Sends the signal to the traced program. strace itself would end."""
    tracer = program.process.pid
    children = pathlib.Path(f"/proc/{tracer}/task/{tracer}/children")
    pid, = children.read_text(encoding="ascii").split()
    os.kill(int(pid), number)


def can_trace():
    """Returns true if strace is installed and may trace."""
    return shutil.which("strace") is not None and subprocess.run(
        ["strace", "-e", "trace=none", "true"], capture_output=True, check=False).returncode == 0


def main():
    """Runs the tests of a script, or skips them if nothing can be traced."""
    if not can_trace():
        skip("no strace here that may trace")
    unittest.main()
