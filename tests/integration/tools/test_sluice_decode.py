"""Compares sluice-decode with Google's protobuf runtime: the decoded captures, and protoc."""
import hashlib
import json
import os
import pathlib
import pty
import select
import shutil
import subprocess
import tempfile
import unicodedata
import unittest

import wire
from built import NO_CLOSED_STREAM, NO_TERMINAL, not_on_windows
from otlp_identifiers import with_hex
from programs import CAPTURES, ROOT, Receiver, close_stream, run, truth

SCHEMAS = {**{path.stem: "riemann" for path in sorted(CAPTURES.glob("*riemann*.pcap"))},
           "otlp_metrics_v4": "otlp", "otlp_sizes_v4": "otlp", "otlp_logs_v4": "otlp-logs",
           "otlp_traces_v4": "otlp-traces"}
PROTOBUF_INCLUDE = "/usr/include"


def payloads(capture):
    """The datagrams of a capture. Their sums are checked."""
    expected = truth(capture)
    with Receiver() as receiver:
        receiver.receive_from("sluice-replay", CAPTURES / f"{capture}.pcap", "--speed=max",
                              "--to", receiver.url, sent=lambda _: len(expected))
        assert [hashlib.sha256(data).hexdigest() for data in receiver.datagrams] == \
            [line["payload_sha256"] for line in expected]
        return receiver.datagrams


def delimited(messages):
    return b"".join(wire.put_varint(len(data)) + data for data in messages)


