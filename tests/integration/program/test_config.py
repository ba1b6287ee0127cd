"""Tests configurations from a file and from the environment: a start with them, --check, and
--print-config."""
import os
import re
import subprocess
import unittest

from built import NO_DEV_STDIN, command, not_on_windows
from sluice_program import CAPTURES, DEADLINE, SLUICE, ProgramTest, read_lines

CAPTURE = CAPTURES / "riemann_cli_v4.pcap"

VERSION = subprocess.run(command(SLUICE, "--version"), capture_output=True, timeout=DEADLINE,
                         check=True).stdout
READS_FILES = b"\nconfiguration files: none" not in VERSION
SENDS_HTTP = b"\nhttp: none" not in VERSION


class ConfigTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "c.yaml"
        self.lines = self.folder / "lines"

    def write(self, *lines):
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self.file

    def printed(self, *arguments):
        program, _ = self.run_to_end("--print-config", *arguments, ledger=None)
        self.assertEqual(program.said(), [])
        return b"".join(program.stdout.lines()).decode()

    def variable(self, name, value):
        """Sets an environment variable for the programs that this test starts."""
        self.addCleanup(os.environ.pop, name, None)
        os.environ[name] = str(value)


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class File(ConfigTest):
    def whole(self):
        return self.write("ledger: json",
                          "listeners:",
                          f"  - address: 'pcap:{CAPTURE}'",
                          "    port: 5555",
                          "    schema: riemann",
                          "sinks:",
                          f"  - to: 'file:{self.lines}'",
                          "    view: message",
                          f"  - to: 'file:{self.folder / 'csv'}'",
                          "    format: csv",
                          "    view: sample")

    def test_a_file_is_all_that_it_takes(self):
        _, ledger = self.run_to_end("--config", self.whole(), ledger="json")
        self.assertEqual([sink["offered"] for sink in ledger["sinks"]],
                         [ledger["listeners"][0]["messages"]] * 2)
        self.assertGreater(ledger["listeners"][0]["messages"], 0)
        self.assertIn("message", read_lines(self.lines)[0])
        self.assertTrue((self.folder / "csv").read_bytes())

    def test_the_command_line_replaces_the_sinks(self):
        other = self.folder / "other"
        self.run_to_end("--config", self.whole(), "--sink", f"file:{other}", ledger="json")
        self.assertTrue(other.exists())
        self.assertFalse(self.lines.exists())

    def test_check_starts_nothing(self):
        program, _ = self.run_to_end("--check", "--config", self.whole(), ledger=None)
        self.assertIn("the configuration is valid", "\n".join(program.said()))
        self.assertFalse(self.lines.exists())

    def test_what_is_wrong_is_reported_with_its_place(self):
        self.write("listeners:", "- address: udp://127.0.0.1:0", "  recieve_buffer: 1MiB")
        for check in ((), ("--check",)):
            said = self.refused(*check, "--config", self.file, code=78)
            self.assertIn(f'{self.file}:3:3: unknown key "recieve_buffer"; '
                          'did you mean "receive_buffer"?', said)

    def test_a_folder_that_is_not_there_is_reported_with_its_place(self):
        self.write("sinks:", f"- to: 'file:{self.folder}/no/a.ndjson'")
        said = self.refused("--check", "--config", self.file, code=73)
        self.assertIn(f"{self.file}:2:", said)
        self.assertIn("cannot write to ", said)
        self.assertIn("; create the folder: mkdir ", said)

    def test_a_variable_is_replaced_by_the_shell_of_a_command_and_nowhere_else(self):
        self.write("sinks:", "- to: 'file:${HOME}/a.ndjson'")
        said = self.refused("--check", "--config", self.file, code=78)
        self.assertIn(f'{self.file}:2:13: "${{HOME}}" is not expanded', said)
        self.write("sinks:", "- to: 'command:cat >${HOME}/a.ndjson'")
        self.run_to_end("--check", "--config", self.file, ledger=None)

    def test_a_wrong_key_of_a_schema_is_reported_with_its_own_place(self):
        (self.folder / "own.proto").write_text(
            'syntax = "proto3"; message Own { uint32 seq = 1; double value = 2; string host = 3; }',
            encoding="ascii")
        good = {"schema": f"{self.folder}/own.proto", "message": "Own", "sequence": "seq",
                "sequence_key": "host", "value": "value", "labels": "host"}
        for at, key in enumerate(good):
            wrong = good | {key: "sqe" if key != "schema" else "absent.proto"}
            keys = [f"{name}: {value}" for name, value in wrong.items()]
            said = self.refused("--check", "--config", self.write(
                "listeners:", "- address: udp://127.0.0.1:0", *(f"  {each}" for each in keys),
                f"sinks: ['file:{self.lines}']"), code=78)
            self.assertIn(f"{self.file}:{3 + at}:3: ", said)
            said = self.refused("--check", "--config", self.write(
                "listeners:", "- address: udp://127.0.0.1:0", "  schemas:",
                "  - schema: otlp", "    match: source:127.0.0.1", f"  - {keys[0]}",
                *(f"    {each}" for each in keys[1:]), f"sinks: ['file:{self.lines}']"), code=78)
            self.assertIn(f"{self.file}:{6 + at}:5: ", said)
            url = "&".join(f"{name}={value}" for name, value in wrong.items())
            said = self.refused("--check", "--config", self.write(
                f"listeners: [\"udp://127.0.0.1:0?{url}\"]", f"sinks: ['file:{self.lines}']"), code=78)
            self.assertIn(f"{self.file}:1:{32 + url.index(f'{key}=')}: ", said)

    def test_what_only_a_schema_knows_is_reported_with_its_place_too(self):
        self.write("listeners:", "- address: udp://127.0.0.1:0", "  schema: otlp-logs",
                   "sinks:", f"- to: 'file:{self.lines}'", "  format: influx")
        for check in ((), ("--check",)):
            said = self.refused(*check, "--config", self.file, code=78)
            self.assertRegex(said, re.escape(f"{self.file}:5:") + r"\d+: .*format=influx")
        self.write("listeners:", "- address: udp://127.0.0.1:0",
                   "sinks:", f"- to: 'file:{self.lines}'", "  overflow: block")
        self.assertIn(f"{self.file}:4:", self.refused("--config", self.file, code=78))
        self.write("listeners:", "- address: udp://127.0.0.1:0", "  schema: none.desc",
                   "  message: p.M")
        self.assertIn(f"{self.file}:3:3:", self.refused("--config", self.file, code=78))
        self.assertFalse(self.lines.exists())

    def test_what_a_listener_reads_and_where_a_sink_sends_is_reported_with_its_place(self):
        self.write("listeners:", f"- address: 'pcap:{self.file}'", "sinks:", "- to: 'stdout:'")
        said = self.refused("--check", "--config", self.file, code=65)
        self.assertIn(f"{self.file}:2:", said)
        self.write("listeners:", "- address: udp://127.0.0.1:5999",
                   "sinks:", "- to: udp:127.0.0.1:5999")
        said = self.refused("--check", "--config", self.file, code=78)
        self.assertRegex(said, re.escape(f"{self.file}:4:") + r"\d+: .*loop endlessly")

    def test_a_file_that_is_not_there(self):
        self.assertIn(str(self.file), self.refused("--config", self.file, code=78))

    def test_what_is_written_in_another_way_is_printed_and_read_back(self):
        self.write("stop_timeout: 3s", "receiver-cpus: [0]", "listeners:",
                   "  address: udp://127.0.0.1:0", "  kernel-filter: yes", "  allow:",
                   "    - 10.0.0.0/8", "    - 127.0.0.0/8", "sinks: stdout")
        first = self.printed("--config", self.file)
        for line in ("stop-timeout: 3s", "receiver-cpus: 0", "    kernel_filter: yes",
                     "    allow: 10.0.0.0/8,127.0.0.0/8"):
            self.assertIn(f"{line} # {self.file}:", first)
        self.file.write_text(first, encoding="utf-8")
        second = self.printed("--config", self.file)
        self.assertEqual([line.split(" # ")[0] for line in first.splitlines()],
                         [line.split(" # ")[0] for line in second.splitlines()])

    def test_what_is_printed_is_read_back(self):
        first = self.printed("--config", self.whole(), "--memory", "40MiB")
        self.assertIn(f"port: 5555 # {self.file}:4\n", first)
        self.assertIn("memory: 40MiB # command line\n", first)
        self.assertIn("threads: auto # default\n", first)
        self.file.write_text(first, encoding="utf-8")
        second = self.printed("--config", self.file)
        self.assertNotIn("# command line", second)

        def bare(text):
            return re.sub(r" # .*", "", text)

        self.assertEqual(bare(first), bare(second))
        self.assertFalse(self.lines.exists())

    @not_on_windows(NO_DEV_STDIN)
    def test_a_pipe_may_be_the_file(self):
        read, write = os.pipe()
        os.write(write, b"memory: 40MiB\n")
        os.close(write)
        self.addCleanup(os.close, read)
        done = subprocess.run(command(SLUICE, "--print-config", "--config", f"/dev/fd/{read}"),
                              pass_fds=[read], capture_output=True, timeout=DEADLINE, check=True)
        self.assertIn(b"memory: 40MiB # /dev/fd/", done.stdout)

    def test_the_environment_wins_over_the_file(self):
        self.variable("SLUICE_CONFIG", self.whole())
        self.variable("SLUICE_MEMORY", "40MiB")
        text = self.printed()
        self.assertIn(f"port: 5555 # {self.file}:4\n", text)
        self.assertIn("memory: 40MiB # environment: SLUICE_MEMORY\n", text)
        self.assertIn("memory: 50MiB # command line\n", self.printed("--memory", "50MiB"))


