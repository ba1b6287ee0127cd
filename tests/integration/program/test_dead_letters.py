"""Tests --dead-letter: datagrams that could not be decoded are kept with their reason, within
limits, and without delaying other datagrams."""
import os
import pty
import resource
import socket
import time
import unittest

from built import NO_FIFO, NO_LIMIT, NO_TERMINAL, not_on_windows
from capture_writing import write_capture
from packet_reading import GOOD, read_packets
from protobuf import gauge, groups, metric, telemetry
from sluice_program import RIEMANN, TELEMETRY, ProgramTest, parse_lines

FIFO_SIZE = 64 << 10  # at least the number of bytes that fit in a pipe


class DeadLetters(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path, self.old = self.folder / "dead.pcapng", self.folder / "dead.1"

    def letters_to(self, keys=""):
        return "--dead-letter", f"file:{self.path}{keys}"

    def wait_for_letters(self, program, count):
        """Waits until `count` dead letters are kept or dropped. Returns the ledger."""
        def reached(ledger):
            letters = ledger["dead_letters"]
            return letters["kept"] + sum(letters["dropped"].values()) >= count
        return program.wait_for_ledger(reached, f"{count} dead letters are kept or dropped")

    def assert_kept(self, ledger, kept, **dropped):
        letters = ledger["dead_letters"]
        self.assertEqual(letters["kept"], kept)
        self.assertEqual({name: count for name, count in letters["dropped"].items() if count},
                         dropped)

    def payloads(self, path=None):
        return [packet["payload"] for packet in read_packets(path or self.path)]


class Kept(DeadLetters):
    def test_each_reason_stands_with_its_datagram(self):
        deep = "..." + ".".join(["1000"] * 18)
        kinds = [("empty", "", b""),
                 ("too_deep", f", at byte 200: too many levels of messages and groups (field {deep})",
                  groups(1000, 500)),
                 ("too_large", ", at byte 0: no room for the decoded message (field samples)",
                  telemetry(*[b""] * 1000)),
                 ("malformed", ", at byte 7: a string is not UTF-8 (field samples.name)",
                  gauge(b"caf\xe9", 1))]
        program = self.start("--listen", TELEMETRY + "&max_datagram=5000B&max_decoded=4KiB",
                             "--listen", RIEMANN + "&match=magic:aa", *self.letters_to(),
                             listeners=2)
        sender, other = self.sender(program), self.sender(program, 1)
        sender.send_all([gauge("good", 1), *(data for _, _, data in kinds)])
        other.send_all([b"unknown"])
        ledger = program.stop()
        self.assert_kept(ledger, 5)
        name, other_name = program.names
        packets = read_packets(self.path)
        self.assertEqual([(packet["comment"], packet["payload"]) for packet in packets],
                         [(f"{kind}: {name} (schema=telemetry){why}", data)
                          for kind, why, data in kinds] +
                         [(f"no_match: {other_name} (schema=riemann)", b"unknown")])
        for packet in packets:
            self.assertEqual((packet["checksum"], packet["ip_checksum"]), (GOOD, GOOD))
        self.assertEqual([packet["source"] for packet in packets],
                         [sender.socket.getsockname()] * 4 + [other.socket.getsockname()])
        self.assertEqual([packet["destination"] for packet in packets],
                         [("127.0.0.1", program.port())] * 4 + [("127.0.0.1", program.port(1))])
        self.assertEqual(ledger["dead_letters"]["bytes"], self.path.stat().st_size)

    def test_of_a_truncated_one_what_there_is_and_how_long_it_was(self):
        program = self.start("--listen", TELEMETRY + "&max_datagram=100B", *self.letters_to())
        self.sender(program).send_all([bytes(range(200))])
        self.assert_kept(program.stop(), 1)
        packet, = read_packets(self.path)
        self.assertEqual(packet["comment"], f"truncated: {program.names[0]} (schema=telemetry)")
        self.assertEqual((packet["length"], packet["payload"]), (200, bytes(range(100))))

    def test_heartbeats_and_what_is_in_order_are_not_kept(self):
        heartbeat = bytes.fromhex("000200010001000000000000")
        program = self.start("--listen", TELEMETRY + "&framing=cisco-mdt", *self.letters_to())
        self.sender(program).send_all([heartbeat])
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["reasons"]["control"], 1)
        self.assert_kept(ledger, 0)
        self.assertEqual(self.path.read_bytes(), b"")

    def test_ipv6_and_the_largest_datagrams(self):
        program = self.start("--listen", "udp://[::]:0?schema=telemetry", *self.letters_to())
        sent = [b"\xff" * 65507, b"\xff"]
        for host, before in (("::1", 0), ("127.0.0.1", 2)):
            self.sender(program, host=host).send_all(sent, before)
        self.assert_kept(program.stop(), 4)
        packets = read_packets(self.path)
        self.assertEqual([packet["payload"] for packet in packets], sent + sent)
        self.assertEqual([packet["source"][0] for packet in packets], ["::1"] * 2 +
                         ["127.0.0.1"] * 2)
        # A listener does not record the destination address of each datagram.
        self.assertEqual([packet["destination"] for packet in packets],
                         [("::", program.port())] * 2 + [("0.0.0.0", program.port())] * 2)
        self.assertEqual({packet["checksum"] for packet in packets}, {GOOD})

    def test_several_threads_and_listeners_keep_theirs_in_one_file(self):
        program = self.start("--listen", TELEMETRY + "&receivers=2", "--listen", TELEMETRY,
                             *self.letters_to("?rate=1000"), listeners=2)
        sent = []
        for number in range(10):
            for listener in (0, 1):
                data = b"\xff" + bytes([listener, number])
                self.sender(program, listener).send_all([data], before=number)
                sent.append(data)
        self.assert_kept(program.stop(), 20)
        self.assertEqual(sorted(self.payloads()), sorted(sent))

    def test_they_can_be_replayed_when_the_schema_is_right(self):
        good = [gauge(f"g{value}", value) for value in range(10)]
        program = self.start("--listen", TELEMETRY + "&framing=cisco-mdt",
                             *self.letters_to())
        self.sender(program).send_all(good)
        self.assert_kept(program.stop(), 10)
        again, ledger = self.run_to_end("--listen", f"pcap:{self.path}?schema=telemetry")
        self.assertEqual([line["value"] for line in again.output()], list(range(10)))
        self.assertEqual(ledger["listeners"][0]["decoded"], 10)

    def test_of_a_capture_none_is_lost_for_want_of_room(self):
        capture = self.folder / "capture"
        sent = [b"\xff" + bytes([number % 256]) * 1400 for number in range(3000)]
        write_capture(capture, sent)
        _, ledger = self.run_to_end("--listen", f"pcap:{capture}?schema=telemetry",
                                    *self.letters_to("?rate=1000000"))
        self.assert_kept(ledger, 3000)
        self.assertEqual(self.payloads(), sent)


