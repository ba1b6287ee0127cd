"""Schemas of users: descriptor sets and .proto files, read at the start.

Wine has no protoc: the tests provide a program that runs protoc of Linux, and that is found through
WINEPATH."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from built import NO_FIFO, WINDOWS, beside, command, not_on_windows, skip
from protobuf import double, integer, message, text
from sluice_program import ANY_PORT, DEADLINE, SLUICE, ProgramTest, parse_json

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
JUNOS = PROTO / "junos" / "port.proto"
PORT = "enterprise.[juniperNetworks].[jnpr_interface_ext].interface_stats"
SENDER = "system_id,component_id,sub_component_id,sensor_name"

# A folder with third-party captures, which cannot be copied into the project.
MORE_CAPTURES = os.environ.get("TEST_MORE_CAPTURES")


def junos(number, name="ge-0/0/0", packets=0, system="router1", sensor="interface-1"):
    """A TelemetryStream of one interface."""
    stats = message(7, integer(1, packets))
    port = message(3, message(1, text(1, name) + stats))
    return (text(1, system) + integer(2, 0) + text(4, sensor) + integer(5, number) +
            integer(6, 1453141444) + message(101, message(2636, port)))


class SchemaFiles(ProgramTest):
    def descriptor_set(self, source=JUNOS, *options):
        """Compiles a .proto file as a user would. Returns the set's path."""
        path = self.folder / (source.stem + ".desc")
        subprocess.run(["protoc", f"--proto_path={source.parent}", *(options or
                        ["--include_imports"]), f"--descriptor_set_out={path}", source],
                       check=True, stdin=subprocess.DEVNULL)
        return path

    def listen(self, schema, kind="TelemetryStream", keys=""):
        return f"{ANY_PORT}?schema={schema}&message={kind}{keys}"


class Messages(SchemaFiles):
    EXPECTED = {"systemId": "router1", "componentId": 0, "sensorName": "interface-1",
                "sequenceNumber": 7, "timestamp": "1453141444",
                "enterprise": {"[juniperNetworks]": {"[jnpr_interface_ext]": {"interfaceStats": [
                    {"ifName": "ge-0/0/0", "ingressStats": {"ifPkts": "5"}}]}}}}

    def test_a_descriptor_set_and_a_proto_file_mean_the_same(self):
        for schema in (self.descriptor_set(), JUNOS):
            program = self.start("--listen", self.listen(schema))
            self.sender(program).send_all([junos(7, packets=5)])
            ledger = program.stop()
            line, = program.output()
            self.assertEqual(line["message"], self.EXPECTED)
            self.assertEqual(line["schema"], "TelemetryStream")
            self.assertEqual(ledger["listeners"][0]["schema"], "TelemetryStream")

    def test_unknown_fields_are_counted_and_shown_on_request(self):
        program = self.start("--listen", self.listen(JUNOS),
                             "--sink", "stdout:?unknown=show")
        self.sender(program).send_all([text(1, "r") + integer(5000, 9) + text(5001, "x")])
        ledger = program.stop()
        line, = program.output()
        self.assertEqual(line["message"], {"systemId": "r", "@unknown": [
            {"number": 5000, "varint": "9"}, {"number": 5001, "bytes": "eA=="}]})
        self.assertEqual(ledger["listeners"][0]["unknown_fields"], 2)

    def test_a_value_without_a_json_form_is_its_fields_and_counted(self):
        path = self.folder / "timed.proto"
        path.write_text('syntax = "proto3";\nimport "google/protobuf/timestamp.proto";\n'
                   "message Timed { google.protobuf.Timestamp at = 1; }\n")
        program = self.start("--listen", self.listen(path, "Timed"))
        self.sender(program).send_all([message(1, integer(1, 1700000000)),
                                       message(1, integer(1, 10 ** 12))])
        ledger = program.stop()
        self.assertEqual([line["message"] for line in program.output()],
                         [{"at": "2023-11-14T22:13:20Z"}, {"at": {"seconds": "1000000000000"}}])
        self.assertEqual(ledger["sinks"][0]["json_fallback"], 1)

    def test_a_missing_required_field_is_malformed(self):
        program = self.start("--listen", self.listen(JUNOS))
        self.sender(program).send_all([integer(5, 1), junos(1)])
        self.assertEqual(program.stop()["listeners"][0]["reasons"]["malformed"], 1)

    @unittest.skipIf(MORE_CAPTURES is None, "TEST_MORE_CAPTURES names no folder")
    def test_a_router_s_datagram_is_what_others_read_in_it(self):
        capture = pathlib.Path(MORE_CAPTURES) / "junos_jti_v4.pcap"
        program, _ = self.run_to_end(
            "--listen", f"pcap:{capture}?schema={self.descriptor_set()}&message=TelemetryStream",
            "--sink", "stdout:?names=proto")
        truth = [parse_json(line) for line in
                 capture.with_suffix(".ndjson").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line["message"] for line in program.output()],
                         [line["message"] for line in truth])


