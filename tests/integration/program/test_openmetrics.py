"""Tests format=openmetrics: each flush writes a complete file, which a strict reader accepts."""
import gzip
import json
import math
import os
import resource
import unittest
from decimal import Decimal

import otlp_samples
from built import NO_LIMIT, not_on_windows
from capture_writing import FIRST_CAPTURED, write_capture
from format_texts import alphabet_text, joined_labels, random_events
from openmetrics_mapping import expected
from openmetrics_reading import END, read_openmetrics, samples_of
from protobuf import CUMULATIVE, gauge, metric, riemann, sample, telemetry
from sluice_program import CAPTURES, RIEMANN, TELEMETRY, ProgramTest, wait_until
from test_formats import OTLP, buckets_of

SECONDS = 1700000000
TIME = SECONDS * 10 ** 9


def at(time_ns):
    """The time in seconds, as in the files."""
    return Decimal(time_ns) / 10 ** 9


class OpenMetricsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()

    def url(self, path="metrics.om", keys=""):
        return f"file:{self.out}/{path}?format=openmetrics{keys}"

    def files(self):
        """Names below the folder, sorted."""
        return sorted(str(path.relative_to(self.out))
                      for path in self.out.rglob("*") if path.is_file())

    def content(self, name="metrics.om"):
        return (self.out / name).read_bytes()

    def samples(self, name="metrics.om"):
        return samples_of(self.content(name))

    def of_capture(self, listener):
        """The samples of the only file that a capture becomes, and the sink's counts."""
        program, ledger = self.run_to_end("--listen", listener, "--sink", self.url())
        self.assertEqual(program.log(), [])
        self.assertEqual(self.files(), ["metrics.om"])
        sink = ledger["sinks"][0]
        found = self.samples()
        self.assertEqual((sink["bytes"], sink["files"], sink["lines"]),
                         (len(self.content()), 1, len(found)))
        return found, sink


# --- content of a file ----------------------------------------------------------------------------

