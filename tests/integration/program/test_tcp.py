"""Tests tcp:// listeners: frames, answers, limits, and the ends of connections. Senders wait, and
no record is lost."""
import contextlib
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from built import WINDOWS, not_on_windows, skip
from protobuf import delimited, gauge, message, metric, riemann, text
from sluice_program import (
    CONNECTION_ENDS, DEADLINE, NO_TCP_LISTENER, ONE_THREAD, SANITIZED, ProgramTest, parse_lines,
    read_lines, same_with_one_thread)

TCP = "tcp://127.0.0.1:0?schema=riemann"
OK = b"\x10\x01"  # a Msg: ok = true
CLIENT = shutil.which("riemann-client")


def framed(*messages):
    return b"".join(struct.pack(">I", len(one)) + one for one in messages)


# The answer is longer than the message, so clients that do not read soon fill their buffers.
BAD = framed(b"\xff")
SMALL_BUFFER = (socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)


def refused(why):
    """The Msg for a refused message: ok = false, and the reason."""
    return b"\x10\x00\x1a" + bytes([len(why)]) + why.encode()


class Client:
    """A connection to a tcp listener."""

    def __init__(self, program, listener=0, host="127.0.0.1", source=None, options=(), to=None):
        """Connects to the program's listener, or to the listening socket `to`."""
        self.local = program is not None and program.names[listener].startswith("unix:")
        if self.local:
            self._connect_local(program.names[listener].removeprefix("unix:"), options)
            return
        if to is not None and to.family == socket.AF_UNIX:
            self._connect_local(to.getsockname(), options)
            return
        if to is not None:
            host = to.getsockname()[0]
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE)
        for option in options:
            self.socket.setsockopt(*option)
        if source is not None:
            self.socket.bind((source, 0))
        port = program.port(listener) if to is None else to.getsockname()[1]
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _connect_local(self, name, options=()):
        """To a listener unix:PATH, or unix:@NAME."""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(DEADLINE)
        for option in options:
            self.socket.setsockopt(*option)
        self.socket.connect("\0" + name[1:] if name[0] == "@" else name)

    def send(self, data):
        self.socket.sendall(data)

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError(f"the connection ended after {data!r}")
            data += part
        return data

    def answer(self):
        return self._exactly(struct.unpack(">I", self._exactly(4))[0])

    def answers(self, count):
        return [self.answer() for _ in range(count)]

    def ends(self):
        """Waits until the server has closed the connection. Data before the end counts as a
        failure."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Tcp(ProgramTest):
    def client(self, program, **more):
        client = Client(program, **more)
        self.addCleanup(client.socket.close)
        return client

    def ends(self, listener):
        """The numbers of ended connections, by kind of end. Without zeros."""
        return {name: listener[name] for name in CONNECTION_ENDS if listener[name]}

    def wait_for_end(self, program, name, count=1):
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0][name] >= count,
                                f"{count} connections have ended as {name}")


class Answers(Tcp):
    def test_each_message_is_written_and_answered_in_its_order(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        for number in range(20):
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
        client.send(framed(*[metric(number) for number in range(20, 1020)]))
        self.assertEqual(client.answers(1000), [OK] * 1000)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(1020)))
        listener = ledger["listeners"][0]
        self.assertEqual((listener["received"], listener["answers"]), (1020, 1020))
        self.assertEqual(self.ends(listener), {"stopped": 1})

    def test_what_is_answered_with_ok_is_in_every_sinks_queue(self):
        """The program is killed right after the answer: only a pipe's record may be a millisecond
        late."""
        program = self.start("--listen", TCP, "--sink", "stdout:?flush_interval=0s")
        client = self.client(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.wait_for_lines(1)
        program.stop()

    def test_a_bad_message_is_answered_with_its_reason_and_the_next_one_is_served(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        client.send(framed(b"\xff\xff", metric(1), b"", message(5, text(1, "true")), metric(2)))
        self.assertEqual(client.answers(5), [refused("malformed"), OK, OK,
                                             refused("queries are not served"), OK])
        ledger = program.stop()
        self.assertEqual([line["value"] for line in program.output()], [1, 2])
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 1)

    def test_frames_come_in_whatever_pieces(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        sent = framed(*[metric(number, host="h" * (number * 97 % 3000)) for number in range(60)])
        sizes = [1, 2, 3, 5, 4096, 7, 1, 1, 2047, 2048, 2049, 11, 70000]
        at = step = 0
        while at < len(sent):
            client.send(sent[at:at + sizes[step % len(sizes)]])
            at += sizes[step % len(sizes)]
            step += 1
        self.assertEqual(client.answers(60), [OK] * 60)
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(60)))

    def test_a_client_that_closed_its_sending_side_is_served(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        client.send(framed(*[metric(number) for number in range(500)]))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answers(500), [OK] * 500)
        self.assertTrue(client.ends())
        ledger = program.stop()
        self.assertEqual(len(program.output()), 500)
        self.assertEqual(self.ends(ledger["listeners"][0]), {"closed": 1})

    def test_a_message_of_5000_events_arrives_whole(self):
        event = {"service": "requests", "metric_d": 0.5, "host": "web1", "state": "ok",
                 "description": "d" * 160, "tags": ["a", "b"]}
        sent = riemann(*[{**event, "time": number} for number in range(1, 5001)])
        self.assertTrue(1000000 < len(sent) <= 1048576, len(sent))
        program = self.start("--listen", TCP + "&max_decoded=8MiB", "--sink",
                             f"file:{self.folder}/lines", "--sink",
                             f"file:{self.folder}/whole?view=message")
        client = self.client(program)
        client.send(framed(metric(1), sent, metric(2)))
        self.assertEqual(client.answers(3), [OK] * 3)
        program.stop()
        lines = read_lines(self.folder / "lines")
        self.assertEqual(len(lines), 5002)
        self.assertEqual(len(read_lines(self.folder / "whole")[1]["message"]["events"]), 5000)

    def test_who_does_not_read_answers_is_not_read(self):
        program = self.start("--listen", TCP + "&idle_timeout=1s")
        client = self.client(program, options=(SMALL_BUFFER,))
        client.socket.setblocking(False)
        sent = 0
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            if not select.select([], [client.socket], [], 0.5)[1]:
                break
            try:
                sent += client.socket.send(BAD * 1000)
            except BlockingIOError:
                continue
        self.wait_for_end(program, "idle")
        ledger = program.stop()
        self.assertLess(ledger["listeners"][0]["received"], sent // len(BAD))
        self.assertEqual(self.ends(ledger["listeners"][0]), {"idle": 1})

    @unittest.skipIf(CLIENT is None, "riemann-client is not installed (Debian: riemann-c-client)")
    def test_riemanns_own_client_is_answered(self):
        program = self.start("--listen", TCP)
        for number in range(3):
            subprocess.run([CLIENT, "send", "--tcp", "--host", "web1", "--service", f"s{number}",
                            "--metric-d", "0.5", "127.0.0.1", str(program.port())], check=True,
                           timeout=DEADLINE)
        ledger = program.stop()
        self.assertEqual([line["name"] for line in program.output()], ["s0", "s1", "s2"])
        self.assertEqual(ledger["listeners"][0]["answers"], 3)

    def test_what_a_sender_sends_too_much_of_is_answered_so(self):
        program = self.start("--listen", TCP + "&rate_limit=3")
        client = self.client(program)
        client.send(framed(*[metric(number) for number in range(10)]))
        answers = client.answers(10)
        self.assertEqual(answers[:3], [OK] * 3)
        self.assertIn(refused("rate_limited"), answers)
        program.stop()


class Numbered(Tcp):
    def test_a_sender_with_one_numbering_on_many_connections_loses_nothing(self):
        for boot in (7, 0):
            with self.subTest(boot=boot):
                program = self.start("--listen",
                                     "tcp://127.0.0.1:0?schema=telemetry&framing=length32")
                for first in (4, 3, 2, 1):  # each is read to its end before the next one begins
                    client = self.client(program)
                    client.send(framed(*(gauge("g", number, sender="s", boot=boot, sequence=number)
                                         for number in range(first, 12001, 4))))
                    client.socket.shutdown(socket.SHUT_WR)
                    self.assertTrue(client.ends())
                listener = program.stop()["listeners"][0]
                self.assertEqual({name: listener[name] for name in
                                  ("received", "senders", "lost", "duplicated", "late",
                                   "restarted")},
                                 {"received": 12000, "senders": 1, "lost": 0, "duplicated": 0,
                                  "late": 0, "restarted": 0})


class Framings(Tcp):
    def test_messages_after_lengths_as_varints(self):
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=delimited")
        client = self.client(program)
        sent = [gauge("g" * (number * 31 % 300), number) for number in range(100)]
        client.send(delimited(*sent))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ends())
        ledger = program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(100)))
        self.assertEqual(ledger["listeners"][0]["answers"], 0)

    def test_messages_after_lengths_of_two_bytes(self):
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=length16")
        client = self.client(program)
        sent = [gauge("g", number) for number in range(100)]
        client.send(b"".join(struct.pack(">H", len(one)) + one for one in sent))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ends())
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(100)))

    def test_messages_of_a_cisco_router_and_json_is_refused_for_what_it_is(self):
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=cisco-mdt"
                             "&max_frame=1MiB&max_decoded=4MiB")
        client = self.client(program)
        large = message(3, b"x" * 700_000) + gauge("large", 2)
        for encapsulation, body in ((1, gauge("first", 1)), (2, b'{"a": 1}'), (1, b'{"b": 1}'),
                                    (1, large)):
            client.send(struct.pack(">HHHHI", 1, encapsulation, 1, 0, len(body)) + body)
        client.send(struct.pack(">HHHHI", 2, 1, 1, 0, 4) + b"beat")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ends())
        listener = program.stop()["listeners"][0]
        self.assertEqual([line["name"] for line in program.output()], ["first", "large"])
        self.assertEqual((listener["decoded"], listener["reasons"]["control"],
                          listener["reasons"]["malformed"]),
                         (2, 1, 2))
        self.assertIn("the sender sends JSON, not protobuf", "".join(program.log()))
        self.assertEqual(listener["json"], 2)

    def test_a_header_that_is_not_ciscos_ends_the_connection(self):
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=cisco-mdt")
        client = self.client(program)
        client.send(struct.pack(">HHHHI", 7, 1, 1, 0, 4) + b"more")
        self.assertTrue(client.ends())
        client.socket.close()
        self.wait_for_end(program, "bad_frame")
        program.stop()

    def test_a_length_that_is_none_ends_the_connection(self):
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=delimited")
        client = self.client(program)
        client.send(delimited(gauge("a", 1)) + b"\xff" * 20)
        self.assertTrue(client.ends())
        client.socket.close()
        self.wait_for_end(program, "bad_frame")
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], listener["reasons"]["malformed"]), (1, 1))

    def test_a_stream_without_a_framing_is_refused(self):
        for keys, why in (("schema=telemetry", "needs a framing="),
                          ("schema=riemann&framing=udp-notif", "needs a framing="),
                          ("schema=riemann&header=4", "without header="),
                          ("schema=riemann&match=source:10.0.0.0/8&schema=telemetry&"
                           "framing=delimited", "the same framing=")):
            self.assertIn(why, self.refused("--listen", "tcp://127.0.0.1:0?" + keys, code=64))


class Limits(Tcp):
    def test_a_message_that_is_too_long_is_answered_and_ends_the_connection(self):
        program = self.start("--listen", TCP + "&max_frame=2KiB")
        client = self.client(program)
        client.send(framed(metric(1), metric(2, host="h" * 3000)) + b"more of it")
        self.assertEqual(client.answers(2), [OK, refused("too_large")])
        self.assertTrue(client.ends())
        client.socket.close()
        self.wait_for_end(program, "bad_frame")
        other = self.client(program)
        other.send(framed(metric(3)))
        self.assertEqual(other.answer(), OK)
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], listener["reasons"]["too_large"]), (2, 1))
        self.assertEqual(self.ends(listener), {"bad_frame": 1, "stopped": 1})

    def test_half_a_frame_at_the_end_is_counted(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        client.send(framed(metric(1), metric(2))[:-3])
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answer(), OK)
        self.assertTrue(client.ends())
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["received"], 1)
        self.assertEqual(self.ends(listener), {"frame_cut": 1})

    def test_who_says_nothing_for_too_long_and_who_never_ends_a_frame_is_closed(self):
        program = self.start("--listen", TCP + "&idle_timeout=300ms&frame_timeout=300ms")
        silent, slow = self.client(program), self.client(program)
        slow.send(framed(metric(1))[:5])
        self.assertTrue(silent.ends())
        self.assertTrue(slow.ends())
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"idle": 1, "frame_timeout": 1})

    def serve_large_frames(self, program):
        good = self.client(program)
        good.socket.settimeout(20)  # a frame may take 30 s, an answer 10 minutes
        large = framed(metric(1, host="x" * 50000))
        for _ in range(5 if SANITIZED or WINDOWS else 20):
            for start in range(0, len(large), 10000):
                good.send(large[start:start + 10000])
            self.assertEqual(good.answer(), OK)


    def test_who_never_sends_the_rest_of_large_frames_holds_up_nobody_else(self):
        program = self.start("--listen", TCP + "&receivers=2")
        for _ in range(12):
            self.client(program).send(framed(b"x" * 100000)[:3000])
        self.serve_large_frames(program)
        ends = self.ends(program.stop()["listeners"][0])
        self.assertGreater(ends["frame_timeout"], 0)

    def test_who_never_reads_answers_holds_up_nobody_else(self):
        program = self.start("--listen", TCP + "&receivers=2")
        for _ in range(12):
            client = self.client(program, options=(SMALL_BUFFER,))
            client.socket.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                while True:
                    client.send(framed(b"") * 10000)
        self.serve_large_frames(program)
        program.stop()

    def test_many_who_send_without_end_hold_up_no_large_frame(self):
        """The clients send ahead of their answers, which also uses the memory for large frames."""
        program = self.start("--listen", TCP + "&receivers=2", "--sink", "file:/dev/null",
                             "--stop-timeout", "30s")
        flood = [self.client(program) for _ in range(12)]

        def send(client):
            with contextlib.suppress(OSError):
                while True:
                    client.send(framed(b"") * 20000)

        def read(client):
            with contextlib.suppress(OSError):
                while client.socket.recv(1 << 20):
                    continue
        threads = [threading.Thread(target=work, args=(client,))
                   for client in flood for work in (send, read)]
        for thread in threads:
            thread.start()
        try:
            self.serve_large_frames(program)
        finally:
            for client in flood:
                with contextlib.suppress(OSError):
                    client.socket.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(DEADLINE)
        program.stop()

    def test_a_frame_that_comes_byte_by_byte_has_no_more_time(self):
        program = self.start("--listen", TCP + "&frame_timeout=500ms")
        client = self.client(program)
        client.send(framed(b"x" * 1000000)[:4])
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            try:
                client.send(b"x")
            except OSError:
                break
            if select.select([client.socket], [], [], 0.02)[0]:
                break
        self.assertTrue(client.ends())
        self.assertEqual(self.ends(program.stop()["listeners"][0]), {"frame_timeout": 1})

    def test_more_connections_than_are_allowed_are_refused(self):
        program = self.start("--listen", TCP + "&max_connections=3")
        clients = [self.client(program) for _ in range(3)]
        for client in clients:
            client.send(framed(metric(1)))
            self.assertEqual(client.answer(), OK)
        self.assertTrue(self.client(program).ends())
        program.wait_for_log("refused: max_connections= are open already")
        clients[0].socket.close()
        self.wait_for_end(program, "closed")
        again = self.client(program)
        again.send(framed(metric(2)))
        self.assertEqual(again.answer(), OK)
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["connections"], 5)
        self.assertEqual(self.ends(listener), {"over_limit": 1, "closed": 1, "stopped": 3})

    def test_an_address_has_its_own_limit(self):
        program = self.start("--listen", TCP + "&max_connections_per_address=1")
        first = self.client(program)
        first.send(framed(metric(1)))
        self.assertEqual(first.answer(), OK)
        self.assertTrue(self.client(program).ends())
        program.wait_for_log("refused: its address has max_connections_per_address= open already")
        other = self.client(program, source="127.0.0.2")
        other.send(framed(metric(2)))
        self.assertEqual(other.answer(), OK)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"over_address_limit": 1, "stopped": 2})

    def test_who_may_not_send_is_refused(self):
        program = self.start("--listen", TCP + "&deny=127.0.0.2")
        self.assertTrue(self.client(program, source="127.0.0.2").ends())
        client = self.client(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"denied": 1, "stopped": 1})

    def test_a_reset_is_counted_and_what_came_before_it_is_written(self):
        program = self.start("--listen", TCP)
        client = self.client(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        client.reset()
        self.wait_for_end(program, "reset")
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], self.ends(listener)), (1, {"reset": 1}))

    @not_on_windows("it stops the program by a signal")
    def test_a_reset_that_an_answer_runs_into_is_one(self):
        """The system reports a reset once: to the call that sends."""
        program = self.start("--listen", TCP)
        client = self.client(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.freeze()
        client.send(framed(metric(2)))
        client.reset()
        program.send_signal(signal.SIGCONT)
        self.wait_for_end(program, "reset")
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], self.ends(listener)), (2, {"reset": 1}))


class Pressure(Tcp):
    @same_with_one_thread
    def test_a_connection_that_moves_between_threads_keeps_its_order(self):
        """Sends frame by frame on each of many connections, so that a different thread may serve
        each frame."""
        program = self.start("--listen", TCP + "&receivers=4", "--sink",
                             f"file:{self.folder}/lines")
        clients = [self.client(program) for _ in range(16)]
        rounds = 40 if SANITIZED else 200
        for number in range(rounds):
            for client in clients:
                client.send(framed(metric(number, host=str(id(client)))))
            for client in clients:
                self.assertEqual(client.answer(), OK)
        program.stop()
        seen = {}
        for line in read_lines(self.folder / "lines"):
            seen.setdefault(line["labels"]["host"], []).append(line["value"])
        self.assertEqual(len(seen), 16)
        for values in seen.values():
            self.assertEqual(values, list(range(rounds)))

    def test_a_sink_that_stands_still_makes_senders_wait_and_nothing_is_lost(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = self.start("--listen", TCP + "&receivers=2&idle_timeout=1s&frame_timeout=1s",
                             "--memory", self.least_memory("--listen", TCP + "&receivers=2"),
                             stdout=writer)
        os.close(writer)
        count = 4000
        clients = [self.client(program) for _ in range(4)]
        waiting = threading.Event()
        got = []

        def send(client, base):
            for start in range(0, count, 50):
                client.send(framed(*[metric(base + number, host="h" * 400)
                                     for number in range(start, start + 50)]))
                got.append(client.answers(50))
            client.socket.close()  # at once, because otherwise it would become idle while others take longer
        threads = [threading.Thread(target=send, args=(client, index * count))
                   for index, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        before, still = -1, 0
        end = time.monotonic() + DEADLINE
        while still < 30 and time.monotonic() < end:  # longer without a change than the time limits
            now = len(got)
            still = still + 1 if now == before else 0
            before = now
            waiting.wait(0.05)
        self.assertLess(before, 4 * count // 50, "the pipe took it all")
        data = b""
        while data.count(b"\n") < 4 * count:
            data += os.read(reader, 1 << 20)
        for thread in threads:
            thread.join(DEADLINE)
        self.wait_for_end(program, "closed", 4)
        ledger = program.stop()
        self.assertTrue(all(answers == [OK] * 50 for answers in got))
        values = [line["value"] for line in parse_lines(data)]
        self.assertEqual(sorted(values), list(range(4 * count)))
        for index in range(4):
            own = [value for value in values if value // count == index]
            self.assertEqual(own, sorted(own))
        self.assertEqual(self.ends(ledger["listeners"][0]), {"closed": 4})
        self.assertEqual(sum(ledger["sinks"][0]["refused"].values()), 0)

    def start_with_pipes(self, *overflows):
        """The program with an unread pipe for each sink. Returns it and the reading ends."""
        listen = TCP + "&receivers=2&idle_timeout=1s&frame_timeout=1s"
        sinks, ends = [], []
        for number, overflow in enumerate(overflows):
            path = self.folder / f"pipe{number}"
            os.mkfifo(path)
            ends.append(os.open(path, os.O_RDWR))
            self.addCleanup(os.close, ends[-1])
            sinks += ["--sink", f"file:{path}{overflow}"]
        sinks += ["--sink", f"file:{self.folder}/lines"]
        program = self.start("--listen", listen, *sinks, "--memory",
                             self.least_memory("--listen", listen, *sinks),
                             "--stop-timeout", "300ms")
        return program, ends

    def send_much(self, client, count=6000):
        for start in range(0, count, 50):
            client.send(framed(*[metric(number, host="h" * 400)
                                 for number in range(start, start + 50)]))
            self.assertEqual(client.answers(50), [OK] * 50)

    @not_on_windows("a pipe that is not read")
    def test_a_sink_that_was_said_to_drop_holds_nobody_up(self):
        for overflow, lost in (("drop_newest", "refused"), ("drop_oldest", "evicted")):
            with self.subTest(overflow=overflow):
                program, _ = self.start_with_pipes(f"?overflow={overflow}")
                client = self.client(program)
                self.send_much(client)
                client.socket.close()
                self.wait_for_end(program, "closed")
                program.wait_for_ledger(lambda ledger: ledger["sinks"][1]["written"] == 6000,
                                        "the other sink has all")
                ledger = program.stop()
                self.assertEqual([line["value"] for line in read_lines(self.folder / "lines")],
                                 list(range(6000)))
                dropping, other = ledger["sinks"]
                refusals = sum(dropping["refused"].values())
                self.assertEqual((dropping["offered"], other["offered"]), (6000, 6000))
                self.assertGreater({"refused": refusals, "evicted": dropping["evicted"]}[lost], 0)
                self.assertEqual((sum(other["refused"].values()), other["evicted"]), (0, 0))
                self.assertEqual(self.ends(ledger["listeners"][0]), {"closed": 1})
                for path in self.folder.iterdir():
                    path.unlink()

    @not_on_windows("a pipe that is not read")
    def test_beside_one_that_drops_one_that_waits_holds_senders_up(self):
        program, (_, waiting) = self.start_with_pipes("?overflow=drop_newest", "")
        client = self.client(program)
        sender = threading.Thread(target=self.send_much, args=(client,), daemon=True)
        sender.start()
        before, since = -1, time.monotonic()
        end = time.monotonic() + DEADLINE
        while time.monotonic() - since < 1.5 and time.monotonic() < end:
            received = program.ledger_now()["listeners"][0]["received"]
            if received != before:
                before, since = received, time.monotonic()
        self.assertLess(before, 6000, "the pipe took it all")
        data = b""
        while data.count(b"\n") < 6000:
            data += os.read(waiting, 1 << 20)
        sender.join(DEADLINE)
        self.assertFalse(sender.is_alive())
        ledger = program.stop()
        self.assertEqual([line["value"] for line in parse_lines(data)], list(range(6000)))
        dropping, waited, _ = ledger["sinks"]
        self.assertGreater(sum(dropping["refused"].values()), 0)
        self.assertEqual(sum(waited["refused"].values()), 0)

    def test_what_was_answered_before_a_stop_is_written(self):
        program = self.start("--listen", TCP + "&receivers=3")
        clients = [self.client(program) for _ in range(5)]
        acknowledged = [0] * 5
        stop = threading.Event()

        def send(index):
            try:
                while True:
                    clients[index].send(framed(metric(index * 1000000 + acknowledged[index])))
                    if clients[index].answer() != OK:
                        return
                    acknowledged[index] += 1
                    if acknowledged[index] == 100:
                        stop.set()
            except (OSError, EOFError):
                return
        threads = [threading.Thread(target=send, args=(index,)) for index in range(5)]
        for thread in threads:
            thread.start()
        self.assertTrue(stop.wait(DEADLINE))
        program.stop()
        for thread in threads:
            thread.join(DEADLINE)
        written = {}
        for line in program.output():
            index, number = divmod(int(line["value"]), 1000000)
            written.setdefault(index, []).append(number)
        for index in range(5):
            self.assertEqual(written[index], list(range(len(written[index]))))
            self.assertGreaterEqual(len(written[index]), acknowledged[index])


class Beside(Tcp):
    @same_with_one_thread
    def test_udp_and_tcp_feed_the_same_sinks(self):
        program = self.start("--listen", TCP, "--listen", "udp://127.0.0.1:0?schema=riemann",
                             listeners=2)
        tcp = next(i for i, name in enumerate(program.names) if name.startswith("tcp"))
        client = self.client(program, listener=tcp)
        sender = self.sender(program, listener=1 - tcp)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        sender.send_all([metric(2)])
        values = sorted(line["value"] for line in program.wait_for_output(2))
        self.assertEqual(values, [1, 2])
        program.stop()

    def test_ipv6(self):
        program = self.start("--listen", "tcp://[::1]:0?schema=riemann")
        client = self.client(program, host="::1")
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.stop()

    def test_a_port_that_is_taken_is_refused(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.assertIn("in use", self.refused(
                "--listen", f"tcp://127.0.0.1:{port}?schema=riemann", code=69))

    def test_one_thread_alone_is_refused(self):
        self.assertIn("threads of their own", self.refused(
            "--listen", TCP, "--threads", "1", code=78))

    @same_with_one_thread
    def test_a_reload_leaves_connections_alone(self):
        self.leave_sandbox()
        path = self.folder / "sluice.yaml"

        def write(more):
            path.write_text("listeners:\n  - address: tcp://127.0.0.1:0\n    schema: riemann\n"
                            + more, encoding="utf-8")
        write("")
        program = self.start("--config", str(path))
        client = self.client(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        client.send(framed(metric(2)))
        self.assertEqual(client.answer(), OK)
        path.write_text(path.read_text(encoding="utf-8") + "sinks:\n  - to: stdout\n"
                        f"  - to: file:{self.folder}/more\n", encoding="utf-8")
        for count in (2, 3):
            program.ask_to_reload()
            program.wait_for_log("configuration reloaded", count)
        client.send(framed(metric(2.5)))
        self.assertEqual(client.answer(), OK)
        write("    receivers: 2\n")
        program.ask_to_reload()
        program.wait_for_log("can only be changed by a restart")
        client.send(framed(metric(3)))
        self.assertEqual(client.answer(), OK)
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], [1, 2, 2.5, 3])
        self.assertEqual([line["value"] for line in read_lines(self.folder / "more")], [2.5, 3])

    @same_with_one_thread
    def test_sinks_come_and_go_while_connections_are_served(self):
        self.leave_sandbox()
        path = self.folder / "sluice.yaml"

        def write(more):
            path.write_text("listeners:\n  - address: tcp://127.0.0.1:0\n    schema: riemann\n"
                            "    receivers: 4\nsinks:\n  - to: stdout\n" + more, encoding="utf-8")
        write("")
        program = self.start("--config", str(path))
        clients = [self.client(program) for _ in range(4)]
        done = threading.Event()
        sent = [0] * 4

        def send(index):
            while not done.is_set():
                clients[index].send(framed(metric(index * 1000000 + sent[index])))
                self.assertEqual(clients[index].answer(), OK)
                sent[index] += 1
        threads = [threading.Thread(target=send, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for count in range(1, 11):
            write(f"  - to: file:{self.folder}/more\n" if count % 2 else "")
            program.ask_to_reload()
            program.wait_for_log("configuration reloaded", count)
        done.set()
        for thread in threads:
            thread.join(DEADLINE)
        program.stop()
        values = {}
        for line in program.output():
            index, number = divmod(int(line["value"]), 1000000)
            values.setdefault(index, []).append(number)
        for index in range(4):
            self.assertEqual(values[index], list(range(sent[index])))


if __name__ == "__main__":
    if ONE_THREAD:
        skip(NO_TCP_LISTENER)
    unittest.main()
