"""When files are made to reach the disk, as strace sees it."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

from built import STOP_SIGNAL, WINDOWS, command
from rotating import NUMBERED, RotatingTest, numbered
from sluice_program import SLUICE, Sluice, wait_until


class Fsync(RotatingTest):
    def trace(self, path, keys):
        """Starts the program under strace."""
        self.calls_path = self.folder / "calls"
        program = Sluice.__new__(Sluice)
        program.watch(subprocess.Popen(
            ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", self.calls_path,
             "--", *command(SLUICE, "--listen", NUMBERED, "--sink", self.sink(path, keys), "--ledger",
                            "json", "--duration", "60s")],  # where the test breaks off
            # The leak sanitizer cannot work under ptrace.
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        self.addCleanup(program.close)
        return program.wait_for_listeners()

    def synced(self):
        """The names of the files that were synced so far, in order; a signal may cut a line."""
        calls = self.calls_path.read_text(encoding="utf-8")
        return [name.rpartition("/")[2] for name in
                re.findall(r"\d+ +fsync\(\d+<([^>]+)>", calls)]

    def signal(self, program, number):
        """To the program itself; strace would end."""
        tracer = program.process.pid
        children = pathlib.Path(f"/proc/{tracer}/task/{tracer}/children")
        pid, = children.read_text(encoding="ascii").split()
        os.kill(int(pid), number)

    def send(self, program, count):
        sender = self.sender(program)
        for number in range(count):
            sender.send(numbered(number))

    def wait_for_live(self, name):
        live = self.out / f"{name}.part"
        wait_until(lambda: live.exists() and live.stat().st_size != 0, "it was written")

    def test_when_it_is_closed(self):
        program = self.trace("lines", "rotate_interval=1h&fsync=close")
        self.send(program, 10)
        self.wait_for_live("lines")
        self.assertEqual(self.synced(), [])
        if WINDOWS:
            program.ask_to_reload()
        else:
            self.signal(program, signal.SIGHUP)
        program.wait_for_log("reopened")
        self.assertEqual(self.synced(), ["lines.part"])
        self.send(program, 10)
        self.wait_for_live("lines")
        self.signal(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(self.synced(), ["lines.part", "lines.part"])

    def test_each_interval_in_which_something_was_written(self):
        program = self.trace("%{source}.n", "fsync=interval")
        self.send(program, 10)
        wait_until(lambda: self.synced() == ["127.0.0.1.n.part"], "it is synced")
        self.send(program, 10)
        wait_until(lambda: len(self.synced()) == 2, "it is synced again")
        self.signal(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(set(self.synced()), {"127.0.0.1.n.part"})
        self.assertLessEqual(len(self.synced()), 3)

    def test_never(self):
        program = self.trace("lines", "rotate_interval=1h")
        self.send(program, 10)
        self.wait_for_live("lines")
        self.signal(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(self.files(), ["lines"])
        self.assertEqual(self.synced(), [])


def can_trace():
    """Whether strace is there, and may trace."""
    return shutil.which("strace") is not None and subprocess.run(
        ["strace", "-e", "trace=none", "true"], capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    if not can_trace():
        print("no strace here that may trace", file=sys.stderr)
        sys.exit(77)
    unittest.main()
