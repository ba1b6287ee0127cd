"""Tests sockets that the program inherits, as from systemd. They are bound before the program
starts, and remain open after it ends."""
import contextlib
import os
import signal
import socket
import threading
import unittest

from built import IN_USE, nothing_on_windows
from protobuf import metric
from service_manager import Manager, launch
from sluice_program import ONE_THREAD, ProgramTest, read_lines, same_with_one_thread
from test_config import READS_FILES
from test_tcp import OK, Client, framed

nothing_on_windows("no process is started with sockets there")

UDP_GRO = 104
SO_RCVBUF_OVERHEAD = 2  # Linux doubles the requested size, and reports the double


def received(ledger, listener=0):
    return ledger["listeners"][listener]["received"]


def waiting(udp):
    """Receives all datagrams that the kernel holds for the socket. Returns their number."""
    count = 0
    udp.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while udp.recv(1 << 16):
            count += 1
    return count


def values(lines):
    return [line["value"] for line in lines]


class InheritedTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "lines"
        self.manager = Manager(self.folder)
        self.addCleanup(self.manager.close)

    def udp(self, host="127.0.0.1", buffer=None):
        """A socket that is bound as systemd does it. It stays open until the test ends."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        if buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        made.bind((host, 0))
        return made

    def tcp(self, host="127.0.0.1"):
        """The same as udp, for a listening stream socket."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM)
        self.addCleanup(made.close)
        made.bind((host, 0))
        made.listen()
        return made

    def local(self, kind=socket.SOCK_STREAM):
        """The same as tcp, for a unix socket in the test's folder."""
        made = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(made.close)
        made.bind(str(self.folder / "local"))
        made.listen()
        return made

    def connect(self, to):
        client = Client(None, to=to)
        self.addCleanup(client.socket.close)
        return client

    def send(self, to, numbers):
        with socket.socket(to.family, socket.SOCK_DGRAM) as sender:
            for number in numbers:
                sender.sendto(metric(number), to.getsockname())

    def launch_with(self, sockets, *arguments, names=None, **more):
        variables = {} if names is None else {"LISTEN_FDNAMES": ":".join(names)}
        return launch(self, self.manager, *arguments, sockets=sockets, variables=variables, **more)

    def start_with(self, sockets, *arguments, **more):
        program = self.launch_with(sockets, *arguments, "--sink", f"file:{self.path}", **more)
        self.manager.wait_for("READY")
        return program

    def refused_with(self, sockets, *arguments, code=69, **more):
        """Starts the program, which must refuse to start. Returns the line that it prints."""
        program = self.launch_with(sockets, *arguments, **more)
        program.finish(code)
        self.assertEqual(len(program.said()), 1, program.said())
        return program.said()[0]