class Memory(ConfigTest):
    def parts(self, *arguments):
        """The MiB of each part of the memory, and of all."""
        last = self.printed("--sink", f"file:{self.lines}", *arguments).splitlines()[-1]
        total, parts = re.fullmatch(r"# memory (\S+) MiB: (.*)", last).groups()
        return float(total), {name: float(size) for name, size in
                              (part.rsplit(" ", 1) for part in parts.split(", "))}

    def test_the_last_line_says_what_the_memory_is_for(self):
        udp = ("--listen", "udp://127.0.0.1:0?schema=telemetry")
        total, parts = self.parts(*udp)
        self.assertAlmostEqual(total, sum(parts.values()), delta=0.5)
        more, also = self.parts(*udp, "--listen", "udp://127.0.0.1:0?schema=telemetry&rate_limit=9",
                                "--control", self.control_address())
        self.assertAlmostEqual(more, sum(also.values()), delta=0.5)
        self.assertGreater(also["senders"], parts["senders"])
        self.assertGreater(also["others"], parts["others"])

    def test_the_manual_says_what_a_tcp_listener_adds(self):
        def tcp(port, keys=""):
            return "--listen", f"tcp://127.0.0.1:{port}?schema=telemetry&framing=length32{keys}"
        before = self.parts(*tcp(1))[1]
        after = self.parts(*tcp(1), *tcp(2))[1]
        connections = before["listeners"] - self.parts(*tcp(1, "&max_connections=1"))[1]["listeners"]
        self.assertAlmostEqual(connections, 4.4, delta=0.2)
        self.assertAlmostEqual(after["listeners"] - before["listeners"] - connections, 9, delta=0.2)
        name = "batches for long messages"
        self.assertAlmostEqual(after[name] - before[name], 8, delta=0.3)

    def test_a_budget_is_divided(self):
        total, parts = self.parts("--listen", "udp://127.0.0.1:0?schema=telemetry", "--memory",
                                  "100MiB")
        self.assertTrue(99 <= total <= 100, total)
        self.assertGreater(parts["queues"], 60)

    def test_a_budget_that_is_too_small_has_no_parts(self):
        text = self.printed("--listen", "udp://127.0.0.1:0?schema=telemetry", "--memory", "1MiB")
        self.assertNotIn("# memory", text)


