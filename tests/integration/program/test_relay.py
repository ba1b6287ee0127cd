"""Tests `udp:` sinks: datagrams are relayed unchanged, to all addresses or to each in turn, and
counted."""
import os
import socket
import subprocess
import unittest

from built import WINDOWS, command, not_on_windows
from protobuf import delimited, gauge, metric
from sluice_program import (ANY_PORT, CHANGED, DEADLINE, RIEMANN, SLUICE, TELEMETRY, ProgramTest,
                            read_lines, same_with_one_thread)

DELIMITED = ANY_PORT + "?schema=telemetry&framing=delimited"


class Target:
    """A socket that receives relayed datagrams."""

    def __init__(self, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind((host, 0))
        self.socket.settimeout(DEADLINE)
        self.port = self.socket.getsockname()[1]
        self.url = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    def receive(self, count):
        """The next datagrams, each with its sender's port."""
        got = []
        for _ in range(count):
            data, sender = self.socket.recvfrom(70000)
            got.append((data, sender[1]))
        return got

    def payloads(self, count):
        return [data for data, _ in self.receive(count)]

    def has_more(self):
        self.socket.setblocking(False)
        try:
            self.socket.recv(70000)
            return True
        except BlockingIOError:
            return False


class Relay(ProgramTest):
    def target(self, host="127.0.0.1"):
        target = Target(host)
        self.addCleanup(target.socket.close)
        return target


class Passing(Relay):
    def test_each_datagram_goes_to_all_addresses_unchanged(self):
        targets = [self.target(), self.target()]
        program = self.start("--listen", RIEMANN, "--sink",
                             "udp:" + ",".join(target.url for target in targets))
        sent = [metric(number, host="web1") for number in range(100)]
        self.sender(program).send_all(sent)
        for target in targets:
            self.assertEqual(target.payloads(100), sent)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"], sink["bytes"]),
                         (100, 200, 2 * sum(map(len, sent))))
        self.assertFalse(any(target.has_more() for target in targets))

    def test_in_turn_each_datagram_goes_to_one(self):
        targets = [self.target() for _ in range(3)]
        program = self.start("--listen", RIEMANN, "--sink",
                             "udp:" + ",".join(target.url for target in targets) + "?to=turn")
        sent = [metric(number) for number in range(99)]
        self.sender(program).send_all(sent)
        for number, target in enumerate(targets):
            self.assertEqual(target.payloads(33), sent[number::3])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"]), (99, 99))

    def test_in_turn_the_next_address_gets_what_the_system_does_not_send_to_the_first(self):
        target = self.target()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"udp:255.255.255.255:9,{target.url}?to=turn")
        self.sender(program).send_all([metric(number) for number in range(10)])
        self.assertEqual(len(target.payloads(10)), 10)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["send_error"]), (10, 0))

    def test_a_datagram_of_several_messages_is_passed_on_once(self):
        target = self.target()
        program = self.start("--listen", DELIMITED, "--sink", f"udp:{target.url}")
        sent = [delimited(gauge("a", 1), gauge("b", 2), gauge("c", 3)), delimited(gauge("d", 4))]
        self.sender(program).send_all(sent)
        self.assertEqual(target.payloads(2), sent)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["offered"], sink["written"], sink["filtered"]), (4, 2, 2))

    @same_with_one_thread
    def test_other_sinks_beside_it_write_the_same_records(self):
        target, path = self.target(), self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}", "--sink",
                             f"udp:{target.url}")
        self.sender(program).send_all([metric(number) for number in range(50)])
        self.assertEqual(len(target.payloads(50)), 50)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(path)], list(range(50)))

    def test_a_family_that_this_machine_cannot_reach_fails_alone(self):
        """With to=turn, the next address gets a datagram that could not be sent to one address."""
        target = self.target()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"udp:[2001:db8:77::1]:9,{target.url}?to=turn")
        self.sender(program).send_all([metric(number) for number in range(10)])
        got = len(target.payloads(5))
        sink = program.stop()["sinks"][0]
        while target.has_more():
            got += 1
        self.assertEqual(sink["written"], 10)
        self.assertEqual(sink["lines"], 10)
        self.assertIn(got, (5, 10))  # with a route to that network, five were sent there

    def test_nobody_listening_is_no_failure(self):
        target = self.target()
        target.socket.close()
        program = self.start("--listen", RIEMANN, "--sink", f"udp:{target.url}")
        self.sender(program).send_all([metric(number) for number in range(20)])
        program.wait_for_settled(20)
        self.assertEqual(program.stop()["sinks"][0]["written"], 20)

    @same_with_one_thread
    def test_a_capture_is_passed_on_whole(self):
        target = self.target()
        path = self.folder / "packets.pcap"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format=pcap")
        sent = [metric(number) for number in range(300)]
        self.sender(program).send_all(sent)
        program.wait_for_settled(300)
        program.stop()
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?schema=riemann", "--sink",
                                    f"udp:{target.url}")
        self.assertEqual(ledger["sinks"][0]["written"], 300)
        self.assertEqual(target.payloads(300), sent)