class Serving(InheritedTest):
    def test_by_its_name(self):
        riemann = self.udp()
        program = self.start_with([riemann], "--listen", "fd:riemann?schema=riemann",
                                  names=["riemann"])
        program.wait_for_log(r"fd:riemann: using an inherited socket bound to 127\.0\.0\.1:"
                             f"{riemann.getsockname()[1]}$")
        program.wait_for_log("listening on fd:riemann for riemann, ")
        self.send(riemann, range(100))
        program.wait_for_settled(100)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["name"], "fd:riemann")
        self.assertEqual(received(ledger), 100)
        lines = read_lines(self.path)
        self.assertEqual(values(lines), list(range(100)))
        self.assertEqual({line["listener"] for line in lines}, {"fd:riemann"})

    def test_what_came_before_the_start_is_received_without_another_edge(self):
        riemann = self.udp()
        self.send(riemann, range(20))
        program = self.start_with([riemann], "--listen", "fd:riemann?schema=riemann",
                                  names=["riemann"])
        program.wait_for_settled(20)
        self.assertEqual(received(program.stop()), 20)
        self.assertEqual(values(read_lines(self.path)), list(range(20)))

    def test_all_of_one_name_are_one_listener(self):
        both = [self.udp("127.0.0.1"), self.udp("::1")]
        program = self.start_with(both, "--listen", "fd:both?schema=riemann", names=["both"] * 2)
        for each in both:
            self.send(each, range(10))
        program.wait_for_settled(20)
        ledger = program.stop()
        self.assertEqual(len(ledger["listeners"]), 1)
        self.assertEqual(received(ledger), 20)
        self.assertEqual({line["source"].rpartition(":")[0] for line in read_lines(self.path)},
                         {"127.0.0.1", "[::1]"})

    @same_with_one_thread
    def test_several_threads_share_them(self):
        both = [self.udp(), self.udp()]
        program = self.start_with(both, "--listen", "fd:both?schema=riemann&receivers=2",
                                  names=["both"] * 2)
        for each in both:
            self.send(each, range(10))
        program.wait_for_settled(20)
        self.assertEqual(received(program.stop()), 20)

    @same_with_one_thread
    def test_more_threads_than_sockets_are_reported(self):
        program = self.start_with([self.udp()], "--listen", "fd:one?receivers=3", names=["one"])
        program.wait_for_log("receivers=3: one thread serves a socket, and the number of sockets is 1")
        program.stop()

    def test_each_name_is_a_listener_of_its_own(self):
        first, second = self.udp(), self.udp()
        program = self.start_with([first, second], "--listen", "fd:second?schema=riemann",
                                  "--listen", "fd:first?schema=riemann",
                                  names=["first", "second"])
        self.send(first, range(3))
        self.send(second, range(5))
        program.wait_for_settled(8)
        ledger = program.stop()
        self.assertEqual([received(ledger, 0), received(ledger, 1)], [5, 3])

    def test_by_their_numbers(self):
        first, second = self.udp(), self.udp()
        program = self.start_with([first, second], "--listen", "fd:4?schema=riemann",
                                  "--listen", "fd:3?schema=riemann")
        self.send(first, range(3))
        self.send(second, range(5))
        program.wait_for_settled(8)
        ledger = program.stop()
        self.assertEqual([received(ledger, 0), received(ledger, 1)], [5, 3])

    def test_beside_sockets_of_its_own(self):
        riemann = self.udp()
        program = self.start_with([riemann], "--listen", "fd:unknown?schema=riemann",
                                  "--listen", "udp://127.0.0.1:0?schema=riemann")
        program.wait_for_listeners()
        self.send(riemann, range(3))
        sender = self.sender(program)
        for value in range(4):
            sender.send(metric(value))
        program.wait_for_settled(7)
        ledger = program.stop()
        self.assertEqual([received(ledger, 0), received(ledger, 1)], [3, 4])

    def test_its_packets_say_where_they_went(self):
        every = self.udp("0.0.0.0")
        capture = self.folder / "packets"
        program = self.launch_with([every], "--listen", "fd:3?schema=riemann", "--sink",
                                   f"file:{capture}?format=pcap")
        self.manager.wait_for("READY")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(metric(1), ("127.0.0.1", every.getsockname()[1]))
        program.wait_for_settled(1)
        program.stop()
        packet = capture.read_bytes()[24 + 16:]
        self.assertEqual(packet[16:20], socket.inet_aton("127.0.0.1"))

    def test_sockets_that_no_listener_is_for_are_reported(self):
        program = self.start_with([self.udp(), self.udp()], "--listen", "fd:first",
                                  names=["first", "second"])
        program.wait_for_log("warning: no listener uses an inherited socket: descriptor 4, "
                             "name second$")
        program.stop()

    def test_a_check_needs_none(self):
        """--check needs no sockets, because it runs before the start."""
        _, ledger = self.run_to_end("--check", "--listen", "fd:riemann?schema=riemann")
        self.assertIsNone(ledger)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_file_that_is_printed_means_the_same(self):
        program, _ = self.run_to_end("--print-config", "--listen",
                                     "fd:riemann?schema=riemann&coalesce=1ms", ledger=None)
        printed = self.folder / "sluice.yaml"
        printed.write_bytes(b"".join(program.stdout.lines()))
        self.assertIn("  - address: fd:riemann # command line\n", printed.read_text())
        both = [self.udp(), self.udp()]
        program = self.launch_with(both, "--config", printed, names=["riemann"] * 2)
        self.manager.wait_for("READY")
        for each in both:
            self.send(each, range(3))
        program.wait_for_settled(6)
        self.assertEqual(received(program.stop()), 6)


