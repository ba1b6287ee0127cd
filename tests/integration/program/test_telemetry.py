"""Tests the schema telemetry over UDP: every kind of value, label and time, and the effects of
sequence numbers."""
import struct
import unittest

from protobuf import (CUMULATIVE, DELTA, GAUGE, INT64_MAX, INT64_MIN, UINT64_MAX, gauge, integer,
                      sample, telemetry)
from sluice_program import TELEMETRY, ProgramTest

SECOND = 10 ** 9
T0 = 1700000000 * SECOND  # 2023-11-14T22:13:20Z


class Samples(ProgramTest):
    def lines_of(self, *datagrams, sink="stdout:"):
        """The output for these datagrams, and the last ledger."""
        program = self.start("--listen", TELEMETRY, "--sink", sink)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], len(datagrams))
        return program.output(), ledger

    def values_of(self, *samples):
        lines, _ = self.lines_of(telemetry(*samples))
        self.assertEqual([line["name"] for line in lines], ["v"] * len(samples))
        return [line["value"] for line in lines]

    def test_doubles_read_back_as_what_was_sent(self):
        sent = [0.0, 0.1, 1 / 3, 1e300, 5e-324, 1.7976931348623157e308, -2.5, 123456789.0, 1e21,
                2.0 ** 53 + 2, struct.unpack("<d", b"\x01\x02\x03\x04\x05\x06\x07\x40")[0]]
        self.assertEqual(self.values_of(*(sample("v", double=value) for value in sent)), sent)

    def test_a_zero_keeps_its_sign(self):
        program = self.start("--listen", TELEMETRY)
        self.sender(program).send_all([gauge("v", -0.0)])
        program.stop()
        self.assertRegex(program.stdout.lines()[0], rb'"value":-0(\.0)?,')

    def test_what_no_number_of_json_can_say_is_a_word(self):
        self.assertEqual(self.values_of(sample("v", double=float("nan")),
                                        sample("v", double=float("inf")),
                                        sample("v", double=float("-inf"))),
                         ["NaN", "Infinity", "-Infinity"])

    def test_integers_to_their_extremes(self):
        sent = [0, 1, -1, INT64_MIN, INT64_MAX, 2 ** 53 + 1]
        self.assertEqual(self.values_of(*(sample("v", int=value) for value in sent)), sent)
        sent = [0, 1, UINT64_MAX, 2 ** 63, 2 ** 53 + 1]
        self.assertEqual(self.values_of(*(sample("v", uint=value) for value in sent)), sent)

    def test_kinds_and_their_temporality(self):
        histogram = {"count": 3, "sum": 6.5, "bounds": [1.0, 2.5], "counts": [1, 1, 1], "min": 0.0,
                     "max": 4.25}
        bare = {"count": UINT64_MAX, "sum": float("inf")}
        lines, _ = self.lines_of(telemetry(
            sample("gauge", double=1.5),
            sample("total", uint=7, kind=CUMULATIVE, start_time=T0),
            sample("delta", int=-3, kind=DELTA),
            sample("histogram", histogram=histogram, kind=CUMULATIVE),
            sample("deltas", histogram=bare, kind=DELTA),
            sample("snapshot", histogram=bare, kind=GAUGE)))
        self.assertEqual([(line["name"], line["kind"], line.get("temporality")) for line in lines], [
            ("gauge", "gauge", None),
            ("total", "counter", "cumulative"),
            ("delta", "counter", "delta"),
            ("histogram", "histogram", "cumulative"),
            ("deltas", "histogram", "delta"),
            ("snapshot", "histogram", None)])
        self.assertEqual(lines[1]["start_time"], "2023-11-14T22:13:20.000000000Z")
        self.assertNotIn("start_time", lines[0])
        self.assertEqual(lines[3]["value"], histogram)
        self.assertEqual(lines[4]["value"],
                         {"count": UINT64_MAX, "sum": "Infinity", "bounds": [], "counts": []})

    def test_a_samples_own_label_wins_over_a_shared_one(self):
        lines, _ = self.lines_of(telemetry(
            sample("a", double=1.0, labels=[("host", "own"), ("cpu", "0")]),
            sample("b", double=2.0),
            sample("c", double=3.0, labels=[("twice", "first"), ("twice", "second"), ("", "")]),
            labels=[("host", "shared"), ("dc", "x")]))
        self.assertEqual([line["labels"] for line in lines], [
            {"host": "own", "cpu": "0", "dc": "x"},
            {"host": "shared", "dc": "x"},
            {"twice": "first", "": "", "host": "shared", "dc": "x"}])

    def test_units_and_times(self):
        lines, _ = self.lines_of(
            telemetry(sample("own", double=1.0, time=T0 + 1, unit="By"), sample("shared", double=2.0),
                      time=T0),
            telemetry(sample("arrival", double=3.0)))
        self.assertEqual([line["time"] for line in lines[:2]],
                         ["2023-11-14T22:13:20.000000001Z", "2023-11-14T22:13:20.000000000Z"])
        self.assertEqual(lines[2]["time"], lines[2]["received"])
        self.assertEqual([line.get("unit") for line in lines], ["By", None, None])

    def test_text_of_any_kind_is_valid_json(self):
        names = ["", "quote\" back\\slash", "line\nbreak\ttab\x00nul\x7f", "häß 東京 🚰", "\u2028",
                 "x" * 3000]
        lines, _ = self.lines_of(telemetry(*(sample(name, double=1.0, labels=[(name, name)])
                                             for name in names)))
        self.assertEqual([line["name"] for line in lines], names)
        self.assertEqual([line["labels"] for line in lines], [{name: name} for name in names])

    def test_what_leaves_no_line_is_filtered(self):
        lines, ledger = self.lines_of(telemetry(sample("nothing")), telemetry(sender="quiet"),
                                      gauge("v", 1.0))
        self.assertEqual(len(lines), 1)
        self.assertEqual((ledger["sinks"][0]["filtered"], ledger["sinks"][0]["written"]), (2, 1))

    def test_fields_of_a_newer_schema_are_passed_over(self):
        lines, _ = self.lines_of(gauge("v", 1.0) + integer(1000, 7),
                                 telemetry(sample("k", double=2.0, kind=99) + integer(77, 1)))
        self.assertEqual([(line["name"], line["kind"]) for line in lines],
                         [("v", "gauge"), ("k", "gauge")])

    def test_a_message_in_the_json_mapping_of_protobuf(self):
        datagram = telemetry(
            sample("v", uint=UINT64_MAX, kind=CUMULATIVE, unit="By", time=T0, labels=[("a", "b")]),
            sample("h", histogram={"count": 2, "sum": 1.5, "bounds": [1.0], "counts": [1, 1]}),
            sender="web1/nginx", boot=T0, sequence=9, time=T0 + 1, labels=[("host", "web1")])
        histogram = {"count": "2", "sum": 1.5, "bounds": [1], "counts": ["1", "1"]}
        lines, _ = self.lines_of(datagram, sink="stdout:?view=message")
        self.assertEqual(lines[0]["schema"], "telemetry")
        self.assertEqual(lines[0]["bytes"], len(datagram))
        self.assertEqual(lines[0]["message"], {
            "senderId": "web1/nginx", "bootId": str(T0), "sequence": "9",
            "timeUnixNano": str(T0 + 1), "labels": [{"key": "host", "value": "web1"}],
            "samples": [
                {"name": "v", "kind": "CUMULATIVE_COUNTER", "uintValue": str(UINT64_MAX),
                 "unit": "By", "timeUnixNano": str(T0), "labels": [{"key": "a", "value": "b"}]},
                {"name": "h", "histogramValue": histogram}]})
        lines, _ = self.lines_of(datagram, sink="stdout:?view=message&names=proto&int64=number")
        self.assertEqual(lines[0]["message"]["boot_id"], T0)
        self.assertEqual(lines[0]["message"]["samples"][0]["uint_value"], UINT64_MAX)


