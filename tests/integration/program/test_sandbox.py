"""Tests --sandbox: what an intruder cannot do, what the program can still do, and when a start is
refused."""
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

from built import NO_SANDBOX, STATIC, WINDOWS, not_on_windows
from control_client import ControlClient
from metrics_client import MetricsClient
from protobuf import metric
from sluice_program import (
    RIEMANN, SANITIZED, ProgramTest, built_with, parse_json, read_lines)

IN_FORCE = r"sandbox: landlock \d+ \(\d+ paths(, TCP ports)?\), seccomp"

# Attempts that a machine may refuse anyway: as a container, or by its administrator.
NOT_EVERYWHERE = {"a user namespace", "io_uring_setup", "a raw socket", "a packet socket",
                  "trace another process", "process_vm_readv", "chroot"}




def without(name):
    """The environment without a variable."""
    return {key: value for key, value in os.environ.items() if key != name}


@not_on_windows(NO_SANDBOX)
@unittest.skipIf(SANITIZED, "a sanitizer needs what the sandbox takes away")
class Sandbox(ProgramTest):
    def setUp(self):
        super().setUp()
        if not built_with("sandbox"):
            self.skipTest("this system has no sandbox")
        self.lines = self.folder / "out" / "lines"
        self.lines.parent.mkdir()

    def listening_port(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        return server.getsockname()[1]

    def victim(self):
        process = subprocess.Popen(["sleep", "100"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def outside(self):
        """A folder outside the test's, which the sandbox may permit."""
        folder = tempfile.TemporaryDirectory(prefix="sluice-outside-")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def intrude(self, mode):
        """The result of each attempt of the intruder, and the program's log."""
        outside = self.outside()
        (outside / "secret").write_text("secret", encoding="utf-8")
        log = outside / "log"
        lines = self.lines.with_name(f"lines-{mode}")
        environment = {**os.environ, "LD_PRELOAD": os.environ["TEST_INTRUDER"],
                       "INTRUDER_LOG": str(log), "INTRUDER_SECRET": str(outside / "secret"),
                       "INTRUDER_TARGET": str(outside / "target"),
                       "INTRUDER_PORT": str(self.listening_port()),
                       "INTRUDER_VICTIM": str(self.victim())}
        program = self.start("--listen", RIEMANN, "--sink", f"file:{lines}", "--sandbox", mode,
                             env=environment)
        sender = self.sender(program)
        sender.send(metric(1))
        program.wait_for_settled(1)
        sender.send(metric(2))
        program.wait_for_settled(2)
        if mode == "on":
            program.wait_for_log("sandbox: the system call io_uring_setup")
        self.assertEqual(program.stop()["sinks"][0]["written"], 2)
        self.assertEqual(len(read_lines(lines)), 2)
        rows = log.read_text(encoding="utf-8").splitlines()
        return dict(row.split("\t") for row in rows), program.said()

    @unittest.skipIf(STATIC, "no library can be added to a static program")
    def test_each_attempt_of_an_intruder_works_without_it_and_is_refused_with_it(self):
        without, _ = self.intrude("off")
        within, said = self.intrude("on")
        self.assertEqual(without.keys(), within.keys())
        width = max(map(len, without))
        print(f"\n{'an intruder in the receiving thread':{width}}  sandbox off  on")
        for name, result in without.items():
            print(f"{name:{width}}  {result:11}  {within[name]}")
        for name, result in without.items():
            with self.subTest(attempt=name):
                self.assertIn(within[name], ("EACCES", "EPERM"))
                if name not in NOT_EVERYWHERE:
                    self.assertEqual(result, "done")
        for call in ("ptrace", "execve", "socket", "memfd_create", "kill", "mmap", "clone"):
            with self.subTest(call=call):
                self.assertTrue(any(f"the system call {call} (" in line for line in said), said)

    def test_all_threads_are_in_it_and_get_no_new_privileges(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.lines}", "--sandbox", "on",
                             "--metrics", "127.0.0.1:0", "--control", f"unix:{self.folder}/control")
        program.wait_for_log(IN_FORCE)
        tasks = list(pathlib.Path(f"/proc/{program.process.pid}/task").iterdir())
        self.assertGreaterEqual(len(tasks), 2)
        for task in tasks:
            status = (task / "status").read_text(encoding="utf-8")
            self.assertRegex(status, r"\nSeccomp:\s2\n")
            self.assertRegex(status, r"\nNoNewPrivs:\s1\n")
        program.stop()

    def config(self, *sinks, listener="udp://127.0.0.1:0?schema=riemann"):
        path = self.folder / "config" / "sluice.yaml"
        path.parent.mkdir(exist_ok=True)
        new = path.with_name("new")
        new.write_text("\n".join([f"listeners:\n  - {listener}\nsandbox: on\nsinks:",
                                  *(f"  - {sink}" for sink in sinks), ""]), encoding="utf-8")
        new.replace(path)  # as an editor does
        return path

    def test_a_reload_reads_a_new_file_and_adds_a_sink_in_a_permitted_folder(self):
        program = self.start("--config", self.config(f"file:{self.lines}"))
        self.config(f"file:{self.lines}", f"file:{self.lines.parent}/more")
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        self.sender(program).send(metric(1))
        program.wait_for_settled(1, sink=1)
        program.stop()
        self.assertEqual(len(read_lines(self.lines.parent / "more")), 1)

    def test_a_reload_that_needs_more_is_refused_with_what_it_needs(self):
        for sink, reason in ((f"file:{self.outside()}/x", "/sluice-outside-[^/]*: outside the sandbox"),
                             ("command:cat", "a command: sink runs a program"),
                             ("udp:127.0.0.1:9?keep_source=on", "raw sockets: outside"),
                             ("http://127.0.0.1:9/?format=influx", "connections: outside")):
            if sink.startswith("http") and not built_with("http"):
                continue
            with self.subTest(sink=sink):
                program = self.start("--config", self.config(f"file:{self.lines}"))
                self.config(f"file:{self.lines}", sink)
                program.ask_to_reload()
                program.wait_for_log(f"reload refused.*{reason}.*restart")
                self.sender(program).send(metric(1))
                program.wait_for_settled(1)
                program.stop()

    def test_a_schema_is_compiled_again_inside(self):
        protoc = pathlib.Path("/usr/bin/protoc")
        if not protoc.exists():
            self.skipTest("no protoc")
        proto = self.folder / "schemas" / "one.proto"
        proto.parent.mkdir()
        text = 'syntax = "proto3"; message One {{ double {} = 1; }}'
        proto.write_text(text.format("before"), encoding="utf-8")
        program = self.start("--listen", f"udp://127.0.0.1:0?schema={proto}&message=One", "--sink",
                             f"file:{self.lines}", "--sandbox", "on")
        sender = self.sender(program)
        sender.send(b"\x09" + bytes(6) + b"\xf0\x3f")
        program.wait_for_settled(1)
        proto.write_text(text.format("after"), encoding="utf-8")
        program.ask_to_reload()
        program.wait_for_log("schemas reloaded")
        sender.send(b"\x09" + bytes(6) + b"\xf0\x3f")
        program.wait_for_settled(2)
        program.stop()
        written = self.lines.read_text(encoding="utf-8").splitlines()
        self.assertIn('"before"', written[0])
        self.assertIn('"after"', written[1])

    def test_a_command_is_refused_with_on_and_leaves_the_sandbox_off_with_auto(self):
        said = self.refused("--listen", RIEMANN, "--sink", "command:cat", "--sandbox", "on", code=78)
        self.assertIn("--sandbox on: not possible: a command: sink runs a program", said)
        self.refused("--check", "--listen", RIEMANN, "--sink", "command:cat", "--sandbox", "on",
                     code=78)
        program = self.start("--listen", RIEMANN, "--sink", "command:cat", "--sandbox", "auto")
        program.wait_for_log("sandbox: off: a command: sink runs a program")
        self.assertRegex(pathlib.Path(f"/proc/{program.process.pid}/status").read_text(
            encoding="utf-8"), r"\nSeccomp:\s0\n")
        program.stop()

    def test_it_is_entered_without_the_option(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.lines}",
                             env=without("SLUICE_SANDBOX"))
        program.wait_for_log(IN_FORCE)
        program.stop()

    def reported(self, *arguments):
        """The sandbox's level and means. Asserts that health, control, metrics and page report the
        same."""
        control = self.folder / "control"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.lines}",
                             "--metrics", "127.0.0.1:0", "--control", f"unix:{control}", *arguments)
        client = MetricsClient(program)
        health = parse_json(client.ask("/healthz").text())
        self.assertEqual(health["status"], "ready")
        asked = ControlClient(f"unix:{control}").ask("health")
        self.assertEqual(asked["sandbox"], health["sandbox"])
        info, = [labels for name, labels in client.numbers() if name == "sluice_sandbox_info"]
        self.assertEqual(dict(info)["means"], health["sandbox"])
        first = client.ask("/events/once").text()
        self.assertIn(f'"sandbox":"{health["sandbox"]}"', first)
        program.stop()
        return dict(info)["level"], health["sandbox"]

    @unittest.skipUnless(built_with("metrics"), "this program was built without metrics")
    def test_health_metrics_and_page_say_what_is_in_force(self):
        level, said = self.reported("--sandbox", "on")
        self.assertIn(level, ("on", "partial"))
        self.assertRegex(f"sandbox: {said}", IN_FORCE)
        self.assertEqual(self.reported("--sandbox", "off"), ("off", "off"))
        self.assertEqual(self.reported("--sink", "command:cat >/dev/null", "--sandbox", "auto"), (
            "off", "off: a command: sink runs a program, which would be in the sandbox, too"))


class OtherSystems(ProgramTest):
    @unittest.skipUnless(SANITIZED and not WINDOWS, "for a build with a sanitizer")
    def test_where_there_is_none_on_is_refused_and_auto_runs_without(self):
        said = self.refused("--check", "--listen", RIEMANN, "--sink", "stdout:", "--sandbox", "on",
                            code=78)
        self.assertIn("--sandbox on: not possible: none (not ", said)
        program = self.start("--listen", RIEMANN, "--sink", "stdout:", "--sandbox", "auto")
        program.wait_for_log(r"sandbox: off: none \(not ")
        program.stop()

    @unittest.skipUnless(WINDOWS, "for Windows")
    def test_windows_names_the_mitigation_policies_that_it_has_put_into_force(self):
        """Wine accepts each policy, and does not enforce any."""
        program = self.start("--listen", RIEMANN, "--sink", "stdout:", "--sandbox", "auto")
        program.wait_for_log(r"sandbox: (no [a-z ]+(, no [a-z ]+)*; the account restricts files|"
                             r"none \(this Windows has put no mitigation policy into force\))")
        program.stop()


if __name__ == "__main__":
    unittest.main()
