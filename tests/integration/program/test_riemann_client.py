"""Tests the sample that a third-party sender sends: Debian's riemann-c-client."""
import shutil
import subprocess
import time
import unittest

from built import skip
from sluice_program import DEADLINE, RIEMANN, SANITIZED, ProgramTest

CLIENT = shutil.which("riemann-client")


class RiemannClient(ProgramTest):
    def send(self, program, *arguments):
        subprocess.run([CLIENT, "send", "--udp", *arguments, "127.0.0.1", str(program.port())],
                       timeout=DEADLINE, check=True)

    def test_its_sample_is_one_json_line_within_a_second(self):
        program = self.start("--listen", RIEMANN)
        self.send(program, "--host", "web1", "--service", "cpu", "--metric-d", "0.75")
        sent = time.monotonic()
        line, = program.wait_for_output(1)
        if not SANITIZED:
            self.assertLess(time.monotonic() - sent, 1)
        program.stop()
        self.assertEqual(program.output(), [line])
        self.assertEqual((line["name"], line["kind"], line["value"]), ("cpu", "gauge", 0.75))
        self.assertEqual(line["labels"]["host"], "web1")
        self.assertEqual(line["listener"], program.names[0])

    def test_all_that_it_can_say_of_an_event(self):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?view=message&names=proto")
        self.send(program, "--host", "web1", "--service", "requests", "--state", "ok",
                  "--description", "häß", "--tag", "a", "--tag", "b", "--ttl", "30",
                  "--metric-sint64", "-9223372036854775807", "--attribute", "k=v")
        line, = program.wait_for_output(1)
        program.stop()
        event, = line["message"]["events"]
        attributes = event.pop("attributes")
        self.assertIn({"key": "k", "value": "v"}, attributes)
        self.assertEqual({key: event[key] for key in event if not key.startswith("time")}, {
            "state": "ok", "service": "requests", "host": "web1", "description": "häß",
            "tags": ["a", "b"], "ttl": 30, "metric_sint64": "-9223372036854775807"})


if __name__ == "__main__":
    if CLIENT is None:
        skip("riemann-client is not installed (Debian: riemann-c-client)")
    unittest.main()
