"""sluice-bench in rounds that are far too short to mean anything: all parts are there, and add up.

No time is judged: how fast something is, a test on a busy machine cannot measure."""
import json
import math
import os
import tempfile
import unittest

from programs import run

TINY = ("--rounds", 1, "--round-time", "40ms")
NULL_RECEIVERS = ["blocking", "edge", "edge+pause"]


class BenchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def bench(self, *arguments, code=0):
        process = run("sluice-bench", "--scratch", self.scratch, *arguments)
        self.assertEqual(process.returncode, code, process.stderr)
        self.assertEqual(os.listdir(self.scratch), [], "it leaves nothing behind")
        return process

    def document(self, *arguments):
        return json.loads(self.bench(*TINY, "--json", *arguments).stdout)

    def assert_numbers(self, rows, *keys):
        """Each row has these, and they are numbers above zero."""
        self.assertTrue(rows)
        for row in rows:
            for key in keys:
                self.assertTrue(math.isfinite(row[key]) and row[key] > 0, (key, row))

    def assert_alone(self, document):
        """The parts that need no sender."""
        self.assertEqual([row["workload"] for row in document["decode"]], ["metric1", "batch20"])
        self.assert_numbers(document["decode"], "ours_ns", "unpack_arena_ns", "ratio")
        self.assertTrue(all(row["ours_refused"] == 0 for row in document["decode"]))
        self.assert_numbers(document["encode"], "ns", "lines", "bytes")
        self.assertLessEqual({"json", "influx", "csv"}, {row["format"] for row in document["encode"]})
        self.assert_numbers(document["stages"], "ns", "least", "most")


class FullSpeed(BenchTest):
    """With the processors for itself: it counts that a socket takes all that is sent."""

    @unittest.skipIf(os.environ["TEST_SANITIZE"], "half a minute; its parts are played one by one")
    def test_all_parts_by_themselves(self):
        document = self.document()
        self.assert_alone(document)
        for name in ("metric1_1000", "metric1_5000", "metric1_20000", "metric1", "batch20",
                     "metric1_segmenting"):
            rows = document[f"receive_{name}"]
            self.assertEqual([row["receiver"] for row in rows], NULL_RECEIVERS + ["json", "null"])
            self.assert_numbers(rows, "cpu_ns", "to_blocking", "to_edge_pause", "sent_per_second",
                                "peak_memory_mib")
        self.assert_rates(document)
        self.assertEqual(len(document["targets"]), 9)
        for row in document["targets"]:
            self.assertIn(row["verdict"], ("met", "not met"))
            self.assertEqual(row["who"], "json")

    @unittest.skipUnless(os.environ["TEST_SANITIZE"], "played with all parts")
    def test_rates(self):
        self.assert_rates(self.document("rates"))

    def assert_rates(self, document):
        self.assertEqual([(row["sender"], row["receiver"]) for row in document["rates"]],
                         [(sender, receiver) for sender in ("plain", "segmenting")
                          for receiver in ("edge", "json", "null")])
        self.assert_numbers(document["rates"], "sender_most")


class Words(BenchTest):
    def test_parts_that_need_no_sender(self):
        document = self.document("decode", "encode", "stages")
        self.assertEqual(set(document), {"machine", "decode", "encode", "stages", "notes"})
        self.assert_alone(document)
        self.assertTrue(document["machine"]["cpu"] and document["machine"]["system"])
        self.assertGreater(document["machine"]["receive_buffer_granted_kib"], 0)
        self.assertGreater(document["machine"]["sleep_cost_us"], 0)

    def test_what_is_wrong_is_said(self):
        self.assertIn(b"'recieve' is no part", self.bench("recieve", code=64).stderr)
        self.assertIn(b"is not NAME=", self.bench("--variant", "gro", code=64).stderr)
        self.assertIn(b"'1' has no unit", self.bench("--round-time", "1", code=64).stderr)

    def test_variants_stand_beside_the_rest(self):
        process = self.bench(*TINY, "--variant", "lines=listen:receivers=2 sink:format=influx",
                             "--variant", "null=--memory 32MiB", "receive")
        names = [line.split()[0] for line in process.stdout.decode().splitlines() if line.strip()]
        for name in NULL_RECEIVERS + ["json", "null", "lines"]:
            self.assertEqual(names.count(name), 6, name)

    def test_a_collector_that_does_not_start_says_why(self):
        error = self.bench(*TINY, "--variant", "json=listen:recievers=2", "receive", code=70).stderr
        self.assertIn(b'unknown key "recievers"', error)
        error = self.bench(*TINY, "--collector", "/nothing/there", "receive", code=70).stderr
        self.assertIn(b"cannot start /nothing/there", error)

    def test_a_ledger_that_does_not_balance_is_an_error(self):
        """A collector that is none: it opens a port, receives nothing, and prints a wrong ledger."""
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "fake")
            with open(fake, "w", encoding="utf-8") as script:
                script.write(FAKE)
            os.chmod(fake, 0o755)
            process = self.bench(*TINY, "--json", "--collector", fake, "receive", code=70)
        self.assertIn(b"does not balance", process.stderr)
        self.assertEqual(process.stdout, b"")


FAKE = """#!/usr/bin/env python3
import signal, socket, sys
inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
inbox.bind(("127.0.0.1", 0))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGUSR1})
print(f"listening on udp://127.0.0.1:{inbox.getsockname()[1]} for telemetry", file=sys.stderr,
      flush=True)
while True:
    told = signal.sigwait({signal.SIGTERM, signal.SIGUSR1})
    final = "true" if told == signal.SIGTERM else "false"
    print('{"final":%s,"balances":true,"listeners":[{"received":9,"decoded":8,"kernel_drops":1}],'
          '"sinks":[]}' % final, file=sys.stderr, flush=True)
    if told == signal.SIGTERM:
        sys.exit(0)
"""


if __name__ == "__main__":
    unittest.main()
