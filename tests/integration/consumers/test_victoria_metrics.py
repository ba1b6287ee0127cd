"""VictoriaMetrics accepts influx and prometheus, by curl and by http: sinks, and returns what
was sent."""
import math

import sent
from capture_writing import FIRST_CAPTURED, write_capture
from format_texts import alphabet_text, first_of_each, influx_text, joined_labels, random_events
from protobuf import metric, riemann
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import RIEMANN, wait_until
from victoria_metrics import VictoriaMetrics

WRITE, IMPORT = "/write", "/api/v1/import/prometheus"
LISTEN_OF_README = {"influx": "udp://[::]:5555?schema=riemann",
                    "prometheus": "udp://[::]:4317?schema=otlp"}
STORE_OF_README = "http://127.0.0.1:8428"

# VictoriaMetrics stores a number as a 12-digit integer and a power of ten.
DIGITS = 1e-12


def influx_labels(labels):
    return {influx_text(key.encode()): influx_text(text.encode())
            for key, text in labels.items() if text}


def prometheus_labels(labels):
    return {alphabet_text(key.encode(), False): text for key, text in labels.items() if text}


def influx_series(numbers, structured):
    """The series' names, additional labels (none) and values, from measurements and fields."""
    for name, value in numbers.items():
        yield f"{name}_value", {}, value
    for name in structured:
        parts = sent.BUCKETS.get(name) or sent.QUANTILES[name]
        for field, value in {**sent.TOTALS[name], **parts}.items():
            yield f"{name}_{field}", {}, value


def prometheus_series(numbers, structured):
    for name, value in numbers.items():
        yield name.replace(".", "_"), {}, value
    for name in structured:
        family = name.replace(".", "_")
        for field in ("count", "sum"):
            yield f"{family}_{field}", {}, sent.TOTALS[name][field]
        for bound, value in sent.BUCKETS.get(name, {}).items():
            yield f"{family}_bucket", {"le": bound}, value
        for share, value in sent.QUANTILES.get(name, {}).items():
            yield family, {"quantile": share}, value


class StoreTest(ConsumerTest):
    """Each test has a separate store. Its start takes a tenth of a second."""

    def setUp(self):
        super().setUp()
        self.store = VictoriaMetrics(self.folder)
        self.addCleanup(self.store.close)

    def send_capture(self, datagrams, form, to):
        """Sends a capture of Riemann messages with curl, in one request. Returns the sink's counts.
        """
        path = self.folder / "sent.pcap"
        write_capture(path, datagrams)
        program = self.shell(f"sluice --listen 'pcap:{path}?schema=riemann' --sink "
                             f"'stdout:?format={form}' | curl -sS -w '%{{http_code}}' "
                             f"--data-binary @- {self.store.url}{to}", listeners=0)
        ledger = program.finish()
        self.assertEqual(program.log(), [])
        self.assertEqual(program.stdout.lines(), [b"204"])
        return ledger["sinks"][0]

    def assert_kept(self, series, labels):
        """Asserts that the store has exactly these samples at sent.TIME, all with these labels."""
        expected = {(name, frozenset({**labels, **own}.items()), sent.TIME_MS): value
                    for name, own, value in series}
        found = self.store.samples()
        self.assertEqual(set(found), set(expected))
        for key, value in expected.items():
            self.assertTrue(math.isclose(found[key], value, rel_tol=DIGITS), (key, found[key]))


class EveryKind(StoreTest):
    """The store returns the live metrics that are sent by the commands in sinks/README.md."""

    def send(self, form, schema, datagrams):
        line = from_readme("sluice ", f"format={form}", "curl ")
        for what, by in ((LISTEN_OF_README[form], f"udp://127.0.0.1:0?schema={schema}"),
                         (STORE_OF_README, self.store.url)):
            self.assertIn(what, line)
            line = line.replace(what, by)
        program = self.shell(line)
        self.sender(program).send_all(datagrams)
        program.wait_for_settled(len(datagrams))
        wait_until(self.store.samples, "a sample is in the store while the sender runs")
        ledger = program.stop()
        self.assertEqual([said for said in program.log() if "listening" not in said], [])
        self.assertEqual(program.stdout.lines(), [])
        self.assertEqual(ledger["sinks"][0]["written"], len(datagrams))

    def test_telemetry_as_influx(self):
        self.send("influx", "telemetry", sent.telemetry_datagrams())
        self.assert_kept(influx_series(sent.NUMBERS, [sent.HISTOGRAM]),
                         influx_labels(sent.LABELS))

    def test_telemetry_as_prometheus(self):
        self.send("prometheus", "telemetry", sent.telemetry_datagrams())
        self.assert_kept(prometheus_series(sent.NUMBERS, [sent.HISTOGRAM]),
                         prometheus_labels(sent.LABELS))

    OTLP_STRUCTURED = (sent.OTLP_HISTOGRAM, sent.EXPONENTIAL, sent.SUMMARY)

    def test_otlp_as_influx(self):
        self.send("influx", "otlp", sent.otlp_datagrams())
        self.assert_kept(influx_series(sent.OTLP_NUMBERS, self.OTLP_STRUCTURED),
                         influx_labels(sent.LABELS))

    def test_otlp_as_prometheus(self):
        self.send("prometheus", "otlp", sent.otlp_datagrams())
        self.assert_kept(prometheus_series(sent.OTLP_NUMBERS, self.OTLP_STRUCTURED),
                         prometheus_labels(sent.LABELS))

    def test_what_is_sent_can_be_asked_for(self):
        self.send("prometheus", "telemetry", sent.telemetry_datagrams())
        self.store.samples()
        emoji = sent.LABELS["emoji"]
        (labels, value), = self.store.query(
            f'sent_counter{{newline="first\\nsecond", emoji="{emoji}", empty=""}}', sent.SECONDS + 1)
        self.assertEqual((labels["quotes"], value), (sent.LABELS["quotes"], 4711))
        (_, median), = self.store.query("histogram_quantile(0.5, sent_latency_bucket)",
                                        sent.SECONDS + 1)
        self.assertTrue(math.isclose(median, 0.1 * 2.5 / 3), median)
        self.assertEqual(self.store.query("sent_counter{newline='first'}", sent.SECONDS + 1), [])


