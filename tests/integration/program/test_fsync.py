"""Tests when files are synced to the disk, which strace shows."""
import re
import signal
import socket
import unittest

from built import STOP_SIGNAL, WINDOWS
from rotating import NUMBERED, RotatingTest, numbered
from sluice_program import wait_until
from tracing import main, signal_traced, start_traced


class Fsync(RotatingTest):
    def trace(self, path, keys, options=()):
        self.calls_path = self.folder / "calls"
        return start_traced(self, "fsync,fdatasync", self.calls_path, "--listen", NUMBERED,
                            "--sink", self.sink(path, keys), options=options)

    def synced(self):
        """The names of the synced files so far, in order. A signal may cut off the last line of
        strace."""
        calls = self.calls_path.read_text(encoding="utf-8")
        return [name.rpartition("/")[2] for name in
                re.findall(r"\d+ +fsync\(\d+<([^>]+)>", calls)]

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
            signal_traced(program, signal.SIGHUP)
        program.wait_for_log("reopened")
        self.assertEqual(self.synced(), ["lines.part"])
        self.send(program, 10)
        self.wait_for_live("lines")
        signal_traced(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(self.synced(), ["lines.part", "lines.part"])

    def test_each_interval_in_which_something_was_written(self):
        program = self.trace("%{source}.n", "fsync=interval")
        self.send(program, 10)
        wait_until(lambda: self.synced() == ["127.0.0.1.n.part"], "it is synced")
        self.send(program, 10)
        wait_until(lambda: len(self.synced()) == 2, "it is synced again")
        signal_traced(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(set(self.synced()), {"127.0.0.1.n.part"})
        self.assertLessEqual(len(self.synced()), 3)

    @unittest.skipIf(WINDOWS, "the call that fails is Linux's")
    def test_after_a_sync_that_failed_the_log_reports_what_is_not_known(self):
        program = self.trace("%{source}.n", "fsync=interval",
                             options=("-e", "inject=fsync:error=EIO:when=1"))
        self.send(program, 10)
        program.wait_for_log("may not be on the disk, even if later syncs succeed")
        wait_until(lambda: self.synced() == ["127.0.0.1.n.part"] * 2, "it is synced again")
        signal_traced(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(self.files(), ["127.0.0.1.n"])

    @unittest.skipIf(WINDOWS, "the call that fails is Linux's")
    def test_so_is_a_file_that_does_not_rotate(self):
        program = self.trace("lines", "fsync=interval",
                             options=("-e", "inject=fsync:error=EIO:when=1"))
        self.send(program, 10)
        program.wait_for_log("may not be on the disk, even if later syncs succeed")
        wait_until(lambda: self.synced() == ["lines"] * 2, "it is synced again")
        signal_traced(program, STOP_SIGNAL)
        program.finish()

    def test_never(self):
        program = self.trace("lines", "rotate_interval=1h")
        self.send(program, 10)
        self.wait_for_live("lines")
        signal_traced(program, STOP_SIGNAL)
        program.finish()
        self.assertEqual(self.files(), ["lines"])
        self.assertEqual(self.synced(), [])

    @unittest.skipIf(WINDOWS, "the call that is slow is Linux's")
    def test_files_that_a_slow_disk_completes_late_are_waited_for(self):
        """The files need more time than the limit of the stop, but each is completed."""
        self.calls_path = self.folder / "calls"
        program = start_traced(self, "fsync", self.calls_path, "--listen", NUMBERED, "--sink",
                               self.sink("%{source}.n", "fsync=close"), "--stop-timeout", "100ms",
                               options=("-e", "inject=fsync:delay_enter=200000"))
        for number in range(8):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((f"127.0.0.{number + 2}", 0))
                sender.sendto(numbered(number), ("127.0.0.1", program.port()))
        for number in range(8):
            self.wait_for_live(f"127.0.0.{number + 2}.n")
        signal_traced(program, STOP_SIGNAL)
        ledger = program.finish()
        self.assertEqual(ledger["sinks"][0]["files"], 8)
        self.assertEqual([path.name for path in self.out.glob("*.part")], [])


if __name__ == "__main__":
    main()