class Samples(SchemaFiles):
    def test_values_names_times_and_labels_are_read_by_paths(self):
        keys = (f"&value={PORT}.ingress_stats.if_pkts&name=sensor_name&time=timestamp:s"
                f"&labels=system_id,port:{PORT}.if_name")
        program = self.start("--listen", self.listen(JUNOS, keys=keys))
        self.sender(program).send_all([junos(1, "ge-0/0/0", 10) , junos(2, "ge-0/0/1", 20)])
        ledger = program.stop()
        self.assertEqual(
            [(line["name"], line["value"], line["time"], line["labels"])
             for line in program.output()],
            [("interface-1", value, "2016-01-18T18:24:04.000000000Z",
              {"system_id": "router1", "port": port})
             for value, port in ((10, "ge-0/0/0"), (20, "ge-0/0/1"))])
        self.assertEqual(ledger["sinks"][0]["samples"], 2)

    def test_every_number_is_read_as_the_document_says(self):
        """The messages of proto/README.md, and the samples that it shows without and with
        labels=."""
        document = (PROTO.parents[1] / "proto" / "README.md").read_text(encoding="utf-8")
        declared, = re.findall(r"```proto\n(message Site .*?)```", document, re.DOTALL)
        shown = re.findall(r"```\n(racks\.psus\..*?)```", document, re.DOTALL)
        path = self.folder / "site.proto"
        path.write_text('syntax = "proto3";\n' + declared)
        site = text(1, "fra1") + message(2, text(1, "r1") + message(
            2, integer(1, 1) + double(2, 240.0)) + message(3, text(1, "errors") + integer(2, 3)))
        for keys, expected in zip(("", "&labels=site:name,rack:racks.name,slot"), shown, strict=True):
            program = self.start("--listen", self.listen(path, "Site", "&value=*" + keys),
                                 "--sink", "stdout:?view=sample")
            self.sender(program).send_all([site])
            program.stop()
            self.assertEqual([
                "{}{{{}}} {:g}".format(line["name"], ",".join(
                    f'{key}="{value}"' for key, value in line["labels"].items()), line["value"])
                for line in program.output()], expected.splitlines())

    def test_repeated_series_are_written_counted_and_reported_once(self):
        path = self.folder / "site.proto"
        path.write_text('syntax = "proto3";\nmessage Site { repeated Room rooms = 1; }\n'
                   "message Room { string name = 1; double celsius = 2; }\n")
        program = self.start("--listen", self.listen(path, "Site", "&value=*"),
                             "--sink", "stdout:?view=sample")
        rooms = [message(1, text(1, name) + double(2, value))
                 for name, value in (("hall", 20.0), ("roof", 5.0), ("hall", 21.0))]
        self.sender(program).send_all([b"".join(rooms)] * 2)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in program.output()], [20, 5, 21] * 2)
        self.assertEqual(ledger["listeners"][0]["series_repeated"], 2)
        self.assertEqual(len([line for line in program.log() if
                              'two samples "rooms.celsius" of a message have the same name and labels'
                              in line]), 1)


