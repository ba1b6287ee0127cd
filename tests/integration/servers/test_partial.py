"""Stores that accept a part of a request: a query must return the records that the ledger counts as
written. Some stores do not report what they refused; these tests show which."""
import time

from protobuf import riemann
from server_group import ServerGroup, main
from sluice_program import RIEMANN, ProgramTest, settled
from store_reading import ask

GOOD, BAD = 200, 5
SETTLING = 120  # seconds; the sink repeats requests that Prometheus answers with 500 for 20 s
HOUR = 3600


class PartialTest(ProgramTest):
    def deliver(self, sink):
        """Starts a program that puts all records of 500 ms into one block."""
        self.program = self.start("--listen", RIEMANN, "--sink", f"{sink}&flush_interval=500ms")
        self.udp = self.sender(self.program)
        self.sent = 0

    def send(self, host, times, value=0):
        """Sends a sample of one series for each of these times, in seconds."""
        for number, moment in enumerate(times):
            self.udp.send(riemann({"service": "cpu", "host": host, "metric_d": value + number,
                                   "time_micros": int(moment * 1e6)}))
        self.sent += len(times)

    def settle(self):
        """Waits until the outcome of all records is known. Returns the sink's counts."""
        end = time.monotonic() + SETTLING
        while settled(sink := self.program.ledger_now()["sinks"][0]) < self.sent:
            self.assertLess(time.monotonic(), end, sink)
            time.sleep(0.2)
        return sink

    def report(self, sink, stored):
        lost = {reason: count for reason, count in sink["failed"].items() if count != 0}
        print(f"{self.id()}: sent {self.sent}, written {sink['written']}, failed {lost}, unknown "
              f"{sink['unknown']}; returned {stored}", flush=True)


class Prometheus(PartialTest):
    def setUp(self):
        super().setUp()
        group = ServerGroup(self, "prometheus")
        self.url = f"http://{group.address}/api/v1"
        self.deliver(f"{self.url}/write?format=remote-write&in_flight=1")
        self.now = time.time()

    def stored(self):
        """The number of values of each host."""
        series, = ask(f"{self.url}/query", query="cpu[6h]")
        return {one["metric"]["host"]: len(one["values"]) for one in series["data"]["result"]}

    def seconds(self, count, ago=600):
        return [self.now - ago + number for number in range(count)]

    def assert_partly_taken(self, bad):
        """Asserts that missing records were counted as rejected, and that each good one is there.
        """
        sink = self.settle()
        stored = sum(self.stored().values())
        self.report(sink, stored)
        self.assertEqual(sink["written"], stored)
        self.assertEqual(sink["failed"]["rejected"], self.sent - stored)
        self.assertEqual(self.sent - stored, bad)

    def test_another_value_at_a_series_last_time_is_rejected(self):
        for host in range(BAD):
            self.send(f"a{host}", self.seconds(1))
        self.settle()
        self.send("b", self.seconds(GOOD))
        for host in range(BAD):
            self.send(f"a{host}", self.seconds(1), value=1000)
        self.assert_partly_taken(BAD)

    def test_samples_that_are_too_old_are_rejected(self):
        self.send("c", self.seconds(GOOD))
        self.send("old", self.seconds(BAD, 3 * HOUR))
        self.assert_partly_taken(BAD)

    def test_a_host_with_a_clock_behind_costs_the_others_nothing(self):
        """Bad samples in consecutive blocks, each time together with many good ones."""
        blocks, begin = 6, time.monotonic()
        for number in range(blocks):
            for host in range(GOOD):
                self.send(f"good{host}", [self.now - 60 + number], value=number)
            self.send("behind", [self.now - 5 * HOUR + number * 10 + at for at in range(4)])
            self.settle()
        self.assert_partly_taken(4 * blocks)
        self.assertLess(time.monotonic() - begin, 20)  # the sink did not repeat requests answered with 500

    def test_samples_out_of_order_are_taken_as_far_as_the_store_allows(self):
        self.send("d", self.seconds(GOOD)[::-1])
        self.assert_partly_taken(0)

    def test_another_value_at_an_earlier_time_is_acknowledged_and_left_out(self):
        """If samples may come out of order, the store does not report refused ones, as the manual
        says."""
        self.send("e", self.seconds(GOOD))
        self.settle()
        self.send("e", self.seconds(BAD), value=1000)
        sink = self.settle()
        stored = self.stored()
        self.report(sink, stored)
        self.assertEqual((sink["written"], stored), (GOOD + BAD, {"e": GOOD}))


