"""The manual pages: formatters report no warnings, and the pages contain everything in --help."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from built import beside, command, skip

SLUICE = os.environ["SLUICE"]
PAGES = pathlib.Path(os.environ["TEST_MANUAL"], "man")
TOOLS = ["sluice-send", "sluice-replay", "sluice-decode", "sluice-top"]


def run(*arguments, **more):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False, **more)


def help_of(program):
    """All of the help: the collector's --help has a first page and further topics."""
    topic = ["all"] if program == SLUICE else []
    return run(*command(program, "--help", *topic)).stdout.decode()


def text_of(page):
    """A page as it is displayed, with each run of blanks replaced by one."""
    done = run("groff", "-man", "-Tutf8", "-P-cbou", "-rLL=200n", str(PAGES / page))
    return " ".join(done.stdout.decode().split())


class Formatters(unittest.TestCase):
    def complaints(self, *formatter, **more):
        for page in sorted(PAGES.iterdir()):
            with self.subTest(page=page.name):
                done = run(*formatter, str(page), **more)
                self.assertEqual((done.returncode, done.stdout.decode()), (0, ""))

    def test_groff_has_no_warning(self):
        self.complaints("groff", "-man", "-Tutf8", "-ww", "-z")

    @unittest.skipUnless(shutil.which("mandoc"), "needs mandoc")
    def test_mandoc_has_no_warning(self):
        """Ignores mandoc's warnings about lines longer than 80 bytes."""
        for page in sorted(PAGES.iterdir()):
            with self.subTest(page=page.name):
                lines = run("mandoc", "-Tlint", str(page)).stdout.decode().splitlines()
                self.assertEqual([line for line in lines if "longer than 80 bytes" not in line], [])


class Contents(unittest.TestCase):
    def test_every_program_has_a_page_with_the_usual_sections(self):
        for program in ["sluice", *TOOLS]:
            source = (PAGES / f"{program}.1").read_text(encoding="utf-8")
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS",
                            "EXAMPLES", "SEE ALSO"):
                self.assertIn(f".SH {section}\n", source, program)

    def test_every_option_is_there(self):
        for program in ["sluice", *TOOLS]:
            built = SLUICE if program == "sluice" else beside(SLUICE, program)
            if not pathlib.Path(built).exists():
                continue  # sluice-top is not always built
            options = re.findall(r"^  (?:-[a-zA-Z], )?(--[a-z0-9-]+)", help_of(built), re.MULTILINE)
            self.assertGreater(len(options), 2)
            text = text_of(f"{program}.1")
            for option in options:
                self.assertRegex(text, rf"{option}\b", program)

    def test_every_key_is_there_with_what_is_said_of_it(self):
        text = text_of("sluice.yaml.5")
        lines = re.sub(r"\|\n +", "|", help_of(SLUICE))  # long lists are wrapped after a bar
        found = re.findall(r"^  ([a-z0-9_]+=\S*)\s+(\S.*(?:\n {28}\S.*)*)", lines, re.MULTILINE)
        self.assertGreater(len(found), 40)
        for key, says in found:
            self.assertIn(f"{key} {' '.join(says.split())}", text)

    def test_every_kind_of_listener_and_sink_is_there(self):
        completion = (PAGES.parent / "bash" / "sluice").read_text(encoding="utf-8")
        text = text_of("sluice.1")
        for kind in ("listeners", "sinks"):
            schemes = re.search(rf"^_sluice_{kind}='([^']*)'", completion, re.MULTILINE)[1].split()
            self.assertGreater(len(schemes), 1)
            for scheme in schemes:
                self.assertIn(f" {scheme}", text)

    def test_every_exit_code_is_there(self):
        codes = re.search(r"Exit codes:\n(.*)\Z", help_of(SLUICE), re.DOTALL)[1]
        text = text_of("sluice.1")
        for code in codes.splitlines():
            self.assertIn(" ".join(code.split()), text)


if __name__ == "__main__":
    if not shutil.which("groff"):
        skip("needs groff")
    unittest.main()
