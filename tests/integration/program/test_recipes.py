"""Messages of third-party protocols, built by protobuf's own library, and the samples that sluice
reads from them: Juniper's native sensors, Cisco's model-driven telemetry, Pinba. Skipped (77)
without that library."""
import base64
import json
import os
import pathlib
import struct
import subprocess
import unittest

from built import skip

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
except ImportError:
    skip("no python3-protobuf here")

from sluice_program import ANY_PORT, DEADLINE, ProgramTest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = SOURCE / "tools" / "packaging" / "examples"
JUNOS = SOURCE / "tests" / "proto" / "junos"
MORE_CAPTURES = os.environ.get("TEST_MORE_CAPTURES")
STATSD = "Cisco-IOS-XR-infra-statsd-oper:infra-statistics/interfaces/interface/latest/generic-counters"
CDP = "Cisco-IOS-XR-cdp-oper:cdp/nodes/node/neighbors/details/detail"


class Recipes(ProgramTest):
    def compile(self, path):
        """Compiles a descriptor set and creates the library's classes for it. Returns the set's
        path."""
        descriptors = self.folder / f"{path.stem}.desc"
        subprocess.run(["protoc", f"--proto_path={path.parent}", "--include_imports",
                        f"--descriptor_set_out={descriptors}", path.name], timeout=DEADLINE,
                       check=True)
        self.pool = descriptor_pool.DescriptorPool()
        for each in descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()).file:
            self.pool.Add(each)
        self.factory = message_factory.MessageFactory(self.pool)
        return descriptors

    def make(self, name, **fields):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))(**fields)

    def run_with(self, keys, *datagrams, sink="stdout:"):
        program = self.start("--listen", f"{ANY_PORT}?{keys}", "--sink", sink)
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        return program, ledger

    def samples(self, program):
        return [(line["name"], line["value"], line["labels"]) for line in program.output()]


