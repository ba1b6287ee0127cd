"""systemd accepts the units and the files with them, and the program can run under their
restrictions."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from built import nothing_on_windows
from protobuf import metric
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import DEADLINE, RIEMANN, SLUICE, Sluice, built_with, read_lines
from test_config import READS_FILES
from tracing import can_trace

nothing_on_windows("there is no systemd")

PACKAGING = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packaging"
UNITS = PACKAGING / "systemd"
INSTALLED = "/usr/bin/sluice"
CONFIGURATION = "/etc/sluice/sluice.yaml"
EXPOSURE = 15  # most tenths of systemd-analyze security: 0 is best, 100 worst


def run(*words, **more):
    """Runs a command, which must succeed, and returns its output."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE,
                          check=False, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stdout}")
    return done.stdout


class Units(ConsumerTest):
    def setUp(self):
        """The units as they are installed, except for the path of the program."""
        super().setUp()
        self.units = self.folder / "units"
        self.units.mkdir()
        for unit in UNITS.glob("sluice*.s*"):
            text = unit.read_text(encoding="utf-8").replace(INSTALLED, SLUICE)
            (self.units / unit.name).write_text(text, encoding="utf-8")
        drop_in = self.units / "sluice.service.d" / "buffers.conf"
        drop_in.parent.mkdir()
        shutil.copy(UNITS / "sluice-buffers.conf", drop_in)

    def test_systemd_has_nothing_to_say_about_them(self):
        units = sorted(unit for unit in self.units.iterdir() if unit.is_file())
        self.assertEqual([unit.name for unit in units],
                         ["sluice-otlp.socket", "sluice-tcp.socket", "sluice.service",
                          "sluice.socket"])
        self.assertEqual(run("systemd-analyze", "verify", "--man=no", *units), "")

    def test_little_is_left_that_it_may_do(self):
        run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}",
            self.units / "sluice.service")

    def begin(self, **options):
        """Starts the program as the service does, but in the test's folder."""
        self.file = self.folder / "sluice.yaml"
        self.lines = self.folder / "lines"
        self.write(**options)
        return self.start("--config", self.file)

    def write(self, **options):
        self.file.write_text(json.dumps({"listeners": [RIEMANN], "sinks": [f"file:{self.lines}"],
                                         **options}), encoding="utf-8")

    def reload(self, program):
        """Runs the commands of systemctl reload. Returns the exit code and the output."""
        unit = (self.units / "sluice.service").read_text(encoding="utf-8").replace("\\\n", " ")
        order, = re.findall(r"(?m)^ExecReload=(.*)$", unit)
        for what, by in (("${MAINPID}", program.process.pid), (CONFIGURATION, self.file),
                         ("/run/sluice/control", self.folder / "control")):
            self.assertIn(what, order)
            order = order.replace(what, str(by))
        done = subprocess.run(shlex.split(order), stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                              stdout=subprocess.PIPE, timeout=DEADLINE, check=False, text=True)
        return done.returncode, done.stdout

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_its_reload_checks_first_and_reaches_the_program(self):
        program = self.begin()
        code, said = self.reload(program)
        self.assertEqual(code, 0, said)
        self.assertIn("the configuration is valid", said)
        program.wait_for_log("lines: reopened")
        program.stop()

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_its_reload_fails_where_the_configuration_is_wrong_and_moved_files_are_reopened(self):
        program = self.begin()
        self.write(sniks=[])
        self.lines.rename(self.folder / "moved")
        code, said = self.reload(program)
        self.assertEqual(code, 78, said)
        self.assertIn("sniks", said)
        program.wait_for_log("lines: reopened")
        self.assertTrue(self.lines.exists())
        program.stop()

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_its_reload_asks_the_control_socket_where_there_is_one(self):
        control = f"unix:{self.folder}/control"
        program = self.begin(control=control)
        self.assertEqual(self.reload(program), (0, "done\n"))
        self.write(control=control, threads=1)  # an error that --check does not detect
        code, said = self.reload(program)
        self.assertEqual(code, 78, said)
        self.assertIn("refused: ", said)
        program.stop()

    def test_the_readme_has_the_socket(self):
        unit = (UNITS / "sluice.socket").read_text(encoding="utf-8").splitlines()
        for line in from_readme("FileDescriptorName=", "ListenDatagram=").splitlines():
            self.assertIn(line, unit)


