"""Tests reloads that add, change and remove tcp:// listeners: no frame is lost or written twice."""
import json
import select
import socket
import struct
import threading
import time
import unittest

from built import skip
from http_store import NO_ANSWER, Store
from ports import free_ports
from protobuf import gauge, metric, riemann
from sluice_program import (
    CHANGED, DEADLINE, NO_TCP_LISTENER, ONE_THREAD, SANITIZED, ProgramTest, read_lines, wait_until)
from test_config import READS_FILES, SENDS_HTTP
from test_reload import REFUSED
from test_tcp import BAD, OK, SMALL_BUFFER, Client, framed, refused

ANSWER = struct.pack(">I", len(OK)) + OK


class Streaming(threading.Thread):
    """A client that sends the next message when the previous one was answered."""

    def __init__(self, program, name, listener=0):
        super().__init__(daemon=True)
        self.client = Client(program, listener)
        self.name_sent = name
        self.sent = 0
        self.over = threading.Event()
        self.problem = None
        self.start()

    def run(self):
        try:
            while not self.over.is_set():
                burst = [metric(self.sent + number, host=self.name_sent) for number in range(5)]
                self.client.send(framed(*burst))
                for answer in self.client.answers(5):
                    if answer != OK:
                        raise AssertionError(f"answered {answer!r}")
                self.sent += 5
        except (OSError, EOFError, AssertionError) as problem:
            self.problem = problem

    def end(self):
        self.over.set()
        self.join(DEADLINE)
        self.client.socket.close()


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class TcpReload(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "sluice.yaml"
        self.kept = self.folder / "kept"
        self.streams = []

    def write(self, *listeners, sinks=(), **options):
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({**options, "listeners": listeners,
                                   "sinks": [f"file:{self.kept}", *sinks]}), encoding="utf-8")
        new.replace(self.file)

    def begin(self, *listeners, **more):
        self.write(*listeners, **more)
        return self.start("--config", self.file, listeners=len(listeners))

    def change(self, program, *listeners, **more):
        before = self.count(program, CHANGED)
        self.write(*listeners, **more)
        program.ask_to_reload()
        program.wait_for_log(CHANGED, before + 1)

    def refuse(self, program, why, *listeners, **more):
        before = self.count(program, REFUSED)
        self.write(*listeners, **more)
        program.ask_to_reload()
        program.wait_for_log(REFUSED, before + 1)
        self.assertIn(why, [line for line in program.said() if REFUSED in line][-1])

    @staticmethod
    def count(program, text):
        return sum(text in line for line in program.said())

    def client(self, program, listener=0, **more):
        client = Client(program, listener, **more)
        self.addCleanup(client.socket.close)
        return client

    def stream(self, program, listener=0):
        stream = Streaming(program, f"s{len(self.streams)}", listener)
        self.streams.append(stream)
        self.addCleanup(stream.client.socket.close)
        return stream

    def tcp(self, port=0, **keys):
        return {"address": f"tcp://127.0.0.1:{port}", "schema": "riemann", **keys}

    def exchange(self, client, value):
        client.send(framed(metric(value)))
        self.assertEqual(client.answer(), OK)

    def check_streams(self):
        """Asserts that each message of each client was written once, in order."""
        values = {}
        for line in read_lines(self.kept):
            values.setdefault(line["labels"]["host"], []).append(line["value"])
        for stream in self.streams:
            stream.end()
            self.assertIsNone(stream.problem)
        for stream in self.streams:
            self.assertEqual(values.get(stream.name_sent, []), list(range(stream.sent)))


class Unanswered(threading.Thread):
    """A client that sends frames that are not answered."""

    def __init__(self, client, name):
        super().__init__(daemon=True)
        self.client, self.name_sent = client, name
        self.sent = 0
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.is_set():
            self.client.send(framed(gauge(self.name_sent, self.sent)))
            self.sent += 1
            if SANITIZED:  # a lower rate is a load with a sanitizer, too
                self.over.wait(0.001)


