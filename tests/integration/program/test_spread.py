"""Tests spread=datagram, with which each datagram of a sender may arrive at another socket. The
sender's sequence numbers must be counted exactly."""
import json
import os
import random
import signal
import socket
import unittest

from built import WINDOWS, nothing_on_windows
from ports import free_port
from protobuf import gauge
from sluice_program import (ANY_PORT, CHANGED, TELEMETRY, ProgramTest, dropped)
from test_metrics import SERVES, MetricsTest, labels

REFUSED = "reload refused"
SPREAD = TELEMETRY + "&spread=datagram"


def numbered(number, boot=7):
    return gauge("v", number, sender="web1", boot=boot, sequence=number)


class Refused(ProgramTest):
    def test_a_system_that_cannot_do_it_says_so(self):
        if WINDOWS:
            self.assertIn("spread=datagram: on this system only one socket of a port gets datagrams",
                          self.refused("--listen", SPREAD + "&receivers=2", "--check", code=78))

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("needs receivers=2 or more",
                      self.refused("--listen", SPREAD, "--check", code=78))
        if not WINDOWS:
            self.assertIn("would separate the segments of a message",
                          self.refused("--listen", SPREAD + "&receivers=2&framing=udp-notif",
                                       "--check", code=78))
        for url, why in ((SPREAD + "&receivers=64&receive_buffer=8MiB", "lower receive_buffer="),
                         (TELEMETRY + "&spread=any&receivers=2", "spread")):
            with self.subTest(url):
                self.assertIn(why, self.refused("--listen", url, "--check", code=64))


nothing_on_windows("a port has one socket")


