"""OTLP over UDP as AWS's exporters send it: a prefix, and a line with a request in base64."""
import base64
import unittest

from protobuf import double, message, text
from sluice_program import ANY_PORT, ProgramTest

LINE = b'{"format":"json","version":1}\n'
METRICS = "schema=otlp&framing=otlp-udp"
TRACES = "schema=otlp-traces&framing=otlp-udp"
BOTH = f"{ANY_PORT}?{METRICS}&{TRACES}"


def request(item):
    """A request of one metric or one span."""
    return message(1, message(2, message(2, item)))


SPAN = request(text(1, b"\xaa" * 16) + text(2, b"\xbb" * 8) + text(5, "GET /"))
POINT = request(text(1, "load") + message(5, message(1, double(4, 0.5))))


def datagram(prefix, body, line=LINE):
    return line + prefix + base64.b64encode(body)


class OtlpUdpTest(ProgramTest):
    def taken(self, listener, *datagrams, sink="stdout:"):
        program = self.start("--listen", listener, "--sink", sink)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        (counts,) = ledger["listeners"]
        self.assertEqual(counts["received"], len(datagrams))
        return program, counts

    def test_spans_say_whether_they_were_sampled(self):
        program, counts = self.taken(BOTH, datagram(b"T1S", SPAN), datagram(b"T1U", SPAN))
        self.assertEqual(counts["decoded"], 2)
        sampled, unsampled = program.output()
        self.assertEqual(list(sampled), ["received", "source", "listener", "sampled", "schema",
                                         "bytes", "message"])
        self.assertIs(sampled["sampled"], True)
        self.assertIs(unsampled["sampled"], False)
        for line in (sampled, unsampled):
            self.assertEqual(line["schema"], "otlp-traces")
            self.assertEqual(line["bytes"], len(SPAN))
            span = line["message"]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
            self.assertEqual(span["name"], "GET /")

    def test_a_span_that_is_a_line_says_whether_it_was_sampled(self):
        program, _ = self.taken(f"{ANY_PORT}?{TRACES}", datagram(b"T1S", SPAN),
                                datagram(b"T1U", SPAN), sink="stdout:?view=record")
        sampled, unsampled = program.output()
        self.assertEqual(list(sampled)[-4:], ["sampled", "received", "source", "listener"])
        self.assertIs(sampled["sampled"], True)
        self.assertIs(unsampled["sampled"], False)

    def test_metrics_are_samples_and_say_nothing_of_sampling(self):
        program, _ = self.taken(BOTH, datagram(b"M1", POINT))
        (line,) = program.output()
        self.assertEqual((line["name"], line["value"]), ("load", 0.5))
        self.assertNotIn("sampled", line)
        program, _ = self.taken(BOTH, datagram(b"M1", POINT), sink="stdout:?view=message")
        self.assertNotIn("sampled", program.output()[0])

    def test_what_no_schema_is_for_is_no_match(self):
        _, counts = self.taken(f"{ANY_PORT}?{TRACES}", datagram(b"T1S", SPAN),
                               datagram(b"M1", POINT), datagram(b"L1", SPAN))
        self.assertEqual((counts["decoded"], counts["reasons"]["no_match"]), (1, 2))

    def test_what_is_not_in_order_is_malformed_with_its_cause(self):
        bad = (datagram(b"T1S", SPAN, b'{"format":"json","version":2}\n'), b'{"format":',
               datagram(b"T1S", SPAN)[:-1], datagram(b"T1S", SPAN) + b"\n",
               datagram(b"T1S", b"\x0a\xff"), b"")
        for each, cause in zip(bad, ("at byte 0: the header is not that of a message",
                                     "at byte 0: the bytes end inside the header",
                                     "at byte %d: this is not base64" % (len(LINE) + 3 +
                                                                        (len(SPAN) - 1) // 3 * 4),
                                     "this is not base64 with its padding",
                                     "at byte 33: the bytes end inside the value",
                                     "at byte 0: the bytes end inside the header")):
            with self.subTest(each):
                program, counts = self.taken(f"{ANY_PORT}?{TRACES}", each)
                self.assertEqual(counts["reasons"]["malformed"], 1)
                self.assertIn(cause, "\n".join(program.log()))

    def test_a_message_is_written_as_the_bytes_that_were_encoded(self):
        path = self.folder / "messages"
        self.taken(f"{ANY_PORT}?{TRACES}", datagram(b"T1S", SPAN),
                   sink=f"file:{path}?format=protobuf")
        self.assertEqual(path.read_bytes(), bytes([len(SPAN)]) + SPAN)


if __name__ == "__main__":
    unittest.main()