class Bounds(DeadLetters):
    def test_no_more_than_the_rate_are_kept(self):
        capture = self.folder / "capture"
        write_capture(capture, [b"\xff"] * 1000)
        _, ledger = self.run_to_end("--listen", f"pcap:{capture}?schema=telemetry",
                                    *self.letters_to("?rate=7"))
        seconds = int(ledger["uptime_seconds"]) + 1
        kept = ledger["dead_letters"]["kept"]
        self.assertIn(kept, range(7, 7 * seconds + 1))
        self.assert_kept(ledger, kept, rate=1000 - kept)
        self.assertEqual(len(self.payloads()), kept)

    def test_the_file_grows_to_its_size_and_a_fresh_one_begins_anew(self):
        program = self.start("--listen", TELEMETRY, *self.letters_to("?max_size=128KiB&rate=1000"))
        sender = self.sender(program)
        sender.send_all([b"\xff" * 10000] * 20)
        ledger = self.wait_for_letters(program, 20)
        # 128 KiB are 13.1 times 10,000 bytes, and headers need some of that.
        self.assert_kept(ledger, 12, file_full=8)
        self.assertLessEqual(self.path.stat().st_size, 128 << 10)
        program.wait_for_log("has reached max_size=")
        os.rename(self.path, self.old)
        program.ask_to_reload()
        program.wait_for_log("dead.pcapng: reopened")
        sender.send_all([b"\xff\xff"], before=20)
        self.assert_kept(program.stop(), 13, file_full=8)
        self.assertEqual(self.payloads(self.old), [b"\xff" * 10000] * 12)
        self.assertEqual(self.payloads(), [b"\xff\xff"])
        self.assertEqual(len([line for line in program.log() if "max_size" in line]), 1)

    def test_a_file_that_is_emptied_begins_anew_with_the_next(self):
        program = self.start("--listen", TELEMETRY, *self.letters_to())
        sender = self.sender(program)
        sender.send_all([b"\xff"] * 3)
        self.wait_for_letters(program, 3)
        os.truncate(self.path, 0)
        sender.send_all([b"\xff\xff"], before=3)
        self.wait_for_letters(program, 4)
        os.truncate(self.path, self.path.stat().st_size - 5)
        sender.send_all([b"\xff\xff\xff"], before=4)
        self.assert_kept(program.stop(), 5)
        self.assertEqual(self.payloads(), [b"\xff\xff\xff"])

    def remove_after_one(self):
        program = self.start("--listen", TELEMETRY, *self.letters_to())
        sender = self.sender(program)
        sender.send_all([b"\xff"])
        self.wait_for_letters(program, 1)
        self.path.unlink()
        return program, sender

    def test_after_a_removal_the_next_is_in_a_new_file(self):
        program, sender = self.remove_after_one()
        sender.send_all([b"\xff\xff", b"\xff\xff\xff"], before=1)
        self.assert_kept(program.stop(), 3)
        self.assertEqual(self.payloads(), [b"\xff\xff", b"\xff\xff\xff"])
        self.assertEqual(len([line for line in program.log() if "opened a new one" in line]), 1)

    def test_what_has_no_file_after_a_removal_is_counted_as_dropped(self):
        program, sender = self.remove_after_one()
        self.path.mkdir()
        sender.send_all([b"\xff\xff"] * 3, before=1)
        self.wait_for_letters(program, 4)
        self.path.rmdir()
        time.sleep(1.1)  # the program tries the file again after a second
        sender.send_all([b"\xff\xff\xff"], before=4)
        self.assert_kept(program.stop(), 2, io_error=3)
        self.assertEqual(self.payloads(), [b"\xff\xff\xff"])
        self.assertEqual(len([line for line in program.log() if "was removed: " in line]), 1)

    @not_on_windows(NO_FIFO)
    def test_a_file_without_a_name_that_is_there_is_kept(self):
        """A removed file that is opened through a descriptor: /dev/fd/N."""
        with open(self.path, "w+b") as file:
            self.path.unlink()
            program = self.start("--listen", TELEMETRY, "--dead-letter",
                                 f"file:/dev/fd/{file.fileno()}", "--sandbox", "off",
                                 pass_fds=[file.fileno()])
            self.sender(program).send_all([b"\xff"] * 3)
            self.assert_kept(program.stop(), 3)
            self.path.write_bytes(file.read())
        self.assertEqual(self.payloads(), [b"\xff"] * 3)

    def test_a_second_removal_right_after_the_first_is_noticed(self):
        program, sender = self.remove_after_one()
        self.path.mkdir()
        sender.send_all([b"\xff\xff"], before=1)
        self.wait_for_letters(program, 2)
        self.path.rmdir()
        program.ask_to_reload()
        program.wait_for_log("dead.pcapng: reopened")
        self.path.unlink()
        sender.send_all([b"\xff\xff\xff"], before=2)
        self.assert_kept(program.stop(), 2, io_error=1)
        self.assertEqual(self.payloads(), [b"\xff\xff\xff"])

    def test_of_ipv6_the_largest_is_whole_and_a_truncated_one_is_cut(self):
        largest = b"\xff" * 65527
        for limit, cut in (("64KiB", 0), ("65507B", 1)):
            with self.subTest(limit):
                program = self.start("--listen", f"udp://[::]:0?schema=telemetry&max_datagram={limit}",
                                     *self.letters_to())
                self.sender(program, host="::1").send_all([largest])
                self.assert_kept(program.stop(), 1)
                packet, = read_packets(self.path)
                self.assertEqual(packet["length"], len(largest))
                self.assertEqual(packet["payload"], largest[:65507] if cut else largest)
                _, ledger = self.run_to_end("--listen", f"pcap:{self.path}?schema=telemetry")
                self.assertEqual(ledger["listeners"][0]["cut"], cut)
                self.path.unlink()

    def test_a_longer_frame_of_a_stream_is_marked_as_cut(self):
        frame = (70000).to_bytes(4, "big") + b"\xff" * 70000
        program = self.start("--listen", "tcp://127.0.0.1:0?schema=telemetry&framing=length32",
                             *self.letters_to())
        with socket.create_connection(("127.0.0.1", program.port())) as stream:
            stream.sendall(frame)
            self.wait_for_letters(program, 1)
        self.assert_kept(program.stop(), 1)
        packet, = read_packets(self.path)
        self.assertEqual(packet["payload"], frame[:65506])
        _, ledger = self.run_to_end("--listen", f"pcap:{self.path}?schema=telemetry")
        self.assertEqual(ledger["listeners"][0]["cut"], 1)

    @not_on_windows(NO_LIMIT)
    def test_a_file_at_its_limit_costs_letters_alone(self):
        program = self.start("--listen", RIEMANN, *self.letters_to("?rate=1000"))
        sender = self.sender(program)
        sender.send_all([b"\xff" * 1000])
        self.wait_for_letters(program, 1)
        one = self.path.stat().st_size
        limit = 5 * one + one // 2  # inside a block
        hard = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (limit, hard))
        mix = [data for value in range(20) for data in (b"\xff" * 1000, metric(value))]
        sender.send_all(mix, before=1)
        ledger = self.wait_for_letters(program, 21)
        kept = ledger["dead_letters"]["kept"]
        self.assertIn(kept, (5, 6))
        self.assert_kept(ledger, kept, io_error=21 - kept)
        program.wait_for_log("error: file:.*dead.pcapng: cannot write: .*dead letters are lost")
        self.assertEqual(len(self.payloads()), kept)  # no incomplete letter
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        sender.send_all([b"\xff" * 1000], before=41)
        self.assert_kept(program.stop(), kept + 1, io_error=21 - kept)
        self.assertEqual([line["value"] for line in program.output()], list(range(20)))
        self.assertEqual(self.payloads(), [b"\xff" * 1000] * (kept + 1))

    @not_on_windows(NO_FIFO)
    def test_a_reader_that_stands_still_costs_letters_alone(self):
        os.mkfifo(self.path)
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        program = self.start("--listen", RIEMANN, *self.letters_to("?rate=1000000"),
                             "--stop-timeout", "100ms")
        sender = self.sender(program)
        sent = 1000  # of 1000 bytes each; pipe and queue cannot hold all
        sender.send_all([b"\xff" * 1000] * sent)
        sender.send_all([metric(value) for value in range(50)], before=sent)
        ledger = program.stop()
        letters = ledger["dead_letters"]
        self.assertGreaterEqual(letters["bytes"], FIFO_SIZE // 2)
        self.assertGreater(letters["dropped"]["ring_full"], 0)
        self.assertGreater(letters["dropped"]["stop_timeout"], 0)
        self.assertEqual([line["value"] for line in program.output()], list(range(50)))
        os.close(reader)

    @not_on_windows(NO_FIFO)
    def test_a_reader_that_goes_costs_letters_alone(self):
        os.mkfifo(self.path)
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        program = self.start("--listen", RIEMANN, *self.letters_to())
        os.close(reader)
        sender = self.sender(program)
        sender.send_all([b"\xff", b"\xff", metric(1)])
        self.assert_kept(program.stop(), 0, io_error=2)
        self.assertEqual([line["value"] for line in parse_lines(
            b"".join(program.stdout.lines()))], [1])


class Files(DeadLetters):
    def run_once(self, data):
        program = self.start("--listen", TELEMETRY, *self.letters_to())
        self.sender(program).send_all([data])
        self.assert_kept(program.stop(), 1)
        return program

    def test_a_later_run_appends(self):
        self.run_once(b"\xff")
        self.run_once(b"\xff\xff")
        self.assertEqual(self.payloads(), [b"\xff", b"\xff\xff"])

    def test_what_an_earlier_run_left_torn_is_cut_off(self):
        self.run_once(b"\xff")
        whole = self.path.stat().st_size
        self.run_once(b"\xff\xff")
        os.truncate(self.path, self.path.stat().st_size - 5)
        # 60 bytes: the section header of this run, which is complete.
        torn = self.path.stat().st_size - whole - 60
        program = self.run_once(b"\xff\xff\xff")
        program.wait_for_log(f"removed {torn} bytes of an incomplete dead letter")
        self.assertEqual(self.payloads(), [b"\xff", b"\xff\xff\xff"])

    def test_where_it_cannot_be_written_is_reported_at_the_start(self):
        self.path.write_text('{"line": 1}\n', encoding="ascii")
        said = self.refused("--listen", RIEMANN, *self.letters_to(), code=73)
        self.assertIn(f"cannot append dead letters to {self.path}: it holds something else", said)
        self.assertEqual(self.path.read_text(encoding="ascii"), '{"line": 1}\n')
        said = self.refused("--listen", RIEMANN, "--dead-letter", f"file:{self.folder}/no/file",
                            code=73)
        self.assertIn("no/file", said)

    @not_on_windows(NO_TERMINAL)
    def test_a_terminal_is_reported_at_the_start(self):
        ours, its = pty.openpty()
        said = self.refused("--listen", RIEMANN, "--dead-letter", f"file:{os.ttyname(its)}",
                            code=78)
        self.assertIn("is a terminal", said)
        os.close(ours)
        os.close(its)

    def test_their_memory_is_planned(self):
        without = int(self.least_memory("--listen", RIEMANN)[:-3])
        added = int(self.least_memory("--listen", RIEMANN, *self.letters_to())[:-3]) - without
        self.assertIn(added, range(256, 400))  # KiB: a queue, and a buffer for a block
        self.assertFalse(self.path.exists())

    def test_the_ledger_of_text_has_them(self):
        program = self.start("--listen", TELEMETRY, *self.letters_to(), ledger="text")
        self.sender(program).send(b"\xff")
        program.wait_for_log("malformed: datagram")
        program.stop()
        program.wait_for_log(rf"\A  dead letters file:{self.path}")
        program.wait_for_log(r"\A    offered 1 = kept 1")


if __name__ == "__main__":
    unittest.main()
