"""Tests control characters from senders: each one, in every string, in every text format, to a
terminal and to a file."""
import os
import pty
import re
import threading
import tty
import unicodedata
import unittest

from built import NO_TERMINAL, not_on_windows
from capture_writing import write_capture
from format_reading import read_csv, read_influx, read_prometheus
from format_texts import as_utf8, without_controls
from protobuf import double, fixed64, message, riemann, sample, telemetry, text
from sluice_program import ProgramTest, parse_lines


def read_text(data):
    return data.decode("utf-8").splitlines()


COLOURS = re.compile(rb"\x1b\[(?:0|1|2|32|36)m")  # the colours that format=text uses

FORMATS = {"json": parse_lines, "json&view=message": parse_lines, "influx": read_influx,
           "csv": read_csv, "prometheus": read_prometheus, "text": read_text,
           "text&view=message": read_text}

CHARACTERS = [chr(number).encode() for number in range(0xA1)]
# Bytes that are not UTF-8 by themselves.
NO_CHARACTERS = [bytes([byte]) for byte in range(0x80, 0x100)]


def of_telemetry(word):
    return telemetry(sample(word, double=1.5, unit=word, labels=[(word, word)]), sender=word,
                     labels=[(b"of_sender", word)])


def of_riemann(word):
    return riemann({"service": word, "host": word, "state": word, "description": word,
                    "tags": [word, word], "attributes": [(word, word)], "metric_d": 1.5})


def of_otlp(word):
    attribute = text(1, word) + message(2, text(1, word))
    point = message(7, attribute) + fixed64(3, 1) + double(4, 1.5)
    metric = text(1, word) + text(2, word) + text(3, word) + message(5, message(1, point))
    scope = text(1, word) + text(2, word) + message(3, attribute)
    metrics = message(1, scope) + message(2, metric) + text(3, word)
    resource = message(1, attribute)
    return message(1, message(1, resource) + message(2, metrics) + text(3, word))


# A schema, the function that makes its datagrams, and the characters that its strings may contain.
SCHEMAS = (("telemetry", of_telemetry, CHARACTERS), ("otlp", of_otlp, CHARACTERS),
           ("riemann", of_riemann, CHARACTERS + NO_CHARACTERS))


class Terminal:
    """A terminal without any translation. Keeps all output."""

    def __init__(self):
        self._ours, self.its = pty.openpty()
        tty.setraw(self.its)
        self._taken = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            while data := os.read(self._ours, 65536):
                self._taken.append(data)
        except OSError:  # EIO: no process has the terminal open any more
            pass

    def end(self):
        """All output, after the last writer has closed it."""
        os.close(self.its)
        self._thread.join(60)
        os.close(self._ours)
        return b"".join(self._taken)


class ControlCharacters(ProgramTest):
    def assert_no_control_characters(self, data):
        """No control characters except line ends, which csv writes as CR LF."""
        for line in data.decode("utf-8").replace("\r\n", "\n").split("\n"):
            self.assertNotIn("Cc", set(map(unicodedata.category, line)), repr(line))

    def each(self):
        """Each schema with each format: the words, the listener, the sink's keys and the reader."""
        for schema, make, characters in SCHEMAS:
            words = [b"a" + character + b"b" for character in characters]
            capture = self.folder / f"{schema}.pcap"
            write_capture(capture, map(make, words))
            for form, read in FORMATS.items():
                yield words, f"pcap:{capture}?port=5555&schema={schema}", f"?format={form}", read

    def run_all(self, words, listener, sink, **more):
        program, ledger = self.run_to_end("--listen", listener, "--sink", sink, **more)
        self.assertEqual(program.log(), [])
        self.assertEqual(ledger["listeners"][0]["decoded"], len(words))
        self.assertEqual(ledger["sinks"][0]["lines"], len(words))

    @not_on_windows(NO_TERMINAL)
    def test_a_terminal_gets_none_and_what_it_gets_is_well_formed(self):
        for words, listener, keys, read in self.each():
            with self.subTest(listener=listener, keys=keys):
                terminal = Terminal()
                self.run_all(words, listener, "stdout:" + keys, stdout=terminal.its)
                data = terminal.end()
                if "text" in keys:
                    data = COLOURS.sub(b"", data)
                self.assert_no_control_characters(data)
                self.assertEqual(len(list(read(data))), len(words))

    @not_on_windows(NO_TERMINAL)
    def test_a_file_that_is_a_terminal_is_no_exception(self):
        words = [b"\x1b[31m\xc2\x9b31m"]
        write_capture(self.folder / "capture", map(of_telemetry, words))
        terminal = Terminal()
        self.run_all(words, f"pcap:{self.folder / 'capture'}?port=5555&schema=telemetry",
                     f"file:{os.ttyname(terminal.its)}?format=prometheus")
        data = terminal.end()
        self.assert_no_control_characters(data)
        self.assertIn(b'="?[31m??31m"', data)

    def test_in_files_json_influx_and_csv_have_none(self):
        for words, listener, keys, read in self.each():
            if "prometheus" in keys:
                continue
            with self.subTest(listener=listener, keys=keys):
                path = self.folder / "out"
                path.unlink(missing_ok=True)
                self.run_all(words, listener, f"file:{path}{keys}")
                self.assert_no_control_characters(path.read_bytes())
                self.assertEqual(len(list(read(path.read_bytes()))), len(words))

    def lines_of(self, form, read):
        """The strict reader's result for a file of events, and their words."""
        words = [b"a" + character + b"b" for character in CHARACTERS + NO_CHARACTERS]
        write_capture(self.folder / "capture", map(of_riemann, words))
        path = self.folder / "out"
        self.run_all(words, f"pcap:{self.folder / 'capture'}?port=5555&schema=riemann",
                     f"file:{path}?format={form}")
        return zip(map(as_utf8, words), read(path.read_bytes()))

    def test_readers_of_json_get_the_text_that_was_sent(self):
        for word, line in self.lines_of("json", parse_lines):
            self.assertEqual(line["name"], word)
            self.assertEqual(line["labels"][word], word)

    def test_readers_of_prometheus_files_get_the_text_that_was_sent(self):
        for word, (_, labels, _, _) in self.lines_of("prometheus", read_prometheus):
            self.assertEqual(labels["host"], word)

    def test_readers_of_influx_files_get_a_replacement_character_for_it(self):
        for word, (name, tags, _, _) in self.lines_of("influx", read_influx):
            self.assertEqual(name, without_controls(word))
            self.assertEqual(tags["host"], without_controls(word))


if __name__ == "__main__":
    unittest.main()
