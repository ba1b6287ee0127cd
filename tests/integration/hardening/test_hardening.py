"""Checks that each program has the properties that make exploits of an error harder
(tools/cmake/Hardening.cmake).

Arguments: whether the build is hardened, and the programs; for Linux also the compiler. With it the
script builds programs that lack one property each, and the reader must detect that."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from binary_reading import missing, read
from built import WINDOWS, skip

COMPILER = ""
PROGRAMS = []

# A program that has all properties: a buffer of unknown use, and a stack frame of more than one
# page.
SOURCE = """
#include <stdio.h>
#include <string.h>
#define F(n) void n(void); void n(void) { puts(#n); }
#define TEN(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
TEN(a) TEN(b) TEN(c) TEN(d) TEN(e) TEN(f) TEN(g) TEN(h) TEN(i) TEN(j)
int main(int count, char **words)
{
    char text[9000];
    strcpy(text, words[count - 1]);
    return puts(text) < 0;
}
"""
FULL = ["-O2", "-fPIE", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong",
        "-fstack-clash-protection", "-fcf-protection", "-pie", "-Wl,-z,relro,-z,now,-z,noexecstack"]
WITHOUT = {
    "position-independent (PIE)": ["-fno-pie", "-no-pie"],
    "read-only relocations (RELRO)": ["-Wl,-z,norelro"],
    "immediate binding (BIND_NOW)": ["-Wl,-z,lazy"],
    "a stack without code": ["-Wl,-z,execstack"],
    "no search path for libraries": ["-Wl,-rpath,/tmp"],
    "stack protector": ["-fno-stack-protector"],
    "checked buffers (_FORTIFY_SOURCE)": ["-U_FORTIFY_SOURCE"],
    "probes of large stack frames": ["-fno-stack-clash-protection"],
    "targets of indirect jumps (endbr64)": ["-fcf-protection=none"],
}


class Programs(unittest.TestCase):
    def test_each_has_all_properties(self):
        for program in PROGRAMS:
            with self.subTest(pathlib.Path(program).name):
                self.assertEqual(missing(program), [])

    def test_the_reader_finds_what_a_program_of_linux_lacks(self):
        if WINDOWS or read(PROGRAMS[0]).machine != 62:
            self.skipTest("the programs that lack a property are made for Linux on x86-64")
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, "made.c"), pathlib.Path(folder, "made")
            source.write_text(SOURCE, encoding="ascii")
            for name, options in {"": [], **WITHOUT}.items():
                with self.subTest(name):
                    subprocess.run([COMPILER, "-w", source, "-o", program, *FULL, *options],
                                   check=True, capture_output=True)
                    found = missing(program)
                    if name:
                        self.assertIn(name, found)
                    else:
                        self.assertEqual(found, [])
                        content = bytearray(program.read_bytes())
            program.write_bytes(content)
            segments = read(program).segments
            index = next(index for index, each in enumerate(segments) if each[0] == 1 and each[1] & 2)
            content[64 + 56 * index + 4] |= 1
            program.write_bytes(content)
            self.assertIn("no memory for both code and data", missing(program))

    def test_the_reader_finds_what_a_program_of_windows_lacks(self):
        if not WINDOWS:
            self.skipTest("for the build for Windows")
        content = bytearray(pathlib.Path(PROGRAMS[0]).read_bytes())
        header = int.from_bytes(content[0x3C:0x40], "little")
        for name, at, to in (
                ("random addresses (ASLR)", header + 24 + 70, ~0x40),
                ("addresses of 64 bits (high-entropy VA)", header + 24 + 70, ~0x20),
                ("data without code (DEP)", header + 24 + 71, ~0x01),
                ("random addresses (ASLR)", header + 24 + 112 + 44, None),
                ("no section for both code and data", header + 24 + 240 + 39, 0x80 | 0x20)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                changed = bytearray(content)
                if to is None:
                    changed[at:at + 4] = bytes(4)
                else:
                    changed[at] = to & changed[at] if to < 0 else to | changed[at]
                path = pathlib.Path(folder, "changed.exe")
                path.write_bytes(changed)
                self.assertIn(name, missing(path))


if __name__ == "__main__":
    hardened, COMPILER, *PROGRAMS = sys.argv[1:]
    assert PROGRAMS
    if hardened != "ON":
        skip("built with SLUICE_HARDENED=OFF, as sanitizers and builds without optimisation are")
    unittest.main(argv=sys.argv[:1], verbosity=2)
