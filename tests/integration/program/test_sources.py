"""Who may send: allow= and deny=. 127.0.0.0/8 is all this machine."""
import socket
import unittest

from capture_writing import HEADER, record
from protobuf import metric
from sluice_program import BURST, RIEMANN, ProgramTest
from test_ipv6 import has_ipv6

# A crowd of 10,000, of which the 250 of one /24 are meant.
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
        """A datagram from each, without loss: no more at once than fits the socket's buffer."""
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
        self.assertEqual(ledger["dead_letters"]["offered"], 0)

    def test_of_a_crowd_those_of_one_network_are_kept_out(self):
        program = self.start("--listen", RIEMANN + f"&deny={THE_FEW}&allow=127.0.0.0/8")
        self.send_from_all(program, CROWD)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.came_from(program),
                         [source for source in CROWD if source not in FEW])
        self.assertEqual(listener["reasons"]["source_denied"], len(FEW))

    def test_they_are_told_as_other_refusals_are(self):
        program = self.start("--listen", RIEMANN + "&deny=127.0.0.9")
        for _ in range(50):
            self.send_from(program, "127.0.0.9", metric(1))
        program.wait_for_received(50)
        ledger = program.stop()
        told = [line for line in program.log() if "source_denied" in line]
        self.assertLessEqual(len(told), 1 + ledger["uptime_seconds"])
        self.assertRegex(told[0], rf"{program.names[0]}: source_denied: datagram of "
                         rf"{len(metric(1))} bytes from 127\.0\.0\.9:\d+ \(schema=riemann\)")

    def test_both_families_on_one_socket(self):
        if not has_ipv6():
            self.skipTest("this machine has no IPv6")
        for keys, expected in (("allow=127.0.0.2", ["127.0.0.2"]), ("allow=::1", ["::1"]),
                               ("deny=::/0", ["127.0.0.2", "127.0.0.3"]),
                               ("deny=0.0.0.0/0", ["::1"])):
            with self.subTest(keys=keys):
                program = self.start("--listen", f"udp://[::]:0?schema=riemann&{keys}")
                self.send_from_all(program, ["127.0.0.2", "::1", "127.0.0.3"])
                listener = program.stop()["listeners"][0]
                self.assertEqual(self.came_from(program), expected)
                self.assertEqual(listener["reasons"]["source_denied"], 3 - len(expected))

    def test_of_a_capture(self):
        path = self.folder / "capture.pcap"
        path.write_bytes(HEADER + b"".join(record(number, metric(number), host=1 + number % 5)
                                           for number in range(100)))
        program, ledger = self.run_to_end(
            "--listen", f"pcap:{path}?schema=riemann&allow=10.0.0.0/30")
        self.assertEqual([line["value"] for line in program.output()],
                         [number for number in range(100) if number % 5 < 3])
        self.assertEqual(ledger["listeners"][0]["reasons"]["source_denied"], 40)

    def test_a_wrong_network_is_told_with_its_column(self):
        said = self.refused("--listen", "udp://[::]:1?allow=10.0.0.0/8,10.1.2.3/16", code=64)
        self.assertIn("column 31", said)
        self.assertIn("allow, element 2: the address has bits behind its first 16", said)


if __name__ == "__main__":
    unittest.main()