class Restarting(InheritedTest):
    LISTEN = "fd:riemann?schema=riemann"

    def run_with(self, riemann, *keys):
        return self.start_with([riemann], "--listen", "&".join((self.LISTEN, *keys)),
                               names=["riemann"])

    def test_what_comes_between_two_runs_is_received_by_the_second(self):
        riemann = self.udp()
        first = self.run_with(riemann)
        self.send(riemann, range(3))
        first.wait_for_settled(3)
        self.assertEqual(received(first.stop()), 3)
        self.send(riemann, range(3, 8))
        second = self.run_with(riemann)
        second.wait_for_settled(5)
        ledger = second.stop()
        self.assertEqual(received(ledger), 5)
        self.assertEqual(ledger["listeners"][0]["kernel_drops"], 0)
        self.assertEqual(values(read_lines(self.path)), list(range(8)))

    def test_the_same_after_one_that_was_killed(self):
        riemann = self.udp()
        first = self.run_with(riemann, "kernel_filter=on", "deny=192.0.2.0/24")
        first.send_signal(signal.SIGKILL)
        first.process.wait()
        self.send(riemann, range(5))
        second = self.run_with(riemann)
        second.wait_for_settled(5)
        self.assertEqual(received(second.stop()), 5)

    def test_a_stop_under_load_leaves_the_rest_to_the_next_one(self):
        riemann = self.udp()
        sent = received_in_all = dropped = 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.connect(riemann.getsockname())
            for run in range(4):
                program = self.run_with(riemann)
                for _ in range(50):
                    sender.send(metric(sent))
                    sent += 1
                program.ask_to_stop()
                while program.process.poll() is None and sent < 100 * (run + 1):
                    sender.send(metric(sent))
                    sent += 1
                ledger = program.finish()
                self.assertEqual(ledger["listeners"][0]["refused_while_stopping"], 0)
                received_in_all += received(ledger)
            last = self.run_with(riemann)
            dropped = last.ledger_now()["listeners"][0]["kernel_drops"]
            last.wait_for_settled(sent - received_in_all - dropped)
            received_in_all += received(last.stop())
        self.assertEqual(received_in_all + dropped, sent)
        self.assertEqual(dropped, 0)
        self.assertEqual(values(read_lines(self.path)), list(range(sent)))

    def test_a_filter_of_an_earlier_run_is_taken_back(self):
        riemann = self.udp()
        first = self.run_with(riemann, "kernel_filter=on", "deny=127.0.0.0/8")
        self.send(riemann, range(5))
        ledger = first.wait_for_ledger(
            lambda ledger: ledger["listeners"][0]["kernel_drops_and_filtered"] == 5, "filtered")
        self.assertEqual(received(ledger), 0)
        first.stop()
        second = self.run_with(riemann)
        self.send(riemann, range(5))
        second.wait_for_settled(5)
        second.stop()

    def test_gro_of_an_earlier_run_is_taken_back(self):
        riemann = self.udp()
        for keys, expected in ((["gro=on"], 1), ([], 0)):
            self.run_with(riemann, *keys).stop()
            self.assertEqual(riemann.getsockopt(socket.IPPROTO_UDP, UDP_GRO), expected)

    def test_drops_are_those_of_all_runs(self):
        riemann = self.udp(buffer=4096)
        self.send(riemann, range(100))
        program = self.run_with(riemann, "receive_buffer=4KiB")
        ledger = program.wait_for_ledger(lambda ledger: received(ledger) + ledger["listeners"][0][
            "kernel_drops"] == 100, "all are accounted for")
        dropped = ledger["listeners"][0]["kernel_drops"]
        self.assertGreater(dropped, 0)
        program.stop()
        ledger = self.run_with(riemann, "receive_buffer=4KiB").stop()
        self.assertEqual(ledger["listeners"][0]["kernel_drops"], dropped)

    def test_a_receive_buffer_is_raised_and_never_made_smaller(self):
        riemann = self.udp(buffer=50000)
        for wanted, at_least in (("16KiB", 50000), ("100KiB", 102400), ("16KiB", 102400)):
            self.run_with(riemann, f"receive_buffer={wanted}").stop()
            self.assertEqual(riemann.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF),
                             SO_RCVBUF_OVERHEAD * at_least)


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Reloading(InheritedTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "sluice.yaml"

    def configure(self, *listeners):
        self.file.write_text("\n".join(["listeners:", *(f"  - {each}" for each in listeners),
                                        "sinks:", f"  - file:{self.path}", ""]))

    def start_configured(self, sockets, **more):
        program = self.launch_with(sockets, "--config", self.file, **more)
        self.manager.wait_for("READY")
        return program

    def reload(self, program):
        program.ask_to_reload()
        self.manager.wait_for("RELOADING")
        self.manager.wait_for("READY")

    def test_a_listener_that_goes_and_comes_again_misses_nothing(self):
        own = "udp://127.0.0.1:0?schema=riemann"
        riemann = self.udp(buffer=4096)
        self.send(riemann, range(100))
        self.configure(own, "fd:riemann?schema=riemann&receive_buffer=4KiB")
        program = self.start_configured([riemann], names=["riemann"])
        ledger = program.wait_for_ledger(
            lambda ledger: received(ledger, 1) + ledger["listeners"][1]["kernel_drops"] == 100,
            "all are accounted for")
        before, dropped = received(ledger, 1), ledger["listeners"][1]["kernel_drops"]
        self.assertGreater(dropped, 0)
        self.configure(own)
        self.reload(program)
        program.wait_for_log("no listener uses an inherited socket: descriptor 3, name riemann")
        self.send(riemann, range(2))
        self.configure(own, "fd:riemann?schema=riemann&receive_buffer=4KiB")
        self.reload(program)
        program.wait_for_settled(before + 2)
        ledger = program.stop()
        listener = next(each for each in ledger["listeners"] if each["name"] == "fd:riemann")
        self.assertEqual((listener["received"], listener["kernel_drops"],
                          listener["refused_while_stopping"]), (before + 2, dropped, 0))

    def test_a_listener_that_goes_under_load_leaves_the_rest(self):
        own = "udp://127.0.0.1:0?schema=riemann"
        riemann = self.udp()
        configurations = ((own, "fd:riemann?schema=riemann"), (own,))
        self.configure(*configurations[0])
        program = self.start_configured([riemann], names=["riemann"])
        stopping = threading.Event()
        sent = 0

        def send_on():
            nonlocal sent
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.connect(riemann.getsockname())
                while not stopping.wait(0.00005):
                    sender.send(metric(sent))
                    sent += 1
        sender = threading.Thread(target=send_on)
        sender.start()
        try:
            for turn in range(1, 40):
                self.configure(*configurations[turn % 2])
                self.reload(program)
        finally:
            stopping.set()
            sender.join()
        listener, = [each for each in program.stop()["listeners"]
                     if each["name"] == "fd:riemann"]
        self.assertGreater(listener["received"], 0)
        self.assertEqual(listener["received"] + listener["kernel_drops"] + waiting(riemann),
                         sent)

    def test_one_that_is_taken_back_leaves_all_to_the_others(self):
        own = "udp://127.0.0.1:0?schema=riemann"
        riemann = self.udp()
        self.configure(own)
        program = self.start_configured([riemann], names=["riemann"])
        self.send(riemann, range(3))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            self.configure(own, "fd:riemann?schema=riemann",
                           f"udp://127.0.0.1:{other.getsockname()[1]}?schema=riemann")
            self.reload(program)
        program.wait_for_log(IN_USE)
        program.stop()
        self.assertEqual(waiting(riemann), 3)

    def test_one_that_was_changed_still_leaves_the_rest_to_the_next_run(self):
        riemann = self.udp()
        self.configure("fd:riemann?schema=riemann&receive_buffer=16KiB")
        program = self.start_configured([riemann], names=["riemann"])
        self.configure("fd:riemann?schema=riemann&receive_buffer=100KiB")
        self.reload(program)
        program.wait_for_log("configuration reloaded")
        program.stop()
        self.send(riemann, range(5))
        program = self.start_configured([riemann], names=["riemann"])
        program.wait_for_settled(5)
        self.assertEqual(received(program.stop()), 5)

    def test_one_that_is_not_there_changes_nothing(self):
        riemann = self.udp()
        self.configure("fd:riemann?schema=riemann")
        program = self.start_configured([riemann], names=["riemann"])
        self.configure("fd:riemann?schema=riemann", "fd:otlp?schema=otlp")
        self.reload(program)
        program.wait_for_log("the present configuration stays: .*sluice.yaml:3:5: fd:otlp: this process "
                             "was not started with such a socket")
        self.send(riemann, range(3))
        program.wait_for_settled(3)
        self.assertEqual(len(program.stop()["listeners"]), 1)


@unittest.skipIf(ONE_THREAD, "connections are served by threads of their own")
class Streams(InheritedTest):
    def exchange(self, client, *numbers):
        client.send(framed(*[metric(number) for number in numbers]))
        self.assertEqual(client.answers(len(numbers)), [OK] * len(numbers))

    def test_connections_are_served_and_answered(self):
        riemann = self.tcp()
        program = self.start_with([riemann], "--listen",
                                  "fd:riemann?schema=riemann&receivers=2&max_connections=10",
                                  names=["riemann"])
        program.wait_for_log(r"fd:riemann: using an inherited socket bound to 127\.0\.0\.1:"
                             f"{riemann.getsockname()[1]}$")
        program.wait_for_log("listening on fd:riemann for riemann, 2 threads")
        self.exchange(self.connect(riemann), *range(100))
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["name"], listener["kind"]), ("fd:riemann", "tcp"))
        self.assertEqual((listener["received"], listener["connections"]), (100, 1))
        lines = read_lines(self.path)
        self.assertEqual(values(lines), list(range(100)))
        self.assertEqual({line["listener"] for line in lines}, {"fd:riemann"})

    def test_a_local_socket_is_served_and_its_file_stays(self):
        local = self.local()
        program = self.start_with([local], "--listen", "fd:local?schema=riemann", names=["local"])
        program.wait_for_log(f"fd:local: using an inherited socket bound to unix:{self.folder}/local$")
        self.exchange(self.connect(local), *range(10))
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["received"], listener["connections"]), (10, 1))
        self.assertEqual({line["source"] for line in read_lines(self.path)},
                         {f"uid:{os.geteuid()}:{os.getpid()}"})
        self.assertTrue((self.folder / "local").is_socket())

    def test_all_of_one_name_are_one_listener(self):
        both = [self.tcp("127.0.0.1"), self.tcp("::1")]
        program = self.start_with(both, "--listen", "fd:both?schema=riemann", names=["both"] * 2)
        for each in both:
            self.exchange(self.connect(each), 1, 2, 3)
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["received"], listener["connections"]), (6, 2))
        self.assertEqual({line["source"].rpartition(":")[0] for line in read_lines(self.path)},
                         {"127.0.0.1", "[::1]"})

    def test_datagrams_and_connections_beside_each_other(self):
        udp, tcp = self.udp(), self.tcp()
        program = self.start_with([udp, tcp], "--listen", "fd:a?schema=riemann",
                                  "--listen", "fd:b?schema=riemann", names=["a", "b"])
        self.send(udp, range(3))
        self.exchange(self.connect(tcp), 3, 4)
        program.wait_for_settled(5)
        ledger = program.stop()
        self.assertEqual([(each["kind"], each["received"]) for each in ledger["listeners"]],
                         [("udp", 3), ("tcp", 2)])

    def test_who_connects_before_the_start_or_after_the_stop_waits_for_the_next_run(self):
        riemann = self.tcp()
        for turn in range(3):
            client = self.connect(riemann)
            client.send(framed(metric(turn)))
            program = self.start_with([riemann], "--listen", "fd:riemann?schema=riemann",
                                      names=["riemann"])
            self.assertEqual(client.answer(), OK)
            program.stop()
        self.assertEqual(values(read_lines(self.path)), [0, 1, 2])

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_takes_it_away_and_brings_it_back(self):
        own = "udp://127.0.0.1:0?schema=riemann"
        riemann = self.tcp()
        file = self.folder / "sluice.yaml"

        def configure(*listeners):
            file.write_text("\n".join([
                "listeners:", *(f"  - {one}" for one in listeners),
                "sinks:", f"  - file:{self.path}", ""]), encoding="utf-8")

        def reload():
            program.ask_to_reload()
            self.manager.wait_for("RELOADING")
            self.manager.wait_for("READY")
        configure(own, "fd:riemann?schema=riemann")
        program = self.launch_with([riemann], "--config", file, names=["riemann"])
        self.manager.wait_for("READY")
        for turn in range(3):
            before = self.connect(riemann)
            self.exchange(before, turn)
            configure(own)
            reload()
            self.assertTrue(before.ends())
            waits = self.connect(riemann)
            waits.send(framed(metric(10 + turn)))
            configure(own, f"fd:riemann?schema=riemann&max_connections={10 + turn}")
            reload()
            self.assertEqual(waits.answer(), OK)
        program.stop()
        self.assertEqual(values(read_lines(self.path)), [0, 10, 1, 11, 2, 12])


