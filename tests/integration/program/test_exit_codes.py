"""Tests the program's exit code: 0 if a destination is only slow, 74 if a write failed."""
import os
import unittest

from built import IN_USE, not_on_windows
from capture_writing import write_capture
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest

LATE = ("--stop-timeout", "200ms")


class ExitCodes(ProgramTest):
    def stop_after(self, count, *arguments, code=0, limit=LATE):
        """Starts the program, sends metrics, and stops it. Returns the first sink of the ledger."""
        program = self.start("--listen", RIEMANN, *arguments, *limit)
        self.sender(program).send_all([metric(number) for number in range(count)])
        sink = program.stop(code=code)["sinks"][0]
        return program, sink

    def check_late(self, program, sink, count):
        self.assertEqual(sink["failed"]["io_error"], 0)
        self.assertEqual(sink["failed"]["stop_timeout"], count)
        program.wait_for_log(f"{count} records were not written within --stop-timeout")

    def unreachable(self, keys=""):
        return f"http://127.0.0.1:{free_port()}/?flush_interval=20ms{keys}"

    def test_an_unreachable_delivery_is_late(self):
        program, sink = self.stop_after(3, "--sink", self.unreachable())
        self.check_late(program, sink, 3)

    def test_it_may_have_refused_each_try_before_the_stop(self):
        program = self.start("--listen", RIEMANN, "--sink", self.unreachable(), *LATE)
        self.sender(program).send_all([metric(number) for number in range(3)])
        program.wait_for_log("trying again")
        self.check_late(program, program.stop()["sinks"][0], 3)

    def test_what_lies_in_a_spill_is_not_late(self):
        _, sink = self.stop_after(3, "--sink", self.unreachable(f"&spill={self.folder}/spill"))
        self.assertEqual((sink["spilled"], sum(sink["failed"].values())), (3, 0))

    def test_a_capture_that_ends_by_itself_ends_by_the_same_rule(self):
        path = self.folder / "day.pcap"
        write_capture(path, [metric(number) for number in range(3)])
        program, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann", "--sink",
                                          self.unreachable("&timeout=300ms"))
        self.assertEqual(ledger["sinks"][0]["failed"]["timeout_unsent"], 3)
        program.wait_for_log("in an outage .* records lost since: 3 timeout_unsent")

    @not_on_windows("a named Linux pipe without a reader")
    def test_a_stalled_pipe_is_late(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        for threads in ((), ("--threads", "1")):
            with self.subTest(threads):
                _, sink = self.stop_after(3000, "--sink", f"file:{path}", *threads)
                self.assertEqual(sink["failed"]["io_error"], 0)
                self.assertGreater(sink["failed"]["stop_timeout"], 0)

    @not_on_windows("commands are sh's")
    def test_a_command_that_does_not_read_is_late_and_one_that_ends_has_failed(self):
        program, sink = self.stop_after(3, "--sink", "command:exec sleep 1000")
        self.check_late(program, sink, 3)
        _, sink = self.stop_after(3, "--sink", "command:exit 3", code=74,
                                  limit=("--stop-timeout", "30s"))
        self.assertEqual(sink["failed"]["command_ended"], 3)

    @not_on_windows("a device of Linux")
    def test_a_full_disk_is_an_error(self):
        for threads in ((), ("--threads", "1")):
            with self.subTest(threads):
                program = self.start("--listen", RIEMANN, "--sink", "file:/dev/full", *LATE,
                                     *threads)
                self.sender(program).send_all([metric(1)])
                program.wait_for_log("trying again")
                self.assertEqual(program.stop(code=74)["sinks"][0]["failed"]["io_error"], 1)

    @not_on_windows("the words are the system's, and the command Linux's")
    def test_an_address_that_is_taken_or_not_there_is_refused_with_what_to_do(self):
        program = self.start("--listen", RIEMANN, "--listen", "tcp://127.0.0.1:0?schema=riemann",
                             listeners=2)
        for name, says, option in zip(program.names, ("cannot bind", "cannot listen on"), "ut"):
            said = self.refused("--listen", f"{name}?schema=riemann", code=69)
            self.assertIn(f"{says} {name}: {IN_USE}; as root, ss -l{option}np 'sport = "
                          f":{name.rpartition(':')[2]}' shows by which program", said)
            there = name.replace("127.0.0.1", "192.0.2.254")
            said = self.refused("--listen", f"{there}?schema=riemann", code=69)
            self.assertIn("; this machine does not have that address (ip address lists those it has)",
                          said)

    def test_datagrams_that_are_not_sent_are_no_error_of_the_stop(self):
        program, sink = self.stop_after(3, "--sink", f"udp:127.0.0.1:{free_port()}")
        self.assertEqual(sink["failed"]["io_error"], 0)
        self.assertEqual(program.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
