"""Tests sluice-send with a receiver that is not part of the project."""
import collections
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import wire
from built import NO_CLOSED_STREAM, STOP_SIGNAL, WINDOWS, not_on_windows
from programs import DEADLINE, ROOT, Receiver, close_stream, command, run


def sent_of(process):
    return json.loads(process.stdout)["sent"]


def has_ipv6():
    try:
        Receiver("::1").socket.close()
    except OSError:
        return False
    return True


class Send(unittest.TestCase):
    def send(self, *arguments, host="127.0.0.1", code=0, schema="telemetry"):
        """Sends to a receiver. Returns it and the report, which must agree about each datagram.
        With no schema, sluice-send chooses one."""
        if schema is not None:
            arguments = ("--schema", schema, *arguments)
        with Receiver(host) as receiver:
            process = receiver.receive_from("sluice-send", "--to", receiver.url, "--report=json",
                                            *arguments, sent=sent_of)
            self.assertEqual(process.returncode, code, process.stderr)
            report = json.loads(process.stdout)
            self.assertEqual(len(receiver.datagrams) + receiver.drops(), report["sent"])
            self.assertEqual(report["refused"], 0)
            self.assertEqual(sum(report[kind] for kind in
                                 ("good", "malformed", "empty", "oversized")), report["sent"])
            if receiver.drops() == 0:
                self.assertEqual(sum(map(len, receiver.datagrams)), report["bytes"])
            noun = "datagram" if report["sent"] == 1 else "datagrams"
            self.assertRegex(process.stderr.decode(),
                             rf"\Asluice-send: sent {report['sent']} {noun} [^\n]*\n\Z")
            return receiver, report

    def sequences(self, datagrams):
        """The numbers of each sender, in the order of arrival."""
        found = collections.defaultdict(list)
        for data in datagrams:
            message = wire.fields(data)
            found[message[1][0].decode(), message[2][0]].append(message[3][0])
        return found

    def test_every_source_counts_its_own_datagrams(self):
        receiver, report = self.send("--count", 300, "--rate", "max", "--sources", 3)
        self.assertEqual(len(receiver.datagrams), 300)
        self.assertEqual(report["good"], 300)
        self.assertEqual(report["samples"], 300)
        found = self.sequences(receiver.datagrams)
        self.assertEqual([sender for sender, _ in found],
                         ["sluice-send/1", "sluice-send/2", "sluice-send/3"])
        self.assertEqual(len({boot for _, boot in found}), 3)
        for numbers in found.values():
            self.assertEqual(numbers, list(range(1, 101)))
        self.assertEqual(sorted(collections.Counter(receiver.ports).values()), [100, 100, 100])

    def test_more_sources_than_go_into_a_round(self):
        receiver, _ = self.send("--count", 250, "--rate", "max", "--sources", 100)
        found = self.sequences(receiver.datagrams)
        self.assertEqual(len(found), 100)
        for (sender, _), numbers in found.items():
            last = 3 if int(sender.split("/")[1]) <= 50 else 2
            self.assertEqual(numbers, list(range(1, last + 1)))

    def test_many_datagrams_are_all_there_or_dropped_by_the_kernel(self):
        receiver, report = self.send("--count", 20000, "--rate", 20000)
        self.assertEqual(report["sent"], 20000)
        (numbers,) = self.sequences(receiver.datagrams).values()
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(numbers[0], 1)
        self.assertLessEqual(numbers[-1], 20000)
        # The schedule is absolute: the last datagram is due at 19999/20000 s, and not before.
        self.assertGreaterEqual(report["seconds"], 19999 / 20000)

    def test_a_duration_has_exactly_so_many_datagrams(self):
        _, report = self.send("--rate", 1000, "--duration", "250ms", "--burst", 7)
        self.assertEqual(report["sent"], 250)

    def test_bad_datagrams_come_in_their_share_and_take_no_number(self):
        receiver, report = self.send("--count", 200, "--rate", "max", "--malformed", "1/10",
                                     "--empty=5%", "--oversized", "1%", "--sender", "mixed")
        self.assertEqual({kind: report[kind] for kind in
                          ("good", "malformed", "empty", "oversized", "samples")},
                         {"good": 168, "malformed": 20, "empty": 10, "oversized": 2,
                          "samples": 168})
        good, malformed, empty, oversized = [], [], 0, 0
        for data in receiver.datagrams:
            if len(data) == 0:
                empty += 1
            elif len(data) == 65506:
                oversized += 1
            else:
                try:
                    wire.fields(data)
                    good.append(data)
                except wire.Malformed:
                    malformed.append(data)
        self.assertEqual((len(good), len(malformed), empty, oversized), (168, 20, 10, 2))
        (numbers,) = self.sequences(good).values()
        self.assertEqual(numbers, list(range(1, 169)))
        self.assertEqual(wire.fields(good[0])[1][0], b"mixed/1")
        for data in malformed[:3]:
            self.assertEqual(run("sluice-decode", "--schema=telemetry", stdin=data).returncode, 65)

    def test_a_size_is_exact_also_when_the_number_grows(self):
        receiver, _ = self.send("--count", 200, "--rate", "max", "--size", "1400B")
        self.assertEqual({len(data) for data in receiver.datagrams}, {1400})

    def test_samples_and_time(self):
        receiver, report = self.send("--count", 2, "--samples", 20)
        self.assertEqual(report["samples"], 40)
        first, second = (wire.fields(data) for data in receiver.datagrams)
        self.assertEqual(len(first[6]), 20)
        self.assertEqual(len({wire.fields(sample)[1][0] for sample in first[6]}), 20)
        self.assertGreater(wire.fixed64(second[4][0]), wire.fixed64(first[4][0]))

    def test_riemann_events_carry_the_number_as_their_metric(self):
        receiver, _ = self.send("--count", 200, "--rate", "max", schema="riemann")
        events = [wire.fields(wire.fields(data)[6][0]) for data in receiver.datagrams]
        self.assertEqual([wire.double(event[14][0]) for event in events], list(range(1, 201)))

    def test_without_a_schema_it_sends_what_sluice_without_a_listener_expects(self):
        printed = run("sluice", "--print-config").stdout.decode()
        schema = re.search("(?m)^ +- schema: (.*?) *#", printed)[1]
        receiver, _ = self.send("--count", 3, "--rate", "max", schema=None)
        for datagram in receiver.datagrams:
            decoded = run("sluice-decode", "--schema", schema, stdin=datagram)
            self.assertEqual((decoded.returncode, decoded.stderr), (0, b""))
            self.assertIn(b"sluice-send/1", decoded.stdout)
        address = re.search("address: (.*?) *#", printed)[1]
        self.assertIn(f"default {address}\n", run("sluice-send", "--help").stdout.decode())

    @unittest.skipUnless(has_ipv6(), "no IPv6 here")
    def test_otlp_is_what_its_schemas_decode(self):
        for schema, begins in (("otlp", b'{"resourceMetrics":[{"resource":{"attributes":['),
                               ("otlp-logs", b'{"resourceLogs":[{"resource":'),
                               ("otlp-traces", b'{"resourceSpans":[{"resource":')):
            with self.subTest(schema):
                receiver, report = self.send("--count", 10, "--rate", "max", "--samples", 3,
                                             schema=schema)
                self.assertEqual(report["samples"], 30)
                for datagram in receiver.datagrams:
                    decoded = run("sluice-decode", "--schema", schema, stdin=datagram)
                    self.assertEqual((decoded.returncode, decoded.stderr), (0, b""))
                    self.assertTrue(decoded.stdout.startswith(begins), decoded.stdout)
                    self.assertIn(b'"service.instance.id","value":{"stringValue":"sluice-send/1"}',
                                  decoded.stdout)

    def test_a_message_is_sent_as_it_is_given(self):
        given = '{"senderId": "web1", "samples": [{"name": "a", "doubleValue": 1.5}]}'
        receiver, report = self.send("--json", given)
        self.assertEqual((report["sent"], report["samples"]), (1, 0))
        decoded = run("sluice-decode", "--schema=telemetry", stdin=receiver.datagrams[0])
        self.assertEqual(json.loads(decoded.stdout), json.loads(given))
        with tempfile.TemporaryDirectory(prefix="sluice-test-") as folder:
            path = pathlib.Path(folder, "message.json")
            path.write_text(f"{given}\n", encoding="ascii")
            from_file, _ = self.send("--json", f"@{path}")
        self.assertEqual(from_file.datagrams, receiver.datagrams)
        receiver, _ = self.send("--json", given, "--count=5", "--sources=2", "--rate=max")
        self.assertEqual(len(set(receiver.datagrams)), 1)
        self.assertEqual(len(set(receiver.ports)), 2)

    def weather(self):
        """The path of the descriptor set of the example's schema."""
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "weather.desc")
        subprocess.run(["protoc", f"--proto_path={ROOT / 'tools/packaging/examples'}",
                        f"--descriptor_set_out={path}", "weather.proto"], check=True,
                       timeout=DEADLINE)
        return path

    def test_a_message_of_a_file(self):
        weather = self.weather()
        given = '{"station": "north", "readings": [{"sensor": "roof", "celsius": -3.25}]}'
        receiver, _ = self.send("--message=weather.Report", "--json", given, schema=weather)
        decoded = run("sluice-decode", "--descriptor-set", weather, "--message=weather.Report",
                      stdin=receiver.datagrams[0])
        self.assertEqual(json.loads(decoded.stdout), json.loads(given))

    def test_what_is_wrong_with_a_message_is_named_and_nothing_is_sent(self):
        weather = f"--schema={self.weather()}"
        for arguments, code, says in (
                (["--schema=telemetry", "--json", '{"samples": [{"nam": 1}]}'], 64,
                 r'samples\[0\]: .*"name"'),
                (["--json", "{"], 64, "line 1, column 2: "),
                (["--json", "message.json"], 64, "; a file is --json @FILE"),
                (["--json", "@absent.json"], 65, "absent.json"),
                (["--schema=telemetry", "--json", '{"sequence": -1}'], 64, "sequence: -1 is out of range"),
                ([weather, "--message=weather.Repor", "--json={}"], 78, '"weather.Report"'),
                ([weather, "--json={}"], 64, "--message TYPE"),
                ([weather, "--message=weather.Report"], 64, r"--json TEXT\|@FILE"),
                (["--schema=./no.proto", "--message=a.B", "--json={}"], 78, "no.proto"),
                (["--message=a.B", "--json={}"], 64, "--message is for"),
                (["--json={}", "--size=100B"], 64, "--json is the whole message"),
                (["--json={}", "--samples=2"], 64, "--json is the whole message"),
                (["--json={}", "--empty=1%"], 64, "--json is the whole message")):
            with self.subTest(arguments=arguments):
                process = run("sluice-send", *arguments)
                self.assertEqual((process.returncode, process.stdout), (code, b""))
                self.assertRegex(process.stderr.decode(), rf"\Asluice-send: [^\n]*{says}[^\n]*\n\Z")

    @not_on_windows("no argument is that long there")
    def test_a_message_that_no_datagram_holds_is_refused(self):
        process = run("sluice-send", "--schema=telemetry", "--json",
                      json.dumps({"senderId": "x" * 65507}))
        self.assertEqual(process.returncode, 64)
        self.assertIn(b"the message has 65511 bytes, a datagram 65507 at most", process.stderr)

    def test_ipv6(self):
        receiver, _ = self.send("--count", 3, "--rate", "max", host="::1")
        self.assertEqual(len(receiver.datagrams), 3)

    def assert_all_refused(self, url, *arguments):
        """Sends to a closed port: each datagram is counted, and the exit code reports it."""
        process = run("sluice-send", "--to", url, "--count=100", "--report=json", *arguments)
        report = json.loads(process.stdout)
        if WINDOWS:  # Windows may report several refusals as one
            self.assertGreater(report["refused"], 80)
            self.assertEqual(process.returncode, 69 if report["refused"] == 100 else 0)
            return
        self.assertEqual({name: report[name] for name in ("sent", "failed", "retried", "refused")},
                         {"sent": 100, "failed": 0, "retried": 0, "refused": 100})
        self.assertEqual(process.returncode, 69)
        summary, last = process.stderr.decode().splitlines()
        self.assertTrue(summary.endswith("; failed 0, retried 0, refused 100"), summary)
        self.assertEqual(last, "sluice-send: all 100 datagrams were refused: no program listens at "
                         f"{url}")

    def test_where_nobody_listens_all_are_refused(self):
        with Receiver() as receiver:
            receiver.refuse()
            self.assert_all_refused(receiver.url, "--rate=10000")
            self.assert_all_refused(receiver.url, "--rate=max", "--sources=7")

    @unittest.skipUnless(has_ipv6(), "no IPv6 here")
    def test_where_nobody_listens_over_ipv6_all_are_refused(self):
        with Receiver("::1") as receiver:
            receiver.refuse()
            self.assert_all_refused(receiver.url, "--rate=max")

    def test_where_somebody_listened_for_a_while_the_rest_is_refused(self):
        with Receiver() as receiver, subprocess.Popen(
                command("sluice-send", "--to", receiver.url, "--rate=1000", "--count=200",
                        "--report=json"), stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as process:
            try:
                receiver.wait_for(lambda: receiver.datagrams)
                receiver.refuse()
                out, err = process.communicate(timeout=DEADLINE)
            finally:
                process.kill()
        report = json.loads(out)
        self.assertEqual((process.returncode, report["sent"]), (0, 200), err)
        self.assertGreater(report["refused"], 0)
        self.assertLessEqual(report["refused"], 200 - len(receiver.datagrams))
        self.assertEqual(err.count(b"\n"), 1)

    def test_a_signal_ends_it_with_its_report(self):
        with Receiver() as receiver, subprocess.Popen(
                command("sluice-send", "--to", receiver.url, "--rate=50", "--count=1000000",
                        "--report=json"), stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as process:
            try:
                receiver.wait_for(lambda: len(receiver.datagrams) >= 2)
                process.send_signal(STOP_SIGNAL)
                receiver.wait_for(lambda: process.poll() is not None)
                out, _ = process.communicate(timeout=DEADLINE)
            finally:
                process.kill()
            self.assertEqual(process.returncode, 0)
            sent = json.loads(out)["sent"]
            receiver.wait_for(lambda: len(receiver.datagrams) >= sent)
            self.assertEqual(len(receiver.datagrams), sent)

    def test_wrong_options_are_one_line_and_64(self):
        for arguments in (["--rate=0"], ["--rate", "10s"], ["--size=1400"], ["--duration", "10"],
                          ["--count"], ["--no-such"], ["x"], ["-c"], ["--to=127.0.0.1:5"],
                          ["--to", "udp://localhost:5"], ["--schema=otl"], ["--size=20B"],
                          ["--samples=60000"], ["--malformed=0.6"],
                          ["--malformed=60%", "--empty=41%"], ["--report=xml"], ["--sources=0"],
                          ["--sender="]):
            with self.subTest(arguments=arguments):
                process = run("sluice-send", *arguments)
                self.assertEqual((process.returncode, process.stdout), (64, b""))
                self.assertRegex(process.stderr.decode(), r"\Asluice-send: [^\n]+\n\Z")

    def test_help_and_version_go_to_stdout(self):
        process = run("sluice-send", "--help")
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        self.assertIn(b"--oversized", process.stdout)
        process = run("sluice-send", "--version")
        self.assertRegex(process.stdout.decode(), r"\Asluice-send \d+\.\d+\.\d+\n\Z")

    @not_on_windows(NO_CLOSED_STREAM)
    def test_a_closed_stdout_is_an_error_and_receives_no_datagram(self):
        with Receiver() as receiver:
            process = run("sluice-send", "--to", receiver.url, "--count=1", "--report=json",
                          stdout=None, preexec_fn=close_stream(1))
            self.assertEqual(process.returncode, 74, process.stderr)
            receiver.wait_for(lambda: len(receiver.datagrams) >= 1)
            self.assertEqual(len(receiver.datagrams), 1)
            wire.fields(receiver.datagrams[0])
        self.assertEqual(run("sluice-send", "--help", stdout=None,
                             preexec_fn=close_stream(1)).returncode, 74)


if __name__ == "__main__":
    unittest.main()
