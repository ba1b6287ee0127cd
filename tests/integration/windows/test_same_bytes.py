"""The program converts each capture to each format. The output is byte for byte that of the program
for Linux.

 TEST_OF_LINUX is the path of that program, of the preset "release", which tools/test builds before.
If it does not exist or has another version, the test is skipped (77)."""
import os
import pathlib
import subprocess
import unittest

from built import command, skip
from sluice_program import CAPTURES, DEADLINE, SLUICE, ProgramTest
from test_captures import SCHEMAS

OF_LINUX = os.environ["TEST_OF_LINUX"]

SINKS = ("stdout:?view=message", "stdout:?view=message&names=proto&int64=number&unknown=show",
         "stdout:?format=protobuf", "stdout:?format=pcap")
SINKS_OF_SAMPLES = ("stdout:?format=json", "stdout:?format=influx", "stdout:?format=prometheus",
                    "stdout:?format=csv")


def written(start, *arguments):
    """The standard output of a program, with the captures in its working directory."""
    done = subprocess.run([*start, *arguments], cwd=CAPTURES, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=DEADLINE, check=False)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


class SameBytes(ProgramTest):
    def compare(self, name, schema, sink):
        arguments = ("--listen", f"pcap:{name}.pcap?schema={schema}", "--sink", sink)
        expected = written([OF_LINUX], *arguments)
        found = written(command(SLUICE), *arguments)
        if found != expected:
            at = next((index for index, pair in enumerate(zip(found, expected))
                       if pair[0] != pair[1]), min(len(found), len(expected)))
            self.fail(f"byte {at} of {len(found)}, not {len(expected)}: "
                      f"{found[at - 40:at + 40]!r}, not {expected[at - 40:at + 40]!r}")
        return len(found)

    def test_every_capture_in_every_format(self):
        bytes_compared = 0
        for name, schema in SCHEMAS.items():
            sinks = SINKS + SINKS_OF_SAMPLES * (schema in ("riemann", "otlp"))
            for sink in sinks:
                with self.subTest(capture=name, sink=sink):
                    bytes_compared += self.compare(name, schema, sink)
        print(f"{len(SCHEMAS)} captures, {bytes_compared} bytes compared", flush=True)
        self.assertGreater(bytes_compared, 10 ** 6)


if __name__ == "__main__":
    if not pathlib.Path(OF_LINUX).exists():
        skip(f"no {OF_LINUX} to compare with")
    unittest.main()
