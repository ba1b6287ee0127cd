"""Real servers and the collector are killed (SIGKILL): compares the ledger with the records that
readers find.

First the server is killed in the middle of a load. Then the collector is killed at a random moment
of an outage: with a spill it may lose only the records that sluice.yaml(5) allows. The tables are
printed at the end."""
import random
import time

from jetstream_reading import Stream
from kafka_reading import make_topic, messages
from load import Found
from outage_tests import OutageTests
from protobuf import metric
from server_group import ServerGroup, main
from sluice_program import ProgramTest
from spill_reading import kill
from store_reading import (ask, influxdb_found, prometheus_found, save_victoria_metrics,
                           victoria_metrics_found)

NAME = "records"
METRIC = "system.cpu.usage"
KILLS = 10  # kills of the collector for each value of fsync=
WARM = 50      # records that are acknowledged before an outage
GROUP = 10  # records between two pauses
REST = 0.01  # seconds of a pause
FLUSHED = 0.1  # flush_interval in seconds
SLACK = 0.4  # seconds of delay that a busy machine may cause
ANSWER = 1  # seconds without an answer after which blocks go to the disk

TABLES = {}  # rows by heading


def tearDownModule():
    for heading, rows in TABLES.items():
        print("\n" + " | ".join(heading))
        for row in rows:
            print(" | ".join(map(str, row)))


class KilledTest(OutageTests):
    rate, outage = 5000, 5

    def finish_load(self, program, load):
        sink, found, lost = super().finish_load(program, load)
        TABLES.setdefault(("server killed", "written", "unknown", "failed", "possible duplicates",
                           "found", "twice", "may be lost by the server"), []).append(
            (type(self).__name__, sink["written"], sink["unknown"], sum(lost.values()),
             sink["possible_duplicates"], found.different(), found.twice(), self.may_lose))
        return sink, found, lost


class CollectorKilledTest(KilledTest):
    on_disk = '"host":"{}"'  # occurs once in each stored record of a host
    outages = 5  # runs with an outage; in other runs the server is unreachable from the start

    def start_with_spill(self, fsync):
        return self.start_sink(f"flush_interval={FLUSHED * 1000:.0f}ms", f"fsync={fsync}",
                               f"spill={self.folder / 'spill'}")

    def begin_outage(self, fsync):
        """Kills the servers when all records have been acknowledged."""
        self.group.resume()
        program = self.start_with_spill(fsync)
        sender = self.sender(program)
        for number in range(WARM):
            sender.send(metric(number + 1, METRIC, host=f"warm{self.runs}"))
        self.sent += WARM
        self.wait_for(program, lambda ledger: ledger["sinks"][0]["written"] >= WARM and
                      ledger["sinks"][0]["in_flight"] == ledger["sinks"][0]["spilled"] == 0,
                      "all is acknowledged")
        self.acknowledged += WARM
        self.kill_servers(program)
        return program

    def run_and_kill(self, program, unsafe):
        """Sends records until a random moment, and kills the program. Records of the last `unsafe`
        seconds may be lost.

        Returns the number of sent records, of records on disk, and the least number that must be on
        disk."""
        host = f"run{self.runs}-"
        sender = self.sender(program)
        end = time.monotonic() + unsafe + self.random.uniform(0.2, 1)
        on_disk = self.on_disk.format(host).encode()
        times = []
        while time.monotonic() < end:
            for _ in range(GROUP):
                sender.send(metric(len(times) + 1, METRIC, host=host))
                times.append(time.monotonic())
            time.sleep(REST)
        kill(program)
        sender.close()
        found = sum(path.read_bytes().count(on_disk)
                    for path in (self.folder / "spill").glob("*.seg"))
        return len(times), found, sum(when < end - unsafe for when in times)

    def lose_collectors(self, fsync, unsafe):
        self.random = random.Random(37)
        self.sent = self.acknowledged = stored = due = 0
        for self.runs in range(KILLS):
            program = (self.start_with_spill(fsync) if self.runs % (KILLS // self.outages) else
                       self.begin_outage(fsync))
            sent, on_disk, safe = self.run_and_kill(program, unsafe)
            self.sent += sent
            stored += on_disk
            due += safe
            self.assertGreaterEqual(on_disk, safe, f"run {self.runs} sent {sent}")
        self.group.resume()
        program = self.start_with_spill(fsync)
        self.wait_for(program, lambda ledger: ledger["sinks"][0]["in_flight"] ==
                      ledger["sinks"][0]["spilled"] == 0, "the spill is empty")
        sink = program.stop(limit=60)["sinks"][0]
        found = self.found()
        TABLES.setdefault(("collector killed", "fsync", "kills", "sent", "acknowledged", "on disk",
                           "at least", "found", "twice", "last run's possible duplicates"),
                          []).append(
            (type(self).__name__, fsync, KILLS, self.sent, self.acknowledged, stored, due,
             found.different(), found.twice(), sink["possible_duplicates"]))
        self.assertEqual((sum(sink["failed"].values()), sink["unknown"]), (0, 0))
        self.assertGreaterEqual(found.different(), self.acknowledged + stored - self.may_lose)
        self.assertLessEqual(found.different(), self.sent)

    def test_a_collector_killed_in_an_outage_has_the_blocks_that_waited_for_a_second(self):
        self.lose_collectors("never", FLUSHED + ANSWER + SLACK)

    def test_with_fsync_always_it_has_all_but_what_was_collected_last(self):
        self.lose_collectors("always", FLUSHED + SLACK)


class Kafka(CollectorKilledTest, ProgramTest):
    outages = 2  # the server needs half a minute to restart

    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "kafka")
        make_topic(self.group.places, NAME)

    def sink_url(self):
        return f"kafka://{self.group.address}/{NAME}?key=label:host"

    def found(self):
        found = Found()
        for line in messages(self.group.places, NAME):
            found.add_line(line)
        return found


