"""Tests the control socket: its permissions and answers, and that clients do not block each other.
"""
import os
import pathlib
import select
import signal
import socket
import stat
import time
import unittest

from built import WINDOWS, not_on_windows
from control_client import ControlClient
from live_pipe import LivePipe
from protobuf import gauge, metric, sample, telemetry
from sluice_program import (BURST, CAPTURES, RIEMANN, TELEMETRY, ProgramTest,
                            check_running_ledger, is_still, parse_json, settled, wait_until)

NO_PLACE = "a pipe is not a file in a folder"
NO_SUCH_FACTS = "Linux' numbers of a process of Wine's are not those of its threads"

TAP_LINES = 100  # a second
CLIENTS = 8


class ControlTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "control"
        self.address = self.control_address()

    def control(self, *arguments, listeners=1, **more):
        return self.start(*arguments, "--control", self.address, listeners=listeners, **more)

    def client(self):
        client = ControlClient(self.address)
        self.addCleanup(client.close)
        return client

    def ask_until(self, client, request, reached, what):
        """Sends the request until reached(answer) is true. Returns that answer."""
        answers = []

        def asked():
            answers.append(client.ask(request))
            return reached(answers[-1])
        wait_until(asked, what)
        return answers[-1]


class Socket(ControlTest):
    def refused(self, *arguments, code=73):
        program = self.launch("--listen", RIEMANN, "--control", *arguments)
        program.finish(code)
        return "\n".join(program.log())

    @not_on_windows(NO_PLACE)
    def test_it_is_its_users_alone_and_goes_with_the_program(self):
        program = self.control("--listen", RIEMANN)
        mode = os.lstat(self.path).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        program.stop()
        self.assertFalse(os.path.lexists(self.path))

    def test_without_the_option_there_is_none(self):
        self.start("--listen", RIEMANN, cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])

    @not_on_windows(NO_PLACE)
    def test_what_a_dead_program_left_is_replaced(self):
        program = self.control("--listen", RIEMANN)
        program.send_signal(signal.SIGKILL)
        program.process.wait()
        self.assertTrue(os.path.lexists(self.path))
        self.control("--listen", RIEMANN)
        self.assertFalse(self.client().ask("ledger")["final"])

    def test_a_living_programs_is_refused_and_left_alone(self):
        self.control("--listen", RIEMANN)
        self.assertIn("another program listens there", self.refused(self.address))
        self.assertFalse(self.client().ask("ledger")["final"])

    @not_on_windows(NO_PLACE)
    def test_what_is_no_socket_is_refused_and_left_alone(self):
        self.path.write_text("precious")
        for more in ((), ("--check",)):
            self.assertIn("a file is there, and it is not a socket; use another path", self.refused(f"unix:{self.path}", *more))
        self.assertEqual(self.path.read_text(), "precious")

    @not_on_windows(NO_PLACE)
    def test_a_place_that_cannot_be_is_refused(self):
        self.assertIn(f"No such file or directory; create the folder: mkdir -p {self.folder}/missing",
                      self.refused(f"unix:{self.folder}/missing/control"))
        self.assertIn("too long", self.refused("unix:" + "x" * 200))
        self.assertIn("not of the form unix:PATH", self.refused("/tmp/control", code=64))
        self.assertIn("not of the form unix:PATH", self.refused("unix:", code=64))

    @not_on_windows(NO_PLACE)
    def test_a_socket_that_has_taken_its_place_is_not_removed(self):
        program = self.control("--listen", RIEMANN)
        os.rename(self.path, self.folder / "moved")
        other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(other.close)
        other.bind(str(self.path))
        program.stop()
        self.assertTrue(os.path.lexists(self.path))

    def test_of_many_that_start_together_one_has_it_and_the_others_say_so(self):
        """A socket file of a dead process is in their way; Windows has no socket files."""
        for _ in range(5):
            if not WINDOWS:
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
                    dead.bind(str(self.path))
            programs = [self.launch("--listen", RIEMANN, "--control", self.address)
                        for _ in range(6)]
            client = self.client()
            client.ask("ledger")
            wait_until(lambda: sum(each.process.poll() is None for each in programs) == 1,
                       "all but one have ended")
            self.assertFalse(client.ask("ledger")["final"])
            for program in programs:
                if program.process.poll() is None:
                    program.wait_for_listeners().stop()
                else:
                    program.finish(73)
                    self.assertIn("another program listens there", "\n".join(program.log()))

    def test_a_start_that_fails_leaves_none(self):
        taken = self.control("--listen", RIEMANN)
        path = self.folder / "second"
        self.launch("--listen", taken.names[0], "--control", self.control_address(path.name)).finish(69)
        self.assertFalse(os.path.lexists(path))


