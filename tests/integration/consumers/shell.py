"""Runs sluice in a shell's command line with third-party programs, as users do."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import unittest

from built import command, skip
from sluice_program import DEADLINE, SLUICE, ProgramTest, Sluice

# Writes its process id to a file, so that a test can send signals to sluice only.
STARTER = """#!/bin/sh
echo $$ >'{pid}'
exec {sluice} --ledger json "$@"
"""


class CommandLine(Sluice):
    """A command line of bash; `sluice` in it is the program under test, once.

    Its log, its ledger and its signals are sluice's. Standard output is that of the whole line; the
    exit code is zero if each of its programs ends with zero.
    """

    def __init__(self, folder, line, **more):
        self.pid = folder / "sluice.pid"
        start = folder / "bin" / "sluice"
        start.parent.mkdir()
        start.write_text(STARTER.format(pid=self.pid, sluice=shlex.join(command(SLUICE))),
                         encoding="utf-8")
        start.chmod(0o755)
        environment = {**os.environ, "PATH": f"{start.parent}:{os.environ['PATH']}",
                       "no_proxy": "*"}
        self.watch(subprocess.Popen(
            ["bash", "-c", "set -o pipefail; " + line], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            start_new_session=True, **more))

    def send_signal(self, number):
        os.kill(int(self.pid.read_text(encoding="ascii")), number)

    def close(self):
        if self.process.poll() is None:  # bash ends after all programs that it started
            os.killpg(self.process.pid, signal.SIGKILL)
        super().close()


class ConsumerTest(ProgramTest):
    def shell(self, line, listeners=1, **more):
        """Starts a command line and waits until its sluice listens."""
        program = CommandLine(self.folder, line, **more)
        self.addCleanup(program.close)
        return program.wait_for_listeners(listeners)

    def require_http(self):
        """Skips the test if the program cannot send by http:."""
        said = subprocess.run(command(SLUICE, "--version"), check=True, text=True,
                              capture_output=True, timeout=DEADLINE).stdout
        if re.search(r"http: (none|libcurl \(not)", said):
            self.skipTest("needs libcurl")


def main(*tools):
    """Runs the tests of the calling script if these programs are installed."""
    for tool in tools:
        if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            skip(f"{tool} is not installed")
    unittest.main()
