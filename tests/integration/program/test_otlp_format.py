"""Tests format=otlp: our own programs read the requests that it writes."""
import json
import subprocess
import unittest

from built import beside, command
from protobuf import integer, message, metric, riemann, sample, split, telemetry
from sluice_program import (CAPTURES, DEADLINE, RIEMANN, SLUICE, TELEMETRY, ProgramTest,
                            read_lines)

FACTS = ("received", "source", "listener")


def samples_of(lines):
    """The lines without the facts about the datagram, which OTLP does not contain."""
    return [{key: value for key, value in line.items() if key not in FACTS} for line in lines]


class OtlpFormat(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "requests.otlp"
        self.sink = f"file:{self.path}?format=otlp"


class Written(OtlpFormat):
    def read_back(self):
        """The samples of the file, as a program writes them that receives its requests."""
        capture = self.folder / "again"
        requests = split(self.path.read_bytes())
        program = self.start("--listen", "udp://127.0.0.1:0?schema=otlp&framing=delimited",
                             "--sink", f"file:{capture}")
        self.sender(program).send_all([self.path.read_bytes()])
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["messages"], len(requests))
        return samples_of(read_lines(capture))

    def test_what_senders_send_comes_back(self):
        lines = self.folder / "lines"
        program = self.start("--listen", TELEMETRY, "--sink", self.sink, "--sink", f"file:{lines}")
        port = program.port()
        subprocess.run(command(beside(SLUICE, "sluice-send"), "--to", f"udp://127.0.0.1:{port}",
                               "--schema", "telemetry", "--count", "20", "--samples", "7", "--rate", "1000"), timeout=DEADLINE,
                       check=True, stderr=subprocess.DEVNULL)
        program.wait_for_settled(20)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"], sink["samples"], sink["bytes"]),
                         (20, 20, 140, self.path.stat().st_size))
        self.assertEqual(self.read_back(), samples_of(read_lines(lines)))

    def test_sluice_decode_reads_it(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.sink)
        self.sender(program).send_all([telemetry(sample("cpu", double=0.5, time=7), sender="s",
                                                 labels=[("host", "web1")])])
        program.stop()
        read = subprocess.run(command(beside(SLUICE, "sluice-decode"), "--schema", "otlp", "--delimited"),
                              input=self.path.read_bytes(), capture_output=True, timeout=DEADLINE,
                              check=True).stdout
        self.assertEqual(json.loads(read), {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{
            "name": "cpu", "gauge": {"dataPoints": [{
                "timeUnixNano": "7", "asDouble": 0.5,
                "attributes": [{"key": "host", "value": {"stringValue": "web1"}}]}]}}]}]}]})

    def test_a_record_without_samples_is_filtered(self):
        program = self.start("--listen", RIEMANN, "--sink", self.sink)
        self.sender(program).send_all([b"", metric(1.0), riemann({"service": "no metric"})])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["filtered"], sink["lines"], sink["samples"]),
                         (1, 2, 1, 1))

    def test_rules_about_samples_are_followed(self):
        program = self.start("--listen", RIEMANN, "--sink",
                             f"{self.sink}&include=cpu&rename=cpu:processor&add_label=site=a")
        self.sender(program).send_all([
            riemann({"service": "cpu", "metric_d": 1.0}, {"service": "mem", "metric_d": 2.0}),
            riemann({"service": "mem", "metric_d": 3.0})])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["filtered"]), (1, 1))
        (found,) = self.read_back()
        self.assertEqual((found["name"], found["value"], found["labels"]),
                         ("processor", 1, {"site": "a"}))

    def test_a_request_that_was_left_torn_is_cut_off(self):
        for cut in (1, 30):
            program = self.start("--listen", RIEMANN, "--sink", self.sink)
            self.sender(program).send_all([metric(1.0), metric(2.0)])
            program.stop()
            before = self.path.read_bytes()
            self.path.write_bytes(before[:-cut])
            program = self.start("--listen", RIEMANN, "--sink", self.sink)
            self.sender(program).send_all([metric(3.0)])
            program.stop()
            self.assertEqual(split(self.path.read_bytes())[:-1], split(before)[:-1])
            self.path.unlink()


class PassedOn(OtlpFormat):
    def test_requests_of_every_signal_are_passed_on_byte_for_byte(self):
        for name, schema in (("otlp_metrics_v4", "otlp"), ("otlp_logs_v4", "otlp-logs"),
                             ("otlp_traces_v4", "otlp-traces")):
            with self.subTest(schema=schema):
                messages = self.folder / "messages"
                _, ledger = self.run_to_end(
                    "--listen", f"pcap:{CAPTURES / name}.pcap?schema={schema}",
                    "--sink", self.sink, "--sink", f"file:{messages}?format=protobuf")
                self.assertEqual(self.path.read_bytes(), messages.read_bytes())
                for key in ("written", "lines", "samples", "bytes"):
                    self.assertEqual(*(sink[key] for sink in ledger["sinks"]))
                self.path.unlink()
                messages.unlink()

    def test_what_no_schema_knows_is_passed_on_too(self):
        program = self.start("--listen", "udp://127.0.0.1:0?schema=otlp", "--sink", self.sink)
        request = message(1, message(2, integer(99, 5))) + integer(1000, 7)
        self.sender(program).send_all([request])
        program.stop()
        self.assertEqual(split(self.path.read_bytes()), [request])


class EveryNumber(OtlpFormat):
    def test_every_number_of_ones_own_schema_is_a_sample(self):
        proto = self.folder / "own.proto"
        proto.write_text('syntax = "proto3"; message Own { int32 a = 1; }', encoding="ascii")
        program = self.start("--listen", f"udp://127.0.0.1:0?schema={proto}&message=Own", "--sink",
                             self.sink)
        self.sender(program).send_all([b"\x08\x07"])
        self.assertEqual(program.stop()["sinks"][0]["samples"], 1)


class Refused(OtlpFormat):
    def refuse(self, listener, keys, code, says):
        for check in ((), ("--check",)):
            said = self.refused(*check, "--listen", listener, "--sink", self.sink + keys, code=code)
            self.assertIn(says, said)

    def test_views(self):
        for view in ("message", "sample", "record"):
            self.refuse(TELEMETRY, f"&view={view}", 64, f"view={view}, but format=otlp has no views")

    def test_rules_about_samples_where_there_are_none(self):
        self.refuse("udp://127.0.0.1:0?schema=otlp-logs", "&include=a", 78,
                    "include= needs samples, but schema otlp-logs")



if __name__ == "__main__":
    unittest.main()
