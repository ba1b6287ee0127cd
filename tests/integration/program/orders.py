"""Orders for programs of Windows, which have no signals for them: a program that TEST_ORDERS names
passes them on, and runs as long as the script. A start of `sluice ctl` for each takes Wine a tenth of
a second.
"""
import atexit
import os
import subprocess

from built import command


class Orders:
    """The program that passes them on, once it is needed."""

    def __init__(self):
        self._process = None

    def begin(self):
        if self._process is None:
            self._process = subprocess.Popen(command(os.environ["TEST_ORDERS"]),
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            atexit.register(self.close)

    def give(self, order, number):
        """An order, ledger or reload, to the process of that number."""
        self.begin()
        self._process.stdin.write(f"{order} {number}\n".encode())
        self._process.stdin.flush()
        answer = self._process.stdout.readline().decode().strip()
        if answer != "done":
            raise AssertionError(f"{order} of process {number}: {answer or 'no answer'}")

    def close(self):
        if self._process is not None:
            self._process.communicate(timeout=10)
            self._process = None
