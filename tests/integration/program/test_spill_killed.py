"""Tests a sink with a spill whose program is killed (kill -9) repeatedly while the server is
unreachable.

The environment variable TEST_SPILL_KILLS is the number of kills."""
import json
import os
import random
import time
import unittest

from http_store import CLOSE, NO_ANSWER, Store
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, wait_until
from spill_reading import has_sent_all, kill, wait_for_records

KILLS = int(os.environ.get("TEST_SPILL_KILLS", "6"))
KEYS = ("one", "two", "three")
PER_RUN = 90  # records until a pause, about as many as fit in a block
PER_GROUP = 10  # records until a short pause, about the number in a block
REST = 0.003
OUTAGES = (503, CLOSE, NO_ANSWER)


class Far(Store):
    """Keeps the numbers of the records that it accepted, by key, in the order of arrival."""

    def __init__(self, port=None):
        self.came = {key: [] for key in KEYS}
        super().__init__(port=port)

    def keep(self, request, taken):
        for line in request.body.splitlines() if taken else ():
            record = json.loads(line)
            self.came[record["name"]].append(int(record["value"]))


class Run:
    """The facts about a run that are known from outside when the program is killed."""

    def __init__(self, program, sent, ledger):
        sink = ledger["sinks"][0]
        self.stored = sink["spilled"]
        self.unsafe = sent - sink["queued"] + sink["in_flight"]
        self.damaged = sink["failed"]["damaged"]
        self.log = program.log()


class Killed(ProgramTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(11)
        self.far = Far()
        self.addCleanup(self.far.close)
        self.spill = self.folder / "spill"
        self.sent = dict.fromkeys(KEYS, 0)

    def deliver(self):
        return self.start("--listen", RIEMANN, "--sink",
                          f"http:{self.far.place}?format=json&flush_interval=5ms&in_flight=1"
                          f"&spill={self.spill}", "--stop-timeout", "20s")

    def send(self, program, count):
        sender = self.sender(program)
        for number in range(count):
            key = self.random.choice(KEYS)
            sender.send(metric(self.sent[key], key))
            self.sent[key] += 1
            if number % PER_GROUP == PER_GROUP - 1:
                time.sleep(REST)
        sender.close()

    def run_and_kill(self, recovered):
        """Kills the program after it has received all, some or none of the records."""
        program = self.deliver()
        sink = program.ledger_now()["sinks"][0]
        self.assertGreaterEqual(sink["recovered"], recovered)
        count = self.random.choice((0, self.random.randrange(PER_RUN), PER_RUN))
        self.send(program, count)
        if self.random.random() < 0.5:
            wait_until(lambda: program.ledger_now()["listeners"][0]["received"] == count,
                       "all is received")
        run = Run(program, count, program.ledger_now())
        program.process.kill()
        program.process.wait()
        return run

    def last_run(self, recovered):
        """Asserts that all stored records arrive, and that the spill is empty."""
        self.far.otherwise = 204
        program = self.deliver()
        self.send(program, PER_RUN)
        # An empty spill is not enough: records that are about to be stored would stay there at the
        # stop.
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["messages"] == PER_RUN and
                                has_sent_all(ledger["sinks"][0]), "all is sent")
        sink = program.stop()["sinks"][0]
        self.assertGreaterEqual(sink["recovered"], recovered)
        self.assertEqual(sink["written"], sink["recovered"] + PER_RUN,
                         "\n".join([str(sink), *program.log()]))
        self.assertEqual(sorted(path.name for path in self.spill.iterdir()), ["ack", "lock"])
        return sink

    def test_each_run_finds_the_spill_whole_and_loses_only_what_was_not_there(self):
        unsafe = recovered = 0
        for _ in range(KILLS):
            self.far.otherwise = self.random.choice(OUTAGES)
            run = self.run_and_kill(recovered)
            # No record is acknowledged during an outage, so all stored ones must be there in the
            # next run.
            recovered = run.stored
            unsafe += run.unsafe
            self.assertEqual(run.damaged, 0)
            self.assertNotRegex("\n".join(run.log), "(warning|error): spill")
        sink = self.last_run(recovered)
        lost = 0
        for key, numbers in self.far.came.items():
            self.assertEqual(numbers, sorted(set(numbers)), "in their order, and once")
            lost += self.sent[key] - len(numbers)
        self.assertLessEqual(lost, unsafe)
        self.assertEqual(sum(map(len, self.far.came.values())), sink["written"])

    def test_what_was_acknowledged_before_a_kill_comes_twice_at_most_as_far_as_it_was_read(self):
        """Between outages the far end accepts some records, so that the cursor is out of date when
        the program is killed."""
        unsafe = 0
        for number in range(KILLS):
            self.far.otherwise = 204 if number % 2 else self.random.choice(OUTAGES)
            unsafe += self.run_and_kill(0).unsafe
        sink = self.last_run(0)
        lost = 0
        for key, numbers in self.far.came.items():
            first = list(dict.fromkeys(numbers))
            self.assertEqual(first, sorted(first), "what is new comes in its order")
            lost += self.sent[key] - len(first)
        self.assertLessEqual(lost, unsafe)
        self.assertLessEqual(sink["possible_duplicates"], sink["recovered"])


class FewBlocks(ProgramTest):
    """There are fewer blocks than the limit of blocks in flight, so each is sent at once."""

    def deliver(self, port, keys):
        return self.start("--listen", RIEMANN, "--sink",
                          f"http://127.0.0.1:{port}/write?format=json&spill={self.folder}/spill"
                          f"{keys}", "--stop-timeout", "20s")

    def assert_nothing_is_lost(self, port, keys, silent=None):
        program = self.deliver(port, keys)
        self.sender(program).send_all([metric(number, "one") for number in range(30)])
        wait_for_records(self.folder / "spill", 30)
        kill(program)
        if silent is not None:
            silent.close()
        far = Far(port)
        self.addCleanup(far.close)
        program = self.deliver(port, keys)
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 30, "all arrives")
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["recovered"], 30)
        self.assertLessEqual(sink["possible_duplicates"], 30)
        # The order is not defined, because several requests are in flight.
        self.assertEqual(sorted(far.came["one"]), list(range(30)))

    def test_what_was_not_taken_is_on_disk(self):
        self.assert_nothing_is_lost(free_port(), "&flush_interval=5ms")

    def test_what_is_not_answered_is_on_disk(self):
        for keys in ("&flush_interval=0s", "&fsync=always", "&retry=at_least_once"):
            with self.subTest(keys):
                silent = Far()
                silent.otherwise = NO_ANSWER
                self.assert_nothing_is_lost(silent.port, keys, silent)


if __name__ == "__main__":
    unittest.main()
