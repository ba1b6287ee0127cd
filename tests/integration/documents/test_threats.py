"""tools/packaging/threats.md: each row of a table of threats names tests, and all of them exist."""
import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "tools" / "packaging" / "threats.md"
TABLES = 7  # number of tables with a column of tests


def rows(text):
    """The cells of each row of each table whose last column is "test"."""
    tables, inside = 0, False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif not inside and cells[-1] == "test":
            inside, tables = True, tables + 1
        elif inside and not set(line) <= set("|- "):
            yield tables, cells


def entries():
    """The ctest entries of this build, with the script or program of each."""
    listed = subprocess.run(["ctest", "--test-dir", os.environ["TEST_BUILD"], "--show-only=json-v1"],
                            capture_output=True, check=True, timeout=100)
    return {each["name"]: " ".join(each.get("command", ())) for each in json.loads(listed.stdout)["tests"]}


def functions(name, command):
    """The names of the functions of an entry's script, or of the tests in a unit test's file."""
    script = next((word for word in command.split() if word.endswith(".py")), None)
    paths = [pathlib.Path(script)] if script else ROOT.glob(f"tests/**/{name}.c")
    for path in paths:
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r"^    def (test_\w+)", text, re.M)
        yield from re.findall(r"^TEST(?:_WITH)?\((\w+)", text, re.M)


class Threats(unittest.TestCase):
    def setUp(self):
        self.rows = list(rows(PAGE.read_text(encoding="utf-8")))

    def test_each_row_names_tests(self):
        self.assertEqual(self.rows[-1][0], TABLES)
        for _, cells in self.rows:
            self.assertRegex(cells[-1], r"\A`[\w/]+`(, `[\w/]+`)*\Z", cells[0])

    def test_each_named_test_exists(self):
        known, missing = entries(), []
        for _, cells in self.rows:
            for word in re.findall(r"`([\w/]+)`", cells[-1]):
                name, _, function = word.partition("/")
                if name not in known or (function and function not in functions(name, known[name])):
                    missing.append(word)
        self.assertEqual(missing, [])

    def test_readers_find_the_page(self):
        for path in ("README.md", ".github/SECURITY.md", "tools/packaging/README.md"):
            self.assertIn("threats.md", (ROOT / path).read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    unittest.main()
