"""The two notifiers: the ones that the program has, the one that it uses, and its behaviour on a
faulty system."""
import concurrent.futures
import contextlib
import os
import unittest

from protobuf import metric
from sluice_program import RIEMANN, SLUICE, ProgramTest
from test_tcp import OK, TCP, Client, Tcp, framed

EMULATED = os.environ["TEST_EMULATED"]
TURNS = int(os.environ.get("TEST_TURNS", "208"))
CLIENTS = 16  # connect at the same time; TURNS is a multiple of this number


def faulty(*faults):
    """Arguments for a start of the emulating program on a system with these faults."""
    return {"program": EMULATED, "env": {**os.environ, "EMULATION": ",".join(faults)}}


class Notifiers(ProgramTest):
    def said_by(self, program, *arguments, code=0):
        """The program's output on standard output and on standard error."""
        running = self.launch(*arguments, ledger=None, program=program)
        running.finish(code)
        return b"".join(running.stdout.lines()).decode(), "\n".join(running.said())

    def test_the_version_says_which_there_are_and_which_the_system_has(self):
        for program, notifiers in ((EMULATED, "psn wsaeventselect"),
                                   (SLUICE, "psn (not on this system) wsaeventselect")):
            text, _ = self.said_by(program, "--version")
            self.assertIn(f"\nnotifiers: {notifiers}\n", text)
            self.assertRegex(text, r"\ncompressions: zstd \(.*\) gzip \(.*\)\n")

    def test_the_one_that_the_system_has_not_is_refused(self):
        for more in ((), ("--check",)):
            output, said = self.said_by(SLUICE, "--notifier", "psn", "--listen",
                                        RIEMANN, *more, code=78)
            self.assertEqual((output, said), (
                "", "sluice: error: --notifier psn: this system does not have it"))

    def test_another_systems_is_no_notifier(self):
        _, said = self.said_by(SLUICE, "--notifier", "epoll", code=64)
        self.assertIn('"epoll" is not one of auto, psn, wsaeventselect', said)

    def test_the_log_says_which_was_taken(self):
        for program, arguments, taken in (
                (SLUICE, (), "wsaeventselect"),
                (EMULATED, (), "psn"),
                (EMULATED, ("--notifier", "wsaeventselect"), "wsaeventselect"),
                (EMULATED, ("--notifier", "psn"), "psn")):
            with self.subTest(arguments=arguments, taken=taken):
                running = self.start("--listen", RIEMANN, *arguments, program=program)
                running.wait_for_log(f"listening on .*, by {taken}, process")
                running.stop()


class Unregistered(Tcp):
    """With a layered service provider the function exists but refuses sockets."""

    def serve(self, **system):
        program = self.start("--listen", RIEMANN, "--listen", TCP, listeners=2, **system)
        sender, client = self.sender(program), self.client(program, listener=1)
        for number in range(20):
            sender.send(metric(number))
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["decoded"] == 20, "all")
        ledger = program.stop()
        self.assertEqual([one["decoded"] for one in ledger["listeners"]], [20, 20])
        return program.said()

    def test_the_next_notifier_is_taken_and_that_is_said_once(self):
        for faults, datagrams, streams in ((("refuses-datagrams",), "wsaeventselect", "psn"),
                                           (("refuses-streams",), "psn", "wsaeventselect"),
                                           (("refuses-datagrams", "refuses-streams"),
                                            "wsaeventselect", "wsaeventselect")):
            with self.subTest(faults=faults):
                said = self.serve(**faulty(*faults))
                text = "\n".join(said)
                self.assertRegex(text, f"listening on udp.*, by {datagrams}, process")
                self.assertRegex(text, f"listening on tcp.*, by {streams}, process")
                self.assertEqual(text.count("the notifier psn is not used for"), len(faults))
                self.assertIn("netsh winsock show catalog", text)

    def test_one_that_was_asked_for_is_not_replaced(self):
        said = self.refused("--notifier", "psn", "--listen", RIEMANN, code=70,
                            **faulty("refuses-datagrams"))
        self.assertIn("cannot watch a socket", said)


class Unarmed(Tcp):
    """A system that refuses each twentieth arming of a connection or listening socket."""

    def test_such_connections_end_and_all_frames_are_counted(self):
        program = self.start("--listen", TCP, **faulty("fails-armings"))
        answers = 0
        for _ in range(10):
            client = Client(program)
            with contextlib.suppress(EOFError, ConnectionError):
                for number in range(30):
                    client.send(framed(metric(number)))
                    self.assertEqual(client.answer(), OK)
                    answers += 1
            client.socket.close()
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["connections"], listener["decoded"]), (10, answers))
        self.assertGreater(listener["unwatched"], 5)
        self.assertEqual(listener["not_removed"], 0)
        self.assertIn("closed: the system cannot watch it", "\n".join(program.said()))


class Unremoved(Tcp):
    """A system that does not answer a removal, or refuses it."""

    def test_a_stop_ends_all_the_same_and_says_what_was_left(self):
        for fault in "holds-removals", "fails-removals":
            with self.subTest(fault=fault):
                program = self.start("--listen", RIEMANN, "--listen", TCP, listeners=2,
                                     **faulty(fault))
                sender, client = self.sender(program), self.client(program, listener=1)
                sender.send(metric(1))
                client.send(framed(metric(2)))
                self.assertEqual(client.answer(), OK)
                ledger = program.stop()
                text = "\n".join(program.said())
                self.assertEqual([one["decoded"] for one in ledger["listeners"]], [1, 1])
                self.assertEqual(ledger["listeners"][1]["not_removed"], 2)
                self.assertIn("has not ended the registration of 2 sockets in time", text)
                self.assertIn("has not ended the socket's registration within 500 ms", text)

    def test_on_a_sound_system_none_is_left(self):
        """With TEST_TURNS=1100000 there are more connections than entries in the notifier's table
        (2^20). If each connection left its entry in use, later ones could not be watched, and this
        would be counted."""
        program = self.start("--listen", TCP, **faulty())

        def connect_in_turn(_):
            for number in range(TURNS // CLIENTS):
                client = Client(program)
                client.send(framed(metric(number)))
                self.assertEqual(client.answer(), OK)
                if number % 8 == 0:
                    client.socket.close()
                else:
                    client.reset()  # frees the client's port at once
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            list(clients.map(connect_in_turn, range(CLIENTS)))
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["connections"], listener["decoded"]), (TURNS, TURNS))
        self.assertEqual((listener["not_removed"], listener["unwatched"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
