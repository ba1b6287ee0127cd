"""Tests native histograms, exemplars, start times and metadata in format=remote-write. Google's
protobuf reads the requests."""
import math
import struct
import unittest

from http_store import Store
from otlp_histograms import TIME, Explicit, Histogram, request
from protobuf import double, fixed64, integer, message, text
from remote_write_messages import read_request
from sluice_program import ProgramTest
from test_remote_write_format import knows_2, shape_of

MS = 10 ** 6
OTLP = "udp://127.0.0.1:0?schema=otlp"
DELTA = 1
STALE = 0x7ff0000000000002
HISTOGRAM, GAUGE_HISTOGRAM = 3, 4  # types
GAUGE_HINT = 3


def exemplar(value, at, labels=(), trace=b"", span=b""):
    return (fixed64(2, at) + double(3, value) + message(4, span) + message(5, trace) +
            b"".join(message(7, text(1, key) + message(2, text(1, value)))
                     for key, value in labels))


def counts_of(histogram, side="positive"):
    """The counts of one side of a histogram, by Prometheus' bucket index."""
    spans, deltas = getattr(histogram, f"{side}_spans"), getattr(histogram, f"{side}_deltas")
    found, at, count, numbers = {}, 0, 0, iter(deltas)
    for number, span in enumerate(spans):
        if number != 0 and span.offset < 3:
            raise AssertionError(f"a gap of {span.offset} between two spans")
        at += span.offset
        for _ in range(span.length):
            count += next(numbers)
            found[at] = count
            at += 1
    if list(numbers):
        raise AssertionError("more deltas than the spans have")
    return {at: count for at, count in found.items() if count != 0}


class NativeTest(ProgramTest):
    def send(self, keys, *datagrams):
        """The time series of all requests, and the sink's counts. The first request has version 1.0
        and the others 2.0, unless the keys demand 2.0."""
        store = Store(*[knows_2] * 100)
        self.addCleanup(store.close)
        program = self.start("--listen", OTLP, "--sink",
                             f"http:{store.place}?format=remote-write&in_flight=1"
                             f"&flush_interval=20ms{keys}")
        sender = self.sender(program)
        for number, datagram in enumerate(datagrams):
            sender.send(datagram)
            program.wait_for_settled(number + 1)
        self.sizes = [len(one.body) for one in store.requests]
        self.shapes = [shape_of(one) for one in store.requests]
        return [series for one in store.requests
                for series in read_request(one.body, shape_of(one))], program.stop()["sinks"][0]

    def send_one(self, keys, metric):
        """The series of a metric in 2.0."""
        series, _ = self.send(keys, request(Explicit((), (1,), 0.0).metric("other", TIME)),
                              request(metric))
        self.assertEqual(self.shapes[-1], 2)
        return [one for one in series if not one["labels"]["__name__"].startswith("other")]


