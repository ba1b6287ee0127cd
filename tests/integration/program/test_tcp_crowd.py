"""Many connections at a steady rate, bad clients among them, and a sink that stands still for a while.

Short here; TEST_CROWD has it run longer: connections, bad ones, messages a second, seconds, and of
these how many the sink stands still.
"""
import os
import resource
import select
import socket
import struct
import threading
import time
import unittest

from built import WINDOWS
from protobuf import metric
from sluice_program import DEADLINE, ProgramTest, parse_lines
from test_tcp import OK, TCP, framed

CONNECTIONS, BAD, RATE, SECONDS, STALL = map(
    float, os.environ.get("TEST_CROWD", "60 10 2000 2 0.5").split())
ANSWER = struct.pack(">I", len(OK)) + OK
UNANSWERED = 20  # messages of a client that waits for answers, at most
TICK = 0.01


class Reader(threading.Thread):
    """Reads the program's standard output, but not while it is held."""

    def __init__(self, descriptor):
        super().__init__(daemon=True)
        self.descriptor = descriptor
        self.data = bytearray()
        self.go_on = threading.Event()
        self.go_on.set()

    def run(self):
        while True:
            self.go_on.wait()
            part = os.read(self.descriptor, 1 << 20)
            if not part:
                return
            self.data += part


class Client:
    def __init__(self, port, number):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.host = str(number)
        self.sent = self.answered = 0
        self.rest = b""

    def send(self):
        self.socket.send(framed(metric(self.sent, host=self.host)))
        self.sent += 1

    def take_answers(self):
        data = self.rest + self.socket.recv(1 << 16)
        count, left = divmod(len(data), len(ANSWER))
        if data[:count * len(ANSWER)] != ANSWER * count:
            raise AssertionError(f"other answers: {data[:100]!r}")
        self.answered += count
        self.rest = data[len(data) - left:]


class Misbehaving(threading.Thread):
    """Clients that connect and do one of these again and again."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count = port, count
        self.done = threading.Event()
        self.connections = self.resets = 0
        self.deeds = [
            b"",  # it only connects
            framed(b"x" * 100)[:50],  # a frame that never ends
            b"\xff\xff\xff\xff",  # a frame that is far too long
            framed(b"\xff" * 40) * 20,  # no messages
            framed(metric(1))[:7],  # reset amid a frame
        ]

    def run(self):
        held = []
        while not self.done.wait(0.01):
            try:
                client = socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE)
            except OSError:
                continue
            deed = self.deeds[self.connections % len(self.deeds)]
            self.connections += 1
            client.sendall(deed)
            if deed is self.deeds[-1]:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.close()
                self.resets += 1
            else:
                held.append(client)
            while len(held) > self.count:
                held.pop(0).close()
        for client in held:
            client.close()


class Crowd(ProgramTest):
    def test_every_good_client_is_served_in_order_and_nothing_is_lost(self):
        resource.setrlimit(resource.RLIMIT_NOFILE,
                           (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
        descriptor, writer = os.pipe()
        self.addCleanup(os.close, descriptor)
        program = self.start("--listen", TCP + "&receivers=4&max_connections=2000&idle_timeout=5s&"
                             "frame_timeout=2s&max_connections_per_address=2000", stdout=writer)
        os.close(writer)
        reader = Reader(descriptor)
        reader.start()
        clients = [Client(program.port(), number) for number in range(int(CONNECTIONS))]
        for client in clients:
            self.addCleanup(client.socket.close)
        bad = Misbehaving(program.port(), int(BAD))
        bad.start()
        self.drive(clients, reader)
        bad.done.set()
        bad.join(DEADLINE)
        most = least = len(clients) + bad.connections
        if WINDOWS:  # one that was reset before it was accepted is none there
            least -= bad.resets
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] >= least,
                                "all connections were accepted")
        ledger = program.stop()
        reader.join(DEADLINE)
        values = {}
        for line in parse_lines(bytes(reader.data)):
            values.setdefault(line["labels"]["host"], []).append(line["value"])
        for client in clients:
            self.assertEqual(values[client.host], list(range(client.sent)))
        listener = ledger["listeners"][0]
        total = sum(client.sent for client in clients)
        print(f"{total} messages of {len(clients)} connections, {bad.connections} bad ones; "
              f"connections {listener['connections']}")
        self.assertEqual(listener["decoded"], total)
        self.assertTrue(least <= listener["connections"] <= most, (least, most))

    def drive(self, clients, reader):
        """At the rate for the time; a third of the way the sink stands still."""
        poller = select.epoll()
        by_number = {client.socket.fileno(): client for client in clients}
        for number in by_number:
            poller.register(number, select.EPOLLIN)
        begin = time.monotonic()
        due, at = 0.0, 0
        while True:
            now = time.monotonic() - begin
            stalled = SECONDS / 3 <= now < SECONDS / 3 + STALL
            (reader.go_on.clear if stalled else reader.go_on.set)()
            if now >= SECONDS:
                break
            due += RATE * TICK
            for _ in range(len(clients)):
                if due < 1:
                    break
                client = clients[at % len(clients)]
                at += 1
                if client.sent - client.answered < UNANSWERED:
                    client.send()
                    due -= 1
            due = min(due, RATE * TICK)  # who has to wait does not catch up
            until = begin + now + TICK
            while (left := until - time.monotonic()) > 0:
                for number, _ in poller.poll(left):
                    by_number[number].take_answers()
        end = time.monotonic() + DEADLINE
        while any(client.answered < client.sent for client in clients):
            self.assertLess(time.monotonic(), end, "some are not answered")
            for number, _ in poller.poll(1):
                by_number[number].take_answers()


if __name__ == "__main__":
    unittest.main()
