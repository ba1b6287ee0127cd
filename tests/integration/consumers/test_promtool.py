"""promtool makes blocks of Prometheus from each file of openmetrics; they contain all samples
that were sent."""
import ast
import re
import subprocess

import sent
from capture_writing import FIRST_CAPTURED, write_capture
from format_texts import alphabet_text, joined_labels, random_events
from openmetrics_mapping import canonical
from openmetrics_reading import read_openmetrics
from protobuf import riemann, sample, telemetry
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import DEADLINE

LISTEN_OF_README = "udp://[::]:4317?schema=otlp"
STORE_OF_README = " data\n"
SAMPLE = re.compile(r"\{(.*)\} (\S+) (-?\d+)")
LABEL = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*")(?:, |\Z)')


def series_of(numbers, structured):
    """The names, additional labels and values of the expected series. For each name, `structured`
    says whether it is cumulative."""
    yield from ((name, {}, value) for name, value in numbers)
    for name, suffix in structured.items():
        family, totals = name.replace(".", "_"), sent.TOTALS[name]
        negative = any(bound.startswith("-") for bound in sent.BUCKETS.get(name, {}))
        for bound, value in sent.BUCKETS.get(name, {}).items():
            yield f"{family}_bucket", {"le": canonical(float(bound))}, value
        for share, value in sent.QUANTILES.get(name, {}).items():
            yield family, {"quantile": canonical(float(share))}, value
        if not negative or suffix == "_g":
            yield f"{family}{suffix}count", {}, totals["count"]
            yield f"{family}{suffix}sum", {}, totals["sum"]


def name_of(name):
    counters = ("sent.counter", "otlp.requests", "otlp.joules")
    return name.replace(".", "_") + ("_total" if name in counters else "")


