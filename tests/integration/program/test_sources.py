"""Tests allow= and deny=, which the program or the kernel applies. All addresses of 127.0.0.0/8
belong to this machine."""
import pathlib
import socket
import unittest

from built import WINDOWS, not_on_windows
from capture_writing import HEADER, record
from protobuf import metric
from sluice_program import BURST, RIEMANN, ProgramTest, dropped, wait_until
from test_gro import PER_CALL, UDP_SEGMENT
from test_ipv6 import has_ipv6

NO_FILTER = "it has no socket filters"

FILTER = "&kernel_filter=on"

# 10,000 addresses. The rules allow or deny the 250 of one /24.
CROWD = [f"127.7.{network}.{host}" for network in range(40) for host in range(1, 251)]
FEW = [source for source in CROWD if source.startswith("127.7.23.")]
THE_FEW = "127.7.23.0/24"


class Sources(ProgramTest):
    def send_from(self, program, source, datagram, listener=0):
        family = socket.AF_INET6 if ":" in source else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            sender.bind((source, 0))
            to = "::1" if family == socket.AF_INET6 else "127.0.0.1"
            sender.sendto(datagram, (to, program.port(listener)))

    def send_from_all(self, program, sources):
        """Sends a datagram from each address without loss, at most BURST at a time."""
        for start in range(0, len(sources), BURST):
            part = sources[start:start + BURST]
            for number, source in enumerate(part):
                self.send_from(program, source, metric(start + number))
            program.wait_for_received(start + len(part))

    def came_from(self, program):
        """The hosts whose datagrams were written."""
        return [line["source"].rpartition(":")[0].strip("[]") for line in program.output()]


class Judged(Sources):
    def test_of_a_crowd_those_of_one_network_pass(self):
        letters = self.folder / "dead.pcapng"
        program = self.start("--listen", RIEMANN + f"&allow={THE_FEW}", "--dead-letter",
                             f"file:{letters}")
        self.send_from_all(program, CROWD)
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual(self.came_from(program), FEW)
        self.assertEqual((listener["received"], listener["decoded"]), (len(CROWD), len(FEW)))
        self.assertEqual({reason: count for reason, count in listener["reasons"].items() if count},
                         {"source_denied": len(CROWD) - len(FEW)})
        self.assertEqual(dropped(listener), 0)
        self.assertEqual(ledger["dead_letters"]["offered"], 0)

    def test_of_a_crowd_those_of_one_network_are_kept_out(self):
        program = self.start("--listen", RIEMANN + f"&deny={THE_FEW}&allow=127.0.0.0/8")
        self.send_from_all(program, CROWD)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.came_from(program),
                         [source for source in CROWD if source not in FEW])
        self.assertEqual(listener["reasons"]["source_denied"], len(FEW))

    def test_they_are_reported_as_other_refusals_are(self):
        program = self.start("--listen", RIEMANN + "&deny=127.0.0.9")
        for _ in range(50):
            self.send_from(program, "127.0.0.9", metric(1))
        program.wait_for_received(50)
        self.check_refusals_are_reported(program, program.stop(), "source_denied",
                                     rf"{len(metric(1))} bytes from 127\.0\.0\.9:\d+")

    def test_both_families_on_one_socket(self):
        if not has_ipv6():
            self.skipTest("this machine has no IPv6")
        for keys, expected in (("allow=127.0.0.2", ["127.0.0.2"]), ("allow=::1", ["::1"]),
                               ("deny=::/0", ["127.0.0.2", "127.0.0.3"]),
                               ("deny=0.0.0.0/0", ["::1"])):
            for more in ("",) if WINDOWS else ("", FILTER):
                with self.subTest(keys=keys + more):
                    program = self.start("--listen", f"udp://[::]:0?schema=riemann&{keys}{more}")
                    self.send_from_all(program, ["127.0.0.2", "::1", "127.0.0.3"])
                    listener = program.stop()["listeners"][0]
                    self.assertEqual(self.came_from(program), expected)
                    self.assertEqual(listener["reasons"]["source_denied"] + dropped(listener),
                                     3 - len(expected))

    def test_of_a_capture(self):
        path = self.folder / "capture.pcap"
        path.write_bytes(HEADER + b"".join(record(number, metric(number), host=1 + number % 5)
                                           for number in range(100)))
        program, ledger = self.run_to_end(
            "--listen", f"pcap:{path}?schema=riemann&allow=10.0.0.0/30")
        self.assertEqual([line["value"] for line in program.output()],
                         [number for number in range(100) if number % 5 < 3])
        self.assertEqual(ledger["listeners"][0]["reasons"]["source_denied"], 40)

    def test_a_wrong_network_is_reported_with_its_column(self):
        said = self.refused("--listen", "udp://[::]:1?allow=10.0.0.0/8,10.1.2.3/16", code=64)
        self.assertIn("column 31", said)
        self.assertIn("allow, element 2: the address has bits set after the first 16", said)


