"""Tests the program while one of its allocations fails: at the start, at the stop, or in between.

To be quick, only a sample of the allocations is tried. With the environment variable
TEST_EVERY_ALLOCATION=1, each is tried. SLUICE is a program that is linked with
../../support/platform/failing_memory.h."""
import contextlib
import json
import os
import struct
import time
import unittest

from control_client import ControlClient
from metrics_client import MetricsClient
from protobuf import metric
from failing_memory import NEVER, FailingMemoryTest
from sealing import AUTHENTICATED, Key, Session, write_keys
from sluice_program import CHANGED, DEADLINE, check_final_ledger, wait_until
from test_config import READS_FILES
from test_reload import REFUSED
from test_tcp import OK, Client, framed

SEALED = os.environ.get("TEST_SODIUM") == "1"
EVERY = os.environ.get("TEST_EVERY_ALLOCATION") == "1"
TRIED = 12  # number of allocations that are tried in each phase, unless all are


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class MemoryShort(FailingMemoryTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "sluice.yaml"
        self.address = f"unix:{self.folder}/control"
        self.key = Key("sealed")

    # The failing allocation.

    def failed(self):
        """The number of allocations that have failed so far."""
        return struct.unpack_from("=Q", self.shared, 8)[0]

    def sample(self, count):
        """Numbers of allocations from 1 to `count`, and a few beyond."""
        return range(1, count + 3, 1 if EVERY else max(1, count // TRIED))

    # The configuration.

    def write(self, number=0):
        """Writes configuration 0 or 1, which use every feature."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        letters = f"file:{out}/letters.pcapng?rate=100"
        config = {
            "control": self.address, "metrics": "127.0.0.1:0", "dead-letter": letters,
            "ledger": "json", "stop-timeout": "2s",
            "listeners": [
                "udp://127.0.0.1:0?schema=riemann",
                f"udp://127.0.0.1:0?schema=telemetry&rate_limit={100 + number}"
                "&allow=127.0.0.0/8",
                *self.sealed(number),
                f"udp://127.0.0.{1 + number}:0?schema=riemann&receivers=2"
                "&spread=datagram",
                f"tcp://127.0.0.1:0?schema=riemann&receivers=2&max_connections={50 + 50 * number}"
                f"&max_frame={64 + 64 * number}KiB&idle_timeout={60 + number}s",
                f"tcp://127.0.0.{1 + number}:0?schema=telemetry&framing=length16&receivers=2"
                "&max_frame=16KiB&max_connections=10",
            ],
            "sinks": [
                "stdout:", f"file:{out}/plain?exclude=none*", f"command:cat >{out}/command",
                f"file:{out}/%H-%{{source}}.csv?format=csv",
                f"file:{out}/rotated.{number}.gz?compress=gzip&rotate_interval=1h",
                f"file:{out}/{number}.pcap?format=pcap",
            ]}
        new = self.folder / "new.yaml"
        new.write_text(json.dumps(config), encoding="utf-8")
        new.replace(self.file)

    def sealed(self, number):
        """A listener for sealed datagrams, with a key that both configurations contain."""
        if not SEALED:
            return []
        keys = self.folder / "keys"
        write_keys(keys, self.key, *[Key(f"key{more}") for more in range(40 * number)])
        return [f"udp://127.0.0.1:0?schema=riemann&framing=sealed&keys={keys}"
                f"&state={self.folder}/state"]

    def run_with(self, *arguments):
        return self.launch("--config", self.file, *arguments, ledger=None, env=self.environment)

    # The resulting state.

    def finish(self, program, number):
        """Waits for the program's end: 0 with a ledger that balances, or 70 with one line that
        gives the reason, or 78 if the memory of --memory cannot be allocated."""
        self.assertIn(program.process.wait(DEADLINE), (0, 70, 78), self.told(program, number))
        program.stderr.wait_for_end()
        errors = [line for line in program.log() if line.startswith("sluice: error: ")]
        if program.process.returncode == 0:
            check_final_ledger(program.ledgers()[-1], True)
        else:
            self.assertEqual(len(errors), 1, self.told(program, number))
            self.assertRegex(errors[0], "memory", self.told(program, number))
        program.close()

    @staticmethod
    def told(program, number):
        return "\n".join([f"allocation {number} failed; stderr was:", *program.said()])

    def test_from_the_start_to_the_stop(self):
        self.write()
        self.fail_at(NEVER)
        self.finish(self.run_with("--duration", "1ms"), NEVER)
        count = NEVER - self.left()
        self.assertGreater(count, 100)
        for number in self.sample(count):
            with self.subTest(number=number):
                self.fail_at(number)
                self.finish(self.run_with("--duration", "1ms"), number)

    # Features that must work after any failure.

    def assert_works(self, program, number):
        """Asserts that requests are answered and the counts are right."""
        ledger = program.ledger_now()
        self.assertEqual(self.client.ask("ledger")["listeners"][0]["name"],
                         ledger["listeners"][0]["name"], self.told(program, number))
        self.assertEqual(self.client.ask("senders")["losers"], [])
        self.stream.send(framed(metric(1)))
        self.assertEqual(self.stream.answer(), OK, self.told(program, number))
        if SEALED:
            self.assert_opens(program, number)
        self.assertTrue(self.metrics.page().endswith("\n"))
        self.assertEqual(self.metrics.health()[0], 200, self.told(program, number))

    def assert_opens(self, program, number):
        """Asserts that a sealed datagram is accepted, at the latest after its state was written
        again."""
        end = time.monotonic() + DEADLINE
        before = self.decoded(program)
        while self.decoded(program) == before:
            self.assertLess(time.monotonic(), end, self.told(program, number))
            self.sender(program, 2).send(self.session.seal(metric(1)))
            time.sleep(0.01)

    @staticmethod
    def decoded(program):
        return sum(each["decoded"] for each in program.ledger_now()["listeners"])

    def begin(self):
        self.write()
        program = self.run_with()
        program.wait_for_listeners(5 + SEALED)
        self.session = Session(self.key, AUTHENTICATED)
        self.stream = Client(program, 3 + SEALED)
        self.addCleanup(self.stream.socket.close)
        self.client = ControlClient(self.address)
        self.addCleanup(self.client.close)
        self.client.ask("ledger")  # its connection is accepted by now
        self.metrics = MetricsClient(program)
        return program

    def reload(self, program, number):
        """Requests a reload of configuration `number`. Returns whether it was accepted. The log
        does not always show that, because it omits repeated lines."""
        def taken():
            return sum(CHANGED in line for line in program.log())
        before = taken()
        self.write(number)
        program.ask_to_reload()
        wait_until(lambda: self.left() == 0 or taken() > before, "it was read or memory was short")
        if self.left() == 0:
            program.ledger_now()  # answered after the reload
        return taken() > before

    def test_at_a_reload(self):
        program, present = self.begin(), 0
        self.fail_at(NEVER)
        self.assertTrue(self.reload(program, 1))
        count = NEVER - self.left()
        self.assertGreater(count, 100)
        for tried, number in enumerate(self.sample(count)):
            if tried % 50 == 0:  # the ledger keeps retired parts, and the size of an answer is limited
                self.fail_at(0)
                program.stop()
                program, present = self.begin(), 0
            self.fail_at(number)
            taken = self.reload(program, 1 - present)
            self.fail_at(0)
            if taken:
                present = 1 - present
            else:
                refused = [line for line in program.log() if REFUSED in line]
                self.assertRegex(refused[-1], "memory|Cannot allocate")
            self.assert_works(program, number)
        program.stop()

    def ask_for_all(self, program):
        """Makes each request whose answer needs memory. Any answer is allowed."""
        before = len(program.ledgers())
        program.ask_for_ledger()
        wait_until(lambda: self.left() == 0 or len(program.ledgers()) > before, "it has tried to")
        self.assertTrue({"listeners", "error"} & set(self.client.ask("ledger")))
        self.assertTrue({"losers", "error"} & set(self.client.ask("senders")))
        for path in ("/metrics", "/healthz"):
            with contextlib.suppress(ConnectionResetError):  # no memory for the request itself
                self.assertIn(self.metrics.ask(path).status, (200, 503))

    def test_when_somebody_asks(self):
        program = self.begin()
        self.fail_at(NEVER)
        self.ask_for_all(program)
        for number in self.sample(NEVER - self.left()):
            self.fail_at(number)
            self.ask_for_all(program)
            self.fail_at(0)
            self.assert_works(program, number)
        program.stop()

    def test_a_last_ledger_that_cannot_be_printed_is_an_internal_error(self):
        self.write()
        for _ in range(2):  # later runs find a state file
            self.fail_at(NEVER)
            self.finish(self.run_with("--duration", "1ms"), NEVER)
        count = NEVER - self.left()
        unprinted = 0
        for number in range(count - 20, count + 1):
            self.fail_at(number)
            program = self.run_with("--duration", "1ms")
            self.finish(program, number)
            if "out of memory: the ledger was not printed" in program.log()[-1]:
                self.assertEqual(program.process.returncode, 70)
                unprinted += 1
        self.assertGreater(unprinted, 0)



if __name__ == "__main__":
    unittest.main()
