"""A system call that always fails must not prevent the program's work or its end."""
import os
import signal
import socket
import subprocess
import time

from built import command, nothing_on_windows
from protobuf import metric
from sluice_program import CAPTURES, DEADLINE, RIEMANN, SLUICE, ProgramTest, lines_so_far, wait_until
from test_tcp import OK, TCP, Client, framed
from tracing import main, signal_traced, start_traced

nothing_on_windows("strace is for Linux")

COUNT = 20


class FailingCalls(ProgramTest):
    def start_failing(self, call, error, *arguments):
        """Starts the program. Each call of this system call fails with this error."""
        self.lines = self.folder / "lines"
        return start_traced(self, call, self.folder / "calls", "--listen", RIEMANN, "--sink",
                            f"file:{self.lines}", *arguments,
                            options=("-e", f"inject={call}:error={error}"))

    def failed(self, call):
        """The number of failures of this call so far."""
        return (self.folder / "calls").read_text(encoding="utf-8").count(f" {call}(")

    def send_and_stop(self, program):
        sender = self.sender(program)
        for number in range(COUNT):
            sender.send(metric(number))
        wait_until(lambda: len(lines_so_far(self.lines)) == COUNT, "all is written")
        signal_traced(program, signal.SIGTERM)
        ledger = program.finish()
        self.assertEqual(ledger["sinks"][0]["written"], COUNT)

    def test_clients_that_cannot_be_accepted_hold_up_nobody_else(self):
        for error in ("EINTR", "ECONNABORTED", "EMFILE"):
            with self.subTest(error=error):
                path = self.folder / f"control-{error}"
                program = self.start_failing("accept4", error, "--control", f"unix:{path}")
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(os.fspath(path))
                    wait_until(lambda: self.failed("accept4") != 0, "it was tried")
                    self.send_and_stop(program)
                self.lines.unlink()

    def test_a_sender_that_cannot_be_accepted_at_first_is_logged_and_served_after_that(self):
        """The first accept of each thread fails, because any thread may try first."""
        program = start_traced(self, "accept4", self.folder / "calls", "--listen", TCP,
                               options=("-e", "inject=accept4:error=ENOBUFS:when=1"))
        client = Client(program)
        self.addCleanup(client.socket.close)
        client.send(framed(metric(7)))
        self.assertEqual(client.answer(), OK)
        signal_traced(program, signal.SIGTERM)
        listener = program.finish()["listeners"][0]
        self.assertGreaterEqual(listener["accept_errors"], 1)
        self.assertEqual(listener["connections"], 1)
        program.wait_for_log("cannot accept a connection: No buffer space available; trying again")

    def test_a_connection_that_cannot_be_watched_any_more_is_closed_and_counted(self):
        """The thread registers the connection, arms the listening socket, and then fails to arm the
        connection."""
        program = start_traced(self, "epoll_ctl", self.folder / "calls", "--listen", TCP,
                               options=("-e", "inject=epoll_ctl:error=ENOMEM:when=3"))
        for number in range(2):
            client = Client(program)
            self.addCleanup(client.socket.close)
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
            if number == 0:
                self.assertTrue(client.ends())
        signal_traced(program, signal.SIGTERM)
        listener = program.finish()["listeners"][0]
        self.assertEqual((listener["unwatched"], listener["stopped"]), (1, 1))
        self.assertEqual([line["value"] for line in program.output()], [0, 1])
        program.wait_for_log("the system cannot watch it")

    def test_a_command_whose_end_cannot_be_found_out_is_left_behind(self):
        program = self.start_failing("wait4", "EINTR", "--sink", "command:cat >/dev/null",
                                     "--stop-timeout", "200ms")
        signal_traced(program, signal.SIGTERM)
        self.assertEqual(program.process.wait(DEADLINE), 74)
        program.stderr.wait_for_end()
        self.assertIn("hangs in a system call; the process ends without it", "\n".join(program.said()))
        ledger = program.ledgers()[-1]
        self.assertEqual((ledger["final"], ledger["incomplete"], ledger["balances"]),
                         (True, True, None))

    def test_connections_that_take_their_time_to_close_are_waited_for(self):
        """Closing a connection takes 10 ms here. Closing all of them takes longer than a stop waits
        for a hanging thread, as with very many connections."""
        count = 120
        program = start_traced(self, "close", self.folder / "calls", "--listen", TCP,
                               "--stop-timeout", "1ms",
                               options=("-e", "inject=close:delay_exit=10000"))
        for _ in range(count):
            client = Client(program)
            self.addCleanup(client.socket.close)
            client.send(framed(metric(1)))
            self.assertEqual(client.answer(), OK)
        signal_traced(program, signal.SIGTERM)
        self.assertEqual(program.finish()["listeners"][0]["stopped"], count)

    def test_a_wait_that_fails_neither_stops_the_work_nor_spins(self):
        for error in ("EINTR", "ENOMEM"):
            with self.subTest(error=error):
                begun = time.monotonic()
                program = self.start_failing("poll", error)
                self.send_and_stop(program)
                # Each of the two threads that poll pauses for a millisecond after a failure.
                self.assertLess(self.failed("poll"), 2 * 1000 * (time.monotonic() - begun))
                self.lines.unlink()

    def test_a_capture_that_cannot_be_read_is_bad_input(self):
        capture = CAPTURES / "riemann_cli_v4.pcap"
        done = subprocess.run(
            ["strace", "-f", "-o", self.folder / "calls", "-e", "inject=read:error=EINTR",
             "-P", capture, "--", *command(SLUICE, "--listen",
                                           f"pcap:{capture}?port=5555&schema=riemann")],
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn(b"Interrupted system call", done.stderr)


main()
