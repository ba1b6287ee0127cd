"""sluice explain: every word that the program accepts or reports has an entry."""
import pathlib
import re
import subprocess
import unittest

from built import command
from metrics_client import MetricsClient
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def explain(*words, code=0):
    """Runs `sluice explain`. Returns its output on stdout and on stderr."""
    done = subprocess.run(command(SLUICE, "explain", *words), capture_output=True, text=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}, not {code}: {done}")
    return done.stdout, done.stderr


def help_on(topic):
    return subprocess.run(command(SLUICE, "--help", topic), capture_output=True, text=True,
                          timeout=DEADLINE, check=True).stdout


def names_in(value):
    """All names of the objects in a JSON text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


class Explain(ProgramTest):
    def test_a_reason_with_what_to_do(self):
        text, _ = explain("listener_share")
        self.assertRegex(text, r"\Alistener_share: why a sink's queue did not take a record\n")
        self.assertRegex(text, r"\n    Remedy: if health reports sink_fails or sink_waits, repair ")
        self.assertRegex(text, r"\n    See sluice\(1\), THE LEDGER\.\n\Z")

    def test_the_example_of_the_manual_is_what_it_prints(self):
        text, _ = explain("listener_share")
        page = (ROOT / "tools/manual/sluice.1.md").read_text("utf-8")
        self.assertIn(f"$ sluice explain listener_share\n{text}", page)

    def test_words_that_operators_ask_about_have_a_remedy(self):
        for word in ("balances", "incomplete", "lost", "late", "restarted", "filtered",
                     "evicted", "unknown", "sink_waits", "sink_fails", "control", "degraded", "69",
                     "sluice_sink_queue_fill_ratio", "sluice_listener_lost_total"):
            with self.subTest(word):
                self.assertIn("\n    Remedy: ", explain(word)[0])

    def test_lost_and_missing_name_the_window_in_which_a_number_may_still_arrive(self):
        window = re.search(r"#define SEQUENCE_WINDOW +(\d+)",
                           (ROOT / "collector/senders/sequence.h").read_text("utf-8"))[1]
        for word in ("lost", "missing"):
            with self.subTest(word):
                text = " ".join(explain(word)[0].split())
                self.assertIn(f"{int(window):,} numbers ahead", text)
                self.assertIn("sluice-top", text)

    def test_a_key_with_its_value_its_places_and_its_default(self):
        text, _ = explain("receive_buffer")
        self.assertRegex(text, r"\Areceive_buffer=SIZE: a key of a udp listener\n")
        self.assertIn("Default 4MiB, 4KiB to 512MiB.", text)

    def test_a_word_of_several_meanings_has_all_of_them(self):
        text, _ = explain("too_large")
        self.assertEqual(re.findall(r"(?m)^too_large: (.*)", text),
                         ["why a listener did not decode a datagram",
                          "why a record that a sink had taken was not written"])

    def test_words_as_they_are_used(self):
        self.assertEqual(explain("rate_limit=100"), explain("rate_limit"))
        self.assertEqual(explain("kafka.linger.ms=20"), explain("kafka.NAME"))
        self.assertRegex(explain("--memory")[0], r"\A--memory SIZE: an option")
        whole = explain("sluice_sink_write_seconds")[0]
        self.assertIn("sluice_sink_write_seconds{sink}: a histogram", whole)
        for short in ("sluice_sink_write_seconds_bucket", "sluice_sink_write_seconds_sum",
                      "write_seconds"):
            self.assertEqual(explain(short)[0], whole)

    def test_an_unknown_word_has_the_nearest_one(self):
        text, said = explain("listener_shar", code=64)
        self.assertEqual(text, "")
        self.assertEqual(said, 'sluice: error: explain: "listener_shar" has no entry; '
                               'did you mean "listener_share"?\n')
        self.assertIn("sluice explain --list", explain("nothing-like-it", code=64)[1])

    def test_the_others_are_explained_all_the_same(self):
        text, said = explain("nothing-like-it", "malformed", code=64)
        self.assertIn("malformed: why", text)
        self.assertIn("nothing-like-it", said)

    def test_without_a_word_it_says_how_to_write_it(self):
        self.assertIn("write sluice explain WORD", explain(code=64)[1])
        self.assertIn("Usage: sluice explain", explain("--help")[0])

    def test_lines_fit_a_terminal(self):
        words = explain("--list")[0].split()
        text, _ = explain(*words)
        within = [line for line in text.splitlines() if line.startswith(" ")]
        self.assertLessEqual(max(map(len, within)), 80)
        self.assertEqual([word for word in words if words.count(word) > 1], [])

    def test_every_key_and_option_has_an_entry(self):
        keys = re.findall(r"(?m)^  ([a-z0-9_]+)=", help_on("keys"))
        options = re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", help_on("options"))
        self.assertGreater(len(keys), 60)
        self.assertGreater(len(options), 20)
        text, _ = explain(*keys, *options)
        for word in keys + options:
            self.assertRegex(text, rf"(?m)^{word}(\b|=)")

    def test_every_exit_code_has_an_entry(self):
        codes = re.findall(r"(?m)^  (\d+) ", help_on("exit"))
        self.assertIn("78", codes)
        self.assertEqual(explain(*codes)[0].count(": an exit code\n"), len(codes))

    def test_every_term_reason_and_metric_has_an_entry(self):
        sluice = self.start("--listen", RIEMANN, "--dead-letter", f"file:{self.folder}/dead.pcapng",
                            "--sink", "stdout:", "--sink", "udp:127.0.0.1:9",
                            "--metrics", "127.0.0.1:0")
        metrics = {name for name, _ in MetricsClient(sluice).numbers()}
        beside = {"final", "balances", "incomplete", "listeners", "sinks", "dead_letters", "reasons", "name",
                  "kind", "schema", "retired", "uptime_seconds", "kernel_drops_unit"}
        explain(*sorted(set(names_in(sluice.stop())) - beside), *sorted(metrics))

    def test_what_was_lost_is_named_for_it_in_the_ledger(self):
        self.assertNotIn("explain", self.ledger_after([metric(1)]))
        line = self.ledger_after([metric(1), b"\xff", b"\xff"])
        self.assertIn("\n  what to do: sluice explain malformed\n", line)

    def ledger_after(self, datagrams):
        """The values of the reference as text."""
        program = self.start("--listen", RIEMANN, "--max-datagrams", str(len(datagrams)),
                             ledger="text")
        sender = self.sender(program)
        for datagram in datagrams:
            sender.send(datagram)
        program.process.wait(DEADLINE)
        program.stderr.wait_for_end()
        return "\n".join(program.said())


if __name__ == "__main__":
    unittest.main()