class Counted(ProgramTest):
    def plan(self, seed, count):
        """Sequence numbers, of which some are missing and some occur twice, and how many of each.
        The first and the last occur once."""
        dice = random.Random(seed)
        sent, left_out, doubled = [1], 0, 0
        for number in range(2, count):
            kind = dice.random()
            if kind < 0.02:
                left_out += 1
                continue
            sent.append(number)
            if kind < 0.04:
                sent.append(number)
                doubled += 1
        return [*sent, count], left_out, doubled

    def assert_counts(self, ledger, **expected):
        listener = ledger["listeners"][0]
        self.assertNotIn("reordered", listener)
        found = {name: listener[name]
                 for name in ("senders", "lost", "duplicated", "late", "restarted")}
        self.assertEqual(found, {"senders": 1, "late": 0, "restarted": 0, **expected})

    def test_what_the_sender_left_out_and_doubled(self):
        for receivers, boot in ((2, 7), (5, 7), (2, 0)):
            with self.subTest(receivers=receivers, boot=boot):
                sent, left_out, doubled = self.plan(receivers, 10000)
                program = self.start("--listen", f"{SPREAD}&receivers={receivers}")
                self.sender(program).send_all([numbered(number, boot) for number in sent])
                ledger = program.stop()
                self.assert_counts(ledger, lost=left_out, duplicated=doubled)
                self.assertEqual(dropped(ledger["listeners"][0]), 0)
                self.assertEqual(sorted(line["value"] for line in program.output()), sorted(sent))

    def send_past_small_buffers(self, sent, **more):
        """Sends the first and the last number so that they are received, and the others as fast as
        possible. Returns the final ledger and the written numbers."""
        program = self.start("--listen", SPREAD + "&receivers=2&receive_buffer=8KiB", **more)
        sender = self.sender(program)
        sender.send(numbered(sent[0]))
        program.wait_for_received(1)
        for number in sent[1:-1]:
            sender.send(numbered(number))

        def all_there(ledger):
            listener = ledger["listeners"][0]
            return listener["received"] + dropped(listener) == len(sent) - 1
        ledger = program.wait_for_ledger(all_there, "each is received or dropped")
        sender.send(numbered(sent[-1]))
        program.wait_for_received(ledger["listeners"][0]["received"] + 1)
        return program.stop(), [line["value"] for line in program.output()]

    def test_what_the_kernel_drops_is_lost_besides(self):
        sent = [number for number in range(1, 30001) if number % 50 != 7]
        ledger, written = self.send_past_small_buffers(sent)
        drops = dropped(ledger["listeners"][0])
        self.assertGreater(drops, 0, "the buffers were to be too small")
        self.assertEqual(len(written) + drops, len(sent))
        self.assert_counts(ledger, lost=30000 - len(sent) + drops, duplicated=0)

    def test_what_was_lost_and_doubled_is_what_was_not_written_and_written_twice(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                sent, _, _ = self.plan(seed, 15000)
                ledger, written = self.send_past_small_buffers(sent)
                self.assert_counts(ledger, lost=15000 - len(set(written)),
                                   duplicated=len(written) - len(set(written)))

    def test_what_fills_the_buffers_is_counted_exactly_whichever_is_read_first(self):
        sent = [number for number in range(1, 12001) if number % 50 != 7]
        program = self.start("--listen", SPREAD + "&receivers=2", "--receiver-cpus",
                             str(min(os.sched_getaffinity(0))))  # both threads run on one processor
        sender = self.sender(program)
        sender.send(numbered(sent[0]))
        program.wait_for_received(1)
        program.freeze()
        for number in sent[1:]:
            sender.send(numbered(number))
        program.send_signal(signal.SIGCONT)

        def all_there(ledger):
            listener = ledger["listeners"][0]
            return listener["received"] + dropped(listener) == len(sent)
        program.wait_for_ledger(all_there, "each is received or dropped")
        sender.send(numbered(12001))
        ledger = program.stop()
        drops = dropped(ledger["listeners"][0])
        self.assert_counts(ledger, lost=12000 - len(sent) + drops, duplicated=0)

    def test_ipv6_and_ipv4_on_one_port(self):
        program = self.start("--listen", "udp://[::]:0?spread=datagram&receivers=3")
        for host in ("127.0.0.1", "::1"):
            sender = self.sender(program, host=host)
            received = sum(listener["received"] for listener in program.ledger_now()["listeners"])
            sender.send_all([numbered(number) for number in range(1, 301) if number != 9],
                            before=received)
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["received"], listener["senders"], listener["lost"]),
                         (2 * 299, 2, 2))

    def test_a_segmented_buffer_stays_on_one_receiver(self):
        sent = [number for number in range(200, 6200) if number % 100 != 7]
        size = len(numbered(200))
        sent = [number for number in sent if len(numbered(number)) == size]
        for gro in ("on", "off"):
            with self.subTest(gro=gro):
                program = self.start("--listen", f"{SPREAD}&receivers=2&gro={gro}")
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    sender.setsockopt(socket.IPPROTO_UDP, 103, size)  # UDP_SEGMENT
                    sender.connect(("127.0.0.1", program.port()))
                    for start in range(0, len(sent), 20):
                        part = sent[start:start + 20]
                        sender.send(b"".join(map(numbered, part)))
                        program.wait_for_received(start + len(part))
                self.assert_counts(program.stop(), duplicated=0,
                                   lost=sent[-1] - sent[0] + 1 - len(sent))
                lines = [line["value"] for line in program.output()]
                self.assertEqual(sorted(lines), sent)
                # In order, because one thread received this group.
                for start in range(0, len(sent), 20):
                    places = [lines.index(number) for number in sent[start:start + 20]]
                    self.assertEqual(places, sorted(places))

    def test_without_it_a_late_number_is_reported(self):
        program = self.start("--listen", TELEMETRY + "&receivers=2&spread=flow")
        self.sender(program).send_all([numbered(number) for number in (1, 3, 2)])
        self.assertEqual(program.stop()["listeners"][0]["reordered"], 1)


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Divided(MetricsTest):
    def test_each_receiver_gets_some_of_one_sender(self):
        program, client = self.serve("--listen", SPREAD + "&receivers=2", "--listen", TELEMETRY,
                                     listeners=2)
        self.sender(program).send_all([numbered(number) for number in range(1, 1001)])
        found = client.numbers()
        for receiver in ("0", "1"):
            drained = found["sluice_receiver_drain_datagrams_sum", labels(receiver=receiver)]
            self.assertGreater(drained, 300)
        reordered = [key for key in found if key[0] == "sluice_listener_reordered_total"]
        self.assertEqual(reordered, [("sluice_listener_reordered_total",
                                      labels(listener=program.names[1]))])
        program.stop()