class Bad(Relay):
    # An empty datagram, invalid bytes, and a truncated message: all are refused.
    BAD = [b"", b"\xff" * 20, gauge("a", 1)[:-3]]

    def test_what_could_not_be_decoded_stays_away(self):
        target = self.target()
        program = self.start("--listen", TELEMETRY, "--sink", f"udp:{target.url}")
        self.sender(program).send_all([*self.BAD, gauge("good", 1)])
        self.assertEqual(target.payloads(1), [gauge("good", 1)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["raw_offered"], sink["raw_sent"]), (0, 0))
        self.assertFalse(target.has_more())

    def test_it_is_passed_on_where_that_is_wanted_in_its_order(self):
        target = self.target()
        program = self.start("--listen", TELEMETRY, "--sink", f"udp:{target.url}?bad=too")
        sent = [gauge("a", 1), self.BAD[0], self.BAD[1], gauge("b", 1), self.BAD[2]] * 10
        self.sender(program).send_all(sent)
        got = target.payloads(50)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["raw_offered"], sink["raw_sent"]), (20, 30, 30))
        self.assertEqual(got, sent)

    def test_large_ones_stay_in_their_order_too(self):
        """Each large datagram needs a separate batch."""
        target = self.target()
        program = self.start("--listen", RIEMANN, "--sink", f"udp:{target.url}?bad=too")
        sent = [metric(1), b"\xff", metric(2, host="y" * 60000), b"\xff\xff" * 20000, metric(3),
                b"\xff\xff\xff", b"", metric(4, host="z" * 30000), b"\xff\xff"]
        self.sender(program).send_all(sent)
        self.assertEqual(target.payloads(len(sent)), sent)
        program.stop()

    def test_what_is_bad_alone_is_passed_on_too(self):
        target = self.target()
        program = self.start("--listen", TELEMETRY, "--sink", f"udp:{target.url}?bad=too")
        self.sender(program).send_all(self.BAD * 100)
        self.assertEqual(target.payloads(300), self.BAD * 100)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["offered"], 0)
        self.assertEqual(ledger["sinks"][0]["raw_sent"], 300)

    def test_who_may_not_send_and_what_is_truncated_is_not(self):
        target = self.target()
        program = self.start("--listen", TELEMETRY + "&deny=127.0.0.1", "--sink",
                             f"udp:{target.url}?bad=too")
        self.sender(program).send_all(self.BAD * 3)
        program.wait_for_received(9)
        self.assertEqual(program.stop()["sinks"][0]["raw_offered"], 0)
        program = self.start("--listen", TELEMETRY + "&max_datagram=100B", "--sink",
                             f"udp:{target.url}?bad=too")
        self.sender(program).send_all([b"\xff" * 200] * 3)
        program.wait_for_received(3)
        self.assertEqual(program.stop()["sinks"][0]["raw_offered"], 0)

    @same_with_one_thread
    def test_a_reload_turns_it_on_and_off(self):
        target = self.target()
        path = self.folder / "sluice.yaml"

        def write(keys):
            path.write_text("listeners:\n  - address: udp://127.0.0.1:0\n    schema: telemetry\n"
                            f"sinks:\n  - to: file:{self.folder}/lines\n"
                            f"  - to: udp:{target.url}\n{keys}", encoding="utf-8")
        write("")
        program = self.start("--config", str(path))
        sender = self.sender(program)
        sender.send_all([self.BAD[1], gauge("a", 1)])
        self.assertEqual(target.payloads(1), [gauge("a", 1)])
        write("    bad: too\n")
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        sender.send_all([self.BAD[1], gauge("b", 1)])
        self.assertEqual(sorted(target.payloads(2)), sorted([self.BAD[1], gauge("b", 1)]))
        ledger = program.stop()
        self.assertEqual(sum(sink["raw_sent"] for sink in ledger["sinks"]), 1)

    @same_with_one_thread
    def test_a_listener_that_comes_by_a_reload_passes_it_on(self):
        target = self.target()
        path = self.folder / "sluice.yaml"

        def write(more):
            path.write_text("listeners:\n  - udp://127.0.0.1:0?schema=telemetry\n" + more +
                            f"sinks:\n  - to: udp:{target.url}\n    bad: too\n", encoding="utf-8")
        write("")
        program = self.start("--config", str(path))
        write("  - udp://127.0.0.2:0?schema=telemetry\n")
        program.ask_to_reload()
        program.wait_for_log(CHANGED)
        program.wait_for_listeners(2)
        self.sender(program, 1, host="127.0.0.2").send_all([self.BAD[1]])
        self.assertEqual(target.payloads(1), [self.BAD[1]])
        program.stop()


