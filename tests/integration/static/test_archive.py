"""Tests the archive of static programs: its contents, and that the programs need no other file. It
contains the tested programs. The preset static-package compiles the same ones without symbols."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from binary_reading import missing
from packaging import DOCUMENTS, PAGES, SHARED, SOURCE, PackageTest, files_below, need, needed_by, pack, run
from spdx_reading import Materials

BUILD = pathlib.Path(os.environ["TEST_BUILD"])
PROGRAMS = ["sluice", "sluice-decode", "sluice-replay", "sluice-send"]


class Archive(PackageTest):
    """One archive for all tests. They do not change it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = BUILD / "package-test-static"
        shutil.rmtree(cls.made, ignore_errors=True)
        cls.archive = pack(BUILD, "TGZ", cls.made)
        run("tar", "--extract", "--file", cls.archive, "--directory", cls.made)
        cls.root = cls.made / cls.archive.name.removesuffix(".tar.gz")
        cls.programs = [cls.root / "bin" / name for name in PROGRAMS]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def licenses(self):
        return {path.stem for path in (self.root / DOCUMENTS / "licenses").iterdir()}

    def test_what_is_in_it(self):
        expected = [f"{DOCUMENTS}/{name}" for name in ("LICENSE", "copyright", *PAGES)]
        expected += [f"{DOCUMENTS}/examples/{name}" for name in (
            "logrotate", "sluice-buffers.conf", "sluice-otlp.socket", "sluice-tcp.socket",
            "sluice.service", "sluice.socket", "sluice.yaml", "sysctl.conf", "tmpfiles.conf")]
        expected += [f"{DOCUMENTS}/licenses/{name}.txt" for name in self.licenses()]
        expected += ["share/man/man5/sluice.yaml.5", *SHARED]
        for name in PROGRAMS:
            expected += [f"bin/{name}", f"share/man/man1/{name}.1", f"share/bash-completion/completions/{name}",
                         f"share/zsh/site-functions/_{name}", f"share/fish/vendor_completions.d/{name}.fish"]
        self.assertEqual(files_below(self.root), sorted(expected))
        self.assertRegex(self.root.name, r"^sluice-\d.*-linux-\w+-static$")

    def test_the_programs_need_no_library_and_are_hardened_and_stripped(self):
        for program in self.programs:
            self.assertEqual(needed_by(program), [])
            self.assertEqual(missing(program), [], program)
            self.assertNotIn(".symtab", run("readelf", "--wide", "--sections", program))

    def test_what_is_sent_to_it_is_in_the_file_after_a_stop(self):
        self.collects(self.root / "bin", self.root / DOCUMENTS / "examples/sluice.yaml", self.folder)

    def test_each_library_that_is_linked_in_has_its_license_and_a_paragraph_in_the_copyright_file(self):
        copyright_file = (SOURCE / "tools/packaging/copyright").read_text(encoding="utf-8")
        self.assertLessEqual({"musl", "protobuf-c"}, self.licenses())
        for library in self.licenses():
            self.assertIn(f"\nFiles: {library}/*\n", copyright_file)

    def test_its_bill_of_materials_has_the_libraries_with_the_licenses(self):
        materials = Materials((self.root / DOCUMENTS / "sluice.spdx.json").read_text(encoding="utf-8"))
        self.assertEqual(materials.related("STATIC_LINK"), {*self.licenses(), "gcc"})
        for name in self.licenses():
            self.assertIn("versionInfo", materials.package(name))
        self.assertEqual(materials.related("DYNAMIC_LINK"), set())
        self.assertEqual(materials.related("OPTIONAL_DEPENDENCY_OF"), set())

    def test_its_image_has_no_library(self):
        layout = self.folder / "layout"
        run(sys.executable, SOURCE / "tools/image", self.archive, layout)
        layer = max(layout.glob("blobs/sha256/*"), key=lambda blob: blob.stat().st_size)
        with tarfile.open(layer) as layer:
            files = [entry.name for entry in layer if entry.isfile()]
        self.assertEqual([name for name in files if not name.startswith(f"usr/{DOCUMENTS}/")],
                         ["etc/group", "etc/passwd", "etc/sluice/sluice.yaml", "usr/bin/sluice"])
        self.assertLessEqual({f"usr/{DOCUMENTS}/licenses/{name}.txt" for name in self.licenses()}, set(files))

    def test_each_program_starts_in_an_empty_environment_and_has_the_version(self):
        version = re.match(r"sluice-(.*)-linux-", self.root.name)[1]
        for program in self.programs:
            said = subprocess.run([program, "--version"], env={}, capture_output=True, text=True, check=True)
            self.assertIn(f"{program.name} {version}", said.stdout)


if __name__ == "__main__":
    need("readelf")
    unittest.main()
