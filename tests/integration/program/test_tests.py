"""sluice test: what a configuration does with its input, without sockets and files."""
import base64
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

from built import WINDOWS, command, skip
from sluice_program import CAPTURES, DEADLINE, SLUICE

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packaging" / "examples"

if "configuration files: none" in subprocess.run(
        command(SLUICE, "--version"), capture_output=True, text=True, timeout=DEADLINE,
        check=True).stdout:
    skip("this program was built without YAML")

CONFIG = """\
# Everything that is not a test stays as it is.
listeners:
  - address: udp://127.0.0.1:5555
    schema: riemann
    max_datagram: 1000B
    deny: 192.0.2.9
sinks:
  - to: 'stdout:'
  - to: file:never-made/%F.lp
    format: influx
    include: 'cpu*'
    add_label: 'collector=%{hostname}'
"""

GAUGE = '{"events":[{"host":"web1","service":"cpu","metricD":0.75}]}'
GAUGE_HEX = "1632141a0363707522047765623171000000000000e83f"
LINE = ('{"time":"2026-01-01T00:00:00.000000000Z","name":"cpu","kind":"gauge","value":0.75,'
        '"labels":{"host":"web1"},"received":"2026-01-01T00:00:00.000000000Z",'
        '"source":"192.0.2.1:40000","listener":"udp://127.0.0.1:5555"}')
INFLUX = "cpu,host=web1,collector=here value=0.75 1767225600000000000"