class Delivered(EveryKind):
    """The tests of EveryKind through http: sinks."""

    def setUp(self):
        super().setUp()
        self.require_http()

    def send(self, form, schema, datagrams):
        to = WRITE if form == "influx" else IMPORT
        program = self.shell(f"sluice --listen 'udp://127.0.0.1:0?schema={schema}' --sink "
                             f"'{self.store.url}{to}?format={form}&flush_interval=20ms'")
        self.sender(program).send_all(datagrams)
        program.wait_for_settled(len(datagrams))
        ledger = program.stop()
        self.assertEqual([said for said in program.log() if "listening" not in said], [])
        self.assertEqual(ledger["sinks"][0]["written"], len(datagrams))


class RandomTexts(StoreTest):
    """Names and labels of Riemann events, which may contain any bytes, from a capture that is sent
    in one request."""

    def setUp(self):
        super().setUp()
        self.events = list(random_events(seed=20261122, count=1000))

    def expected(self, to_name, to_labels):
        """Each sample has the time of its datagram. One datagram is sent each second."""
        for number, event in enumerate(self.events):
            yield (to_name(event["service"]), frozenset(to_labels(event["attributes"]).items()),
                   (FIRST_CAPTURED + number) * 1000), event["metric_sint64"]

    def kept(self, form, to):
        counts = self.send_capture(map(riemann, self.events), form, to)
        self.assertEqual(counts["lines"], len(self.events))
        return self.store.samples()

    def test_influx(self):
        def stored(data):
            # VictoriaMetrics reads two backslashes as one.
            return influx_text(data).replace(2 * "\\", "\\")

        def name(data):
            text = stored(data) or "_"
            return ("_" + text[1:] if text[0] == "#" else text) + "_value"

        def tags(pairs):
            pairs = ((stored(key), stored(text)) for key, text in pairs)
            return first_of_each((key, text) for key, text in pairs if key and text)

        self.assertEqual(self.kept("influx", WRITE), dict(self.expected(name, tags)))

    def test_prometheus(self):
        self.assertEqual(self.kept("prometheus", IMPORT), dict(self.expected(
            lambda data: alphabet_text(data, True), joined_labels)))


class WhatItDoesNotKeep(StoreTest):
    def test_it_keeps_infinities_and_no_nan(self):
        values = [1.5, math.nan, math.inf, -math.inf, 2.5]
        counts = self.send_capture([metric(value) for value in values], "prometheus", IMPORT)
        self.assertEqual(counts["lines"], len(values))
        self.assertEqual(self.store.samples(), {
            ("cpu", frozenset(), (FIRST_CAPTURED + number) * 1000): value
            for number, value in enumerate(values) if not math.isnan(value)})


class StoreGoes(StoreTest):
    def test_it_ends_the_sender_too(self):
        program = self.shell(f"sluice --listen '{RIEMANN}' --sink 'stdout:?format=influx' | "
                             f"curl -sSf -H 'Stream-Mode: 1' -T - -X POST {self.store.url}{WRITE} || exit 3")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        wait_until(self.store.samples, "the first sample is in the store")
        self.store.close()
        flood = self.flood(program, metric)  # curl detects a closed connection only when it sends
        ledger = program.finish(code=3)
        flood.end()
        program.wait_for_log("the reader has gone")
        self.assertGreater(ledger["sinks"][0]["written"], 0)


if __name__ == "__main__":
    main("victoria-metrics", "curl", "bash")