class Files(ConsumerTest):
    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_the_configuration_is_right(self):
        text = (PACKAGING / "sluice.yaml").read_text(encoding="utf-8")
        # systemd creates these folders.
        text = re.sub(r"/(var/log|var/lib|run)/sluice/", f"{self.folder}/", text)
        file = self.folder / "sluice.yaml"
        file.write_text(text, encoding="utf-8")
        run(SLUICE, "--check", "--config", file)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_what_is_commented_out_in_it_is_right_too(self):
        text = (PACKAGING / "sluice.yaml").read_text(encoding="utf-8")
        text = re.sub(r"(?m)^( *)#(?=\S|  \S)", r"\1", text)
        file = self.folder / "sluice.yaml"
        file.write_text(text, encoding="utf-8")
        (self.folder / "conf.d").mkdir()
        printed = run(SLUICE, "--print-config", "--config", file)
        for expected in ("fd:otlp", "keep: 30", "control: ", "rate_limit: 10000"):
            self.assertIn(expected, printed)

    def test_its_folder_is_made(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a folder of root's")
        run("systemd-tmpfiles", f"--root={self.folder}", "--create", UNITS / "tmpfiles.conf")
        self.assertTrue((self.folder / "etc" / "sluice").is_dir())


def system_calls(name):
    """The system calls of one of systemd's sets, "@system-service"."""
    calls = set()
    for line in run("systemd-analyze", "syscall-filter", name).splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            calls |= system_calls(word)
        elif word and not word.startswith("#"):
            calls.add(word)
    return calls


def allowed_calls():
    """The system calls that SystemCallFilter= of the service allows."""
    calls = set()
    for value in re.findall(r"(?m)^SystemCallFilter=(~?)(.*)$",
                            (UNITS / "sluice.service").read_text(encoding="utf-8")):
        named = set()
        for word in value[1].split():
            named |= system_calls(word) if word.startswith("@") else {word}
        calls = calls - named if value[0] else calls | named
    return calls


class Traced(Sluice):
    """The program, traced by strace as a separate process."""

    def __init__(self, path, *arguments):
        super().__init__("-D", "-f", "-qq", "-o", path, SLUICE, *arguments, program="strace")
        self.path = path

    def calls(self):
        return set(re.findall(r"(?m)^\d+ +(\w+)\(", self.path.read_text(encoding="utf-8")))


class SystemCalls(ConsumerTest):
    def test_it_makes_none_that_the_service_forbids(self):
        if not can_trace():
            self.skipTest("nothing may be traced here")
        out = self.folder / "out"
        out.mkdir()
        program = Traced(
            self.folder / "calls", "--listen", RIEMANN + "&receive_buffer=64KiB",
            "--sink", f"file:{out}/lines", "--sink", f"file:{out}/%F?rotate_size=4KiB&keep=2&"
            "compress=zstd&fsync=close", "--sink", "command:cat >/dev/null",
            "--dead-letter", f"file:{out}/dead.pcapng", "--control", f"unix:{out}/control",
            "--receiver-cpus", str(min(os.sched_getaffinity(0))))
        self.receive(program, out)
        self.assertEqual(program.calls() - allowed_calls(), set())

    def test_it_makes_none_that_the_service_forbids_with_the_sandbox(self):
        if not can_trace():
            self.skipTest("nothing may be traced here")
        if not built_with("sandbox"):
            self.skipTest("this system has no sandbox")
        out = self.folder / "out"
        out.mkdir()
        program = Traced(self.folder / "calls", "--listen", RIEMANN, "--sink", f"file:{out}/lines",
                         "--control", f"unix:{out}/control", "--sandbox", "on")
        self.receive(program, out)
        calls = program.calls()
        self.assertIn("seccomp", calls)
        self.assertEqual(calls - allowed_calls(), set())

    def receive(self, program, out):
        self.addCleanup(program.close)
        program.wait_for_listeners()
        self.sender(program).send_all([metric(value) for value in range(300)] + [b"\xff"])
        program.ask_to_reload()
        program.wait_for_log("lines: reopened")
        program.stop()
        self.assertEqual(len(read_lines(out / "lines")), 300)
        self.assertIn("recvmmsg", program.calls())


if __name__ == "__main__":
    main("systemd-analyze", "systemd-tmpfiles", "strace")
