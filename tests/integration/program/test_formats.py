"""Tests formats other than JSON: strict readers read real and random samples in each format."""
import json
import math
import os
import unittest

import otlp_samples
from capture_writing import write_capture
from format_reading import COLUMNS, read_csv, read_influx, read_prometheus
from format_texts import (alphabet_text, as_utf8, first_of_each, influx_text, joined_labels,
                          random_events, without_controls)
from protobuf import metric, riemann, sample, telemetry
from sluice_program import (CAPTURES, RIEMANN, TELEMETRY, ProgramTest, parse_json, parse_lines,
                            read_lines)

OTLP = f"pcap:{CAPTURES / 'otlp_metrics_v4'}.pcap?port=4317&schema=otlp"
FORMATS = ("influx", "prometheus", "csv")


def truth():
    """The samples of the capture, computed from its content only. Times are in nanoseconds."""
    with open(CAPTURES / "otlp_metrics_v4.ndjson", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            yield from otlp_samples.samples(line["message"], int)


def bound_of(scale, index):
    return 2.0 ** (index / 2.0 ** scale)


def exponential_buckets(value):
    """Bounds and counts of the buckets between the lowest and the highest bound that is written."""
    total, scale = 0, value["scale"]
    negative, positive = value["negative"], value["positive"]
    first = negative["offset"]
    for index in range(len(negative["counts"]), -1, -1):
        if negative["counts"]:
            if index < len(negative["counts"]):
                total += negative["counts"][index]
            yield -bound_of(scale, first + index), total
    total += value["zero_count"]
    yield value["zero_threshold"], total
    first = positive["offset"]
    for index in range(len(positive["counts"]) + 1):
        if positive["counts"]:
            total += positive["counts"][index - 1] if index else 0
            yield bound_of(scale, first + index), total


def buckets_of(value):
    """The buckets of a histogram of either kind, the last without a bound."""
    if "scale" in value:
        yield from exponential_buckets(value)
    else:
        total = 0
        for bound, count in zip(value["bounds"], value["counts"]):
            total += count
            yield bound, total
    yield math.inf, value["count"]


class FormatTest(ProgramTest):
    def bytes_of(self, listener, sink):
        """The output for a capture, and its sink's counts."""
        program, ledger = self.run_to_end("--listen", listener, "--sink", sink)
        self.assertEqual(program.log(), [])
        data = b"".join(program.stdout.lines())
        self.assertEqual(ledger["sinks"][0]["bytes"], len(data))
        return data, ledger["sinks"][0]

    def assert_buckets(self, found, expected):
        """Compares pairs of bound and count. Bounds may differ in the last bits, because exponents
        are rounded."""
        expected = list(expected)
        self.assertEqual([count for _, count in found], [count for _, count in expected])
        for (bound, _), (wanted, _) in zip(found, expected):
            self.assertTrue(math.isclose(bound, wanted, rel_tol=1e-14), (bound, wanted))


# --- real traffic -------------------------------------------------------------------------------

class Otlp(FormatTest):
    def test_the_truth_holds_what_the_rules_are_about(self):
        kinds = [line["kind"] for line in truth()]
        self.assertEqual(len(kinds), 113)
        for kind in ("gauge", "counter", "updown_counter", "histogram", "exponential_histogram"):
            self.assertIn(kind, kinds)
        self.assertTrue(any("" in line["labels"].values() for line in truth()))
        self.assertTrue(any("." in label for line in truth() for label in line["labels"]))
        self.assertTrue(any(isinstance(line["value"], dict) and line["value"].get("scale")
                            for line in truth()), "an exponential histogram whose base is not 2")

    def assert_influx_fields(self, found, value):
        if not isinstance(value, dict):
            self.assertEqual(found, {"value": value})
            self.assertEqual(type(found["value"]), type(value))
            return
        for key in ("count", "sum", "min", "max"):
            self.assertEqual(found.pop(key, None), value.get(key), key)
        self.assert_buckets([(float(bound), count) for bound, count in found.items()],
                            buckets_of(value))

    def test_influx(self):
        data, counts = self.bytes_of(OTLP, "stdout:?format=influx")
        lines, expected = read_influx(data), list(truth())
        self.assertEqual(len(lines), len(expected))
        for (name, tags, fields, time), wanted in zip(lines, expected):
            self.assertEqual((name, time), (wanted["name"], wanted["time"]))
            self.assertEqual(tags, {key: text for key, text in wanted["labels"].items() if text})
            self.assert_influx_fields(fields, wanted["value"])
        self.assertEqual((counts["lines"], counts["samples"]), (113, 113))

    def prometheus_series(self, wanted):
        """The lines of one sample in their order: suffix, additional labels and value."""
        value = wanted["value"]
        if not isinstance(value, dict):
            return [("", None, value)]
        series = [("_bucket", bound, count) for bound, count in buckets_of(value)]
        if "sum" in value:
            series.append(("_sum", None, value["sum"]))
        return series + [("_count", None, value["count"])]

    def test_prometheus(self):
        data, counts = self.bytes_of(OTLP, "stdout:?format=prometheus")
        lines = iter(read_prometheus(data))
        written = 0
        for wanted in truth():
            labels = {alphabet_text(key.encode(), False): text
                      for key, text in wanted["labels"].items() if text}
            for suffix, bound, value in self.prometheus_series(wanted):
                name, found, text, time = next(lines)
                written += 1
                self.assertEqual(name, wanted["name"].replace(".", "_") + suffix)
                self.assertEqual(time, wanted["time"] // 10 ** 6)
                self.assertEqual(float(text), value)
                if bound is not None:
                    self.assertTrue(math.isclose(float(found.pop("le")), bound, rel_tol=1e-14))
                self.assertEqual(found, labels)
        self.assertIsNone(next(lines, None))
        self.assertEqual((counts["lines"], counts["samples"]), (written, 113))

    def test_csv_has_what_json_has(self):
        json_lines = self.folder / "lines"
        program, ledger = self.run_to_end("--listen", OTLP, "--sink", "stdout:?format=csv",
                                          "--sink", f"file:{json_lines}")
        rows = read_csv(b"".join(program.stdout.lines()))
        expected = read_lines(json_lines)
        self.assertEqual(len(rows), len(expected))
        for row, line in zip(rows, expected):
            for column in COLUMNS:
                found = row[column]
                if column in ("labels", "value") and found:
                    found = parse_json(found)
                self.assertEqual(None if found == "" else found, line.get(column), column)
        self.assertEqual((ledger["sinks"][0]["lines"], ledger["sinks"][0]["samples"]), (113, 113))


# --- random texts -------------------------------------------------------------------------------

class Random(FormatTest):
    def setUp(self):
        super().setUp()
        self.events = list(random_events(seed=20261121, count=3000))
        path = self.folder / "random.pcap"
        write_capture(path, map(riemann, self.events))
        self.listen = f"pcap:{path}?schema=riemann"

    def labels_of(self, event, to_key, to_value):
        pairs = ((to_key(key), to_value(text)) for key, text in event["attributes"])
        return first_of_each((key, text) for key, text in pairs if key and text)

    def test_influx(self):
        lines = read_influx(self.bytes_of(self.listen, "stdout:?format=influx")[0])
        self.assertEqual(len(lines), len(self.events))
        for (name, tags, fields, _), event in zip(lines, self.events):
            wanted = influx_text(event["service"]) or "_"
            self.assertEqual(name, "_" + wanted[1:] if wanted[0] == "#" else wanted)
            self.assertEqual(fields, {"value": event["metric_sint64"]})
            self.assertEqual(tags, self.labels_of(event, influx_text, influx_text))

    def test_prometheus(self):
        lines = read_prometheus(self.bytes_of(self.listen, "stdout:?format=prometheus")[0])
        self.assertEqual(len(lines), len(self.events))
        for (name, labels, value, _), event in zip(lines, self.events):
            self.assertEqual(name, alphabet_text(event["service"], True))
            self.assertEqual(value, str(event["metric_sint64"]))
            self.assertEqual(labels, joined_labels(event["attributes"]))

    def test_csv(self):
        rows = read_csv(self.bytes_of(self.listen, "stdout:?format=csv")[0])
        self.assertEqual(len(rows), len(self.events))
        for row, event in zip(rows, self.events):
            self.assertEqual(row["name"], without_controls(as_utf8(event["service"])))
            self.assertEqual(row["value"], str(event["metric_sint64"]))
            self.assertEqual(parse_json(row["labels"]), first_of_each(
                (as_utf8(key), as_utf8(text)) for key, text in event["attributes"]))


# --- files, and messages without a line -----------------------------------------------------------

class Header(FormatTest):
    def setUp(self):
        super().setUp()
        self.path, self.old = self.folder / "rows.csv", self.folder / "rows.1.csv"
        self.sink = f"file:{self.path}?format=csv"

    def names(self, path):
        return [row["name"] for row in read_csv(path.read_bytes())]

    def write(self, *names):
        program = self.start("--listen", TELEMETRY, "--sink", self.sink)
        self.sender(program).send_all([telemetry(sample(name, double=1)) for name in names])
        program.stop()

    def test_it_stands_in_a_file_once(self):
        self.write()
        self.assertEqual(self.names(self.path), [])
        self.write("a")
        self.write("b", "c")
        self.assertEqual(self.names(self.path), ["a", "b", "c"])

    def test_a_row_that_was_left_torn_is_cut_off(self):
        self.write("a", "b,\n\"")
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-30])
        self.write("c")
        self.assertEqual(self.names(self.path), ["a", "c"])

    def test_a_header_that_was_left_torn_is_written_anew(self):
        self.path.write_bytes(b"time,name,ki")
        self.write("a")
        self.assertEqual(self.names(self.path), ["a"])

    def test_it_stands_in_each_file_that_is_opened_anew(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.sink)
        sender = self.sender(program)
        for number, name in enumerate(("a", "b", "c")):
            sender.send_all([telemetry(sample(name, double=1))], before=number)
            program.wait_for_settled(number + 1)
            if name == "a":
                os.rename(self.path, self.old)
            program.ask_to_reload()  # for "b" the file was not renamed
            program.wait_for_log("rows.csv: reopened", number + 1)
        program.stop()
        self.assertEqual(self.names(self.old), ["a"])
        self.assertEqual(self.names(self.path), ["b", "c"])

    def test_a_pipe_gets_it_at_the_start(self):
        program = self.start("--listen", TELEMETRY, "--sink", "stdout:?format=csv")
        self.assertTrue(program.stdout.wait_for(lambda lines: len(lines) == 1))
        ledger = program.stop()
        self.assertEqual(read_csv(b"".join(program.stdout.lines())), [])
        self.assertEqual((ledger["sinks"][0]["lines"], ledger["sinks"][0]["bytes"]),
                         (0, len(",".join(COLUMNS)) + 2))