class Refused(Relay):
    def test_a_target_that_is_a_listener_of_ours_is_refused(self):
        for target in ("127.0.0.1:5999", "127.0.0.9:5999"):
            text = self.refused("--check", "--listen", "udp://0.0.0.0:5999", "--sink",
                                f"udp:{target}", code=78)
            self.assertIn("loop endlessly", text)
        text = self.refused("--check", "--listen", "udp://127.0.0.1:5999", "--sink",
                            "udp:127.0.0.1:1,127.0.0.1:5999", code=78)
        self.assertIn("127.0.0.1:5999 is the address of the listener udp://127.0.0.1:5999", text)

    def test_a_listener_of_ipv6_alone_is_not_found_by_ipv4(self):
        text = self.refused("--check", "--listen", "udp://[::]:5999", "--sink",
                            "udp:127.0.0.1:5999", code=78)
        self.assertIn("loop endlessly", text)
        self.run_to_end("--check", "--listen", "udp://[::]:5999?ipv6_only=true", "--sink",
                        "udp:127.0.0.1:5999", ledger=None)

    def test_formats_and_places_that_make_no_sense_are_refused(self):
        for sink, why in (("udp:127.0.0.1:9?format=json", "udp: only forwards datagrams"),
                          ("file:x?format=datagram", "write udp:"),
                          ("udp:localhost:9", "names are not looked up"),
                          ("udp:127.0.0.1", "port"),
                          ("udp:127.0.0.1:0", "port 0"),
                          ("udp:0.0.0.0:9", "wildcard address"),
                          ("udp:127.0.0.1:9,", "address is missing"),
                          ("udp:", "ADDR:PORT"),
                          ("udp:127.0.0.1:9?to=some", "all"),
                          ("udp:127.0.0.1:9?rotate_size=1MiB", "file: sink"),
                          ("file:x?bad=too", "udp: sink"),
                          ("udp:" + ",".join(["127.0.0.1:9"] * 17), "at most 16")):
            self.assertIn(why, self.refused("--listen", RIEMANN, "--sink", sink, code=64))


@not_on_windows("Windows sends no packets with foreign sources")
class Source(Relay):
    def setUp(self):
        super().setUp()
        run = subprocess.run(command(SLUICE, "--check", "--listen", RIEMANN, "--sink",
                                     "udp:127.0.0.1:9?keep_source=on"), capture_output=True,
                             text=True, timeout=DEADLINE, check=False)
        if run.returncode != 0:
            self.assertEqual(run.returncode, 78)
            self.assertIn("CAP_NET_RAW", run.stderr)
            self.skipTest("the right CAP_NET_RAW is missing")

    def check_source(self, host, size=10):
        target = self.target(host)
        url = f"udp://[{host}]:0" if ":" in host else f"udp://{host}:0"
        program = self.start("--listen", url + "?schema=telemetry", "--sink",
                             f"udp:{target.url}?keep_source=on&bad=too")
        sender = self.sender(program, host=host)
        sent = [gauge("a", 1), b"\xff" * size, b"", gauge("b", 2)]
        sender.send_all(sent)
        port = sender.socket.getsockname()[1]
        self.assertEqual(sorted(target.receive(4)), sorted((one, port) for one in sent))
        program.stop()

    def test_datagrams_come_from_their_first_sender(self):
        self.check_source("127.0.0.1")

    def test_datagrams_of_ipv6_do_as_well(self):
        self.check_source("::1")

    def test_a_source_of_another_family_fails_by_name(self):
        target, other = self.target(), self.target("::1")
        program = self.start("--listen", RIEMANN, "--sink",
                             f"udp:{target.url},{other.url}?keep_source=on")
        self.sender(program).send_all([metric(1), metric(2)])
        self.assertEqual(target.payloads(2), [metric(1), metric(2)])
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["no_source"], sink["lines"]), (0, 2, 2))
        self.assertFalse(other.has_more())

    @unittest.skipUnless(os.geteuid() == 0 if not WINDOWS else False, "it takes another user")
    def test_the_right_is_not_needed_after_the_start(self):
        target = self.target()
        program = self.start("--listen", RIEMANN, "--user", "nobody", "--sink",
                             f"udp:{target.url}?keep_source=on")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        self.assertEqual(target.receive(1), [(metric(1), sender.socket.getsockname()[1])])
        program.stop()


if __name__ == "__main__":
    unittest.main()