class Extremes(SchemaFiles):
    """Messages and types at the limits of what a schema allows, read with value=*."""

    def read(self, declared, kind, datagrams, keys=""):
        path = self.folder / "extreme.proto"
        path.write_text('syntax = "proto3";\n' + declared)
        program = self.start("--listen", self.listen(path, kind, "&value=*" + keys),
                             "--sink", "stdout:?view=sample")
        self.sender(program).send_all(datagrams)
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual(listener["received"],
                         listener["decoded"] + sum(listener["reasons"].values()))
        return [(line["name"], line["value"], line["labels"]) for line in program.output()], listener

    def test_a_oneof_of_a_thousand_fields(self):
        fields = "".join(f"uint32 f{number} = {number};" for number in range(1, 1001))
        samples, _ = self.read(f"message M {{ repeated One list = 1; }} message One {{ oneof any "
                               f"{{ {fields} }} }}", "M",
                               [message(1, integer(1, 5)) + message(1, integer(1000, 6)) +
                                message(1, b"")])
        self.assertEqual(samples, [
            ("list.any", 5, {"list": "0"}), ("list.any", 6, {"list": "1"}),
            ("list.info", 1, {"list": "2"})])

    def test_a_map_with_more_keys_than_fit_is_counted(self):
        declared = "message M { map<uint32, uint32> numbers = 1; }"
        few, many = (b"".join(message(1, integer(1, key) + integer(2, 1)) for key in range(count))
                     for count in (1000, 8000))
        samples, listener = self.read(declared, "M", [many, few], "&max_decoded=64KiB")
        self.assertEqual(listener["reasons"].get("too_large"), 1)
        self.assertEqual(samples, [("numbers", 1, {"numbers": str(key)}) for key in range(1000)])

    def test_a_name_of_60_kb(self):
        declared = ("message Tree { repeated Node nodes = 1; } message Node { string name = 1; "
                    "oneof value { uint32 small = 2; double real = 3; } repeated Node fields = 4; }")
        name = "n" * 60000
        samples, _ = self.read(declared, "Tree", [message(1, text(1, name) + integer(2, 7))])
        self.assertEqual(samples, [("nodes." + name, 7, {})])
        deep = message(1, text(1, name) + b"".join(
            message(4, text(1, "m") + integer(2, 7)) for _ in range(100)))
        samples, listener = self.read(declared, "Tree", [deep, message(1, text(1, "a") + integer(2, 1))])
        # 100 samples would each have a copy of a long name.
        self.assertEqual(listener["reasons"].get("too_large"), 1)
        self.assertEqual(samples, [("nodes.a", 1, {})])

    def test_times_out_of_range_are_numbers(self):
        samples, _ = self.read("message M { uint64 timestamp = 1; int64 time = 2; }", "M",
                               [integer(1, (1 << 64) - 1) + integer(2, -5)])
        self.assertEqual([sample[:2] for sample in samples],
                         [("timestamp", (1 << 64) - 1), ("time", -5)])

    def test_a_message_and_an_option_of_another_type_are_no_keys(self):
        declared = ('import "google/protobuf/descriptor.proto"; extend google.protobuf.FieldOptions '
                    "{ int32 is_key = 50009; } message M { Id id = 1 [(is_key) = 1]; "
                    "repeated Row rows = 2; } message Id { uint32 n = 1; } "
                    "message Row { uint32 id = 1 [(is_key) = 1]; uint32 value = 2; }")
        samples, _ = self.read(declared, "M", [message(1, integer(1, 3)) +
                                               message(2, integer(1, 4) + integer(2, 5))])
        self.assertEqual(samples, [("id.n", 3, {}), ("rows.id", 4, {"rows": "0"}),
                                   ("rows.value", 5, {"rows": "0"})])


