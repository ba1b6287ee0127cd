"""format=protobuf and format=pcap: datagrams are written unchanged. Other programs and sluice read
them."""
import datetime
import json
import os
import pty
import socket
import subprocess
import unittest

from built import NO_TERMINAL, beside, command, not_on_windows
from capture_writing import write_capture
from packet_reading import GOOD, plain_pcap, read_packets
from protobuf import (delimited, gauge, groups, integer, message, metric, riemann, split,
                      text)
from sluice_program import (CAPTURES, DEADLINE, RIEMANN, SANITIZED, SLUICE, ProgramTest, read_lines)

DELIMITED = "udp://127.0.0.1:0?schema=telemetry&framing=delimited&header=3"

# For each capture: the port and the schema of its datagrams.
REAL = {
    "collectd_riemann_batchoff_v4": (5561, "riemann"),
    "riemann_cli_v4": (5555, "riemann"),
    "riemann_frag_v4_mtu1500": (5555, "riemann"),
    "riemann_lib_odd_v4": (5555, "riemann"),
    "riemann_seq_nano_v4": (5555, "riemann"),
    "syslogng_riemann_batch10": (5563, "riemann"),
    "otlp_metrics_v4": (4317, "otlp"),
    "otlp_sizes_v4": (4317, "otlp"),
    "otlp_logs_v4": (4317, "otlp-logs"),
    "otlp_traces_v4": (4317, "otlp-traces"),
}


