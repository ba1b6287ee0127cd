"""A commit is built and packed to the same bytes in any folder, at any time, in any time zone and
language, and with any umask."""
import os
import pathlib
import shutil
import subprocess
import unittest

from packaging import BUILD, PROGRAMS, SOURCE, PackageTest, need, packs

# They differ in the folder, the environment, and the umask.
PLACES = (("a", {"TZ": "UTC", "LC_ALL": "C.UTF-8"}, 0o022),
          ("with/a-longer-name", {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"}, 0o077))


def environment_of(place):
    environment = {**os.environ, **place[1], "CCACHE_DISABLE": "1"}
    for name in ("SOURCE_DATE_EPOCH", "CMAKE_C_COMPILER_LAUNCHER"):
        environment.pop(name, None)
    return environment


class Packed(PackageTest):
    """One build, packed twice."""

    def packed(self, generator, place):
        name, _, mask = place
        if generator == "DEB":
            mask = 0o022  # CPack gives the members of the outer archive modes that depend on the umask
        folder = self.folder / name / generator
        subprocess.run([os.environ["CPACK"], "--config", BUILD / "CPackConfig.cmake", "-G", generator, "-B", folder],
                       env=environment_of(place), umask=mask, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return sorted(path for path in folder.iterdir() if path.is_file())

    def assert_same(self, generator):
        firsts, seconds = (self.packed(generator, place) for place in PLACES)
        self.assertEqual([path.name for path in firsts], [path.name for path in seconds])
        for first, second in zip(firsts, seconds):
            self.assertTrue(first.read_bytes() == second.read_bytes(), f"{first} and {second} differ")

    def test_the_debs(self):
        self.assert_same("DEB")

    def test_the_archive(self):
        self.assert_same("TGZ")

    @unittest.skipUnless(shutil.which("rpmbuild"), "needs rpmbuild")
    def test_the_rpms(self):
        self.assert_same("RPM")


@unittest.skipUnless(shutil.which("git") and (SOURCE / ".git").exists(), "needs git, and a clone")
class Compiled(PackageTest):
    """The commit, compiled twice: from clones in two folders, with different numbers of jobs."""

    def built(self, place, jobs):
        name, _, mask = place
        source = self.folder / name / "source"
        more = {"env": environment_of(place), "umask": mask, "stdin": subprocess.DEVNULL, "capture_output": True,
                "check": True}
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", SOURCE, source], **more)
        more["cwd"] = source
        subprocess.run([os.environ["CMAKE"], "--preset", "package"], **more)
        # At low priority, because concurrent tests have time limits.
        subprocess.run(["nice", "-n", "10", os.environ["CMAKE"], "--build", "--preset", "package", "--parallel", jobs],
                       **more)
        return source / "build" / "package"

    def test_programs_and_packages_are_the_same(self):
        builds = [self.built(place, jobs) for place, jobs in zip(PLACES, ("2", "3"))]
        different = [name for name in PROGRAMS
                     if len({pathlib.Path(build, "bin", name).read_bytes() for build in builds}) != 1]
        self.assertEqual(different, [])
        firsts, seconds = (packs(build, "DEB", build / "made") for build in builds)
        self.assertEqual(sorted(firsts), sorted(seconds))
        self.assertEqual([name for name in firsts if firsts[name].read_bytes() != seconds[name].read_bytes()], [])


if __name__ == "__main__":
    need("dpkg-deb", "dpkg-shlibdeps")
    unittest.main()
