"""AWS's own exporter of OTLP over UDP sends spans and a metric; they are written field by field."""
import base64
import json
import pathlib
import subprocess
import unittest

from python_packages import python_with
from sluice_program import ANY_PORT, DEADLINE, ProgramTest

# The exporter, and those of its dependencies that send.
EXPORTER = ("aws-opentelemetry-distro==0.21.0", "opentelemetry-api==1.44.0",
            "opentelemetry-exporter-otlp-proto-common==1.44.0", "opentelemetry-proto==1.44.0",
            "opentelemetry-sdk==1.44.0", "opentelemetry-semantic-conventions==0.65b0",
            "protobuf==6.33.5", "typing_extensions==4.15.0")
PYTHON = python_with(*EXPORTER)
SENDING = pathlib.Path(__file__).with_name("aws_exporting.py")

LISTENER = f"{ANY_PORT}?schema=otlp&framing=otlp-udp&schema=otlp-traces&framing=otlp-udp"


def hexadecimal(text):
    """An identifier in hexadecimal digits, from base64 or hexadecimal digits."""
    if len(text) in (16, 32) and all(digit in "0123456789abcdef" for digit in text):
        return text
    return base64.b64decode(text).hex()


class AwsExporterTest(ProgramTest):
    def test_its_spans_and_metrics_are_written_field_by_field(self):
        messages = self.folder / "messages.ndjson"
        program = self.start("--listen", LISTENER, "--sink", f"file:{messages}?view=message",
                             "--sink", "stdout:")
        sent = json.loads(subprocess.run(
            [PYTHON, SENDING, f"127.0.0.1:{program.port()}"], capture_output=True, text=True,
            timeout=DEADLINE, check=True).stdout)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], 5)
        lines = [json.loads(line) for line in messages.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["schema"] for line in lines], 4 * ["otlp-traces"] + ["otlp"])
        self.assertEqual([line.get("sampled") for line in lines], [True, True, False, False, None])
        for line, span in zip(lines, sent["sampled"] + sent["unsampled"]):
            self.check_span(line["message"], span)
        self.check_metric([line for line in program.output() if "value" in line])

    def check_span(self, message, sent):
        (of_resource,) = message["resourceSpans"]
        attributes = {each["key"]: each["value"] for each in of_resource["resource"]["attributes"]}
        self.assertEqual(attributes, {"service.name": {"stringValue": "checkout"},
                                      "host.cpus": {"intValue": "8"}})
        (of_scope,) = of_resource["scopeSpans"]
        self.assertEqual((of_scope["scope"]["name"], of_scope["scope"]["version"]),
                         ("shop", "1.2"))
        (span,) = of_scope["spans"]
        self.assertEqual(hexadecimal(span["traceId"]), sent["trace_id"])
        self.assertEqual(hexadecimal(span["spanId"]), sent["span_id"])
        self.assertEqual(span["name"], sent["name"])
        self.assertEqual(int(span["startTimeUnixNano"]), sent["start"])
        self.assertEqual(int(span["endTimeUnixNano"]), sent["end"])
        if sent["parent_id"] is not None:
            self.check_inner(span, sent)
        else:
            self.check_outer(span, sent)

    def check_inner(self, span, sent):
        self.assertEqual(hexadecimal(span["parentSpanId"]), sent["parent_id"])
        self.assertEqual(span["kind"], "SPAN_KIND_CLIENT")
        self.assertEqual(span["status"], {"message": "timed out", "code": "STATUS_CODE_ERROR"})

    def check_outer(self, span, sent):
        self.assertNotIn("parentSpanId", span)
        self.assertEqual(span["kind"], "SPAN_KIND_SERVER")
        self.assertEqual({each["key"]: each["value"] for each in span["attributes"]}, {
            "http.status": {"intValue": "500"}, "user": {"stringValue": "Zoë"},
            "ratio": {"doubleValue": 0.25}, "cached": {"boolValue": False},
            "tags": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}}})
        (event,) = span["events"]
        self.assertEqual(event, {
            "timeUnixNano": str(sent["events"][0]), "name": "retry",
            "attributes": [{"key": "attempt", "value": {"intValue": "2"}}]})

    def check_metric(self, lines):
        (line,) = lines
        self.assertEqual((line["name"], line["kind"], line["value"], line["unit"]),
                         ("orders", "counter", 3, "1"))
        self.assertEqual(line["labels"]["kind"], "new")
        self.assertEqual(line["labels"]["service.name"], "checkout")


if __name__ == "__main__":
    unittest.main()
