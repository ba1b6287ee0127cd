"""Tests many connections at a steady rate, with bad clients among them, and a sink that is stopped
for some time.

By default it is short. TEST_CROWD sets the numbers: connections, bad clients, messages a second,
seconds, and seconds for which the sink is stopped."""
import io
import math
import multiprocessing
import os
import pathlib
import re
import resource
import select
import socket
import struct
import threading
import time
import unittest

from built import WINDOWS
from protobuf import metric
from sluice_program import DEADLINE, ProgramTest, parse_json
from test_tcp import OK, TCP, framed

CONNECTIONS, BAD, RATE, SECONDS, STALL = map(
    float, os.environ.get("TEST_CROWD", "60 10 2000 2 0.5").split())
ANSWER = struct.pack(">I", len(OK)) + OK
UNANSWERED = 20  # most unanswered messages of a client that waits for answers
TOGETHER = 4  # most messages sent at once
RATE_OF_SENDER = 7000  # messages a second for which one process can send and read the answers
SENDERS = math.ceil(RATE / RATE_OF_SENDER)
TICK = 0.01
MARK = 0.1  # a message contains the bytes of this value only once


class Reader(threading.Thread):
    """Reads the program's standard output, except while it is paused."""

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
        self.before, self.after = framed(metric(MARK, host=self.host)).split(struct.pack("<d", MARK))

    def send(self):
        """Sends one or several messages. Returns their number."""
        count = self.sent % TOGETHER + 1
        numbers = range(self.sent, self.sent + count)
        data = b"".join(self.before + struct.pack("<d", number) + self.after for number in numbers)
        if self.socket.send(data) != len(data):
            raise AssertionError("a socket takes part of a few messages")
        self.sent += count
        return count

    def take_answers(self):
        data = self.rest + self.socket.recv(1 << 16)
        count, left = divmod(len(data), len(ANSWER))
        if data[:count * len(ANSWER)] != ANSWER * count:
            raise AssertionError(f"other answers: {data[:100]!r}")
        self.answered += count
        self.rest = data[len(data) - left:]


def send_all(port, numbers, rate, to):
    """Runs as a process: sends `rate` messages a second with the clients of these numbers, and
    reports how many each has sent."""
    clients = [Client(port, number) for number in numbers]
    poller = select.epoll()
    by_number = {client.socket.fileno(): client for client in clients}
    for number in by_number:
        poller.register(number, select.EPOLLIN)

    def take_answers(until):
        while True:
            for number, _ in poller.poll(max(0, until - time.monotonic())):
                by_number[number].take_answers()
            if time.monotonic() >= until:
                return

    sent, at = 0, 0
    begin = time.monotonic()
    while (now := time.monotonic() - begin) < SECONDS:
        for _ in clients:
            if sent >= rate * now:
                break
            client = clients[at % len(clients)]
            at += 1
            if client.sent - client.answered <= UNANSWERED - TOGETHER:
                sent += client.send()
        take_answers(begin + now + TICK)
    end = time.monotonic() + DEADLINE
    while any(client.answered < client.sent for client in clients):
        if time.monotonic() > end:
            raise AssertionError("some are not answered")
        take_answers(time.monotonic() + TICK)
    to.send({client.host: client.sent for client in clients})


class Misbehaving(threading.Thread):
    """Clients that connect and do one of these things repeatedly."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count = port, count
        self.done = threading.Event()
        self.connections = self.resets = 0
        self.deeds = [
            b"",  # it only connects
            framed(b"x" * 100)[:50],  # an incomplete frame
            b"\xff\xff\xff\xff",  # a frame that is far too long
            framed(b"\xff" * 40) * 20,  # frames that are not messages
            framed(metric(1))[:7],  # a reset inside a frame
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


def peak_memory(process_id):
    status = pathlib.Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    return re.search(r"VmHWM:\s*(.*)", status)[1]


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
        bad = Misbehaving(program.port(), int(BAD))
        bad.start()
        begin = time.monotonic()
        sent = self.drive(program.port(), reader)
        took = time.monotonic() - begin
        bad.done.set()
        bad.join(DEADLINE)
        most = least = len(sent) + bad.connections
        if WINDOWS:  # Windows does not report a connection that was reset before it was accepted
            least -= bad.resets
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] >= least,
                                "all connections were accepted")
        memory = "unknown" if WINDOWS else peak_memory(program.process.pid)
        ledger = program.stop()
        reader.join(DEADLINE)
        values = {}
        for text in io.BytesIO(reader.data):
            line = parse_json(text.decode("utf-8"))
            values.setdefault(line["labels"]["host"], []).append(line["value"])
        for host, count in sent.items():
            self.assertEqual(values[host], list(range(count)))
        listener = ledger["listeners"][0]
        total = sum(sent.values())
        counts = {name: value for name, value in listener.items() if value}
        print(f"{total} messages of {len(sent)} connections in {took:.1f} s, {bad.connections} bad "
              f"ones; memory at its peak {memory}; {counts}")
        self.assertEqual(listener["decoded"], total)
        self.assertTrue(least <= listener["connections"] <= most, (least, most))

    def drive(self, port, reader):
        """Sends at this rate for this time. After a third of it the sink is stopped. Returns the
        messages by host."""
        context = multiprocessing.get_context("spawn")
        ends, senders = [], []
        for number in range(SENDERS):
            end, theirs = context.Pipe(duplex=False)
            senders.append(context.Process(target=send_all, daemon=True, args=(
                port, range(number, int(CONNECTIONS), SENDERS), RATE / SENDERS, theirs)))
            senders[-1].start()
            self.addCleanup(senders[-1].join)
            self.addCleanup(senders[-1].kill)
            theirs.close()
            ends.append(end)
        time.sleep(SECONDS / 3)
        reader.go_on.clear()
        time.sleep(STALL)
        reader.go_on.set()
        sent = {}
        for end in ends:
            self.assertTrue(end.poll(SECONDS + 2 * DEADLINE), "a sender is silent")
            sent.update(end.recv())
        return sent


if __name__ == "__main__":
    unittest.main()