class Filtered(FormatTest):
    def test_numbers_that_influx_cannot_write_leave_no_line(self):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?format=influx")
        self.sender(program).send_all([
            metric(math.nan), metric(math.inf), metric(1),
            riemann({"service": "a", "metric_d": math.nan}, {"service": "b", "metric_d": 2.0})])
        ledger = program.stop()["sinks"][0]
        lines = read_influx(b"".join(program.stdout.lines()))
        self.assertEqual([(name, fields) for name, _, fields, _ in lines],
                         [("cpu", {"value": 1}), ("b", {"value": 2})])
        self.assertEqual([ledger[key] for key in ("written", "filtered", "lines", "samples")],
                         [2, 2, 2, 2])


# --- requirements of formats ----------------------------------------------------------------------

class Refused(FormatTest):
    def refuse(self, *arguments, code, says):
        for check in ((), ("--check",)):
            said = self.refused(*check, *arguments, code=code)
            for wanted in says:
                self.assertIn(wanted, said)

    def test_a_schema_without_samples(self):
        for name in FORMATS:
            with self.subTest(format=name):
                self.refuse("--listen", "udp://127.0.0.1:0?schema=otlp-logs", "--sink",
                            f"stdout:?format={name}", code=78,
                            says=[f"stdout:: format={name}", "otlp-logs", "udp://127.0.0.1:0"])

    def test_a_schema_without_samples_among_others(self):
        self.refuse("--listen", "udp://127.0.0.1:0?schema=riemann&match=magic:32&schema=otlp-traces",
                    "--sink", "stdout:?format=csv", code=78, says=["otlp-traces"])

    def test_a_view_of_messages(self):
        for name in FORMATS:
            with self.subTest(format=name):
                url = f"stdout:?format={name}&view=message"
                self.refuse("--listen", RIEMANN, "--sink", url, code=64,
                            says=["view=message", name, f"column {url.index('view') + 1}"])

    def test_json_shows_what_has_no_samples(self):
        program = self.start("--listen", "udp://127.0.0.1:0?schema=otlp-logs")
        self.sender(program).send_all([b"\x0a\x00"])
        program.stop()
        (line,) = parse_lines(b"".join(program.stdout.lines()))
        self.assertEqual(line["message"], {"resourceLogs": [{}]})


