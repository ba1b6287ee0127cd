"""With secrets in its configuration, the process cannot be read by other processes of its user."""
import os
import pathlib
import subprocess
import sys
import unittest

from built import not_on_windows
from metrics_client import MetricsClient
from protobuf import metric
from sluice_program import RIEMANN, SLUICE, ProgramTest, wait_until

USER = 65534

# Prints what this user can open of the process.
READER = """
import os, sys
for name in ("environ", "mem", "maps"):
    try:
        with open(f"/proc/{sys.argv[1]}/{name}", "rb") as file:
            file.read(0 if name == "mem" else 1)
        print(name)
    except OSError:
        pass
try:
    os.listdir(f"/proc/{sys.argv[1]}/fd")
    print("fd")
except OSError:
    pass
"""
ALL = {"environ", "mem", "maps", "fd"}


@not_on_windows("the owner of a process may read it")
class Shield(ProgramTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.token = self.folder / "token"
        self.token.write_text("a-token\n", encoding="utf-8")

    def command(self):
        """The program, started as a user without rights if this is root."""
        if os.geteuid() != 0:
            return SLUICE
        starter = self.folder / "sluice"
        starter.write_text(f"#!/bin/sh\nexec setpriv --reuid={USER} --regid={USER} --clear-groups "
                           f"{SLUICE} \"$@\"\n", encoding="utf-8")
        starter.chmod(0o755)
        return starter

    def readable(self, program):
        more = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run([sys.executable, "-c", READER, str(program.process.pid)], cwd="/",
                              capture_output=True, text=True, check=True, **more)
        return set(done.stdout.split())

    def run_with(self, *arguments, **more):
        return self.start("--listen", RIEMANN, *arguments, program=self.command(), **more)

    def http(self, more=""):
        return f"http://127.0.0.1:9/write?format=influx{more}"

    def test_without_secrets_it_can_be_examined(self):
        program = self.run_with("--sink", f"file:{self.folder}/out", "--sink", self.http())
        self.assertLessEqual({"environ", "maps", "fd"}, self.readable(program))

    def test_with_the_file_of_a_token_it_cannot_be_read(self):
        program = self.run_with("--sink", self.http(f"&token_file={self.token}"))
        self.assertEqual(self.readable(program), set())

    def test_with_a_secret_in_an_address_it_cannot_be_read(self):
        program = self.run_with("--sink", self.http("&query=api_key=abc"))
        self.assertEqual(self.readable(program), set())

    def test_a_shielded_process_collects_and_reports_as_others_do(self):
        program = self.run_with("--sink", "stdout:", "--sink", self.http(f"&token_file={self.token}"),
                                "--metrics", "127.0.0.1:0", "--stop-timeout", "100ms")
        self.assertEqual(self.readable(program), set())
        self.sender(program).send_all([metric(number) for number in range(10)])
        self.assertIn("process_open_fds", str(MetricsClient(program).numbers()))
        program.stop()
        self.assertEqual(len(program.output()), 10)

    def test_a_reload_that_adds_a_secret_shields_it(self):
        configuration = self.folder / "sluice.yaml"
        lines = ["listeners: ['udp://127.0.0.1:0?schema=riemann']", "sinks:", f"  - 'file:{self.folder}/out'"]
        configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        program = self.start("--config", configuration, program=self.command())
        self.assertNotEqual(self.readable(program), set())
        lines.append(f"  - '{self.http(f'&token_file={self.token}')}'")
        configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        program.ask_to_reload()
        wait_until(lambda: self.readable(program) == set(), "a shielded process")

    def test_a_reload_that_adds_a_secret_shields_a_program_in_its_sandbox(self):
        configuration = self.folder / "sluice.yaml"
        text = f"sandbox: auto\nlisteners: ['udp://127.0.0.1:0?schema=riemann']\nsinks: ['{self.http()}KEYS']\n"
        configuration.write_text(text.replace("KEYS", ""), encoding="utf-8")
        program = self.start("--config", configuration, program=self.command())
        self.assertNotEqual(self.readable(program), set())
        configuration.write_text(text.replace("KEYS", "&query=api_key=abc"), encoding="utf-8")
        program.ask_to_reload()
        wait_until(lambda: self.readable(program) == set(), "a shielded process")
        program.wait_for_log("reloaded|not reloaded|reload")
        program.stop()


if __name__ == "__main__":
    unittest.main()
