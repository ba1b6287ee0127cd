"""Sample rules of a sink, which select and rename samples: the result must be the same in every
format, and counted."""
import time
import unittest

from capture_writing import write_capture
from format_reading import read_csv, read_influx, read_prometheus
from protobuf import sample, telemetry
from sluice_program import (DEADLINE, RIEMANN, TELEMETRY, ProgramTest, parse_json, read_lines)

FORMATS = ("json", "influx", "prometheus", "csv")


def read_samples(name, data):
    """(name, labels, value) of each sample, whatever the format."""
    if name == "influx":
        return [(metric, tags, fields["value"]) for metric, tags, fields, _ in read_influx(data)]
    if name == "prometheus":
        return [(metric, labels, float(value)) for metric, labels, value, _ in read_prometheus(data)]
    if name == "csv":
        return [(row["name"], parse_json(row["labels"]), float(row["value"]))
                for row in read_csv(data)]
    return [(line["name"], line["labels"], line["value"])
            for line in map(parse_json, data.decode().splitlines())]


class RulesTest(ProgramTest):
    def write(self, datagrams, rules, formats=FORMATS):
        """Writes a capture's datagrams with each format. Returns the output of each and its counts.
        """
        capture = self.folder / "sent.pcap"
        write_capture(capture, datagrams)
        paths = [self.folder / name for name in formats]
        arguments = ["--listen", f"pcap:{capture}?schema=telemetry"]
        for name, path in zip(formats, paths):
            path.unlink(missing_ok=True)
            arguments += ["--sink", f"file:{path}?format={name}&{rules}"]
        program, ledger = self.run_to_end(*arguments)
        self.assertEqual(program.log(), [])
        told = [read_samples(name, path.read_bytes()) for name, path in zip(formats, paths)]
        return told, ledger["sinks"]

    def assert_written(self, datagrams, rules, expected, written, filtered):
        told, sinks = self.write(datagrams, rules)
        for name, samples, counts in zip(FORMATS, told, sinks):
            with self.subTest(format=name):
                self.assertEqual(samples, expected)
                self.assertEqual([counts[key] for key in ("written", "filtered", "samples")],
                                 [written, filtered, len(expected)])
                self.assertEqual(counts["failed"], {reason: 0 for reason in counts["failed"]})


# --- selected samples -----------------------------------------------------------------------------

def host(name, number, value=1):
    return sample(name, double=value, labels=[("host", f"web{number}")])


class Filtered(RulesTest):
    def test_rules_that_leave_out_every_record_are_named_once_in_the_log(self):
        program = self.start("--listen", TELEMETRY, "--stall-timeout", "1s", "--sink",
                             f"file:{self.folder / 'none'}?include=rack.psus.*", "--sink",
                             f"file:{self.folder / 'some'}?include=cpu*")
        sender = self.sender(program)
        message = telemetry(host("cpu", 1))
        said = "the rules for samples (include=) have left out all records"
        deadline = time.monotonic() + DEADLINE
        while said not in "\n".join(program.log()) and time.monotonic() < deadline:
            sender.send_all([message])
            time.sleep(0.1)
        program.stop()
        hints = [line for line in program.log() if said in line]
        self.assertEqual(len(hints), 1, hints)
        self.assertIn(f"file:{self.folder / 'none'}: ", hints[0])

    def test_a_record_is_filtered_where_none_of_its_samples_stays(self):
        self.assert_written(
            [telemetry(host("cpu", 1), host("mem", 1)), telemetry(host("mem", 2)),
             telemetry(host("cpu", 3)), telemetry(host("mem", 3), host("mem", 4))],
            "include=cpu*",
            [("cpu", {"host": "web1"}, 1), ("cpu", {"host": "web3"}, 1)], written=2, filtered=2)

    def test_conditions_together(self):
        self.assert_written(
            [telemetry(host(name, number)) for name in ("cpu", "mem", "debug")
             for number in (1, 2)],
            "include=cpu;host=web1,mem&exclude=host=web2;m*,debug",
            [("cpu", {"host": "web1"}, 1), ("mem", {"host": "web1"}, 1)], written=2, filtered=4)

    def test_nothing_stays(self):
        self.assert_written([telemetry(host("cpu", number)) for number in range(10)],
                            "exclude=*", [], written=0, filtered=10)

    def test_a_running_program_reports_what_it_filters(self):
        program = self.start("--listen", TELEMETRY, "--sink", "stdout:?include=host=web1*")
        self.sender(program).send_all([telemetry(host("cpu", number)) for number in range(20)])
        ledger = program.wait_for_settled(20)["sinks"][0]
        self.assertEqual((ledger["written"], ledger["filtered"]), (11, 9))
        final = program.stop()["sinks"][0]
        self.assertEqual((final["written"], final["filtered"], final["lines"]), (11, 9, 11))
        self.assertEqual(sorted(line["labels"]["host"] for line in program.output()),
                         sorted(f"web{number}" for number in range(20) if f"{number}"[0] == "1"))


