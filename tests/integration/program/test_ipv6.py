"""Tests listeners with IPv6 only, and with IPv6 and IPv4 on one socket."""
import socket
import subprocess
import unittest

from built import beside, command, not_on_windows, skip
from ports import free_port
from protobuf import metric
from sluice_program import DEADLINE, SLUICE, ProgramTest


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::1", 0))
            return True
    except OSError:
        return False


def link_local():
    """A link-local address of this machine, and its interface."""
    with open("/proc/net/if_inet6", encoding="ascii") as lines:
        for digits, _, _, _, _, interface in map(str.split, lines):
            if digits.startswith("fe80"):
                return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(digits)), interface
    raise unittest.SkipTest("this machine has no link-local address")


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
        port = free_port()  # a port free in IPv4; the system would select one that is free only in IPv6
        program = self.start("--listen", f"udp://[::]:{port}?schema=riemann&ipv6_only=true")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", port))
            self.sender(program, host="127.0.0.1").send(metric(4))
            other.settimeout(5)
            self.assertEqual(other.recv(1000), metric(4))
        self.sender(program, host="::1").send_all([metric(6)])
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], [6])

    @not_on_windows("an address of a link has a number there, which the tests do not know")
    def test_an_address_of_a_link_is_received_at_and_sent_to(self):
        host, interface = link_local()
        target = self.start("--listen", f"udp://[{host}%{interface}]:0?schema=riemann")
        port = target.names[0].rpartition(":")[2]
        relay = self.start("--listen", "udp://[::1]:0?schema=riemann", "--sink",
                           f"udp:[{host}%25{interface}]:{port}")
        self.sender(relay, host="::1").send_all([metric(1), metric(2)])
        subprocess.run(command(beside(SLUICE, "sluice-send"), "--to",
                               f"udp://[{host}%{interface}]:{port}", "--count", "3"), check=True,
                       stderr=subprocess.DEVNULL, timeout=DEADLINE)
        target.wait_for_settled(5)
        relay.stop()
        self.assertEqual(target.stop()["listeners"][0]["decoded"], 5)
        for code, arguments in ((69, ("--listen", f"udp://[{host}]:0")),
                                (64, ("--listen", "udp://[::1]:0", "--sink", f"udp:[{host}]:{port}"))):
            self.assertIn("a link-local address needs the interface that leads to it, as in "
                          "[fe80::1%eth0]", self.refused(*arguments, code=code))

    def test_an_address_in_use(self):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
            other.bind(("::1", 0))
            address = f"[::1]:{other.getsockname()[1]}"
            self.assertIn(address, self.refused("--listen", f"udp://{address}", code=69))


if __name__ == "__main__":
    if not has_ipv6():
        skip("this machine has no IPv6 loopback")
    unittest.main()
