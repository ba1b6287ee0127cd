"""Tests tests/report.py, which ends the output of tools/test and shows the reason of each skipped
test."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

from built import SKIPPED

TESTS = pathlib.Path(__file__).resolve().parents[2]
PARTLY = """
import unittest, built
class Some(unittest.TestCase):
    def test_one(self): pass
    @unittest.skip("needs the moon")
    def test_two(self): pass
    @unittest.skip("needs the moon")
    def test_three(self): pass
unittest.main()
"""


def script(text):
    """Runs the text as a Python script. Returns its exit code and its output. Both streams are in
    one text, as ctest stores it."""
    done = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


class Report(unittest.TestCase):
    def report(self, *cases):
        """The output of the report for cases of name, status, message and output."""
        suite = ElementTree.Element("testsuite")
        for name, status, message, output in cases:
            case = ElementTree.SubElement(suite, "testcase", name=name, status=status)
            if message:
                ElementTree.SubElement(case, "skipped", message=message)
            ElementTree.SubElement(case, "system-out").text = output
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            ElementTree.ElementTree(suite).write(file.name)
            return subprocess.run([sys.executable, TESTS / "report.py", "release", file.name],
                                  capture_output=True, text=True, check=True).stdout

    def test_a_skipped_script_is_named_with_its_reason(self):
        code, output = script("import built; print('begins'); built.skip('curl is not installed')")
        self.assertEqual(code, SKIPPED)
        skipped = "SKIP_RETURN_CODE=77"
        self.assertEqual(
            self.report(("one", "notrun", skipped, output), ("two", "notrun", skipped, output),
                        ("three", "run", None, "fine"), ("four", "notrun", skipped, "")),
            "--- release: skipped, curl is not installed: one, two\n"
            "--- release: skipped, it gave no reason: four\n")

    def test_the_skipped_part_of_a_script_is_counted_with_its_reason(self):
        code, output = script(PARTLY)
        self.assertEqual(code, 0)
        self.assertEqual(self.report(("some", "run", None, output)),
                         "--- release: skipped, needs the moon: 2 of some\n")

    def test_a_failed_test_is_repeated(self):
        said = self.report(("one", "fail", None, "line\n" * 100 + "the end\n"),
                           ("two", "notrun", "no such program", ""))
        self.assertIn("--- release: one failed; the end of what it printed:\nline\n", said)
        self.assertIn("the end\n", said)
        self.assertLess(said.count("line\n"), 41)
        self.assertIn("--- release: two failed", said)

    def test_each_script_skips_with_a_reason(self):
        for path in TESTS.rglob("*.py"):
            found = re.findall(r"exit\((?:77|SKIPPED)\)|SystemExit\((?:77|SKIPPED)\)",
                               path.read_text(encoding="utf-8"))
            self.assertLessEqual(len(found), path.name in ("built.py", "test_report.py"), f"{path}: use built.skip()")


if __name__ == "__main__":
    unittest.main()
