"""Tests the content of `http:` sinks' requests in each format, and how the answers are understood.
"""
import json
import subprocess
import unittest

from built import beside, command
from http_store import CLOSE, Store
from protobuf import integer, message, metric, split, text
from sluice_program import CAPTURES, DEADLINE, RIEMANN, SLUICE, ProgramTest

LATER = "flush_interval=300ms&in_flight=1"


class Formats(ProgramTest):
    def store(self, *script):
        store = Store(*script)
        self.addCleanup(store.close)
        return store

    def deliver(self, store, keys, values, listener=RIEMANN, more=()):
        """Sends one block with these values. Returns the sink's ledger."""
        program = self.start("--listen", listener, "--sink", f"http:{store.place}?{LATER}&{keys}",
                             *more)
        self.sender(program).send_all([metric(value) for value in values])
        program.wait_for_settled(len(values))
        sink = program.stop()["sinks"][0]
        self.said = "\n".join(program.log())
        return sink

    def counts(self, sink):
        """The counts that are not zero."""
        terms = ("written", "unknown", "possible_duplicates", "points_rejected")
        found = {**{term: sink[term] for term in terms}, **sink["failed"]}
        return {term: count for term, count in found.items() if count != 0}


class Otlp(Formats):
    def points(self, body):
        """The values in a request, read by a decoder that accepts only one message."""
        read = subprocess.run(command(beside(SLUICE, "sluice-decode"), "--schema", "otlp"),
                              input=body, capture_output=True, timeout=DEADLINE, check=True).stdout
        return [point["asDouble"] for resource in json.loads(read)["resourceMetrics"]
                for scope in resource["scopeMetrics"] for a_metric in scope["metrics"]
                for point in a_metric["gauge"]["dataPoints"]]

    def test_a_block_is_one_request(self):
        store = self.store()
        sink = self.deliver(store, "format=otlp", range(100))
        self.assertEqual(self.counts(sink), {"written": 100})
        (request,) = store.requests
        self.assertEqual(self.points(request.body), list(range(100)))
        self.assertEqual(request.path, "/write/v1/metrics")
        self.assertEqual(request.headers["content-type"], "application/x-protobuf")

    def test_messages_of_each_signal_go_where_it_belongs_as_they_are(self):
        for name, schema, path in (("otlp_metrics_v4", "otlp", "metrics"),
                                   ("otlp_logs_v4", "otlp-logs", "logs"),
                                   ("otlp_traces_v4", "otlp-traces", "traces")):
            with self.subTest(schema=schema):
                store = self.store()
                messages = self.folder / schema
                _, ledger = self.run_to_end(
                    "--listen", f"pcap:{CAPTURES / name}.pcap?schema={schema}", "--sink",
                    f"http://127.0.0.1:{store.port}/v1/traces?format=otlp",
                    "--sink", f"file:{messages}?format=protobuf")
                self.assertEqual(ledger["sinks"][0]["written"], ledger["sinks"][1]["written"])
                self.assertEqual(store.stored, b"".join(split(messages.read_bytes())))
                self.assertEqual({request.path for request in store.requests}, {f"/v1/{path}"})

    def test_what_a_receiver_left_out_is_counted_and_not_sent_again(self):
        answer = message(1, integer(1, 3) + text(2, "too old\n"))
        store = self.store((200, {"Content-Type": "application/x-protobuf"}, answer))
        sink = self.deliver(store, "format=otlp", range(10))
        self.assertEqual(self.counts(sink), {"written": 10, "points_rejected": 3})
        self.assertEqual(len(store.requests), 1)
        self.assertIn("accepted a request without 3 of its data points: too old?", self.said)

    def test_an_answer_that_is_nonsense_changes_nothing(self):
        for body in (b"\xff" * 30, b"\x0a\x7f\x08", b"<html>", b"\x0a\x0b\x08" + b"\xff" * 10,
                     b"\x08\x01" * 20000):
            with self.subTest(body=body[:8]):
                sink = self.deliver(self.store((200, {}, body)), "format=otlp", range(2))
                self.assertEqual(self.counts(sink), {"written": 2})

    def test_four_answers_are_tried_again_and_no_other(self):
        for status, twice in ((429, 0), (502, 1), (503, 0), (504, 1)):
            with self.subTest(status=status):
                sink = self.deliver(self.store(status), "format=otlp", range(2))
                expected = {"written": 2}
                if twice:
                    expected["possible_duplicates"] = 2
                self.assertEqual(self.counts(sink), expected)
        for status in (404, 408, 500, 501):
            with self.subTest(status=status):
                store = self.store(status)
                sink = self.deliver(store, "format=otlp", range(2))
                self.assertEqual(self.counts(sink), {"rejected": 2})
                self.assertEqual(len(store.requests), 1)

    def test_a_gateways_answer_is_not_tried_again_where_that_was_forbidden(self):
        sink = self.deliver(self.store(502), "format=otlp&retry=at_most_once", range(2))
        self.assertEqual(self.counts(sink), {"unknown": 2})