def nanoseconds(line):
    """The arrival time of a JSON line in nanoseconds."""
    whole, fraction = line["received"].rstrip("Z").split(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * 10 ** 9 + int(fraction)


class Protobuf(ProgramTest):
    def test_messages_follow_their_lengths(self):
        path = self.folder / "messages"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format=protobuf")
        sent = [metric(0.5, host="web1"), b"", riemann(*[{"service": "s", "metric_d": 1.0}] * 800)]
        self.sender(program).send_all(sent)
        sink = program.stop()["sinks"][0]
        data = path.read_bytes()
        self.assertEqual(split(data), sent)
        self.assertEqual((sink["written"], sink["lines"], sink["samples"], sink["bytes"]),
                         (3, 3, 0, len(data)))

    def test_each_message_of_a_datagram_is_written_without_its_frame(self):
        path = self.folder / "messages"
        program = self.start("--listen", DELIMITED, "--sink", f"file:{path}?format=protobuf")
        sent = [gauge(f"g{i}", i) for i in range(5)]
        self.sender(program).send_all([b"hdr" + delimited(*sent[:3]), b"hdr" + delimited(*sent[3:])])
        sink = program.stop()["sinks"][0]
        self.assertEqual(split(path.read_bytes()), sent)
        self.assertEqual((sink["written"], sink["lines"]), (5, 5))

    def test_schemas_without_samples_are_written_too(self):
        path = self.folder / "messages"
        self.run_to_end("--listen", f"pcap:{CAPTURES / 'otlp_logs_v4'}.pcap?schema=otlp-logs",
                        "--sink", f"file:{path}?format=protobuf")
        with open(CAPTURES / "otlp_logs_v4.ndjson", encoding="utf-8") as lines:
            sizes = [json.loads(line)["payload_len"] for line in lines]
        self.assertEqual([len(message) for message in split(path.read_bytes())], sizes)


class Pcap(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path, self.lines = self.folder / "packets.pcap", self.folder / "lines"
        self.sinks = ("--sink", f"file:{self.path}?format=pcap", "--sink",
                      f"file:{self.lines}?view=message")

    def assert_packets(self, sent):
        """Asserts that tshark finds these packets (source, destination, payload), at the times in
        the JSON lines."""
        packets = read_packets(self.path)
        self.assertEqual([packet["payload"] for packet in packets], [each[2] for each in sent])
        self.assertEqual([(packet["source"], packet["destination"]) for packet in packets],
                         [each[:2] for each in sent])
        self.assertEqual([packet["time"] for packet in packets],
                         list(map(nanoseconds, read_lines(self.lines))))
        for packet in packets:
            self.assertIn(packet["ip_checksum"], (GOOD, ""))  # IPv6 has no checksum
            self.assertEqual((packet["checksum"], packet["malformed"]), (GOOD, ""))
        return packets

    def assert_read_back(self, schema):
        """Asserts that sluice reads the file back as the same lines, except for the listener's
        name."""
        again = self.folder / "again"
        again.unlink(missing_ok=True)
        _, ledger = self.run_to_end("--listen", f"pcap:{self.path}?schema={schema}", "--sink",
                                    f"file:{again}?view=message")
        expected = [{**line, "listener": f"pcap:{self.path}"} for line in read_lines(self.lines)]
        self.assertEqual(read_lines(again), expected)
        return ledger["listeners"][0]

    def test_datagrams_of_a_socket(self):
        program = self.start("--listen", RIEMANN, *self.sinks)
        sender = self.sender(program)
        sent = [metric(1), b"", metric(2, "y"), riemann({"service": "x" * 65499})]
        sender.send_all(sent)
        sink = program.stop()["sinks"][0]
        self.assertEqual(len(sent[-1]), 65507)
        source, destination = sender.socket.getsockname(), ("127.0.0.1", program.port())
        self.assert_packets([(source, destination, each) for each in sent])
        self.assertEqual((sink["written"], sink["lines"], sink["samples"], sink["bytes"]),
                         (4, 4, 0, self.path.stat().st_size))
        self.assertEqual([len(packet) for _, packet in plain_pcap(self.path)],
                         [28 + len(each) for each in sent])
        self.assertEqual(self.assert_read_back("riemann")["decoded"], 4)

    def test_the_destination_on_a_socket_of_every_address_is_the_datagrams_own(self):
        for listen, hosts in (("udp://0.0.0.0:0", ("127.0.0.1", "127.0.0.2")),
                              ("udp://[::]:0", ("127.0.0.3", "::1"))):
            with self.subTest(listen):
                for path in (self.path, self.lines):
                    path.unlink(missing_ok=True)
                program = self.start("--listen", listen + "?schema=riemann", *self.sinks)
                sent = []
                for host in hosts:
                    sender = self.sender(program, host=host)
                    sender.send(metric(1))
                    program.wait_for_received(len(sent) + 1)
                    sent.append((sender.socket.getsockname()[:2], (host, program.port()),
                                 metric(1)))
                program.stop()
                self.assert_packets(sent)
                self.assert_read_back("riemann")

    def test_ipv6(self):
        program = self.start("--listen", "udp://[::1]:0?schema=riemann", *self.sinks)
        sender = self.sender(program, host="::1")
        sent = [metric(1), b"", metric(3, "odd"), riemann({"service": "x" * 65519})]
        sender.send_all(sent)
        program.stop()
        self.assertEqual(len(sent[-1]), 65527)  # the longest payload of IPv6
        source = sender.socket.getsockname()[:2]
        self.assert_packets([(source, ("::1", program.port()), each) for each in sent])
        self.assert_read_back("riemann")

    def test_a_datagram_of_several_messages_is_one_packet_with_all_that_came(self):
        program = self.start("--listen", DELIMITED, *self.sinks)
        sent = [b"hdr" + delimited(gauge("a", 1), gauge("b", 2), gauge("c", 3)),
                b"hdr" + delimited(gauge("d", 4))]
        self.sender(program).send_all(sent)
        packets, lines = program.stop()["sinks"]
        self.assertEqual([packet["payload"] for packet in read_packets(self.path)], sent)
        self.assertEqual((packets["written"], packets["filtered"], packets["lines"]), (2, 2, 2))
        self.assertEqual((lines["written"], lines["filtered"]), (4, 0))
        self.assert_read_back("telemetry&framing=delimited&header=3")

    def test_every_real_capture_comes_back_as_it_was(self):
        for name, (port, schema) in REAL.items():
            with self.subTest(name):
                for path in (self.path, self.lines):
                    path.unlink(missing_ok=True)
                _, ledger = self.run_to_end(
                    "--listen", f"pcap:{CAPTURES / name}.pcap?port={port}&schema={schema}",
                    *self.sinks)
                with open(CAPTURES / f"{name}.ndjson", encoding="utf-8") as lines:
                    truth = list(map(json.loads, lines))
                decoded = ledger["listeners"][0]["decoded"]
                packets = read_packets(self.path)
                self.assertEqual([(packet["source"], packet["destination"], packet["length"])
                                  for packet in packets],
                                 [((line["src"], line["sport"]), (line["dst"], line["dport"]),
                                   line["payload_len"]) for line in truth])
                self.assertEqual({packet["checksum"] for packet in packets}, {GOOD})
                listener = self.assert_read_back(schema)
                self.assertEqual((listener["decoded"], listener["frames"], listener["fragments"]),
                                 (decoded, decoded, 0))

    def test_it_can_be_piped_into_another_program(self):
        capture = self.folder / "capture"
        write_capture(capture, [metric(value) for value in range(20)])
        program = self.launch("--listen", f"pcap:{capture}?schema=riemann", "--sink",
                              "stdout:?format=pcap", ledger=None)
        program.finish()
        self.path.write_bytes(b"".join(program.stdout.lines()))
        self.assertEqual([packet["payload"] for packet in read_packets(self.path)],
                         [metric(value) for value in range(20)])
        self.assertEqual({packet["destination"] for packet in read_packets(self.path)},
                         {("10.0.0.2", 5555)})

    def test_the_replay_tool_sends_it_again(self):
        capture = self.folder / "capture"
        sent = [metric(value) for value in range(20)]
        write_capture(capture, sent)
        self.run_to_end("--listen", f"pcap:{capture}?schema=riemann", *self.sinks)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(DEADLINE)
            to = f"udp://127.0.0.1:{receiver.getsockname()[1]}"
            replay = command(beside(SLUICE, "sluice-replay"), self.path, "--to", to, "--speed=max")
            subprocess.run(replay, timeout=DEADLINE, capture_output=True, check=True)
            self.assertEqual([receiver.recv(65536) for _ in sent], sent)


# Valid Riemann messages in forms that no encoder produces.
ODD = {
    "a tag of five bytes, of which two bits are dropped": bytes.fromhex("c1c6c6c639") + bytes(8),
    "a number of ten bytes, of which six bits are dropped": b"\x10" + b"\xff" * 9 + b"\x7f",
    "a length of five bytes": bytes.fromhex("fa3f8280808000") + b"hi",
    "groups": groups(1000, 100),
    # The length and the first byte look like the beginning of a JSON line.
    "a state, and 123 bytes":
        message(4, integer(1, 1) + text(3, "s" * 63)) + message(3, b"e" * 52),
}


class Files(ProgramTest):
    """Files of a binary format that an earlier run has written."""

    def write(self, path, form, values):
        """Appends messages to the file. Returns the program."""
        capture = self.folder / "capture"
        write_capture(capture, [metric(value) for value in values])
        program, _ = self.run_to_end("--listen", f"pcap:{capture}?schema=riemann", "--sink",
                                     f"file:{path}?format={form}")
        return program

    def read(self, path, form):
        if form == "protobuf":
            return split(path.read_bytes())
        return [packet[28:] for _, packet in plain_pcap(path)]

    def test_a_second_run_appends(self):
        for form in ("protobuf", "pcap"):
            with self.subTest(form):
                path = self.folder / form
                self.write(path, form, [1, 2])
                self.write(path, form, [3])
                self.assertEqual(self.read(path, form), [metric(value) for value in (1, 2, 3)])

    def test_every_message_that_was_decoded_is_recognised_at_the_next_start(self):
        for name, odd in ODD.items():
            with self.subTest(name):
                path = self.folder / name
                for _ in range(2):
                    program = self.start("--listen", RIEMANN, "--sink",
                                         f"file:{path}?format=protobuf")
                    self.sender(program).send_all([odd])
                    self.assertEqual(program.stop()["sinks"][0]["written"], 1)
                self.assertEqual(split(path.read_bytes()), [odd, odd])

    def test_a_part_that_was_left_by_a_kill_is_completed_whatever_was_decoded(self):
        path, keys = self.folder / "messages", "format=protobuf&rotate_size=1MiB&flush_interval=1ms"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?{keys}")
        self.sender(program).send_all(list(ODD.values()))
        program.wait_for_settled(len(ODD))
        program.process.kill()
        program.process.wait()
        program.close()
        again = self.start("--listen", RIEMANN, "--sink", f"file:{path}?{keys}")
        again.wait_for_log("which an earlier run left behind")
        again.stop()
        self.assertEqual(split(path.read_bytes()), list(ODD.values()))

    def test_what_an_earlier_run_left_torn_is_cut_off(self):
        for form in ("protobuf", "pcap"):
            with self.subTest(form):
                path = self.folder / form
                self.write(path, form, [1, 2])
                os.truncate(path, path.stat().st_size - 1)
                self.write(path, form, [3]).wait_for_log("of an incomplete record of an earlier run")
                self.assertEqual(self.read(path, form), [metric(value) for value in (1, 3)])

    def test_what_holds_something_else_is_not_touched(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}")
        self.sender(program).send_all([metric(1)])
        program.stop()
        before = path.read_bytes()
        for form in ("protobuf", "pcap"):
            said = self.refused("--listen", RIEMANN, "--sink", f"file:{path}?format={form}", code=73)
            self.assertIn(f"cannot append format={form} to {path}: it holds something else", said)
            self.assertEqual(path.read_bytes(), before)

    def test_a_capture_with_another_head_is_not_touched(self):
        path = self.folder / "packets"
        write_capture(path, [metric(1)])  # a pcap file with microseconds
        before = path.read_bytes()
        said = self.refused("--listen", RIEMANN, "--sink", f"file:{path}?format=pcap", code=73)
        self.assertIn("it holds something else", said)
        self.assertEqual(path.read_bytes(), before)

    def test_a_rotated_capture_begins_anew(self):
        path, old = self.folder / "packets", self.folder / "packets.1"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format=pcap")
        sender = self.sender(program)
        sender.send_all([metric(1), metric(2)])
        program.wait_for_settled(2)
        os.rename(path, old)
        program.ask_to_reload()
        program.wait_for_log("packets: reopened")
        sender.send_all([metric(3)], before=2)
        program.stop()
        self.assertEqual([self.read(old, "pcap"), self.read(path, "pcap")],
                         [[metric(1), metric(2)], [metric(3)]])

    @unittest.skipIf(SANITIZED, "kills in the middle of a write; the release build is enough")
    def test_after_a_kill_the_next_run_goes_on_at_a_record(self):
        path = self.folder / "packets"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format=pcap")
        flood = self.flood(program, metric)
        program.wait_for_settled(2000)
        program.process.kill()
        flood.end()
        program.process.wait()
        self.write(path, "pcap", [-1])
        packets = self.read(path, "pcap")
        self.assertGreaterEqual(len(packets), 2001)
        self.assertEqual(packets[-1], metric(-1))


class Terminal(ProgramTest):
    @not_on_windows(NO_TERMINAL)
    def test_a_binary_format_is_not_written_to_a_terminal(self):
        for form in ("otlp", "protobuf", "pcap"):
            with self.subTest(form):
                ours, its = pty.openpty()
                said = self.refused("--listen", RIEMANN, "--sink", f"stdout:?format={form}", code=78,
                                    stdout=its)
                self.assertIn(f"format={form} is binary and standard output is a terminal; ", said)
                name = os.ttyname(its)
                said = self.refused("--listen", RIEMANN, "--sink", f"file:{name}?format={form}",
                                    code=78)
                self.assertIn(f"format={form} is binary and {name} is a terminal; ", said)
                os.close(ours)
                os.close(its)

    def test_views_are_refused(self):
        said = self.refused("--listen", RIEMANN, "--sink", "stdout:?format=pcap&view=sample",
                            code=64)
        self.assertIn("view=sample, but format=pcap has no views", said)


if __name__ == "__main__":
    unittest.main()