class CiscoMdt(Recipes):
    """Compact GPB over UDP."""

    NESTED = (f"data_gpb.row.content:by=encoding_path,{STATSD}=mdt.InterfaceCounters,"
              f"{CDP}=mdt.Neighbors;data_gpb.row.keys:by=encoding_path,"
              f"{STATSD}=mdt.InterfaceKeys,{CDP}=mdt.NeighborKeys")
    VALUES = ("data_gpb.row.content.bytes_received,data_gpb.row.content.bytes_sent,"
              "data_gpb.row.content.cdp_neighbor.hold_time")
    LABELS = ("node:node_id_str,data_gpb.row.keys.interface_name,data_gpb.row.keys.device_id,"
              "port:data_gpb.row.content.cdp_neighbor.port_id")

    def keys(self, samples=True):
        mdt = self.compile(EXAMPLES / "mdt.proto")
        keys = (f"schema={mdt}&message=mdt.Telemetry&framing=cisco-mdt&nested={self.NESTED}")
        return keys + (f"&value={self.VALUES}&labels={self.LABELS}&time=data_gpb.row.timestamp:ms"
                       if samples else "")

    def datagram(self, telemetry, kind=1, encapsulation=1):
        body = telemetry if isinstance(telemetry, bytes) else telemetry.SerializeToString()
        return struct.pack("!HHHHI", kind, encapsulation, 1, 0, len(body)) + body

    def telemetry(self, path, *rows):
        telemetry = self.make("mdt.Telemetry", node_id_str="r1", subscription_id_str="all",
                              encoding_path=path, collection_id=82, msg_timestamp=1700000000123)
        for number, (keys, content) in enumerate(rows):
            telemetry.data_gpb.row.add(
                timestamp=1700000000000 + number, keys=keys.SerializeToString(),
                content=content if isinstance(content, bytes) else content.SerializeToString())
        return telemetry

    def counters(self, name, received):
        return (self.make("mdt.InterfaceKeys", interface_name=name),
                self.make("mdt.InterfaceCounters", packets_received=1, bytes_received=received,
                          bytes_sent=2 * received))

    def neighbors(self, device, *ports):
        return (self.make("mdt.NeighborKeys", node_name="0/0/CPU0", interface_name="Gi0",
                          device_id=device),
                self.make("mdt.Neighbors", cdp_neighbor=[
                    self.make("mdt.Neighbor", device_id=device, port_id=port, hold_time=149 + index)
                    for index, port in enumerate(ports)]))

    def test_rows_of_each_path_are_samples(self):
        keys = self.keys()
        program, ledger = self.run_with(
            keys,
            self.datagram(self.telemetry(STATSD, self.counters("Gi0", 2 ** 62),
                                         self.counters("Gi1", 0))),
            self.datagram(self.telemetry(CDP, self.neighbors("sw1", "a", "b"),
                                         self.neighbors("sw2", "c"), self.neighbors("sw3"))),
            self.datagram(b"", kind=2))
        node = {"node": "r1"}
        expected = [(name, value * received, {**node, "interface_name": interface})
                    for interface, received in (("Gi0", 2 ** 62), ("Gi1", 0))
                    for name, value in (("bytes_received", 1), ("bytes_sent", 2))]
        expected += [
            ("hold_time", hold, {**node, "interface_name": "Gi0", "device_id": device,
                                 "port": port})
            for device, port, hold in (("sw1", "a", 149), ("sw1", "b", 150), ("sw2", "c", 149))]
        self.assertEqual(self.samples(program), expected)
        self.assertEqual([line["time"] for line in program.output()][::2][:2],
                         ["2023-11-14T22:13:20.000000000Z", "2023-11-14T22:13:20.001000000Z"])
        listener, = ledger["listeners"]
        self.assertEqual((listener["decoded"], listener["reasons"]["control"]), (2, 1))
        self.assertEqual(ledger["sinks"][0]["lines"], 7)
        self.assertEqual(listener["unknown_fields"], 0)

    def test_a_message_shows_its_rows_decoded_as_the_library_reads_them(self):
        keys = self.keys(samples=False)
        rows = [self.counters("Gi0", 7), self.counters("Gi1", 9)]
        telemetry = self.telemetry(STATSD, *rows)
        other = self.telemetry("Cisco-IOS-XR-other:x", *rows)
        program, _ = self.run_with(keys, self.datagram(telemetry), self.datagram(other),
                                   sink="stdout:?names=proto")
        expected = json_format.MessageToDict(telemetry, preserving_proto_field_name=True)
        plain = json_format.MessageToDict(other, preserving_proto_field_name=True)
        for row, (key, content) in zip(expected["data_gpb"]["row"], rows):
            row["keys"] = json_format.MessageToDict(key, preserving_proto_field_name=True)
            row["content"] = json_format.MessageToDict(content, preserving_proto_field_name=True)
        self.assertEqual([line["message"] for line in program.output()], [expected, plain])
        self.assertEqual(base64.b64decode(plain["data_gpb"]["row"][0]["content"]),
                         rows[0][1].SerializeToString())

    def test_a_row_that_cannot_be_decoded_makes_its_datagram_malformed(self):
        keys = self.keys()
        good = self.datagram(self.telemetry(STATSD, self.counters("Gi0", 7)))
        bad = self.datagram(self.telemetry(STATSD, self.counters("Gi0", 7),
                                           (self.make("mdt.InterfaceKeys"), b"\x98\x03")))
        program, ledger = self.run_with(keys, good, bad, good)
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 1)
        self.assertEqual([value for _, value, _ in self.samples(program)], [7, 14, 7, 14])
        self.assertTrue(any("field data_gpb.row.content.bytes_received" in line
                            for line in program.log()), program.log())

    def test_json_encapsulation_is_malformed(self):
        _, ledger = self.run_with(self.keys(), self.datagram(b"{}", encapsulation=2))
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 1)


