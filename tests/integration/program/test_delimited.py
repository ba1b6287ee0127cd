"""Reads format=protobuf with protobuf's own library. Skipped (77) without that library."""
import pathlib
import subprocess
import unittest

from built import skip

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.internal import decoder
except ImportError:
    skip("no python3-protobuf here")

from protobuf import metric, riemann
from sluice_program import DEADLINE, RIEMANN, ProgramTest

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"


def message_class(folder, file, name):
    """The class that the library makes of one of our .proto files."""
    descriptors = folder / "descriptors"
    subprocess.run(["protoc", f"--proto_path={PROTO}", "--include_imports",
                    f"--descriptor_set_out={descriptors}", file], timeout=DEADLINE, check=True)
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()).file:
        pool.Add(each)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


def parse_all(data, message):
    """Does the same as parseDelimitedFrom in other languages, up to the end of the data."""
    parsed, at = [], 0
    while at < len(data):
        size, at = decoder._DecodeVarint32(data, at)  # Python has no public function for this
        parsed.append(message.FromString(data[at:at + size]))
        at += size
    return parsed


class Delimited(ProgramTest):
    def test_the_library_reads_each_message_as_it_was_sent(self):
        path = self.folder / "messages"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format=protobuf")
        self.sender(program).send_all(
            [metric(0.5, host="web1"), b"",
             riemann(*({"service": f"s{i}", "metric_d": i} for i in range(800)))])
        program.stop()
        message = message_class(self.folder, "riemann.proto", "sluice.riemann.Msg")
        first, empty, last = parse_all(path.read_bytes(), message)
        self.assertEqual((first.events[0].host, first.events[0].metric_d), ("web1", 0.5))
        self.assertEqual(len(empty.events), 0)
        self.assertEqual([(event.service, event.metric_d) for event in last.events],
                         [(f"s{i}", i) for i in range(800)])


if __name__ == "__main__":
    unittest.main()