class Sequence(ProgramTest):
    NAMES = ("senders", "lost", "duplicated", "reordered", "late", "restarted", "senders_evicted")

    def assert_counts(self, ledger, **expected):
        listener = ledger["listeners"][0]
        found = {name: listener[name] for name in self.NAMES}
        self.assertEqual(found, {**dict.fromkeys(self.NAMES, 0), **expected})

    def count(self, datagrams, **expected):
        """Sends the datagrams and stops. Each becomes a line, whatever its sequence number."""
        program = self.start("--listen", TELEMETRY)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        self.assert_counts(ledger, **expected)
        self.assertEqual(len(program.output()), len(datagrams))
        self.assertEqual(ledger["sinks"][0]["written"], len(datagrams))

    @staticmethod
    def numbered(*numbers, boot=7, sender="web1"):
        return [gauge("v", 1.0, sender=sender, boot=boot, sequence=number) for number in numbers]

    def test_numbers_without_a_gap(self):
        self.count(self.numbered(*range(1, 301)), senders=1)

    def test_they_may_begin_anywhere(self):
        self.count(self.numbered(*range(5000, 5010)), senders=1)

    def test_a_gap_is_lost_at_the_stop(self):
        self.count(self.numbered(1, 2, 5, 6, 10), senders=1, lost=5)

    def test_a_gap_is_lost_once_it_has_left_the_window(self):
        program = self.start("--listen", TELEMETRY)
        sender = self.sender(program)
        self.assert_counts(sender.send_all(self.numbered(1, 2, 5)), senders=1)
        sender.send_all(self.numbered(5 + 1024), before=3)
        # A datagram is counted as received, then its sequence number is evaluated, and then it is
        # written.
        self.assertEqual(program.wait_for_settled(4)["listeners"][0]["lost"], 2)
        self.assert_counts(program.stop(), senders=1, lost=2 + 1023)

    def test_the_same_number_twice(self):
        self.count(self.numbered(1, 2, 2, 3, 1, 4), senders=1, duplicated=2)

    def test_a_late_number_fills_its_gap(self):
        self.count(self.numbered(1, 3, 2, 4, 6, 5), senders=1, reordered=2)

    def test_a_number_at_the_end_of_the_window_and_one_from_before(self):
        self.count(self.numbered(1, *range(3, 2 + 1024), 2), senders=1, reordered=1)
        self.count(self.numbered(1, *range(3, 2 + 1025), 2), senders=1, lost=1, late=1)

    def test_a_new_boot_begins_anew(self):
        self.count(self.numbered(1, 2, 4) + self.numbered(1, 2, boot=8), senders=1, restarted=1,
                   lost=1)

    def test_without_a_boot_numbers_that_begin_again_show_it(self):
        self.count(self.numbered(*range(2000, 2010), 1, 2, boot=0), senders=1, restarted=1, late=1)

    def test_without_a_boot_one_old_number_is_no_restart(self):
        self.count(self.numbered(*range(2000, 2010), 1, 2010, 2, 2011, boot=0), senders=1, late=2)

    def test_senders_are_distinguished(self):
        self.count(self.numbered(1, 2, 3) + self.numbered(1, 3, sender="web2") +
                   self.numbered(9, sender=""), senders=3, lost=1)

    def test_who_does_not_count_is_no_sender(self):
        self.count([gauge("v", 1.0, sender="web1")] * 5)

    def test_what_was_refused_counts_as_lost(self):
        program = self.start("--listen", TELEMETRY)
        good = self.numbered(1, 2, 3)
        self.sender(program).send_all([good[0], good[1] + b"\xff", good[2]])
        ledger = program.stop()
        self.assert_counts(ledger, senders=1, lost=1)
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 1)

    def test_a_sender_is_the_same_from_another_port(self):
        program = self.start("--listen", TELEMETRY)
        self.sender(program).send_all(self.numbered(1, 2))
        self.sender(program).send_all(self.numbered(4), before=2)
        self.assert_counts(program.stop(), senders=1, lost=1)


if __name__ == "__main__":
    unittest.main()
