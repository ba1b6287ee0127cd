"""The example lines of each format in sinks/README.md must be exactly those that the program
writes."""
import re
import subprocess
import unittest

from protobuf import sample, telemetry
from readme import SOURCE, blocks
from sluice_program import DEADLINE, TELEMETRY, ProgramTest

TIME = 1795176000250000000  # 2026-11-20T12:00:00.25Z
MINUTE = 60 * 10 ** 9
FORMATS = ("json", "text", "influx", "prometheus", "openmetrics", "csv")
DELTA = 2

NGINX = telemetry(
    sample("nginx.requests", kind=1, uint=2 ** 64 - 1, unit="{request}", time=TIME,
           start_time=TIME - 100 * MINUTE - 25 * 10 ** 7, labels=[("status", "2xx")]),
    sample("nginx.latency", kind=DELTA, unit="s", time=TIME, histogram={
        "count": 5, "sum": 0.61, "bounds": [0.1, 0.5], "counts": [3, 2, 0], "min": 0.04,
        "max": 0.3}),
    sample("nginx.connections", double=42.5, time=TIME), labels=[("host", "web1")])

COLLECTOR = "opentelemetry.proto.collector"

SUMMARY = f"""metrics {{ name: "http.size" unit: "By" summary {{ data_points {{
  time_unix_nano: {TIME} count: 100 sum: 51200
  quantile_values {{ quantile: 0.5 value: 256 }} quantile_values {{ quantile: 0.99 value: 4096 }}
}} }} }}"""

HTTP = f"""
metrics {{ name: "http.requests" unit: "{{request}}" sum {{
  aggregation_temporality: AGGREGATION_TEMPORALITY_CUMULATIVE is_monotonic: true data_points {{
    time_unix_nano: {TIME} start_time_unix_nano: {TIME - 120 * MINUTE - 25 * 10 ** 7} as_int: 4711
    attributes {{ key: "route" value {{ string_value: "/pay" }} }}
    exemplars {{ time_unix_nano: {TIME - 125 * 10 ** 6} as_double: 0.31
      trace_id: "\\xe5\\x51\\x5b\\xab\\x18\\x89\\xef\\xea\\x48\\x30\\xcd\\x6b\\xc0\\x17\\xcb\\x21"
      span_id: "\\x38\\x28\\x51\\x91\\x08\\xb8\\xee\\xe9"
      filtered_attributes {{ key: "user" value {{ string_value: "alice" }} }} }} }} }} }}
metrics {{ name: "http.duration" unit: "ms" exponential_histogram {{
  aggregation_temporality: AGGREGATION_TEMPORALITY_DELTA data_points {{
    time_unix_nano: {TIME} count: 9 sum: 16.75 min: 0 max: 7.5 scale: 0 zero_count: 1
    positive {{ offset: -2 bucket_counts: [1, 0, 4, 2, 1] }} negative {{ }} }} }} }}
""" + SUMMARY


CPUS = 'attributes { key: "host.cpus" value { int_value: 8 } }'

LOG = f"""log_records {{ time_unix_nano: {TIME} observed_time_unix_nano: {TIME + 10 ** 6}
  severity_number: SEVERITY_NUMBER_INFO severity_text: "INFO" body {{ string_value: "user logged in" }}
  attributes {{ key: "user" value {{ string_value: "alice" }} }}
  attributes {{ key: "attempts" value {{ int_value: 3 }} }}
  trace_id: "\\xe5\\x51\\x5b\\xab\\x18\\x89\\xef\\xea\\x48\\x30\\xcd\\x6b\\xc0\\x17\\xcb\\x21"
  span_id: "\\x38\\x28\\x51\\x91\\x08\\xb8\\xee\\xe9" }}"""