class Otlp(OpenMetricsTest):
    def truth(self):
        with open(CAPTURES / "otlp_metrics_v4.ndjson", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                yield from otlp_samples.samples(line["message"], int)

    def test_every_sample_is_found_by_its_type(self):
        found, sink = self.of_capture(OTLP)
        wanted = {(name, labels, at(time)): value
                  for (name, labels, time), value in expected(self.truth(), buckets_of).items()}
        self.assertEqual(set(found), set(wanted))
        for key, value in wanted.items():
            self.assertEqual(float(found[key]), value, key)
        self.assertEqual((sink["samples"], sink["left_out"], sink["written"]), (113, 0, 8))

    def test_the_types_that_the_capture_has(self):
        self.of_capture(OTLP)
        self.assertEqual({family.type for family in read_openmetrics(self.content()).values()},
                         {"counter", "gauge", "unknown", "histogram", "gaugehistogram"})


class Random(OpenMetricsTest):
    def test_any_bytes_in_names_and_labels(self):
        events = list(random_events(seed=20261123, count=3000))
        path = self.folder / "random.pcap"
        write_capture(path, map(riemann, events))
        found, sink = self.of_capture(f"pcap:{path}?schema=riemann")
        wanted = {}
        for number, event in enumerate(events):
            labels = joined_labels(event["attributes"])
            wanted[alphabet_text(event["service"], True), frozenset(labels.items()),
                   Decimal(FIRST_CAPTURED + number)] = str(event["metric_sint64"])
        self.assertTrue(found == wanted, set(found.items()) ^ set(wanted.items()))
        self.assertEqual((sink["samples"], sink["left_out"]), (3000, 0))


class LeftOut(OpenMetricsTest):
    def test_of_one_millisecond_the_last_value_stays_and_the_others_are_counted(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.url())
        self.sender(program).send_all([telemetry(
            *[sample("n", double=number, time=TIME + number * 250000) for number in range(20)])])
        sink = program.stop()["sinks"][0]
        self.assertEqual(list(self.samples().values()), ["3", "7", "11", "15", "19"])
        self.assertEqual([sink[key] for key in ("written", "lines", "samples", "left_out")],
                         [1, 5, 5, 15])

    def test_names_that_do_not_fit_beside_each_other_spoil_no_file(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.url())
        histogram = {"count": 0, "sum": 0.0}
        self.sender(program).send_all([
            telemetry(sample("a", double=1, kind=CUMULATIVE), sample("a", double=2),
                      sample("a_total", double=3), sample("a_gauge", double=4, kind=CUMULATIVE)),
            telemetry(sample("b_sum", double=5), sample("b", histogram=histogram,
                                                        kind=CUMULATIVE))])
        sink = program.stop()["sinks"][0]
        self.assertEqual([(family.name, family.type)
                          for family in read_openmetrics(self.content()).values()],
                         [("a", "counter"), ("a_gauge", "counter"), ("a_total_gauge", "gauge"),
                          ("b", "histogram"), ("b_sum_gauge", "gauge")])
        self.assertEqual((sink["samples"], sink["left_out"]), (5, 1))


# --- when a file is complete ----------------------------------------------------------------------

class Flushes(OpenMetricsTest):
    def test_each_flush_is_a_file(self):
        program = self.start("--listen", TELEMETRY, "--sink",
                             self.url(keys="&flush_interval=50ms"))
        sender = self.sender(program)
        for number in range(3):
            sender.send_all([gauge("n", number)], before=number)
            program.wait_for_settled(number + 1)
        self.assertEqual(self.files(), ["metrics.1.om", "metrics.2.om", "metrics.om"])
        sink = program.stop()["sinks"][0]
        self.assertEqual([list(self.samples(name).values()) for name in self.files()],
                         [["1"], ["2"], ["0"]])
        self.assertEqual((sink["files"], sink["bytes"]),
                         (3, sum(len(self.content(name)) for name in self.files())))

    def test_a_file_waits_for_its_flush_and_sighup_is_one(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.url(keys="&flush_interval=1h"))
        sender = self.sender(program)
        sender.send_all([gauge("n", 1)])
        self.assertEqual(self.files(), ["metrics.om.part"])
        self.assertEqual(self.content("metrics.om.part"), b"")

        def flushed():
            program.ask_to_reload()  # a request may come before the sink has the record; so repeat it
            return self.files() == ["metrics.om"]

        wait_until(flushed, "a file is complete because of SIGHUP")
        sender.send_all([gauge("n", 2)], before=1)
        program.stop()
        self.assertEqual([list(self.samples(name).values()) for name in self.files()],
                         [["2"], ["1"]])

    def test_nothing_written_leaves_no_file(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.url(keys="&flush_interval=20ms"))
        self.sender(program).send_all([telemetry(sender="nobody", boot=1, sequence=1)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((self.files(), sink["filtered"], sink["files"]), ([], 1, 0))

    def test_what_no_file_could_hold_goes_to_several(self):
        padding = "x" * 150
        path = self.folder / "many.pcap"
        write_capture(path, (
            telemetry(*[sample(f"n{number}_{index % 7}", int=number,
                               time=TIME + (number * 100 + index) * 10 ** 6,
                               labels=[("padding", padding)]) for index in range(100)])
            for number in range(300)))
        program, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=telemetry", "--sink",
                                          self.url(keys="&flush_interval=1h"))
        self.assertEqual(program.log(), [])
        names, found = self.files(), {}
        self.assertGreater(len(names), 4)
        for name in names:
            self.assertLessEqual(len(self.content(name)), 2 << 20)
            part = self.samples(name)
            self.assertFalse(set(part) & set(found))
            found.update(part)
        wanted = {(f"n{number}_{index % 7}", frozenset([("padding", padding)]),
                   at(TIME + (number * 100 + index) * 10 ** 6)): str(number)
                  for number in range(300) for index in range(100)}
        self.assertTrue(found == wanted, len(set(found.items()) ^ set(wanted.items())))
        sink = ledger["sinks"][0]
        self.assertEqual((sink["written"], sink["samples"], sink["lines"], sink["files"]),
                         (300, 30000, 30000, len(names)))


    def test_long_names_on_many_lines_go_to_several_files_too(self):
        path, bounds = self.folder / "long.pcap", [float(bound) for bound in range(40)]
        histogram = {"count": 0, "sum": 0.0, "bounds": bounds, "counts": [0] * 41}
        write_capture(path, (
            telemetry(*[sample(f"n{number}_" + "n" * 900, histogram=histogram, kind=CUMULATIVE,
                               time=TIME) for number in range(start, start + 10)])
            for start in range(0, 400, 10)))
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=telemetry", "--sink",
                                    self.url(keys="&flush_interval=1h"))
        names, lines = self.files(), 0
        self.assertGreater(len(names), 5)
        for name in names:
            self.assertLessEqual(len(self.content(name)), 2 << 20)
            lines += len(self.samples(name))
        sink = ledger["sinks"][0]
        self.assertEqual((sink["written"], sink["samples"], sink["lines"], lines),
                         (40, 400, 400 * 43, 400 * 43))


class Paths(OpenMetricsTest):
    def test_fields_compression_and_keep(self):
        program = self.start("--listen", TELEMETRY, "--sink", self.url(
            "%{source}/metrics.om.gz", "&flush_interval=30ms&compress=gzip&keep=2"))
        sender = self.sender(program)
        for number in range(4):
            sender.send_all([gauge("n", number, labels=[("k", "\u6e29")])], before=number)
            program.wait_for_settled(number + 1)
        sink = program.stop()["sinks"][0]
        names = self.files()
        self.assertEqual(len(names), 2, names)
        values = []
        for name in names:
            self.assertTrue(name.startswith("127.0.0.1/metrics."), name)
            values += samples_of(gzip.decompress(self.content(name))).values()
        self.assertEqual(sorted(values), ["2", "3"])
        self.assertEqual((sink["files"], sink["written"]), (4, 4))

    def test_each_source_has_its_files(self):
        path = self.folder / "sent.pcap"
        write_capture(path, [metric(number) for number in range(10)])
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann", "--sink",
                                    self.url("%{source}.om"))
        self.assertEqual(self.files(), ["10.0.0.1.om"])
        self.assertEqual(len(self.samples("10.0.0.1.om")), 10)
        self.assertEqual(ledger["sinks"][0]["written"], 10)

    def test_a_record_larger_than_the_block_of_a_path_with_values_is_a_file_of_its_own(self):
        path = self.folder / "large.pcap"
        names = [f"name_{index}_" + "n" * 400 for index in range(120)]
        write_capture(path, [metric(1), telemetry_of(names), metric(2)])
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann", "--sink",
                                    self.url("%{source}.om"))
        found = {}
        for name in self.files():
            found.update(self.samples(name))
        self.assertEqual({name for name, _, _ in found}, {"cpu", *names})
        self.assertEqual(len(found), 122)
        self.assertEqual(ledger["sinks"][0]["written"], 3)


