"""view=record: a line for each log record and each span, compared field by field with protobuf's
own library. Skipped (77) without that library."""
import base64
import datetime
import math
import pathlib
import struct
import subprocess
import unittest

from built import skip

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    skip("no python3-protobuf here")

from protobuf import double, fixed32, fixed64, integer, message, text
from sluice_program import ANY_PORT, CAPTURES, DEADLINE, TELEMETRY, ProgramTest

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto" / "otlp"
KINDS = {1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
CODES = {1: "ok", 2: "error"}
LOGS = (CAPTURES / "otlp_logs_v4.pcap", "otlp-logs", "otlp_logs_service.proto",
        "opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest")
TRACES = (CAPTURES / "otlp_traces_v4.pcap", "otlp-traces", "otlp_trace_service.proto",
          "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest")


def message_class(folder, file, name):
    """The class that the library makes of one of our .proto files."""
    descriptors = folder / "descriptors"
    subprocess.run(["protoc", f"--proto_path={PROTO}", "--include_imports",
                    f"--descriptor_set_out={descriptors}", file], timeout=DEADLINE, check=True)
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()).file:
        pool.Add(each)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


def payloads(path):
    """Time, source and payload of each datagram of a capture of the loopback interface."""
    data, at = path.read_bytes(), 24
    while at < len(data):
        seconds, fraction, size, _ = struct.unpack_from("<IIII", data, at)
        packet = data[at + 16 + 14:at + 16 + size]
        at += 16 + size
        header = packet[0] % 16 * 4
        port, = struct.unpack_from("!H", packet, header)
        source = ".".join(map(str, packet[12:16]))
        yield seconds * 10 ** 9 + fraction * 1000, f"{source}:{port}", packet[header + 8:]


def to_time(nanoseconds):
    seconds, fraction = divmod(nanoseconds, 10 ** 9)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:09}Z"


# --- the expected line, computed with the library -------------------------------------------------

def of_value(value):
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    content = getattr(value, kind)
    if kind == "array_value":
        return [of_value(each) for each in content.values]
    if kind == "kvlist_value":
        return of_attributes(content.values)
    if kind == "bytes_value":
        return base64.b64encode(content).decode()
    if kind == "double_value" and not math.isfinite(content):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(content, "NaN")
    return content


def of_attributes(attributes):
    """If a key occurs twice, the first one counts."""
    return {each.key: of_value(each.value) for each in reversed(attributes)}


TIMES = {"time_unix_nano": "time", "observed_time_unix_nano": "observed_time",
         "start_time_unix_nano": "time", "end_time_unix_nano": "end_time"}


def of_field(name, value):
    """A field's name and value in a line. Fails for unknown fields."""
    if name in TIMES:
        return TIMES[name], to_time(value)
    if name.endswith("trace_id") or name.endswith("span_id"):
        return name, value.hex()
    if name == "attributes":
        return name, of_attributes(value)
    if name == "body":
        return name, of_value(value)
    if name == "kind":
        return name, KINDS.get(value, value)
    if name == "code":
        return name, CODES.get(value, value)
    if name in ("events", "links", "entity_refs"):
        return name, [of_message(each) for each in value]
    if name in ("id_keys", "description_keys"):
        return name, list(value)
    if name == "status":
        return name, of_message(value)
    if not isinstance(value, (str, int)):
        raise AssertionError(f"no rule for {name}")
    return name, value


def of_message(source):
    return dict(of_field(field.name, value) for field, value in source.ListFields())


def owner(name, source, schema_url):
    told = of_message(source) if source is not None else {}
    if schema_url:
        told["schema_url"] = schema_url
    return {name: told} if source is not None or schema_url else {}


def of_request(request, facts):
    """The expected lines of one request."""
    for resource in request.ListFields()[0][1] if request.ListFields() else []:
        name = "logs" if hasattr(resource, "scope_logs") else "spans"
        for scope in getattr(resource, f"scope_{name}"):
            for item in scope.log_records if name == "logs" else scope.spans:
                line = of_message(item)
                line.setdefault("time", line.get("observed_time", facts["received"]))
                yield {**line,
                       **owner("scope", scope.scope if scope.HasField("scope") else None,
                               scope.schema_url),
                       **owner("resource", resource.resource if resource.HasField("resource")
                               else None, resource.schema_url), **facts}


