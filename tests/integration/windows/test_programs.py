"""Tests the program files for Windows: their dependencies, sizes and version resources.

 Arguments: objdump, strip, the version, the programs. Only objdump and strip are run."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

OBJDUMP = STRIP = VERSION = ""
PROGRAMS = []

# The last two are for libcurl: Schannel's keys and certificates.
SYSTEMS_OWN = {"advapi32.dll", "kernel32.dll", "msvcrt.dll", "ws2_32.dll", "bcrypt.dll", "crypt32.dll",
               "secur32.dll"}

DOCUMENT = pathlib.Path(__file__).parents[3] / "tools/packaging/windows.md"
LARGEST = int(re.search(r"less than (\d+) MiB", DOCUMENT.read_text(encoding="utf-8"))[1]) * 1024 * 1024

# Windows 10 does not have this function: a program that imports it does not start there.
LATER = {"ProcessSocketNotifications"}


def imports(program):
    """The libraries that the program imports from, and the names."""
    text = subprocess.run(
        [OBJDUMP, "--private-headers", program], capture_output=True, text=True, check=True
    ).stdout
    libraries = {name.lower() for name in re.findall(r"DLL Name: (\S+)", text)}
    names = set(re.findall(r"^\s+[0-9a-f]+\s+\d+\s+(\w+)$", text, re.MULTILINE))
    return libraries, names


def said(program):
    """The strings of the program's version resource. Each value follows its key, aligned to four
    bytes."""
    content = pathlib.Path(program).read_bytes()
    found = {}
    for key in ("ProductName", "ProductVersion", "OriginalFilename"):
        at = content.find((key + "\0").encode("utf-16-le"))
        if at >= 0:
            text = content[at : at + 256].decode("utf-16-le", "replace")
            found[key] = text[len(key) :].lstrip("\0").partition("\0")[0]
    return found


class Programs(unittest.TestCase):
    def test_they_need_nothing_but_what_windows_has(self):
        for program in PROGRAMS:
            with self.subTest(program):
                libraries, names = imports(program)
                self.assertIn("GetLastError", names)
                self.assertLessEqual(libraries, SYSTEMS_OWN)

    def test_they_import_nothing_that_only_later_systems_have(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertEqual(imports(program)[1] & LATER, set())

    def test_they_have_no_time_so_that_they_can_be_made_again(self):
        for program in PROGRAMS:
            with self.subTest(program):
                content = pathlib.Path(program).read_bytes()
                header = int.from_bytes(content[0x3C:0x40], "little")
                self.assertEqual(content[header : header + 4], b"PE\0\0")
                self.assertEqual(content[header + 8 : header + 12], bytes(4))

    def test_they_are_small(self):
        for program in PROGRAMS:
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                stripped = pathlib.Path(folder, "stripped.exe")
                subprocess.run([STRIP, "-o", stripped, program], check=True)
                print(f"{pathlib.Path(program).name}: {stripped.stat().st_size} bytes")
                self.assertLess(stripped.stat().st_size, LARGEST)

    def test_they_carry_their_name_and_version(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertEqual(
                    said(program),
                    {
                        "ProductName": "Sluice",
                        "ProductVersion": VERSION,
                        "OriginalFilename": pathlib.Path(program).name,
                    },
                )


if __name__ == "__main__":
    OBJDUMP, STRIP, VERSION, *PROGRAMS = sys.argv[1:]
    assert PROGRAMS
    unittest.main(argv=sys.argv[:1], verbosity=2)
