"""Each example configuration is valid, and datagrams sent to it arrive where the example says."""
import csv
import gzip
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import unittest

from built import WINDOWS, command, not_on_windows
from protobuf import float32, integer, message, metric, text
from sealing import Key, write_keys
from sending import WEATHER, send
from sluice_program import CAPTURES, DEADLINE, SLUICE, ProgramTest, built_with, read_lines

EXAMPLES = WEATHER.parent
JUNOS = CAPTURES.parent / "proto" / "junos"  # replaces Juniper's own files
COUNTERS = ("Cisco-IOS-XR-infra-statsd-oper:infra-statistics/interfaces/interface/latest/"
            "generic-counters")
ADDRESS = re.compile(r"((?:udp|dtls|tcp)://)(?:\[[^]]*\]|[0-9.]+):\d+")
METRICS = "metrics: 127.0.0.1:9126"


class Example(ProgramTest):
    """An example as it is shipped, except for free ports and the test's folders."""

    def setUp(self):
        super().setUp()
        for name in ("var/log", "var/lib", "run"):
            (self.folder / name / "sluice").mkdir(parents=True)
        for path in (*EXAMPLES.glob("*.proto"), *JUNOS.glob("*.proto")):
            shutil.copy(path, self.folder)
        self.key = Key("sensor-1")
        write_keys(self.folder / "var/lib/sluice/senders.keys", self.key)

    def adapted(self, name):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        text = self.in_folder(ADDRESS.sub(r"\g<1>127.0.0.1:0", text))
        path = self.folder / name
        path.write_text(text.replace(METRICS, "metrics: 127.0.0.1:0"), encoding="utf-8")
        return path

    def in_folder(self, text):
        return text.replace("/var/", f"{self.folder}/var/").replace("/run/", f"{self.folder}/run/")

    def start_example(self, name, listeners=1):
        return self.start("--config", str(self.adapted(name)), listeners=listeners, cwd=self.folder)

    def stop_after(self, program, *schemas):
        """Sends datagrams to each listener. Returns the ledger after the stop."""
        for listener, schema in enumerate(schemas):
            count = send(schema, self.sender(program, listener))
            program.wait_for_received(count, listener)
        ledger = program.stop()
        for listener in ledger["listeners"]:
            self.assertGreater(listener["decoded"], 0)
            self.assertEqual(listener["decoded"], listener["received"])
        for sink in ledger["sinks"]:
            self.assertEqual(sink["written"] + sink["filtered"], sink["offered"])
            self.assertGreater(sink["written"], 0)
        return ledger

    def files(self, pattern):
        found = sorted((self.folder / "var").rglob(pattern))
        self.assertTrue(found, pattern)
        return found


class Valid(Example):
    def test_each_is_valid_as_it_stands(self):
        """Checked without its folders, which exist only for the service."""
        shutil.copy(CAPTURES / "riemann_cli_v4.pcap", self.folder / "var/lib/sluice/day.pcap")
        examples = sorted(EXAMPLES.glob("*.yaml"))
        self.assertGreaterEqual(len(examples), 6)
        for example in examples:
            with self.subTest(example=example.name):
                path = self.folder / example.name
                path.write_text(self.in_folder(example.read_text(encoding="utf-8")),
                                encoding="utf-8")
                done = subprocess.run(
                    command(SLUICE, "--check", "--config", path), cwd=self.folder, text=True,
                    stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False)
                if example.name == "dtls.yaml" and not built_with("tls"):
                    self.assertEqual(done.returncode, 78)
                    self.assertIn("built without OpenSSL", done.stderr)
                    continue
                if WINDOWS and example.name == "dnstap.yaml":
                    self.assertEqual(done.returncode, 78)
                    self.assertIn("mode: on this system files have no such permissions", done.stderr)
                    continue
                self.assertEqual((done.returncode, done.stderr),
                                 (0, "sluice: the configuration is valid\n"))

    def test_each_is_started_below(self):
        source = pathlib.Path(__file__).read_text(encoding="utf-8")
        for example in EXAMPLES.glob("*.yaml"):
            self.assertIn(f'("{example.name}"', source)


