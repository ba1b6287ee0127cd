"""OTLP over UDP: one request per datagram, its metrics as samples, and every field by its number.
"""
import unittest

from protobuf import double, fixed32, fixed64, integer, message, text, zigzag
from sluice_program import ANY_PORT, ProgramTest

METRICS, LOGS, TRACES = (f"{ANY_PORT}?schema={name}" for name in
                         ("otlp", "otlp-logs", "otlp-traces"))
T0 = 1700000000 * 10 ** 9  # 2023-11-14T22:13:20Z


def attribute(number, key, value):
    return message(number, text(1, key) + message(2, value))


def string(value):
    return text(1, value)


KV = [{"key": "k", "value": {"string_value": "v"}}]


def put_kv(number):
    return attribute(number, "k", string("v"))


# A resource and a scope with all their fields, as bytes and as JSON.
RESOURCE = put_kv(1) + integer(2, 3) + message(
    3, text(1, "url") + text(2, "service") + text(3, "a") + text(3, "b") + text(4, "c"))
RESOURCE_TOLD = {"attributes": KV, "dropped_attributes_count": 3, "entity_refs": [
    {"schema_url": "url", "type": "service", "id_keys": ["a", "b"], "description_keys": ["c"]}]}
SCOPE = text(1, "lib") + text(2, "1.2") + put_kv(3) + integer(4, 5)
SCOPE_TOLD = {"name": "lib", "version": "1.2", "attributes": KV, "dropped_attributes_count": 5}


def request(item):
    """A request with one item (a metric, a log record, a span), and a resource and scope with all
    fields."""
    return message(1, message(1, RESOURCE) + message(
        2, message(1, SCOPE) + message(2, item) + text(3, "scope's")) + text(3, "resource's"))


def request_reported(name, items, item):
    """The JSON of `request`. `name` is "metrics", for example, and `items` the name of the scope's
    list."""
    return {f"resource_{name}": [{"resource": RESOURCE_TOLD, "schema_url": "resource's",
                                  f"scope_{name}": [{"scope": SCOPE_TOLD, "schema_url": "scope's",
                                                     items: [item]}]}]}


class OtlpTest(ProgramTest):
    def lines_of(self, listener, *datagrams, sink="stdout:"):
        program = self.start("--listen", listener, "--sink", sink)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], len(datagrams))
        return program.output(), ledger

    def message_of(self, listener, datagram):
        lines, ledger = self.lines_of(listener, datagram, sink="stdout:?view=message&names=proto")
        self.assertEqual(ledger["sinks"][0]["samples"], 0)
        (line,) = lines
        self.assertEqual(line["bytes"], len(datagram))
        return line["message"]


class Requests(OtlpTest):
    def test_a_point_is_a_line(self):
        exemplar = (fixed64(2, T0 + 1) + double(3, 0.5) + text(4, b"\xaa" * 8) +
                    text(5, b"\xbb" * 16) + attribute(7, "user", integer(3, 7)))
        point = (fixed64(2, T0 - 10 ** 9) + fixed64(3, T0) + fixed64(6, 42) + message(5, exemplar) +
                 attribute(7, "k", string("point's")) + attribute(7, "n", double(4, 1.5)))
        (line,), ledger = self.lines_of(METRICS, request(
            text(1, "requests") + text(3, "1") +
            message(7, message(1, point) + integer(2, 2) + integer(3, 1))))
        for fact in ("received", "source", "listener"):
            del line[fact]
        self.assertEqual(line, {
            "time": "2023-11-14T22:13:20.000000000Z", "name": "requests", "kind": "counter",
            "temporality": "cumulative", "value": 42,
            "start_time": "2023-11-14T22:13:19.000000000Z", "unit": "1",
            "labels": {"k": "point's", "n": "1.5", "otel.scope.name": "lib",
                       "otel.scope.version": "1.2"},
            "exemplars": [{"time": "2023-11-14T22:13:20.000000001Z", "value": 0.5,
                           "trace_id": "bb" * 16, "span_id": "aa" * 8, "labels": {"user": "7"}}]})
        self.assertEqual((ledger["sinks"][0]["lines"], ledger["sinks"][0]["samples"]), (1, 1))

    def test_a_request_without_samples_is_filtered(self):
        lines, ledger = self.lines_of(METRICS, request(text(1, "nothing")), message(1, b""))
        self.assertEqual(lines, [])
        self.assertEqual(ledger["sinks"][0]["filtered"], 2)

    def test_an_empty_datagram_is_no_request(self):
        program = self.start("--listen", METRICS, "--listen", LOGS, "--listen", TRACES, listeners=3)
        for number in range(3):
            self.sender(program, number).send(b"")
            program.wait_for_received(1, number)
        ledger = program.stop()
        self.assertEqual([counts["reasons"]["empty"] for counts in ledger["listeners"]], [1, 1, 1])

    def test_logs_and_traces_are_lines_of_messages(self):
        for listener, name in ((LOGS, "resourceLogs"), (TRACES, "resourceSpans")):
            (line,), ledger = self.lines_of(listener, message(1, b""))
            self.assertEqual(line["message"], {name: [{}]})
            self.assertEqual(ledger["sinks"][0]["samples"], 0)


