"""--print-schema: a .proto file that protoc compiles without other files, and that describes the
decoded messages."""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys

from built import command, skip
from sluice_program import ANY_PORT, DEADLINE, SLUICE, ProgramTest

try:
    from google.protobuf import descriptor_pb2, json_format
except ImportError:
    skip("needs python3-protobuf")
import unittest

# The file from which the build generates protobuf-c's code.
COMPILED = pathlib.Path(os.environ["TEST_COMPILED"])
PROTOBUF_C = os.environ["TEST_PROTOBUF_C"]
F = descriptor_pb2.FieldDescriptorProto

ROOTS = {"telemetry": "Telemetry", "riemann": "Msg"}


def example(field, depth=0):
    """A value of a field that differs from the default, for each type in the schemas."""
    numbers = {F.TYPE_INT64: -5 - depth, F.TYPE_SINT64: -7 - depth, F.TYPE_UINT64: 2 ** 63 + depth,
               F.TYPE_FIXED64: 2 ** 62 + depth, F.TYPE_DOUBLE: 2.5 + depth, F.TYPE_FLOAT: 1.5,
               F.TYPE_BOOL: True, F.TYPE_ENUM: 2}
    return numbers.get(field.type, f"{field.name}\u00e9")


def fill(message, depth=0):
    """Sets each field. Of a oneof the last one is set. Repeated fields get two elements."""
    for field in message.DESCRIPTOR.fields:
        if field.label == F.LABEL_REPEATED:
            for _ in range(2):
                values = getattr(message, field.name)
                if field.message_type is not None:
                    fill(values.add(), depth + 1)
                else:
                    values.append(example(field, depth))
        elif field.message_type is not None:
            fill(getattr(message, field.name), depth + 1)
        else:
            setattr(message, field.name, example(field, depth))
    return message


class Printed(ProgramTest):
    def printed(self, name):
        done = subprocess.run(command(SLUICE, "--print-schema", name), timeout=DEADLINE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        path = self.folder / f"printed_{name}.proto"
        path.write_bytes(done.stdout)
        return path

    def protoc(self, path, *arguments):
        """Runs protoc with the file's folder as its only path."""
        subprocess.run(["protoc", f"--proto_path={path.parent}", *arguments, path.name], check=True,
                       timeout=DEADLINE)

    def shapes_in(self, path, *arguments):
        """The messages of a file: {name: {number: properties that determine its encoding}}."""
        descriptors = self.folder / f"{path.name}.desc"
        self.protoc(path, *arguments, f"--descriptor_set_out={descriptors}")
        files = descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes())
        file = files.file[-1]
        shapes = {f"{file.package}.{each.name}": sorted(
            (f.number, f.name, f.label, f.type, f.type_name, f.HasField("oneof_index"))
            for f in each.field) for each in file.message_type}
        return file.syntax, shapes, [(each.name, [(v.name, v.number) for v in each.value])
                                     for each in file.enum_type]

    def module_of(self, name):
        path = self.printed(name)
        self.protoc(path, f"--python_out={self.folder}")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        return importlib.import_module(f"printed_{name}_pb2")

    def test_its_fields_are_those_that_are_decoded(self):
        for name in ROOTS:
            with self.subTest(name):
                found = self.shapes_in(self.printed(name))
                self.assertTrue(found[1])
                self.assertEqual(found, self.shapes_in(COMPILED / f"{name}.proto",
                                                       f"--proto_path={PROTOBUF_C}"))

    def test_what_its_code_writes_is_read_back_field_by_field(self):
        for name, root in ROOTS.items():
            with self.subTest(name):
                sent = fill(getattr(self.module_of(name), root)())
                program = self.start("--listen", f"{ANY_PORT}?schema={name}",
                                     "--sink", "stdout:?view=message")
                self.sender(program).send_all([sent.SerializeToString()])
                program.stop()
                line, = program.output()
                self.assertEqual(line["message"], json_format.MessageToDict(sent))

    def test_it_is_the_file_in_the_repository(self):
        source = pathlib.Path(__file__).resolve().parents[3] / "proto"
        for name in ROOTS:
            self.assertEqual(self.printed(name).read_bytes(),
                             (source / f"{name}.proto").read_bytes())

    def test_what_is_no_schema_of_one_file_is_an_error(self):
        for name in ("otlp", "telemtry", ""):
            said = self.refused(f"--print-schema={name}", code=64)
            self.assertIn("choose from telemetry, riemann", said)
        self.assertIn("--print-schema NAME", self.refused("--print-schema", code=64))


if __name__ == "__main__":
    if not shutil.which("protoc"):
        skip("needs protoc")
    unittest.main()
