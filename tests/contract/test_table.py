"""The table of README.md names tests that exist, and faults that can be planted."""
import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent


def text_of(*patterns):
    return "\n".join(path.read_text(encoding="utf-8")
                     for pattern in patterns for path in sorted(ROOT.glob(pattern)))


class Table(unittest.TestCase):
    def setUp(self):
        self.table = (HERE / "README.md").read_text(encoding="utf-8")

    def test_each_test_that_it_names_exists(self):
        names = set(re.findall(r"\*([a-z0-9_]+)\*", self.table))
        files = {path.stem for path in HERE.rglob("*.c")}
        tests = set(re.findall(r"\bTEST(?:_WITH)?\((\w+)", text_of("tests/contract/**/*.c")))
        self.assertGreater(len(names), 40)
        self.assertEqual(names - files - tests, set())

    def test_each_fault_that_it_names_can_be_planted(self):
        faults = set(re.findall(r"`(FAULT_\w+)`", self.table))
        known = set(re.findall(r"\bFAULT_\w+", text_of("tests/support/platform/*.h")))
        self.assertEqual(faults - known, set())
        systems = set(re.findall(r"`(?:EMULATION=)?((?:refuses|holds|fails)-\w+)`", self.table))
        source = text_of("tests/support/platform/windows/emulated_faults.c")
        self.assertEqual({name for name in systems if f'"{name}"' not in source}, set())

    def test_each_file_that_it_names_exists(self):
        files = set(re.findall(r"`(\w+\.[ch])`", self.table))
        known = {path.name for folder in ("collector", "tests/support")
                 for path in (ROOT / folder).rglob("*.[ch]")}
        self.assertEqual(files - known, set())


if __name__ == "__main__":
    unittest.main()