class JetStream(CollectorKilledTest, ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "nats")
        self.stream = Stream(self.group.places, NAME)

    def sink_url(self):
        return f"nats://{self.group.address}/{NAME}.%{{schema}}?format=json"

    def found(self):
        found = Found()
        for message in self.stream.messages():
            for line in message.splitlines():
                found.add_line(line)
        return found


class VictoriaMetrics(CollectorKilledTest, ProgramTest):
    """VictoriaMetrics acknowledges records in memory, and writes them to its disk seconds later.
    The test makes it write just before the kill, so that it may lose only records acknowledged
    between that and the kill."""

    on_disk = "host={}"
    ordered = False

    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "victoria-metrics")
        self.url = f"http://{self.group.address}"

    def sink_url(self):
        return f"{self.url}/write?format=influx"

    def kill_servers(self, program):
        kept = program.ledger_now()["sinks"][0]["written"]
        save_victoria_metrics(self.url)
        super().kill_servers(program)
        time.sleep(ANSWER)  # until its answers are counted
        self.may_lose += program.ledger_now()["sinks"][0]["written"] - kept

    def found(self):
        return victoria_metrics_found(self.url, f"{METRIC}_value")


class Store(KilledTest):
    """The store keeps one value per series and millisecond, so no source sends twice in a
    millisecond."""

    sources = 1000
    ordered = False


class Prometheus(Store, ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "prometheus")
        self.url = f"http://{self.group.address}"

    def sink_url(self):
        return f"{self.url}/api/v1/write?format=remote-write"

    def found(self):
        return prometheus_found(self.url, METRIC.replace(".", "_"))


class InfluxDB(Store, ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "influxdb")
        self.url = f"http://{self.group.address}"
        list(ask(f"{self.url}/query", q="CREATE DATABASE d", method="POST"))

    def sink_url(self):
        return f"{self.url}/write?format=influx&query=db=d"

    def found(self):
        return influxdb_found(self.url, "d", METRIC)


if __name__ == "__main__":
    main()
