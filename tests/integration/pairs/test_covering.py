"""The rows of test_pairs.py have every pair of features, and are few."""
import itertools
import pathlib
import subprocess
import tempfile
import unittest

import capture_writing
from built import command
from certificates import OPENSSL, Authority
from covering import (DATAGRAM_FRAMINGS, ENDINGS, FORMATS, FRAMINGS, KINDS, LISTENERS, SINKS,
                      Listener, Row, cover, is_valid, listener_has_datagrams, pairs_in_order,
                      sink_has_spill, sink_takes, valid_rows)
from sluice_program import DEADLINE, SLUICE, built_with

USAGE, CONFIGURATION = 64, 78  # exit codes
PLACES = {"stdout": "stdout:", "file": "file:out", "command": "command:cat",
          "udp": "udp:127.0.0.1:9", "http": "http://127.0.0.1:9/w",
          "https": "https://127.0.0.1:9/w", "kafka": "kafka://127.0.0.1:9/t",
          "nats": "nats://127.0.0.1:9/t"}


class Covering(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = cover(valid_rows())

    def test_every_pair_that_can_be_combined_is_in_a_row(self):
        """A pair is possible if any valid row contains it, so all rows are tried."""
        factors = (LISTENERS, SINKS, (False, True), FORMATS, ENDINGS)
        count = 0
        for (one, ones), (other, others) in itertools.combinations(enumerate(factors), 2):
            found = {(row[one], row[other]) for row in self.rows}
            for pair in itertools.product(ones, others):
                rest = [values if at not in (one, other) else [pair[at == other]]
                        for at, values in enumerate(factors)]
                can_be = any(is_valid(Row(*row)) for row in itertools.product(*rest))
                self.assertEqual(pair in found, can_be, pair)
                count += can_be
        self.assertEqual(count, len(set(itertools.chain.from_iterable(
            map(pairs_in_order, self.rows)))))
        print(f"{count} pairs of features in {len(self.rows)} rows")

    def test_there_are_few_rows(self):
        """Each valid pair of a listener and a format requires one row. 10 % more are allowed."""
        least = sum(listener_has_datagrams(*pair) for pair in itertools.product(LISTENERS, FORMATS))
        self.assertLess(len(self.rows), least * 11 // 10)


@unittest.skipUnless(all(map(built_with, ("tls", "http", "kafka", "nats"))), "a program without all libraries")
class Agreement(unittest.TestCase):
    """The program accepts exactly the combinations that covering.py considers valid."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "in.pcap").write_bytes(capture_writing.HEADER)

    def certificate(self):
        if not (self.folder / "server.crt").exists():
            Authority(self.folder).issue("server")
        return self.folder / "server.crt", self.folder / "server.key"

    def is_taken(self, listener, sink, form, spill=False):
        places = {"udp": "udp://127.0.0.1:0", "tcp": "tcp://127.0.0.1:0", "fd": "fd:3",
                  "unix": f"unix:{self.folder}/socket",
                  "pcap": f"pcap:{self.folder}/in.pcap"}
        schema = "otlp" if listener.framing == "otlp-udp" else "riemann"
        keys = f"schema={schema}&framing={listener.framing}"
        if listener.tls:
            keys += "&tls=on&cert={}&key={}".format(*self.certificate())
        done = subprocess.run(
            command(SLUICE, "--check", "--listen", f"{places[listener.kind]}?{keys}", "--sink",
                    f"{PLACES[sink]}?format={form}{'&spill=spill' if spill else ''}"),
            capture_output=True, text=True, cwd=self.folder, timeout=DEADLINE, check=False)
        self.assertIn(done.returncode, (0, USAGE, CONFIGURATION), done.stderr)
        return done.returncode == 0

    def test_listeners(self):
        for kind, framing, tls in itertools.product(KINDS, FRAMINGS, (False, True)):
            listener = Listener(kind, framing, tls)
            if not tls or OPENSSL is not None:
                self.assertEqual(self.is_taken(listener, "stdout", "json"),
                                 listener in LISTENERS, listener)

    def test_sinks(self):
        listener = LISTENERS[0]
        for sink, spill, form in itertools.product(SINKS, (False, True), FORMATS):
            self.assertEqual(self.is_taken(listener, sink, form, spill),
                             sink_takes(sink, form) and sink_has_spill(sink, spill),
                             (sink, spill, form))

    def test_formats(self):
        for framing, form in itertools.product(DATAGRAM_FRAMINGS, FORMATS):
            listener = Listener("udp", framing, False)
            sink = next(sink for sink in SINKS if sink_takes(sink, form))
            self.assertEqual(self.is_taken(listener, sink, form),
                             listener_has_datagrams(listener, form), (framing, form))


if __name__ == "__main__":
    unittest.main()
