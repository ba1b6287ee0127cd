"""Invalid input is counted by its reason and logged at a limited rate; other senders are not
affected.
"""
import random
import re
import unittest

from protobuf import gauge, groups, message, metric, riemann, sample, telemetry, text
from sluice_program import RIEMANN, TELEMETRY, ProgramTest

DEPTH_LIMIT = 100

REASONS = ("no_buffer", "source_denied", "rate_limited", "truncated", "handshake",
           "handshake_refused", "no_session", "no_key", "forged", "stale", "replayed", "no_match",
           "control", "segment_repeated", "assembly_full", "segments_missing", "empty", "too_deep",
           "too_large", "malformed")


class Refusing(ProgramTest):
    def told(self, program):
        """The lines of the log about datagrams that were refused."""
        return [line for line in program.log() if ": datagram of " in line]


class Reasons(Refusing):
    def refuse(self, datagram, reason, why="", listen=TELEMETRY, good=gauge("v", 1.0)):
        """Asserts that the datagram is refused and logged for this reason only, and that the next
        one is decoded."""
        program = self.start("--listen", listen)
        sender = self.sender(program)
        sender.send_all([datagram, good])
        ledger = program.stop()
        listener = ledger["listeners"][0]
        expected = dict.fromkeys(REASONS, 0)
        expected[reason] = 1
        self.assertEqual(listener["reasons"], expected)
        self.assertEqual((listener["received"], listener["decoded"]), (2, 1))
        self.assertEqual(listener["bytes"], len(datagram) + len(good))
        self.assertEqual([line["value"] for line in program.output()], [1])
        told = [re.sub(r"at byte \d{4,}:", "at byte N:", line) for line in self.told(program)]
        self.assertEqual(told, [
            f"sluice: warning: {program.names[0]}: {reason}: datagram of {len(datagram)} bytes "
            f"from {sender.source} (schema={listener['schema']}){why and ', ' + why}"])

    def test_bytes_that_are_no_message(self):
        self.refuse(b"\xff\xff\xff\xff", "malformed", "at byte 0: the bytes end inside a tag")

    def test_a_message_cut_short(self):
        self.refuse(gauge("v", 1.0)[:-1], "malformed",
                    "at byte 1: a length of 12 bytes where 11 are left (field samples)")

    def test_a_length_beyond_the_end(self):
        self.refuse(b"\x32\xff\xff\xff\xff\x0f", "malformed",
                    "at byte 1: a length of 4294967295 bytes where 0 are left (field samples)")

    def test_a_proto3_string_that_is_not_utf8(self):
        self.refuse(gauge(b"caf\xe9", 1.0), "malformed",
                    "at byte 7: a string is not UTF-8 (field samples.name)")
        self.refuse(telemetry(sample("v", double=1.0, labels=[("k", b"\xed\xa0\x80")])), "malformed",
                    "at byte 21: a string is not UTF-8 (field samples.labels.value)")

    def test_an_event_attribute_without_its_key(self):
        self.refuse(message(6, message(9, text(2, "value"))), "malformed",
                    "at byte 11: a required field is missing (field events.attributes.key)",
                    listen=RIEMANN, good=metric(1))

    def test_an_empty_datagram_where_the_schema_refuses_it(self):
        self.refuse(b"", "empty")

    def test_a_datagram_longer_than_max_datagram(self):
        self.refuse(gauge("v" * 200, 1.0), "truncated", listen=TELEMETRY + "&max_datagram=100B")

    def test_groups_nested_too_deeply(self):
        path = "..." + ".".join(["1000"] * 18)
        where = f"at byte 200: too many levels of messages and groups (field {path})"
        self.refuse(groups(1000, DEPTH_LIMIT + 1), "too_deep", where)
        self.refuse(groups(1000, 8000), "too_deep", where)
        # Without the bytes that would close the groups.
        self.refuse(groups(1000, 8000)[:16000], "too_deep", where)

    def test_a_message_that_is_too_large_when_decoded(self):
        many = telemetry(*[b""] * 1000)
        self.refuse(many, "too_large", "at byte 0: no room for the decoded message (field samples)",
                    listen=TELEMETRY + "&max_decoded=4KiB")

    def test_the_largest_datagram_full_of_empty_events(self):
        """Events of two bytes, which need a hundred times as much memory when decoded."""
        self.refuse(riemann(*[{}] * 32753), "too_large",
                    "at byte N: no room for the decoded message (field events)", listen=RIEMANN,
                    good=metric(1))


