"""The archive and the .rpm for any distribution, built from scratch with a separate preset."""
import os
import platform
import re
import shutil
import unittest

from binary_reading import missing
from metrics_client import MetricsClient
from packaging import (CLIENT, DOCUMENTS, INSTALLED, LOADED, PROGRAMS, SOURCE, TOOLS, PackageTest, files_below,
                       need, needed_by, pack, packs, portable_build, run, without_website)
from sluice_program import RIEMANN
from spdx_reading import Materials
from website import CAN_BE_MADE, WHY_NOT, Website

LEAST_GLIBC = (2, 36)  # that of Debian 12, on which release archives are built
HAS_NEWER = tuple(map(int, platform.libc_ver()[1].split("."))) > LEAST_GLIBC


class Archive(PackageTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = portable_build() / "made"
        shutil.rmtree(made, ignore_errors=True)
        cls.archive = pack(portable_build(), "TGZ", made)
        run("tar", "--extract", "--file", cls.archive, "--directory", made)
        cls.root = made / cls.archive.name.removesuffix(".tar.gz")
        cls.programs = [cls.root / "bin" / name for name in PROGRAMS]

    def test_what_is_in_it(self):
        self.assertEqual(without_website(files_below(self.root)), sorted(INSTALLED))
        self.assertTrue(self.root.name.endswith(f"-linux-{platform.machine()}"))

    @unittest.skipUnless(CAN_BE_MADE, WHY_NOT)
    def test_the_website_of_the_documents_is_in_it(self):
        there, website = self.root / DOCUMENTS / "html", Website()
        self.addCleanup(website.close)
        self.assertEqual(files_below(there), files_below(website.root))
        for path in ("index.html", "tools/NEWS.html", "tools/manual/sluice.1.html"):
            self.assertEqual((there / path).read_bytes(), (website.root / path).read_bytes())

    def test_the_programs_need_nothing_but_the_c_library(self):
        for program in self.programs:
            for library in needed_by(program):
                self.assertRegex(library, r"^(libc|libm|ld-linux.*)\.so\.\d+$", program)

    @unittest.skipIf(HAS_NEWER, "the C library of this machine is newer than that of Debian 12")
    def test_the_c_library_may_be_that_old(self):
        for program in self.programs:
            versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)",
                                  run("readelf", "--wide", "--version-info", program))
            self.assertTrue(versions)
            newest = max((int(major), int(minor)) for major, minor in versions)
            self.assertLessEqual(newest, LEAST_GLIBC, program)

    def test_the_programs_are_hardened_and_stripped(self):
        for program in self.programs:
            self.assertEqual(missing(program), [], program)
            self.assertNotIn(".symtab", run("readelf", "--wide", "--sections", program))

    def test_its_bill_of_materials_names_what_is_only_in_the_archive(self):
        materials = Materials((self.root / DOCUMENTS / "sluice.spdx.json").read_text(encoding="utf-8"))
        self.assertLessEqual({"jansson", "ncurses"}, materials.related("STATIC_LINK", "sluice-top"))
        for name in PROGRAMS:
            self.assertEqual(materials.related("DYNAMIC_LINK", name), set(needed_by(self.root / "bin" / name)))
        for name in materials.related("STATIC_LINK"):
            self.assertNotEqual(materials.package(name)["licenseDeclared"], "NOASSERTION", name)

    def test_the_programs_run(self):
        for program in self.programs:
            self.assertTrue(run(program, "--version").startswith(program.name + " "))

    def test_what_is_sent_to_it_is_in_the_file_after_a_stop(self):
        self.collects(self.root / "bin", self.root / DOCUMENTS / "examples/sluice.yaml", self.folder)

    def test_it_serves_metrics_where_the_machine_has_the_library(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.folder / 'out'}",
                             "--metrics", "127.0.0.1:0", program=self.root / "bin/sluice")
        self.assertEqual(MetricsClient(program).health()[0], 200)

    def test_nothing_shows_where_it_was_built(self):
        for program in self.programs:
            self.assertNotIn(os.fsencode(SOURCE), program.read_bytes(), program)