class Folders(SchemaFiles):
    """All .proto files of a folder and of the folders in it."""

    def setUp(self):
        super().setUp()
        self.put("site", "whole.proto", 'import "parts/part.proto";\n'
                 "message Whole { Part part = 1; }")
        self.put("site/parts", "part.proto", "message Part { double x = 1; }")

    def put(self, folder, name, text):
        path = self.folder / folder
        path.mkdir(parents=True, exist_ok=True)
        (path / name).write_text('syntax = "proto3";\n' + text + "\n")

    def read(self, schema, kind, datagram):
        program = self.start("--listen", self.listen(schema, kind), cwd=self.folder)
        self.sender(program).send_all([datagram])
        program.stop()
        return [line["message"] for line in program.output()]

    def test_a_folder_is_named_with_or_without_its_slash(self):
        for schema in ("site/", "site", f"{self.folder}/site", "./site"):
            self.assertEqual(self.read(schema, "Whole", message(1, double(1, 2))),
                             [{"part": {"x": 2}}])

    def test_imports_are_found_in_the_folders_above(self):
        self.put("site/parts", "more.proto", 'import "whole.proto";\n'
                 "message More { Whole whole = 1; }")
        for schema in ("site/parts/more.proto", "site/parts"):
            self.assertEqual(self.read(schema, "More", message(1, message(1, double(1, 2)))),
                             [{"whole": {"part": {"x": 2}}}])

    def run_tool(self, name, *arguments, **more):
        done = subprocess.run(command(beside(SLUICE, name), *arguments), check=False,
                              capture_output=True, timeout=DEADLINE, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_check_and_the_tools_take_a_folder(self):
        folder = self.folder / "site"
        self.run_to_end("--check", "--listen", self.listen(folder, "Whole"), ledger=None)
        program = self.start("--listen", self.listen(folder, "Whole"))
        self.run_tool("sluice-send", "--to", f"udp://127.0.0.1:{program.port()}", "--schema",
                      "site", "--message", "Whole", "--json", '{"part": {"x": 3}}', cwd=self.folder)
        program.wait_for_output(1)
        program.stop()
        self.assertEqual([line["message"] for line in program.output()], [{"part": {"x": 3}}])
        said = self.run_tool("sluice-decode", "--descriptor-set", folder, "--message", "Whole",
                             input=message(1, double(1, 4)))
        self.assertEqual(parse_json(said), {"part": {"x": 4}})

    def test_a_reload_reads_the_folder_again(self):
        program = self.start("--listen", self.listen(self.folder / "site", "Whole"))
        sender = self.sender(program)
        sender.send_all([message(1, double(1, 1))])
        program.wait_for_output(1)
        self.put("site/parts", "part.proto", "message Part { double y = 1; }")
        program.ask_to_reload()
        program.wait_for_log("schemas reloaded")
        sender.send_all([message(1, double(1, 2))], before=1)
        program.stop()
        self.assertEqual([line["message"] for line in program.output()],
                         [{"part": {"x": 1}}, {"part": {"y": 2}}])

    def test_errors_name_the_folder_and_the_file(self):
        self.put("site", "twice.proto", "message Part {}")
        said = self.refused("--listen", self.listen(self.folder / "site", "Whole"), code=78)
        self.assertIn(f'{self.folder}/site: protoc: twice.proto:2:9: "Part" is already defined in '
                      'file "parts/part.proto"', said)


class Hints(SchemaFiles):
    def test_an_extension_that_no_file_declares_is_named_once_for_each_listener(self):
        address = self.listen(self.descriptor_set())
        program = self.start("--listen", address, "--listen", address, listeners=2)
        undeclared = junos(1) + message(101, message(2636, message(77, b"x")))
        for listener in range(2):
            self.sender(program, listener).send_all([junos(1), undeclared, undeclared])
        program.stop()
        said = [line for line in program.log() if "is an extension" in line]
        self.assertEqual(len(said), 2, said)
        for line, name in zip(sorted(said), sorted(program.names)):
            self.assertTrue(line.endswith(
                f"{name}: field 77 of JuniperNetworksSensors is an extension that no file of "
                "schema= declares; add the .proto file that declares it"), line)

    def test_a_warning_of_two_extensions_with_one_number_is_logged_once(self):
        path = self.folder / "two.desc"
        for name in "ab":
            (self.folder / f"{name}.proto").write_text(
                f'syntax = "proto2";\npackage {name};\nimport "m.proto";\n'
                f"extend M {{ optional int32 {name} = 100; }}\n")
        (self.folder / "m.proto").write_text(
            'syntax = "proto2";\nmessage M { optional int32 x = 1; extensions 100 to 199; }\n')
        subprocess.run(["protoc", f"--proto_path={self.folder}", "--include_imports",
                        f"--descriptor_set_out={path}", "a.proto", "b.proto"],
                       check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program = self.start("--listen", self.listen(path, "M"),
                             "--listen", self.listen(path, "M", "&value=x"), listeners=2)
        self.sender(program).send_all([integer(100, 5) + integer(150, 1)] * 3)
        program.stop()
        said = [line for line in program.log() if "warning" in line]
        self.assertEqual(len(said), 2, said)
        self.assertIn(f'{path}: the extensions "a.a" and "b.b" of "M" have the same number 100; the '
                      "first counts", said[0])
        self.assertIn("field 150 of M is an extension that no file of schema= declares; add the "
                      ".proto file that declares it", said[1])
        self.assertEqual([line["message"] for line in program.output()], [{"[a.a]": 5}] * 3)


@unittest.skipIf(importlib.util.find_spec("grpc_tools") is None,
                 "grpcio-tools, which has a newer protoc, is not installed")
class Edition2024(SchemaFiles):
    """A descriptor set from a protoc that supports edition 2024."""

    def test_its_new_words_change_nothing_in_what_is_read(self):
        (self.folder / "option.proto").write_text(
            'edition = "2024";\npackage option;\nimport "google/protobuf/descriptor.proto";\n'
            "extend google.protobuf.FieldOptions { bool is_key = 50001; }\n")
        (self.folder / "e.proto").write_text(
            'edition = "2024";\npackage e;\nimport option "option.proto";\n'
            "option features.enforce_naming_style = STYLE_LEGACY;\n"
            "option features.default_symbol_visibility = LOCAL_ALL;\n"
            "export message M { string name = 1 [(option.is_key) = true]; Inner inner = 2;\n"
            "  repeated int32 list = 3; string note = 4; }\n"
            "local message Inner { int32 v = 1 [features.field_presence = IMPLICIT]; }\n")
        path = self.folder / "e.desc"
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={self.folder}",
                        "--include_imports", f"--descriptor_set_out={path}", "e.proto"],
                       check=True, stdin=subprocess.DEVNULL)
        program = self.start("--listen", self.listen(path, "e.M", "&value=*"),
                             "--sink", "stdout:?view=sample")
        self.sender(program).send_all([text(1, "a") + message(2, integer(1, 7)) + text(4, "n")])
        program.stop()
        line, = program.output()
        self.assertEqual((line["name"], line["value"], line["labels"]),
                         ("inner.v", 7, {"name": "a"}))


