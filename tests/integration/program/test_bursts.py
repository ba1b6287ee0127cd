"""Tests bursts of datagrams. Each burst is received completely before the next. No wake-up may be
lost, and no line may be torn.

The environment variable TEST_BURSTS is the number of datagrams in each test; the default is 20,000.
"""
import os
import random
import signal
import time
import unittest

from protobuf import gauge
from rotating import numbers_in
from sluice_program import ANY_PORT, DEADLINE, ProgramTest, linux_sockets, same_with_one_thread

COUNT = int(os.environ.get("TEST_BURSTS", "20000"))
LARGEST = 1024  # datagrams in a burst, at most
SEED = 20261121

LISTEN = ANY_PORT + "?schema=telemetry"


class Bursts(ProgramTest):
    """The records are numbered. The number modulo the count of senders is the index of the sender.
    """

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.path = self.folder / "lines"
        self.sent = self.empty = self.bursts = 0

    def burst(self, size):
        """Sends `size` datagrams from random senders; a few of them are empty."""
        for _ in range(size):
            sender = self.random.choice(self.senders)
            if self.random.random() < 0.01:
                sender.send(b"")
                self.empty += 1
            else:
                index = self.senders.index(sender)
                self.numbers[index] += 1
                sender.send(gauge("load", self.numbers[index] * len(self.senders) + index))
            self.sent += 1
        self.bursts += 1

    def wait_until_drained(self):
        """Waits until the socket is empty. If a wake-up was lost, the receiver now sleeps until the
        next datagram."""
        ports = {self.program.port(listener) for listener in range(len(self.program.names))}
        end = time.monotonic() + DEADLINE
        while queued := sum(bytes_queued for port, bytes_queued, _ in linux_sockets()
                            if port in ports):
            if time.monotonic() > end:
                self.program.fail(f"{queued} bytes of burst {self.bursts} wait in a socket, and "
                                  f"no thread receives them")
            time.sleep(0.0002)

    def begin(self, listen, listeners=1):
        self.program = self.start(
            *["--listen", listen] * listeners,
            "--sink", f"file:{self.path}", listeners=listeners)
        self.senders = [self.sender(self.program, listener) for listener in range(listeners)
                        for _ in range(3)]
        self.numbers = [0] * len(self.senders)

    def send_bursts(self):
        began = time.monotonic()
        while self.sent < COUNT:
            # Small bursts are more frequent than large ones.
            self.burst(min(COUNT - self.sent, int(LARGEST ** self.random.random())))
            if self.random.random() < 0.9 or self.sent >= COUNT:
                self.wait_until_drained()
        self.took = time.monotonic() - began

    def check(self):
        """Asserts that all datagrams were written, except those that Linux reports as dropped.
        Returns their number."""
        def fates(ledger):
            return sum(listener["received"] + listener["kernel_drops"]
                       for listener in ledger["listeners"])
        ledger = self.program.wait_for_ledger(lambda ledger: fates(ledger) >= self.sent,
                                              f"{self.sent} datagrams are counted")
        dropped = sum(listener["kernel_drops"] for listener in ledger["listeners"])
        ledger = self.program.stop()
        received = sum(listener["received"] for listener in ledger["listeners"])
        empty = sum(listener["reasons"]["empty"] for listener in ledger["listeners"])
        written = ledger["sinks"][0]["written"]
        self.assertEqual(received, self.sent - dropped)
        self.assertEqual(written, received - empty)
        if dropped == 0:
            self.assertEqual(empty, self.empty)

        data = self.path.read_bytes()
        self.assertNotIn(b"\r", data)
        numbers = numbers_in(data)  # fails on incomplete or foreign lines
        self.assertEqual(len(numbers), written)
        self.assertEqual(len(set(numbers)), written, "a record is there twice")
        for index in range(len(self.senders)):
            mine = [number for number in numbers if number % len(self.senders) == index]
            self.assertEqual(mine, sorted(mine), "a sender's order")
        notifier = self.program.wait_for_log(r"listening on .*, by (\w+), process")[0][1].decode()
        print(f"{notifier}: {len(self.program.names)} listeners, {self.sent} datagrams in "
              f"{self.bursts} bursts, {dropped} dropped by the kernel, {written} written, "
              f"{self.took:.1f} s", flush=True)
        return dropped

    def test_to_one_listener(self):
        self.begin(LISTEN)
        self.send_bursts()
        self.check()

    @same_with_one_thread
    def test_to_several_listeners_that_several_threads_serve(self):
        self.begin(LISTEN + "&receivers=4", listeners=4)
        self.send_bursts()
        self.check()

    def test_that_are_more_than_the_socket_holds(self):
        """The datagrams arrive while the program is stopped, so some of them are certainly dropped.
        """
        self.begin(LISTEN + "&receive_buffer=64KiB")
        began = time.monotonic()
        for _ in range(5):
            self.program.freeze()
            self.burst(LARGEST)
            self.program.send_signal(signal.SIGCONT)
            self.wait_until_drained()
        self.took = time.monotonic() - began
        self.assertGreater(self.check(), 0)


if __name__ == "__main__":
    unittest.main()