class InfluxDB(PartialTest):
    """The store accepts the valid part of a request, and answers 400 with "partial write"."""

    def setUp(self):
        super().setUp()
        group = ServerGroup(self, "influxdb")
        self.url = f"http://{group.address}"
        list(ask(f"{self.url}/query", q="CREATE DATABASE d WITH DURATION 2h", method="POST"))
        self.now = time.time()

    def stored(self):
        """The number of values of each host."""
        answer, = ask(f"{self.url}/query", db="d", q="SELECT COUNT(value) FROM cpu GROUP BY host")
        return {one["tags"]["host"]: one["values"][0][1]
                for one in answer["results"][0].get("series", [])}

    def send_mixed(self, bad):
        self.send("good", [self.now - 1000 + number for number in range(GOOD)])
        self.send("old", [self.now - 5 * HOUR + number for number in range(bad)])
        self.send("more", [self.now - 1000 + number for number in range(GOOD)])

    def test_what_is_older_than_its_retention_costs_the_others_nothing(self):
        for bad in (0, 1, 2, BAD, 20):
            with self.subTest(bad=bad):
                list(ask(f"{self.url}/query", db="d", q="DROP MEASUREMENT cpu", method="POST"))
                self.deliver(f"{self.url}/write?format=influx&query=db=d")
                self.send_mixed(bad)
                sink = self.settle()
                self.report(sink, self.stored())
                self.assertEqual(self.stored(), {"good": GOOD, "more": GOOD})
                self.assertEqual((sink["written"], sink["failed"]["rejected"], sink["unknown"]),
                                 (2 * GOOD, bad, 0))
                self.program.stop()

    def test_a_series_of_integers_and_floats_needs_numbers_float(self):
        for keys, stored, rejected in (("", 1, 2), ("&numbers=float", 3, 0)):
            with self.subTest(keys):
                list(ask(f"{self.url}/query", db="d", q="DROP MEASUREMENT cpu", method="POST"))
                self.deliver(f"{self.url}/write?format=influx&query=db=d{keys}")
                for number, value in enumerate(({"metric_sint64": 7}, {"metric_d": 0.5},
                                                {"metric_d": 1.5})):
                    self.udp.send(riemann({"service": "cpu", "host": "a", **value,
                                           "time_micros": int((self.now - 60 + number) * 1e6)}))
                    self.sent += 1
                    self.settle()
                sink = self.settle()
                self.report(sink, self.stored())
                self.assertEqual((sink["written"], sink["failed"]["rejected"], self.stored()),
                                 (stored, rejected, {"a": stored}))
                self.program.stop()

    def test_where_nothing_may_come_twice_it_is_unknown(self):
        self.deliver(f"{self.url}/write?format=influx&retry=at_most_once&query=db=d")
        self.send_mixed(BAD)
        sink = self.settle()
        self.report(sink, self.stored())
        self.assertEqual(sink["failed"]["rejected"], 0)
        self.assertEqual(sink["written"] + sink["unknown"], 2 * GOOD + BAD)
        self.assertEqual(self.stored(), {"good": GOOD, "more": GOOD})


class VictoriaMetrics(PartialTest):
    """The store always answers 204, as the manual says."""

    def setUp(self):
        super().setUp()
        group = ServerGroup(self, "victoria-metrics")
        self.url = f"http://{group.address}"

    def stored(self, name):
        list(ask(f"{self.url}/internal/force_flush"))
        return sum(len(series["values"]) for series in
                   ask(f"{self.url}/api/v1/export", **{"match[]": f'{{__name__="{name}"}}'}))

    def test_samples_of_the_future_are_acknowledged_and_not_stored(self):
        now = time.time()
        for path, name in (("/write?format=influx", "cpu_value"),
                           ("/api/v1/import/prometheus?format=prometheus", "cpu"),
                           ("/api/v1/write?format=remote-write", "cpu")):
            with self.subTest(path):
                self.deliver(self.url + path)
                there = self.stored(name)
                self.send(path[5:9], [now - 600 + number for number in range(GOOD)])
                self.send(path[5:9], [now + 30 * 24 * HOUR + number for number in range(BAD)])
                sink = self.settle()
                stored = self.stored(name) - there
                self.report(sink, stored)
                self.assertEqual((sink["written"], stored), (GOOD + BAD, GOOD))
                self.program.stop()


if __name__ == "__main__":
    main()