class Reloaded(ProgramTest):
    def write(self, *listeners):
        self.file.write_text(json.dumps({
            "listeners": [{"schema": "telemetry", "receivers": 2, **keys} for keys in listeners],
            "sinks": [f"file:{self.folder / 'out'}"]}), encoding="utf-8")

    def begin(self, *listeners):
        self.file = self.folder / "sluice.yaml"
        self.write(*listeners)
        return self.start("--config", self.file, listeners=len(listeners))

    def reload(self, program, *listeners, refused=None):
        pattern = CHANGED if refused is None else REFUSED
        before = sum(pattern in line for line in program.log())
        self.write(*listeners)
        program.ask_to_reload()
        program.wait_for_log(pattern, before + 1)
        if refused is not None:
            self.assertIn(refused, [line for line in program.log() if REFUSED in line][-1])

    def test_a_reload_changes_what_it_can(self):
        spread = {"address": ANY_PORT, "spread": "datagram", "receive_buffer": "1MiB"}
        program = self.begin(spread)
        self.reload(program, {**spread, "spread": "flow"}, refused="spread= can only be changed")
        self.reload(program, {**spread, "receive_buffer": "64MiB"}, refused="needs a restart")
        self.reload(program, {**spread, "receive_buffer": "2MiB"})
        sender = self.sender(program)
        sender.send_all([numbered(number) for number in (1, 2, 2, 5)])
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["lost"], listener["duplicated"]), (2, 1))

    def test_a_start_without_it_has_windows_for_small_buffers(self):
        flow = {"address": ANY_PORT}
        added = {"address": "udp://127.0.0.2:0", "spread": "datagram"}
        program = self.begin(flow)
        self.reload(program, flow, {**added, "receive_buffer": "64MiB"}, refused="needs a restart")
        self.reload(program, flow, {**added, "receive_buffer": "1MiB"})
        program.stop()

    def test_a_sender_with_many_ports_loses_nothing(self):
        for boot in (7, 0):
            with self.subTest(boot=boot):
                program = self.start("--listen", TELEMETRY + "&receivers=2")
                senders = [self.sender(program) for _ in range(8)]
                # Each port sends a part of the numbers before the next port does.
                for start in range(8):
                    numbers = range(start + 1, 16001, 8)
                    senders[start].send_all([numbered(number, boot) for number in numbers],
                                            before=start * 2000)
                listener = program.stop()["listeners"][0]
                self.assertEqual({name: listener[name] for name in
                                  ("senders", "lost", "duplicated", "late", "restarted")},
                                 {"senders": 1, "lost": 0, "duplicated": 0, "late": 0,
                                  "restarted": 0})

    def test_a_listener_comes_and_goes_and_comes_again(self):
        stays = {"address": ANY_PORT, "spread": "datagram"}
        port = free_port()
        comes = {"address": f"udp://127.0.0.3:{port}", "spread": "datagram"}
        program = self.begin(stays)
        for turn in range(3):
            self.reload(program, stays, comes)
            program.wait_for_listeners(2 + turn)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                for number in (1, 2, 2, 4, *range(5, 40)):
                    sender.sendto(numbered(number), ("127.0.0.3", port))
            program.wait_for_received(39 * (turn + 1), listener=1)
            self.reload(program, stays)
        listener = program.stop()["listeners"][1]
        self.assertEqual((listener["lost"], listener["duplicated"], listener["senders"]),
                         (3, 3, 3))


if __name__ == "__main__":
    unittest.main()