class Stalled(TcpReload):
    @unittest.skipUnless(SENDS_HTTP, "this program was built without HTTP")
    def test_a_sink_that_takes_nothing_keeps_no_reload_away(self):
        """The sink's queue is full of large batches, and the listener's thread waits for room in
        it."""
        store = Store()
        store.otherwise = NO_ANSWER
        self.addCleanup(store.close)
        listener = self.tcp()
        program = self.begin(listener, sinks=[f"http:{store.place}?format=json&in_flight=1"])
        clients = [self.client(program) for _ in range(40)]
        for number, client in enumerate(clients):
            client.send(framed(metric(number, service="x" * 200000)))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][1]["queued"] >= 15,
                                "the sink has the large batches that it may have")
        self.change(program, listener)
        for client in clients:
            self.assertEqual(client.answer(), OK)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], len(clients))
        self.assertEqual(sorted(line["value"] for line in read_lines(self.kept)),
                         list(range(len(clients))))


class Changes(TcpReload):
    def test_how_long_its_threads_rest_changes_while_they_do(self):
        """Pausing threads keep connections. No record of these may be lost, and all must be in
        order."""
        def listener(number):
            return self.tcp(schema="telemetry", framing="length32", receivers=2,
                            coalesce=("10ms", "0s", "1ms")[number % 3])
        program = self.begin(listener(0))
        clients = [Unanswered(self.client(program), name) for name in "abcd"]
        for number in range(1, 10):
            before = [client.sent for client in clients]
            self.change(program, listener(number))
            wait_until(lambda: all(client.sent > count + 100
                                   for client, count in zip(clients, before)), "all go on")
        for client in clients:
            client.over.set()
            client.join(DEADLINE)
        sent = sum(client.sent for client in clients)
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["decoded"] == sent,
                                "all that was sent is decoded")
        program.stop()
        values = {client.name_sent: [] for client in clients}
        for line in read_lines(self.kept):
            values[line["name"]].append(line["value"])
        for client in clients:
            self.assertEqual(values[client.name_sent], list(range(client.sent)))

    def test_its_keys_change_under_load_and_no_connection_is_closed(self):
        program = self.begin(self.tcp(receivers=4))
        for _ in range(6):
            self.stream(program)
        for number in range(12):
            self.change(program, self.tcp(
                receivers=4, max_connections=100 + 1000 * (number % 3),
                max_frame=("1MiB", "64KiB", "512KiB")[number % 3],
                idle_timeout=f"{60 + number}s", frame_timeout=f"{10 + number}s",
                rate_limit=1000000 - number, max_decoded=("512KiB", "256KiB")[number % 2],
                allow=("127.0.0.0/8", "0.0.0.0/0")[number % 2]),
                sinks=[f"file:{self.folder}/more?format=csv"][:number % 2])
        wait_until(lambda: all(stream.sent > 50 for stream in self.streams), "all were served")
        for stream in self.streams:
            stream.end()
        ledger = program.stop()
        self.check_streams()
        listener = ledger["listeners"][0]
        self.assertEqual(listener["decoded"], sum(stream.sent for stream in self.streams))
        self.assertEqual(listener["connections"], len(self.streams))

    def test_who_may_connect_and_how_many_follows(self):
        program = self.begin(self.tcp(max_connections=1))
        first = self.client(program)
        self.exchange(first, 1)
        self.assertTrue(self.client(program).ends())
        self.change(program, self.tcp(max_connections=3))
        second, third = self.client(program), self.client(program)
        self.exchange(second, 2)
        self.exchange(third, 3)
        self.assertTrue(self.client(program).ends())
        self.change(program, self.tcp(max_connections=1))
        for client in (first, second, third):  # no connection was closed
            self.exchange(client, 4)
        self.assertTrue(self.client(program).ends())
        third.socket.close()
        second.socket.close()
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["closed"] == 2,
                                "two connections have ended")
        self.assertTrue(self.client(program).ends())
        self.change(program, self.tcp(max_connections=5, max_connections_per_address=2))
        self.exchange(self.client(program), 5)
        self.assertTrue(self.client(program).ends())
        self.change(program, self.tcp(deny="127.0.0.2"))
        self.assertTrue(self.client(program, source="127.0.0.2").ends())
        self.exchange(self.client(program), 6)
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["over_limit"], listener["over_address_limit"],
                          listener["denied"]), (4, 1, 1))

    def test_a_shorter_time_holds_for_connections_that_are_open(self):
        program = self.begin(self.tcp())
        silent, slow = self.client(program), self.client(program)
        self.exchange(silent, 1)
        slow.send(framed(metric(1))[:5])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] == 2,
                                "both are accepted")
        self.change(program, self.tcp(idle_timeout="200ms", frame_timeout="100ms"))
        self.assertTrue(silent.ends())
        self.assertTrue(slow.ends())
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["idle"] + listener["frame_timeout"], 2)

    def test_a_frame_that_has_begun_may_be_as_long_as_it_might_be_then(self):
        program = self.begin(self.tcp(max_frame="200KiB"), sinks=["stdout:?view=message"])
        client = self.client(program)
        long = framed(metric(1, host="h" * 100000))
        client.send(long[:50000])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] == 1,
                                "it is accepted")
        self.change(program, self.tcp(max_frame="2KiB"), sinks=["stdout:?view=message"])
        client.send(long[50000:])
        self.assertEqual(client.answer(), OK)
        client.send(long)
        self.assertEqual(client.answer(), refused("too_large"))
        program.stop()

    def send_until_it_is_not_read(self, client, data):
        """The client does not read its answers, so the program does not read from it."""
        client.socket.setblocking(False)
        rest = b""
        while select.select([], [client.socket], [], 0.5)[1]:
            rest = rest or data
            try:
                rest = rest[client.socket.send(rest):]
            except BlockingIOError:
                continue
        client.socket.setblocking(True)

    def decoded_when_at_rest(self, program):
        """The number of decoded frames, once it has not changed for half a second."""
        last = None
        while last != (now := program.ledger_now()["listeners"][0]["decoded"]):
            last = now
            time.sleep(0.5)
        return now

    def test_a_shorter_limit_holds_for_frames_that_wait_behind_answers(self):
        program = self.begin(self.tcp())
        clients = [self.client(program, options=(SMALL_BUFFER,)) for _ in range(3)]
        for client in clients:
            self.send_until_it_is_not_read(client, BAD * 200 + framed(metric(1, host="h" * 2100)))
        before = self.decoded_when_at_rest(program)
        self.change(program, self.tcp(max_frame="2KiB"))
        for client in clients:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            try:
                while client.socket.recv(65536):
                    pass
            except ConnectionError:
                pass
        ledger = program.wait_for_ledger(
            lambda ledger: ledger["listeners"][0]["bad_frame"] == len(clients), "all are closed")
        self.assertLessEqual(ledger["listeners"][0]["decoded"] - before, len(clients))  # begun before
        program.stop()

    def test_longer_frames_fit_from_then_on_and_what_was_half_there_goes_on(self):
        program = self.begin(self.tcp(max_frame="128KiB"))
        half = [self.client(program) for _ in range(3)]
        begun = framed(metric(1, host="h" * 100000))
        for client in half:
            client.send(begun[:70000])
        self.exchange(self.client(program), 0)
        self.change(program, self.tcp(max_frame="300KiB"))
        longer = framed(metric(2, host="h" * 250000))
        for client in half:
            client.send(begun[70000:] + longer)
            self.assertEqual(client.answers(2), [OK, OK])
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)].count(2), 3)
        self.assertEqual(ledger["listeners"][0]["decoded"], 7)

    def test_longer_messages_have_batches_and_sinks_that_have_room_for_them(self):
        program = self.begin(self.tcp(), sinks=["stdout:?view=message"])
        self.stream(program)
        before = self.client(program)
        self.exchange(before, 0)
        self.change(program, self.tcp(max_frame="3MiB", max_decoded="8MiB"),
                    sinks=["stdout:?view=message"])
        sent = riemann(*[{"host": "web1", "service": f"s{number}", "metric_d": 1.0,
                          "description": "d" * 300} for number in range(7000)])
        before.send(framed(sent))
        self.assertEqual(before.answer(), OK)
        self.change(program, self.tcp(), sinks=["stdout:?view=message"])
        self.exchange(before, 2)
        before.send(framed(sent))
        self.assertEqual(before.answer(), refused("too_large"))
        self.streams[0].end()
        ledger = program.stop()
        self.assertIsNone(self.streams[0].problem)
        self.assertEqual(sum(len(line["message"].get("events", [])) == 7000
                             for line in program.output()), 1)
        for sink in ledger["sinks"]:
            self.assertEqual(sink["failed"]["too_large"], 0)

    def test_another_schema_of_the_same_framing_answers_as_it_does(self):
        program = self.begin(self.tcp())
        client = self.client(program)
        self.exchange(client, 1)
        self.change(program, {"address": "tcp://127.0.0.1:0", "schema": "telemetry",
                              "framing": "length32"})
        client.send(framed(gauge("a", 2)))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ends())
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [1, 2])

    def test_what_cannot_be_changed_is_refused_by_its_name(self):
        program = self.begin(self.tcp())
        client = self.client(program)
        for keys, why in (({"receivers": 2}, "receivers="),
                          ({"framing": "delimited"}, "framing="),
                          ({"max_frames": "1MiB"}, "unknown key")):
            self.refuse(program, why, self.tcp(**keys))
            self.exchange(client, 1)
        self.refuse(program, "memory 64MiB is too small", self.tcp(max_connections=100000), memory="64MiB")
        self.exchange(client, 2)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], 4)

    def test_nor_is_the_content_type_of_frame_streams(self):
        program = self.begin(self.tcp(framing="frame-streams"))
        self.refuse(program, "content_type=",
                    self.tcp(framing="frame-streams", content_type="protobuf:a.B"))
        program.stop()