class Histograms(NativeTest):
    def test_an_exponential_one_is_the_same_in_both_versions(self):
        sent = Histogram(3, (-40, (7,) + (0,) * 50 + (1, 0, 0, 3)), (2, (4,)), 5, 0.5, -1.25)
        series, sink = self.send("&native_histograms=exponential",
                                 *[request(sent.metric("h", TIME))] * 3)
        self.assertEqual(self.shapes, [1, 2, 2])
        self.assertEqual((sink["written"], sink["samples"], sink["lines"]), (3, 3, 3))
        for one in series:
            self.assertEqual(one["labels"], {"__name__": "h", "host": "web1"})
            self.assertEqual(len(one["series"].samples), 0)
            found, = one["series"].histograms
            self.assertEqual((found.count_int, found.sum, found.schema, found.zero_threshold,
                              found.zero_count_int, found.reset_hint, found.timestamp),
                             (20, -1.25, 3, 0.5, 5, 0, TIME // MS))
            self.assertEqual(counts_of(found), {-39: 7, 12: 1, 15: 3})
            self.assertEqual(counts_of(found, "negative"), {3: 4})
            self.assertEqual(list(found.custom_values), [])

    def test_a_scale_above_8_is_merged_down(self):
        counts = tuple(range(1, 3000))
        one, = self.send_one("&native_histograms=exponential",
                             Histogram(20, (-1500, counts)).metric("h", TIME))
        found, = one["series"].histograms
        merged = {}
        for number, count in enumerate(counts):
            at = (number - 1500 >> 12) + 1
            merged[at] = merged.get(at, 0) + count
        self.assertEqual((found.schema, counts_of(found)), (8, merged))

    def test_buckets_limits_the_number_of_buckets(self):
        one, = self.send_one("&native_histograms=exponential&buckets=20",
                             Histogram(5, (-80, (1,) * 160)).metric("h", TIME))
        found, = one["series"].histograms
        self.assertEqual((found.schema, sum(counts_of(found).values())), (1, 160))
        self.assertLessEqual(len(counts_of(found)), 20)

    def test_one_without_a_threshold_has_that_of_opentelemetry(self):
        one, = self.send_one("&native_histograms=exponential",
                             Histogram(0, zeros=3).metric("h", TIME))
        found, = one["series"].histograms
        self.assertEqual((found.zero_threshold, found.zero_count_int), (1e-128, 3))

    def test_a_delta_is_a_gauge_histogram(self):
        one, = self.send_one("&native_histograms=exponential",
                             Histogram(0, (0, (1,))).metric("h", TIME, DELTA))
        found, = one["series"].histograms
        self.assertEqual((found.reset_hint, one["series"].metadata.type),
                         (GAUGE_HINT, GAUGE_HISTOGRAM))

    def test_an_explicit_one_has_custom_buckets_in_2_0_from_the_first_request_on(self):
        series, sink = self.send("&native_histograms=all", *[
            request(Explicit((0.1, 0.5, 1, 2, 4), (3, 0, 0, 0, 2, 1), 0.61).metric("h", TIME))] * 2)
        self.assertEqual((self.shapes, sink["written"]), ([2, 2], 2))
        for one in series:
            found, = one["series"].histograms
            self.assertEqual((found.schema, found.count_int, found.sum), (-53, 6, 0.61))
            self.assertEqual(list(found.custom_values), [0.1, 0.5, 1, 2, 4])
            self.assertEqual(counts_of(found), {0: 3, 4: 2, 5: 1})
            self.assertEqual((found.zero_threshold, len(found.negative_spans)), (0, 0))

    def test_a_server_that_does_not_prove_to_know_2_0_has_not_stored_custom_buckets(self):
        store = Store()
        self.addCleanup(store.close)
        program = self.start("--listen", OTLP, "--sink",
                             f"http:{store.place}?format=remote-write&native_histograms=all")
        self.sender(program).send(request(Explicit((1,), (3, 1), 1.0).metric("h", TIME)))
        program.wait_for_settled(1)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["rejected"]), (0, 1))
        self.assertIn("does not know remote write 2.0", "\n".join(program.log()))

    def test_one_that_has_no_native_form_is_left_out_and_counted(self):
        wrong = {
            "too coarse": Histogram(-5, (0, (1,))).metric("h", TIME),
            "threshold": Histogram(0, (0, (1,)), threshold=-1.0).metric("h", TIME),
            "too many": Explicit((1,), (2 ** 63, 1), 1.0).metric("h", TIME),
        }
        for why, metric in wrong.items():
            with self.subTest(why):
                series, sink = self.send("&native_histograms=all", request(
                    metric, Histogram(0, (0, (1,))).metric("good", TIME)))
                self.assertEqual([one["labels"]["__name__"] for one in series], ["good"])
                self.assertEqual((sink["written"], sink["samples"], sink["left_out"]), (1, 1, 1))

    def test_numbers_and_native_histograms_of_one_name_are_two_series(self):
        gauge = text(1, "h") + message(5, message(1, fixed64(3, TIME) + double(4, 2.5) +
                                                  message(7, text(1, "host") +
                                                          message(2, text(1, "web1")))))
        series, _ = self.send("&native_histograms=all", request(
            Histogram(0, (0, (1,))).metric("h", TIME), gauge))
        self.assertEqual([(len(one["series"].samples), len(one["series"].histograms))
                          for one in series], [(1, 0), (0, 1)])
        self.assertEqual([one["labels"] for one in series],
                         [{"__name__": "h", "host": "web1"}] * 2)

    def test_a_sum_that_was_not_sent_is_not_a_number(self):
        point = fixed64(3, TIME) + fixed64(4, 1) + fixed64(7, 1)
        one, = self.send_one("&native_histograms=all", text(1, "h") + message(
            10, message(1, point) + integer(2, 2)))
        found, = one["series"].histograms
        self.assertTrue(math.isnan(found.sum))
        self.assertNotEqual(struct.unpack("<Q", struct.pack("<d", found.sum))[0], STALE)

    def test_native_requests_are_a_fraction_of_classic_ones(self):
        sent = request(Histogram(5, (-80, tuple(3 + at % 11 for at in range(160)))).metric(
            "http.server.duration", TIME))
        self.send("", sent)
        classic, = self.sizes
        self.send("&native_histograms=exponential", sent)
        native, = self.sizes
        print(f"one histogram of 160 buckets: {len(sent)} bytes of OTLP, {classic} bytes of classic "
              f"buckets in snappy, {native} native", flush=True)
        self.assertLess(native * 8, classic)


class Staleness(NativeTest):
    def bits(self, value):
        return struct.unpack("<Q", struct.pack("<d", value))[0]

    def test_a_point_without_a_value_ends_its_series(self):
        flagged = Histogram(0).metric("h", TIME, flags=1)
        gauge = text(1, "g") + message(5, message(1, fixed64(3, TIME) + integer(8, 1)))
        series, sink = self.send("&native_histograms=all", request(flagged, gauge))
        self.assertEqual((sink["written"], sink["samples"]), (1, 2))
        values = {one["labels"]["__name__"]: one["series"] for one in series}
        self.assertEqual(self.bits(values["h"].histograms[0].sum), STALE)
        self.assertEqual(self.bits(values["g"].samples[0].value), STALE)

    def test_so_do_those_of_a_classic_histogram(self):
        series, _ = self.send("", request(Histogram(0).metric("h", TIME, flags=1)))
        self.assertEqual({one["labels"]["__name__"] for one in series},
                         {"h_bucket", "h_sum", "h_count"})
        for one in series:
            self.assertEqual(self.bits(one["series"].samples[0].value), STALE)


