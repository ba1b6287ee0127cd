"""Tests format=remote-write: each block becomes a request with the content of format=prometheus, in
version 1.0 or 2.0."""
import math
import re
import unittest

from capture_writing import write_capture
from format_texts import random_events
from http_store import CLOSE, Store
from protobuf import metric, riemann, sample, telemetry
from remote_write_reading import samples
from sluice_program import RIEMANN, ProgramTest
from test_formats import OTLP

MS = 10 ** 6
TIME = 1700000000 * 10 ** 9
LINE = re.compile(r'([^{ ]+)(?:\{(.*)\})? (\S+) (-?\d+)')
LABEL = re.compile(r'([^=,]+)="((?:[^"\\]|\\.)*)"')
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


def lines_of(text):
    """The content of format=prometheus lines. The last line of a series and time counts."""
    found = {}
    for line in text.split("\n")[:-1]:
        name, labels, value, moment = LINE.fullmatch(line).groups()
        pairs = frozenset((key, re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], text))
                          for key, text in LABEL.findall(labels or ""))
        found[name, pairs, int(moment)] = float(value)
    return found


PROOF = {"X-Prometheus-Remote-Write-Samples-Written": "1"}
SHAPES = {"0.1.0": 1, "2.0.0": 2}


def shape_of(request):
    """The version (1 or 2) of a request, whose three headers must agree."""
    shape = SHAPES[request.headers["x-prometheus-remote-write-version"]]
    wanted = ("application/x-protobuf" if shape == 1 else
              "application/x-protobuf;proto=io.prometheus.write.v2.Request")
    if (request.headers["content-type"], request.headers["content-encoding"]) != (wanted, "snappy"):
        raise AssertionError(request.headers)
    return shape


def knows_2(request):
    """A step of a server that accepts 2.0."""
    return (204, PROOF) if shape_of(request) == 2 else 204


class RemoteWriteTest(ProgramTest):
    def store(self, *script):
        store = Store(*script)
        self.addCleanup(store.close)
        return store

    def run_listener(self, listener, keys=""):
        """The content of the requests, the output of format=prometheus, and the sink's counts."""
        store = self.store(*[knows_2] * 1000)
        program, ledger = self.run_to_end(
            "--listen", listener,
            "--sink", f"http:{store.place}?format=remote-write&in_flight=1{keys}",
            "--sink", f"file:{self.folder}/out.prom?format=prometheus{keys}")
        self.assertEqual(program.log(), [])
        sink = ledger["sinks"][0]
        found = {}
        for request in store.requests:
            found.update(samples(request.body, shape_of(request)))
        with open(self.folder / "out.prom", encoding="utf-8", newline="") as lines:
            return found, lines_of(lines.read()), sink, store

    def run_datagrams(self, datagrams, schema, keys=""):
        path = self.folder / "sent.pcap"
        write_capture(path, datagrams)
        return self.run_listener(f"pcap:{path}?schema={schema}", keys)

    def assert_alike(self, found, wanted):
        self.assertEqual(set(found), set(wanted))
        for key, value in wanted.items():
            same = math.isnan(found[key]) if math.isnan(value) else found[key] == value
            self.assertTrue(same, (key, value, found[key]))