class Records(ProgramTest):
    def assert_lines(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for number, (line, truth) in enumerate(zip(found, expected), 1):
            self.assertEqual(line, truth, f"line {number}")
            self.assertEqual(next(iter(line)), "time")


class OfCaptures(Records):
    def test_each_log_record_and_each_span_is_a_line_with_all_that_was_sent(self):
        for (capture, schema, file, name), lines, spans in ((LOGS, 16, False), (TRACES, 4, True)):
            with self.subTest(schema=schema):
                kind = message_class(self.folder, file, name)
                expected = [line for when, source, payload in payloads(capture)
                            for line in of_request(kind.FromString(payload), {
                                "received": to_time(when), "source": source,
                                "listener": f"pcap:{capture}"})]
                program, ledger = self.run_to_end("--listen", f"pcap:{capture}?schema={schema}",
                                                  "--sink", "stdout:?view=record")
                self.assert_lines(program.output(), expected)
                sink, = ledger["sinks"]
                self.assertEqual((sink["lines"], sink["samples"]), (lines, 0))
                self.assertEqual(sink["written"], len(list(payloads(capture))))
                self.assertTrue(all(("end_time" in line) == spans for line in program.output()))
                self.assertTrue(all(("trace_id" in line) == spans for line in program.output()))


def attribute(number, key, value):
    return message(number, text(1, key) + message(2, value))


class OfEveryField(Records):
    RESOURCE = (attribute(1, "service.name", text(1, "shop")) + integer(2, 3) + message(
        3, text(1, "url") + text(2, "service") + text(3, "a") + text(3, "b") + text(4, "c")))
    SCOPE = (text(1, "lib") + text(2, "1.2") + attribute(3, "k", integer(2, 1)) + integer(4, 5))

    def request(self, *items):
        """A request with these items, and a resource and scope with all fields."""
        return message(1, message(1, self.RESOURCE) + message(
            2, message(1, self.SCOPE) + b"".join(message(2, item) for item in items) +
            text(3, "scope's")) + text(3, "resource's"))

    def assert_told(self, kind, *datagrams, counted=0):
        capture, schema, file, name = kind
        program = self.start("--listen", f"{ANY_PORT}?schema={schema}", "--sink",
                             "stdout:?view=record")
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        found = program.output()
        reader = message_class(self.folder, file, name)
        lines = [[*of_request(reader.FromString(datagram), {
            "received": "", "source": "", "listener": ""})] for datagram in datagrams]
        expected = [line for each in lines for line in each]
        for line, truth in zip(found, expected):
            for fact in ("received", "source", "listener"):
                truth[fact] = line[fact]
            truth["time"] = truth["time"] or line["received"]
        self.assert_lines(found, expected)
        sink, = ledger["sinks"]
        self.assertEqual(sink["lines"], len(expected))
        self.assertEqual(sink["filtered"], sum(not each for each in lines))
        self.assertEqual(sink["written"], len(datagrams) - sink["filtered"])
        return found

    def test_log_records(self):
        nested = message(6, attribute(1, "a", text(1, "1")) + attribute(1, "b", message(
            5, message(1, double(4, 0.5)) + message(1, b"") + message(1, double(4, math.nan)))) +
            attribute(1, "a", text(1, "2")))
        full = (fixed64(1, 10 ** 18 + 1) + integer(2, 24) + text(3, "FATAL4") + message(5, nested) +
                attribute(6, "k", text(1, "v")) + attribute(6, "raw", text(7, b"\0\xff")) +
                attribute(6, "none", b"") + attribute(6, "k", text(1, "again")) +
                attribute(6, "", integer(3, 2 ** 63 - 1)) + attribute(6, "", integer(3, 1)) +
                integer(7, 2) + fixed32(8, 257) + text(9, b"\xab" * 16) + text(10, b"\xcd" * 8) +
                fixed64(11, 10 ** 18 + 3) + text(12, "event"))
        observed = fixed64(11, 10 ** 18) + integer(2, 99) + message(5, b"")
        first, second, bare, alone = self.assert_told(
            LOGS, self.request(full, observed), self.request(), self.request(b""),
            message(1, message(2, message(2, text(3, "alone")))))
        self.assertEqual(first["attributes"], {"k": "v", "raw": "AP8=", "none": None,
                                               "": 2 ** 63 - 1})
        self.assertEqual(first["body"], {"a": "1", "b": [0.5, None, "NaN"]})
        self.assertEqual((first["trace_id"], first["span_id"]), ("ab" * 16, "cd" * 8))
        self.assertEqual(second["time"], second["observed_time"])
        self.assertEqual(bare["time"], bare["received"])
        self.assertNotIn("resource", alone)

    def test_spans(self):
        event = fixed64(1, 5) + text(2, "e") + attribute(3, "k", text(1, "v")) + integer(4, 6)
        link = (text(1, b"\x01" * 16) + text(2, b"\x02" * 8) + text(3, "state") +
                attribute(4, "k", text(1, "v")) + integer(5, 7) + fixed32(6, 8))
        span = (text(1, b"\xaa" * 16) + text(2, b"\xbb" * 8) + text(3, "state") +
                text(4, b"\xcc" * 8) + text(5, "n") + integer(6, 5) + fixed64(7, 1) +
                fixed64(8, 2) + attribute(9, "k", text(1, "v")) + integer(10, 3) +
                message(11, event) + message(11, b"") + integer(12, 4) + message(13, link) +
                integer(14, 9) + message(15, text(2, "failed") + integer(3, 2)) + fixed32(16, 257))
        kinds = [integer(6, number) + message(15, integer(3, number)) for number in range(8)]
        found = self.assert_told(TRACES, self.request(span, *kinds), self.request(b""))
        self.assertEqual(found[0]["kind"], "consumer")
        self.assertEqual([line.get("kind") for line in found[1:9]],
                         [None, *KINDS.values(), 6, 7])


class TheMessage(Records):
    def test_identifiers_are_hexadecimal_in_every_view(self):
        exemplar = double(3, 1) + text(4, b"\xbb" * 8) + text(5, b"\xaa" * 16)
        item = text(9, b"\xaa" * 16) + text(10, b"\xbb" * 8) + attribute(6, "raw", text(7, b"\xff"))
        span = text(1, b"\xaa" * 16) + text(2, b"\xbb" * 8) + text(4, b"\xcc" * 8) + message(
            13, text(1, b"\xdd" * 16) + text(2, b"\xee" * 8))
        for schema, body, told in (
                ("otlp-logs", item, {"traceId": "aa" * 16, "spanId": "bb" * 8}),
                ("otlp-traces", span, {"traceId": "aa" * 16, "spanId": "bb" * 8,
                                       "parentSpanId": "cc" * 8,
                                       "links": [{"traceId": "dd" * 16, "spanId": "ee" * 8}]}),
                ("otlp", message(5, message(1, message(5, exemplar))), {"gauge": {"dataPoints": [
                    {"exemplars": [{"asDouble": 1, "traceId": "aa" * 16, "spanId": "bb" * 8}]}]}})):
            with self.subTest(schema=schema):
                program = self.start("--listen", f"{ANY_PORT}?schema={schema}", "--sink",
                                     "stdout:?view=message")
                self.sender(program).send_all([message(1, message(2, message(2, body)))])
                program.stop()
                line, = program.output()
                found = line["message"]
                while not isinstance(found, dict) or not found.keys() & told.keys():
                    found = found[0] if isinstance(found, list) else next(iter(found.values()))
                if schema == "otlp-logs":  # bytes outside attributes are written in base64, too
                    told["attributes"] = [{"key": "raw", "value": {"bytesValue": "/w=="}}]
                self.assertEqual(found, told)


class Bounds(Records):
    def test_keys_that_take_too_long_to_tell_apart_make_a_record_too_large(self):
        """A record with 5,000 keys of the same length, first and last byte is too large. Other
        datagrams are decoded."""
        keys = b"".join(message(6, text(1, f"k{number:04}k")) for number in range(5000))
        program = self.start("--listen", f"{ANY_PORT}?schema=otlp-logs&max_decoded=8MiB", "--sink",
                             "stdout:?view=record")
        good = message(1, message(2, message(2, text(3, "good"))))
        bad = message(1, message(2, message(2, keys)))
        self.assertLess(len(bad), 65000)
        self.sender(program).send_all([good, bad, good])
        program.wait_for_settled(3)  # with a sanitizer this takes longer than the limit of a stop
        ledger = program.stop()
        self.assertEqual([line["severity_text"] for line in program.output()], ["good", "good"])
        self.assertEqual(ledger["sinks"][0]["failed"]["too_large"], 1)


class Refusals(Records):
    def test_what_cannot_be_written_so_is_refused_by_name(self):
        logs = f"{ANY_PORT}?schema=otlp-logs"
        for listener, sink, code, says in (
                (TELEMETRY, "view=record", 78, "but schema telemetry of udp://127.0.0.1:0 "
                                               "lacks them"),
                (f"{ANY_PORT}?schema=otlp", "view=record", 78, "view=record needs log records or spans"),
                (logs, "view=record&format=influx", 64, "format=influx writes only samples"),
                (logs, "view=record&format=csv", 64, "but format=csv writes only samples"),
                (logs, "view=record&format=protobuf", 64, "format=protobuf has no views"),
                (logs, "view=record&include=a", 64, "include= is about samples, but view=record")):
            with self.subTest(sink=sink, listener=listener):
                said = self.refused("--check", "--listen", listener, "--sink", f"file:x?{sink}",
                                    code=code)
                self.assertIn(says, said)

    def test_a_listener_of_several_schemas_needs_records_in_all(self):
        both = f"{ANY_PORT}?schema=otlp-logs&match=source:127.0.0.0/8&schema=otlp-traces"
        program = self.start("--listen", both, "--sink", "stdout:?view=record")
        self.sender(program).send_all([message(1, message(2, message(2, text(3, "x"))))])
        program.stop()
        self.assertEqual([line["severity_text"] for line in program.output()], ["x"])
        said = self.refused("--listen", both.replace("otlp-traces", "riemann"), "--sink",
                            "stdout:?view=record", code=78)
        self.assertIn("but schema riemann", said)


if __name__ == "__main__":
    unittest.main()