class Junos(Recipes):
    """Extensions of extensions, and queues of interfaces."""

    STATS = "enterprise.[juniperNetworks].[jnpr_interface_ext].interface_stats"
    KEYS = ("&sequence=sequence_number"
            "&sequence_key=system_id,component_id,sub_component_id,sensor_name"
            f"&value=octets:{STATS}.ingress_stats.if_octets,{STATS}.egress_queue_info.bytes"
            f"&labels=system_id,{STATS}.if_name,queue:{STATS}.egress_queue_info.queue_number")

    def stream(self, number, interfaces):
        stream = self.make("TelemetryStream", system_id="r1", component_id=0, sensor_name="if",
                           sequence_number=number, timestamp=1453141444)
        networks = self.pool.FindExtensionByName("juniperNetworks")
        port = self.pool.FindExtensionByName("jnpr_interface_ext")
        for name, octets, queues in interfaces:
            stats = stream.enterprise.Extensions[networks].Extensions[port].interface_stats.add(
                if_name=name)
            stats.ingress_stats.if_octets = octets
            for queue, size in enumerate(queues):
                stats.egress_queue_info.add(queue_number=queue, bytes=size)
        return stream.SerializeToString()

    def test_interfaces_and_their_queues_are_samples_and_loss_is_counted(self):
        port = self.compile(JUNOS / "port.proto")
        interfaces = [("ge-0/0/0", 100, (1, 2)), ("ge-0/0/1", 200, ()), ("ge-0/0/2", 300, (3,))]
        program, ledger = self.run_with(
            f"schema={port}&message=TelemetryStream{self.KEYS}",
            *(self.stream(number, interfaces) for number in (7, 8, 10)))
        expected = []
        for name, octets, queues in interfaces:
            labels = {"system_id": "r1", "if_name": name}
            expected.append(("octets", octets, labels))
            expected += [("bytes", size, {**labels, "queue": str(queue)})
                         for queue, size in enumerate(queues)]
        self.assertEqual(self.samples(program), 3 * expected)
        self.assertEqual(ledger["listeners"][0]["lost"], 1)

    @unittest.skipIf(MORE_CAPTURES is None, "TEST_MORE_CAPTURES names no folder")
    def test_each_queue_of_a_router_s_datagram_is_a_sample(self):
        capture = pathlib.Path(MORE_CAPTURES) / "junos_jti_v4.pcap"
        port = self.compile(JUNOS / "port.proto")
        program, _ = self.run_to_end(
            "--listen", f"pcap:{capture}?schema={port}&message=TelemetryStream{self.KEYS}")
        expected = []
        for line in capture.with_suffix(".ndjson").read_text(encoding="utf-8").splitlines():
            message = json.loads(line)["message"]
            sensor = message["enterprise"]["[juniperNetworks]"]["[jnpr_interface_ext]"]
            for stats in sensor["interface_stats"]:
                labels = {"system_id": message["system_id"], "if_name": stats["if_name"]}
                if "if_octets" in stats.get("ingress_stats", {}):
                    expected.append(("octets", int(stats["ingress_stats"]["if_octets"]), labels))
                expected += [("bytes", int(queue["bytes"]),
                              {**labels, "queue": str(queue["queue_number"])})
                             for queue in stats.get("egress_queue_info", [])]
        self.assertGreater(len(expected), 4)
        self.assertEqual(self.samples(program), expected)


class Pinba(Recipes):
    """PHP and nginx send one request in a datagram."""

    VALUES = ("request_time", "ru_utime", "memory_peak", "document_size")

    def request(self, **fields):
        return self.make("pinba.Request", **{
            "hostname": "web1", "server_name": "shop.example", "script_name": "/cart.php",
            "request_count": 1, "document_size": 2048, "memory_peak": 4 << 20,
            "request_time": 0.1, "ru_utime": 0.0625, "ru_stime": 0, **fields})

    def test_requests_are_samples(self):
        pinba = self.compile(EXAMPLES / "pinba.proto")
        php = self.request(dictionary=["group", "db"], timer_hit_count=[2], timer_value=[0.05],
                           timer_tag_count=[1], timer_tag_name=[0], timer_tag_value=[1])
        nginx = self.request(hostname="edge1", script_name="/", status=404, memory_peak=0)
        program, ledger = self.run_with(
            f"schema={pinba}&message=pinba.Request&value={','.join(self.VALUES)},"
            "timer:timer_value&labels=hostname,script_name,status",
            php.SerializeToString(), nginx.SerializeToString(), b"",
            php.SerializeToString()[:40])
        expected = []
        for request in (php, nginx):
            labels = {"hostname": request.hostname, "script_name": request.script_name}
            if request.HasField("status"):
                labels["status"] = str(request.status)
            expected += [(name, getattr(request, name), labels) for name in self.VALUES]
            expected += [("timer", value, labels) for value in request.timer_value]
        found = self.samples(program)
        self.assertEqual([(name, labels) for name, _, labels in found],
                         [(name, labels) for name, _, labels in expected])
        for (_, value, _), (_, truth, _) in zip(found, expected):
            self.assertAlmostEqual(value, truth, delta=abs(truth) * 1e-7)
        # The two requests without a required field were refused.
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 2)


if __name__ == "__main__":
    unittest.main()
