"""Compares the output for captures of real senders, in both views, with the results of other
programs."""
import datetime
import json
import os
import unittest

import otlp_samples
from capture_writing import write_capture
from otlp_identifiers import with_hex
from protobuf import metric
from sluice_program import CAPTURES, ProgramTest, parse_lines, read_lines, wait_for_bytes

RIEMANN = {
    "collectd_riemann_batchoff_v4": 5561,
    "riemann_cli_v4": 5555,
    "riemann_frag_v4_mtu1500": 5555,
    "riemann_lib_odd_v4": 5555,
    "riemann_seq_nano_v4": 5555,
    "syslogng_riemann_batch10": 5563,
}
OTLP_METRICS = ("otlp_metrics_v4", "otlp_sizes_v4")
SCHEMAS = {**{name: "riemann" for name in RIEMANN}, **{name: "otlp" for name in OTLP_METRICS},
           "otlp_logs_v4": "otlp-logs", "otlp_traces_v4": "otlp-traces"}


def capture_url(name, port=None):
    port = RIEMANN.get(name, 4317) if port is None else port
    return f"pcap:{CAPTURES / name}.pcap?port={port}&schema={SCHEMAS[name]}"


def truth(name):
    with open(CAPTURES / f"{name}.ndjson", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# --- the expected lines, computed from the captures' content only ---------------------------------

def to_time(nanoseconds):
    """RFC 3339 with nine digits of fraction."""
    seconds, fraction = divmod(nanoseconds, 10 ** 9)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:09}Z"


def arrival(line):
    seconds, fraction = line["ts"].split(".")
    return to_time(int(seconds) * 10 ** 9 + int(fraction))


def facts(line, listener):
    return {"received": arrival(line), "source": f"{line['src']}:{line['sport']}",
            "listener": listener}


def expected_messages(name):
    listener = f"pcap:{CAPTURES / name}.pcap"
    return [{**facts(line, listener), "schema": SCHEMAS[name],
             "bytes": line["payload_len"], "message": with_hex(line["message"])} for line in truth(name)]


def value_of(event):
    """Riemann's rule: the integer has priority, then the double, then the float. None if there is
    no value."""
    if "metric_sint64" in event:
        return int(event["metric_sint64"])
    return event.get("metric_d", event.get("metric_f"))


def time_of(event):
    if "time_micros" in event:
        return to_time(int(event["time_micros"]) * 1000)
    if "time" in event:
        return to_time(int(event["time"]) * 10 ** 9)
    return None


def labels_of(event):
    labels = {key: event[key] for key in ("host", "state") if key in event}
    if "tags" in event:
        labels["tags"] = ",".join(event["tags"])
    for attribute in event.get("attributes", []):
        labels.setdefault(attribute["key"], attribute.get("value", ""))
    return labels


def riemann_samples(message, received):
    return [{"time": time_of(event) or received, "name": event.get("service", ""),
             "kind": "gauge", "value": value_of(event), "labels": labels_of(event)}
            for event in message.get("events", []) if value_of(event) is not None]


def samples_of(name, line):
    """The samples of one datagram, without its facts."""
    if SCHEMAS[name] == "riemann":
        return riemann_samples(line["message"], arrival(line))
    return list(otlp_samples.samples(line["message"], to_time))


def expected_samples(name):
    listener = f"pcap:{CAPTURES / name}.pcap"
    return [{**sample, **facts(line, listener)}
            for line in truth(name) for sample in samples_of(name, line)]