class Testing(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def file(self, text, name="sluice.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run_tests(self, *words, code=0):
        done = subprocess.run(command(SLUICE, "test", *map(str, words)), capture_output=True,
                              timeout=DEADLINE, stdin=subprocess.DEVNULL, cwd=self.folder,
                              encoding="utf-8")
        self.assertEqual(done.returncode, code, done)
        return done

    def one(self, test, code=0, config=CONFIG):
        """Runs one test. `test` is the text of its keys after the name, with each line indented by
        four spaces."""
        return self.run_tests(self.file(f"{config}tests:\n  - name: the test\n{test}"), code=code)


class Inputs(Testing):
    def expect_gauge(self, given):
        self.one(f"    input:\n{given}    expect:\n      - sink: stdout\n        lines:\n"
                 f"          - '{LINE}'\n")

    def test_json_is_a_message_of_the_schema(self):
        self.expect_gauge(f"      json: '{GAUGE}'\n")

    def test_hex_is_a_datagram(self):
        self.expect_gauge(f"      hex: '{self.wire().hex(' ')}'\n")

    def test_base64_is_a_datagram(self):
        self.expect_gauge(f"      base64: {base64.b64encode(self.wire()).decode()}\n")

    def test_source_and_time_are_the_datagrams(self):
        line = LINE.replace("192.0.2.1:40000", "[2001:db8::7]:99").replace(
            "2026-01-01T00:00:00.000000000Z", "2026-11-21T06:43:36.380000000Z")
        self.one(f"    input:\n      json: '{GAUGE}'\n      source: '[2001:db8::7]:99'\n"
                 "      time: 2026-11-21T06:43:36.38Z\n"
                 f"    expect:\n      - sink: stdout\n        lines: |\n          {line}\n")

    def test_a_capture_has_its_own_sources_and_times(self):
        capture = CAPTURES / "riemann_cli_v4.pcap"
        path = self.file("tests:\n  - name: a capture\n    input:\n"
                         f"      capture: {os.path.relpath(capture, self.folder)}\n"
                         "config: other.yaml\n", "tests.yaml")
        self.file("listeners: ['udp://127.0.0.1:5555?schema=riemann']\n", "other.yaml")
        self.run_tests("--record", path)
        replayed = subprocess.run(
            command(SLUICE, "--listen", f"pcap:{capture}?schema=riemann", "--ledger", "json"),
            capture_output=True, timeout=DEADLINE, check=True, encoding="utf-8").stdout
        kept = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()
                if line.strip().startswith('{"time"')]
        self.assertEqual([line.split(',"listener"')[0] for line in kept],
                         [line.split(',"listener"')[0] for line in replayed.splitlines()])
        self.assertGreater(len(kept), 3)
        self.run_tests(path)

    def test_several_inputs_come_in_their_order(self):
        self.one("    input:\n"
                 f"      - json: '{GAUGE}'\n"
                 f"      - json: '{GAUGE.replace('cpu', 'load')}'\n"
                 "      - hex: ''\n      - hex: ff\n"
                 "    expect:\n      - sink: stdout\n        like:\n"
                 "          - '*\"name\":\"cpu\"*'\n          - '*\"name\":\"load\"*'\n"
                 "      - refused: malformed\n")

    def wire(self):
        """A gauge in Riemann's encoding, written by hand."""
        return bytes.fromhex(GAUGE_HEX)[1:]


class Expectations(Testing):
    def test_keys_of_a_sink_hold_and_the_hostname_is_the_tests(self):
        self.one(f"    hostname: here\n    input:\n      json: '{GAUGE}'\n    expect:\n"
                 f"      - sink: file:never-made/%F.lp\n        lines: |\n          {INFLUX}\n")
        self.assertFalse((self.folder / "never-made").exists())

    def test_none_and_the_reason_of_the_sink(self):
        self.one(f"    input:\n      json: '{GAUGE.replace('cpu', 'load')}'\n    expect:\n"
                 "      - sink: file:never-made/%F.lp\n        lines: []\n"
                 "        reason: filtered\n")

    def test_the_reason_of_the_listener(self):
        for given, reason in (("hex: ff", "malformed"),
                              (f"json: '{GAUGE}'\n      source: 192.0.2.9:1", "source_denied"),
                              (f"hex: '{'00' * 1001}'", "truncated")):
            self.one(f"    input:\n      {given}\n    expect:\n      - refused: {reason}\n"
                     "      - sink: stdout\n        lines: []\n")

    def test_what_is_refused_and_not_expected_fails(self):
        done = self.one("    input:\n      hex: ff\n    expect:\n"
                        "      - sink: stdout\n        lines: []\n", code=1)
        self.assertIn("datagrams refused:\n    + malformed 1\n", done.stdout)

    def test_a_wrong_count_fails(self):
        done = self.one("    input:\n      - hex: ff\n      - hex: fe\n    expect:\n"
                        "      - refused: malformed\n        count: 3\n", code=1)
        self.assertIn("    - malformed 3\n    + malformed 2\n", done.stdout)

    def test_lines_that_differ_are_shown_and_no_others(self):
        events = ",".join(f'{{"host":"h","service":"s{i}","metricSint64":"{i}"}}'
                          for i in range(5))
        done = self.one(f"    input:\n      json: '{{\"events\":[{events}]}}'\n    expect:\n"
                        "      - sink: stdout\n        like:\n"
                        "          - '*\"s0\"*'\n          - '*\"s1\"*'\n          - '*\"x\"*'\n"
                        "          - '*\"s3\"*'\n          - '*\"s4\"*'\n", code=1)
        self.assertIn("stdout:, from line 3:\n    - *\"x\"*\n    + {", done.stdout)
        self.assertIn('"s2"', done.stdout)
        self.assertNotIn('"s1"', done.stdout)
        self.assertNotIn('"s3"', done.stdout)

    def test_control_characters_of_senders_do_not_reach_a_terminal(self):
        json = GAUGE.replace("cpu", "a\\u009b31mb")
        done = self.one(f"    input:\n      json: '{json}'\n    expect:\n      - sink: stdout\n"
                        "        lines: []\n", code=1)
        self.assertNotIn("\x9b", done.stdout)

    def test_packets_and_relays_are_bytes(self):
        config = ("listeners: ['udp://127.0.0.1:5555?schema=riemann']\n"
                  "sinks: ['file:x.pb?format=protobuf', 'udp:127.0.0.1:9999?format=datagram']\n")
        self.one(f"    input:\n      json: '{GAUGE}'\n    expect:\n"
                 f"      - sink: file:x.pb\n        bytes: {GAUGE_HEX}\n"
                 f"      - sink: udp:127.0.0.1:9999\n        bytes: {GAUGE_HEX[2:]}\n",
                 config=config)


class Wrong(Testing):
    def refused(self, text, why, code=78):
        done = self.run_tests(self.file(text, "t.yaml"), code=code)
        self.assertIn(why, done.stderr)

    def test_a_file_that_has_no_tests(self):
        self.refused(CONFIG, "t.yaml:1:1: there are no tests in this file")
        self.refused("- a\n", "t.yaml:1:1: this must be a map with \"tests\", not a list")
        self.refused("tests: [", "t.yaml:2:1: not valid YAML")
        self.assertIn("absent", self.run_tests("absent", code=78).stderr)

    def test_an_unknown_key_names_the_nearest(self):
        self.refused(f"{CONFIG}tests:\n  - nam: a\n", "t.yaml:14:5: \"nam\" is not a key of a test; "
                     "did you mean \"name\"?")
        self.refused("config: c\nlisteners: []\ntests:\n  - name: a\n    input: {hex: 00}\n",
                     "t.yaml:2:1: \"listeners\" is not a key of a file of tests")

    def test_an_unknown_sink_listener_or_reason_names_the_nearest(self):
        begin = f"{CONFIG}tests:\n  - name: a\n    input: {{hex: ff}}\n"
        self.refused(f"{begin}    expect: [{{sink: stdot, lines: []}}]\n",
                     "t.yaml:16:21: \"stdot\" is not a sink of ")
        self.refused(f"{begin}    expect: [{{sink: stdot, lines: []}}]\n",
                     "did you mean \"stdout:\"?")
        self.refused(f"{begin}    expect: [{{refused: malformd}}]\n", "did you mean \"malformed\"?")
        self.refused(f"{begin}    listener: udp://127.0.0.1:5556\n    expect: []\n",
                     "did you mean \"udp://127.0.0.1:5555\"?")

    def test_json_that_is_no_message_has_its_place(self):
        begin = f"{CONFIG}tests:\n  - name: a\n    expect: []\n"
        self.refused(f"{begin}    input:\n      json: '{{\"evnts\":[]}}'\n", "t.yaml:17:14: json: line 1")

    def test_json_for_a_schema_that_is_wrong_has_the_place_of_its_key(self):
        (self.folder / "own.proto").write_text(
            'syntax = "proto3"; message Own { double value = 1; }', encoding="ascii")
        self.refused("listeners:\n- address: udp://127.0.0.1:5555\n  schema: own.proto\n"
                     "  message: Othr\n  value: value\ntests:\n"
                     "  - {name: a, input: {json: '{}'}, expect: []}\n", "t.yaml:4:3: ")

    def test_a_configuration_that_is_wrong(self):
        self.refused("listeners: ['udp://127.0.0.1:5555?schema=riemnn']\n"
                     "tests: [{name: a, input: {hex: ff}, expect: []}]\n", "riemnn")

    def test_a_test_without_expectation_says_how_to_get_one(self):
        self.refused(f"{CONFIG}tests:\n  - name: a\n    input: {{hex: ff}}\n",
                     "sluice test --record writes it")

    def test_the_command_line(self):
        self.assertIn("write sluice test", self.run_tests(code=64).stderr)
        self.assertIn("did you mean \"--record\"", self.run_tests("--recrd", "x", code=64).stderr)
        self.assertIn("did you mean \"junit\"", self.run_tests("--report=juni", "x", code=64).stderr)
        self.assertIn("--report \"tap\" is not one of text, junit",
                      self.run_tests("--report", "tap", "x", code=64).stderr)
        self.assertIn("Keys of a test", self.run_tests("--help").stdout)

    def test_what_is_wrong_outweighs_what_failed(self):
        failing = self.file(f"{CONFIG}tests:\n  - name: a\n    input: {{hex: ff}}\n"
                            "    expect: []\n", "failing.yaml")
        wrong = self.file("a: b\n", "wrong.yaml")
        self.run_tests(failing, code=1)
        self.run_tests(failing, wrong, code=78)
        self.run_tests(wrong, failing, code=78)

    def test_the_collector_itself_passes_over_tests(self):
        path = self.file(f"{CONFIG}tests:\n  - name: a\n    whatever: {{else: [any, value]}}\n")
        done = subprocess.run(command(SLUICE, "--print-config", "--config", str(path)),
                              capture_output=True, timeout=DEADLINE, cwd=self.folder,
                              encoding="utf-8")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("whatever", done.stdout)

    def test_a_check_of_the_configuration_says_how_to_run_its_tests(self):
        more = self.file("tests:\n  - name: a\n    input: []\n", "more.yaml")
        plain = CONFIG.replace("file:never-made", f"file:{self.folder}")
        for text, said in (
                (plain, "valid"),
                (f"{plain}tests: [{{name: a}}]\n", "valid; sluice test {} runs its tests"),
                (f"{plain}files: [{more.name}]\n", "valid; sluice test {} runs its tests")):
            path = self.file(text)
            done = subprocess.run(command(SLUICE, "--check", "--config", str(path)),
                                  capture_output=True, timeout=DEADLINE, cwd=self.folder,
                                  encoding="utf-8")
            self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                             (0, f"sluice: the configuration is {said.format(path)}"))