# --- a share of the series ----------------------------------------------------------------------

MASK = (1 << 64) - 1


def mixed(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def chained(start, data):
    start = mixed(start ^ ((len(data) + 0x9E3779B97F4A7C15) & MASK))
    for at in range(0, len(data), 8):
        start = mixed(start ^ int.from_bytes(data[at:at + 8], "little"))
    return start


def series_hash(name, labels):
    """The hash that sinks/encoders/series_hash.h defines."""
    return mixed((chained(0, name.encode()) + sum(
        chained(chained(1, key.encode()), value.encode()) for key, value in labels)) & MASK)


class Shares(RulesTest):
    def setUp(self):
        super().setUp()
        self.series = [(name, [("host", f"web{number}"), ("zone", f"z{number % 7}")])
                       for name in ("cpu", "memory.used", "disk.io.time.weighted")
                       for number in range(200)]
        self.datagrams = [telemetry(sample(name, double=turn, labels=labels[::(-1) ** turn]))
                          for turn in range(3) for name, labels in self.series]

    def test_each_series_stays_as_a_whole_or_not_at_all(self):
        for share in (1, 3, 20):
            with self.subTest(share=share):
                kept = [(name, dict(labels), turn) for turn in range(3)
                        for name, labels in self.series
                        if series_hash(name, labels) <= MASK // share]
                self.assertTrue(0.5 < len(kept) * share / len(self.datagrams) < 1.5)
                names = [(name.replace(".", "_"), labels, turn) for name, labels, turn in kept]
                told, sinks = self.write(self.datagrams, f"sample=1/{share}",
                                         ("json", "influx", "prometheus"))
                self.assertEqual(told, [kept, kept, names])
                for counts in sinks:
                    self.assertEqual((counts["written"], counts["filtered"]),
                                     (len(kept), len(self.datagrams) - len(kept)))


# --- renamed samples ------------------------------------------------------------------------------

class Shaped(RulesTest):
    RULES = ("rename=cpu:load,mem:memory&drop_label=tmp*,pid&rename_label=host:instance"
             "&add_label=env=prod,instance=none")

    def test_every_format_says_the_same(self):
        labels = [("host", "web1"), ("tmp.id", "x"), ("pid", "7")]
        self.assert_written(
            [telemetry(sample("cpu", double=1, labels=labels), sample("disk", double=2),
                       labels=[("zone", "eu"), ("env", "test")]),
             telemetry(sample("mem", double=3, labels=[("pid", "8")]))],
            self.RULES,
            [("load", {"instance": "web1", "zone": "eu", "env": "test"}, 1),
             ("disk", {"zone": "eu", "env": "test", "instance": "none"}, 2),
             ("memory", {"env": "prod", "instance": "none"}, 3)], written=2, filtered=0)

    def test_every_format_has_room_for_the_name_that_a_sender_sends(self):
        self.assert_written(
            [telemetry(sample("cpu", double=1), sender="web1"), telemetry(sample("cpu", double=2)),
             telemetry(sample("cpu", double=3, labels=[("sender", "own")]), sender="web2")],
            "add_label=sender=%{sender_id}",
            [("cpu", {"sender": "web1"}, 1), ("cpu", {}, 2), ("cpu", {"sender": "own"}, 3)],
            written=3, filtered=0)

    def test_one_sink_s_rules_are_its_own(self):
        plain, shaped = self.folder / "plain", self.folder / "shaped"
        capture = self.folder / "sent.pcap"
        write_capture(capture, [telemetry(host("cpu", 1)), telemetry(host("mem", 2))])
        _, ledger = self.run_to_end(
            "--listen", f"pcap:{capture}?schema=telemetry", "--sink", f"file:{plain}",
            "--sink", f"file:{shaped}?include=cpu&rename=cpu:load")
        self.assertEqual([line["name"] for line in read_lines(plain)], ["cpu", "mem"])
        self.assertEqual([line["name"] for line in read_lines(shaped)], ["load"])
        self.assertEqual([sink["filtered"] for sink in ledger["sinks"]], [0, 1])


# --- hostile senders ----------------------------------------------------------------------------

class Hostile(RulesTest):
    def test_a_record_that_takes_a_glob_too_long_has_failed_and_the_next_one_has_not(self):
        long = telemetry(*[sample("n", double=1)] * 40, labels=[("k", "a" * 60000)])
        told, sinks = self.write([long, telemetry(host("cpu", 1))],
                                 "exclude=k=*a*aaaaaaaaaaaaaaaaaaaaaaaab", ("json",))
        self.assertEqual(told, [[("cpu", {"host": "web1"}, 1)]])
        self.assertEqual((sinks[0]["written"], sinks[0]["failed"]["too_large"]), (1, 1))


# --- invalid rules --------------------------------------------------------------------------------

class Refused(ProgramTest):
    def refuse(self, *arguments, code, says):
        for check in ((), ("--check",)):
            said = self.refused(*check, *arguments, code=code)
            for wanted in says:
                self.assertIn(wanted, said)

    def test_a_rule_that_is_wrong_is_reported_with_its_place(self):
        for url, wrong, says in (
                ("stdout:?include=cpu,,mem", ",mem", "include: a glob is missing here"),
                ("stdout:?format=influx&sample=10", "10", "sample \"10\" is not 1/N"),
                ("stdout:?rename=a:b,c", "c", "rename: \"c\" is not OLD:NEW"),
                ("stdout:?renam=a:b", "renam", "did you mean \"rename\"?"),
                ("stdout:?view=message&include=cpu", "include", "include= is about samples"),
                ("stdout:?format=protobuf&sample=1/2", "sample", "format=protobuf writes none"),
                ("stdout:?drop_label=h*&rename_label=host:h", "rename_label", "drops that label")):
            with self.subTest(url=url):
                self.refuse("--listen", RIEMANN, "--sink", url, code=64,
                            says=[says, f"column {url.rindex(wrong) + 1}"])

    def test_a_schema_without_samples(self):
        for rule in ("include=a", "exclude=a", "sample=1/2", "rename=a:b", "rename_label=a:b",
                     "add_label=a=b", "keep_label=a", "drop_label=a"):
            with self.subTest(rule=rule):
                self.refuse("--listen", "udp://127.0.0.1:0?schema=riemann&match=magic:32"
                            "&schema=otlp-logs", "--sink", f"stdout:?{rule}", code=78,
                            says=[f"stdout:: {rule.partition('=')[0]}= needs samples",
                                  "otlp-logs", "udp://127.0.0.1:0"])


    def test_schemas_without_the_name_of_a_sender(self):
        rule = ("--sink", "stdout:?add_label=a=b,sender=x%{sender_id}")
        self.refuse("--listen", "udp://127.0.0.1:0?schema=riemann", *rule, code=78,
                    says=["stdout:: add_label= has %{sender_id}, but no listener has schema=telemetry"])
        self.run_to_end("--check", "--listen", "udp://127.0.0.1:0?schema=riemann", "--listen",
                        "udp://127.0.0.1:0?schema=telemetry", *rule, ledger=None)


if __name__ == "__main__":
    unittest.main()