class Fields(OtlpTest):
    """Every field by its number, including those that no capture has. Fields of bytes are tested
    with the captures."""

    def assert_metric(self, number, name, data, told):
        self.assertEqual(
            self.message_of(METRICS, request(text(1, "n") + text(2, "d") + text(3, "u") +
                                             message(number, data) + put_kv(12))),
            request_reported("metrics", "metrics", {
                "name": "n", "description": "d", "unit": "u", name: told, "metadata": KV}))

    def test_gauges_and_sums(self):
        exemplars = message(5, fixed64(2, 9) + fixed64(6, 8) + put_kv(7)) + message(5, double(3, 0))
        point = fixed64(2, 1) + fixed64(3, 2) + double(4, 0.5) + exemplars + put_kv(7)
        told = {"start_time_unix_nano": "1", "time_unix_nano": "2", "as_double": 0.5,
                "exemplars": [{"time_unix_nano": "9", "as_int": "8", "filtered_attributes": KV},
                              {"as_double": 0}], "attributes": KV}
        self.assert_metric(5, "gauge", message(1, point), {"data_points": [told]})
        data = message(1, fixed64(6, 1) + integer(8, 1)) + integer(2, 1) + integer(3, 1)
        self.assert_metric(7, "sum", data, {
            "data_points": [{"as_int": "1", "flags": 1}], "is_monotonic": True,
            "aggregation_temporality": "AGGREGATION_TEMPORALITY_DELTA"})

    def test_histograms(self):
        point = (fixed64(2, 1) + fixed64(3, 2) + fixed64(4, 3) + double(5, 0) + fixed64(6, 1) +
                 fixed64(6, 2) + double(7, 0.5) + message(8, double(3, 1)) + put_kv(9) +
                 integer(10, 2) + double(11, 0) + double(12, 4))
        self.assert_metric(9, "histogram", message(1, point) + integer(2, 2), {
            "data_points": [{
                "start_time_unix_nano": "1", "time_unix_nano": "2", "count": "3", "sum": 0,
                "bucket_counts": ["1", "2"], "explicit_bounds": [0.5],
                "exemplars": [{"as_double": 1}], "attributes": KV, "flags": 2, "min": 0, "max": 4}],
            "aggregation_temporality": "AGGREGATION_TEMPORALITY_CUMULATIVE"})

    def test_exponential_histograms(self):
        point = (put_kv(1) + fixed64(2, 1) + fixed64(3, 2) + fixed64(4, 3) + double(5, 0) +
                 zigzag(6, -4) + fixed64(7, 5) +
                 message(8, zigzag(1, -6) + integer(2, 7) + integer(2, 8)) +
                 message(9, zigzag(1, 9)) + integer(10, 2) + message(11, double(3, 1)) +
                 double(12, 0) + double(13, 4) + double(14, 0.25))
        self.assert_metric(10, "exponential_histogram", message(1, point) + integer(2, 3), {
            "data_points": [{
                "attributes": KV, "start_time_unix_nano": "1", "time_unix_nano": "2", "count": "3",
                "sum": 0, "scale": -4, "zero_count": "5",
                "positive": {"offset": -6, "bucket_counts": ["7", "8"]}, "negative": {"offset": 9},
                "flags": 2, "exemplars": [{"as_double": 1}], "min": 0, "max": 4,
                "zero_threshold": 0.25}],
            "aggregation_temporality": 3})

    def test_summaries(self):
        point = (fixed64(2, 1) + fixed64(3, 2) + fixed64(4, 3) + double(5, 6) +
                 message(6, double(1, 0.5) + double(2, 9)) + put_kv(7) + integer(8, 2))
        self.assert_metric(11, "summary", message(1, point), {"data_points": [{
            "start_time_unix_nano": "1", "time_unix_nano": "2", "count": "3", "sum": 6,
            "quantile_values": [{"quantile": 0.5, "value": 9}], "attributes": KV, "flags": 2}]})

    def test_log_records(self):
        record = (fixed64(1, 1) + integer(2, 24) + text(3, "FATAL4") + message(5, string("body")) +
                  put_kv(6) + integer(7, 2) + fixed32(8, 257) + fixed64(11, 3) + text(12, "event"))
        self.assertEqual(self.message_of(LOGS, request(record)), request_reported(
            "logs", "log_records", {
                "time_unix_nano": "1", "observed_time_unix_nano": "3",
                "severity_number": "SEVERITY_NUMBER_FATAL4", "severity_text": "FATAL4",
                "body": {"string_value": "body"}, "attributes": KV, "dropped_attributes_count": 2,
                "flags": 257, "event_name": "event"}))

    def test_severities(self):
        names = [f"SEVERITY_NUMBER_{name}{number}" for name in
                 ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL") for number in ("", 2, 3, 4)]
        lines, _ = self.lines_of(LOGS, *(message(1, message(2, message(2, integer(2, number))))
                                         for number in range(1, 26)))
        self.assertEqual([line["message"]["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
                          ["severityNumber"] for line in lines], [*names, 25])

    def test_spans(self):
        event = fixed64(1, 5) + text(2, "e") + put_kv(3) + integer(4, 6)
        link = text(3, "state") + put_kv(4) + integer(5, 7) + fixed32(6, 8)
        span = (text(3, "state") + text(5, "n") + integer(6, 5) + fixed64(7, 1) + fixed64(8, 2) +
                put_kv(9) + integer(10, 3) + message(11, event) + integer(12, 4) +
                message(13, link) + integer(14, 9) +
                message(15, text(2, "failed") + integer(3, 2)) + fixed32(16, 257))
        self.assertEqual(self.message_of(TRACES, request(span)), request_reported("spans", "spans", {
            "trace_state": "state", "name": "n", "kind": "SPAN_KIND_CONSUMER",
            "start_time_unix_nano": "1", "end_time_unix_nano": "2", "attributes": KV,
            "dropped_attributes_count": 3,
            "events": [{"time_unix_nano": "5", "name": "e", "attributes": KV,
                        "dropped_attributes_count": 6}], "dropped_events_count": 4,
            "links": [{"trace_state": "state", "attributes": KV, "dropped_attributes_count": 7,
                       "flags": 8}], "dropped_links_count": 9,
            "status": {"message": "failed", "code": "STATUS_CODE_ERROR"}, "flags": 257}))

    def test_span_kinds_and_status_codes(self):
        kinds = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]
        spans = b"".join(message(2, integer(6, number) + message(15, integer(3, number)))
                         for number in range(1, 6))
        told = self.message_of(TRACES, message(1, message(2, spans)))
        found = told["resource_spans"][0]["scope_spans"][0]["spans"]
        self.assertEqual([span["kind"] for span in found], [f"SPAN_KIND_{kind}" for kind in kinds])
        self.assertEqual([span["status"]["code"] for span in found],
                         ["STATUS_CODE_OK", "STATUS_CODE_ERROR", 3, 4, 5])


if __name__ == "__main__":
    unittest.main()