class Series(RemoteWriteTest):
    def test_of_a_capture_of_otlp_every_number_is_there(self):
        found, wanted, sink, _ = self.run_listener(OTLP)
        self.assert_alike(found, wanted)
        self.assertEqual((sink["written"], sink["samples"], sink["lines"]), (8, 113, len(found)))

    def test_names_and_texts_of_any_kind_are_as_prometheus_takes_them(self):
        found, wanted, _, store = self.run_datagrams(
            [riemann({**event, "time_micros": 1000 * number})
             for number, event in enumerate(random_events(21, 8000))], "riemann")
        self.assert_alike(found, wanted)
        self.assertEqual({shape_of(request) for request in store.requests}, {1, 2})

    def test_numbers_of_any_kind_and_histograms_of_a_rule(self):
        found, wanted, *_ = self.run_datagrams([telemetry(
            sample("nan", double=float("nan"), time=TIME),
            sample("inf", double=float("-inf"), time=TIME),
            sample("large", kind=1, uint=2 ** 64 - 1, time=TIME),
            sample("early", int=-1, time=1),
            sample("7 up!", int=1, time=TIME, labels=[("le", "x"), ("__name__", "y"), ("A", "z")]),
            sample("h", kind=2, time=TIME, labels=[("le", "x"), ("quantile", "y")], histogram={
                "count": 5, "sum": 0.61, "bounds": [0.1, 0.5], "counts": [3, 2, 0]}),
            labels=[("host", "web1"), ("Zone", "b")])], "telemetry",
            "&add_label=collector=c1&rename=early:late")
        self.assert_alike(found, wanted)
        self.assertIn(("h_bucket", frozenset({
            ("le", "+Inf"), ("exported_le", "x"), ("quantile", "y"), ("host", "web1"),
            ("Zone", "b"), ("collector", "c1")}), TIME // MS), found)

    def test_a_series_is_there_once_in_order_and_of_a_millisecond_keeps_the_last(self):
        sent = [(3, 1), (1, 2), (2, 3), (1, 4), (3, 5), (0, 6)]
        found, *_ = self.run_datagrams(
            [telemetry(sample("a", double=float(value), time=TIME + moment * MS + value),
                       labels=[("host", "b")]) for moment, value in sent], "telemetry")
        labels = frozenset({("host", "b")})
        self.assertEqual(found, {("a", labels, TIME // MS + moment): float(value)
                                 for moment, value in {0: 6, 1: 4, 2: 3, 3: 5}.items()})


class Shapes(RemoteWriteTest):
    def send_apart(self, store, count):
        """Sends each record in a separate block. Returns the sink's counts."""
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}?format=remote-write&in_flight=1&flush_interval=20ms")
        sender = self.sender(program)
        for number in range(count):
            sender.send(metric(number))
            program.wait_for_settled(number + 1)
        return program.stop()["sinks"][0]

    def assert_shapes(self, step, expected, count=4):
        store = self.store(*[step] * 100)
        sink = self.send_apart(store, count)
        self.assertEqual((sink["written"], sink["possible_duplicates"]), (count, 0))
        self.assertEqual([shape_of(request) for request in store.requests], expected)

    def test_a_server_of_2_0_gets_it_once_it_has_proved_to_know_it(self):
        self.assert_shapes(knows_2, [1, 2, 2, 2])

    def test_a_server_of_1_0_gets_everything_as_1_0_and_is_asked_once(self):
        self.assert_shapes(204, [1, 2, 1, 1, 1])

    def test_so_does_one_that_refuses_2_0(self):
        for status in (400, 404, 415, 500):
            with self.subTest(status=status):
                self.assert_shapes(lambda request: status if shape_of(request) == 2 else 204,
                                   [1, 2, 1, 1, 1])

    def test_a_server_that_forgets_2_0_gets_1_0_again(self):
        store = self.store(204, (204, PROOF), 204, 204, 204)
        sink = self.send_apart(store, 4)
        self.assertEqual(sink["written"], 4)
        self.assertEqual([shape_of(request) for request in store.requests], [1, 2, 2, 1, 1])


class Answers(RemoteWriteTest):
    def send_block(self, store, count, keys=""):
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}?format=remote-write&flush_interval=300ms{keys}")
        self.sender(program).send_all([
            riemann({"service": "a", "metric_sint64": value, "time_micros": TIME // 1000 + 1000 * value})
            for value in range(count)])
        program.wait_for_settled(count)
        return program.stop()["sinks"][0]

    def test_what_is_not_answered_is_sent_again(self):
        sink = self.send_block(self.store(CLOSE), 3)
        self.assertEqual((sink["written"], sink["possible_duplicates"]), (3, 3))

    def test_a_server_error_is_tried_again(self):
        sink = self.send_block(self.store(500, 500, 429), 3)
        self.assertEqual((sink["written"], sink["possible_duplicates"]), (3, 0))

    def test_a_sample_that_is_refused_costs_none_of_the_others(self):
        def step(request):
            values = samples(request.body, shape_of(request)).values()
            return 400 if 5 in values else knows_2(request)
        sink = self.send_block(self.store(*[step] * 100), 10)
        self.assertEqual((sink["written"], sink["failed"]["rejected"]), (9, 1))


class Refused(RemoteWriteTest):
    def test_where_no_request_is_sent(self):
        for sink in ("stdout:?", f"file:{self.folder}/x?"):
            said = self.refused("--listen", RIEMANN, "--sink", f"{sink}format=remote-write", code=64)
            self.assertIn("format=remote-write writes HTTP requests; write http: or https:", said)


if __name__ == "__main__":
    unittest.main()
