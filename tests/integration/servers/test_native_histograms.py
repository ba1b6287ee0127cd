"""Histograms in Prometheus: a query must return the buckets that remote write sent.

Debian's Prometheus supports remote write 1.0, Prometheus 3 also 2.0."""
import math
import time

from otlp_histograms import Explicit, Histogram, request
from otlp_writing import DELTA
from protobuf import double, fixed64, message, text
from server_group import ServerGroup, main
from sluice_program import ProgramTest
from store_reading import ask

MS = 10 ** 6
OTLP = "udp://127.0.0.1:0?schema=otlp"
NO_RECORDED_VALUE = 1

HISTOGRAMS = {
    "plain": Histogram(0, (-2, (1, 0, 4, 2, 1)), zeros=1, sum=16.75),
    "gaps": Histogram(3, (-400, (7,) + (0,) * 500 + (1, 0, 0, 3, 0, 0, 0, 9)), sum=1e3),
    "both": Histogram(5, (3, (1, 2, 3)), (-7, (4, 0, 5)), zeros=6, threshold=0.25, sum=-3.5),
    "finest": Histogram(20, (-5000, tuple(number % 7 for number in range(2000))),
                        (9, (1,) * 300), sum=2.0),
    "coarsest": Histogram(-4, (-2, (1, 2, 3)), sum=9e9),
    "empty": Histogram(2, sum=0.0),
    "zeros": Histogram(2, zeros=12, sum=0.0),
}
EXPLICIT = {
    "latency": Explicit((0.005, 0.01, 0.1, 0.5, 1.0), (3, 0, 0, 0, 5, 2), 6.5),
    "around_zero": Explicit((-1.0, 0.0, 1.0), (1, 2, 3, 4), -2.0),
    "one": Explicit((), (9,), 4.5),
}


class NativeTest(ProgramTest):
    kind = None

    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, self.kind)
        self.url = f"http://{self.group.address}/api/v1"
        self.now = int(time.time()) * 1000 * MS - 60_000 * MS

    def deliver(self, keys, *datagrams):
        """Sends the datagrams. Returns the sink's counts when all are written."""
        program = self.start("--listen", OTLP, "--sink",
                             f"{self.url}/write?format=remote-write&in_flight=1{keys}")
        for number, datagram in enumerate(datagrams):
            self.sender(program).send(datagram)
            program.wait_for_settled(number + 1)
        return program.stop()["sinks"][0]

    def query(self, expression, at=None):
        answer, = ask(f"{self.url}/query", query=expression,
                      time=(at or self.now) / 1000 / MS)
        return {one["metric"].get("__name__", ""): one for one in answer["data"]["result"]}

    def assert_stored(self, histograms, at=None):
        for name, wanted in histograms.items():
            with self.subTest(name):
                one = self.query(name, at)[name]
                self.assertEqual(one["metric"], {"__name__": name, "host": "web1"})
                found = one["histogram"][1]
                self.assertEqual(int(found["count"]), wanted.count)
                self.assertEqual(float(found["sum"]), wanted.sum)
                buckets = {(float(low), float(high)): int(count)
                           for _, low, high, count in found.get("buckets", []) if count != "0"}
                expected = wanted.buckets()
                self.assertEqual(sorted(buckets.values()), sorted(expected.values()))
                for (low, high), (wanted_low, wanted_high) in zip(sorted(buckets),
                                                                  sorted(expected)):
                    self.assertTrue(math.isclose(low, wanted_low, rel_tol=1e-9) and
                                    math.isclose(high, wanted_high, rel_tol=1e-9),
                                    (low, high, wanted_low, wanted_high))
                    self.assertEqual(buckets[low, high], expected[wanted_low, wanted_high])


class First(NativeTest):
    kind = "prometheus"

    def test_exponential_histograms_are_stored_as_they_were_sent(self):
        sink = self.deliver("&native_histograms=exponential", *[
            request(histogram.metric(name, self.now)) for name, histogram in HISTOGRAMS.items()])
        self.assertEqual(sink["written"], len(HISTOGRAMS))
        self.assert_stored(HISTOGRAMS)

    def test_a_server_without_2_0_gets_no_histogram_with_custom_buckets(self):
        sink = self.deliver("&native_histograms=all", *[
            request(histogram.metric(name, self.now)) for name, histogram in EXPLICIT.items()])
        self.assertEqual((sink["written"], sink["failed"]["rejected"]), (0, len(EXPLICIT)))


