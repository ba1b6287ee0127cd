"""Tests several listeners, receivers and sinks at once, and runs that end by themselves."""
import os
import pathlib
import socket
import time
import unittest

from built import WINDOWS, not_on_windows
from ports import free_port
from protobuf import gauge, metric, varint
from sluice_program import (BURST, RIEMANN, STOP_LIMIT, TELEMETRY, ProgramTest, read_lines,
                            wait_until, same_with_one_thread)


class Several(ProgramTest):
    @same_with_one_thread
    def test_every_sink_has_the_datagrams_of_every_listener(self):
        first, second = self.folder / "first", self.folder / "second"
        program = self.start("--listen", RIEMANN, "--listen", TELEMETRY, "--listen", RIEMANN,
                             "--sink", f"file:{first}", "--sink", "stdout:", "--sink",
                             f"file:{second}?view=message", listeners=3)
        self.assertEqual(len(set(program.names)), 3)
        senders = [self.sender(program, listener) for listener in range(3)]
        senders[0].send_all([metric(number) for number in range(200)])
        senders[1].send_all([gauge("v", number) for number in range(300)])
        senders[2].send_all([metric(number) for number in range(100)] + [b"\xff"])
        ledger = program.stop()
        self.assertEqual([listener["name"] for listener in ledger["listeners"]], program.names)
        self.assertEqual([listener["decoded"] for listener in ledger["listeners"]],
                         [200, 300, 100])
        self.assertEqual([listener["reasons"]["malformed"] for listener in ledger["listeners"]],
                         [0, 0, 1])
        self.assertEqual([sink["written"] for sink in ledger["sinks"]], [600, 600, 600])
        for lines in (read_lines(first), program.output()):
            for index, count in enumerate((200, 300, 100)):
                mine = [line for line in lines if line["listener"] == program.names[index]]
                self.assertEqual([line["value"] for line in mine], list(range(count)))
                self.assertEqual({line["source"] for line in mine}, {senders[index].source})
        self.assertEqual({line["schema"] for line in read_lines(second)}, {"riemann", "telemetry"})

    def test_schemas_share_a_port_and_a_datagram(self):
        """Riemann messages begin with the tag of an event. The other datagrams contain many
        messages each."""
        program = self.start("--listen", "udp://127.0.0.1:0?schema=riemann&match=magic:32"
                             "&schema=telemetry&framing=delimited&match=source:127.0.0.0/8",
                             "--sink", "stdout:?view=message")
        sender = self.sender(program)
        pair = b"".join(varint(len(body)) + body for body in (gauge("v", 1), gauge("v", 2)))
        sender.send_all([metric(0), pair, pair + b"\x05", metric(3)])
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual(listener["schema"], "riemann, telemetry")
        self.assertEqual((listener["decoded"], listener["messages"]), (3, 4))
        self.assertEqual(listener["reasons"]["malformed"], 1)
        self.assertEqual([line["schema"] for line in program.output()],
                         ["riemann", "telemetry", "telemetry", "riemann"])

    def test_messages_after_lengths_of_two_or_four_bytes_share_a_datagram(self):
        for framing, size in (("length16", 2), ("length32", 4)):
            with self.subTest(framing):
                program = self.start("--listen", f"{RIEMANN}&framing={framing}",
                                     "--sink", "stdout:?view=message")
                pair = b"".join(len(body).to_bytes(size, "big") + body
                                for body in (metric(1), metric(2)))
                self.sender(program).send_all([pair, pair + b"\0" * (size - 1), pair])
                listener = program.stop()["listeners"][0]
                self.assertEqual((listener["decoded"], listener["messages"]), (2, 4))
                self.assertEqual(listener["reasons"]["malformed"], 1)
                self.assertEqual(len(program.output()), 4)

    @not_on_windows("Linux tells where a thread may run")
    @same_with_one_thread
    def test_receiving_threads_stay_on_their_processors(self):
        ours = sorted(os.sched_getaffinity(0))
        program = self.start("--listen", RIEMANN + "&receivers=3", "--receiver-cpus",
                             f"{ours[-1]},{ours[0]}")
        folder = pathlib.Path(f"/proc/{program.process.pid}/task")

        def places():
            found = []
            for thread in sorted(folder.iterdir(), key=lambda thread: int(thread.name)):
                if (thread / "comm").read_text() == "receiver\n":
                    found.append(sorted(os.sched_getaffinity(int(thread.name))))
            return found
        wait_until(lambda: places() == [[ours[-1]], [ours[0]], [ours[-1]]],
                   "each receiver is on its processor")
        program.stop()

    def test_a_processor_that_is_not_ours_is_refused(self):
        self.assertIn("--receiver-cpus: processor 1023 does not exist",
                      self.refused("--listen", RIEMANN, "--receiver-cpus", "1023", "--check",
                                   code=78))

    def test_busy_polling_is_as_the_system_has_it(self):
        listen = RIEMANN + "&busy_poll=50us"
        if WINDOWS:
            self.assertIn("busy_poll: this system", self.refused("--listen", listen, "--check",
                                                                 code=78))
            return
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(probe.close)
        try:
            probe.setsockopt(socket.SOL_SOCKET, 46, 50)  # SO_BUSY_POLL
        except PermissionError:
            self.assertIn("busy_poll: more than net.core.busy_read",
                          self.refused("--listen", listen, code=69))
            return
        program = self.start("--listen", listen)
        self.sender(program).send_all([metric(number) for number in range(100)])
        self.assertEqual(program.stop()["sinks"][0]["written"], 100)

    @same_with_one_thread
    def test_two_receivers_share_a_port(self):
        program = self.start("--listen", RIEMANN + "&receivers=2")
        senders = [self.sender(program) for _ in range(32)]  # the kernel distributes them by port
        sent = 0
        for start in range(0, 640, BURST):
            numbers = range(start, min(start + BURST, 640))
            for number in numbers:
                senders[number % 32].send(metric(number))
            sent += len(numbers)
            program.wait_for_received(sent)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["received"], 640)
        lines = program.output()
        self.assertEqual(sorted(line["value"] for line in lines), list(range(640)))
        for index, sender in enumerate(senders):
            mine = [line["value"] for line in lines if line["source"] == sender.source]
            self.assertEqual(mine, list(range(index, 640, 32)), "one source's order")

    def test_a_port_is_not_shared_by_accident(self):
        program = self.start("--listen", RIEMANN)
        self.refused("--listen", f"udp://127.0.0.1:{program.port()}", code=69)
        program.stop()
        program = self.start("--listen", RIEMANN + "&receivers=2")
        self.refused("--listen", f"udp://127.0.0.1:{program.port()}", code=69)
        program.stop()

    def test_a_flooded_listener_takes_nothing_from_the_other(self):
        program = self.start("--listen", RIEMANN, "--listen", RIEMANN, "--sink",
                             f"file:{self.folder / 'lines'}", listeners=2)
        flood = self.flood(program, metric)
        quiet = self.sender(program, listener=1)
        for number in range(100):
            quiet.send(metric(number))
            program.wait_for_received(number + 1, listener=1)
        flood.end()
        program.wait_for_received(flood.sent)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][1]["decoded"], 100)
        lines = read_lines(self.folder / "lines")
        mine = [line["value"] for line in lines if line["listener"] == program.names[1]]
        self.assertEqual(mine, list(range(100)))


