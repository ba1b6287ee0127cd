"""A sender with 1,000,000 different values of a label next to a good sender, with 20,000 datagrams
a second for a minute, into VictoriaMetrics. All samples of the good sender must arrive, memory must
not grow, and the ledger must be exact.

TEST_SERIES is the rate and the seconds, by default 2,000 and 3. `tools/test long` runs the full
test."""
import json
import os
import socket
import time
import urllib.request

from protobuf import sample, telemetry
from shell import ConsumerTest, main
from sluice_program import DEADLINE, TELEMETRY, wait_until
from test_resident import resident
from victoria_metrics import VictoriaMetrics

RATE, SECONDS = map(int, os.environ.get("TEST_SERIES", "2000 3").split())
GOOD, BAD = "127.0.0.1", "127.0.0.9"
CORES = 100  # number of series of the good sender
LIMIT, SHARE = 10000, 5000
STEP = 0.005  # seconds between two bursts
BURST = max(8, int(RATE * STEP))
OF_GOOD = BURST // 8  # the good sender's datagrams in a burst


def datagram(host, key, value, number, seconds):
    """A sample with a unique time in milliseconds."""
    return telemetry(sample("requests", double=float(number), labels=[("host", host), (key, f"{value}")],
                            time=seconds * 10 ** 9 + number * 10 ** 6))


class SeriesInAStore(ConsumerTest):
    def setUp(self):
        super().setUp()
        self.require_http()
        self.store = VictoriaMetrics(self.folder)
        self.addCleanup(self.store.close)

    def from_host(self, program, host):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.bind((host, 0))
        made.connect((GOOD, program.port()))
        return made

    def send(self, program, bursts, seconds):
        """One datagram in eight is the good sender's. The bursts are distributed evenly over the
        time."""
        good, bad = self.from_host(program, GOOD), self.from_host(program, BAD)
        started = time.monotonic()
        for burst in bursts:
            for number in range(burst * OF_GOOD, (burst + 1) * OF_GOOD):
                good.send(datagram("good", "core", number % CORES, number, seconds))
            others = BURST - OF_GOOD
            for number in range(burst * others, (burst + 1) * others):
                bad.send(datagram("bad", "id", number, number % 1000000, seconds))
            pause = started + (burst + 1 - bursts.start) * STEP - time.monotonic()
            if pause > 0:
                time.sleep(pause)
        return time.monotonic() - started

    def export(self, match):
        """Labels and number of samples of each series with this host."""
        with urllib.request.urlopen(
                f"{self.store.url}/internal/force_flush", timeout=DEADLINE) as answer:
            answer.read()
        url = f"{self.store.url}/api/v1/export?match[]=%7Bhost%3D%22{match}%22%7D&start=0"
        with urllib.request.urlopen(url, timeout=10 * DEADLINE) as answer:
            return [(line["metric"], len(line["values"])) for line in map(json.loads, answer)]

    def test_the_good_one_is_whole_next_to_a_million_values(self):
        program = self.start(
            "--listen", TELEMETRY + "&receive_buffer=64MiB", "--sink",
            f"{self.store.url}/api/v1/import/prometheus?format=prometheus&max_series={LIMIT}&"
            f"max_series_per_sender={SHARE}")
        seconds = int(time.time()) - 3600
        bursts = int(SECONDS / STEP)
        first = bursts // 10
        self.send(program, range(first), seconds)
        program.wait_for_settled(first * BURST)
        before = resident(program)
        took = self.send(program, range(first, bursts), seconds)
        program.wait_for_settled(bursts * BURST)
        after = resident(program)
        ledger = program.stop()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        print(f"{(bursts - first) * BURST / took:.0f} datagrams/s, received {listener['received']}, "
              f"dropped {listener['kernel_drops']}, written {sink['written']}, series_refused "
              f"{sink['series_refused']}, resident {before} KiB, at the end {after} KiB", flush=True)
        sent, others = bursts * OF_GOOD, bursts * (BURST - OF_GOOD)
        self.assertEqual((listener["received"], listener["decoded"]), (sent + others,) * 2)
        self.assertEqual(sink["samples"], sent + SHARE)
        self.assertEqual(sink["series_refused"], others - SHARE)
        self.assertEqual((sink["written"], sink["filtered"]), (sent + SHARE, others - SHARE))
        wait_until(lambda: sum(size for _, size in self.export("good")) == sent,
                   "the store has all samples of the good one")
        self.assertEqual(len(self.export("good")), CORES)
        self.assertEqual([size for _, size in self.export("bad")], [1] * SHARE)
        self.assertLess(after - before, 4096)  # KiB


if __name__ == "__main__":
    main("victoria-metrics")