@not_on_windows(NO_FILTER)
class Filtered(Sources):
    def test_of_a_crowd_those_of_one_network_pass(self):
        program = self.start("--listen", RIEMANN + f"&allow={THE_FEW}{FILTER}")
        self.send_from_all(program, CROWD)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.came_from(program), FEW)
        self.assertEqual((listener["received"], listener["decoded"]), (len(FEW), len(FEW)))
        self.assertEqual(listener["kernel_drops_and_filtered"], len(CROWD) - len(FEW))
        self.assertNotIn("kernel_drops", listener)
        self.assertEqual(sum(listener["reasons"].values()), 0)
        self.assertEqual(listener["refused_while_stopping"], 0)

    def test_each_socket_of_a_port_filters(self):
        program = self.start("--listen", RIEMANN + f"&receivers=2&deny={THE_FEW}{FILTER}")
        self.send_from_all(program, CROWD[::10])
        listener = program.stop()["listeners"][0]
        self.assertEqual(sorted(self.came_from(program)),
                         sorted(source for source in CROWD[::10] if source not in FEW))
        self.assertEqual(listener["kernel_drops_and_filtered"], len(FEW[::10]))

    def test_what_a_sender_segments_is_filtered_too(self):
        """One call sends many datagrams. With gro=on the kernel drops them as one buffer."""
        for gro, unit, drops in (("off", "datagram", PER_CALL), ("on", "buffer", 1)):
            with self.subTest(gro=gro):
                program = self.start("--listen", RIEMANN + f"&gro={gro}&deny=127.0.0.9{FILTER}")
                for source in ("127.0.0.9", "127.0.0.1"):
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                        sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, len(metric(1)))
                        sender.bind((source, 0))
                        sender.sendto(metric(1) * PER_CALL, ("127.0.0.1", program.port()))
                listener = program.stop()["listeners"][0]
                self.assertEqual(self.came_from(program), ["127.0.0.1"] * PER_CALL)
                self.assertEqual(listener["kernel_drops_and_filtered"], drops)
                self.assertEqual(listener["kernel_drops_unit"], unit)

    def test_who_may_not_send_wakes_nobody(self):
        program = self.start("--listen", RIEMANN + f"&deny=127.0.0.9{FILTER}")
        program.ledger_now()
        thread = next(path.parent for path in pathlib.Path(f"/proc/{program.process.pid}/task")
                      .glob("*/comm") if path.read_text() == "receiver\n")
        status = thread / "status"
        wait_until(lambda: "State:\tS" in status.read_text(), "the receiver sleeps")
        before = status.read_text()
        for _ in range(1000):
            self.send_from(program, "127.0.0.9", metric(1))
        after = status.read_text()
        for line in ("voluntary_ctxt_switches", "State"):
            self.assertEqual(*({each for each in text.splitlines() if each.startswith(line)}
                               for text in (before, after)))
        self.assertEqual(program.stop()["listeners"][0]["kernel_drops_and_filtered"], 1000)

    def test_the_log_and_the_ledger_say_that_there_is_more_among_the_drops(self):
        program = self.start("--listen", RIEMANN + f"&deny=127.0.0.9{FILTER}", ledger="text")
        for _ in range(5):
            self.send_from(program, "127.0.0.9", metric(1))
        self.send_from(program, "127.0.0.1", metric(1))
        program.wait_for_log(r"the kernel dropped or filtered 5 datagrams: the receive buffer of "
                             r"\d+ KiB was full \(raise receive_buffer=\), or their senders are "
                             r"denied")
        program.stop()
        self.assertTrue([line for line in program.said()
                         if line.endswith(", kernel_drops_and_filtered 5")])

    def test_what_a_stop_refuses_stands_apart(self):
        program = self.start("--listen", RIEMANN + f"&deny=127.0.0.1{FILTER}")
        flood = self.flood(program, metric)
        program.wait_for_received(2000)
        listener = program.stop()["listeners"][0]
        flood.end()
        self.assertEqual(listener["received"], 0)
        self.assertGreaterEqual(listener["kernel_drops_and_filtered"], 2000)
        self.assertLessEqual(listener["kernel_drops_and_filtered"] +
                             listener["refused_while_stopping"], flood.sent)

    def test_a_list_too_long_for_the_kernel_is_reported(self):
        networks = ",".join(f"10.{number // 128}.{number % 128 * 2}.0/24"
                            for number in range(3000))
        self.start("--listen", RIEMANN + f"&allow={networks}").stop()
        for check in ((), ("--check",)):
            said = self.refused("--listen", RIEMANN + f"&allow={networks}{FILTER}", *check,
                                code=78)
            self.assertRegex(said, r"udp://127.0.0.1:0: kernel_filter=on: 3000 ranges of addresses "
                             r"take a filter of \d{4} instructions, and the kernel takes at most "
                             r"4096")


class Unfiltered(Sources):
    def test_a_filter_needs_something_to_filter_by(self):
        said = self.refused("--listen", RIEMANN + FILTER, code=64)
        self.assertIn("kernel_filter=on requires allow= or deny=",
                      said)

    @unittest.skipUnless(WINDOWS, "only on Windows")
    def test_a_system_that_filters_no_sockets_says_so(self):
        self.assertIn("kernel_filter=on: this system has no socket filters",
                      self.refused("--listen", RIEMANN + "&deny=::1" + FILTER, "--check", code=78))


if __name__ == "__main__":
    unittest.main()
