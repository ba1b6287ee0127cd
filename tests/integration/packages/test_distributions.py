"""tools/distributions: the recipes name its archive, the version and the checksum."""
import hashlib
import pathlib
import re
import runpy
import subprocess
import sys
import tarfile
import tempfile
import unittest

from distributions import HOME, PUBLISHED, TOOL, makes, need_clone, version
from packaging import SOURCE, need, run

RECIPES = ("APKBUILD", "PKGBUILD", "sluice.rb")


class Distributions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = makes(pathlib.Path(cls.scratch.name, "made"), PUBLISHED)
        cls.archive, = cls.folder.glob("*.tar.gz")
        cls.recipes = {name: (cls.folder / name).read_text(encoding="utf-8") for name in RECIPES}

    def value(self, recipe, name):
        return re.search(rf"^\s*{name}[ =]['\"]?([^'\"\n]+)", self.recipes[recipe], re.MULTILINE)[1]

    def test_all_name_the_version_of_the_project(self):
        self.assertEqual(self.archive.name, f"sluice-{version()}.tar.gz")
        self.assertEqual(self.value("PKGBUILD", "_version"), version())
        self.assertEqual(self.value("APKBUILD", "_version"), version())
        self.assertEqual(self.value("sluice.rb", "url"), f"{PUBLISHED}/{self.archive.name}")
        self.assertEqual(self.value("PKGBUILD", "pkgver"), self.value("APKBUILD", "pkgver"))

    def test_all_name_the_checksum_of_the_archive(self):
        content = self.archive.read_bytes()
        self.assertEqual(self.value("sluice.rb", "sha256"), hashlib.sha256(content).hexdigest())
        self.assertIn(f"sha256sums=('{hashlib.sha256(content).hexdigest()}')", self.recipes["PKGBUILD"])
        self.assertIn(f"\n{hashlib.sha512(content).hexdigest()}  {self.archive.name}\n", self.recipes["APKBUILD"])

    def test_all_name_the_home_of_the_project_and_the_place_of_the_archive(self):
        for name, key in (("APKBUILD", "url"), ("PKGBUILD", "url"), ("sluice.rb", "homepage")):
            self.assertEqual(self.value(name, key), HOME)
        for text in self.recipes.values():
            self.assertIn(f"{PUBLISHED}/sluice-", text)
            self.assertNotRegex(text, r"@[A-Z0-9_]+@")

    def test_the_archive_has_the_files_of_the_commit_and_knows_its_version(self):
        with tarfile.open(self.archive) as archive:
            folder = f"sluice-{version()}"
            names = {name.removeprefix(f"{folder}/") for name in archive.getnames()}
            described = archive.extractfile(f"{folder}/tools/cmake/version.txt").read()
        committed = run("git", "-C", SOURCE, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")
        self.assertLessEqual(set(filter(None, committed)), names)
        self.assertNotIn(b"$Format", described)

    def test_the_same_commit_makes_the_same_files(self):
        again = makes(self.folder.with_name("again"), PUBLISHED)
        for path in self.folder.iterdir():
            self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_versions_sort_as_each_distribution_does(self):
        tool = runpy.run_path(str(TOOL))
        for project, arch, alpine in (("1.2.3", "1.2.3", "1.2.3"), ("1.3.0-rc.1", "1.3.0rc.1", "1.3.0_rc1"),
                                      ("1.2.3+4.g0123456789ab", "1.2.3+4.g0123456789ab", "1.2.3_p4"),
                                      ("1.3.0-beta+2.g0123456789ab", "1.3.0beta+2.g0123456789ab", "1.3.0_beta_p2")):
            self.assertEqual((tool["arch_version"](project), tool["alpine_version"](project)), (arch, alpine))
        with self.assertRaisesRegex(tool["Refused"], "Alpine has no name for the version"):
            tool["alpine_version"]("1.3.0-preview.x")

    def test_wrong_use_is_refused(self):
        for words, reason in (([], "required: --home, --url"), (["--home", HOME, "--url", "here", "x"], "--url here")):
            done = subprocess.run([sys.executable, TOOL, *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 64)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    need("cmake")
    need_clone()
    unittest.main()
