"""Tests how many file descriptors the program reserves, and what it reports when there are too few.
"""
import os
import re
import unittest

from built import NO_DESCRIPTOR, nothing_on_windows
from control_client import ControlClient
from descriptor_use import limited, open_files, soft_limit
from metrics_client import MetricsClient
from protobuf import metric
from sluice_program import RIEMANN, lines_so_far, wait_until
from test_tcp import OK, TCP, Client, Tcp, framed

nothing_on_windows("handles have no such limit there")

WARNING = "warning: open files: this configuration may need "


class Crowd(Tcp):
    def test_connections_of_senders_leave_others_what_they_need(self):
        """300 clients connect, but only 256 files may be open."""
        lines = self.folder / "lines"
        program = self.start("--listen", TCP, "--sink", f"file:{lines}", "--metrics", "127.0.0.1:0",
                             "--control", f"unix:{self.folder}/control", preexec_fn=limited(256))
        metrics = MetricsClient(program)
        clients = [Client(program) for _ in range(300)]
        for client in clients:
            self.addCleanup(client.socket.close)
        program.wait_for_log(f"cannot accept a connection: {NO_DESCRIPTOR}")
        self.assertGreater(open_files(program), 160)
        self.assertIn(metrics.health()[0], (200, 503))
        self.assertIn("process_open_fds", metrics.page())
        control = ControlClient(f"unix:{self.folder}/control")
        self.addCleanup(control.close)
        self.assertFalse(control.ask("ledger")["final"])
        lines.rename(self.folder / "moved")
        program.ask_to_reload()
        wait_until(lines.exists, "the file was opened again")
        clients[0].send(framed(metric(7)))
        self.assertEqual(clients[0].answer(), OK)
        wait_until(lambda: [line["value"] for line in lines_so_far(lines)] == [7],
                   "it is written")
        for client in clients:
            client.socket.close()
        program.stop()


class Start(Tcp):
    def others(self, last):
        """Opens descriptors up to the number `last`, for a program to inherit."""
        taken = []
        while not taken or taken[-1] < last:
            taken.append(os.open("/dev/null", os.O_RDONLY))
            self.addCleanup(os.close, taken[-1])
        return taken

    def test_a_program_starts_where_all_but_what_is_kept_back_are_used_up(self):
        """The program inherits open descriptors, as if a library had opened files first."""
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.folder}/lines",
                             "--metrics", "127.0.0.1:0", preexec_fn=limited(256),
                             pass_fds=self.others(200))
        self.assertEqual(MetricsClient(program).health()[0], 200)
        program.stop()


class Limits(Tcp):
    def test_a_soft_limit_is_raised_and_commands_have_it_as_it_was(self):
        said = self.folder / "limit"
        program = self.start("--listen", RIEMANN, "--sink",
                             f"command:ulimit -n >{said}; cat >/dev/null",
                             preexec_fn=limited(1000, soft=200))
        wait_until(lambda: said.exists() and said.read_bytes().endswith(b"\n"), "it was started")
        self.assertEqual(said.read_text(), "200\n")
        wait_until(lambda: soft_limit(program) > 800, "it is higher again for the program")
        program.stop()

    def test_a_command_gets_all_of_a_limit_that_cannot_be_raised(self):
        """The program lowers its own limit to reserve some descriptors. The command must get the
        original limit."""
        said = self.folder / "limit"
        command = ("for i in $(seq 20000); do [ $(ulimit -n) = 300 ] && break; done; "
                   f"ulimit -n >{said}; cat >/dev/null")
        program = self.start("--listen", RIEMANN, "--sink", f"command:{command}",
                             preexec_fn=limited(300))
        wait_until(lambda: said.exists() and said.read_bytes().endswith(b"\n"), "it was started")
        self.assertEqual(said.read_text(), "300\n")
        self.assertLess(soft_limit(program), 300)
        program.stop()

    def test_a_limit_below_what_may_be_needed_is_reported(self):
        many = TCP + "&max_connections=5000"
        for arguments in (("--check",), ("--duration", "1ms")):
            with self.subTest(arguments=arguments):
                program, _ = self.run_to_end("--listen", many, *arguments,
                                             preexec_fn=limited(1000, soft=200))
                lines = [line for line in program.said() if WARNING in line]
                self.assertEqual(len(lines), 1, program.said())
                found = re.search(rf"{WARNING}(\d+), but the system allows 1000; raise the hard "
                                  r"limit .*, or lower max_connections= of its listeners\Z", lines[0])
                self.assertGreater(int(found[1]), 5000)

    def test_a_limit_that_is_enough_is_not_mentioned(self):
        program, _ = self.run_to_end("--listen", RIEMANN, "--check",
                                     preexec_fn=limited(1000, soft=20))
        self.assertFalse([line for line in program.said() if WARNING in line])


if __name__ == "__main__":
    unittest.main()
