"""Sends orders to Windows programs, for which signals do not exist. A program that TEST_ORDERS
names forwards them and runs as long as the script. Starting `sluice ctl` for each would take a
tenth of a second under Wine."""
import atexit
import os
import subprocess

from built import command


class Orders:
    """The program that forwards orders. It is started for the first order."""

    def __init__(self):
        self._process = None

    def begin(self):
        if self._process is None:
            self._process = subprocess.Popen(command(os.environ["TEST_ORDERS"]),
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            atexit.register(self.close)

    def give(self, order, number):
        """Sends an order, "ledger" or "reload", to this process."""
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