class Ends(ProgramTest):
    def test_duration(self):
        began = time.monotonic()
        program = self.start("--listen", RIEMANN, "--duration", "300ms")
        self.sender(program).send(metric(1))
        ledger = program.finish()
        self.assertGreaterEqual(time.monotonic() - began, 0.3)
        self.assertGreaterEqual(ledger["uptime_seconds"], 0.3)
        self.assertEqual(len(program.output()), ledger["sinks"][0]["lines"])

    def test_a_signal_comes_before_the_duration_is_over(self):
        program = self.start("--listen", RIEMANN, "--duration", "1h")
        program.stop(limit=STOP_LIMIT)

    def test_max_datagrams(self):
        program = self.start("--listen", RIEMANN, "--max-datagrams", 25)
        sender = self.sender(program)
        for number in range(24):
            sender.send(metric(number))
        program.wait_for_received(24)
        sender.send(b"\xff")  # a malformed datagram counts, too
        ledger = program.finish()
        self.assertEqual(ledger["listeners"][0]["received"], 25)
        self.assertEqual([line["value"] for line in program.output()], list(range(24)))

    def test_max_datagrams_of_all_listeners_together(self):
        program = self.start("--listen", RIEMANN, "--listen", RIEMANN, "--max-datagrams", 20,
                             listeners=2)
        for listener in range(2):
            sender = self.sender(program, listener)
            for number in range(10):
                sender.send(metric(number))
        ledger = program.finish()
        self.assertEqual([listener["received"] for listener in ledger["listeners"]], [10, 10])

    def test_the_port_is_free_again(self):
        port = free_port()
        program = self.start("--listen", f"udp://127.0.0.1:{port}?schema=riemann",
                             "--max-datagrams", 1)
        self.sender(program).send(metric(1))
        program.finish()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", port))


class Inherited(ProgramTest):
    @unittest.skipUnless(WINDOWS, "test_inherited.py: a process may be started with some")
    def test_a_system_whose_processes_have_no_sockets_says_so(self):
        self.assertIn("fd:riemann: this system starts no process with sockets",
                      self.refused("--listen", "fd:riemann", "--check", code=78))


if __name__ == "__main__":
    unittest.main()
