"""The version of a source tree: from tags in a clone, from a file in an archive. Also the version
of packages."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from packaging import SOURCE, need, run

SCRIPT = SOURCE / "tools/cmake/Version.cmake"
UNTAGGED = re.search(r"SLUICE_UNTAGGED_VERSION (\S+)\)", SCRIPT.read_text(encoding="utf-8"))[1]
SEMANTIC = re.compile(  # semver.org's own expression, without its groups
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?")


class Files(unittest.TestCase):
    def test_files_that_users_copy_name_the_version(self):
        for name in ("compose.yaml", "kubernetes.yaml"):
            text = (SOURCE / "tools/packaging/container" / name).read_text(encoding="utf-8")
            self.assertEqual(re.findall(r"image: localhost/sluice:(.+)", text), [UNTAGGED], name)


class Version(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-test-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.clone = self.folder / "clone"
        shutil.copytree(SOURCE / "tools/cmake", self.clone / "tools/cmake")
        shutil.copy(SOURCE / ".gitattributes", self.clone)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments, folder=None):
        """Runs git without the settings of a user or machine. Returns its output."""
        return run("git", "-C", folder or self.clone, "-c", "user.name=T", "-c",
                   "user.email=t@example.org", *arguments, env=self.environment()).strip()

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "one more")

    def tag(self, name, *options):
        self.git("tag", *options, name)

    def archive(self):
        """A folder with the content of the archive that `git archive` makes."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        packed = folder / "archive.tar"
        self.git("archive", "--output", packed, "HEAD")
        run("tar", "-xf", packed, "-C", folder)
        return folder

    def found(self, folder=None, environment=None):
        """The result of Version.cmake: names and values."""
        folder = folder or self.clone
        done = subprocess.run([os.environ["CMAKE"], f"-DFOLDER={folder}", "-P",
                               folder / "tools/cmake/Version.cmake"], capture_output=True,
                              text=True, check=True, env=environment or self.environment())
        return dict(line.split("=", 1) for line in done.stderr.splitlines())

    def assert_version(self, expected, packaged=None):
        """Checks the version that Version.cmake finds in the clone, and in an archive of it."""
        packaged = packaged or expected
        moment = self.git("log", "-1", "--format=%ct")
        for folder in (self.clone, self.archive()):
            found = self.found(folder)
            self.assertRegex(found["VERSION"], rf"\A{SEMANTIC.pattern}\Z")
            self.assertEqual(found, {
                "VERSION": expected, "VERSION_DEB": packaged, "VERSION_RPM": packaged,
                "VERSION_NUMBERS": re.match(r"[0-9.]+", expected)[0], "SOURCE_TIME": moment})

    def hash(self):
        return self.git("rev-parse", "HEAD")[:12]

    def test_without_a_tag_it_is_the_one_that_is_written_down(self):
        self.assert_version(UNTAGGED)
        self.tag("nightly")
        self.tag("vnext")
        self.assert_version(UNTAGGED)

    def test_a_tagged_commit_has_the_tags(self):
        self.tag("v1.2.3")
        self.assert_version("1.2.3")

    def test_what_comes_after_it_says_how_many_commits_and_which(self):
        self.tag("v1.2.3", "--annotate", "--message", "1.2.3")
        self.commit()
        self.commit()
        self.tag("not-a-version")
        self.assert_version(f"1.2.3+2.g{self.hash()}")

    def test_a_pre_release_comes_before_the_release_in_packages(self):
        self.tag("v1.3.0-rc.1")
        self.assert_version("1.3.0-rc.1", "1.3.0~rc.1")
        self.commit()
        self.assert_version(f"1.3.0-rc.1+1.g{self.hash()}", f"1.3.0~rc.1+1.g{self.hash()}")

    def test_packages_order_them_as_they_came(self):
        need_dpkg = shutil.which("dpkg")
        if not need_dpkg:
            self.skipTest("needs dpkg")
        versions = []
        for tag in ("v1.3.0-rc.1", "v1.3.0-rc.2", "v1.3.0"):
            self.commit()
            self.tag(tag)
            versions.append(self.found()["VERSION_DEB"])
            for _ in range(10):
                self.commit()
                versions.append(self.found()["VERSION_DEB"])
        for before, after in zip(versions, versions[1:]):
            run("dpkg", "--compare-versions", before, "lt", after)

    def test_all_clones_of_a_commit_agree(self):
        self.tag("v1.2.3")
        self.commit()
        expected = self.found()
        other = self.folder / "other"
        self.git("clone", "--quiet", self.clone, other)
        self.git("config", "core.abbrev", "7", folder=other)
        self.assertEqual(self.found(other), expected)

    def test_a_clone_within_another_is_not_its_part(self):
        self.tag("v9.9.9")
        inner = self.clone / "sluice"
        shutil.copytree(SOURCE / "tools/cmake", inner / "tools/cmake")
        self.assertEqual(self.found(inner)["VERSION"], UNTAGGED)

    def test_a_source_without_git_and_without_its_words_builds(self):
        self.tag("v1.2.3")
        shutil.rmtree(self.clone / ".git")
        found = self.found(environment={**self.environment(), "PATH": "/nonexistent"})
        self.assertEqual((found["VERSION"], found["SOURCE_TIME"]), (UNTAGGED, ""))
        (self.clone / "tools/cmake/version.txt").unlink()
        self.assertEqual(self.found()["VERSION"], UNTAGGED)

    def test_the_program_has_the_version_of_its_source(self):
        found = self.found(SOURCE, environment=dict(os.environ))
        self.assertEqual(run(os.environ["SLUICE"], "--version").split()[1], found["VERSION"])


if __name__ == "__main__":
    need("git", "tar")
    unittest.main()
