"""UDP-Notif: numbered messages, whole or in segments, and the outcome of each datagram."""
import itertools
import random
import struct
import unittest

from built import WINDOWS
from capture_writing import write_capture
from packet_reading import read_packets
from protobuf import double, message, text
from sluice_program import ANY_PORT, ProgramTest, dropped

KEYS = "schema=riemann&framing=udp-notif"
LISTENER = f"{ANY_PORT}?{KEYS}"
PUBLISHER = 7


def event(service):
    """A Riemann message of one event."""
    return message(6, text(3, service) + double(14, 1.0))


def notif(number, body, options=b"", publisher=PUBLISHER, first=0x30):
    size = 12 + len(options) + len(body)
    return struct.pack(">BBHII", first, 12 + len(options), size, publisher, number) + options + body


def segments(number, body, count, **more):
    """The datagrams of a message in `count` segments."""
    at = [len(body) * i // count for i in range(count + 1)]
    return [notif(number, body[at[i]:at[i + 1]],
                  struct.pack(">BBH", 1, 4, i << 1 | (i + 1 == count)), **more)
            for i in range(count)]


class UdpNotifTest(ProgramTest):
    def launch(self, *arguments, **more):
        program = super().launch(*arguments, **more)
        program.segments = True
        return program

    def counts(self, ledger):
        (counts,) = ledger["listeners"]
        return counts

    def names(self, program):
        return sorted(line["name"] for line in program.output())

    def test_a_message_in_segments_is_one_record(self):
        program = self.start("--listen", LISTENER)
        big = "x" * 100000
        parts = segments(2, event(big), 70)
        random.Random(1).shuffle(parts)
        self.sender(program).send_all([notif(1, event("a")), *parts, *segments(3, event("b"), 1)])
        ledger = program.stop()
        counts = self.counts(ledger)
        self.assertEqual((counts["decoded"], counts["messages"], counts["lost"]), (72, 3, 0))
        self.assertEqual(self.names(program), ["a", "b", big])
        self.assertEqual(ledger["sinks"][0]["written"], 3)

    def test_several_receivers_have_all_segments_of_a_message_each(self):
        """The system delivers all datagrams from one address and port to the same socket."""
        program = self.start("--listen", LISTENER + "&receivers=4")
        for number in range(20):
            parts = segments(number, event(f"m{number:02}"), 5)
            self.sender(program).send_all(parts[::-1], 5 * number)
        counts = self.counts(program.stop())
        self.assertEqual((counts["decoded"], counts["messages"]), (100, 20))
        self.assertEqual(self.names(program), [f"m{number:02}" for number in range(20)])

    def test_what_waits_is_a_term_of_the_running_ledger(self):
        program = self.start("--listen", LISTENER)
        first, *others = segments(1, event("abc"), 3)
        sender = self.sender(program)
        sender.send_all(others)
        ledger = program.wait_for_ledger(lambda now: self.counts(now)["in_assembly"] == 2,
                                         "two segments are held")
        self.assertEqual(self.counts(ledger)["decoded"], 0)
        sender.send_all([first], 2)
        self.assertEqual(program.wait_for_output(1)[0]["name"], "abc")
        counts = self.counts(program.stop())
        self.assertEqual((counts["decoded"], counts["messages"]), (3, 1))

    def test_what_is_not_whole_in_time_is_given_up_though_nothing_more_comes(self):
        letters = self.folder / "letters.pcapng"
        program = self.start("--listen", LISTENER + "&segment_timeout=50ms",
                             "--dead-letter", f"file:{letters}")
        parts = segments(1, event("abc"), 3)[1:]
        self.sender(program).send_all(parts)
        program.wait_for_ledger(
            lambda now: self.counts(now)["reasons"]["segments_missing"] == 2 and
            self.counts(now)["in_assembly"] == 0, "the message is given up")
        ledger = program.stop()
        self.assertEqual(ledger["dead_letters"]["kept"], 2)
        self.assertEqual([packet["payload"] for packet in read_packets(letters)], parts)
        self.assertIn("segments_missing: datagram of ", "\n".join(program.log()))

    def test_a_stop_gives_up_what_is_not_whole(self):
        for threads in ("1", "2"):
            program = self.start("--listen", f"{LISTENER}&receivers={threads}")
            self.sender(program).send_all(segments(1, event("abc"), 3)[:2])
            counts = self.counts(program.stop())
            self.assertEqual(counts["reasons"]["segments_missing"], 2)

    def test_each_segment_of_a_bad_message_has_its_reason_and_letter(self):
        letters = self.folder / "letters.pcapng"
        program = self.start("--listen", LISTENER, "--dead-letter", f"file:{letters}")
        parts = segments(1, b"\x32\x05abc", 4)
        self.sender(program).send_all([parts[2], parts[0], parts[3], parts[1]])
        ledger = program.stop()
        self.assertEqual(self.counts(ledger)["reasons"]["malformed"], 4)
        self.assertEqual([packet["payload"] for packet in read_packets(letters)], parts)

    def test_registered_encodings_are_malformed(self):
        program = self.start("--listen", LISTENER)
        self.sender(program).send_all([notif(n, b"{}", first=0x20 | n) for n in (1, 2, 3)])
        self.assertEqual(self.counts(program.stop())["reasons"]["malformed"], 3)
        self.assertIn("the message is not protobuf", "\n".join(program.log()))

    def test_messages_are_counted_whole_over_the_end_of_their_numbers(self):
        """Of ten numbers, 0xfffffffd, 3 and the message that lacks a segment never arrive. 1 and 2
        are swapped, and 4 comes twice."""
        last = (1 << 32) - 1
        program = self.start("--listen", LISTENER)
        sent = [notif(last - 3, event("a")), notif(last - 1, event("b")),
                *segments(last, event("c"), 3), notif(0, event("d")), notif(2, event("e")),
                *segments(1, event("f"), 2), *segments(5, event("lost"), 4)[1:],
                notif(4, event("g")), notif(4, event("g")), notif(6, event("h"))]
        self.sender(program).send_all(sent)
        counts = self.counts(program.stop())
        self.assertEqual(self.names(program), sorted("abcdefggh"))
        self.assertEqual([counts[term] for term in ("senders", "lost", "duplicated", "reordered",
                                                    "late", "restarted")], [1, 3, 1, 1, 0, 0])

    def test_a_publisher_counts_for_each_port_that_it_sends_from(self):
        """Routers do this: the messages of each port are numbered from 0, and segments of different
        ports are mixed. One message of the last port never arrives."""
        program = self.start("--listen", LISTENER)
        senders = [self.sender(program) for _ in range(9)]
        parts = [[part for number in range(3)
                  for part in segments(number, event(f"{port}-{number}"), 2)]
                 for port in range(len(senders))]
        parts[-1][2:4] = []
        for group in itertools.zip_longest(*parts):
            for sender, part in zip(senders, group):
                if part is not None:
                    sender.send(part)
        program.wait_for_received(52)
        counts = self.counts(program.stop())
        self.assertEqual(counts["reasons"]["segment_repeated"], 0)
        self.assertEqual((counts["decoded"], counts["messages"]), (52, 26))
        self.assertEqual([counts[term] for term in ("senders", "lost", "duplicated", "restarted")],
                         [9, 1, 0, 0])
        self.assertEqual(len(self.names(program)), 26)

    def test_random_order_doubles_and_losses_are_each_accounted_for(self):
        """300 messages from publishers at three hosts."""
        chosen = random.Random(2)
        program = self.start("--listen", LISTENER + "&segment_memory=64MiB&segment_timeout=1h"
                             "&receive_buffer=16MiB", "--sink", "stdout:?view=message")
        datagrams, whole, wanted = [], 0, {"missing": 0, "repeated": 0, "decoded": 0}
        for number in range(300):
            count = chosen.randrange(1, 9)
            parts = segments(number, event(f"m{number}"), count, publisher=number % 3)
            lost = [part for part in parts if chosen.random() < 0.02]
            doubled = [part for part in parts if part not in lost and chosen.random() < 0.05]
            arriving = [part for part in parts if part not in lost] + doubled
            if count == 1:
                wanted["decoded"] += len(arriving)
                whole += len(arriving)
            else:
                wanted["repeated"] += len(doubled)
                wanted["missing" if lost else "decoded"] += len(arriving) - len(doubled)
                whole += not lost
            datagrams += arriving
        chosen.shuffle(datagrams)
        sender = self.sender(program)
        for at in range(0, len(datagrams), 100):
            sender.send_all(datagrams[at:at + 100], at)
        counts = self.counts(program.stop())
        self.assertEqual(dropped(counts), 0)
        self.assertEqual(counts["received"], len(datagrams))
        self.assertEqual({"missing": counts["reasons"]["segments_missing"],
                          "repeated": counts["reasons"]["segment_repeated"],
                          "decoded": counts["decoded"]}, wanted)
        self.assertEqual(counts["messages"], whole)
        self.assertEqual(len(program.output()), whole)

    def test_the_time_of_a_capture_is_that_of_its_datagrams(self):
        path = self.folder / "day.pcap"
        one, two, three = segments(1, event("abc"), 3)
        write_capture(path, [one, three, two])  # there is one second between two datagrams
        program, ledger = self.run_to_end("--listen", f"pcap:{path}?{KEYS}&segment_timeout=3s")
        self.assertEqual(self.names(program), ["abc"])
        self.assertEqual(self.counts(ledger)["decoded"], 3)
        _, ledger = self.run_to_end("--listen", f"pcap:{path}?{KEYS}&segment_timeout=2s")
        self.assertEqual(self.counts(ledger)["reasons"]["segments_missing"], 3)

    def test_the_memory_is_part_of_the_budget(self):
        plain = int(self.least_memory("--listen", "udp://127.0.0.1:1?schema=riemann")[:-3])
        small = int(self.least_memory("--listen", f"udp://127.0.0.1:1?{KEYS}"
                                      "&segment_memory=256KiB&max_decoded=64KiB")[:-3])
        large = int(self.least_memory("--listen", f"udp://127.0.0.1:1?{KEYS}"
                                      "&segment_memory=8448KiB&max_decoded=64KiB")[:-3])
        two = int(self.least_memory("--listen", f"udp://127.0.0.1:1?{KEYS}&receivers=2"
                                    "&segment_memory=8448KiB&max_decoded=64KiB")[:-3])
        self.assertIn(small - plain, (256, 257))
        self.assertEqual(large - small, 8192)
        if not WINDOWS:  # on Windows one socket serves all threads
            self.assertGreaterEqual(two - large, 8448)

    def test_sinks_of_datagrams_are_refused_beside_it(self):
        for sink, name in ((f"file:{self.folder}/x.pcap?format=pcap", "pcap"),
                           ("udp:127.0.0.1:1", "datagram")):
            said = self.refused("--listen", LISTENER, "--sink", sink, code=78)
            self.assertIn(f"format={name} writes one datagram per record", said)


if __name__ == "__main__":
    unittest.main()