class Truth(ProgramTest):
    def assert_same_lines(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for number, (line, truth_line) in enumerate(zip(found, expected), 1):
            self.assertEqual(line, truth_line, f"line {number}")

    def test_every_message_is_what_its_sender_sent(self):
        for name in SCHEMAS:
            with self.subTest(capture=name):
                program, ledger = self.run_to_end(
                    "--listen", capture_url(name), "--sink",
                    "stdout:?format=json&view=message&names=proto")
                self.assert_same_lines(program.output(), expected_messages(name))
                self.assertEqual(ledger["listeners"][0]["decoded"], len(truth(name)))
                self.assertEqual(ledger["sinks"][0]["written"], len(truth(name)))
                self.assertEqual(program.log(), [])

    def test_every_metric_is_one_line_of_samples(self):
        for name in (*RIEMANN, *OTLP_METRICS):
            with self.subTest(capture=name):
                program, ledger = self.run_to_end("--listen", capture_url(name), "--sink",
                                                  "stdout:?view=sample")
                expected = expected_samples(name)
                self.assert_same_lines(program.output(), expected)
                without = sum(not samples_of(name, line) for line in truth(name))
                self.assertEqual(ledger["sinks"][0]["lines"], len(expected))
                self.assertEqual(ledger["sinks"][0]["filtered"], without)

    def test_the_truth_holds_what_the_rules_are_about(self):
        """Asserts that the captures contain every kind of field that the tests above are about."""
        events = [event for name in RIEMANN for line in truth(name)
                  for event in line["message"].get("events", [])]
        for key in ("metric_sint64", "metric_d", "metric_f", "time", "time_micros", "host", "state",
                    "tags", "attributes", "ttl", "description"):
            self.assertTrue(any(key in event for event in events), key)
        self.assertTrue(any(value_of(event) is None for event in events))
        self.assertTrue(any(time_of(event) is None for event in events))

    def test_the_truth_of_otlp_holds_what_its_rules_are_about(self):
        lines = [line for name in OTLP_METRICS for line in expected_samples(name)]
        self.assertEqual([len(expected_samples(name)) for name in OTLP_METRICS], [113, 816])
        self.assertEqual({(line["kind"], line.get("temporality")) for line in lines},
                         {("gauge", None), ("counter", "cumulative"), ("counter", "delta"),
                          ("updown_counter", "cumulative"), ("updown_counter", "delta"),
                          ("histogram", "cumulative"), ("histogram", "delta"),
                          ("exponential_histogram", "cumulative"),
                          ("exponential_histogram", "delta")})
        self.assertTrue(any(isinstance(line["value"], int) for line in lines))
        self.assertTrue(any(isinstance(line["value"], float) for line in lines))
        labels = {text for line in lines for text in line["labels"].values()}
        for text in ("true", "0.125", "4242", "[1,2,3]", "[true,false]", '["a","b"]'):
            self.assertIn(text, labels)

    def test_two_sinks_get_the_same_datagrams(self):
        name = "syslogng_riemann_batch10"
        messages = self.folder / "messages"
        program, ledger = self.run_to_end(
            "--listen", capture_url(name), "--sink", "stdout:",
            "--sink", f"file:{messages}?view=message&names=proto")
        self.assert_same_lines(program.output(), expected_samples(name))
        self.assert_same_lines(read_lines(messages), expected_messages(name))
        self.assertEqual([sink["offered"] for sink in ledger["sinks"]], [8, 8])

    def test_all_captures_at_once(self):
        urls = [argument for name in RIEMANN for argument in ("--listen", capture_url(name))]
        program, ledger = self.run_to_end(*urls, "--sink", "stdout:?view=message&names=proto")
        lines = program.output()
        for name, counts in zip(RIEMANN, ledger["listeners"]):
            with self.subTest(capture=name):
                listener = f"pcap:{CAPTURES / name}.pcap"
                self.assertEqual(counts["name"], listener)
                self.assert_same_lines([line for line in lines if line["listener"] == listener],
                                       expected_messages(name))
        self.assertEqual(len(lines), sum(len(truth(name)) for name in RIEMANN))


class Reading(ProgramTest):
    def test_fragments_are_counted_beside_datagrams(self):
        _, ledger = self.run_to_end("--listen", capture_url("riemann_frag_v4_mtu1500"))
        counts = ledger["listeners"][0]
        self.assertEqual({key: counts[key] for key in
                          ("received", "frames", "fragments", "reassembled", "other", "cut",
                           "incomplete")},
                         {"received": 10, "frames": 34, "fragments": 30, "reassembled": 6,
                          "other": 0, "cut": 0, "incomplete": 0})

    def test_datagrams_to_other_ports_are_other(self):
        program, ledger = self.run_to_end("--listen", capture_url("riemann_cli_v4", port=5556))
        self.assertEqual(program.output(), [])
        counts = ledger["listeners"][0]
        self.assertEqual((counts["received"], counts["frames"], counts["other"]), (0, 30, 30))

    def test_without_a_port_every_datagram_is_read(self):
        path = CAPTURES / "riemann_cli_v4.pcap"
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann")
        self.assertEqual(ledger["listeners"][0]["decoded"], 30)

    def test_a_slow_reader_loses_nothing(self):
        """More data than the queues and the pipe can hold waits for a reader that begins late."""
        count = 40000
        capture, file = self.folder / "long.pcap", self.folder / "lines"
        write_capture(capture, (metric(number) for number in range(count)))
        reader, writer = os.pipe()
        arguments = ("--listen", f"pcap:{capture}?schema=riemann", "--sink", "stdout:", "--sink",
                     f"file:{file}")
        program = self.launch(*arguments, "--memory", self.least_memory(*arguments), stdout=writer)
        os.close(writer)
        wait_for_bytes(reader)
        self.assertLess(file.read_bytes().count(b"\n"), count)
        with open(reader, "rb") as pipe:
            lines = parse_lines(pipe.read())
        ledger = program.finish()
        self.assertEqual([line["value"] for line in lines], list(range(count)))
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(count)))
        self.assertEqual([sink["written"] for sink in ledger["sinks"]], [count, count])

    def test_a_stop_ends_a_capture_on_a_whole_line(self):
        count = 40000
        capture = self.folder / "long.pcap"
        write_capture(capture, (metric(number) for number in range(count)))
        reader, writer = os.pipe()
        program = self.launch("--listen", f"pcap:{capture}?schema=riemann", stdout=writer)
        os.close(writer)
        wait_for_bytes(reader)
        program.ask_to_stop()
        with open(reader, "rb") as pipe:
            lines = parse_lines(pipe.read())
        ledger = program.finish()
        self.assertEqual([line["value"] for line in lines], list(range(len(lines))))
        self.assertEqual(ledger["sinks"][0]["written"], len(lines))
        self.assertEqual(ledger["sinks"][0]["failed"]["stop_timeout"], 0)

    def test_max_datagrams_is_exact_for_a_capture(self):
        program, ledger = self.run_to_end("--listen", capture_url("riemann_cli_v4"),
                                          "--max-datagrams", 7, "--sink", "stdout:?view=message")
        self.assertEqual(ledger["listeners"][0]["received"], 7)
        self.assertEqual(len(program.output()), 7)