class Second(NativeTest):
    kind = "prometheus3"

    def test_histograms_of_both_kinds_are_stored_as_they_were_sent(self):
        everything = {**HISTOGRAMS, **EXPLICIT}
        sink = self.deliver("&native_histograms=all", *[
            request(histogram.metric(name, self.now)) for name, histogram in everything.items()])
        self.assertEqual((sink["written"], sink["left_out"]), (len(everything), 0))
        self.assert_stored(everything)

    def test_explicit_ones_stay_classic_unless_all_are_native(self):
        self.deliver("&native_histograms=exponential", *[
            request(histogram.metric(name, self.now))
            for name, histogram in {**HISTOGRAMS, **EXPLICIT}.items()])
        self.assert_stored(HISTOGRAMS)
        found = self.query("sum by (__name__) ({__name__=~'latency_.*'})")
        self.assertEqual({name: float(one["value"][1]) for name, one in found.items()},
                         {"latency_bucket": 3 * 4 + 8 + 10, "latency_count": 10,
                          "latency_sum": 6.5})

    def test_a_histogram_without_a_native_form_is_left_out_and_costs_no_other(self):
        sink = self.deliver(
            "&native_histograms=all",
            request(Histogram(-5, (0, (1,))).metric("too_coarse", self.now),
                    HISTOGRAMS["plain"].metric("plain", self.now)))
        self.assertEqual((sink["written"], sink["samples"], sink["left_out"]), (1, 1, 1))
        self.assert_stored({"plain": HISTOGRAMS["plain"]})
        self.assertEqual(self.query("too_coarse"), {})

    def test_a_series_ends_where_its_sender_says_that_it_has_no_value(self):
        later = self.now + 15_000 * MS
        self.deliver("&native_histograms=all",
                     request(HISTOGRAMS["plain"].metric("plain", self.now)),
                     request(Histogram(0).metric("plain", later, flags=NO_RECORDED_VALUE)))
        self.assert_stored({"plain": HISTOGRAMS["plain"]})
        self.assertEqual(self.query("plain", later + 1000 * MS), {})

    def test_quantiles_and_rates_are_computed_of_them(self):
        first = HISTOGRAMS["plain"]
        more = first._replace(positive=(-2, (2, 0, 8, 4, 2)), zeros=2, sum=33.5)
        self.deliver("&native_histograms=all", request(first.metric("plain", self.now)),
                     request(more.metric("plain", self.now + 60_000 * MS)))
        grown, = self.query("histogram_count(increase(plain[61s]))",
                            self.now + 60_000 * MS).values()
        self.assertAlmostEqual(float(grown["value"][1]), 9, delta=1)

    def test_exemplars_are_stored_with_their_trace(self):
        trace = bytes(range(16))
        one = (fixed64(2, self.now) + double(3, 1.5) + message(5, trace) +
               message(7, text(1, "user.id") + message(2, text(1, "u1"))))
        sink = self.deliver("&native_histograms=all&exemplars=on", request(
            HISTOGRAMS["plain"].metric("plain", self.now, exemplars=message(11, one))))
        self.assertEqual(sink["written"], 1)
        answer, = ask(f"{self.url}/query_exemplars", query="plain",
                      start=self.now / 1000 / MS - 60, end=self.now / 1000 / MS + 60)
        series, = answer["data"]
        self.assertEqual(series["seriesLabels"], {"__name__": "plain", "host": "web1"})
        found, = series["exemplars"]
        self.assertEqual((found["labels"], float(found["value"])),
                         ({"trace_id": trace.hex(), "user_id": "u1"}, 1.5))

    def test_a_delta_is_a_gauge_histogram(self):
        self.deliver("&native_histograms=all", *[
            request(HISTOGRAMS["plain"]._replace(sum=float(number)).metric(
                "plain", self.now + number * 1000 * MS, DELTA)) for number in range(3)])
        self.assert_stored({"plain": HISTOGRAMS["plain"]._replace(sum=2.0)},
                           self.now + 2000 * MS)


if __name__ == "__main__":
    main()