class Sequence(SchemaFiles):
    def counts(self, datagrams):
        program = self.start("--listen", self.listen(
            JUNOS, keys=f"&sequence=sequence_number&sequence_key={SENDER}"))
        self.sender(program).send_all(datagrams)
        listener = program.stop()["listeners"][0]
        return {name: listener[name]
                for name in ("senders", "lost", "reordered", "duplicated", "late", "restarted")}

    def test_one_lost_two_swapped_one_doubled(self):
        numbers = [0, 1, 2, 4, 3, 5, 7, 8, 8, 9]
        self.assertEqual(self.counts([junos(number) for number in numbers]),
                         {"senders": 1, "lost": 1, "reordered": 1, "duplicated": 1, "late": 0,
                          "restarted": 0})

    def test_0_after_the_largest_number_of_32_bits_is_no_restart(self):
        numbers = [2 ** 32 - 3, 2 ** 32 - 1, 0, 2, 1, 1, 3]
        self.assertEqual(self.counts([junos(number) for number in numbers]),
                         {"senders": 1, "lost": 1, "reordered": 1, "duplicated": 1, "late": 0,
                          "restarted": 0})

    def test_a_router_that_starts_again_at_0_has_restarted(self):
        numbers = [100000, 100001, 0, 1]
        self.assertEqual(self.counts([junos(number) for number in numbers]),
                         {"senders": 1, "lost": 0, "reordered": 0, "duplicated": 0, "late": 1,
                          "restarted": 1})

    def test_every_key_has_a_sequence_of_its_own(self):
        datagrams = [junos(number, system=system, sensor=sensor) for number in range(3)
                     for system in ("r1", "r2") for sensor in ("a", "b")]
        self.assertEqual(self.counts(datagrams),
                         {"senders": 4, "lost": 0, "reordered": 0, "duplicated": 0, "late": 0,
                          "restarted": 0})


