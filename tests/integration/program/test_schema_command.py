"""sluice schema: prints the messages of a schema, or the samples of one, before a datagram has
arrived."""
import json
import pathlib
import shutil
import subprocess
import unittest

from built import WINDOWS, beside, command, skip
from protobuf import double, integer, message, text
from sluice_program import DEADLINE, SLUICE, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "tools" / "packaging" / "examples"
JUNOS = ROOT / "tests" / "proto" / "junos"
REPORT = ("--message", "weather.Report")


class Schema(ProgramTest):
    def schema(self, *arguments, code=0, **more):
        done = subprocess.run(command(SLUICE, "schema", *arguments), capture_output=True, text=True,
                              timeout=DEADLINE, stdin=subprocess.DEVNULL, check=False, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        if code != 0:
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, r"\Asluice: error: schema: [^\n]+\n\Z")
            return done.stderr
        return done.stdout

    def put(self, name, content):
        path = self.folder / name
        path.write_text('syntax = "proto3";\n' + content)
        return path


class Lists(Schema):
    def listed(self, *arguments):
        return [(one["message"], one["fields"], one["types_inside"], one["file"], one["package"])
                for one in json.loads(self.schema("--json", *arguments))["messages"]]

    def test_messages_that_no_other_message_contains(self):
        self.assertEqual(self.listed(EXAMPLES / "weather.proto"),
                         [("weather.Report", 3, 1, "weather.proto", "weather")])
        text = self.schema(EXAMPLES / "weather.proto").splitlines()
        self.assertEqual(text[0].split(), ["MESSAGE", "FIELDS", "TYPES", "INSIDE", "FILE",
                                           "PACKAGE"])
        self.assertEqual(text[1].split(), ["weather.Report", "3", "1", "weather.proto", "weather"])

    def test_extensions_and_maps_contain_their_messages(self):
        top = self.listed(JUNOS)
        self.assertEqual(top[0][0], "TelemetryStream")
        self.assertNotIn("Port", [name for name, *_ in top])
        self.put("m.proto", "message M { map<string, V> m = 1; }\nmessage V { int32 v = 1; }\n")
        self.assertEqual(self.listed(self.folder), [("M", 1, 1, "m.proto", "")])

    def test_of_types_inside_each_other_the_first_is_listed(self):
        path = self.put("c.proto", "message B { A a = 1; }\nmessage A { B b = 1; }\n"
                        "message Own { Own own = 1; }\nmessage Empty {}\n")
        self.assertEqual([name for name, *_ in self.listed(path)], ["A", "Own"])
        self.assertEqual([name for name, *_ in self.listed("--all", path)],
                         ["A", "B", "Empty", "Own"])

    def test_a_file_of_a_newer_edition_is_listed_as_such(self):
        file = text(1, "n.proto") + text(12, "editions") + integer(14, 1002)
        field = text(1, "x") + integer(3, 1) + integer(4, 1) + integer(5, 5)
        path = self.folder / "n.desc"
        path.write_bytes(message(1, file + message(4, text(1, "M") + message(2, field))))
        self.assertIn("(not supported)", self.schema(path))
        self.assertIn('message "M": "n.proto" is written in edition 2026',
                      self.schema(path, "--message", "M", code=78))


