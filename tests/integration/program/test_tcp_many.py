"""Tests tcp:// listeners with very many connections: the cost of each connection must not grow with
their number."""
import contextlib
import pathlib
import re
import resource
import socket
import time
import unittest

from built import WINDOWS
from protobuf import metric
from sluice_program import DEADLINE, SANITIZED
from test_tcp import OK, TCP, Tcp, framed

COUNT = 12000  # connections; each needs a descriptor in the test and one in the program


def may_open(count):
    """Returns true if a process may open that number of files."""
    return not WINDOWS and resource.getrlimit(resource.RLIMIT_NOFILE)[1] > count + 200


def waits_of(program):
    """The number of waits (voluntary context switches) of the program's threads so far."""
    tasks = pathlib.Path(f"/proc/{program.process.pid}/task").iterdir()
    return sum(int(re.search(r"(?m)^voluntary_ctxt_switches:\s*(\d+)",
                             (task / "status").read_text(encoding="ascii"))[1])
               for task in tasks)


@unittest.skipIf(WINDOWS, "waits are counted by /proc")
class Idle(Tcp):
    @unittest.skipIf(SANITIZED, "the sanitizer of threads has a thread that wakes ten times a second")
    def test_who_has_nothing_to_do_does_not_wake(self):
        """Tests with and without connections. The program must not wake regularly."""
        program = self.start("--listen", f"{TCP}&receivers=2")
        for connections in range(3):
            before = waits_of(program)
            time.sleep(2)
            self.assertLess(waits_of(program) - before, 20, connections)
            client = self.client(program)
            client.send(framed(metric(connections)))
            self.assertEqual(client.answer(), OK)
        program.stop()

    def test_a_deadline_is_kept_by_whichever_thread_accepted(self):
        program = self.start("--listen", f"{TCP}&receivers=3&idle_timeout=500ms")
        for _ in range(6):
            client = self.client(program)
            begun = time.monotonic()
            self.assertEqual(client.socket.recv(1), b"")
            self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual(self.ends(program.stop()["listeners"][0]), {"idle": 6})


@unittest.skipUnless(may_open(COUNT), "no process may have that many connections here")
@unittest.skipIf(SANITIZED, "with sanitizers each connection costs many times as much")
class Many(Tcp):
    def setUp(self):
        super().setUp()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)

    def connect(self, program, held):
        """Opens COUNT connections, the allowed maximum. `held` closes them."""
        for _ in range(COUNT):
            held.enter_context(socket.create_connection(("127.0.0.1", program.port()), DEADLINE))
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] == COUNT,
                                "all were accepted")

    def test_a_stop_does_not_rest_between_those_that_it_closes(self):
        """The server closes a part of the connections at a time. If it scanned all of them each
        time, and paused after each scan, the time would grow with the square of their number: such
        a server waited 262 times here, and this one 5 times. The test counts waits, because the
        time depends on other load."""
        program = self.start("--listen", f"{TCP}&max_connections={COUNT}&"
                             f"max_connections_per_address={COUNT}", "--stop-timeout", "30s")
        with contextlib.ExitStack() as held:
            self.connect(program, held)
            before = waits_of(program)
            others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw
            listener = program.stop()["listeners"][0]
            waits = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw - others - before
        self.assertEqual(self.ends(listener), {"stopped": COUNT})
        self.assertLess(waits, 100)


@unittest.skipIf(WINDOWS, "one address of the loopback")
class Shares(Tcp):
    """Many connections from a few hosts, each with the beginning of a large frame, and one client
    that sends complete large frames."""

    def hold_up(self, program, hosts, count):
        for number in range(count):
            client = self.client(program, source=f"127.0.0.{2 + number % hosts}")
            client.send(framed(b"x" * 1000000)[:3000])

    def answers_in(self, program, frames):
        """The longest time in seconds until one of the frames was answered."""
        client = self.client(program)
        most = 0
        for number in range(frames):
            begun = time.monotonic()
            client.send(framed(metric(number, host="h" * 10000)))
            self.assertEqual(client.answer(), OK)
            most = max(most, time.monotonic() - begun)
        return most

    def test_many_connections_of_three_hosts_leave_a_block_to_others(self):
        """Otherwise the connections could keep all blocks for a second each, and a frame would wait
        for 15 s."""
        program = self.start("--listen", TCP)
        self.hold_up(program, 3, 120)
        self.assertLess(self.answers_in(program, 20), 5)
        program.stop()

    def test_where_all_blocks_are_in_use_a_host_with_several_gives_one_up_within_a_second(self):
        program = self.start("--listen", TCP)
        self.hold_up(program, 6, 120)
        self.assertLess(self.answers_in(program, 3), 9)
        program.stop()


if __name__ == "__main__":
    unittest.main()