class Started(Example):
    def test_riemann_events_are_lines_on_standard_output(self):
        program = self.start_example("riemann-to-stdout.yaml")
        ledger = self.stop_after(program, "riemann")
        self.assertEqual(len(program.output()), ledger["sinks"][0]["lines"])

    def test_otlp_metrics_are_line_protocol_in_a_compressed_file(self):
        ledger = self.stop_after(self.start_example("otlp-to-influx-files.yaml"), "otlp")
        path, = self.files("*.lp.zst")
        if shutil.which("zstd"):
            text = subprocess.run(["zstd", "-dc", path], capture_output=True, timeout=DEADLINE,
                                  check=True).stdout
            self.assertEqual(text.count(b"\n"), ledger["sinks"][0]["lines"])

    def test_otlp_metrics_are_in_complete_files_and_in_lines_for_import(self):
        program = self.start_example("otlp-to-prometheus.yaml")
        program.wait_for_log(r"metrics .*http://127\.0\.0\.1:\d+")
        ledger = self.stop_after(program, "otlp")
        for path in self.files("*.om"):
            self.assertTrue(path.read_bytes().endswith(b"# EOF\n"))
        lines, = self.files("metrics.prom")
        self.assertEqual(lines.read_bytes().count(b"\n"), ledger["sinks"][1]["lines"])

    def test_each_sender_of_several_listeners_has_a_file(self):
        program = self.start_example("several-listeners.yaml", listeners=2)
        ledger = self.stop_after(program, "riemann", "telemetry")
        path, = self.files("*.ndjson")
        self.assertEqual(path.parent.name, "127.0.0.1")
        self.assertEqual(len(read_lines(path)), ledger["sinks"][0]["lines"])

    @unittest.skipUnless(built_with("tls"), "this program was built without OpenSSL")
    def test_each_sender_of_encrypted_datagrams_has_a_file(self):
        from dtls_client import DtlsClient, Settings  # pylint: disable=import-outside-toplevel
        program = self.start_example("dtls.yaml")
        client = DtlsClient(program.port(), Settings(psk=(b"sensor-1", self.key.key)))
        self.addCleanup(client.close)
        client.open().put(metric(1))
        program.wait_for_received(client.sent)
        program.stop()
        path, = self.files("*.ndjson")
        self.assertEqual(path.parent.name, "sensor-1")
        self.assertEqual(len(read_lines(path)), 1)

    def test_messages_of_ones_own_schema_are_samples(self):
        program = self.start_example("own-schema.yaml")
        self.stop_after(program, "weather.proto")
        self.assertEqual([(line["value"], line["labels"]) for line in program.output()], [
            (value, {"station": "north", "sensor": sensor, "site": "fra1"})
            for value, sensor in ((-3.25, "roof"), (11.5, "cellar"))])

    def samples_of(self, example, *datagrams):
        """Name, value and labels of the samples that the example writes."""
        program = self.start_example(example)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], len(datagrams))
        return [(line["name"], line["value"], line["labels"]) for line in program.output()]

    def test_a_juniper_router_s_interfaces_and_queues_are_samples(self):
        queues = b"".join(message(5, integer(1, number) + integer(4, 10 + number))
                          for number in (0, 3))
        interface = text(1, "ge-0/0/0") + queues + message(7, integer(2, 1000))
        stream = text(1, "r1") + text(4, "if") + integer(5, 1) + message(
            101, message(2636, message(3, message(1, interface))))
        labels = {"if_name": "ge-0/0/0", "system_id": "r1", "sensor_name": "if"}
        name = "jnpr_interface_ext.interface_stats."
        self.assertEqual(self.samples_of("junos.yaml", stream), [
            (name + "egress_queue_info.tail_drop_packets", 10, {"queue_number": "0", **labels}),
            (name + "egress_queue_info.tail_drop_packets", 13, {"queue_number": "3", **labels}),
            (name + "ingress_stats.if_octets", 1000, labels)])

    def test_a_cisco_router_s_rows_are_samples(self):
        row = integer(1, 1700000000000) + message(10, text(1, "Gi0/0/0/1")) + message(
            11, integer(51, 7) + integer(53, 8))
        body = text(1, "r1") + text(6, COUNTERS) + message(12, message(1, row))
        header = struct.pack("!HHHHI", 1, 1, 1, 0, len(body))
        labels = {"node": "r1", "interface_name": "Gi0/0/0/1"}
        self.assertEqual(self.samples_of("cisco-mdt.yaml", header + body), [
            ("bytes_received", 7, labels), ("bytes_sent", 8, labels)])

    def test_a_cisco_router_s_named_values_are_samples(self):
        def field(name, *values):
            return text(2, name) + b"".join(values)
        row = integer(1, 1700000000000) + b"".join(message(15, one) for one in (
            field("keys", message(15, field("interface-name", text(5, "Gi0/0/0/1")))),
            field("content", message(15, field("bytes-sent", integer(8, 8))))))
        body = text(1, "r1") + text(6, COUNTERS) + message(11, row)
        program = self.start_example("cisco-kv.yaml")
        with socket.create_connection(("127.0.0.1", program.port())) as router:
            router.sendall(struct.pack("!HHHHI", 1, 1, 1, 0, len(body)) + body)
        program.wait_for_lines(1)
        program.stop()
        line, = program.output()
        self.assertEqual((line["name"], line["value"], line["time"], line["labels"]), (
            "data_gpbkv.content/bytes-sent", 8, "2023-11-14T22:13:20.000000000Z",
            {"interface-name": "Gi0/0/0/1", "node_id_str": "r1", "encoding_path": COUNTERS}))

    @not_on_windows("files have no mode=, as its listener has, there")
    def test_a_name_server_s_messages_are_lines_and_samples(self):
        """START, one dnstap message, and STOP, as in Frame Streams."""
        kind = b"protobuf:dnstap.Dnstap"
        body = text(1, "ns1") + message(14, integer(1, 5) + integer(6, 5353)) + integer(15, 1)
        start = struct.pack("!IIII", 2, 1, len(kind), 0)[:12] + kind
        program = self.start_example("dnstap.yaml")
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(program.names[0].removeprefix("unix:"))
            server.sendall(struct.pack("!II", 0, len(start)) + start +
                           struct.pack("!I", len(body)) + body + struct.pack("!III", 0, 4, 3))
            program.wait_for_lines(1)
        program.stop()
        line, = program.output()
        self.assertEqual(line["message"]["message"], {"type": "CLIENT_QUERY", "queryPort": 5353})
        path, = self.files("dnstap.ndjson")
        self.assertEqual([(each["name"], each["value"]) for each in read_lines(path)],
                         [("message.query_port", 5353)])

    def test_pinba_s_requests_are_samples(self):
        request = (text(1, "web1") + text(2, "shop") + text(3, "/cart.php") + integer(4, 1) +
                   integer(5, 2048) + integer(6, 4096) + float32(7, 0.25) + float32(8, 0.125) +
                   float32(9, 0.5) + integer(16, 200))
        labels = {"hostname": "web1", "server_name": "shop", "script_name": "/cart.php",
                  "status": "200"}
        self.assertEqual(self.samples_of("pinba.yaml", request), [
            (name, value, labels) for name, value in (
                ("request_time", 0.25), ("ru_utime", 0.125), ("ru_stime", 0.5),
                ("memory_peak", 4096), ("document_size", 2048))])

    def test_what_cannot_be_decoded_is_kept(self):
        program = self.start_example("dead-letters.yaml")
        self.sender(program).send_all([b"\xff"])
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 1)
        self.assertEqual(ledger["dead_letters"]["kept"], 1)
        letters, = self.files("dead.pcapng")
        _, again = self.run_to_end("--listen", f"pcap:{letters}?schema=telemetry", "--sink",
                                   "file:/dev/null")
        self.assertEqual(again["listeners"][0]["reasons"]["malformed"], 1)

    @not_on_windows("its command is of POSIX' shell")
    def test_a_command_reads_the_records(self):
        ledger = self.stop_after(self.start_example("command.yaml"), "riemann")
        path, = self.files("metrics.csv.gz")
        rows = list(csv.reader(gzip.decompress(path.read_bytes()).decode().splitlines()))
        self.assertEqual(len(rows), 1 + ledger["sinks"][0]["lines"])

    def test_a_capture_is_read_to_its_end(self):
        shutil.copy(CAPTURES / "riemann_cli_v4.pcap", self.folder / "var/lib/sluice/day.pcap")
        _, ledger = self.run_to_end("--config", str(self.adapted("capture.yaml")), cwd=self.folder)
        self.assertEqual(ledger["listeners"][0]["decoded"], 30)
        path, = self.files("day.csv")
        self.assertEqual(len(list(csv.reader(path.read_text(encoding="utf-8").splitlines()))),
                         1 + ledger["sinks"][0]["lines"])
        self.assertEqual(ledger["sinks"][1]["lines"], 30)


if __name__ == "__main__":
    unittest.main()