class Halves(Formats):
    def refuses(self, *bad, status=400, times=100):
        """A server that refuses requests that contain one of these values."""
        def step(request):
            values = {json.loads(line)["value"] for line in request.body.decode().splitlines()}
            return status if values & set(bad) else 204
        return self.store(*[step] * times)

    def test_one_bad_record_costs_none_of_the_others(self):
        store = self.refuses(37)
        sink = self.deliver(store, "format=json", range(100))
        self.assertEqual(self.counts(sink), {"written": 99, "rejected": 1})
        self.assertEqual(sorted(json.loads(line)["value"] for line in store.lines()),
                         [value for value in range(100) if value != 37])
        self.assertIn("1 record was not delivered, or may not have been: the server answered 400",
                      self.said)

    def test_where_all_are_bad_each_is_tried_by_itself(self):
        store = self.refuses(*range(100), times=200)
        sink = self.deliver(store, "format=json", range(100))
        self.assertEqual(self.counts(sink), {"rejected": 100})
        self.assertEqual(len(store.requests), 199)

    def test_a_server_that_takes_less_at_a_time_gets_less(self):
        def step(request):
            return 413 if len(request.body) > 2000 else 204
        store = self.store(*[step] * 100)
        sink = self.deliver(store, "format=json", range(50))
        self.assertEqual(self.counts(sink), {"written": 50})
        self.assertEqual(len(store.lines()), 50)

    def test_each_part_of_csv_has_its_head(self):
        def step(request):
            return 413 if request.body.count(b"\n") > 6 else 204
        store = self.store(*[step] * 100)
        sink = self.deliver(store, "format=csv", range(20))
        self.assertEqual(self.counts(sink), {"written": 20})
        bodies = [request.body for request in store.requests if request.body.count(b"\n") <= 6]
        head = bodies[0].split(b"\n")[0]
        self.assertIn(b"name", head)
        self.assertTrue(all(body.startswith(head + b"\n") for body in bodies))
        self.assertEqual(sum(body.count(b"\n") - 1 for body in bodies), 20)

    def test_what_the_server_did_not_answer_in_between_is_unknown_alone(self):
        store = self.store(400, 204, CLOSE)
        sink = self.deliver(store, "format=json", range(10))
        self.assertEqual(self.counts(sink), {"written": 5, "unknown": 5})


class Gateways(Formats):
    def test_without_an_answer_of_the_origins_it_is_unknown(self):
        for status in (502, 504):
            with self.subTest(status=status):
                sink = self.deliver(self.store(status), "format=json", range(2))
                self.assertEqual(self.counts(sink), {"unknown": 2})
                sink = self.deliver(self.store(status), "format=influx", range(2))
                self.assertEqual(self.counts(sink), {"written": 2, "possible_duplicates": 2})


if __name__ == "__main__":
    unittest.main()
