"""Tests a sink with a spill while one allocation fails, during a delivery and during a reload.

SLUICE is a program that is linked with tests/support/platform/failing_memory.h. Failures at the
start are tested by ../../unit/sinks/test_delivery_memory.c."""
import contextlib
import json
import unittest

from control_client import ControlClient
from http_store import Store
from ports import free_port
from protobuf import metric
from failing_memory import NEVER, FailingMemoryTest
from sluice_program import CHANGED, RIEMANN, SANITIZED, wait_until
from test_config import READS_FILES

TRIED = 10 if SANITIZED else 25  # number of failing allocations that each test tries


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class MemoryShort(FailingMemoryTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.file = self.folder / "sluice.yaml"
        self.address = f"unix:{self.folder}/control"
        self.sent = 0

    def sample(self, count):
        return range(1, count + 1, max(1, count // TRIED))

    def write(self, timeout):
        """A configuration whose sink differs only in timeout=, so that the sink is replaced."""
        sink = (f"http://127.0.0.1:{self.port}/write?format=influx&compress=gzip&in_flight=2"
                f"&flush_interval=10ms&spill={self.folder / 'spill'}&timeout={timeout}s")
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({"listeners": [RIEMANN], "sinks": [sink],
                                   "control": self.address, "stop-timeout": "2s"}),
                       encoding="utf-8")
        new.replace(self.file)

    def begin(self):
        self.write(20)
        program = self.start("--config", self.file, env=self.environment)
        self.client = ControlClient(self.address)
        self.addCleanup(self.client.close)
        self.input = self.sender(program)
        return program

    def sum(self, term):
        """The sum of a term over all sinks. Repeats the request while memory is too short for an
        answer."""
        ledger = {"error": None}
        while "error" in ledger:
            ledger = self.client.ask("ledger")
        return sum(sink[term] for sink in ledger["sinks"])

    def send(self, count=3):
        for number in range(self.sent, self.sent + count):
            self.input.send(metric(number))
        self.sent += count

    def wait_until_written(self, number):
        wait_until(lambda: self.sum("written") == self.sent,
                   f"all {self.sent} are written, when allocation {number} had failed")

    def some_wait_on_disk(self):
        """Sends a record. Returns True when some records are stored on disk: the number of blocks
        in flight is limited, and they do not count."""
        self.send(1)
        return self.sum("spilled") > 0 or self.left() == 0

    def outage(self, number=0):
        """Sends records while the far end is unreachable. When it is back, they are sent from the
        disk."""
        before = self.sum("write_errors")
        self.send(1)
        wait_until(lambda: self.sum("write_errors") > before, "it was tried")
        wait_until(self.some_wait_on_disk, "they are stored")
        with contextlib.closing(Store(port=self.port)):
            self.send()
            self.wait_until_written(number)

    def test_while_it_delivers(self):
        """All received records are written, whichever allocation fails."""
        program = self.begin()
        self.outage()
        self.fail_at(NEVER)
        self.outage()
        for number in self.sample(NEVER - self.left()):
            self.fail_at(number)
            self.outage(number)
            self.fail_at(0)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["spilled"]), (self.sent, 0))

    def reload(self, program, timeout):
        """Returns whether the new configuration was accepted."""
        def taken():
            return sum(CHANGED in line for line in program.log())
        before = taken()
        self.write(timeout)
        program.ask_to_reload()
        wait_until(lambda: self.left() == 0 or taken() > before, "it was read or memory was short")
        if self.left() == 0:
            self.sum("queued")  # waits for the reload, because the answer comes after it
        return taken() > before

    def test_at_a_reload_that_hands_the_spill_over(self):
        """Either the old sink continues, or the new sink gets all blocks in the spill."""
        program = self.begin()
        self.send()
        self.fail_at(NEVER)
        self.assertTrue(self.reload(program, 21))
        count = NEVER - self.left()
        self.fail_at(0)
        for turn, number in enumerate(self.sample(count)):
            self.send()
            self.fail_at(number)
            self.reload(program, 22 + turn)
            self.fail_at(0)
        with contextlib.closing(Store(port=self.port)):
            self.wait_until_written("one after the other")
        ledger = program.stop()
        self.assertEqual(sum(sink["written"] for sink in ledger["sinks"]), self.sent)
        self.assertEqual(sum(sink["spilled"] for sink in ledger["sinks"]), 0)


if __name__ == "__main__":
    unittest.main()