class Accepted(ProgramTest):
    """Unusual input that is valid."""

    def test_an_empty_riemann_datagram_is_a_message(self):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?view=message")
        self.sender(program).send_all([b"", metric(1), b""])
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], 3)
        self.assertEqual([line["bytes"] for line in program.output()], [0, len(metric(1)), 0])

    def accept(self, datagram):
        program = self.start("--listen", TELEMETRY, "--sink", "stdout:?view=message")
        self.sender(program).send_all([datagram])
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], 1)
        line, = program.output()
        return line["message"]

    def test_a_field_of_another_type_is_unknown(self):
        self.assertEqual(self.accept(message(6, text(3, "a double's place"))), {"samples": [{}]})

    def test_unknown_groups_nested_as_deep_as_allowed(self):
        self.assertEqual(self.accept(groups(1000, DEPTH_LIMIT)), {})

    def test_proto2_text_may_be_any_bytes_and_is_valid_json(self):
        bad = b"caf\xe9 \x00 \xf0\x9f\x9a"
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1, service=bad, host=bad, tags=[bad, b"x"],
                                              attributes=[(bad, bad)])])
        program.stop()
        line, = program.output()
        clean = "caf\ufffd \x00 \ufffd"
        self.assertEqual(line["name"], clean)
        self.assertEqual(line["labels"], {"host": clean, "tags": clean + ",x", clean: clean})

    def test_the_largest_datagram_that_udp_carries(self):
        size = 65507
        overhead = len(riemann({"metric_d": 1.0, "description": "x" * 60000})) - 60000
        datagram = riemann({"metric_d": 1.0, "description": "x" * (size - overhead)})
        self.assertEqual(len(datagram), size)
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?view=message")
        self.sender(program).send_all([datagram])
        program.stop()
        line, = program.output()
        self.assertEqual(line["bytes"], size)
        self.assertEqual(len(line["message"]["events"][0]["description"]), size - overhead)


class WrongSchema(ProgramTest):
    """protobuf decodes messages of other schemas without error."""

    DOUBT = "is schema= right?"

    def doubts(self, listen, datagrams):
        program = self.start("--listen", listen)
        self.sender(program).send_all(datagrams)
        program.stop()
        return [line for line in program.log() if self.DOUBT in line]

    def test_is_reported_at_the_first_datagram_and_once_in_a_minute(self):
        event = riemann({"service": b"cpu", "host": b"web1", "metric_f": 0.5})
        for datagrams in ([event], [gauge("v", 1.0), event, gauge("v", 1.0), event]):
            line, = self.doubts(TELEMETRY, datagrams)
            self.assertRegex(line, r": telemetry does not know 3 of 3 fields in a datagram: "
                             r"is schema= right\? schema=riemann knows them\Z")

    def test_is_reported_of_the_programs_own_schema(self):
        line, = self.doubts(RIEMANN, [gauge("v", float(value)) for value in range(10)])
        self.assertIn("schema=telemetry knows them", line)

    def test_unknown_fields_beside_a_sample_are_no_reason(self):
        known = metric(1.0)
        self.assertEqual(self.doubts(RIEMANN, [known + b"\xf8\x07\x01"] * 5), [])

    def test_messages_without_samples_and_without_unknown_fields_are_no_reason(self):
        self.assertEqual(self.doubts(RIEMANN, [b""] * 5), [])


class NoValue(ProgramTest):
    """Messages from which a sink of samples makes no line."""

    STATE = riemann({"service": b"disk", "state": b"ok", "host": b"web1"})

    def told(self, *sinks):
        program = self.start("--listen", RIEMANN, *sinks)
        self.sender(program).send_all([self.STATE, metric(1), self.STATE])
        ledger = program.stop()
        self.assertTrue(ledger["balances"])
        return [line for line in program.log() if "has no metric value" in line], ledger

    def test_are_reported_once_with_the_view_that_shows_them(self):
        told, ledger = self.told("--sink", "stdout:")
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], r": a message has no metric value and so leaves no line in stdout:; "
                         r"view=message shows it\Z")
        self.assertEqual(ledger["sinks"][0]["filtered"], 2)

    def test_are_no_news_where_each_message_is_a_line(self):
        told, ledger = self.told("--sink", "stdout:?view=message")
        self.assertEqual((told, ledger["sinks"][0]["lines"]), ([], 3))