class PromtoolTest(ConsumerTest):
    def setUp(self):
        super().setUp()
        self.out, self.store = self.folder / "out", self.folder / "store"
        self.out.mkdir()
        # Later versions of promtool write to data/ while they read a store.
        (self.folder / "data").mkdir()

    def run_promtool(self, *arguments):
        done = subprocess.run(["promtool", "tsdb", *map(str, arguments)], capture_output=True,
                              cwd=self.folder, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode("utf-8")

    def import_files(self):
        for path in sorted(self.out.iterdir()):
            read_openmetrics(path.read_bytes())
            self.run_promtool("create-blocks-from", "openmetrics", path, self.store)

    def kept(self):
        """All samples of the store: value by name, labels (a frozen set of pairs) and time in
        ms."""
        # promtool needs this folder, which only a server creates.
        (self.store / "wal").mkdir(exist_ok=True)
        found = {}
        for line in self.run_promtool("dump", self.store).split("\n")[:-1]:
            labels, value, moment = SAMPLE.fullmatch(line).groups()
            pairs = {name: ast.literal_eval(text) for name, text in LABEL.findall(labels)}
            key = (pairs.pop("__name__"), frozenset(pairs.items()), int(moment))
            self.assertNotIn(key, found)
            found[key] = float(value)
        return found

    def assert_same(self, found, wanted):
        """Does what assertEqual does, which would take minutes to describe a difference between
        thousands of items."""
        wrong = [key for key in set(found) | set(wanted) if found.get(key) != wanted.get(key)]
        self.assertEqual(len(wrong), 0, wrong[:5])

    def of_capture(self, datagrams, schema):
        """Writes the records with a sink, from a capture, and imports the file. Returns the
        sink's counts."""
        path = self.folder / "sent.pcap"
        write_capture(path, datagrams)
        program, ledger = self.run_to_end(
            "--listen", f"pcap:{path}?schema={schema}", "--sink",
            f"file:{self.out}/metrics.om?format=openmetrics&flush_interval=1h")
        self.assertEqual(program.log(), [])
        self.import_files()
        return ledger["sinks"][0]


class EveryKind(PromtoolTest):
    """The store keeps the live metrics that are sent by the commands in sinks/README.md."""

    LABELS = {alphabet_text(key.encode(), False): text
              for key, text in sent.LABELS.items() if text}

    def send(self, schema, datagrams):
        sluice, promtool = from_readme("sluice ", "format=openmetrics", "promtool").split("\n\n")
        for what in (LISTEN_OF_README, STORE_OF_README):
            self.assertIn(what, sluice + promtool)
        sluice = sluice.replace(LISTEN_OF_README, f"udp://127.0.0.1:0?schema={schema}")
        promtool = promtool.replace(STORE_OF_README, f" {self.store}\n")
        program = self.shell(sluice, cwd=self.out)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        self.assertEqual(len(program.log()), 1, program.log())
        self.assertEqual(ledger["sinks"][0]["written"], len(datagrams))
        subprocess.run(["bash", "-ec", promtool], check=True, timeout=DEADLINE,
                       stdout=subprocess.DEVNULL, cwd=self.out)

    def assert_kept(self, series):
        self.assertEqual(self.kept(), {
            (name, frozenset({**self.LABELS, **own}.items()), sent.TIME_MS): value
            for name, own, value in series})

    def test_telemetry(self):
        self.send("telemetry", sent.telemetry_datagrams())
        self.assert_kept(series_of(
            ((name_of(name), float(value)) for name, value in sent.NUMBERS.items()),
            {sent.HISTOGRAM: "_g"}))

    def test_otlp(self):
        self.send("otlp", sent.otlp_datagrams())
        self.assert_kept(series_of(
            ((name_of(name), float(value)) for name, value in sent.OTLP_NUMBERS.items()),
            {sent.OTLP_HISTOGRAM: "_", sent.EXPONENTIAL: "_g", sent.SUMMARY: "_"}))


class RandomTexts(PromtoolTest):
    def test_names_and_labels_of_any_bytes(self):
        events = list(random_events(seed=20261124, count=1000))
        counts = self.of_capture(map(riemann, events), "riemann")
        self.assertEqual(counts["lines"], len(events))
        wanted = {}
        for number, event in enumerate(events):
            labels = joined_labels(event["attributes"])
            wanted[alphabet_text(event["service"], True), frozenset(labels.items()),
                   (FIRST_CAPTURED + number) * 1000] = event["metric_sint64"]
        self.assert_same(self.kept(), wanted)


class Times(PromtoolTest):
    def numbers(self, count, step, first=sent.SECONDS * 10 ** 9):
        return [telemetry(*[sample("n", int=number, time=first + number * step)
                            for number in range(start, min(start + 100, count))])
                for start in range(0, count, 100)]

    def test_a_value_for_each_millisecond_is_kept(self):
        self.of_capture(self.numbers(3000, 10 ** 6), "telemetry")
        self.assert_same(self.kept(), {
            ("n", frozenset(), sent.SECONDS * 1000 + number): number for number in range(3000)})

    def test_ten_values_in_each_millisecond_do_not_spoil_the_file(self):
        counts = self.of_capture(self.numbers(12000, 10 ** 5), "telemetry")
        self.assert_same(self.kept(), {
            ("n", frozenset(), sent.SECONDS * 1000 + number): number * 10 + 9
            for number in range(1200)})
        self.assertEqual((counts["samples"], counts["left_out"]), (1200, 10800))

    def test_times_that_it_rounds_do_not_spoil_the_file(self):
        """A step of 333,333 ns also produces times just before a full millisecond."""
        counts = self.of_capture(self.numbers(12000, 333333), "telemetry")
        kept = self.kept()
        self.assertEqual(len(kept), counts["samples"])
        self.assertEqual(counts["samples"] + counts["left_out"], 12000)
        self.assertEqual(len(kept), 4000)

    def test_days_and_senders_in_any_order(self):
        day = 86400
        datagrams = [telemetry(sample("n", int=number, time=(sent.SECONDS + moment * day) * 10 ** 9,
                                      labels=labels))
                     for number, (moment, labels) in enumerate([
                         (3, [("a", "1"), ("b", "2")]), (1, [("b", "2"), ("a", "1")]),
                         (2, [("a", "1"), ("b", "2")]), (0, [("b", "2"), ("a", "1")])])]
        self.of_capture(datagrams, "telemetry")
        self.assert_same(self.kept(), {
            ("n", frozenset([("a", "1"), ("b", "2")]), (sent.SECONDS + moment * day) * 1000): number
            for number, moment in enumerate((3, 1, 2, 0))})


class WhatCannotStandTogether(PromtoolTest):
    def test_does_not_spoil_the_file(self):
        kinds = ({"kind": 0}, {"kind": 1}, {"kind": 2})
        names = ("n", "n_total", "n_gauge", "n_unknown", "n_count", "n_sum", "n_bucket")
        histogram = {"count": 1, "sum": 0.5, "bounds": [1.0], "counts": [1, 0]}
        datagrams = [telemetry(
            *[sample(name, double=1.0, time=(sent.SECONDS - number) * 10 ** 9, **kind)
              for kind in kinds for name in names],
            *[sample(name, histogram=histogram, time=(sent.SECONDS - number) * 10 ** 9, kind=kind)
              for kind in (1, 2) for name in names]) for number in range(400)]
        counts = self.of_capture(datagrams, "telemetry")
        self.assertEqual(len(self.kept()), counts["lines"])
        self.assertEqual(counts["samples"] + counts["left_out"], 400 * 5 * len(names))


if __name__ == "__main__":
    main("promtool", "bash")
