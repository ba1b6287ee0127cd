"""IPv6, by itself and with IPv4 on one socket."""
import socket
import unittest

from built import skip
from protobuf import metric
from sluice_program import ProgramTest


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::1", 0))
            return True
    except OSError:
        return False


class Ipv6(ProgramTest):
    def test_loopback(self):
        program = self.start("--listen", "udp://[::1]:0?schema=riemann")
        self.assertRegex(program.names[0], r"\Audp://\[::1\]:\d+\Z")
        sender = self.sender(program, host="::1")
        sender.send_all([metric(1), metric(2)])
        ledger = program.stop()
        self.assertEqual([(line["value"], line["source"], line["listener"])
                          for line in program.output()],
                         [(1, sender.source, program.names[0]), (2, sender.source, program.names[0])])
        self.assertEqual(ledger["listeners"][0]["name"], program.names[0])

    def test_dual_stack(self):
        program = self.start("--listen", "udp://[::]:0?schema=riemann")
        six, four = self.sender(program, host="::1"), self.sender(program, host="127.0.0.1")
        six.send_all([metric(6)])
        four.send_all([metric(4)], before=1)
        program.stop()
        self.assertEqual([(line["value"], line["source"]) for line in program.output()],
                         [(6, six.source), (4, four.source)])
        self.assertRegex(four.source, r"\A127\.0\.0\.1:\d+\Z")  # not ::ffff:127.0.0.1

    def test_dual_stack_with_two_receivers(self):
        program = self.start("--listen", "udp://[::]:0?schema=riemann&receivers=2")
        sent = 0
        for host in ("::1", "127.0.0.1") * 8:
            self.sender(program, host=host).send_all([metric(sent)], before=sent)
            sent += 1
        program.stop()
        self.assertEqual(sorted(line["value"] for line in program.output()), list(range(sent)))

    def test_ipv6_only_leaves_ipv4_to_others(self):
        program = self.start("--listen", "udp://[::]:0?schema=riemann&ipv6_only=true")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", program.port()))
            self.sender(program, host="127.0.0.1").send(metric(4))
            other.settimeout(5)
            self.assertEqual(other.recv(1000), metric(4))
        self.sender(program, host="::1").send_all([metric(6)])
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], [6])

    def test_an_address_in_use(self):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::1", 0))
            address = f"[::1]:{other.getsockname()[1]}"
            self.assertIn(address, self.refused("--listen", f"udp://{address}", code=69))


if __name__ == "__main__":
    if not has_ipv6():
        skip("this machine has no IPv6 loopback")
    unittest.main()
