"""Tests multicast groups in a network of the test: which socket receives which datagrams, and what
happens when a group's interface disappears and returns."""
import json
import pathlib
import socket
import struct
import subprocess
import urllib.request

from built import IN_USE
from namespaces import run_tests
from ports import free_port
from protobuf import integer, metric
from sluice_program import DEADLINE, ProgramTest, read_lines, same_with_one_thread

PORT = 5656


def ip(*words):
    subprocess.run(["ip", *words], check=True, timeout=DEADLINE)


def make_link(number=1):
    """Creates the two ends of a link in one namespace. Datagrams sent by one end arrive at the
    other."""
    ip("link", "add", f"in{number}", "type", "veth", "peer", "name", f"out{number}")
    for name, host in ((f"in{number}", 1), (f"out{number}", 2)):
        ip("link", "set", name, "up")
        ip("address", "add", f"198.51.{number}.{host}/24", "dev", name)
        ip("-6", "address", "add", f"2001:db8:{number}::{host}/64", "dev", name, "nodad")


class Multicast(ProgramTest):
    def setUp(self):
        super().setUp()
        ip("link", "set", "lo", "up")
        for family in ("all", "default"):  # accept datagrams from local addresses
            settings = pathlib.Path("/proc/sys/net/ipv4/conf", family)
            (settings / "rp_filter").write_text("0", encoding="ascii")
            (settings / "accept_local").write_text("1", encoding="ascii")
        make_link()

    def tearDown(self):
        subprocess.run(["ip", "link", "delete", "in1"], check=False)
        super().tearDown()

    def send(self, group, value, source=None, number=1):
        self.send_bytes(group, metric(value), source, number)

    @staticmethod
    def send_bytes(group, data, source=None, number=1):
        interface = socket.if_nametoindex(f"out{number}")
        family = socket.AF_INET6 if ":" in group else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            if family == socket.AF_INET6:
                sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, interface)
                sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 0)
                sender.bind((source or f"2001:db8:{number}::2", 0))
            else:
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                                  struct.pack("4s4si", bytes(4), bytes(4), interface))
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
                sender.bind((source or f"198.51.{number}.2", 0))
            sender.sendto(data, (group, PORT))

    def check_groups(self, one, other):
        listeners = [f"udp://[{group}]:{PORT}" if ":" in group else f"udp://{group}:{PORT}"
                     for group in (one, other)]
        path = self.folder / "lines"
        program = self.start("--listen", listeners[0] + "?schema=riemann&interface=in1",
                             "--listen", listeners[1] + "?schema=riemann&multicast_interface=in1",
                             "--sink", f"file:{path}", listeners=2)
        for value in range(20):
            self.send(one, value)
            self.send(other, 100 + value)
        program.wait_for_settled(40)
        ledger = program.stop()
        self.assertEqual([listener["received"] for listener in ledger["listeners"]], [20, 20])
        for listener, first in zip(listeners, (0, 100)):
            self.assertEqual([line["value"] for line in read_lines(path)
                              if line["listener"] == listener],
                             list(range(first, first + 20)))

    @same_with_one_thread
    def test_two_groups_on_one_port_have_each_their_own(self):
        self.check_groups("239.1.2.3", "239.1.2.4")

    @same_with_one_thread
    def test_two_groups_of_ipv6_do_as_well(self):
        self.check_groups("ff15::5555", "ff15::5556")

    @staticmethod
    def url(group):
        return f"udp://[{group}]:{PORT}" if ":" in group else f"udp://{group}:{PORT}"

    def check_shared(self, keys, sent, wanted):
        """Starts one listener of a group for each item of `keys`, and calls `sent` to send.
        `wanted` has the values that each listener must receive. Does this for both address
        families."""
        for group, family in (("239.1.2.3", 4), ("ff15::5555", 6)):
            with self.subTest(group=group):
                path = self.folder / f"lines{family}"
                program = self.start(
                    *(word for number, each in enumerate(keys) for word in (
                        "--listen", f"{self.url(group)}?schema=riemann&id=n{number}&{each[family]}")),
                    "--sink", f"file:{path}", listeners=len(keys))
                sent(group, family)
                program.wait_for_settled(sum(map(len, wanted)))
                ledger = program.stop()
                lines = read_lines(path)
                for number, values in enumerate(wanted):
                    listener = ledger["listeners"][number]
                    name = f"{self.url(group)}#n{number}"
                    self.assertEqual((listener["name"], listener["received"], listener["decoded"]),
                                     (name, len(values), len(values)))
                    self.assertEqual([line["value"] for line in lines if line["listener"] == name],
                                     values)

    def test_each_listener_of_a_group_gets_a_copy_of_every_datagram(self):
        plain = {4: "interface=in1", 6: "interface=in1"}
        self.check_shared([plain] * 3,
                          lambda group, _: [self.send(group, value) for value in range(20)],
                          [list(range(20))] * 3)

    def test_those_of_other_interfaces_get_only_what_arrives_there(self):
        make_link(2)
        self.addCleanup(ip, "link", "delete", "in2")

        def sent(group, _):
            for value in range(20):
                self.send(group, value)
                self.send(group, 100 + value, number=2)
        self.check_shared([{4: f"interface=in{number}", 6: f"interface=in{number}"}
                           for number in (1, 2)], sent, [list(range(20)), list(range(100, 120))])

    def test_those_of_other_sources_get_only_theirs(self):
        ip("address", "add", "198.51.1.3/24", "dev", "out1")
        ip("-6", "address", "add", "2001:db8:1::3/64", "dev", "out1", "nodad")
        hosts = {4: "198.51.1", 6: "2001:db8:1:"}
        mark = {4: ".", 6: ":"}

        def sent(group, family):
            for value in range(20):
                for last in (2, 3):
                    self.send(group, 100 * last + value,
                              source=f"{hosts[family]}{mark[family]}{last}")
        self.check_shared([{family: f"interface=in1&source={hosts[family]}{mark[family]}{last}"
                            for family in (4, 6)} for last in (2, 3)],
                          sent, [list(range(200, 220)), list(range(300, 320))])

    def test_they_have_their_own_schemas_and_values(self):
        group = self.url("239.1.2.3")
        proto = self.folder / "m.proto"
        proto.write_text('syntax = "proto3"; message M { uint64 a = 1; uint64 b = 2; }',
                         encoding="ascii")
        keys = f"schema={proto}&message=M&interface=in1"
        program = self.start("--listen", f"{group}?{keys}&id=a&value=a",
                             "--listen", f"{group}?{keys}&id=b&value=b",
                             "--listen", f"{group}?schema=riemann&interface=in1&id=riemann",
                             listeners=3)
        self.send_bytes("239.1.2.3", integer(1, 7) + integer(2, 8))
        program.wait_for_lines(2)
        program.wait_for_received(1, 2)
        ledger = program.stop()
        self.assertEqual({line["listener"]: (line["name"], line["value"])
                          for line in program.output()},
                         {f"{group}#a": ("a", 7), f"{group}#b": ("b", 8)})
        self.assertEqual([listener["decoded"] for listener in ledger["listeners"]][:2], [1, 1])
        self.assertEqual([listener["received"] for listener in ledger["listeners"]], [1, 1, 1])

    def test_a_reload_keeps_the_listener_of_an_id(self):
        config, group = self.folder / "sluice.yaml", self.url("239.1.2.3")

        def write(*ids):
            config.write_text("listeners: " + json.dumps([
                f"{group}?schema=riemann&interface=in1&id={each}" for each in ids]) +
                              f"\nsinks: [\"stdout:\"]\nstop-timeout: {1000 + len(ids)}ms\n")
        write("a", "b")
        program = self.start("--config", str(config), listeners=2)
        self.send("239.1.2.3", 1)
        program.wait_for_lines(2)
        write("b")
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded: listeners: 1 kept.*, 0 added, 1 removed")
        self.send("239.1.2.3", 2)
        program.wait_for_lines(3)
        write("c", "b", "d")
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded: listeners: 1 kept.*, 2 added, 0 removed")
        self.send("239.1.2.3", 3)
        program.wait_for_lines(6)
        ledger = program.stop()
        self.assertEqual({listener["name"].rpartition("#")[2]: listener["received"]
                          for listener in ledger["listeners"]}, {"a": 1, "b": 3, "c": 1, "d": 1})

    def test_a_group_without_ids_has_one_listener(self):
        group = self.url("239.1.2.3") + "?schema=riemann&interface=in1"
        for keys in (("", ""), ("&id=a", ""), ("&id=a", "&id=a")):
            said = self.refused(*(word for each in keys for word in ("--listen", group + each)),
                                code=64)
            self.assertIn("has this multicast group already; give each of them its own id=NAME", said)
        program = self.start("--listen", group)
        self.assertIn(IN_USE, self.refused("--listen", group, code=69))
        program.stop()
        for url, why in ((f"udp://127.0.0.1:{PORT}?id=a", "id= needs a multicast group"),
                         (group + "&id=a/b", "id= has 1 to 64 letters, digits")):
            self.assertIn(why, self.refused("--listen", url, code=64))
        self.assertIn("has this address already", self.refused(
            "--listen", f"udp://127.0.0.1:{PORT}", "--listen", f"udp://127.0.0.1:{PORT}", code=64))

    def check_source(self, group, wanted, unwanted):
        url = f"udp://[{group}]:{PORT}" if ":" in group else f"udp://{group}:{PORT}"
        program = self.start("--listen", url + f"?schema=riemann&interface=in1&source={wanted}")
        for value in range(10):
            self.send(group, value, source=wanted)
            self.send(group, 100 + value, source=unwanted)
        program.wait_for_lines(10)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(10)))
        self.assertEqual(ledger["listeners"][0]["received"], 10)

    def test_of_a_source_specific_group_only_its_source_is_heard(self):
        ip("address", "add", "198.51.1.3/24", "dev", "out1")
        self.check_source("232.1.2.3", "198.51.1.2", "198.51.1.3")

    def test_of_ipv6_as_well(self):
        ip("-6", "address", "add", "2001:db8:1::3/64", "dev", "out1", "nodad")
        self.check_source("ff35::5555", "2001:db8:1::2", "2001:db8:1::3")

    def test_groups_of_both_families_with_and_without_a_source_share_a_port(self):
        ip("address", "add", "198.51.1.3/24", "dev", "out1")
        ip("-6", "address", "add", "2001:db8:1::3/64", "dev", "out1", "nodad")
        groups = {"239.1.2.3": "", "239.1.2.4": "", "232.1.2.3": "&source=198.51.1.2",
                  "232.1.2.4": "&source=198.51.1.3", "ff15::5555": "", "ff15::5556": "",
                  "ff35::5555": "&source=2001:db8:1::2", "ff35::5556": "&source=2001:db8:1::3"}
        names = {group: f"udp://[{group}]:{PORT}" if ":" in group else f"udp://{group}:{PORT}"
                 for group in groups}
        path = self.folder / "lines"
        program = self.start(
            *(word for group, keys in groups.items()
              for word in ("--listen", f"{names[group]}?schema=riemann&interface=in1{keys}")),
            "--sink", f"file:{path}", listeners=len(groups))
        wanted = {group: [] for group in groups}
        for number in range(10):
            for place, (group, keys) in enumerate(groups.items()):
                for last in (2, 3):  # two senders
                    sender = f"2001:db8:1::{last}" if ":" in group else f"198.51.1.{last}"
                    value = 1000 * place + 100 * last + number
                    self.send(group, value, source=sender)
                    if keys in ("", f"&source={sender}"):
                        wanted[group].append(value)
        program.wait_for_settled(sum(map(len, wanted.values())))
        ledger = program.stop()
        lines = read_lines(path)
        for listener, (group, values) in zip(ledger["listeners"], wanted.items()):
            self.assertEqual(listener["received"], len(values))
            self.assertEqual([line["value"] for line in lines
                              if line["listener"] == names[group]], values)

    def test_a_group_is_joined_again_when_its_interface_went_and_came(self):
        program = self.start("--listen", f"udp://239.1.2.3:{PORT}?schema=riemann&interface=in1",
                             "--metrics", "127.0.0.1:0")
        page = program.wait_for_log(r"metrics at (http://[^/]+)/metrics")[0][1].decode()
        self.send("239.1.2.3", 1)
        program.wait_for_lines(1)
        ip("link", "delete", "in1")
        program.wait_for_log("the interface has gone, and with it the multicast group")
        with urllib.request.urlopen(page + "/healthz", timeout=DEADLINE) as answer:
            health = json.load(answer)
        self.assertIn({"reason": "group_lost", "listener": f"udp://239.1.2.3:{PORT}"},
                      health["reasons"])
        make_link()
        program.wait_for_log("joined the multicast group again")
        self.send("239.1.2.3", 2)
        program.wait_for_lines(2)
        self.assertEqual([line["value"] for line in program.output()], [1, 2])
        program.stop()

    def test_a_group_that_came_by_a_reload_keeps_its_interface_after_others(self):
        """The configuration that named the interface was freed by then. The reported error is that
        of the failing join."""
        config = self.folder / "sluice.yaml"
        listeners = [f"udp://127.0.0.1:{free_port()}?schema=riemann",
                     f"udp://239.1.2.3:{PORT}?schema=riemann&interface=in1"]

        def write(count, memory):
            config.write_text(f"listeners: {json.dumps(listeners[:count])}\n"
                              f"stop-timeout: {memory}ms\n")
        write(1, 1000)
        program = self.start("--config", str(config))
        for reloads in range(1, 4):
            write(2, 1000 + reloads)
            program.ask_to_reload()
            program.wait_for_log("configuration reloaded", reloads)
        limit = pathlib.Path("/proc/sys/net/ipv4/igmp_max_memberships")
        before = limit.read_text()
        self.addCleanup(limit.write_text, before)
        ip("link", "delete", "in1")
        program.wait_for_log("the interface has gone, and with it the multicast group")
        limit.write_text("0")
        make_link()
        program.wait_for_log("cannot join the multicast group 239.1.2.3 on in1: "
                             "No buffer space available; trying again")
        limit.write_text(before)
        program.wait_for_log("joined the multicast group again")
        program.stop()

    def test_a_group_is_left_where_it_was_before_it_is_joined_again(self):
        """The number of memberships of a socket is limited, and those on removed interfaces count.
        """
        limit = pathlib.Path("/proc/sys/net/ipv4/igmp_max_memberships")
        self.addCleanup(limit.write_text, limit.read_text())
        limit.write_text("2")
        groups = {"239.1.2.3": "", "232.1.2.3": "&source=198.51.1.2"}
        program = self.start(
            *(word for group, keys in groups.items() for word in
              ("--listen", f"udp://{group}:{PORT}?schema=riemann&interface=in1{keys}")),
            listeners=len(groups))
        for times in range(1, 5):
            ip("link", "delete", "in1")
            program.wait_for_log("the interface has gone, and with it the multicast group",
                                 times * len(groups))
            make_link()
            program.wait_for_log("joined the multicast group again", times * len(groups))
            for group in groups:
                self.send(group, times)
            program.wait_for_lines(times * len(groups))
        self.assertEqual([line for line in program.log() if "cannot join" in line], [])
        program.stop()

    def test_a_group_of_the_link_takes_its_interface_by_name_or_by_number(self):
        number = socket.if_nametoindex("in1")
        for url in (f"udp://[ff02::5555]:{PORT}?schema=riemann&interface=in1",
                    f"udp://[ff02::5555%{number}]:{PORT}?schema=riemann"):
            with self.subTest(url):
                program = self.start("--listen", url)
                self.send("ff02::5555", 1)
                program.wait_for_lines(1)
                self.assertEqual(program.stop()["listeners"][0]["received"], 1)

    def check_joined_again(self, url, group, make_route):
        make_route()
        program = self.start("--listen", url + "?schema=riemann")
        self.send(group, 1)
        program.wait_for_lines(1)
        ip("link", "delete", "in1")
        program.wait_for_log("the interface has gone, and with it the multicast group")
        make_link()
        make_route()
        program.wait_for_log("joined the multicast group again")
        self.send(group, 2)
        program.wait_for_lines(2)
        program.stop()

    def test_where_the_routes_name_the_interface_it_is_joined_again_as_well(self):
        self.check_joined_again(f"udp://239.1.2.3:{PORT}", "239.1.2.3",
                                lambda: ip("route", "add", "239.0.0.0/8", "dev", "in1"))

    def test_of_ipv6_it_is_joined_again_too(self):
        self.check_joined_again(
            f"udp://[ff15::5555]:{PORT}", "ff15::5555",
            lambda: ip("-6", "route", "add", "multicast", "ff15::/16", "dev", "in1", "table",
                       "local", "metric", "1"))

    def test_a_group_that_cannot_be_joined_is_an_error(self):
        said = self.refused("--listen", f"udp://239.1.2.3:{PORT}?schema=riemann", code=69)
        self.assertIn("no interface has a route to it; give interface=", said)
        said = self.refused("--listen", f"udp://239.1.2.3:{PORT}?schema=riemann&interface=nowhere0",
                            code=69)
        self.assertIn('interface=nowhere0: there is no network interface "nowhere0"; ip link ', said)

    def test_what_makes_no_sense_of_a_group_is_refused(self):
        for url in ("udp://239.1.2.3:5656?receivers=2", "udp://[ff15::5555]:5656?receivers=2",
                    "udp://[::ffff:239.1.2.3]:5656?receivers=2",
                    "udp://239.1.2.3:5656?receivers=2&spread=datagram",
                    "udp://239.1.2.3:5656?spread=datagram"):
            said = self.refused("--listen", url, "--check", code=78)
            self.assertIn("each socket that joins a multicast group", said)
            self.assertIn("spread=datagram is for" if "spread" in url else "receivers= must be 1",
                          said)
        for url, why in (("udp://239.1.2.3:0", "needs a port"),
                         ("udp://127.0.0.1:5656?source=127.0.0.2", "needs a multicast group"),
                         ("udp://239.1.2.3:5656?source=::1", "address family of the group"),
                         ("udp://239.1.2.3:5656?source=here", "not a numeric address")):
            self.assertIn(why, self.refused("--listen", url, code=64))

    def test_a_socket_that_is_bound_to_an_interface_hears_no_other(self):
        make_link(2)
        self.addCleanup(subprocess.run, ["ip", "link", "delete", "in2"], check=False)
        program = self.start("--listen", "udp://0.0.0.0:0?schema=riemann&interface=lo")
        self.sender(program).send_all([metric(1)])
        program.wait_for_lines(1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"out1")
            sender.sendto(metric(2), ("198.51.1.1", program.port()))
        self.sender(program).send_all([metric(3)])
        program.wait_for_lines(2)
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], [1, 3])


if __name__ == "__main__":
    run_tests("-n", ["ip", "link", "add", "in1", "type", "veth", "peer", "name", "out1"])
