"""The programs under test, and their system.

From the environment: TEST_SYSTEM is that system, by CMake's name, and TEST_EMULATOR is the command
that starts its programs if they cannot be started directly: Wine. Programs for qemu are shell scripts that start
it. All scripts run on Linux; under Wine a program is a Linux process too, with Linux sockets and files.
"""
import os
import pathlib
import signal
import sys
import unittest

WINDOWS = os.environ.get("TEST_SYSTEM") == "Windows"
STATIC = os.environ.get("TEST_STATIC") == "1"  # with musl, whose messages have other words
EMULATOR = os.environ.get("TEST_EMULATOR", "").split()

# The signal that stops a program. On Windows programs stop on Ctrl-C, which Wine generates for
# SIGINT.
STOP_SIGNAL = signal.SIGINT if WINDOWS else signal.SIGTERM

# The table of tests that qemu cannot run ("" without qemu), and the machine that qemu emulates.
LEFT_OUT = os.environ.get("TEST_LEFT_OUT", "")
MACHINE = os.environ.get("TEST_MACHINE", "")
UNDER_QEMU = LEFT_OUT != ""

IO_ERROR = "I/O error" if STATIC else "Input/output error"
IN_USE = "Address in use" if STATIC else "Address already in use"
NO_DESCRIPTOR = "No file descriptors available" if STATIC else "Too many open files"

SKIPPED = 77  # exit code of a script that has no test to run here


def _left_out():
    """The reasons of this script's tests in the table LEFT_OUT (../left_out_qemu.txt), by their names."""
    reasons = {}
    script, reason = pathlib.Path(sys.argv[0]).stem, ""
    for line in pathlib.Path(LEFT_OUT).read_text(encoding="utf-8").splitlines() if LEFT_OUT else ():
        words = line.split()
        if line.startswith("why: "):
            reason = line.removeprefix("why: ")
        elif words[:1] == [script] and words[2:] in ([], [MACHINE]):
            reasons[words[1]] = reason
    return reasons


REASONS = _left_out()


def _run(test, result=None, run=unittest.TestCase.run):
    """Runs a test, unless the table LEFT_OUT names it."""
    name = test.id().split(".", 1)[1]  # without "__main__."
    reason = REASONS.get(name) or REASONS.get(name.split(".", maxsplit=1)[0])
    if reason:
        method = test._testMethodName  # pylint: disable=protected-access
        setattr(test, method, unittest.skip(reason)(lambda: None))
    return run(test, result)


if REASONS:
    unittest.TestCase.run = _run


class _Result(unittest.TextTestResult):
    """Prints the skipped tests at the end. ../report.py collects them from all scripts."""

    def printErrors(self):
        super().printErrors()
        for test, reason in self.skipped:
            self.stream.writeln(f"skipped {test}: {reason}")


unittest.TextTestRunner.resultclass = _Result


def skip(reason):
    """Ends a script that has no test to run here. The reason is its last line of output."""
    sys.stdout.flush()
    print(reason, file=sys.stderr)
    sys.exit(SKIPPED)


if "*" in REASONS:
    skip(REASONS["*"])


def command(program, *arguments):
    """The command that runs a program that was built."""
    return [*EMULATOR, str(program), *map(str, arguments)]


def beside(program, name):
    """The path of another program in the same folder."""
    program = pathlib.Path(program)
    return program.with_name(name + program.suffix)


# --- reasons to skip tests on Windows; left_out.py prints all of them -----------------------------

NO_BROKEN_PIPE = ("Wine does not report that a Linux pipe has no reader: "
                  "windows/test_output.py has pipes of Windows")
NO_CLOSED_STREAM = "programs there begin with handles, not with descriptors 0 to 2"
NO_DESCRIPTOR_FLAGS = "handles have no O_NONBLOCK there, and standard output is not a socket"
NO_DEV_STDIN = "no path is standard input there"
NO_FIFO = "named pipes have no names among files there"
NO_HTTP2 = "libcurl is built without HTTP/2, for which it asks only on real Windows"
NO_LIMIT = "processes have no limit of a file's size there"
NO_OTHER_USER = "--user is refused there: a service has an account"
NO_SANDBOX = "there is no --sandbox there: a service has an account"
NO_TERMINAL = "Wine has no console on a terminal of Linux"


def not_on_windows(reason):
    """Skips a test, or each test of a class, on Windows, and reports the reason."""
    return unittest.skipIf(WINDOWS, f"not on Windows: {reason}")


def nothing_on_windows(reason):
    """Skips all tests of the calling script on Windows, and reports the reason."""
    if WINDOWS:
        skip(f"not on Windows: {reason}")