class Metadata(NativeTest):
    def test_a_series_has_type_unit_help_and_start_in_2_0(self):
        for keys in ("", "&native_histograms=all"):
            for one in self.send_one(keys, Histogram(0, (0, (1,))).metric("h", TIME)):
                self.assertEqual((one["series"].metadata.type, one["unit"], one["help"]),
                                 (HISTOGRAM, "s", "help of h"))
                for value in (*one["series"].samples, *one["series"].histograms):
                    self.assertEqual(value.start_timestamp, TIME // MS - 5000)

    def test_a_gauge_has_no_start(self):
        point = fixed64(2, TIME - MS) + fixed64(3, TIME) + double(4, 2.5)
        one, = self.send_one("", text(1, "g") + message(5, message(1, point)))
        self.assertEqual((one["series"].samples[0].start_timestamp, one["help"], one["unit"]),
                         (0, "", ""))

    def test_a_start_after_the_value_is_none(self):
        point = fixed64(2, TIME + 10 * MS) + fixed64(3, TIME) + double(4, 2.5)
        one, = self.send_one("", text(1, "c") + message(
            7, message(1, point) + integer(2, 2) + integer(3, 1)))
        self.assertEqual(one["series"].samples[0].start_timestamp, 0)


class Exemplars(NativeTest):
    TRACE, SPAN = bytes(range(16)), bytes(range(8))

    def exemplars(self, *list_of):
        return b"".join(message(11, one) for one in list_of)

    def test_they_are_sent_only_with_their_key(self):
        metric = Histogram(0, (0, (1,))).metric("h", TIME, exemplars=self.exemplars(
            exemplar(1.5, TIME)))
        self.assertEqual(self.send_one("&native_histograms=all", metric)[0]["exemplars"], [])

    def test_a_native_histogram_has_its_own_by_time_in_both_versions(self):
        metric = Histogram(0, (0, (3,))).metric("h", TIME, exemplars=self.exemplars(
            exemplar(1.75, TIME - MS, [("user.id", "u1"), ("empty", "")], self.TRACE, self.SPAN),
            exemplar(1.5, TIME - 2 * MS)))
        series, _ = self.send("&native_histograms=exponential&exemplars=on", request(metric),
                              request(metric))
        self.assertEqual(self.shapes, [1, 2])
        for one in series:
            self.assertEqual(one["exemplars"], [
                ({}, 1.5, TIME // MS - 2),
                ({"trace_id": self.TRACE.hex(), "span_id": self.SPAN.hex(), "user_id": "u1"},
                 1.75, TIME // MS - 1)])

    def test_a_classic_bucket_has_those_with_its_values(self):
        point = (fixed64(3, TIME) + fixed64(4, 3) + double(5, 1.0) +
                 b"".join(fixed64(6, count) for count in (1, 1, 1)) +
                 b"".join(double(7, bound) for bound in (0.5, 1.0)) +
                 b"".join(message(8, exemplar(value, TIME)) for value in (7.0, 0.5, 0.25, 0.75)))
        series = self.send_one("&exemplars=on", text(1, "h") + message(
            9, message(1, point) + integer(2, 2)))
        found = {one["labels"].get("le"): [value for _, value, _ in one["exemplars"]]
                 for one in series}
        self.assertEqual(found, {"0.5": [0.25, 0.5], "1": [0.75], "+Inf": [7.0], None: []})

    def test_labels_of_one_have_128_characters_at_most(self):
        metric = Histogram(0, (0, (1,))).metric("h", TIME, exemplars=self.exemplars(exemplar(
            1.5, TIME, [("a", "x" * 40), ("long", "y" * 60), ("b", "\u00e9" * 10)], self.TRACE,
            self.SPAN)))
        one, = self.send_one("&native_histograms=all&exemplars=on", metric)
        (labels, _, _), = one["exemplars"]
        self.assertEqual(labels, {"trace_id": self.TRACE.hex(), "span_id": self.SPAN.hex(),
                                  "a": "x" * 40, "b": "\u00e9" * 10})
        self.assertLessEqual(sum(len(key) + len(value) for key, value in labels.items()), 128)

    def test_a_sample_with_more_than_256_fails_as_too_large(self):
        metric = Histogram(0, (0, (1,))).metric("h", TIME, exemplars=self.exemplars(
            *[exemplar(1.5, TIME)] * 257))
        _, sink = self.send("&native_histograms=all&exemplars=on", request(metric))
        self.assertEqual((sink["written"], sink["failed"]["too_large"]), (0, 1))


if __name__ == "__main__":
    unittest.main()
