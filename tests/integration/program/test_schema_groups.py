"""Schemas from files together with other schemas: on one port, with framing, and with sinks that
need samples."""
import unittest

from protobuf import integer, message, text, varint
from sluice_program import ProgramTest

OPTIONAL, UINT64 = 1, 4  # of descriptor.proto: a field's label and type


def descriptor_set(*fields):
    """A FileDescriptorSet (descriptor.proto) of lab.Probe, which has these uint64 fields."""
    probe = text(1, "Probe")
    for number, name in enumerate(fields, start=1):
        probe += message(2, text(1, name) + integer(3, number) + integer(4, OPTIONAL) +
                         integer(5, UINT64) + text(10, name))
    return message(1, text(1, "lab.proto") + text(2, "lab") + message(4, probe) +
                   text(12, "proto3"))


def probe(*values):
    return b"".join(integer(number, value) for number, value in enumerate(values, start=1))


class FileTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "lab.desc"
        self.file.write_bytes(descriptor_set("counter", "level"))
        self.listen = f"udp://127.0.0.1:0?schema={self.file}&message=lab.Probe"

    def messages(self, program):
        return [line["message"] for line in program.output()]


class Share(FileTest):
    def test_a_file_may_be_framed_and_share_a_port(self):
        program = self.start("--listen", self.listen + "&framing=delimited&match=magic:02"
                             "&schema=riemann")
        self.sender(program).send_all([b"".join(varint(len(one)) + one
                                                for one in (probe(1), probe(2), probe(3))), b""])
        ledger = program.stop()
        self.assertEqual(self.messages(program), [{"counter": str(n)} for n in (1, 2, 3)])
        self.assertEqual(ledger["listeners"][0]["messages"], 4)
        self.assertEqual(ledger["listeners"][0]["schema"], "lab.Probe, riemann")


class Reload(FileTest):
    def test_nothing_is_said_where_nothing_could_change(self):
        program = self.start("--listen", "udp://127.0.0.1:0?schema=riemann", "--sink",
                             f"file:{self.folder / 'lines'}")
        program.ask_to_reload()
        program.wait_for_log("lines: reopened")
        program.stop()
        self.assertFalse([line for line in program.log() if "schemas" in line])


class Refused(FileTest):
    def refuse(self, *arguments, code, says):
        for check in ((), ("--check",)):
            said = self.refused(*check, *arguments, code=code)
            for wanted in says:
                self.assertIn(wanted, said)

    def test_a_message_that_is_not_named(self):
        self.refuse("--listen", f"udp://127.0.0.1:0?schema={self.file}", code=64,
                    says=["column 19", "message=FULL.NAME is missing"])

    def test_samples_of_what_has_none(self):
        self.refuse("--listen", "udp://127.0.0.1:0?schema=otlp-logs", "--sink",
                    "stdout:?view=sample", code=78,
                    says=["stdout:: view=sample", "otlp-logs", "udp://127.0.0.1:0"])


class EveryNumber(FileTest):
    def test_a_sink_that_needs_samples_makes_every_number_one(self):
        program = self.start("--listen", self.listen, "--sink", "stdout:?format=influx")
        program.wait_for_log("every number of lab.Probe is a sample, because value= is not given")
        self.sender(program).send_all([probe(7, 9)])
        ledger = program.stop()
        self.assertEqual([line.split()[:2] for line in b"".join(program.stdout.lines()).decode().splitlines()],
                         [["counter", "value=7i"], ["level", "value=9i"]])
        self.assertEqual(ledger["sinks"][0]["samples"], 2)

    def test_other_sinks_write_messages_without_value(self):
        program = self.start("--listen", self.listen)
        self.sender(program).send_all([probe(7, 9)])
        program.stop()
        self.assertEqual(self.messages(program), [{"counter": "7", "level": "9"}])


if __name__ == "__main__":
    unittest.main()