class Refusals(SchemaFiles):
    def refuse(self, schema, *says, kind="TelemetryStream", keys=""):
        for check in ([], ["--check"]):
            said = self.refused(*check, "--listen", self.listen(schema, kind, keys), code=78)
            for part in (str(schema), *says):
                self.assertIn(part, said)

    def test_what_is_no_descriptor_set(self):
        for content in (b"", b"no set at all\n", b"\x0a\x00", os.urandom(2000)):
            path = self.folder / "no.desc"
            path.write_bytes(content)
            self.refuse(path, "no descriptor set") if content != b"\x0a\x00" else \
                self.refuse(path, "TelemetryStream")

    def test_a_file_that_is_not_there(self):
        self.refuse(self.folder / "none.desc", "cannot be opened")

    @not_on_windows(NO_FIFO)
    def test_a_pipe_is_no_file(self):
        path = self.folder / "pipe.desc"
        os.mkfifo(path)
        self.refuse(path, "a pipe or a device")

    def test_a_set_without_its_imports(self):
        path = self.descriptor_set(JUNOS, "--include_source_info")
        self.refuse(path, '"telemetry_top.proto" is missing', "--include_imports")

    def test_a_message_that_is_not_in_it(self):
        self.refuse(self.descriptor_set(), 'no message "TelemetryStrem"',
                    'did you mean "TelemetryStream"?', kind="TelemetryStrem")

    def test_a_proto_file_with_a_mistake(self):
        path = self.folder / "wrong.proto"
        path.write_text('syntax = "proto3";\nmessage M { int32 a = 0; }\n')
        self.refuse(path, "protoc: wrong.proto:2:", kind="M")

    def test_a_proto_file_without_protoc(self):
        empty = {"WINEPATH": ""} if WINDOWS else {"PATH": str(self.folder)}
        said = self.refused("--listen", self.listen(JUNOS), code=78,
                            env={**os.environ, **empty})
        self.assertIn("protoc, which is not installed", said)

    def test_paths_that_lead_nowhere(self):
        path = self.descriptor_set()
        self.refuse(path, 'did you mean "sequence_number"?', keys="&sequence=sequence_numbr")
        self.refuse(path, "is not an integer", keys="&sequence=sensor_name")
        self.refuse(path, "value:", "has no field", keys="&value=enterprise.nothing")


class Reload(SchemaFiles):
    def write_field(self, name):
        path = self.folder / "user.proto"
        path.write_text('syntax = "proto3";\npackage user;\n'
                   f"message Reading {{ double {name} = 1; }}\n")
        return path

    def hang_up(self, program, pattern):
        before = len([line for line in program.log() if pattern in line])
        program.ask_to_reload()
        program.wait_for_log(pattern, before + 1)

    def test_a_changed_proto_file_counts_from_the_signal_on(self):
        path = self.write_field("before")
        program = self.start("--listen", self.listen(path, "user.Reading"))
        sender = self.sender(program)
        sender.send_all([double(1, 1)])
        program.wait_for_output(1)
        self.write_field("after")
        self.hang_up(program, "schemas")
        sender.send_all([double(1, 2)], before=1)
        program.stop()
        self.assertEqual([line["message"] for line in program.output()],
                         [{"before": 1}, {"after": 2}])

    def test_a_file_that_fails_leaves_the_old_one_in_place(self):
        path = self.write_field("before")
        program = self.start("--listen", self.listen(path, "user.Reading"))
        sender = self.sender(program)
        path.write_text("nonsense")
        self.hang_up(program, "user.proto: protoc")
        sender.send_all([double(1, 2)])
        program.stop()
        self.assertEqual([line["message"] for line in program.output()], [{"before": 2}])


if __name__ == "__main__":
    if shutil.which("protoc") is None:
        skip("protoc is not installed")
    unittest.main()