class ComingAndGoing(TcpReload):
    def setUp(self):
        super().setUp()
        self.leave_sandbox()

    def test_one_that_is_added_is_served_and_one_that_is_taken_away_finishes(self):
        one, two = free_ports(2)
        stays = self.tcp(one, receivers=2)
        goes = self.tcp(two, receivers=2, max_frame="256KiB", max_decoded="256KiB")
        program = self.begin(stays)
        self.stream(program)
        sent = 0
        for number in range(10):
            self.change(program, stays, goes)
            program.wait_for_listeners(number + 2)
            clients = [self.client(program, number + 1) for _ in range(3)]
            for client in clients:
                self.exchange(client, sent)
                client.send(framed(metric(sent + 1), metric(sent + 2)))
            self.change(program, stays)
            for client in clients:
                self.assertEqual(client.answers(2), [OK, OK])
                self.assertTrue(client.ends())
            sent += 3
        self.streams[0].end()
        ledger = program.stop()
        self.assertIsNone(self.streams[0].problem)
        first, second = ledger["listeners"]
        self.assertEqual((first["retired"], first["decoded"]), (False, self.streams[0].sent))
        self.assertEqual((second["retired"], second["decoded"], second["connections"]),
                         (True, 90, 30))
        self.assertEqual(second["stopped"], 30)

    def test_the_last_one_gives_way_to_another_kind_of_listener(self):
        port, = free_ports(1)
        program = self.begin("udp://127.0.0.1:0?schema=riemann")
        for number in range(3):
            self.change(program, self.tcp(port))
            program.wait_for_listeners(2 * number + 2)
            self.exchange(self.client(program, 2 * number + 1), number)
            self.change(program, "udp://127.0.0.1:0?schema=riemann")
            program.wait_for_listeners(2 * number + 3)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [0, 1, 2])

    def test_the_rest_of_a_frame_is_waited_for_and_nobody_is_accepted_meanwhile(self):
        one, two = free_ports(2)
        program = self.begin(self.tcp(one), self.tcp(two), **{"stop-timeout": "20s"})
        client = self.client(program, 1)
        client.send(framed(metric(1), metric(2))[:-3])
        self.assertEqual(client.answer(), OK)
        self.change(program, self.tcp(one), **{"stop-timeout": "20s"})

        def is_closed():
            with socket.socket() as other:
                return other.connect_ex(("127.0.0.1", two)) != 0
        wait_until(is_closed, "no client can connect")
        self.exchange(self.client(program), 3)
        client.send(framed(metric(1), metric(2))[-3:])
        self.assertEqual(client.answer(), OK)
        self.assertTrue(client.ends())
        ledger = program.stop()
        self.assertEqual(sorted(line["value"] for line in read_lines(self.kept)), [1, 2, 3])
        self.assertEqual(ledger["listeners"][1]["stopped"], 1)

    def test_who_does_not_finish_is_closed_when_the_time_is_over(self):
        one, two = free_ports(2)
        program = self.begin(self.tcp(one), self.tcp(two), **{"stop-timeout": "300ms"})
        client = self.client(program, 1)
        client.send(framed(metric(1))[:-3])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][1]["connections"] == 1,
                                "it is accepted")
        self.change(program, self.tcp(one), **{"stop-timeout": "300ms"})
        self.assertTrue(client.ends())
        program.wait_for_ledger(lambda ledger: ledger["listeners"][1]["frame_cut"] == 1,
                                "its frame was given up")
        program.stop()

    def test_a_stop_does_not_wait_for_a_listener_that_leaves(self):
        one, two = free_ports(2)
        program = self.begin(self.tcp(one), self.tcp(two), **{"stop-timeout": "20s"})
        client = self.client(program, 1)
        client.send(framed(metric(1))[:-3])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][1]["connections"] == 1,
                                "it is accepted")
        self.change(program, self.tcp(one), **{"stop-timeout": "20s"})
        program.stop(limit=10)

    def test_sinks_change_while_a_listener_leaves(self):
        one, two = free_ports(2)
        more = [f"file:{self.folder}/more"]
        program = self.begin(self.tcp(one), self.tcp(two), sinks=more, **{"stop-timeout": "20s"})
        client = self.client(program, 1)
        rest = framed(metric(1))
        client.send(rest[:-3])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][1]["connections"] == 1,
                                "it is accepted")
        self.change(program, self.tcp(one), sinks=more, **{"stop-timeout": "20s"})
        other = [f"file:{self.folder}/other"]
        self.change(program, self.tcp(one), sinks=other, **{"stop-timeout": "20s"})
        client.send(rest[-3:])
        self.assertEqual(client.answer(), OK)
        self.assertTrue(client.ends())
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.folder / "other")], [1])
        self.assertEqual(read_lines(self.folder / "more"), [])

    def test_one_that_comes_again_waits_for_its_connections_of_before(self):
        one, two = free_ports(2)
        program = self.begin(self.tcp(one), self.tcp(two), **{"stop-timeout": "500ms"})
        client = self.client(program, 1)
        client.send(framed(metric(1))[:-3])
        program.wait_for_ledger(lambda ledger: ledger["listeners"][1]["connections"] == 1,
                                "it is accepted")
        self.change(program, self.tcp(one), **{"stop-timeout": "500ms"})
        self.change(program, self.tcp(one), self.tcp(two), **{"stop-timeout": "500ms"})
        self.assertTrue(client.ends())
        again = self.client(program, 1)
        self.exchange(again, 2)
        listener = program.stop()["listeners"][1]
        self.assertEqual((listener["retired"], listener["connections"], listener["frame_cut"]),
                         (False, 2, 1))

    def test_a_port_that_is_taken_refuses_the_reload_and_all_goes_on(self):
        program = self.begin(self.tcp())
        client = self.client(program)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.refuse(program, "in use", self.tcp(idle_timeout="100ms"),
                        self.tcp(taken.getsockname()[1], max_frame="64KiB"))
        self.refuse(program, "overflow", self.tcp(), self.tcp(*free_ports(1), max_frame="64KiB"),
                    sinks=[f"file:{self.folder}/x?overflow=nothing"])
        self.exchange(client, 1)
        port, = free_ports(1)
        self.change(program, self.tcp(), self.tcp(port, max_frame="64KiB"))
        program.wait_for_listeners(2)
        self.exchange(self.client(program, 1), 2)
        ledger = program.stop()
        self.assertEqual([listener["decoded"] for listener in ledger["listeners"]], [1, 1])

    def test_who_watches_and_who_asks_for_senders_sees_one_that_came(self):
        port, = free_ports(1)
        control = self.control_address()
        program = self.begin("udp://127.0.0.1:0?schema=riemann", control=control,
                             **{"dead-letter": f"file:{self.folder}/letters.pcapng"})
        tcp = self.tcp(port, receivers=3, max_frame="64KiB")
        for number in range(3):
            self.change(program, "udp://127.0.0.1:0?schema=riemann", tcp, control=control,
                        **{"dead-letter": f"file:{self.folder}/letters.pcapng"})
            program.wait_for_listeners(number + 2)
            client = self.client(program, number + 1)
            self.exchange(client, number)
            client.send(framed(b"\xff\xff"))
            self.assertEqual(client.answer(), refused("malformed"))
            self.change(program, "udp://127.0.0.1:0?schema=riemann", control=control,
                        **{"dead-letter": f"file:{self.folder}/letters.pcapng"})
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][1]["reasons"]["malformed"], 3)
        self.assertEqual(ledger["dead_letters"]["kept"], 3)


if __name__ == "__main__":
    if ONE_THREAD:
        skip(NO_TCP_LISTENER)
    unittest.main()