class Requests(ControlTest):
    def test_the_ledger_is_the_final_one_once_all_is_written(self):
        program = self.control("--listen", TELEMETRY)
        client = self.client()
        self.sender(program).send_all([gauge("v", value, sequence=value + 1) for value in range(50)]
                                      + [b"\xff", gauge("v", 1.0, sequence=60)])
        ledger = self.ask_until(
            client, "ledger", lambda ledger: settled(ledger["sinks"][0]) == 51 and
            is_still(ledger["sinks"][0]), "all was written")
        check_running_ledger(ledger)
        ledger = program.with_drops(ledger)
        final = program.stop()
        self.assertEqual(final["listeners"][0].pop("lost"), 9)  # known only at the end
        self.assertEqual(ledger["listeners"][0].pop("lost"), 0)
        for name in ("listeners", "sinks"):
            self.assertEqual(ledger[name], final[name])

    def test_the_health_is_reported_without_metrics_too(self):
        program = self.control("--listen", RIEMANN)
        client = self.client()
        health = client.ask("health")
        del health["sandbox"]  # depends on the system
        self.assertEqual(health, {"status": "ready"})
        program.stop()

    def test_levels_are_what_the_status_page_gets(self):
        program = self.control("--listen", RIEMANN)
        answer = self.client().ask("levels")
        self.assertEqual(set(answer), {"listeners", "streams", "sinks", "batches"})
        sink, = answer["sinks"]
        self.assertEqual((sink["figures"], sink["answers"], sink["oldest_seconds"]), ({}, {}, 0))
        program.stop()

    def test_answers_come_in_the_order_of_requests(self):
        self.control("--listen", RIEMANN)
        client = self.client()
        client.socket.sendall(b"ledger\nsenders\r\nledger\nhealth x\nwhat\nledger now\n\ntap\n")
        self.assertIn("uptime_seconds", client.read_line())
        self.assertIn("losers", client.read_line())
        self.assertIn("uptime_seconds", client.read_line())
        for _ in range(5):
            self.assertIn("no such request", client.read_line()["error"])
        self.assertIn("uptime_seconds", client.ask("ledger"))

    @not_on_windows("the end of what is sent through a pipe is the pipe's end")
    def test_who_closes_its_side_gets_what_it_asked_for(self):
        self.control("--listen", RIEMANN)
        client = self.client()
        client.socket.sendall(b"ledger\nsenders\n")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertIn("uptime_seconds", client.read_line())
        self.assertIn("losers", client.read_line())
        self.assertIsNone(client.read_line())

    def test_a_request_in_pieces_is_one(self):
        self.control("--listen", RIEMANN)
        client = self.client()
        for piece in (b"led", b"ge", b"r\n"):
            client.socket.sendall(piece)
        self.assertIn("uptime_seconds", client.read_line())

    def test_the_report_is_the_text_that_the_program_prints(self):
        program = self.control("--listen", RIEMANN, ledger="text")
        text = self.client().ask("report")["report"]
        self.assertRegex(text, r"^ledger after [0-9.]+ s \(running\)\n")
        self.assertIn(f"listener {program.names[0]} (riemann)\n", text)
        program.ask_to_stop()
        program.process.wait()

    def test_a_report_is_json_where_the_program_prints_that(self):
        self.control("--listen", RIEMANN)
        check_running_ledger(parse_json(self.client().ask("report")["report"]))

    def test_orders_are_answered_in_turn_and_the_last_one_is_carried_out(self):
        """Reloads wait while another one runs. A stop is carried out after them, requests in
        between."""
        program = self.control("--listen", RIEMANN, "--sink", f"file:{self.folder}/lines")
        clients = [self.client() for _ in range(CLIENTS)]
        for client in clients[:-1]:
            client.socket.sendall(b"reload\nledger\nreload\n")
        for client in clients[:-1]:
            self.assertEqual(client.read_line(), {"reload": "done"})
            self.assertIn("uptime_seconds", client.read_line())
            self.assertEqual(client.read_line(), {"reload": "done"})
        clients[-1].socket.sendall(b"reload\nstop\n")
        self.assertEqual(clients[-1].read_line(), {"reload": "done"})
        self.assertEqual(clients[-1].read_line(), {"stop": "begun"})
        program.finish()

    def test_an_order_that_is_not_whole_is_none(self):
        program = self.control("--listen", RIEMANN)
        other = self.client()
        for part in (b"stop", b"sto", b"stop now\n", b" stop\n", b"stop \n", b"STOP\n",
                     b"stop\0\n", b"x" * 508 + b"stop\n"):
            client = self.client()
            client.socket.sendall(part)
            client.close()
            for _ in range(2):  # the first round reads the end of the connection
                self.assertFalse(other.ask("ledger")["final"])
        self.assertIsNone(program.process.poll())

    def test_an_order_is_carried_out_though_its_client_has_left(self):
        program = self.control("--listen", RIEMANN)
        client = self.client()
        client.send("stop")
        client.close()
        program.finish()

    def test_a_reload_while_it_stops_is_refused(self):
        program = self.control("--listen", RIEMANN, "--stop-timeout", "1h", "--sink", "stdout:",
                               stdout=self.full_pipe())
        self.sender(program).send_all([metric(value) for value in range(1000)])
        client = self.client()
        self.assertEqual(client.ask("stop"), {"stop": "begun"})
        self.assertIn("stopping", client.ask("reload")["refused"])
        self.assertEqual(client.ask("stop"), {"stop": "begun"})  # without waiting for the reload
        program.finish()

    @not_on_windows(NO_PLACE)
    def test_who_is_neither_its_user_nor_root_may_ask_and_order_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        program = self.control("--listen", RIEMANN)
        self.folder.chmod(0o711)
        self.path.chmod(0o666)
        os.seteuid(64123)
        try:
            client = self.client()
        finally:
            os.seteuid(0)
        for order in ("reload", "stop"):
            self.assertIn("only the user of this sluice", client.ask(order)["error"])
        self.assertFalse(client.ask("ledger")["final"])
        self.assertIn("uptime_seconds", client.ask("report")["report"])
        self.assertEqual([line for line in program.log() if "anew" in line], [])
        self.assertEqual(self.client().ask("stop"), {"stop": "begun"})
        program.finish()

    def test_a_request_without_end_is_cut_off(self):
        self.control("--listen", RIEMANN)
        client = self.client()
        client.socket.sendall(b"x" * 512)
        self.assertIsNone(client.read_line())
        self.assertIn("uptime_seconds", self.client().ask("ledger"))

    def test_more_clients_than_it_serves_are_refused(self):
        self.control("--listen", RIEMANN)
        clients = [self.client() for _ in range(CLIENTS)]
        for client in clients:
            client.ask("ledger")
        further = self.client()
        while not select.select([further.socket], [], [], 0)[0]:  # no client is idle
            for client in clients:
                client.ask("health")
        self.assertIn("too many", further.read_line()["error"])
        clients[3].close()
        answers = []

        def served():
            client = self.client()
            try:
                answers.append(client.ask("ledger"))
            except (BrokenPipeError, ConnectionResetError):
                return False
            finally:
                client.close()
            return "uptime_seconds" in answers[-1]
        wait_until(served, "a place is free again")

    def test_who_asks_without_end_is_answered_in_good_time_only(self):
        self.control("--listen", RIEMANN)
        client = self.client()
        began = time.monotonic()
        for _ in range(11):
            client.ask("ledger")
        self.assertGreater(time.monotonic() - began, 0.5)

    def test_it_answers_while_it_stops(self):
        program = self.control("--listen", RIEMANN, "--stop-timeout", "1h",
                               "--sink", f"file:{self.folder}/lines", "--sink", "stdout:",
                               stdout=self.full_pipe())
        client = self.client()
        self.sender(program).send_all([metric(value) for value in range(1000)])
        program.ask_to_stop()
        ledger = self.ask_until(client, "ledger",
                                lambda ledger: settled(ledger["sinks"][0]) == 1000,
                                "the file is written")
        self.assertGreater(ledger["sinks"][1]["in_flight"], 0)
        program.ask_to_stop()
        program.finish()
        self.assertFalse(os.path.lexists(self.path))

    def full_pipe(self):
        """A full pipe that is not read."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b"\n" * 4096)
        except BlockingIOError:
            pass
        os.set_blocking(writer, True)
        self.addCleanup(os.close, writer)
        return writer


class Senders(ControlTest):
    def send_from(self, program, host, datagrams, listener=0):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((host, 0))
            for datagram in datagrams:
                sender.sendto(datagram, ("127.0.0.1", program.port(listener)))

    def test_a_few_are_counted_exactly(self):
        program = self.control("--listen", RIEMANN + "&receivers=2", "--listen", RIEMANN,
                               listeners=2)
        sent = {f"127.0.1.{n}": [metric(value) for value in range(7 * n)] for n in range(1, 9)}
        received = 0
        for host, datagrams in sent.items():
            for datagram in datagrams:  # each datagram from a different port
                self.send_from(program, host, [datagram])
            received += len(datagrams)
            program.wait_for_received(received)
        self.send_from(program, "127.0.1.1", [b"", b"\xff"], listener=1)
        program.wait_for_received(2, listener=1)
        answer = self.client().ask("senders")
        self.assertEqual([listener["name"] for listener in answer["listeners"]], program.names)
        self.assertEqual(answer["listeners"][0]["senders"], [
            {"address": host, "datagrams": len(datagrams), "bytes": sum(map(len, datagrams))}
            for host, datagrams in reversed(sent.items())])
        self.assertEqual(answer["listeners"][1]["senders"],
                         [{"address": "127.0.1.1", "datagrams": 2, "bytes": 1}])
        self.assertEqual((answer["replaced"], answer["losers"]), (0, []))

    def test_ten_thousand_are_bounded_and_the_busy_one_is_seen(self):
        program = self.control("--listen", RIEMANN, "--sink", f"file:{self.folder}/lines")
        count = 0
        for n in range(10000):
            self.send_from(program, f"127.1.{n // 250}.{n % 250 + 1}", [metric(n)])
            count += 1
            if n % 10 == 0:
                self.send_from(program, "127.9.9.9", [metric(n)])
                count += 1
            if n % BURST == 0:
                program.wait_for_received(count)
        ledger = program.wait_for_received(count)
        self.assertEqual(ledger["listeners"][0]["received"], count)
        answer = self.client().ask("senders")
        senders = answer["listeners"][0]["senders"]
        self.assertEqual(len(senders), 64)
        self.assertEqual((senders[0]["address"], senders[0]["datagrams"]), ("127.9.9.9", 1000))
        self.assertEqual(answer["replaced"], 10001 - 1024)
        program.stop()

    def test_loss_is_reported_of_those_who_number_what_they_send(self):
        program = self.control("--listen", TELEMETRY)
        sender = self.sender(program)
        sender.send_all([gauge("v", 1.0, sender="web1/\u20ac", boot=1, sequence=number)
                         for number in (1, 2, 2, 6)])
        answer = self.client().ask("senders")
        numbers = {"lost": 0, "missing": 3, "duplicated": 1}
        found = answer["listeners"][0]["senders"][0]
        self.assertEqual({**found, "bytes": None},
                         {"address": "127.0.0.1", "datagrams": 4, "bytes": None, "numbered": 1,
                          **numbers})
        self.assertEqual(answer["losers"], [{"listener": program.names[0], "address": "127.0.0.1",
                                             "sender": "web1/\u20ac", **numbers}])

    def test_a_capture_has_senders_too(self):
        """A capture in a pipe, which keeps the program waiting for more data."""
        live = LivePipe(self.folder)
        self.addCleanup(live.close)
        capture = next(path for path in sorted(CAPTURES.rglob("*.pcap"))
                       if "riemann" in path.name and path.stat().st_size < 60000)
        program = self.launch("--listen", f"pcap:{live.path}?schema=riemann",
                              "--control", self.address)
        writer = live.open()
        writer.write(capture.read_bytes())
        answer = self.ask_until(self.client(), "senders",
                                lambda answer: answer["listeners"][0]["senders"],
                                "the capture was read")
        writer.close()
        ledger = program.finish()
        received = sum(sender["datagrams"] for sender in answer["listeners"][0]["senders"])
        self.assertTrue(0 < received <= ledger["listeners"][0]["received"])


class Tap(ControlTest):
    def tapping(self, pattern):
        """A client with a tap that receives records from now on."""
        client = self.client()
        client.ask("health")  # then the relay on Windows is running and forwards immediately
        client.send(f"tap {pattern}")
        self.serve_rounds()
        return client

    def serve_rounds(self):
        """Makes several requests from another client. The last answer shows that all earlier work
        is done."""
        other = self.client()
        for _ in range(3):
            other.ask("ledger")
        other.close()

    def test_it_shows_the_matching_lines_of_samples_as_they_are_written(self):
        program = self.control("--listen", TELEMETRY)
        client = self.tapping("cpu.*")
        self.sender(program).send_all([
            telemetry(sample("cpu.user", double=1.0), sample("mem", double=2.0),
                      sample("cpu.sys", int=3, labels=[("core", "0")])),
            telemetry(sample("disk", double=4.0)),
            telemetry(sample("cpu", double=5.0), sample("cpu.", double=6.0)),
        ])
        seen = [client.read_line() for _ in range(3)]
        lines = {line["name"]: line for line in program.wait_for_output(6)}
        self.assertEqual(seen, [lines["cpu.user"], lines["cpu.sys"], lines["cpu."]])

    def test_each_watcher_sees_its_own(self):
        program = self.control("--listen", TELEMETRY)
        first, second = self.tapping("a?"), self.tapping("*2")
        self.sender(program).send_all([telemetry(sample(name, double=1.0))
                                       for name in ("a1", "b2", "a2", "c3")])
        self.assertEqual([first.read_line()["name"] for _ in range(2)], ["a1", "a2"])
        self.assertEqual([second.read_line()["name"] for _ in range(2)], ["b2", "a2"])

    def test_what_has_no_samples_matches_by_its_schema(self):
        program = self.control("--listen", "udp://127.0.0.1:0?schema=otlp-logs")
        other, client = self.tapping("telemetry"), self.tapping("otlp-*")
        self.sender(program).send_all([b"\x0a\x00"])
        self.assertEqual(client.read_line()["schema"], "otlp-logs")
        self.assertFalse(select.select([other.socket], [], [], 0.1)[0])

    def test_it_never_shows_more_than_its_bound_a_second_and_reports_what_is_left_out(self):
        program = self.control("--listen", RIEMANN, "--sink", f"file:{self.folder}/lines")
        began = time.monotonic()
        client = self.tapping("*")
        flood = self.flood(program, metric)
        shown, left_out = 0, 0
        while time.monotonic() - began < 3.5:
            line = client.read_line()
            left_out += line.get("left_out_records", 0)
            shown += "left_out_records" not in line
            self.assertLessEqual(shown, TAP_LINES * (int(time.monotonic() - began) + 1))
        flood.end()
        self.assertGreaterEqual(shown, 2 * TAP_LINES)
        self.assertGreater(left_out, 0)
        # When the records of the last second have come, all records are accounted for, one on each
        # line.
        ledger = program.wait_for_received(flood.sent)
        decoded = ledger["listeners"][0]["decoded"]
        while shown + left_out < decoded:
            line = client.read_line()
            left_out += line.get("left_out_records", 0)
            shown += "left_out_records" not in line
        self.assertEqual(shown + left_out, decoded)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], decoded)

    @not_on_windows(NO_SUCH_FACTS)
    def test_names_that_take_long_to_match_cost_a_part_of_a_processor(self):
        program = self.control("--listen", TELEMETRY, "--sink", f"file:{self.folder}/lines")
        self.tapping("*" + "a" * 127 + "b")
        datagram = telemetry(sample("a" * 1300, double=1.0))
        flood = self.flood(program, lambda _: datagram)
        began, before = time.monotonic(), self.main_thread_seconds(program)
        wait_until(lambda: time.monotonic() - began > 2, "two seconds")
        share = (self.main_thread_seconds(program) - before) / (time.monotonic() - began)
        flood.end()
        self.assertLess(share, 0.5)
        program.stop()

    @staticmethod
    def main_thread_seconds(program):
        """The processor time of the main thread, which serves the clients."""
        pid = program.process.pid
        facts = pathlib.Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, facts[11:13])) / os.sysconf("SC_CLK_TCK")

    def test_who_reads_nothing_costs_no_record_and_is_given_up(self):
        program = self.control("--listen", TELEMETRY, "--sink", f"file:{self.folder}/lines",
                               "--stall-timeout", "1s")
        client = self.tapping("*")
        sender = self.sender(program)
        name = "x" * 8000  # fills the socket and the client's buffer quickly
        count = 0

        def given_up():
            nonlocal count
            sender.send_all([telemetry(sample(name, double=1.0))] * 20, before=count)
            count += 20
            time.sleep(0.1)
            return client.is_given_up()
        wait_until(given_up, "the client was given up")
        self.assertFalse(self.client().ask("ledger")["final"])
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], count)

    def test_who_leaves_turns_it_off(self):
        program = self.control("--listen", RIEMANN)
        sender = self.sender(program)
        client = self.tapping("*")
        sender.send_all([metric(1)])
        client.read_line()
        client.close()
        self.serve_rounds()
        sender.send_all([metric(2)], before=1)
        program.wait_for_output(2)
        client = self.tapping("*")
        sender.send_all([metric(3)], before=2)
        self.assertEqual(client.read_line()["value"], 3)


if __name__ == "__main__":
    unittest.main()