class Samples(Schema):
    def rows(self, *arguments):
        shown = json.loads(self.schema("--json", *arguments))
        self.assertTrue(shown["complete"])
        return [(row["name"], row["kind"], row["time"], row["labels"]) for row in shown["samples"]]

    def test_the_example_of_the_manual_is_what_it_prints(self):
        printed = self.schema("weather.proto", *REPORT, "--time", "readings.at_ms:ms", cwd=EXAMPLES)
        page = (ROOT / "tools/manual/sluice.1.md").read_text("utf-8")
        self.assertIn("$ sluice schema weather.proto --message weather.Report --time "
                      f"readings.at_ms:ms\n{printed}", page)
        printed = self.schema(EXAMPLES / "weather.proto", *REPORT)
        self.assertIn(printed.split("\n\n")[1], (ROOT / "proto/README.md").read_text("utf-8"))

    def test_keys_counters_and_times_of_a_router(self):
        rows = self.rows(JUNOS, "--message", "TelemetryStream", "--value", "enterprise.*")
        self.assertTrue(rows)
        for _, _, time, labels in rows:
            self.assertEqual(time, "timestamp")
            self.assertIn("system_id", labels)

    def test_every_field_of_a_oneof_has_its_rows(self):
        path = self.put("o.proto", "message M { oneof a { int32 x = 1; N n = 2; string s = 3; }\n"
                        "  oneof b { P p = 4; N q = 5; } repeated N list = 6; }\n"
                        "message N { oneof c { P p = 1; double d = 2; } }\n"
                        "message P { int64 v = 1; bool w = 2; }\n")
        self.assertEqual({name for name, *_ in self.rows(path, "--message", "M")},
                         {"x", "n.p.v", "n.p.w", "n.d", "p.v", "p.w", "q.p.v", "q.p.w", "q.d",
                          "list.p.v", "list.p.w", "list.d"})

    def test_names_that_a_message_tells_are_in_braces(self):
        path = self.put("kv.proto", "message Row { uint64 timestamp = 1; string name = 2;\n"
                        "  oneof value { string text = 3; double number = 4; int64 count = 5; }\n"
                        "  repeated Row fields = 6; }\nmessage T { repeated Row rows = 1; }\n")
        self.assertIn(("rows.content/{name}", "gauge", "rows.fields.fields.timestamp", ["{key}"]),
                      self.rows(path, "--message", "T"))

    def test_a_type_inside_itself_ends(self):
        path = self.put("r.proto", "message A { double v = 1; repeated A list = 2; B b = 3; }\n"
                        "message B { A a = 1; map<string, B> m = 2; int32 n = 3; }\n")
        names = [name for name, *_ in self.rows(path, "--message", "A")]
        self.assertIn("list.v", names)
        self.assertLess(len(names), 100)

    def test_a_message_with_too_many_fields_is_shown_in_part(self):
        types = "".join(f"message T{i} {{ " + " ".join(
            f"T{i + 1} f{k} = {k + 1};" for k in range(10)) + " }\n" for i in range(6))
        path = self.put("wide.proto", types + "message T6 { int32 v = 1; }\n")
        shown = json.loads(self.schema("--json", path, "--message", "T0"))
        self.assertFalse(shown["complete"])
        self.assertIn("This is only a part", self.schema(path, "--message", "T0"))

    def test_a_sample_of_a_datagram_is_in_the_table(self):
        path = EXAMPLES / "weather.proto"
        reading = message(3, text(1, "roof") + double(2, -3.25) + b"\x19" + bytes(8))
        done = subprocess.run(
            command(beside(SLUICE, "sluice-decode"), "--descriptor-set", path, *REPORT,
                    "--samples", "--labels", "sensor"),
            input=text(1, "north") + integer(2, 7) + reading, capture_output=True, check=True,
            timeout=DEADLINE)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        rows = self.rows(path, *REPORT, "--labels", "sensor")
        self.assertEqual([(line["name"], line["kind"], line.get("time"), sorted(line["labels"]))
                          for line in lines],
                         [(name, kind, time, sorted(labels)) for name, kind, time, labels in rows])
        self.assertEqual(lines[1], {"name": "readings.celsius", "kind": "gauge", "value": -3.25,
                                    "labels": {"sensor": "roof", "station": "north"}})


class Refusals(Schema):
    def test_wrong_options_are_64(self):
        for arguments, says in (((), "write sluice schema FILE"),
                                (("a", "b"), "one FILE or FOLDER"),
                                (("a", "--mesage=M"), 'did you mean "--message"?'),
                                (("a", "--labels", "x"), "--labels needs --message TYPE"),
                                (("a", "--message", "M", "--all"), "--all is for the list"),
                                (("a", "--message", "M", "--texts", "x"), "drop or info"),
                                (("a", "--message"), "its value is missing")):
            with self.subTest(arguments):
                self.assertIn(says, self.schema(*arguments, code=64))

    def test_wrong_schemas_types_and_keys_are_78(self):
        weather = EXAMPLES / "weather.proto"
        self.assertRegex(self.schema(self.folder / "none.desc", code=78).lower(),
                         "no such file" if not WINDOWS else r"\(error 2\)")
        self.assertIn("no .proto file", self.schema(self.folder, code=78))
        self.assertIn('did you mean "weather.Report"?',
                      self.schema(weather, "--message", "Report", code=78))
        self.assertIn('did you mean "readings.at_ms"?',
                      self.schema(weather, *REPORT, "--time", "at_ms:ms", code=78))


if __name__ == "__main__":
    if shutil.which("protoc") is None:
        skip("protoc is not installed")
    unittest.main()