class Recording(Testing):
    TESTS = f"""\
tests:
  - name: first   # what is expected comes last
    input:
      json: '{GAUGE}'

  # A comment of the second.
  - expect:       # what is expected comes first
      - sink: stdout
        lines: [this is wrong]
      # a comment within it
    name: second
    input:
      hex: ff
  - name: third
    expect:
      - sink: stdout
        like: ['*']
    input: {{json: '{GAUGE}'}}
# the end
memory: 32MiB
"""

    def test_what_came_is_written_and_then_passes(self):
        path = self.file(CONFIG + self.TESTS)
        done = self.run_tests("--record", path)
        self.assertIn("3 tests: 1 passed, 0 failed, 2 recorded", done.stdout)
        text = path.read_text(encoding="utf-8")
        self.assertTrue(text.startswith(CONFIG))
        self.assertTrue(text.endswith("# the end\nmemory: 32MiB\n"))
        self.assertIn(f"    expect:\n      - sink: stdout\n        lines: |\n          {LINE}\n", text)
        self.assertIn("\n\n  # A comment of the second.\n  - expect:\n", text)
        self.assertIn("      - refused: malformed\n    name: second\n", text)
        self.assertIn("        like: ['*']\n", text)
        self.assertIn("3 tests: 3 passed", self.run_tests(path).stdout)
        self.run_tests("--record", path)
        self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_the_line_ends_of_the_file_are_kept(self):
        for begin, line_end in ((b"", "\r\n"), (b"\xef\xbb\xbf", "\r\n"), (b"", "\n")):
            for text in (CONFIG + self.TESTS, (CONFIG + self.TESTS).rstrip("\n")):
                path = self.file("")
                path.write_bytes(begin + text.replace("\n", line_end).encode())
                self.run_tests("--record", path)
                recorded = path.read_bytes()
                self.assertTrue(recorded.startswith(begin + CONFIG.encode()[:20]))
                self.assertIn(b'"received":', recorded)
                self.assertTrue(recorded.endswith(b"memory: 32MiB" + line_end.encode()))
                self.assertEqual(recorded.count(b"\n"), recorded.count(line_end.encode()))
                self.assertIn("3 tests: 3 passed", self.run_tests(path).stdout)

    def test_a_file_of_utf_16_is_refused(self):
        path = self.file("")
        for form in ("utf-16-le", "utf-16-be"):
            path.write_bytes(("\ufeff" + CONFIG + self.TESTS).encode(form))
            self.assertIn(f"{path}:1:1: is UTF-16; save it as UTF-8",
                          self.run_tests(path, code=78).stderr)

    def test_a_file_is_recorded_through_a_link_and_keeps_it(self):
        path = self.file(CONFIG + self.TESTS)
        link = self.folder / "link.yaml"
        link.symlink_to(path)
        self.run_tests("--record", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("3 tests: 3 passed", self.run_tests(path).stdout)

    def test_a_file_without_a_last_newline(self):
        path = self.file(f"{CONFIG}tests:\n  - input:\n      json: '{GAUGE}'\n    name: a")
        self.run_tests("--record", path)
        self.run_tests(path)

    def test_lines_that_yaml_cannot_hold_as_they_are(self):
        config = ("listeners: ['udp://127.0.0.1:5555?schema=riemann']\n"
                  "sinks: ['stdout:?format=csv']\n")
        json = GAUGE.replace("cpu", " \\u0085 \\u2028 # ' \\\" \\\\ \\t \U0001f600")
        path = self.file(f"{config}tests:\n  - name: a\n    input:\n      json: |\n        {json}\n")
        self.run_tests("--record", path)
        self.assertIn("1 passed", self.run_tests(path).stdout)

    def test_a_test_in_braces_is_left_alone(self):
        text = f"{CONFIG}tests: [{{name: a, input: {{hex: ff}}}}]\n"
        path = self.file(text)
        self.assertIn("in braces", self.run_tests("--record", path, code=78).stderr)
        self.assertEqual(path.read_text(encoding="utf-8"), text)


class Reports(Testing):
    def reported(self, form):
        good = self.file(f"{CONFIG}tests:\n  - name: 'a # b'\n    input: {{hex: ff}}\n"
                         "    expect: [{refused: malformed}]\n", "good.yaml")
        bad = self.file(f"{CONFIG}tests:\n  - name: \"<&>\\x07\\\"\"\n    input: {{hex: ff}}\n"
                        "    expect: []\n", "bad.yaml")
        wrong = self.file("a: b\n", "wrong.yaml")
        return self.run_tests("--report", form, good.name, bad.name, wrong.name, code=78).stdout

    def test_junit(self):
        root = xml.etree.ElementTree.fromstring(self.reported("junit").encode())
        self.assertEqual((root.tag, root.get("tests"), root.get("failures"), root.get("errors")),
                         ("testsuites", "3", "1", "1"))
        names = [case.get("name") for case in root.iter("testcase")]
        self.assertEqual(names, ["a # b", '<&>?"', "the file"])
        self.assertIn("+ malformed 1", root.find(".//failure").text)
        self.assertIsNotNone(root.find(".//error"))

    @unittest.skipIf(WINDOWS, "file names of Windows have no control characters")
    def test_junit_has_no_control_characters_of_paths(self):
        good = self.file(f"{CONFIG}tests:\n  - name: a\n    input: {{hex: ff}}\n"
                         "    expect: [{refused: malformed}]\n", "go\x01od.yaml")
        wrong = self.file("a: b\n", "wr\x1fong.yaml")
        root = xml.etree.ElementTree.fromstring(
            self.run_tests("--report=junit", good.name, wrong.name, code=78).stdout.encode())
        self.assertEqual([suite.get("name") for suite in root.iter("testsuite")],
                         ["go?od.yaml", "wr?ong.yaml"])
        self.assertIn("wr?ong.yaml", root.find(".//error").get("message"))


# A message of each schema.
MESSAGES = {
    "telemetry": '{"senderId":"a","sequence":"1","samples":[{"name":"m","doubleValue":1.5}]}',
    "riemann": GAUGE,
    "otlp": '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":'
            '[{"timeUnixNano":"1767225600000000000","asDouble":1.5}]}}]}]}]}',
    "otlp-logs": '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}',
    "otlp-traces": '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}',
}
SAMPLED = ("telemetry", "riemann", "otlp")
FRAMINGS = ("datagram", "delimited", "length16", "length32", "length16-le", "length32-le", "cisco-mdt",
            "udp-notif")
STREAMS = ("delimited", "length16", "length32", "length16-le", "length32-le", "frame-streams")
FORMATS = ("json", "influx", "csv", "prometheus", "openmetrics", "protobuf", "pcap")


class EverySchemaFramingAndFormat(Testing):
    def listeners(self):
        """Pairs of the schema's name and the URL, for each combination of schema and framing."""
        found = []
        for schema in MESSAGES:
            found += [(schema, f"udp://127.0.0.1:{{}}?schema={schema}&framing={framing}")
                      for framing in FRAMINGS]
            found += [(schema, f"tcp://127.0.0.1:{{}}?schema={schema}&framing={framing}")
                      for framing in STREAMS]
            if schema in ("otlp", "otlp-traces"):
                found.append((schema, f"udp://127.0.0.1:{{}}?schema={schema}&framing=otlp-udp"))
        return [(schema, url.format(6000 + i)) for i, (schema, url) in enumerate(found)]

    def test_of_every_schema_framing_and_format(self):
        """Tests without expectations. --record adds their results, and then they must pass."""
        files = []
        for sampled in (True, False):
            listeners = [(schema, url) for schema, url in self.listeners()
                         if (schema in SAMPLED) == sampled]
            sinks = [f"file:x.{form}?format={form}" for form in
                     (FORMATS if sampled else ("json", "protobuf", "pcap"))
                     if form != "openmetrics"]
            plain = [url for _, url in listeners if "udp-notif" not in url]
            text = "listeners:\n" + "".join(f"  - {url}\n" for _, url in listeners)
            files.append((listeners, text, sinks, plain))
        paths = []
        tests = 0
        for i, (listeners, text, sinks, plain) in enumerate(files):
            for whole in (True, False):  # formats of whole datagrams cannot be used with segments
                mine = [(schema, url) for schema, url in listeners if (url in plain) == whole]
                if not mine:
                    continue
                text = "listeners:\n" + "".join(f"  - {url}\n" for _, url in mine)
                text += "sinks:\n" + "".join(f"  - {sink}\n" for sink in sinks
                                             if whole or "pcap" not in sink)
                text += "tests:\n"
                for schema, url in mine:
                    tests += 1
                    text += (f"  - name: {url.split('?')[1]}\n    listener: {url.split('?')[0]}\n"
                             f"    input:\n      json: '{MESSAGES[schema]}'\n")
                paths.append(self.file(text, f"tests{i}{whole}.yaml"))
        self.assertGreaterEqual(tests, 50)
        self.assertIn(f"{tests} recorded", self.run_tests("--record", *paths).stdout)
        for path in paths:
            text = path.read_text(encoding="utf-8")
            self.assertNotIn("refused:", text)
            self.assertNotIn("[]", text, path)
        begun = time.monotonic()
        done = self.run_tests(*paths)
        print(f"{tests} tests in {time.monotonic() - begun:.3f} s: {done.stdout.strip()}")
        self.assertIn(f"{tests} passed, 0 failed", done.stdout)

    def test_openmetrics_and_a_schema_of_a_file(self):
        proto = os.path.relpath(EXAMPLES / "weather.proto", self.folder)
        path = self.file(
            "listeners:\n"
            f"  - address: udp://127.0.0.1:5577\n    schema: {proto}\n    message: weather.Report\n"
            "    value: readings.celsius\n    labels: station,readings.sensor\n"
            "sinks: ['file:%s.om?format=openmetrics', "
            "'stdout:?view=message']\n"
            "tests:\n  - name: a report\n    input:\n      json: "
            "'{\"station\":\"north\",\"readings\":[{\"sensor\":\"roof\",\"celsius\":-3.25}]}'\n")
        self.run_tests("--record", path)
        text = path.read_text(encoding="utf-8")
        self.assertIn('"station":"north"', text)
        self.assertIn("# EOF", text)
        self.assertIn("1 passed", self.run_tests(path).stdout)


class Connections(Testing):
    CONFIG = ("listeners: ['tcp://127.0.0.1:5555?schema=riemann&max_frame=64KiB']\n"
              "sinks: ['stdout:']\n")

    def test_bytes_of_a_connection_are_its_frames(self):
        frame = bytes.fromhex(GAUGE_HEX)[1:]
        sent = 2 * (len(frame).to_bytes(4, "big") + frame)
        self.one(f"    input:\n      hex: {sent.hex()}\n      time: 2026-01-01T00:00:00Z\n"
                 "    expect:\n      - like: |\n          *\"received\":\"2026-01-01T00:00:00*\n"
                 "          *\"received\":\"2026-01-01T00:00:00*\n", config=self.CONFIG)

    def test_a_frame_that_is_too_long_ends_it(self):
        self.one("    input:\n      hex: 00100000ff\n    expect:\n      - refused: too_large\n"
                 "      - lines: []\n", config=self.CONFIG)


if __name__ == "__main__":
    unittest.main()
