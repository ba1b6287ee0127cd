"""The manual pages in the repository are those that the tables and templates produce."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from readme import SOURCE

MADE = pathlib.Path(os.environ["TEST_MANUAL"], "man")
KEPT = SOURCE / "tools" / "manual"


def converted(page, folder):
    """The text of `page` as Markdown."""
    done = subprocess.run([sys.executable, KEPT / "markdown.py", page, folder], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return pathlib.Path(folder, f"{page.name}.md").read_text(encoding="utf-8")


class Markdown(unittest.TestCase):
    def test_pages_of_the_repository_are_up_to_date(self):
        """If it fails: cmake --build build/release --target markdown"""
        with tempfile.TemporaryDirectory() as folder:
            for kept in sorted(KEPT.glob("*.md")):
                with self.subTest(page=kept.name):
                    self.assertEqual(converted(MADE / kept.stem, folder),
                                     kept.read_text(encoding="utf-8"))

    def test_every_manual_page_is_there(self):
        """Compares the pages with the templates, because a build folder may contain a page whose
        template was removed."""
        self.assertEqual({page.name for page in (KEPT / "pages").iterdir()},
                         {kept.stem for kept in KEPT.glob("*.md")})


class Defaults(unittest.TestCase):
    def test_a_default_is_written_once(self):
        """The text of a key or option must not repeat the default that its table already has."""
        for page in ("sluice.1.md", "sluice.yaml.5.md"):
            text = (KEPT / page).read_text(encoding="utf-8")
            items = re.findall(r"^ *- `-*([\w.-]+)`?[= ][^\n]*\n\n((?: +[^\n]*\n)+)", text, re.M)
            tabled = {key for key, body in items if re.search(r"\(default", body)}
            again = [key for key, body in items
                     if key in tabled and re.search(r"Default:\s+(`[^`]*`|[\w ]*)\.(\s|\Z)", body)]
            self.assertGreater(len(tabled), 9)
            self.assertEqual(again, [])


class Macros(unittest.TestCase):
    def markdown(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.1")
            page.write_text("\n".join(['.TH "PAGE" 1', *lines]) + "\n", encoding="utf-8")
            return converted(page, folder)

    def test_what_is_bold_is_code_and_what_is_italic_is_emphasised(self):
        self.assertEqual(self.markdown(".BI \\-\\-listen \" URL\"", "or \\fBstop\\fR"),
                         "# page(1)\n\n`--listen` *URL* or `stop`\n")

    def test_lists_stand_in_lists(self):
        text = self.markdown(".TP", ".B a", "first", ".RS", ".TP", ".B b", "second", ".RE", ".TP",
                             ".B c", "third")
        self.assertEqual(text, "# page(1)\n\n- `a`\n\n  first\n\n  - `b`\n\n    second\n\n- `c`\n\n"
                               "  third\n")

    def test_code_stays_as_it_is(self):
        self.assertEqual(self.markdown(".nf", "a  *b* \\e", ".fi"),
                         "# page(1)\n\n```\na  *b* \\\n```\n")

    def test_signs_of_markdown_are_escaped(self):
        self.assertEqual(self.markdown("a_b *c* [d]", "# e"), "# page(1)\n\na\\_b \\*c\\* \\[d\\] # e\n")

    def test_a_page_that_there_is_becomes_a_link(self):
        self.assertEqual(self.markdown(".BR sluice (1)", ",", ".BR grep (1)"),
                         "# page(1)\n\n[sluice(1)](sluice.1.md) , grep(1)\n")

    def test_an_unknown_macro_is_refused(self):
        with self.assertRaisesRegex(AssertionError, r"\.UR"):
            self.markdown(".UR example")


if __name__ == "__main__":
    unittest.main()
