"""Tests keep_source=on over a link with an MTU of 1,500: larger datagrams are sent in fragments."""
import subprocess

from namespaces import run_tests
from sluice_program import ProgramTest
from test_relay import Target

SIZES = (0, 1, 1400, 1452, 1453, 1472, 1473, 2000, 9000, 20000, 65000)


class Fragments(ProgramTest):
    def setUp(self):
        super().setUp()
        subprocess.run(["ip", "link", "set", "lo", "mtu", "1500", "up"], check=True)

    def check(self, host):
        target = Target(host)
        self.addCleanup(target.socket.close)
        url = f"udp://[{host}]:0" if ":" in host else f"udp://{host}:0"
        program = self.start("--listen", url + "?schema=telemetry", "--sink",
                             f"udp:{target.url}?keep_source=on&bad=too")
        sender = self.sender(program, host=host)
        port = sender.socket.getsockname()[1]
        for size in SIZES:
            datagram = bytes(0xff if number % 3 else number % 251 for number in range(size))
            sender.send(datagram)
            self.assertEqual(target.receive(1), [(datagram, port)])
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"] + sink["raw_sent"], len(SIZES))

    def test_ipv4(self):
        self.check("127.0.0.1")

    def test_ipv6(self):
        self.check("::1")

    def test_a_link_that_takes_less_than_at_the_start_is_noticed(self):
        target = Target()
        self.addCleanup(target.socket.close)
        program = self.start("--listen", "udp://127.0.0.1:0?schema=telemetry", "--sink",
                             f"udp:{target.url}?keep_source=on&bad=too")
        sender = self.sender(program)
        sender.send(b"\xff" * 1400)
        self.assertEqual(len(target.receive(1)[0][0]), 1400)
        subprocess.run(["ip", "link", "set", "lo", "mtu", "1300"], check=True)
        sender.send(b"\xff" * 1400)
        self.assertEqual(len(target.receive(1)[0][0]), 1400)
        self.assertEqual(program.stop()["sinks"][0]["raw_sent"], 2)


if __name__ == "__main__":
    run_tests("-n", ["ip", "link", "set", "lo", "up"])
