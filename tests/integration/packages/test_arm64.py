"""The packages for arm64 that this machine builds must equal its own packages, except for the
machine."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from binary_reading import missing, read
from built import skip
from packaging import BUILD, PROGRAMS, SOURCE, PackageTest, arm64_build, files_below, need, pack, packs, run
from sluice_program import SLUICE

AARCH64 = 183  # e_machine in ELF
SYSROOT = SOURCE / "build/sysroot/arm64"
IMAGE = SOURCE / "tools" / "image"


def under_qemu(root, program, *arguments):
    """Runs a program with the loader and libraries of a folder."""
    return run("qemu-aarch64-static", "-L", root, program, *arguments)


def shown(package, field):
    return run("dpkg-deb", "--field", package, field).strip()


class Made(PackageTest):
    """Packages for both machines."""
    kind = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = arm64_build() / f"made-{cls.kind}"
        shutil.rmtree(cls.made, ignore_errors=True)
        cls.here = packs(BUILD, cls.kind, cls.made / "here")
        cls.there = packs(arm64_build(), cls.kind, cls.made / "there")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made, ignore_errors=True)
        super().tearDownClass()

    def check_program(self, program):
        self.assertEqual(read(program).machine, AARCH64, program)
        if os.environ["TEST_HARDENED"] == "ON":
            self.assertEqual(missing(program), [], program)
        if program.suffix != ".a":
            self.assertIn("interpreter: /lib/ld-linux-aarch64.so.1]", run("readelf", "--program-headers", "--wide", program))


class Deb(Made):
    kind = "DEB"

    def test_each_differs_in_nothing_but_its_architecture(self):
        self.assertEqual(set(self.here), set(self.there))
        self.assertEqual(len(self.there), 4)
        for name, package in self.there.items():
            architecture = "all" if name.startswith("python3-") else "arm64"
            self.assertEqual(shown(package, "Architecture"), architecture)
            self.assertTrue(package.name.endswith(f"_{architecture}.deb"), package.name)
            for field in ("Version", "Depends", "Recommends", "Suggests", "Conflicts", "Breaks", "Replaces", "Description"):
                self.assertEqual(shown(package, field), shown(self.here[name], field), f"{name}: {field}")

    def test_their_programs_are_for_that_machine_and_run(self):
        root = self.folder / "root"
        for name, package in self.there.items():
            run("dpkg-deb", "--extract", package, root)
            run("dpkg-deb", "--extract", self.here[name], self.folder / "here")
        self.assertEqual(files_below(root), files_below(self.folder / "here"))
        for name in PROGRAMS:
            self.check_program(root / "usr/bin" / name)
        self.assertEqual(under_qemu(SYSROOT, root / "usr/bin/sluice", "--version").splitlines()[0],
                         run(SLUICE, "--version").splitlines()[0])

    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_reports_no_error_and_no_warning(self):
        self.assertEqual(run("lintian", "--allow-root", "--fail-on", "error,warning", *self.there.values()), "")


@unittest.skipUnless(shutil.which("rpmbuild"), "needs rpmbuild")
class Rpm(Made):
    kind = "RPM"

    def test_each_is_for_that_machine_and_requires_what_the_other_one_does(self):
        self.assertEqual(set(self.here), set(self.there))
        for name, package in self.there.items():
            self.assertEqual(run("rpm", "--query", "--queryformat", "%{ARCH}", "--package", package), "aarch64")
            self.assertTrue(package.name.endswith(".aarch64.rpm"), package.name)
            self.assertEqual(self.needs(package), self.needs(self.here[name]), name)

    @staticmethod
    def needs(package):
        """The package's requirements, without the loader and symbol versions, which differ between
        machines."""
        listed = run("rpm", "--query", "--requires", "--recommends", "--package", package).splitlines()
        return {line for line in listed if "GLIBC_" not in line and not line.startswith("ld-linux")}


class Archive(Made):
    kind = "TGZ"

    def test_its_program_runs(self):
        package, = self.there.values()
        self.assertRegex(package.name, r"^sluice-.+-linux-aarch64\.tar\.gz$")
        run("tar", "--extract", "--file", package, "--directory", self.folder)
        root = self.folder / package.name.removesuffix(".tar.gz")
        for name in PROGRAMS:
            self.check_program(root / "bin" / name)
        under_qemu(SYSROOT, root / "bin/sluice", "--check", "--config", root / "share/doc/sluice/examples/riemann-to-stdout.yaml")

    def blob(self, descriptor):
        return (self.folder / "image/blobs" / descriptor["digest"].replace(":", "/")).read_bytes()

    def test_one_image_has_a_list_of_which_each_machine_takes_its_own(self):
        run(sys.executable, IMAGE, *self.here.values(), *self.there.values(), self.folder / "image")
        listed, = json.loads((self.folder / "image/index.json").read_text(encoding="ascii"))["manifests"]
        self.assertEqual(listed["mediaType"], "application/vnd.oci.image.index.v1+json")
        found = {}
        for descriptor in json.loads(self.blob(listed))["manifests"]:
            manifest = json.loads(self.blob(descriptor))
            configuration = json.loads(self.blob(manifest["config"]))
            machine = configuration["architecture"]
            self.assertEqual(descriptor["platform"], {"architecture": machine, "os": "linux"})
            layer, = manifest["layers"]
            plain = self.folder / machine
            plain.with_suffix(".tar").write_bytes(gzip.decompress(self.blob(layer)))
            plain.mkdir()
            run("tar", "--extract", "--no-same-owner", "--file", plain.with_suffix(".tar"), "--directory", plain)
            found[machine] = {str(path.relative_to(plain)) for path in plain.rglob("*") if path.is_file()}
        self.assertEqual(set(found), {"amd64", "arm64"})
        self.assertEqual(*(names_of(found[machine]) for machine in found))
        self.check_program(self.folder / "arm64/usr/bin/sluice")
        self.assertIn("sluice", under_qemu(self.folder / "arm64", self.folder / "arm64/usr/bin/sluice", "--version"))

    def test_archives_that_do_not_make_one_image_are_refused(self):
        here, = self.here.values()
        other = shutil.copy(*self.there.values(), self.folder / "sluice-9-linux-aarch64.tar.gz")
        for archives in ((here, here), (here, other)):
            done = subprocess.run([sys.executable, IMAGE, *archives, self.folder / "image"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertIn("one version, each for another machine", done.stderr)


def names_of(files):
    """The names of an image's files, independent of the machine: library folders are normalised,
    and the loader is omitted."""
    return {re.sub(r"^(usr/)?lib/(aarch64|x86_64)-linux-gnu", "LIB", name) for name in files if not re.search(r"/ld-linux", name)}


if __name__ == "__main__":
    need("aarch64-linux-gnu-gcc", "dpkg-deb", "dpkg-shlibdeps", "file", "qemu-aarch64-static")
    if os.uname().machine != "x86_64":
        skip("compares with packages for x86-64")
    unittest.main()
