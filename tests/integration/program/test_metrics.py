"""--metrics: the ledger's numbers over HTTP, the health, and that no client blocks it."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

from built import IN_USE, NO_BROKEN_PIPE, WINDOWS, command, not_on_windows
from capture_writing import write_capture
from metrics_client import SERVES, MetricsClient, labels, numbers_of, read_page
from protobuf import gauge, metric, telemetry
from sluice_program import (CHANGED, DEADLINE, ONE_THREAD, RIEMANN, SANITIZED, SLUICE, TELEMETRY,
                            ProgramTest, has_done_with_all, is_still, parse_json, settled,
                            wait_until, same_with_one_thread)
from test_tcp import OK, TCP, Client, framed

OPENMETRICS = "application/openmetrics-text"
CONNECTIONS = 24
PAGES = 4  # most pages that may wait to be sent
WAITING = 64  # most connections with incomplete requests
LEAVING = 32  # most connections that are about to be closed
SCRAPE = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
SCRAPE_TIMEOUT = 40 if SANITIZED else 10  # seconds; the default of Prometheus
STALL_TIMEOUT = 1  # seconds that a sink may wait and a client may be silent, in tests that set it


ESTABLISHED, CLOSE_WAIT = "01", "08"  # states in /proc/net/tcp


def descriptors(program, client):
    """The number of descriptors of the process. Under Wine, which adds its descriptors, only the
    number of connections."""
    if not WINDOWS:
        return len(os.listdir(f"/proc/{program.process.pid}/fd"))
    rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text("ascii").splitlines()]
    return sum(row[1].endswith(f":{client.port:04X}") and row[3] in (ESTABLISHED, CLOSE_WAIT)
               for row in rows)


class MetricsTest(ProgramTest):
    def serve(self, *arguments, listeners=1, at="0", **more):
        program = self.start(*arguments, "--metrics", at, listeners=listeners, **more)
        return program, MetricsClient(program)


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Numbers(MetricsTest):
    def assert_ledger_is_on_page(self, program, client):
        """Asserts that the page has every term of the ledger, and no others. The program must have
        received all: waits until every sink has written it."""
        wanted = numbers_of(program.wait_for_ledger(
            lambda ledger: all(is_still(sink) and has_done_with_all(sink)
                               for sink in ledger["sinks"]), "all was written"))
        found = client.numbers()
        wrong = {key: (value, found.get(key)) for key, value in wanted.items()
                 if found.get(key) != value}
        self.assertEqual(wrong, {})
        return found

    @not_on_windows("Linux counts how often a thread waits")
    def test_a_server_without_requests_sleeps(self):
        program, client = self.serve("--listen", RIEMANN)
        self.assertEqual(client.ask("/healthz").status, 200)
        status = pathlib.Path(f"/proc/{program.process.pid}/status")

        def waits():
            return int(next(line for line in status.read_text("ascii").splitlines()
                            if line.startswith("voluntary_ctxt_switches")).split()[1])
        before = waits()
        time.sleep(1)
        self.assertLess(waits() - before, 50)  # without pauses there would be hundreds
        program.stop()

    @same_with_one_thread
    def test_connections_that_are_open_beside_those_that_ever_were(self):
        program, client = self.serve("--listen", TCP + "&max_connections=5")
        own = labels(listener=program.names[0])
        connected = [Client(program) for _ in range(3)]
        for each in connected:
            self.addCleanup(each.socket.close)
            each.send(framed(metric(1)))
            self.assertEqual(each.answer(), OK)
        found = client.numbers()
        self.assertEqual((found["sluice_listener_open_connections", own],
                          found["sluice_listener_open_connections_limit", own]), (3, 5))
        connected[0].socket.close()
        wait_until(lambda: client.numbers()["sluice_listener_open_connections", own] == 2,
                   "one is closed")
        program.wait_for_settled(3)
        found = self.assert_ledger_is_on_page(program, client)
        self.assertEqual(found["sluice_listener_connections_total", own], 3)
        program.stop()

    @same_with_one_thread
    def test_several_receivers_captures_and_dead_letters(self):
        capture = self.folder / "c.pcap"
        write_capture(capture, [metric(number) for number in range(50)])
        out = self.folder / "out.json"
        program, client = self.serve(
            "--listen", TELEMETRY + "&receivers=3", "--listen", RIEMANN,
            "--listen", f"pcap:{capture}?schema=riemann", "--sink", f"file:{out}",
            "--sink", f"file:{self.folder / 'm.csv'}?format=csv",
            "--dead-letter", f"file:{self.folder / 'dead.pcapng'}", listeners=2)
        for _ in range(6):  # each sender may reach another receiver
            sender = self.sender(program)
            for number in range(20):
                sender.send(telemetry(gauge("a", number)))
            sender.send(b"\xff")
        self.sender(program, 1).send_all([metric(1)] * 30 + [b"\xff\xff"])
        program.wait_for_received(126)
        program.wait_for_settled(200)
        program.wait_for_ledger(lambda ledger: ledger["dead_letters"]["kept"] == 7, "7 are kept")
        found = self.assert_ledger_is_on_page(program, client)
        names = program.names
        self.assertEqual(found["sluice_listener_refused_total",
                               labels(listener=names[0], reason="malformed")], 6)
        self.assertEqual(found["sluice_listener_sockets", labels(listener=names[0])],
                         1 if WINDOWS else 3)
        self.assertEqual(found["sluice_listener_frames_total",
                               labels(listener=f"pcap:{capture}")], 50)
        self.assertEqual(found["sluice_dead_letters_kept_total", frozenset()], 7)

        def of_all_receivers(measure):  # the kernel distributes datagrams to receivers
            return sum(value for (name, _), value in found.items()
                       if name == f"sluice_receiver_{measure}_sum")
        self.assertEqual(of_all_receivers("drain_datagrams"), 126 + 31)
        self.assertEqual(of_all_receivers("batch_records"), 120 + 30 + 50)
        self.assertGreater(of_all_receivers("decode_latency_seconds"), 0)
        self.assertGreater(found["sluice_sink_write_seconds_count",
                                 labels(sink=f"file:{out}")], 0)
        program.stop()

    def test_the_latency_of_each_of_many_short_drains_is_reported(self):
        count = 21
        program, client = self.serve(
            *(word for _ in range(count) for word in ("--listen", RIEMANN)),
            "--sink", f"file:{self.folder / 'out.json'}", listeners=count)
        begun = time.monotonic()
        for index in range(count):
            self.sender(program, index).send(metric(index))
        program.wait_for_settled(count)
        found = self.assert_ledger_is_on_page(program, client)
        self.assertEqual(found["sluice_receiver_drain_datagrams_sum", labels(receiver="0")], count)
        self.assertEqual(found["sluice_receiver_decode_latency_seconds_count",
                               labels(receiver="0")], count)
        self.assertLess(found["sluice_receiver_decode_latency_seconds_sum", labels(receiver="0")],
                        count * (time.monotonic() - begun))
        program.stop()

    def test_both_formats_have_the_same_and_say_which_they_are(self):
        program, client = self.serve("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)] * 10)
        program.wait_for_settled(10)
        plain = client.ask("/metrics", Accept="text/plain")
        wanted = client.ask("/metrics", Accept=f"{OPENMETRICS};version=1.0.0,text/plain;q=0.5")
        self.assertEqual(plain.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(wanted.headers["content-type"],
                         f"{OPENMETRICS}; version=1.0.0; charset=utf-8")
        self.assertTrue(wanted.text().endswith("\n# EOF\n"))
        self.assertNotIn("# EOF", plain.text())
        moving = ("process_", "sluice_uptime")
        self.assertEqual(
            *({key: value for key, value in read_page(answer.text()).items()
               if not key[0].startswith(moving)} for answer in (plain, wanted)))

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    @same_with_one_thread
    def test_promtool_finds_nothing_to_say(self):
        capture = self.folder / "c.pcap"
        write_capture(capture, [metric(1)])
        program, client = self.serve(
            "--listen", RIEMANN, "--listen",
            TELEMETRY + "&allow=127.0.0.1" + ("" if WINDOWS else "&kernel_filter=on"),
            "--listen", f"pcap:{capture}?schema=riemann", listeners=2)
        self.sender(program).send_all([metric(1)] * 100)
        self.sender(program, 1).send_all([b"\xff"] * 3)
        program = subprocess.run(["promtool", "check", "metrics"], input=client.page().encode(),
                                 capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((program.returncode, program.stdout, program.stderr), (0, b"", b""))

    @not_on_windows("the system counts no drops there")
    def test_the_kernels_drops_are_read_for_the_page(self):
        keys = "&receive_buffer=4KiB"
        program, client = self.serve("--listen", RIEMANN + keys)
        name = labels(listener=program.names[0])
        sender = self.sender(program)
        sent = 0

        def lost():
            nonlocal sent
            for _ in range(500):
                sender.send(metric(1))
            sent += 500
            return client.numbers()["sluice_listener_kernel_drops_total", name] > 0
        wait_until(lost, "the kernel drops something")
        ledger = program.wait_for_received(sent)
        self.assertEqual(client.numbers()["sluice_listener_kernel_drops_total", name],
                         ledger["listeners"][0]["kernel_drops"])
        status, health = client.health()
        self.assertEqual((status, health["status"]), (200, "degraded"))
        self.assertEqual([reason for reason in health["reasons"]
                          if reason["reason"] == "kernel_drops"],
                         [{"reason": "kernel_drops", "listener": program.names[0],
                           "count": ledger["listeners"][0]["kernel_drops"]}])

    def test_what_the_system_says_of_the_process(self):
        before = time.time()
        program, client = self.serve("--listen", RIEMANN)
        found = {name: value for (name, _), value in client.numbers().items()}
        pid = program.process.pid
        self.assertGreater(found["process_resident_memory_bytes"], 1 << 20)
        self.assertLess(abs(found["process_start_time_seconds"] - before), 5)
        if WINDOWS:  # committed memory; Wine does not count handles
            self.assertGreater(found["process_virtual_memory_bytes"], 1 << 20)
            self.assertIn("process_open_fds", found)
        else:
            self.assertGreater(found["process_virtual_memory_bytes"],
                               found["process_resident_memory_bytes"])
            # The connection of the request is already closed.
            self.assertIn(found["process_open_fds"] - len(os.listdir(f"/proc/{pid}/fd")), (0, 1))
        first = found["process_start_time_seconds"]
        self.assertEqual(client.numbers()["process_start_time_seconds", frozenset()], first)
        self.assertIn("process_cpu_seconds_total", found)


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Health(MetricsTest):
    def setUp(self):
        super().setUp()
        self.reader, self.writer = os.pipe()
        self.addCleanup(os.close, self.reader)

    def test_ready(self):
        _, client = self.serve("--listen", RIEMANN)
        self.assertEqual(client.health(), (200, {"status": "ready"}))

    def test_a_sink_that_is_stuck_for_the_stall_timeout_degrades_it(self):
        """When the reader continues, only later losses are reported."""
        program, client = self.serve("--listen", RIEMANN, "--stall-timeout", f"{STALL_TIMEOUT}s",
                                     stdout=self.writer)
        os.close(self.writer)
        self.sender(program).send_all([metric(1)] * 1000)
        program.wait_for_received(1000)
        status, health = client.wait_for_health(lambda told: told["status"] != "ready",
                                                "the sink is missed")
        self.assertEqual(status, 200)
        reason, = [each for each in health["reasons"] if each["reason"] == "sink_waits"]
        self.assertEqual((health["status"], reason["sink"]), ("degraded", "stdout:"))
        self.assertGreaterEqual(reason["seconds"], STALL_TIMEOUT)
        self.assertGreaterEqual(client.numbers()["sluice_sink_waiting_seconds",
                                                 labels(sink="stdout:")], STALL_TIMEOUT)
        os.set_blocking(self.reader, False)

        def read_on():
            try:
                while os.read(self.reader, 1 << 16):
                    pass
            except BlockingIOError:
                pass
            return (client.health()[1] == {"status": "ready"} and
                    client.numbers()["sluice_sink_waiting_seconds", labels(sink="stdout:")] == 0)
        wait_until(read_on, "it is ready again")

    @same_with_one_thread
    @not_on_windows(NO_BROKEN_PIPE)
    def test_a_sink_whose_reader_has_gone(self):
        program, client = self.serve("--listen", RIEMANN, "--sink", "stdout:",
                                     "--sink", f"file:{self.folder / 'x'}", stdout=self.writer)
        os.close(self.writer)
        os.close(self.reader)
        self.reader = os.open("/dev/null", os.O_RDONLY)
        status, health = client.wait_for_health(lambda told: told["status"] != "ready",
                                                "the reader is missed")
        self.assertEqual((status, health), (200, {"status": "degraded", "reasons": [
            {"reason": "sink_ended", "sink": "stdout:"}]}))
        self.assertEqual(client.numbers()["sluice_sink_ended", labels(sink="stdout:")], 1)
        program.stop()

    def test_a_destination_that_fails(self):
        program, client = self.serve("--listen", RIEMANN, "--sink", "file:/dev/full",
                                     "--stop-timeout", "100ms")
        self.sender(program).send(metric(1))
        _, health = client.wait_for_health(lambda told: told["status"] != "ready", "it fails")
        reason, = health["reasons"]
        self.assertEqual((reason["reason"], reason["sink"]), ("sink_fails", "file:/dev/full"))
        program.stop(code=74)

    def test_datagrams_that_cannot_be_decoded(self):
        """A tenth of the datagrams. A single bad datagram from time to time is not a reason."""
        program, client = self.serve("--listen", RIEMANN)
        sender = self.sender(program)
        sender.send_all([metric(1)] * 90 + [b"\xff"] * 4)
        self.assertEqual(client.health(), (200, {"status": "ready"}))
        sender.send_all([b"\xff"] * 6, before=94)
        self.assertEqual(client.health(), (200, {"status": "degraded", "reasons": [
            {"reason": "undecodable", "listener": program.names[0], "count": 10}]}))
        program.stop()

    def test_a_stop_is_reported_while_it_lasts(self):
        program, client = self.serve("--listen", RIEMANN, "--stop-timeout", "1m",
                                     stdout=self.writer)
        os.close(self.writer)
        self.sender(program).send_all([metric(1)] * 1000)
        program.ask_to_stop()
        status, health = client.wait_for_health(lambda told: told["status"] == "stopping",
                                                "the stop is told")
        self.assertEqual((status, health), (503, {"status": "stopping"}))
        program.stop()


@unittest.skipUnless(SERVES, "this program was built without metrics")
@unittest.skipIf(ONE_THREAD, "one thread can have one sink, which no reload changes")
class Reloaded(MetricsTest):
    """Listeners and sinks are added and removed. The counters of removed ones remain, and no series
    occurs twice."""

    def write(self, *sinks, metrics="0"):
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({"metrics": metrics, "sinks": sinks,
                                   "listeners": ["udp://127.0.0.1:0?schema=riemann"]}),
                       encoding="utf-8")
        new.replace(self.folder / "sluice.yaml")

    def test_the_page_follows(self):
        out, gone = (f"file:{self.folder / name}" for name in ("out", "gone"))
        self.write(out, gone)
        program = self.start("--config", self.folder / "sluice.yaml")
        client = MetricsClient(program)
        sender = self.sender(program)
        # The records of each sink so far, and the next configuration's sinks.
        steps = (((1, 1), [out]), ((2,), [out + "?format=csv"]), ((3,), [out, gone]),
                 ((4, 2), [out]))
        for number, (records, sinks) in enumerate(steps, 1):
            sender.send(metric(number))
            program.wait_for_ledger(lambda ledger: all(
                sum(settled(sink) for sink in ledger["sinks"] if sink["name"] == name) == count
                for name, count in zip((out, gone), records)), "all is written")
            self.write(*sinks)
            program.ask_to_reload()
            program.wait_for_log(CHANGED, number)
        ledger = program.ledger_now()
        wanted, found = numbers_of(ledger), client.numbers()
        self.assertEqual({key: found.get(key) for key in wanted}, wanted)
        self.assertEqual(found["sluice_sink_written_total", labels(sink=out)], 4)
        self.assertEqual(found["sluice_sink_written_total", labels(sink=gone)], 2)
        self.assertNotIn(("sluice_sink_ended", labels(sink=gone)), found)
        self.assertIn(("sluice_sink_ended", labels(sink=out)), found)
        self.write(out, metrics="1")
        program.ask_to_reload()
        program.wait_for_log(r"yaml:1:14: metrics can only be changed by a restart")
        self.assertEqual(client.health()[0], 200)
        program.stop()


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Sources(MetricsTest):
    def test_senders_are_named(self):
        program, client = self.serve("--listen", TELEMETRY)
        self.sender(program).send_all([telemetry(gauge("a", 1))] * 25)
        answer = client.ask("/sources")
        self.assertEqual((answer.status, answer.headers["content-type"]),
                         (200, "application/json"))
        told = parse_json(answer.text())
        sender, = told["listeners"][0]["senders"]
        self.assertEqual((told["listeners"][0]["name"], sender["address"], sender["datagrams"]),
                         (program.names[0], "127.0.0.1", 25))


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Clients(MetricsTest):
    def connection(self, client):
        connection = socket.create_connection((client.host, client.port), DEADLINE)
        self.addCleanup(connection.close)
        return connection

    def test_they_only_read(self):
        _, client = self.serve("--listen", RIEMANN)
        head = client.ask("/metrics", "HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertGreater(int(head.headers["content-length"]), 1000)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"):
            answer = client.ask("/metrics", method)
            self.assertEqual((answer.status, answer.headers["allow"]), (405, "GET, HEAD"))

    def test_what_is_not_there_is_reported_with_what_is(self):
        _, client = self.serve("--listen", RIEMANN)
        for path in ("/page", "/metrics/", "/healthz2", "/../etc/passwd", "/" + "x" * 4000):
            answer = client.ask(path)
            self.assertEqual(answer.status, 404)
            self.assertIn("/metrics, /healthz, /sources", answer.text())

    def test_nonsense_harms_nobody(self):
        _, client = self.serve("--listen", RIEMANN, "--stall-timeout", f"{STALL_TIMEOUT}s")
        for nonsense in (b"\0" * 1000, b"GET\r\n\r\n", b"GET /metrics HTTP/9.9\r\n\r\n",
                         b"x" * 100000, b"GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
            connection = self.connection(client)
            try:
                connection.sendall(nonsense)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except OSError:
                pass  # the connection was cut off
            self.assertEqual(client.health()[0], 200)

    def test_who_is_silent_or_does_not_read_holds_nobody_up(self):
        """Idle clients take all slots. The program must still work, and stop in time."""
        program, client = self.serve("--listen", RIEMANN, "--stall-timeout", f"{STALL_TIMEOUT}s")
        silent = [self.connection(client) for _ in range(CONNECTIONS + 4)]
        for connection in silent[:8]:
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
        self.sender(program).send_all([metric(1)] * 100)
        program.wait_for_settled(100)
        # The slots become free when the clients have been silent for long enough.
        self.assertEqual(client.health()[0], 200)
        program.stop()

    def test_clients_that_have_gone_take_no_place(self):
        """The clients send half a request or nothing. An HTTP library would wait for the rest."""
        program, client = self.serve("--listen", RIEMANN, "--stall-timeout", "1h")
        before = descriptors(program, client)
        for begin in (b"GET / HTTP/1.1\r\nHost", b"", b"\r\n", b"GET / HTTP/1.1\r\n\r"):
            for _ in range(3 * CONNECTIONS):
                with socket.create_connection((client.host, client.port), DEADLINE) as connection:
                    connection.sendall(begin)
            self.assertEqual(client.health()[0], 200)
        for _ in range(3 * CONNECTIONS):  # clients that do not wait for the answer, or send two requests
            with socket.create_connection((client.host, client.port), DEADLINE) as connection:
                connection.sendall(b"GET /page/main.js HTTP/1.1\r\nHost: localhost\r\n\r\nGET /")
        self.assertEqual(client.health()[0], 200)
        wait_until(lambda: descriptors(program, client) <= before, "all that have gone are closed")
        program.stop()

    def serve_large_pages(self):
        """Each page is larger than what the system holds of it."""
        count, length = (90, 100) if WINDOWS else (60, 200)  # paths have 260 characters there
        sinks = [word for number in range(count)
                 for word in ("--sink", f"file:{self.folder}/{'x' * length}{number}")]
        program, client = self.serve("--listen", RIEMANN, *sinks, "--stall-timeout", "1h")
        self.assertGreater(len(client.ask("/metrics").body), 400000)
        return program, client

    def unread(self, client, head):
        """A client that sends this text and reads no answer."""
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.settimeout(DEADLINE)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((client.host, client.port))
        connection.sendall(head)
        return connection

    @same_with_one_thread
    def test_pages_that_are_not_read_leave_others_their_answer(self):
        """Clients with as many pages as may be unsent do not read them: others get their pages after a short time."""
        program, client = self.serve_large_pages()
        unread = [self.unread(client, SCRAPE) for _ in range(PAGES)]
        for path in ("/metrics", "/sources", "/metrics"):
            self.assertEqual(client.ask(path).status, 200)
            self.assertEqual(client.health()[0], 200)
        got = 0
        with contextlib.suppress(ConnectionResetError):
            while count := len(unread[0].recv(1 << 20)):
                got += count
        self.assertLess(got, 400000)  # it waited longest, and was ended
        program.stop()

    @same_with_one_thread
    def test_a_hundred_slow_clients_leave_a_scrape_its_answer(self):
        """The clients send half a request, or do not read the answer, and connect again when their
        connection is ended."""
        program, client = self.serve_large_pages()
        heads = (SCRAPE, SCRAPE[:30], b"GET /sources HTTP/1.1\r\nHost: localhost\r\n\r\n", SCRAPE)
        count = 20 if SANITIZED or WINDOWS else 100  # the program writes a page for each of them
        slow = [self.unread(client, heads[index % 4]) for index in range(count)]
        for _ in range(1 if SANITIZED else 3):
            began = time.monotonic()
            self.assertEqual(client.ask("/metrics").status, 200)
            self.assertLess(time.monotonic() - began, SCRAPE_TIMEOUT)
            slow += [self.unread(client, heads[index % 4]) for index in range(count)]
        self.assertEqual(client.health()[0], 200)
        program.stop()

    def test_idle_clients_of_one_host_keep_no_other_away(self):
        program, client = self.serve("--listen", RIEMANN, "--stall-timeout", "1h")
        before = descriptors(program, client)
        idle = [self.connection(client) for _ in range(WAITING)]
        for index in range(500):
            idle.append(self.connection(client))
            if index % 2:
                idle[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
        for path in ("/healthz", "/metrics", "/"):
            self.assertEqual(client.ask(path).status, 200)
        self.assertLessEqual(descriptors(program, client) - before, WAITING + CONNECTIONS + LEAVING)
        wait_until(lambda: descriptors(program, client) - before <= WAITING + CONNECTIONS,
                   "the others are closed")
        program.stop()

    def test_another_host_is_not_evicted(self):
        """A slow request must be served while another host opens one connection after the other."""
        _, client = self.serve("--listen", RIEMANN, "--stall-timeout", "1h")
        with socket.socket() as slow:
            slow.bind(("127.0.0.2", 0))
            slow.settimeout(DEADLINE)
            slow.connect((client.host, client.port))
            slow.sendall(b"GET /healthz HTTP/1.1\r\n")
            for _ in range(3 * WAITING):
                self.connection(client)
            self.assertEqual(client.health()[0], 200)
            slow.sendall(b"Host: localhost\r\n\r\n")
            self.assertEqual(slow.recv(12), b"HTTP/1.1 200")

    def test_a_request_may_come_byte_by_byte_and_after_empty_lines(self):
        _, client = self.serve("--listen", RIEMANN)
        connection = self.connection(client)
        for byte in b"\r\n\nGET /healthz HTTP/1.1\r\nHost: localhost\n\r\n":
            connection.sendall(bytes([byte]))
        self.assertEqual(connection.recv(12), b"HTTP/1.1 200")

    def test_a_client_that_is_slow_is_given_up(self):
        _, client = self.serve("--listen", RIEMANN, "--stall-timeout", f"{STALL_TIMEOUT}s")
        connection = self.connection(client)
        connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        try:
            self.assertEqual(connection.recv(100), b"")
        except ConnectionResetError:
            pass  # unread data resets the connection

    def test_who_asks_all_the_time_leaves_the_program_its_time(self):
        program, client = self.serve("--listen", RIEMANN)
        ends = time.monotonic() + 2
        asked = 0
        while time.monotonic() < ends:
            client.page()
            asked += 1
        self.assertGreater(asked, 10)
        self.assertEqual(self.sender(program).send_all([metric(1)] * 100)["listeners"][0]
                         ["received"], 100)
        program.stop()


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Places(MetricsTest):
    def test_a_port_alone_is_this_machines(self):
        for written in ("0", ":0", "127.0.0.1:0"):
            _, client = self.serve("--listen", RIEMANN, at=written)
            self.assertEqual(client.host, "127.0.0.1")
            self.assertEqual(client.health()[0], 200)

    def test_the_other_family(self):
        _, client = self.serve("--listen", RIEMANN, at="[::1]:0")
        self.assertEqual((client.host, client.health()[0]), ("::1", 200))

    def test_a_port_that_is_taken_is_an_error(self):
        _, client = self.serve("--listen", RIEMANN)
        said = self.refused("--listen", RIEMANN, "--metrics", str(client.port), code=69)
        why = "in use (netstat -ano -p tcp shows by which process)" if WINDOWS else (
            f"{IN_USE}; as root, ss -ltnp 'sport = :{client.port}' shows by which program")
        self.assertIn(f"--metrics: cannot listen on tcp://127.0.0.1:{client.port}: {why}", said)

    def test_a_port_is_free_again_after_the_end(self):
        program, client = self.serve("--listen", RIEMANN)
        client.health()
        program.stop()
        _, again = self.serve("--listen", RIEMANN, at=str(client.port))
        self.assertEqual((again.port, again.health()[0]), (client.port, 200))

    def test_a_check_opens_nothing_and_finds_a_wrong_address(self):
        _, client = self.serve("--listen", RIEMANN)
        self.run_to_end("--check", "--listen", RIEMANN, "--metrics", str(client.port), ledger=None)
        self.assertIn('--metrics "localhost:1" is not an address',
                      self.refused("--check", "--metrics", "localhost:1", code=64))

    def test_without_the_option_nothing_listens(self):
        program = self.start("--listen", RIEMANN)
        links = []
        for number in os.listdir(f"/proc/{program.process.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):  # closed since
                links.append(os.readlink(f"/proc/{program.process.pid}/fd/{number}"))
        tcp = {row.split()[9] for table in ("tcp", "tcp6") for row in
               pathlib.Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]}
        self.assertFalse([link for link in links if link[len("socket:["):-1] in tcp])
        self.assertFalse([line for line in program.log() if "metrics at" in line])

    def test_a_file_may_name_it(self):
        file = self.folder / "c.yaml"
        file.write_text("metrics: 127.0.0.1:0\nlisteners:\n  - address: udp://127.0.0.1:0\n"
                        "    schema: riemann\n", encoding="utf-8")
        program = self.start("--config", file)
        self.assertEqual(MetricsClient(program).health()[0], 200)


@unittest.skipIf(SERVES, "this program serves metrics")
class Absent(ProgramTest):
    def test_it_is_refused_with_the_reason(self):
        for arguments in (("--check",), ()):
            self.assertIn("--metrics: this program was built without metrics",
                          self.refused(*arguments, "--listen", RIEMANN, "--metrics", "0", code=78))


if __name__ == "__main__":
    unittest.main()
