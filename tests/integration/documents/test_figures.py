"""Tests the page of figures and its tool: each section has a date and a command, and can be
measured separately."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from readme import SOURCE

TOOL = SOURCE / "tools/figures"
PAGE = SOURCE / "tools/FIGURES.md"


def figures(*words, **environment):
    return subprocess.run([str(word) for word in (TOOL, *words)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def sections(page):
    """The text of each section by its heading."""
    found = re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {heading: text.strip() for heading, text in found}


def without_numbers(command):
    return re.sub(r"\d+", "N", command)


class Page(unittest.TestCase):
    def test_each_section_has_its_date_its_command_and_a_table(self):
        listed = figures("--list").stdout.splitlines()
        known = {without_numbers(line.partition(": ")[2]) for line in listed}
        found = sections(PAGE)
        self.assertTrue(found)
        for heading, text in found.items():
            with self.subTest(heading):
                about = re.match(r"\d{4}-\d\d-\d\d, .*: `(.*)`\n\n\|", text)
                self.assertIsNotNone(about, text[:200])
                self.assertIn(without_numbers(about[1]), known)


class Measuring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = pathlib.Path(shutil.copy(PAGE, self.folder))
        self.before = sections(self.page)

    def test_a_section_takes_the_place_of_its_older_one_and_leaves_the_others(self):
        done = figures("--page", self.page, "code")
        self.assertEqual(done.returncode, 0, done.stderr)
        after = sections(self.page)
        self.assertEqual({**self.before, "Code": after["Code"]}, after)
        row = re.search(r"^\| tests, Python \| [\d,]+ \| ([\d,]+) \|", after["Code"], re.MULTILINE)
        listed = subprocess.run(["git", "ls-files", "tests"], cwd=SOURCE, capture_output=True, text=True,
                                check=True).stdout.split()
        lines = sum(len((SOURCE / path).read_text(encoding="utf-8").splitlines())
                    for path in listed if path.endswith(".py"))
        self.assertEqual(int(row[1].replace(",", "")), lines)

    def test_a_command_that_fails_leaves_its_section_as_it_was(self):
        cmake = self.folder / "cmake"
        cmake.write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
        cmake.chmod(0o755)
        done = figures("--page", self.page, "programs", PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("programs: cmake --preset release: exit code 3; the section stays as it was", done.stderr)
        self.assertEqual(sections(self.page), self.before)


if __name__ == "__main__":
    unittest.main()