class Log(Refusing):
    def test_a_hundred_bad_datagrams_are_a_few_lines(self):
        program = self.start("--listen", TELEMETRY)
        sender = self.sender(program)
        sender.send_all([b"\xff"] * 100)
        sender.send_all([gauge("v", 1.0)], before=100)
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual((listener["reasons"]["malformed"], listener["decoded"]), (100, 1))
        told = self.told(program)
        # At most one line a second, and one more at the beginning.
        self.assertLessEqual(len(told), 1 + ledger["uptime_seconds"])
        self.assertIn(f"datagram of 1 bytes from {sender.source}", told[0])

    def test_reasons_of_all_kinds_at_once_are_counted_each(self):
        program = self.start("--listen", TELEMETRY + "&max_datagram=5000B&max_decoded=4KiB")
        kinds = {"truncated": bytes(5001), "empty": b"", "too_deep": groups(1000, 500),
                 "too_large": telemetry(*[b""] * 1000), "malformed": b"\xff"}
        datagrams = [datagram for datagram in kinds.values() for _ in range(7)]
        good = [gauge("v", number) for number in range(35)]
        mixed = [datagram for pair in zip(datagrams, good) for datagram in pair]
        self.sender(program).send_all(mixed)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["reasons"],
                         {**dict.fromkeys(REASONS, 0), **dict.fromkeys(kinds, 7)})
        self.assertEqual([line["value"] for line in program.output()], list(range(35)))


class Fuzz(Refusing):
    """Thousands of datagrams that are random, or damaged valid ones. The seed is fixed."""

    COUNT = 3000

    def good(self, chance, number):
        return telemetry(
            sample(f"metric.{number}", double=chance.uniform(-1e9, 1e9), unit="By",
                   labels=[("host", "web1"), ("n", str(number))]),
            sample("h", histogram={"count": 3, "sum": 1.0, "bounds": [1.0, 2.0],
                                   "counts": [1, 1, 1]}),
            sender="fuzz", boot=1, sequence=number + 1)

    def spoil(self, chance, datagram):
        data = bytearray(datagram)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            kind = chance.randrange(4)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1:
                data[at] ^= 1 << chance.randrange(8)
            elif kind == 2:
                del data[at:at + chance.randrange(1, 9)]
            else:
                data[at:at] = chance.randbytes(chance.randrange(1, 9))
            if not data:
                break
        return bytes(data)

    def fuzz(self, listen, make):
        chance = random.Random(5555)
        datagrams = [make(chance, number) for number in range(self.COUNT)]
        messages = self.folder / "messages"
        program = self.start("--listen", listen, "--sink", "stdout:", "--sink",
                             f"file:{messages}?view=message")
        sender = self.sender(program)
        sender.send_all(datagrams)
        last = gauge("last", 42.0) if "telemetry" in listen else metric(42, service="last")
        sender.send_all([last], before=len(datagrams))
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual(listener["received"], self.COUNT + 1)
        self.assertEqual(listener["bytes"], sum(map(len, datagrams)) + len(last))
        self.assertGreater(listener["reasons"]["malformed"], 0)
        # Reading the output also checks that each line is JSON.
        self.assertEqual(program.output()[-1]["name"], "last")
        reasons = [name for name, count in listener["reasons"].items() if count != 0]
        self.assertLessEqual(len(self.told(program)),
                             len(reasons) * (1 + ledger["uptime_seconds"]))

    def test_random_bytes(self):
        for listen in (TELEMETRY, RIEMANN):
            with self.subTest(listen=listen):
                self.fuzz(listen, lambda chance, _: chance.randbytes(chance.randrange(200)))

    def test_good_datagrams_spoilt(self):
        for listen in (TELEMETRY, RIEMANN):
            with self.subTest(listen=listen):
                self.fuzz(listen,
                          lambda chance, number: self.spoil(chance, self.good(chance, number)))

    def test_good_datagrams_cut_anywhere(self):
        def cut(chance, number):
            datagram = self.good(chance, number)
            return datagram[:number % (len(datagram) + 1)]
        self.fuzz(TELEMETRY, cut)


if __name__ == "__main__":
    unittest.main()