SPAN = f"""spans {{ start_time_unix_nano: {TIME} end_time_unix_nano: {TIME + 125 * 10 ** 6}
  trace_id: "\\xe5\\x51\\x5b\\xab\\x18\\x89\\xef\\xea\\x48\\x30\\xcd\\x6b\\xc0\\x17\\xcb\\x21"
  span_id: "\\x3c\\x87\\x67\\x69\\x10\\x5a\\x59\\xd9"
  parent_span_id: "\\x38\\x28\\x51\\x91\\x08\\xb8\\xee\\xe9"
  name: "SELECT" kind: SPAN_KIND_CLIENT status {{ code: STATUS_CODE_ERROR message: "timeout" }}
  attributes {{ key: "db.system" value {{ string_value: "postgresql" }} }}
  events {{ time_unix_nano: {TIME + 124 * 10 ** 6} name: "retry"
    attributes {{ key: "n" value {{ int_value: 1 }} }} }} }}"""


def encode(file, request, text):
    """Encodes a request from its text format with protoc."""
    done = subprocess.run(
        ["protoc", f"--proto_path={SOURCE / 'proto' / 'otlp'}", "--proto_path=/usr/include",
         f"--encode={COLLECTOR}.{request}", file], input=text.encode(),
        capture_output=True, timeout=DEADLINE, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def wrapped(name, items, scope, attributes=""):
    """The text format of a request: its items under a resource and a scope."""
    return f"""resource_{name} {{
      resource {{ attributes {{ key: "service.name" value {{ string_value: "checkout" }} }}
        {attributes} }}
      scope_{name} {{ scope {{ name: "{scope}" version: "1.2" }} {items} }} }}"""


def otlp(metrics, attributes=""):
    return encode("otlp_metrics_service.proto", "metrics.v1.ExportMetricsServiceRequest",
                  wrapped("metrics", metrics, "http", attributes))


def shown():
    """The example lines, without those for whole messages."""
    for language, text in blocks(SOURCE / "sinks" / "README.md"):
        if language in ("", "json") and "metrics.ndjson" not in text:
            yield from (line for line in text.splitlines() if '"message":' not in line)


def same(line):
    """A line without the arrival time, the source and the listener of its datagram."""
    line = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z(?=\"?,\"?(source|127\.0\.0\.1))", "RECEIVED", line)
    return re.sub(r"127\.0\.0\.1:\d+", "PORT", line)


class Formats(ProgramTest):
    def write_records(self):
        """The file of a log record and a span, with view=record."""
        path = self.folder / "records"
        program = self.start("--listen", "udp://127.0.0.1:0?schema=otlp-logs",
                             "--listen", "udp://127.0.0.1:0?schema=otlp-traces",
                             "--sink", f"file:{path}?view=record", listeners=2)
        self.sender(program).send_all([encode(
            "otlp_logs_service.proto", "logs.v1.ExportLogsServiceRequest",
            wrapped("logs", LOG, "auth", CPUS))])
        self.sender(program, 1).send_all([encode(
            "otlp_trace_service.proto", "trace.v1.ExportTraceServiceRequest",
            wrapped("spans", SPAN, "auth", CPUS))])
        program.stop()
        return path

    def test_write_what_the_document_shows(self):
        files = [self.folder / f"out.{name}" for name in FORMATS]
        sinks = [f"--sink=file:{path}?format={name}" for path, name in zip(files, FORMATS)]
        program = self.start("--listen", TELEMETRY, "--listen", "udp://127.0.0.1:0?schema=otlp",
                             *sinks, listeners=2)
        self.sender(program).send_all([NGINX])
        self.sender(program, 1).send_all([otlp(HTTP, CPUS), otlp(SUMMARY)])
        program.stop()
        files.append(self.write_records())
        said = {same(line) for path in files
                for line in path.read_text(encoding="utf-8").splitlines()}
        lines = list(shown())
        self.assertGreater(len(lines), 30)
        self.assertEqual([line for line in lines if same(line) not in said], [])


if __name__ == "__main__":
    unittest.main()
