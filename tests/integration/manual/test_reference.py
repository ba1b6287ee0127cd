"""The reference describes every name that a running collector reports."""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))

from metrics_client import MetricsClient  # noqa: E402
from sluice_program import ProgramTest, Sluice  # noqa: E402

PAGES = pathlib.Path(os.environ["TEST_MANUAL"], "man")
HEALTH = ("ready", "degraded", "stuck", "stopping", "sink_waits", "sink_fails", "sink_ended",
          "sink_behind", "spill_fills", "spill_full", "spill_kept", "spill_left",
          "kernel_drops", "no_buffer", "records_refused", "records_evicted", "receiver_stuck",
          "undecodable", "assembly_full", "segments_missing", "numbers_lost",
          "connections_refused", "connections_cut", "capture_cut", "records_failed",
          "records_unknown", "samples_left_out", "raw_refused", "letters_dropped")


def page(name):
    """A page's text without the marks of its formatter."""
    text = re.sub(r"\\f[A-Z]", "", (PAGES / name).read_text())
    return text.replace("\\-", "-").replace("\\(aq", "'")


def names_in(value):
    """All names of the objects in a JSON text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


class Reference(ProgramTest):
    def missing(self, names, text):
        return sorted({name for name in names if not re.search(rf"\b{re.escape(name)}\b", text)})

    def test_every_term_and_reason_and_every_metric_stands_in_it(self):
        letters = self.folder / "dead.pcapng"
        sluice = self.start("--listen", "udp://127.0.0.1:0?schema=riemann", "--sink", "stdout:",
                            "--dead-letter", f"file:{letters}", "--metrics", "127.0.0.1:0")
        metrics = {name for name, _ in MetricsClient(sluice).numbers()}
        ledger = sluice.stop()
        said = {"name", "kind", "schema", "uptime_seconds", "kernel_drops_unit"}
        text = page("sluice.1")
        self.assertEqual(self.missing(set(names_in(ledger)) - said, text), [])
        self.assertEqual(sorted(name for name in metrics if not self.explains(name, text)), [])

    def explains(self, metric, text):
        """Asserts that the page lists a metric by its name, or by the ledger's term or reason that
        it counts."""
        name = re.sub("_(total|bucket|sum|count)$", "", metric)
        term = re.sub("^sluice_(listener|sink|dead_letters)_", "", name)
        known = (name, term, name.replace("_large_", "_"), re.sub("^process_.*", "process_*", name))
        return any(not self.missing([one], text) or one in text for one in known)

    def test_every_word_of_health_stands_in_it(self):
        self.assertEqual(self.missing(HEALTH, page("sluice.1")), [])


if __name__ == "__main__":
    unittest.main()