def telemetry_of(names):
    """A Riemann datagram with an event for each name."""
    return riemann(*[{"service": name, "metric_sint64": 1} for name in names])


# --- after a crash --------------------------------------------------------------------------------

class Full(OpenMetricsTest):
    @not_on_windows(NO_LIMIT)
    def test_a_file_that_cannot_be_written_is_tried_again_and_the_next_record_waits(self):
        """The records of a file are written when another record does not fit in it."""
        bounds = tuple(float(number) for number in range(1200))
        histogram = {"bounds": bounds, "counts": (1,) * 1201, "count": 1201, "sum": 3.0}
        program = self.start("--listen", TELEMETRY, "--sink",
                             self.url("%F.om", "&flush_interval=1h"))
        hard = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (4096, hard))
        sender = self.sender(program)
        for number in range(6):
            sender.send_all([telemetry(sample("a" * 1000 + str(number), kind=CUMULATIVE,
                                              histogram=histogram))], before=number)
        program.wait_for_log("cannot write")
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["files"]), (6, len(self.files())))
        self.assertGreater(sink["files"], 1)
        self.assertEqual(sum(len(self.samples(name)) for name in self.files()), sink["lines"])


class Left(OpenMetricsTest):
    WHOLE = b"# TYPE old gauge\nold 1 2\n" + END.encode()

    def leave(self, content):
        """A killed program has left this content. The next one writes another file."""
        (self.out / "metrics.om.part").write_bytes(content)
        program = self.start("--listen", TELEMETRY, "--sink", self.url())
        self.sender(program).send_all([gauge("new", 1)])
        program.stop()
        return program

    def test_a_whole_file_is_completed(self):
        self.leave(self.WHOLE)
        self.assertEqual(self.files(), ["metrics.1.om", "metrics.om"])
        self.assertEqual(self.content(), self.WHOLE)
        self.assertEqual([name for name, _, _ in self.samples("metrics.1.om")], ["new"])

    def test_a_torn_file_goes(self):
        for size in (3, 20, len(self.WHOLE) - 1):
            with self.subTest(size=size):
                self.leave(self.WHOLE[:size])
                self.assertEqual(self.files(), ["metrics.om"])
                self.assertEqual([name for name, _, _ in self.samples()], ["new"])
                os.remove(self.out / "metrics.om")

    def test_a_file_of_another_kind_stays(self):
        other = b'{"a":1}\n'
        (self.out / "metrics.om.part").write_bytes(other)
        said = self.launch("--listen", TELEMETRY, "--sink", self.url(), ledger=None)
        said.finish(code=73)
        self.assertIn("is not a file of format=openmetrics", "\n".join(said.said()))
        self.assertEqual(self.content("metrics.om.part"), other)


# --- where it can be used -------------------------------------------------------------------------

class Refused(OpenMetricsTest):
    def test_what_is_no_file(self):
        for check in ((), ("--check",)):
            said = self.refused(*check, "--listen", RIEMANN, "--sink",
                                "stdout:?format=openmetrics", code=64)
            self.assertIn("format=openmetrics writes only complete files", said)
            self.assertIn("column 9", said)

    def test_another_rotation(self):
        for key in ("rotate_size=1MiB", "rotate_interval=1h"):
            said = self.refused("--listen", RIEMANN, "--sink", self.url(keys="&" + key), code=64)
            self.assertIn("a file for each flush_interval", said)

    def test_schemas_without_samples_and_messages(self):
        self.refused("--listen", "udp://127.0.0.1:0?schema=otlp-logs", "--sink", self.url(),
                     code=78)
        self.refused("--listen", RIEMANN, "--sink", self.url(keys="&view=message"), code=64)

    def test_its_memory_is_counted_in_the_plan(self):
        def least(sink):
            return int(self.least_memory("--listen", RIEMANN, "--sink", sink)[:-3])

        # Additional buffers: for a block of 1 MiB instead of 64 KiB, and for its arranged form.
        # Neither of the two formats caches parts of lines.
        other = f"file:{self.out}/x?rotate_size=1MiB&format=prometheus"
        kib = least(self.url()) - least(other)
        self.assertTrue(math.isclose(kib, (1024 - 64) + 2048, abs_tol=8), kib)


if __name__ == "__main__":
    unittest.main()
