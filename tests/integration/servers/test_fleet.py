"""Three collectors write to a Kafka cluster of three nodes. A broker and a collector are killed."""
import json
import os
import re
import shlex
import shutil
import threading
import time

from built import command, skip
from fleet import PORT, PROBE, ROUTER, SERVICE, FleetTest, of_page, shell
from kafka_reading import leader_of, make_topic, messages
from load import RATE, RECORDS, Found, Load
from namespaces import run_tests
from server_group import FETCHING, ServerGroup, main, tools_servers
from sluice_program import SLUICE, settled

TOPIC = "records"
SOURCES = 60
SETTLING = 300  # seconds
PAUSE = 0.1  # seconds between two snapshots
UNNOTICED = 1  # seconds until the router stops sending to a killed collector


class Snapshots:
    """Requests the ledger of a collector repeatedly until it ends. `last` is the newest answer."""

    def __init__(self, collector):
        self.last = None
        self._client = collector.snapshots()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            while (ledger := self._client.ask("ledger")) is not None and not self._ended.is_set():
                self.last = ledger
                self._ended.wait(PAUSE)
        except OSError:
            pass  # it was killed

    def end(self):
        self._ended.set()
        self._thread.join()
        self._client.close()


class Fleet(FleetTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "kafka", 3, host=ROUTER)
        make_topic(self.group.places, TOPIC)
        line = of_page("sh", "sluice --listen", "kafka://")
        self.arguments = shlex.split(re.sub(r"kafka://[^/]*/", f"kafka://{self.group.address}/",
                                            line))[1:]

    def found(self):
        """The records of each collector in the topic, by the collector's label."""
        found = {f"collector{number}": Found() for number in (1, 2, 3)}
        for line in messages(self.group.places, TOPIC):
            labels = json.loads(line)["labels"]
            found[labels["collector"]].add_line(line)
        return found

    def settle(self, collector, counted):
        """Waits until the outcome of all records of a collector is known. Returns its ledger."""
        end = time.monotonic() + SETTLING
        while True:
            ledger = collector.ledger_now()
            listener, sink = ledger["listeners"][0], ledger["sinks"][0]
            if (listener["received"] + listener["kernel_drops"] >= counted and
                    sink["offered"] == listener["decoded"] and sink["spilled"] == 0 and
                    settled(sink) == sink["queued"]):
                return collector.stop()
            self.assertLess(time.monotonic(), end, "some outcomes are unknown")
            time.sleep(0.2)

    def check_survivor(self, name, ledger, counted, found):
        """Asserts that all datagrams that the router sent to this collector are in the topic, or
        counted as lost with a reason. Returns the number of lost ones."""
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        lost = {term: count for term, count in {
            "kernel_drops": listener["kernel_drops"], **listener["reasons"], **sink["refused"],
            "evicted": sink["evicted"], **sink["failed"]}.items() if count != 0}
        print(f"{name}: sent to it {counted}, received {listener['received']}, written "
              f"{sink['written']}, unknown {sink['unknown']}, possible duplicates "
              f"{sink['possible_duplicates']}, lost {lost}; in the topic {found.different()}, more "
              f"than once {found.twice()}", flush=True)
        self.assertEqual(listener["received"] + listener["kernel_drops"], counted)
        self.assertEqual(counted, sink["written"] + sink["unknown"] + sum(lost.values()))
        self.assertEqual((sink["unknown"], found.different()), (0, sink["written"]))
        self.assertLessEqual(found.twice(), sink["possible_duplicates"])
        return sum(lost.values())

    def kill_second(self):
        """Kills the second collector. Returns its last snapshot, and the number of datagrams that
        the router had sent to it by then."""
        snapshots = Snapshots(self.collectors[1])
        time.sleep(10 * PAUSE)
        self.collectors[1].process.kill()
        self.collectors[1].process.wait()
        counted = self.counted()[1]
        snapshots.end()
        return snapshots.last, counted

    def test_what_was_sent_is_in_the_topic_or_in_a_ledger(self):
        self.start_collectors(self.arguments)
        for collector in self.collectors:
            line = of_page("sh", "ctl ledger").replace("sluice", shlex.join(command(SLUICE)), 1)
            self.assertIn('{"final":false,', shell(line, collector.folder))
        self.spread()
        broker = f"n{leader_of(self.group.places, TOPIC)}"
        load = Load(self, PORT, RECORDS // SOURCES * SOURCES, SERVICE, SOURCES, self.senders.enter)
        time.sleep(RECORDS / RATE / 4)
        self.group.kill(broker)
        time.sleep(RECORDS / RATE / 4)
        snapshot, at_end = self.kill_second()
        time.sleep(UNNOTICED)
        self.spread_otherwise(self.without_second())
        self.group.resume(broker)
        sent = load.wait()
        counted = self.counted()
        self.assertEqual(sum(counted), sent)
        ledgers = {number: self.settle(self.collectors[number - 1], counted[number - 1])
                   for number in (1, 3)}
        found = self.found()
        lost = {number: self.check_survivor(f"collector{number}", ledgers[number],
                                            counted[number - 1], found[f"collector{number}"])
                for number in (1, 3)}

        before = found["collector2"].different()
        listener, sink = snapshot["listeners"][0], snapshot["sinks"][0]
        print(f"collector2, killed: sent to it {counted[1]}, {at_end} of them before its end; its "
              f"last snapshot: received {listener['received']}, written {sink['written']}, spilled "
              f"{sink['spilled']}; in the topic {before}", flush=True)
        self.assertGreaterEqual(before, sink["written"])
        self.assertLessEqual(before, at_end)

        again = self.start_collector(2, self.arguments)
        sink = self.settle(again, 0)["sinks"][0]
        after = self.found()["collector2"]
        print(f"collector2, started again: recovered {sink['recovered']}, possible duplicates "
              f"{sink['possible_duplicates']}; in the topic {after.different()}, more than once "
              f"{after.twice()}", flush=True)
        self.assertEqual(sink["written"], sink["recovered"])
        self.assertLessEqual(after.different() - before, sink["recovered"])
        self.assertLessEqual(after.twice(), sink["possible_duplicates"])
        in_topic = after.different() + sum(found[f"collector{number}"].different()
                                           for number in (1, 3))
        at_kill, later = at_end - after.different(), counted[1] - at_end
        print(f"sent {sent} = in the topic {in_topic} + lost by the ledgers {sum(lost.values())} + "
              f"lost with collector2 {at_kill} + sent to it after its end {later}", flush=True)
        self.assertEqual(sent, in_topic + sum(lost.values()) + at_kill + later)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for tool in ("ip", "nft", "sysctl"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    if os.environ.get("TEST_NAMESPACE") == "1":
        main()
    # Fetched first, because the namespace has no network for that.
    tools_servers("fetch", "kafka", limit=FETCHING)
    run_tests("-n", PROBE)