class Refusing(InheritedTest):
    def test_a_name_that_none_has(self):
        said = self.refused_with([self.udp(), self.udp()], "--listen", "fd:rieman",
                                 names=["riemann", "otlp"])
        self.assertIn("fd:rieman: this process was not started with such a socket (it has: "
                      "riemann, otlp)", said)

    def test_a_process_without_any(self):
        said = self.refused("--listen", "fd:riemann", code=69)
        self.assertIn("(it has: none)", said)

    def test_sockets_that_are_meant_for_another_process(self):
        program = launch(self, self.manager, "--listen", "fd:3", sockets=[self.udp()],
                         variables={"LISTEN_PID": "1"})
        program.finish(69)
        self.assertIn("(it has: none)", program.said()[0])

    def test_descriptors_that_are_not_open(self):
        program = launch(self, self.manager, "--listen", "fd:3", sockets=[self.udp()],
                         variables={"LISTEN_FDS": "2"})
        program.finish(69)
        self.assertIn("LISTEN_FDS names 2 sockets, but descriptor 4 is not open",
                      program.said()[0])

    def test_a_stream_that_does_not_listen(self):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as stream:
            stream.bind(("127.0.0.1", 0))
            said = self.refused_with([stream], "--listen", "fd:3")
        self.assertIn("fd:3: descriptor 3 is neither a UDP socket", said)

    @same_with_one_thread
    def test_a_local_socket_of_packets(self):
        said = self.refused_with([self.local(socket.SOCK_SEQPACKET)], "--listen",
                                 "fd:3?schema=riemann")
        self.assertIn("fd:3: descriptor 3 cannot be used as a TCP or local stream socket", said)

    @unittest.skipIf(ONE_THREAD, "connections are served by threads of their own")
    def test_addresses_are_not_allowed_or_denied_on_a_local_socket(self):
        said = self.refused_with([self.local()], "--listen",
                                 "fd:3?schema=riemann&deny=127.0.0.1", code=78)
        self.assertIn("fd:3: allow= and deny= are for addresses", said)

    @same_with_one_thread
    def test_keys_of_the_other_kind(self):
        said = self.refused_with([self.tcp()], "--listen", "fd:3?schema=riemann&gro=on", code=64)
        self.assertIn('key "gro" is for a udp listener, not for a tcp listener', said)
        said = self.refused_with([self.udp()], "--listen", "fd:3?schema=riemann&max_frame=1KiB",
                                 code=64)
        self.assertIn('key "max_frame" is for a tcp or unix listener, not for a udp listener', said)

    def test_one_name_for_both_kinds(self):
        said = self.refused_with([self.tcp(), self.udp()], "--listen", "fd:x?schema=riemann",
                                 names=["x", "x"])
        self.assertIn("fd:x: some sockets of this name take datagrams, others connections", said)

    def test_a_stream_without_a_framing(self):
        said = self.refused_with([self.tcp()], "--listen", "fd:3?schema=telemetry", code=64)
        self.assertIn("a stream needs a framing=", said)

    def test_a_local_socket(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as local:
            local.bind(str(self.folder / "local"))
            said = self.refused_with([local], "--listen", "fd:3")
        self.assertIn("fd:3: descriptor 3 is neither a UDP socket", said)

    def test_a_file(self):
        with open(self.folder / "file", "wb") as file:
            said = self.refused_with([file], "--listen", "fd:3")
        self.assertIn("fd:3: descriptor 3 is not a socket", said)

    def test_one_that_is_not_bound(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unbound:
            said = self.refused_with([unbound], "--listen", "fd:3")
        self.assertIn("fd:3: descriptor 3 is not bound to a port", said)

    def test_one_socket_for_two_listeners(self):
        said = self.refused_with([self.udp()], "--listen", "fd:riemann", "--listen", "fd:3",
                                 names=["riemann"], code=78)
        self.assertIn("fd:3: this socket already belongs to fd:riemann", said)

    def test_one_name_twice(self):
        said = self.refused("--listen", "fd:riemann", "--listen", "fd:riemann", code=64)
        self.assertIn("has this address already", said)

    def test_no_name(self):
        self.assertIn("the name of the socket is missing; write fd:NAME",
                      self.refused("--listen", "fd:", code=64))

    def test_a_key_that_is_about_binding(self):
        self.assertIn("ipv6_only does not apply to inherited sockets",
                      self.refused("--listen", "fd:x?ipv6_only=true", code=64))
        for keys in ("interface=lo", "source=192.0.2.1", "receivers=2&spread=datagram"):
            self.assertIn("not apply to inherited sockets",
                          self.refused("--listen", f"fd:x?{keys}", code=64))


if __name__ == "__main__":
    unittest.main()
