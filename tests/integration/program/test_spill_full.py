"""When a spill is full, overflow= decides what happens, and health and metrics report it."""
import json
import unittest

from http_store import Store
from metrics_client import SERVES, MetricsClient, labels
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, wait_until
from spill_reading import has_sent_all

SIZE = 16 * 1024 * 1024  # the minimum size of a spill
TEXT = "x" * 20000       # the smallest that is allowed
MOST = 4000  # most records of a test


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Full(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.spill = self.folder / "spill"

    def deliver(self, keys=""):
        self.name = f"http://127.0.0.1:{self.port}/write"
        program = self.start(
            "--listen", RIEMANN, "--sink", f"{self.name}?format=json&flush_interval=20ms"
            f"&in_flight=1&spill={self.spill}&spill_size=16MiB{keys}",
            "--memory", "48MiB", "--metrics", "127.0.0.1:0")
        return program, MetricsClient(program)

    def sink(self, program):
        return program.ledger_now()["sinks"][0]

    def fill(self, program, until):
        """Sends records, a few at a time, until the condition holds for the sink. Returns their
        number."""
        sender = self.sender(program)
        for number in range(MOST):
            sender.send(metric(number, host=TEXT))
            if number % 50 == 49:
                program.wait_for_received(number + 1)
                if until(self.sink(program)):
                    return number + 1
        return self.fail(f"the spill takes more than {MOST} records")

    def drain(self, program):
        store = Store(port=self.port)
        self.addCleanup(store.close)
        wait_until(lambda: has_sent_all(self.sink(program)), "all is sent")
        return [json.loads(line)["value"] for line in store.lines()]

    def test_the_newest_are_refused_and_all_that_lies_there_arrives(self):
        program, client = self.deliver()
        sent = self.fill(program, lambda sink: sum(sink["refused"].values()) > 0)
        self.assertLessEqual(sum(path.stat().st_size for path in self.spill.glob("*.seg")), SIZE)
        program.wait_for_log("spill .*: spill_size= is reached; trying again")
        _, health = client.wait_for_health(
            lambda told: "spill_fills" in str(told), "the spill fills up")
        reasons = {reason["reason"]: reason for reason in health["reasons"]}
        self.assertEqual(health["status"], "degraded")
        # spill_full disappears with the next attempt to store a block.
        self.assertEqual(set(reasons) - {"spill_full"},
                         {"sink_fails", "spill_fills", "records_refused"})
        own = labels(sink=self.name)
        numbers = client.numbers()
        self.assertGreaterEqual(numbers["sluice_sink_spill_bytes", own], SIZE * 4 // 5)
        self.assertEqual(numbers["sluice_sink_spill_limit_bytes", own], SIZE)
        self.assertGreater(numbers["sluice_sink_oldest_seconds", own], 0)
        self.assertGreater(numbers["sluice_sink_spilled", own], 100)
        values = self.drain(program)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], sent - sum(sink["refused"].values()))
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual((values[0], len(values)), (0, sink["written"]))

    def test_the_oldest_are_evicted_where_that_is_asked_for(self):
        program, client = self.deliver("&overflow=drop_oldest")
        sent = self.fill(program, lambda sink: sink["evicted"] > 100)
        client.wait_for_health(lambda told: "records_evicted" in str(told), "some are evicted")
        values = self.drain(program)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sum(sink["refused"].values())),
                         (sent - sink["evicted"], 0))
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual((values[-1], len(values)), (sent - 1, sink["written"]))


if __name__ == "__main__":
    unittest.main()
