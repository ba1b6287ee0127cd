"""Every command in a document runs, and the first one has the output that README.md shows."""
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from built import beside, command
from readme import README, SOURCE, blocks, commands, from_readme, name_of
from sending import WEATHER, send
from shell import ConsumerTest
from sluice_program import CAPTURES, DEADLINE, RIEMANN, SLUICE, read_line

# Beginnings of commands that are not run here, with the reasons.
LEFT_OUT = {
    "./tools/run": "installs packages and builds; what it then starts is run below",
    "./tools/packages ": "installs packages",
    "./tools/debian ": "takes minutes and a network; package_debian runs it where there is none",
    "./tools/fuzz ": "needs clang and takes minutes; what it kept are the tests fuzz_*",
    "./tools/compare": "takes half an hour; integration_compare runs it with less",
    "brew ": "Debian does not have it; long_package_recipes builds by the formula",
    "abuild ": "Debian does not have it; long_package_recipes builds by the recipe",
    "./tools/image ": "needs the archive; package_image runs it",
    "./tools/wine ": "needs the build for Windows, whose own tests run it",
    "cmake ": "takes minutes; its presets are looked up below",
    "ctest ": "runs tests; its presets are looked up below",
    "sudo ": "is for root, on a machine with systemd",
    "./build/release/bin/sluice-bench": "takes minutes; test_sluice_bench runs each part",
}

# Words of commands that other tests run as documented, with the names of these tests.
RUN_ELSEWHERE = {
    "kafka://": "documents_deliveries",
    "nats://": "documents_deliveries",
    "--sink 'http://": "documents_deliveries",
    "/write": "consumer_victoria_metrics",
    "/import/prometheus": "consumer_victoria_metrics",
    "format=openmetrics": "consumer_promtool",
    "promtool ": "consumer_promtool",
    "@csv": "consumer_jq",
    "riemann-client send --tcp": "consumer_riemann_senders",
    "./tools/servers ": "servers_tool",
    "./tools/distributions ": "package_distributions",
    "makepkg ": "long_package_recipes",
    "./tools/site ": "documents_site",
    "./tools/simulate ": "simulation",
    "./tools/soak ": "long_soak",
    "nft ": "servers_fleet_network",
    "192.0.2.1/32": "servers_fleet_network",
    "fib_multipath": "servers_fleet_network",
    "ip nexthop ": "servers_fleet_network",
    "jq -sc": "servers_fleet_network",
    "collector=%{hostname}": "long_fleet",
    "ctl ledger unix:control": "long_fleet",
}

# Documents whose commands are run by another test.
RUN_WITH_THEIR_DOCUMENT = {
    "tools/packaging/recipes.md": "documents_recipes_page",
    "tools/packaging/repository.md": "package_repository and long_package_installs",
}

ADDRESS = re.compile(r"udp://(?:\[[^]]*\]|[0-9.]+):\d+")
PROGRAMS = ("sluice-send", "sluice-replay", "sluice-decode")

# The beginning of a command that only prints a schema.
SHOWN = "sluice schema "


def is_left_out(line):
    return any(line.startswith(begin) for begin in LEFT_OUT)


def is_run_elsewhere(document, line):
    return document in RUN_WITH_THEIR_DOCUMENT or any(word in line for word in RUN_ELSEWHERE)


def kind_of(line):
    """The program that the command demonstrates: the last one in a pipe if it is one of PROGRAMS,
    otherwise the first."""
    last = line.rsplit("| ", 1)[-1].split()[0]
    return last if last in PROGRAMS else shlex.split(line)[0]