@unittest.skipUnless(shutil.which("rpmbuild"), "needs rpmbuild")
class Rpm(PackageTest):
    """The .rpm files have the same programs as the archive, so only the differences are tested."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = portable_build() / "made-rpm"
        shutil.rmtree(made, ignore_errors=True)
        cls.packages = packs(portable_build(), "RPM", made)

    def query(self, package, *words):
        return run("rpm", "--query", "--package", self.packages[package], *words)

    def test_what_is_in_each(self):
        self.assertEqual(set(self.packages), {"sluice", "sluice-tools", "sluice-client-devel"})
        files = {name: self.query(name, "--list").splitlines() for name in self.packages}
        for path in ("/usr/bin/sluice", "/usr/lib/systemd/system/sluice.service", "/usr/share/man/man1/sluice.1.gz",
                     "/usr/share/zsh/site-functions/_sluice", "/usr/share/doc/sluice/sluice.spdx.json"):
            self.assertIn(path, files["sluice"])
        self.assertEqual([path for path in files["sluice-tools"] if path.startswith("/usr/bin/")],
                         [f"/usr/bin/{name}" for name in TOOLS])
        for path in CLIENT:
            self.assertIn(f"/usr/{path}", files["sluice-client-devel"])
        for name, listed in files.items():
            for folder in ("/etc", "/usr/bin", "/usr/lib/systemd/system", "/usr/share/man/man1"):
                self.assertNotIn(folder, listed, f"{name} has a folder of the system's")

    def test_what_an_administrator_changes_stays(self):
        listed = self.query("sluice", "--queryformat", "[%{FILENAMES} %{FILEFLAGS:fflags}\n]")
        self.assertEqual(re.findall(r"(\S+) c\w*n", listed),
                         ["/etc/logrotate.d/sluice", "/etc/sluice/sluice.yaml"])

    def test_each_needs_no_library_but_c_and_no_program_but_a_shell(self):
        for name, programs in (("sluice", {"/bin/sh"}), ("sluice-tools", set()), ("sluice-client-devel", set())):
            with self.subTest(package=name):
                needs = self.query(name, "--requires")
                self.assertLessEqual(set(re.findall(r"^(\S+)\.so\S*\(", needs, re.MULTILINE)), {"libc", "libm"})
                self.assertEqual(set(re.findall(r"^/\S+", needs, re.MULTILINE)), programs)
                self.assertNotIn("pkgconfig", needs)

    def test_each_says_what_it_is(self):
        descriptions = set()
        for name in self.packages:
            summary, description = self.query(name, "--queryformat", "%{SUMMARY}\n%{DESCRIPTION}").split("\n", 1)
            self.assertRegex(summary, r"^[A-Z][a-z].*collector$")
            self.assertGreater(len(description.splitlines()), 2, description)
            descriptions.add(description)
        self.assertEqual(len(descriptions), 3)

    def test_each_recommends_what_is_loaded_when_it_is_needed(self):
        self.assertEqual(set(self.query("sluice", "--recommends").split()),
                         {*(f"{name}()(64bit)" for name in LOADED), "sluice-tools", "logrotate"})
        self.assertEqual(self.query("sluice-tools", "--recommends").split(), ["libsodium.so.23()(64bit)"])
        self.assertEqual(self.query("sluice-client-devel", "--recommends").split(), ["pkgconfig(libsodium)"])

    def test_those_that_were_part_of_sluice_conflict_with_it_as_it_was(self):
        for name in ("sluice-tools", "sluice-client-devel"):
            self.assertEqual(self.query(name, "--conflicts").strip(), "sluice < 0.2.0~")

    def test_none_can_be_moved_because_the_units_have_absolute_paths(self):
        for name in self.packages:
            self.assertEqual(self.query(name, "--queryformat", "%{PREFIXES}"), "(none)")


if __name__ == "__main__":
    need("cc", "ninja", "readelf")
    unittest.main()
