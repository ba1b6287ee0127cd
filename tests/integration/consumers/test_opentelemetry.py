"""OpenTelemetry's own classes read format=otlp: every number that was sent, with its metadata."""
import json
import pathlib
import subprocess
import unittest

import sent
from protobuf import INT64_MAX
from python_packages import python_with
from sluice_program import ANY_PORT, DEADLINE, ProgramTest

PYTHON = python_with("opentelemetry-proto==1.44.0", "protobuf==6.33.5")
READING = pathlib.Path(__file__).with_name("otlp_reading.py")

CUMULATIVE, DELTA = ("AGGREGATION_TEMPORALITY_" + name for name in ("CUMULATIVE", "DELTA"))

# The sums of sent.py that are not both cumulative and monotonic.
OTHER_SUMS = {"sent.delta": (DELTA, True), "otlp.open": (CUMULATIVE, False)}
SUMS = ("sent.counter", "sent.delta", "otlp.requests", "otlp.open", "otlp.joules")
UNITS = {"sent.counter": "{request}", sent.HISTOGRAM: "s"}


def per_bucket(buckets):
    """The bounds of buckets, and their counts, which are cumulative in `buckets`."""
    counts = list(buckets.values())
    return ([float(bound) for bound in buckets if bound != "+Inf"],
            [str(count - before) for before, count in zip([0, *counts], counts)])


class OpenTelemetryTest(ProgramTest):
    def metrics(self, schema, datagrams, keys=""):
        """The metrics that the program writes for the datagrams, by name, each with its only data
        point."""
        path = self.folder / f"{schema}.otlp"
        program = self.start("--listen", f"{ANY_PORT}?schema={schema}",
                             "--sink", f"file:{path}?format=otlp{keys}")
        self.sender(program).send_all(datagrams)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"]), (len(datagrams), len(datagrams)))
        read = subprocess.run([PYTHON, READING, path], capture_output=True, text=True,
                              timeout=DEADLINE, check=True).stdout
        found = {}
        for request in map(json.loads, read.splitlines()):
            (of_resource,) = request["resource_metrics"]
            (of_scope,) = of_resource["scope_metrics"]
            for metric in of_scope["metrics"]:
                (kind,) = set(metric) & {"gauge", "sum", "histogram", "exponential_histogram",
                                         "summary"}
                (point,) = metric[kind]["data_points"]
                found[metric["name"]] = (kind, metric, metric[kind], point)
        if keys == "" and schema == "telemetry":
            self.assertEqual(sink["samples"], len(found))
        return found

    def assert_point(self, name, metric, point, labels):
        self.assertEqual(metric.get("unit", ""), UNITS.get(name, ""))
        self.assertEqual(point["time_unix_nano"], str(sent.TIME))
        self.assertEqual([(each["key"], each["value"]) for each in point["attributes"]],
                         [(key, {"string_value": text}) for key, text in labels.items()])

    def assert_number(self, name, value, found, labels):
        kind, metric, data, point = found[name]
        self.assertEqual(kind, "sum" if name in SUMS else "gauge")
        if kind == "sum":
            temporality, monotonic = OTHER_SUMS.get(name, (CUMULATIVE, True))
            self.assertEqual(data["aggregation_temporality"], temporality)
            self.assertEqual(data.get("is_monotonic", False), monotonic)
        if isinstance(value, float) or value > INT64_MAX:
            self.assertEqual(float(point["as_double"]), float(value))
        else:
            self.assertEqual(point["as_int"], str(value))
        self.assert_point(name, metric, point, labels)

    def assert_totals(self, name, point):
        found = {key: float(point[key]) for key in ("count", "sum", "min", "max") if key in point}
        self.assertEqual(found, sent.TOTALS[name])

    def test_every_sample_of_telemetry(self):
        found = self.metrics("telemetry", sent.telemetry_datagrams())
        self.assertEqual(set(found), {*sent.NUMBERS, sent.HISTOGRAM})
        for name, value in sent.NUMBERS.items():
            self.assert_number(name, value, found, sent.LABELS)
        self.assertEqual(found["sent.counter"][3]["start_time_unix_nano"],
                         str(sent.TIME - 10 ** 9))
        kind, metric, data, point = found[sent.HISTOGRAM]
        self.assertEqual((kind, data["aggregation_temporality"]), ("histogram", DELTA))
        self.assert_totals(sent.HISTOGRAM, point)
        self.assertEqual((point["explicit_bounds"], point["bucket_counts"]),
                         per_bucket(sent.BUCKETS[sent.HISTOGRAM]))
        self.assert_point(sent.HISTOGRAM, metric, point, sent.LABELS)

    def test_every_sample_of_otlp_that_is_written_anew(self):
        found = self.metrics("otlp", sent.otlp_datagrams(), "&exclude=nothing")
        self.assertEqual(set(found), {*sent.OTLP_NUMBERS, sent.OTLP_HISTOGRAM, sent.EXPONENTIAL,
                                      sent.SUMMARY})
        for name, value in sent.OTLP_NUMBERS.items():
            self.assert_number(name, value, found, sent.LABELS)
        for name in (sent.OTLP_HISTOGRAM, sent.EXPONENTIAL, sent.SUMMARY):
            _, metric, _, point = found[name]
            self.assert_totals(name, point)
            self.assert_point(name, metric, point, sent.LABELS)
        point = found[sent.OTLP_HISTOGRAM][3]
        self.assertEqual((point["explicit_bounds"], point["bucket_counts"]),
                         per_bucket(sent.BUCKETS[sent.OTLP_HISTOGRAM]))
        point = found[sent.EXPONENTIAL][3]
        self.assertEqual((point["zero_count"], point.get("scale", 0)), ("1", 0))
        self.assertEqual(point["positive"], {"offset": -2, "bucket_counts": ["1", "0", "4", "4"]})
        self.assertEqual(point["negative"], {"bucket_counts": ["2"]})
        quantiles = {str(each["quantile"]): each["value"]
                     for each in found[sent.SUMMARY][3]["quantile_values"]}
        self.assertEqual(quantiles, sent.QUANTILES[sent.SUMMARY])


if __name__ == "__main__":
    unittest.main()