class Amplification(ProgramTest):
    """A small message whose labels are repeated on the line of every bucket."""

    BOUNDS = [float(bound) for bound in range(1, 150)]

    def capture(self):
        histogram = sample("latency", labels=[("path", "x" * 2000)], histogram={
            "count": 150, "sum": 1.0, "bounds": self.BOUNDS, "counts": [1] * 150})
        plain = sample("cpu", double=1.0)
        path = self.folder / "in.pcap"
        write_capture(path, [telemetry(histogram), telemetry(plain)])
        return f"pcap:{path}?schema=telemetry"

    def written(self, *keys):
        """The counts of several sinks with one format. Sinks with equal keys share their lines."""
        sinks = [word for number, key in enumerate(keys)
                 for word in ("--sink", f"file:{self.folder}/{number}?format=prometheus{key}")]
        _, ledger = self.run_to_end("--listen", self.capture(), *sinks)
        for number, sink in enumerate(ledger["sinks"]):
            self.assertEqual(sink["written"] + sink["failed"]["amplified"], 2, sink)
            self.assertEqual(sink["bytes"], (self.folder / str(number)).stat().st_size)
            (self.folder / str(number)).unlink()
        return ledger["sinks"]

    def test_record_of_too_many_times_its_message_fails_as_amplified(self):
        sink, same, more = self.written("&max_amplification=80", "&max_amplification=80",
                                        "&max_amplification=100")
        self.assertEqual((sink["failed"]["amplified"], same["failed"]["amplified"]), (1, 1))
        self.assertLess(sink["bytes"], 1000)
        self.assertEqual(same["bytes"], sink["bytes"])
        self.assertEqual(more["failed"]["amplified"], 0)
        self.assertGreater(more["bytes"], 300000)

    def test_fewer_buckets_keep_a_record_within_it(self):
        sink, = self.written("&max_amplification=80&buckets=20")
        self.assertEqual(sink["failed"]["amplified"], 0)


if __name__ == "__main__":
    unittest.main()
