"""Tests that sluice-manual reports an invalid directive of a template with its line."""
import os
import pathlib
import subprocess
import tempfile
import unittest

MAKER = os.environ["TEST_MAKER"]
WRONG = ("@nonsense", "@title sluice", "@usage", "@summary", "@notes", "@keys unknown",
         "@reported nothing", "@shell-keys unknown")


class Maker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, *words, code):
        done = subprocess.run([MAKER, *map(str, words)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def page_of(self, program, text):
        template = self.folder / "template"
        template.write_text(text)
        return template, self.folder / "page"

    def test_a_directive_that_cannot_be_had(self):
        for wrong in WRONG:
            with self.subTest(wrong):
                template, page = self.page_of("sluice", f"one\n{wrong}\n")
                said = self.make("sluice", template, page, code=74)
                self.assertIn(f"{template}:2: {wrong}: cannot be had", said)

    def test_lines_that_are_no_directives_stay(self):
        template, page = self.page_of("sluice-send", "%PROGRAM% and %PROGRAM%\n.B x\n")
        self.make("sluice-send", template, page, code=0)
        self.assertEqual(page.read_text(), "sluice-send and sluice-send\n.B x\n")

    def test_what_is_not_there(self):
        self.assertIn("template", self.make("sluice", self.folder / "template", "x", code=74))
        template, _ = self.page_of("sluice", "one\n")
        self.assertIn("cannot make", self.make("sluice", template, self.folder / "no" / "page",
                                               code=74))

    def test_it_wants_three_words(self):
        self.assertIn("usage", self.make("sluice", code=64))


if __name__ == "__main__":
    unittest.main()
