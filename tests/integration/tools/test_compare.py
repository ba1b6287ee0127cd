"""tools/compare: compares the collector with a peer without dependencies, and evaluates the
numbers."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import built
from built import nothing_on_windows, skip
from programs import ROOT

nothing_on_windows("it measures programs for Linux")

sys.path.insert(0, str(ROOT / "tools" / "comparison"))

import curve  # noqa: E402
import peers  # noqa: E402
import reading  # noqa: E402
import table  # noqa: E402
import traffic  # noqa: E402

LIMIT = 100  # seconds for the comparison


def compare(into, *arguments):
    """Runs tools/compare to its end."""
    programs = pathlib.Path(os.environ["TEST_SEND"]).parent
    return subprocess.run([ROOT / "tools" / "compare", "--programs", programs, "--into",
                           into, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


class Comparison(FolderTest):
    def test_it_measures_the_collector_and_a_peer_and_accounts_for_all_that_was_sent(self):
        done = compare(self.folder, "--peers", "sluice,python", "--parts", "rates,buffers",
                       "--rates", "2000", "--buffers", "1MiB", "--buffer-rate", "2000",
                       "--receive-buffer", "1MiB", "--rounds", "1", "--time", "0.3")
        self.assertEqual(done.returncode, 0, done.stdout)
        found = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        self.assertEqual(found["failed"], {})
        self.assertEqual({(row["part"], row["peer"]) for row in found["runs"]},
                         {(part, peer) for part in ("rates", "buffers")
                          for peer in ("sluice", "python")})
        for row in found["runs"]:
            with self.subTest(part=row["part"], peer=row["peer"]):
                self.assertGreaterEqual(row["sent"], 600)
                self.assertEqual(row["sent"], row["written"] + row["lost"])
                self.assertEqual(row["lost"], row["kernel_drops"])
                self.assertGreater(row["cpu_ns"], 0)
                self.assertGreater(row["memory_idle"], 0)
                self.assertEqual(row["granted"], 2 << 20)
                probes = row["latency_ms"]
                self.assertGreater(probes["seen"], 0)
                self.assertLessEqual(probes["seen"], probes["probes"])
                self.assertNotIn("died", row)
                self.assertNotIn("killed", row)
        text = (self.folder / "table.md").read_text(encoding="utf-8")
        self.assertIn("| sluice 0", text)
        self.assertIn("| python 3", text)
        self.assertIn(">sluice<", (self.folder / "curve.svg").read_text(encoding="utf-8"))

    def test_a_peer_that_cannot_be_had_is_named_and_the_others_are_measured(self):
        path = self.folder / "path"
        path.mkdir()
        for tool in ("ss",):
            (path / tool).symlink_to(shutil.which(tool))
        programs = pathlib.Path(os.environ["TEST_SEND"]).parent
        done = subprocess.run(
            [sys.executable, ROOT / "tools" / "comparison", "--programs", programs, "--into",
             self.folder, "--peers", "sluice,goflow2", "--parts", "rates", "--rates", "1000",
             "--receive-buffer", "1MiB", "--rounds", "1", "--time", "0.1"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False,
            env={**os.environ, "PATH": str(path)})
        self.assertEqual(done.returncode, 0, done.stdout)
        text = (self.folder / "table.md").read_text(encoding="utf-8")
        self.assertIn("Not measured: goflow2: no Go here.", text)
        self.assertIn("| sluice 0", text)

    def test_wrong_words_are_refused(self):
        for words in (("--peers", "nobody"), ("--parts", "nothing"), ("--rates", "fast")):
            with self.subTest(words=words):
                self.assertEqual(compare(self.folder, *words).returncode, 2)


def row(peer, rate, lost, part="rates", **more):
    return {"part": part, "peer": peer, "rate": rate, "offered": rate, "receive_buffer": 1 << 20,
            "granted": 2 << 20, "seconds": 1, "sent": rate, "written": rate - lost, "lost": lost,
            "kernel_drops": 0, "cpu_ns": 1000 * rate, "memory_idle": 1 << 20, "memory": 2 << 20,
            "latency_ms": {"median": 1.5, "p99": 3, "most": 4, "probes": 10, "seen": 10}, **more}


def results(*runs):
    return {"machine": {"processor": "P & <Q>", "processors": 2, "kernel": "6.1",
                        "date": "2026-11-25"},
            "versions": {"sluice": "0.1.0", "rsyslog": "8.0"}, "failed": {}, "seconds": 61,
            "runs": list(runs)}


class Report(unittest.TestCase):
    FOUND = results(row("sluice", 1000, 0), row("sluice", 9000, 0), row("rsyslog", 1000, 0),
                    row("rsyslog", 9000, 4500, kernel_drops=0), row("rsyslog", 3000, 0, "highest"),
                    row("rsyslog", 5000, 1, "highest"), row("sluice", 5000, 0, "buffers"),
                    row("rsyslog", 5000, 50, "buffers", kernel_drops=20))

    def test_the_highest_rate_without_loss_is_one_that_was_measured(self):
        self.assertEqual(table.highest(self.FOUND, "rsyslog"), "3,000")
        self.assertEqual(table.highest(self.FOUND, "sluice"), "9,000, all that was sent")

    def test_a_rate_above_which_nothing_was_lost_by_chance_is_not_the_highest(self):
        found = results(row("rsyslog", 1000, 0), row("rsyslog", 2000, 5), row("rsyslog", 4000, 0))
        self.assertEqual(table.highest(found, "rsyslog"), "1,000")

    def test_loss_is_what_is_not_in_the_output_and_the_programs_own_what_the_kernel_did_not_drop(self):
        text = table.write(self.FOUND)
        self.assertIn("| rsyslog | 0 | 50 % |", text)
        self.assertIn("rsyslog (at most 50 % of a run)", text)
        self.assertIn("medians of 1 rounds; measured in 1 min 1 s", text)
        self.assertRegex(table.buffers(self.FOUND), r"\| rsyslog \| 1 % \|")

    def test_the_curve_is_one_file_that_needs_nothing_else(self):
        text = curve.draw(self.FOUND)
        tree = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(tree.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("prefers-color-scheme:dark", text)
        for word in ("href", "url(", "@import", "<script"):
            self.assertNotIn(word, text)
        for word in ("P &amp; &lt;Q&gt;", "Linux 6.1", "2026-11-25", "rsyslog 8.0",
                     "lost, per cent", "median latency, ms", "datagrams offered a second",
                     "receive buffer"):
            self.assertIn(word, text)
        self.assertEqual(text.count(">rsyslog<"), 4)  # a label in each panel

    def test_the_curve_has_no_number_that_is_none(self):
        found = results(row("sluice", 1000, 0), row("rsyslog", 1000, 1000, latency_ms={
            "median": None, "p99": None, "most": None, "probes": 10, "seen": 0}))
        text = curve.draw(found)
        self.assertNotIn("nan", text)
        self.assertNotIn("None", text)
        xml.etree.ElementTree.fromstring(text)

    def test_labels_do_not_cover_each_other(self):
        places = curve.apart([100, 101, 102, 300, 299, 298], 0, 300)
        for one, other in zip(sorted(places), sorted(places)[1:]):
            self.assertGreaterEqual(other - one, curve.LINE_HEIGHT)
        self.assertLessEqual(max(places), 300)


class Reading(FolderTest):
    """Tests the counting in each kind of output."""

    def read(self, reader, data):
        path = self.folder / "output"
        path.write_bytes(data)
        return reader(path).read()

    def test_text_counts_datagrams_and_finds_probes_with_where_their_line_ends(self):
        self.assertEqual(self.read(reading.Text, b"a eu-west-1x\nb probe-0000072(\nc eu-west-1\n"),
                         (3, {7: 30}))

    def test_an_output_that_is_not_there_has_nothing(self):
        for reader in (reading.Text, reading.Hex, reading.Base64, reading.Flows, reading.Values):
            self.assertEqual(reader(self.folder / "none").read(), (0, {}))

    def test_hexadecimal_digits(self):
        lines = [traffic.telemetry_probe(12, 1).hex().encode(), b"x eu-west-1".hex().encode()]
        self.assertEqual(self.read(reading.Hex, b"\n".join(lines) + b"\n"),
                         (2, {12: len(lines[0]) + 1}))

    def test_base64_in_json(self):
        import base64
        line = (b'{"seq": 1, "telemetry_data": "'
                + base64.encodebytes(traffic.telemetry_probe(3, 1)).replace(b"\n", b"\\n")
                + b'", "serialization": "gpb"}\n')
        other = b'{"telemetry_data": "' + base64.b64encode(b"eu-west-1") + b'"}\n'
        self.assertEqual(self.read(reading.Base64, b'{"event_type": "log_init"}\n' + line + other),
                         (2, {3: 27 + len(line)}))

    def test_flows(self):
        self.assertEqual(self.read(reading.Flows, b'{"bytes":5,"packets":2}\n'
                                   b'{"bytes":1500,"packets":1}\n{"byt'), (2, {5: 24}))

    def test_values_of_collectd(self):
        for host, lines in (("probe-", "epoch,value\n1.5,4\n"), ("compare", "epoch,value\n1,2\n")):
            folder = self.folder / host / "comparison"
            folder.mkdir(parents=True)
            (folder / "gauge-x-2026-11-25").write_text(lines, encoding="ascii")
        self.assertEqual(reading.Values(self.folder).read(), (2, {4: 18}))


class Traffic(FolderTest):
    def test_a_probe_is_a_message_of_the_schema(self):
        decode = built.command(built.beside(os.environ["TEST_SEND"], "sluice-decode"),
                               "--schema", "telemetry")
        done = subprocess.run(decode, input=traffic.telemetry_probe(41, 5), stdout=subprocess.PIPE,
                              check=True)
        message = json.loads(done.stdout)
        self.assertEqual(message["labels"][1], {"key": "region", "value": "probe-000041"})
        self.assertEqual(message["samples"][0]["doubleValue"], 0.425)

    def test_captures_are_sent_as_they_were_written(self):
        for kind in traffic.CAPTURED:
            path = self.folder / kind
            traffic.write_capture(path, kind, 100)
            done = subprocess.run(
                built.command(built.beside(os.environ["TEST_SEND"], "sluice-replay"), path, "--to",
                              "udp://127.0.0.1:9", "--speed", "max"),
                stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(traffic.sent(done.stderr)[0], 100, done.stderr)


class Peers(unittest.TestCase):
    def test_every_configuration_has_the_words_that_make_it_comparable(self):
        for peer in peers.PEERS:
            text = peer.text()
            self.assertIn("@PORT@", text, peer.name)
            self.assertIn("@OUTPUT@", text, peer.name)
            self.assertEqual("@BUFFER@" in text, peer.sets_buffer, peer.name)


if __name__ == "__main__":
    if not shutil.which("ss"):
        skip("needs ss")
    unittest.main()