class Unreadable(ProgramTest):
    def refuse(self, path):
        file = self.folder / "lines"
        said = self.refused("--listen", f"pcap:{path}", "--sink", f"file:{file}", code=65)
        self.assertIn(str(path), said)
        self.assertFalse(file.exists(), "an output was created though nothing was started")
        self.assertEqual(self.refused("--check", "--listen", f"pcap:{path}", code=65), said)

    def test_a_missing_file(self):
        self.refuse(self.folder / "missing.pcap")

    def test_a_folder(self):
        self.refuse(self.folder)

    def test_garbage(self):
        path = self.folder / "garbage.pcap"
        path.write_bytes(bytes(range(256)) * 8)
        self.refuse(path)

    def test_an_empty_file(self):
        path = self.folder / "empty.pcap"
        path.write_bytes(b"")
        self.refuse(path)

    def test_half_a_header(self):
        path = self.folder / "short.pcap"
        path.write_bytes((CAPTURES / "riemann_cli_v4.pcap").read_bytes()[:20])
        self.refuse(path)


class Damaged(ProgramTest):
    def test_what_comes_before_the_damage_is_written(self):
        whole = (CAPTURES / "riemann_cli_v4.pcap").read_bytes()
        path = self.folder / "torn.pcap"
        path.write_bytes(whole[:2000])
        program, ledger = self.run_to_end(
            "--listen", f"pcap:{path}?port=5555&schema=riemann", "--sink",
            "stdout:?view=message&names=proto", code=65)
        lines = program.output()
        self.assertEqual([line["message"] for line in lines],
                         [line["message"] for line in truth("riemann_cli_v4")[:len(lines)]])
        self.assertEqual(len(lines), 16)
        self.assertEqual(ledger["listeners"][0]["received"], 16)
        self.assertEqual(len(program.log()), 1)
        self.assertRegex(program.log()[0], rf"\Asluice: error: {path}: ends at byte 2000")


if __name__ == "__main__":
    unittest.main()