@unittest.skipIf(READS_FILES, "this program reads files")
class NoFile(ConfigTest):
    def test_a_file_is_refused(self):
        said = self.refused("--config", self.write("memory: 40MiB"), code=78)
        self.assertIn("built without YAML", said)


class Environment(ConfigTest):
    def test_variables_are_as_good_as_options(self):
        self.variable("SLUICE_LISTEN", f"pcap:{CAPTURE}?port=5555&schema=riemann")
        self.variable("SLUICE_SINK", f" file:{self.lines}   stdout:?view=message ")
        program, ledger = self.run_to_end()
        self.assertEqual(len(ledger["sinks"]), 2)
        self.assertEqual(ledger["sinks"][0]["lines"], len(read_lines(self.lines)))
        self.assertTrue(program.stdout.lines())

    def test_a_wrong_one_is_reported_by_its_name(self):
        self.variable("SLUICE_STOP_TIMEOUT", "5")
        self.assertIn('SLUICE_STOP_TIMEOUT: stop-timeout "5" has no unit',
                      self.refused("--sink", f"file:{self.lines}", code=78))
        self.assertFalse(self.lines.exists())

    def test_an_unknown_one_is_reported_with_the_nearest_name(self):
        self.variable("SLUICE_VERBOSITY", "3")
        self.variable("SLUICE_PORT_5555_UDP_ADDR", "10.0.0.1")  # a variable that Kubernetes sets
        program, _ = self.run_to_end("--check", "--sink", f"file:{self.lines}", ledger=None)
        self.assertEqual(program.said(),
                         ['sluice: warning: no option has the environment variable '
                          '"SLUICE_VERBOSITY"; did you mean "SLUICE_LOG_LEVEL"?',
                          "sluice: the configuration is valid"])

    def test_one_that_is_one_edit_from_a_known_one_is_refused(self):
        self.variable("SLUICE_MEMROY", "64MiB")
        self.assertIn('did you mean "SLUICE_MEMORY"?',
                      self.refused("--sink", f"file:{self.lines}", code=78))
        self.assertFalse(self.lines.exists())

    def test_an_empty_one_is_none(self):
        self.variable("SLUICE_STOP_TIMEOUT", "")
        self.assertIn("stop-timeout: 2s # default\n", self.printed())


if __name__ == "__main__":
    unittest.main()
