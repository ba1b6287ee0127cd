"""Tests a server that is unreachable for seconds under load. With a spill no record may be missing
afterwards. Without one, exactly those may be missing that the ledger counts as lost.

The environment variable TEST_OUTAGE is the number of seconds, and of records a second. Windows does
not count the kernel's drops, so there the rate is one that a busy machine can handle."""
import os
import re
import subprocess
import time
import unittest

from built import WINDOWS, command
from http_store import Store
from ports import free_port
from sluice_program import RIEMANN, SANITIZED, ProgramTest
from spill_reading import has_sent_all

TEST_SEND = os.environ["TEST_SEND"]
SECONDS, RATE = map(int, os.environ.get("TEST_OUTAGE",
                                        "2 3000" if SANITIZED or WINDOWS else "3 20000").split())
COUNT = SECONDS * RATE
LIMIT = 45 + 2 * SECONDS  # seconds until all records must have arrived

VALUE = re.compile(rb'"value":(\d+)')


class Far(Store):
    """Keeps the numbers that arrived, and counts those that came after a larger one, or again."""

    def __init__(self, port):
        self.numbers = set()
        self.late = self.again = 0
        self.last = -1
        super().__init__(port=port)

    def keep(self, request, taken):
        for number in map(int, VALUE.findall(request.body)):
            self.late += number < self.last
            self.again += number in self.numbers
            self.last = number
            self.numbers.add(number)


class Outage(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()

    def deliver(self, keys, *arguments):
        return self.start("--listen", RIEMANN, "--sink",
                          f"http://127.0.0.1:{self.port}/write?format=json&flush_interval=100ms"
                          f"{keys}", "--stop-timeout", "30s", *arguments)

    def send(self, program, count):
        """Sends records. Their numbers begin with 0 in each call."""
        subprocess.run(command(TEST_SEND, "--to", f"udp://127.0.0.1:{program.port()}", "--schema",
                               "riemann", "--count", count, "--rate", RATE),
                       check=True, stderr=subprocess.DEVNULL, timeout=LIMIT)

    def far(self):
        far = Far(self.port)
        self.addCleanup(far.close)
        return far

    def wait_until(self, otherwise, holds, program):
        until = time.monotonic() + LIMIT
        while not holds(program.ledger_now()["sinks"][0]):
            self.assertLess(time.monotonic(), until, otherwise)
            time.sleep(0.1)

    def wait_until_all_is_settled(self, program):
        self.wait_until("what lies in the spill does not end", has_sent_all, program)

    def test_with_a_spill_nothing_is_missing_and_all_is_in_its_order(self):
        spill = self.folder / "spill"
        program = self.deliver(f"&in_flight=1&spill={spill}")
        self.send(program, COUNT)
        sink = program.ledger_now()["sinks"][0]
        self.assertGreater(sink["spilled"], COUNT // 2)
        far = self.far()
        self.wait_until_all_is_settled(program)
        ledger = program.stop()
        sink = ledger["sinks"][0]
        received = ledger["listeners"][0]["received"]
        self.assertEqual(received + ledger["listeners"][0]["kernel_drops"], COUNT)
        self.assertEqual((sink["written"], len(far.numbers)), (received, received))
        self.assertEqual((far.late, far.again, sink["possible_duplicates"]), (0, 0, 0))
        self.assertEqual(sorted(path.name for path in spill.iterdir()), ["ack", "lock"])

    def test_without_one_what_is_missing_is_what_the_ledger_says(self):
        """An answer may take a third of the timeout, even on a busy machine."""
        program = self.deliver("&timeout=4500ms", "--memory", "34MiB")
        self.send(program, COUNT)
        self.wait_until("none is given up", lambda sink: sink["failed"]["timeout_unsent"], program)
        far = self.far()
        self.wait_until_all_is_settled(program)
        ledger = program.stop()
        sink = ledger["sinks"][0]
        lost = sum(sink["failed"].values()) + sum(sink["refused"].values())
        received = ledger["listeners"][0]["received"]
        self.assertEqual(sink["unknown"], 0)
        self.assertEqual(received - len(far.numbers), lost)
        self.assertEqual((sink["written"], far.again), (len(far.numbers), 0))


if __name__ == "__main__":
    unittest.main()
