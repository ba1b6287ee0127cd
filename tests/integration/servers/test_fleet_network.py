"""The methods of tools/packaging/fleet.md to distribute datagrams over three collectors."""
import collections
import json
import os
import shutil

from built import skip
from fleet import PORT, PROBE, SERVICE, FleetTest, of_page, shell
from namespaces import run_tests
from protobuf import sample, telemetry
from sluice_program import lines_so_far

COUNT = 61  # senders; not a multiple of 3: with turns each one changes its collector each time
EACH = 10  # datagrams of each sender per call of send()
MISSING = 5  # the number that each sender omits


class Network(FleetTest):
    def setUp(self):
        super().setUp()
        self.start_collectors(["--listen", f"udp://0.0.0.0:{PORT}?schema=telemetry", "--sink",
                               "file:records.ndjson?view=message&flush_interval=0s"])
        self.ports = self.senders.sockets(COUNT)
        for each in self.ports:
            self.addCleanup(each.close)
        self.number = 0  # the next number of each sender
        self.sent = 0

    def send(self):
        """Sends the next datagrams of each sender. Returns the senders that reached each collector.
        """
        before = [len(self.lines(number)) for number in range(3)]
        for number in range(self.number, self.number + EACH):
            for sender, port in enumerate(self.ports):
                if number != MISSING:
                    port.sendto(telemetry(sample("load", uint=number), sender=f"s{sender}", boot=1,
                                          sequence=number + 1), (SERVICE, PORT))
                    self.sent += 1
        self.number += EACH
        self.wait_for_all()
        return [collections.Counter(line["message"]["senderId"]
                                    for line in self.lines(number)[before[number]:])
                for number in range(3)]

    def wait_for_all(self):
        """Waits until the collectors have written all sent datagrams. The links do not lose any."""
        self.collectors[0].wait_for_ledger(
            lambda _: sum(len(self.lines(number)) for number in range(3)) >= self.sent,
            "all that was sent is written")
        self.assertEqual(sum(len(self.lines(number)) for number in range(3)), self.sent)

    def lines(self, number):
        return lines_so_far(self.folder / f"collector{number + 1}" / "records.ndjson")

    def assert_apart(self, found):
        """Asserts that each sender reached exactly one collector, and that each collector has a
        sender."""
        self.assertEqual(sum(map(len, found)), COUNT)
        self.assertEqual(len(set().union(*found)), COUNT)
        self.assertTrue(all(found), "one has none")

    def lost(self):
        """Stops all collectors. Returns the number of lost datagrams in each ledger."""
        ledgers = [collector.stop() for collector in self.collectors]
        return [ledger["listeners"][0]["lost"] for ledger in ledgers]

    def query(self):
        """The result of the page's query for each sender."""
        answer = shell(of_page("sh", "jq -sc"), self.folder)
        return [json.loads(line) for line in answer.splitlines()]

    def test_by_hash_each_sender_keeps_its_collector(self):
        self.spread()
        first = self.send()
        self.assert_apart(first)
        self.assertEqual(self.counted(), [sum(senders.values()) for senders in first])
        self.spread_otherwise(self.rules)  # loaded again with the same seed
        second = self.send()
        self.assertEqual(list(map(set, second)), list(map(set, first)))
        print(f"{self.id()}: senders of each collector {list(map(len, first))}", flush=True)
        self.assertEqual(sum(self.lost()), COUNT)  # MISSING of each sender

    def test_of_one_that_is_taken_out_the_senders_move_and_no_others(self):
        self.spread()
        first = list(map(set, self.send()))
        self.spread_otherwise(self.without_second())
        second = list(map(set, self.send()))
        self.assertEqual(second[1], set())
        self.assertLess(first[0], second[0])
        self.assertLess(first[2], second[2])
        self.assertEqual(second[0] | second[2], first[0] | first[1] | first[2])

    def test_in_turn_only_the_reader_of_all_knows_what_is_missing(self):
        self.spread_otherwise(self.rules.replace("jhash ip saddr . udp sport mod 6 seed 0x51",
                                                 "numgen inc mod 6"))
        for _ in range(2):
            self.send()
        self.assertGreater(sum(self.lost()), COUNT)
        answer = self.query()
        self.assertEqual(len(answer), COUNT)
        for sender in answer:
            self.assertEqual((sender["came"], sender["lost"]), (2 * EACH - 1, 1))

    def test_the_query_finds_the_same_where_senders_stay(self):
        self.spread()
        for _ in range(2):
            self.send()
        self.assertEqual(sum(self.lost()), sum(sender["lost"] for sender in self.query()))

    def give_address(self):
        """Adds the service's address on each collector's host, with the command of the page."""
        for host in self.hosts:
            host.run(of_page("sh", "ip address add").partition("#")[0])

    def test_by_routes_each_sender_has_its_collector(self):
        self.give_address()
        shell(of_page("sh", "sysctl", "nexthop via"))
        self.addCleanup(shell, f"ip route delete {SERVICE}")
        found = self.send()
        self.assert_apart(found)
        print(f"{self.id()}: senders of each collector {list(map(len, found))}", flush=True)

    def test_by_a_resilient_group_only_the_senders_of_one_that_leaves_move(self):
        self.give_address()
        shell("sysctl -qw net.ipv4.fib_multipath_hash_policy=1")
        shell(of_page("sh", "group 1/2/3"))
        self.addCleanup(shell, f"ip route delete {SERVICE}; ip nexthop flush")
        first = self.send()
        self.assert_apart(first)
        shell(of_page("sh", "group 1/3"))
        second = self.send()
        self.assertEqual(second[1], {})
        self.assertLess(set(first[0]), set(second[0]))
        self.assertLess(set(first[2]), set(second[2]))
        print(f"{self.id()}: senders of each collector {list(map(len, first))}, without the second "
              f"{list(map(len, second))}", flush=True)


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for tool in ("ip", "jq", "nft", "sysctl"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    run_tests("-n", PROBE)