class Decode(unittest.TestCase):
    def decode(self, data, *arguments, schema="riemann", code=0):
        process = run("sluice-decode", "--schema", schema, *arguments, stdin=data)
        self.assertEqual(process.returncode, code, process.stderr)
        if code == 0:
            self.assertEqual(process.stderr, b"")
        else:
            self.assertRegex(process.stderr.decode(), r"\Asluice-decode: [^\n]+\n\Z")
        return process.stdout

    def test_captured_messages_are_what_googles_runtime_says(self):
        for capture, schema in SCHEMAS.items():
            with self.subTest(capture=capture):
                out = self.decode(delimited(payloads(capture)), "--delimited", "--names=proto",
                                  schema=schema)
                self.assertEqual([json.loads(line) for line in out.splitlines()],
                                 [with_hex(line["message"]) for line in truth(capture)])

    def test_one_message_is_one_line(self):
        expected = truth("riemann_cli_v4")
        for data, line in list(zip(payloads("riemann_cli_v4"), expected))[:3]:
            out = self.decode(data, "--names=proto")
            self.assertEqual(out.count(b"\n"), 1)
            self.assertEqual(json.loads(out), line["message"])

    def test_encoded_anew_it_says_the_same(self):
        for capture in ("riemann_lib_odd_v4", "otlp_metrics_v4", "otlp_logs_v4", "otlp_traces_v4"):
            with self.subTest(capture=capture):
                data, schema = delimited(payloads(capture)), SCHEMAS[capture]
                again = self.decode(data, "--delimited", "--format=protobuf", schema=schema)
                self.assertEqual(self.decode(again, "--delimited", schema=schema),
                                 self.decode(data, "--delimited", schema=schema))
        one = payloads("riemann_cli_v4")[0]
        self.assertEqual(self.decode(self.decode(one, "--format", "protobuf")), self.decode(one))

    def test_samples_are_the_lines_of_a_sink_without_the_facts_of_a_datagram(self):
        event = b"\x1a\x03cpu\x22\x04web1\x50" + wire.put_varint(1700000000000001) + \
            b"\x68\x0a"
        data = b"\x32" + wire.put_varint(len(event)) + event
        line = (b'{"time":"2023-11-14T22:13:20.000001000Z","name":"cpu","kind":"gauge","value":5,'
                b'"labels":{"host":"web1"}}\n')
        self.assertEqual(self.decode(data, "--samples"), line)
        self.assertEqual(self.decode(delimited([data, b"", data]), "--samples", "--delimited"),
                         2 * line)
        self.decode(data, "--samples", "--format=protobuf", code=64)
        self.decode(data, "--samples", "--labels=host", code=64)
        self.decode(data, "--samples", schema="otlp-logs", code=64)

    @unittest.skipUnless(shutil.which("protoc"), "there is no protoc")
    def test_a_schema_may_be_a_file_or_a_folder_as_for_sluice(self):
        with tempfile.TemporaryDirectory(prefix="sluice-test-") as folder:
            path = pathlib.Path(folder, "dc.proto")
            path.write_text('syntax = "proto3"; message T { uint32 n = 1; }', encoding="ascii")
            for schema in (path, folder):
                for option in ("--schema", "--descriptor-set"):
                    process = run("sluice-decode", option, schema, "--message=T", stdin=b"\x08\x07")
                    self.assertEqual((process.returncode, process.stdout, process.stderr),
                                     (0, b'{"n":7}\n', b""))
            self.assertEqual(self.decode(b"\x08\x07", "--message=T", "--samples", schema=path),
                             b'{"name":"n","kind":"gauge","value":7,"labels":{}}\n')
            self.decode(b"", schema=path, code=64)
            self.decode(b"", "--message=T", "--descriptor-set", path, schema=path, code=64)
            self.decode(b"", "--message=T", code=64)

    def test_names_and_integers_as_asked(self):
        event = b"\x50" + wire.put_varint(1700000000000001)
        data = b"\x32" + wire.put_varint(len(event)) + event
        self.assertEqual(self.decode(data), b'{"events":[{"timeMicros":"1700000000000001"}]}\n')
        self.assertEqual(self.decode(data, "--names=proto", "--int64=number"),
                         b'{"events":[{"time_micros":1700000000000001}]}\n')

    def test_unknown_fields_survive_encoding(self):
        data = b"\x10\x01\xfa\x3e\x03abc"
        self.assertEqual(self.decode(data, "--format=protobuf"), data)
        self.assertEqual(self.decode(data), b'{"ok":true}\n')

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_telemetry_is_what_protoc_encodes(self):
        text = r'''sender_id: "web1/\303\274" boot_id: 18446744073709551615 sequence: 7
            labels { key: "k" value: "a\000b" }
            samples { name: "g" double_value: 0.1 unit: "s" time_unix_nano: 1 }
            samples { name: "c" kind: CUMULATIVE_COUNTER uint_value: 18446744073709551615 }
            samples { name: "d" kind: DELTA_COUNTER int_value: -1 labels { key: "x" } }
            samples { name: "h" histogram_value {
                count: 3 sum: inf bounds: [1, 2.5] counts: [1, 1, 1] min: 0 } }'''
        encoded = subprocess.run(
            ["protoc", f"-I{ROOT / 'proto'}", f"-I{PROTOBUF_INCLUDE}", "telemetry.proto",
             "--encode=sluice.telemetry.Telemetry"],
            input=text.encode(), stdout=subprocess.PIPE, check=True, timeout=60).stdout
        self.assertEqual(json.loads(self.decode(encoded, schema="telemetry")), {
            "senderId": "web1/ü", "bootId": "18446744073709551615", "sequence": "7",
            "labels": [{"key": "k", "value": "a\0b"}],
            "samples": [
                {"name": "g", "doubleValue": 0.1, "unit": "s", "timeUnixNano": "1"},
                {"name": "c", "kind": "CUMULATIVE_COUNTER", "uintValue": "18446744073709551615"},
                {"name": "d", "kind": "DELTA_COUNTER", "intValue": "-1", "labels": [{"key": "x"}]},
                {"name": "h", "histogramValue": {
                    "count": "3", "sum": "Infinity", "bounds": [1, 2.5],
                    "counts": ["1", "1", "1"], "min": 0}}]})
        self.assertEqual(self.decode(encoded, "--format=protobuf", schema="telemetry"), encoded)

    def test_control_characters_are_escaped(self):
        for number in [*range(0x20), *range(0x7F, 0xA0)]:
            service = chr(number).encode()
            event = b"\x1a" + bytes([len(service)]) + service
            line = self.decode(b"\x32" + bytes([len(event)]) + event).decode()
            self.assertEqual(json.loads(line)["events"], [{"service": chr(number)}])
            self.assertEqual([c for c in line[:-1] if unicodedata.category(c) == "Cc"], [])

    @not_on_windows(NO_TERMINAL)
    def test_protobuf_is_not_written_to_a_terminal(self):
        ours, its = pty.openpty()
        process = run("sluice-decode", "--schema", "riemann", "--format", "protobuf", stdout=its)
        self.assertEqual(process.returncode, 78)
        self.assertIn(b"standard output is a terminal", process.stderr)
        self.assertEqual(select.select([ours], [], [], 0), ([], [], []))
        os.close(its)
        os.close(ours)

    def test_nothing_is_an_empty_msg_and_no_telemetry(self):
        self.assertEqual(self.decode(b""), b"{}\n")
        self.assertEqual(self.decode(b"", schema="telemetry", code=65), b"")
        self.assertEqual(self.decode(b"", "--delimited", schema="telemetry"), b"")
        self.assertEqual(self.decode(b"\0\0", "--delimited"), b"{}\n{}\n")

    def test_what_is_no_message_is_65(self):
        good = b"\x10\x01"
        for data in (b"\x10", b"\xff" * 20, b"\x0f\x00", b"\x32\x05ab", good + b"\x32",
                     b"\x0b" * 200, b"{}"):
            with self.subTest(data=data):
                self.assertEqual(self.decode(data, code=65), b"")
        name = b"\x0a\x01\xff"  # proto3 strings must be UTF-8, strings of proto2 need not be
        self.decode(b"\x32\x03" + name, schema="telemetry", code=65)
        self.decode(b"\x1a\x01\xff")

    def test_what_is_no_message_is_reported_with_its_byte_field_and_cause(self):
        for schema, data, why in (
                ("telemetry", b"\x07",
                 "message 1 (at byte 0, of 1 bytes): malformed at byte 0: "
                 "wire type 7 does not exist (field 0)"),
                ("riemann", b"\x10\x01\x32\x05ab",
                 "message 1 (at byte 0, of 6 bytes): malformed at byte 3: "
                 "a length of 5 bytes where 2 are left (field events)"),
                ("riemann", b"\x0b" * 101,
                 "message 1 (at byte 0, of 101 bytes): nested too deeply at byte 100: "
                 f"too many levels of messages and groups (field ...{'.'.join('1' * 46)})")):
            with self.subTest(why=why):
                process = run("sluice-decode", "--schema", schema, stdin=data)
                self.assertEqual(process.returncode, 65)
                self.assertEqual(process.stderr.decode(), f"sluice-decode: {why}\n")

    def test_a_stream_that_ends_inside_a_message_is_65_after_those_before(self):
        good = b"\x02\x10\x01"
        for tail in (b"\x02\x10", b"\x80", b"\x05", b"\xff" * 9 + b"\x01", b"\x80" * 10,
                     b"\x80" * 9 + b"\x02",
                     b"\xff" * 11, b"\x81\x80\x80\x20" + b"x", b"\x02\x10\xff"):
            with self.subTest(tail=tail):
                out = self.decode(good * 2 + tail, "--delimited", code=65)
                self.assertEqual(out, b'{"ok":true}\n' * 2)

    def test_small_messages_that_are_large_when_decoded(self):
        out = self.decode(b"\x32\x00" * 32753)
        self.assertEqual(len(json.loads(out)["events"]), 32753)
        out = self.decode(b"\x32\x00" * 400000 + b"\x10\x01")
        self.assertEqual(len(json.loads(out)["events"]), 400000)

    def test_the_memory_of_a_message_is_used_again_for_the_next(self):
        # Each one takes 8 MB when decoded. Together they would exceed the limit of 1 GiB.
        out = self.decode(delimited([b"\x32\x00" * 32753]) * 250, "--delimited",
                          "--format=protobuf")
        self.assertEqual(out, delimited([b"\x32\x00" * 32753]) * 250)

    def test_messages_have_a_limit(self):
        text = b"x" * ((64 << 20) - 6)
        data = b"\x1a" + wire.put_varint(len(text)) + text
        self.assertEqual(len(data), (64 << 20) - 1)
        out = self.decode(data)
        self.assertEqual(len(out), len(text) + len('{"error":""}\n'))
        for arguments, longer in ((), data + b"\x10\x01"), (
                ("--delimited",), wire.put_varint((64 << 20) + 1) + data):
            process = run("sluice-decode", "--schema=riemann", *arguments, stdin=longer)
            self.assertEqual((process.returncode, process.stdout), (65, b""))
            self.assertIn(b"longer than 64 MiB", process.stderr)

    def test_the_help_names_every_schema(self):
        process = run("sluice-decode", "--help")
        self.assertEqual(process.returncode, 0)
        self.assertIn("telemetry|riemann|otlp|otlp-logs|otlp-traces", process.stdout.decode())

    def test_wrong_options_are_64(self):
        for arguments in ([], ["--schema"], ["--schema=otlp-metrics"], ["--schema=riemann", "x"],
                          ["--schema=riemann", "--format=xml"], ["--delimited=yes"],
                          ["--schema=riemann", "--names=camel"], ["--schema=riemann", "--int64=1"]):
            with self.subTest(arguments=arguments):
                process = run("sluice-decode", *arguments)
                self.assertEqual((process.returncode, process.stdout), (64, b""))
                self.assertRegex(process.stderr.decode(), r"\Asluice-decode: [^\n]+\n\Z")

    def test_streams_that_fail_are_74(self):
        riemann = ("sluice-decode", "--schema=riemann")
        with open("/dev/full", "wb") as full:
            self.assertEqual(run(*riemann, stdout=full).returncode, 74)
            self.assertEqual(run(*riemann, "--delimited", stdin=b"\0" * 100000,
                                 stdout=full).returncode, 74)
        reader, writer = os.pipe()
        os.close(reader)
        self.assertEqual(run(*riemann, stdout=writer).returncode, 74)
        os.close(writer)

    @not_on_windows(NO_CLOSED_STREAM)
    def test_streams_that_cannot_be_used_are_74(self):
        riemann = ("sluice-decode", "--schema=riemann")
        self.assertEqual(run(*riemann, stdout=None, preexec_fn=close_stream(1)).returncode, 74)
        self.assertEqual(run(*riemann, stdin=None, preexec_fn=close_stream(0)).returncode, 74)
        folder = os.open("/", os.O_RDONLY)
        self.assertEqual(run(*riemann, stdin=folder).returncode, 74)
        self.assertEqual(run(*riemann, "--delimited", stdin=folder).returncode, 74)
        os.close(folder)


if __name__ == "__main__":
    unittest.main()
