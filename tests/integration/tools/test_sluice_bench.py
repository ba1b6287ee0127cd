"""Runs sluice-bench in rounds that are too short for useful numbers: all parts exist, and the sums
are right.

 Times are not checked, because a test on a busy machine cannot measure speed."""
import math
import os
import tempfile
import unittest

from programs import run

TINY = ("--rounds", 1, "--round-time", "40ms")
RECEIVERS = ["blocking", "edge", "edge+pause", "json", "null"]
SCENES = ["metric1 (117 bytes) at 1000/s", "metric1 (117 bytes) at 5000/s",
          "metric1 (117 bytes) at 20000/s", "metric1 (117 bytes) at 100000/s",
          "batch20 (1140 bytes) at 20000/s"]


def value_of(cell):
    """The number in a cell, or its text."""
    try:
        return math.nan if cell == "-" else float(cell)
    except ValueError:
        return cell


def tables_in(text):
    """The printed tables: a dictionary from titles to rows."""
    tables = {}
    title, headings = None, None
    for line in filter(None, text.splitlines()):
        if not line.startswith("|"):
            title, headings = line, None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if headings is None:
            headings = cells
            tables[title] = []
        elif not set(line) <= set("|-: "):
            tables[title].append(dict(zip(headings, map(value_of, cells), strict=True)))
    return tables


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

    def tables(self, *arguments):
        return tables_in(self.bench(*TINY, *arguments).stdout.decode())

    def rows(self, tables, title):
        """The rows of the only table whose title starts with this text."""
        found = [rows for each, rows in tables.items() if each.startswith(title)]
        self.assertEqual(len(found), 1, title)
        return found[0]

    def assert_numbers(self, rows, *keys):
        """Asserts that each row has these keys, with numbers above zero."""
        self.assertTrue(rows)
        for row in rows:
            for key in keys:
                self.assertTrue(math.isfinite(row[key]), (key, row))
                if "/" not in key:  # a ratio may be rounded to 0 on a busy machine
                    self.assertGreater(row[key], 0, (key, row))

    def assert_alone(self, tables):
        """Asserts the parts that need no sender."""
        decoding = self.rows(tables, "Decoding")
        self.assertEqual([row["datagram"] for row in decoding], ["metric1", "batch20"])
        self.assert_numbers(decoding, "ours", "arena", "malloc", "/ arena", "ours B", "arena B")
        encoding = self.rows(tables, "Encoding")
        self.assert_numbers(encoding, "ns", "lines", "bytes")
        self.assertLessEqual({"json", "influx", "csv", "message"},
                             {row["format"] for row in encoding})
        self.assert_numbers(self.rows(tables, "Stages"), "ns", "least", "most")


class FullSpeed(BenchTest):
    """Runs without other tests, because the socket must accept all that is sent."""

    def test_all_parts_by_themselves(self):
        tables = self.tables()
        self.assert_alone(tables)
        for scene in SCENES:
            rows = self.rows(tables, f"CPU a datagram: {scene};")
            self.assertEqual([row["receiver"] for row in rows], RECEIVERS)
            self.assert_numbers(rows, "ns", "/ blocking", "/ pause", "sent/s", "MiB")
        for sender in ("plain", "segmenting"):
            rows = self.rows(tables, f"Highest rate without loss, {sender} sender")
            self.assertEqual([row["receiver"] for row in rows], ["edge", "json", "null"])
            self.assert_numbers(rows, "sender's")
        self.assertEqual(len(tables), 10)


class Words(BenchTest):
    def test_parts_that_need_no_sender(self):
        process = self.bench(*TINY, "decode", "encode", "stages")
        text = process.stdout.decode()
        tables = tables_in(text)
        self.assertEqual(len(tables), 3)
        self.assert_alone(tables)
        self.assertRegex(text, r"^sluice \S+, .+, \d+ processors, Linux ")
        self.assertRegex(text, r"\na sleep of 500 us costs [\d.]+ us of processor time\n")
        self.assertRegex(text, r"\nreceive buffer: 4096 KiB asked, [1-9]\d* KiB granted\n")
        self.assertIn("\n1 rounds of 40 ms\n", text)

    def test_what_is_wrong_is_said(self):
        self.assertIn(b"'recieve' is not a part", self.bench("recieve", code=64).stderr)
        self.assertIn(b"is not NAME=", self.bench("--variant", "gro", code=64).stderr)
        self.assertIn(b"'1' has no unit", self.bench("--round-time", "1", code=64).stderr)

    def test_variants_stand_beside_the_rest(self):
        tables = self.tables("--variant", "lines=listen:receivers=2 sink:format=influx",
                             "--variant", "null=--memory 32MiB", "receive")
        self.assertEqual(len(tables), len(SCENES))
        for rows in tables.values():
            self.assertEqual([row["receiver"] for row in rows], [*RECEIVERS, "lines"])

    def test_a_collector_that_does_not_start_says_why(self):
        error = self.bench(*TINY, "--variant", "json=listen:recievers=2", "receive", code=70).stderr
        self.assertIn(b'unknown key "recievers"', error)
        error = self.bench(*TINY, "--collector", "/nothing/there", "receive", code=70).stderr
        self.assertIn(b"cannot start /nothing/there", error)

    def test_a_ledger_that_does_not_balance_is_an_error(self):
        self.assertRegex(self.with_ledger("false"), b"a ledger that does not balance")

    def test_a_ledger_that_does_not_add_up_to_what_was_sent_is_an_error(self):
        self.assertRegex(self.with_ledger("true"),
                         rb"json: sent \d+, but received 90000 and 1 dropped by the kernel")

    def with_ledger(self, balances):
        """The report about a fake collector, which opens a port, receives no datagrams and prints a
        ledger."""
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, "fake")
            with open(fake, "w", encoding="utf-8") as script:
                script.write(FAKE.replace("BALANCES", balances))
            os.chmod(fake, 0o755)
            process = self.bench(*TINY, "--collector", fake, "receive", code=70)
        self.assertNotIn(b"CPU a datagram", process.stdout)
        return process.stderr


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
    print('{"final":%s,"balances":BALANCES,"listeners":[{"received":90000,"kernel_drops":1}],'
          '"sinks":[]}' % final, file=sys.stderr, flush=True)
    if told == signal.SIGTERM:
        sys.exit(0)
"""


if __name__ == "__main__":
    unittest.main()