class Commands(ConsumerTest):
    def fresh(self):
        """A folder like a clone without a build."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("tests", "tools"):
            (folder / name).symlink_to(SOURCE / name)
        return folder

    def with_capture(self):
        folder = self.fresh()
        shutil.copy(CAPTURES / "riemann_cli_v4.pcap", folder / "day.pcap")
        return folder

    def shell_in(self, folder, line, listeners):
        shutil.rmtree(self.folder / "bin", ignore_errors=True)
        return self.shell(ADDRESS.sub("udp://127.0.0.1:0", line), listeners, cwd=folder)

    def each(self, program):
        """The commands that demonstrate this program and are run here."""
        found = [(document, line) for document, line in commands() if kind_of(line) == program
                 and not is_run_elsewhere(document, line)]
        self.assertTrue(found, program)
        return found

    def run_it(self, line):
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=self.with_capture(),
                              stdin=subprocess.DEVNULL, capture_output=True, env=environment,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def test_each_is_run_somewhere(self):
        for document, line in commands():
            with self.subTest(document=document, command=line):
                known = ("sluice", "export", "riemann-client", *PROGRAMS)
                self.assertTrue(is_left_out(line) or is_run_elsewhere(document, line) or
                                kind_of(line) in known)

    def test_nothing_is_left_out_that_is_not_there(self):
        lines = [line for _, line in commands()]
        for begin in LEFT_OUT:
            self.assertTrue([line for line in lines if line.startswith(begin)], begin)
        for word in RUN_ELSEWHERE:
            self.assertTrue([line for line in lines if word in line], word)
        self.assertLessEqual(set(RUN_WITH_THEIR_DOCUMENT), {document for document, _ in commands()})

    def test_what_is_left_out_names_scripts_and_presets(self):
        presets = json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))
        for document, line in commands():
            with self.subTest(document=document, command=line):
                for script in re.findall(r"\./(tools/\w+)", line):
                    self.assertTrue(os.access(SOURCE / script, os.X_OK), script)
                for flag, preset in re.findall(r"(?:cmake|ctest)( --\w+)? --preset (\w+)", line):
                    kind = {" --build": "build", " --workflow": "workflow"}.get(flag, "configure")
                    names = [each["name"] for each in presets[f"{kind}Presets"]]
                    self.assertIn(preset, names)

    def test_the_collector_writes_what_is_sent_to_it(self):
        """Runs each command with datagrams of its schema, on a free port and in a separate folder.
        """
        for document, line in self.each("sluice"):
            if "pcap:" in line or line.startswith(SHOWN):
                continue
            with self.subTest(document=document, command=line):
                schema = re.search(r"schema=(?:[\w./-]+/)?([\w.-]+)", line)[1]
                program = self.shell_in(self.fresh(), line, listeners=1)
                count = send(schema, self.sender(program))
                program.wait_for_received(count)
                ledger = program.stop()
                listener = ledger["listeners"][0]
                self.assertEqual((listener["received"], listener["decoded"]), (count, count))
                for sink in ledger["sinks"]:
                    self.assertGreater(sink["written"], 0)

    def test_a_schema_is_shown_as_the_document_has_it(self):
        shown = [(document, line) for document, line in self.each("sluice")
                 if line.startswith(SHOWN)]
        self.assertTrue(shown)
        for document, line in shown:
            with self.subTest(document=document, command=line):
                done = subprocess.run(command(SLUICE, *shlex.split(line)[1:]), cwd=SOURCE,
                                      capture_output=True, text=True, timeout=DEADLINE, check=True)
                table = done.stdout.split("\n\n", 1)[1]
                self.assertIn(f"```\n{table}```", (SOURCE / document).read_text(encoding="utf-8"))

    def test_the_collector_reads_captures(self):
        captures = [(document, line) for document, line in self.each("sluice") if "pcap:" in line]
        self.assertTrue(captures)
        for document, line in captures:
            with self.subTest(document=document, command=line):
                ledger = self.shell_in(self.with_capture(), line, listeners=0).finish()
                self.assertEqual(ledger["listeners"][0]["received"], 30)
                self.assertEqual(ledger["sinks"][0]["written"], 30)

    def test_tools_do_what_they_say(self):
        program = self.start("--listen", RIEMANN, "--sink", "file:/dev/null")
        (self.folder / "bin").mkdir()
        for name in ("sluice", *PROGRAMS):
            start = self.folder / "bin" / name
            words = shlex.join(command(beside(SLUICE, name)))
            start.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
            start.chmod(0o755)
        for name in PROGRAMS:
            for document, line in self.each(name):
                with self.subTest(document=document, command=line):
                    said = self.run_it(ADDRESS.sub(program.names[0], line))
                    self.assertEqual(said != b"", name == "sluice-decode")
        ledger = program.stop()
        self.assertGreater(ledger["listeners"][0]["received"], 0)

    def test_the_path_has_the_programs(self):
        for document, line in self.each("export"):
            with self.subTest(document=document):
                self.assertEqual(document, name_of(README))
                self.assertIn("$PWD/build/release/bin", line)
                self.run_it(line)


class Output(ConsumerTest):
    """The expected output below a command in a document."""

    @staticmethod
    def same(text):
        """The text without the parts that differ between runs."""
        for pattern, instead in ((r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
                                 (r"127\.0\.0\.1:\d+", "PORT"),
                                 (r"after [\d.]+ s", "after SECONDS"),
                                 (r"(samples \d+), bytes \d+", r"\1, bytes SIZE")):
            text = re.sub(pattern, instead, text)
        return text

    @unittest.skipUnless(shutil.which("riemann-client"), "needs riemann-client")
    def test_of_the_first_command(self):
        """./tools/run starts sluice without arguments. Here it gets a free port."""
        shown = [text for language, text in blocks(README)]
        sent = next(text for text in shown if text.startswith("riemann-client"))
        line = next(text for text in shown if text.startswith('{"time"'))
        account = next(text for text in shown if text.startswith("ledger after"))

        program = self.start("--listen", RIEMANN, ledger=None)
        subprocess.run(shlex.split(sent.replace("127.0.0.1 5555", f"127.0.0.1 {program.port()}")),
                       check=True, timeout=DEADLINE)
        program.wait_for_lines(1)
        program.ask_to_stop()
        program.finish()
        self.assertEqual(self.same(program.stdout.lines()[0].decode()), self.same(line))
        said = "\n".join(program.said()) + "\n"
        self.assertEqual(self.same(said[said.index("ledger after"):]), self.same(account))

    @unittest.skipUnless(shutil.which("riemann-client"), "needs riemann-client")
    def test_of_the_first_command_on_a_terminal(self):
        shown = [text for language, text in blocks(README)]
        sent = next(text for text in shown if text.startswith("riemann-client"))
        line = next(text for text in shown if re.match(r"\d\d:\d\d:", text))
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        program = self.start("--listen", RIEMANN, stdout=its, env={**os.environ, "NO_COLOR": "1"})
        os.close(its)
        subprocess.run(shlex.split(sent.replace("127.0.0.1 5555", f"127.0.0.1 {program.port()}")),
                       check=True, timeout=DEADLINE)
        said = read_line(ours).decode()
        program.stop()
        self.assertEqual(said[12:].rstrip(), line[12:].rstrip())
        self.assertRegex(said, r"\A\d\d:\d\d:\d\d\.\d{3} ")

    def test_of_a_schema_from_a_file(self):
        schema = from_readme("syntax = ", "package weather;")
        self.assertEqual(WEATHER.read_text(encoding="utf-8"), schema)
        line = from_readme("sluice ", "time=readings.at_ms:ms").strip()
        program = self.shell(ADDRESS.sub("udp://127.0.0.1:0", line), cwd=SOURCE)
        send("weather.proto", self.sender(program))
        program.wait_for_lines(2)
        program.stop()
        shown = from_readme('"station":"north","sensor":"roof"')
        said = b"".join(program.stdout.lines()).decode()
        self.assertEqual(said.count('"time":"2026-11-20T12:00:00.250000000Z"'), 2)
        self.assertEqual(self.same(said), self.same(shown))


if __name__ == "__main__":
    unittest.main()
