"""A build is packed to the same bytes in any folder, at any time, in any time zone and language, and with any mask
of file modes."""
import os
import shutil
import subprocess
import unittest

from packaging import BUILD, PackageTest, need

# The differences: the folder, the environment, and the mask of file modes.
PLACES = (("a", {"TZ": "UTC", "LC_ALL": "C.UTF-8"}, 0o022),
          ("with/a-longer-name", {"TZ": "Pacific/Kiritimati", "LC_ALL": "C"}, 0o077))


class Reproducible(PackageTest):
    def packed(self, generator, place):
        name, environment, mask = place
        if generator == "DEB":
            mask = 0o022  # CPack gives the members of the outer archive the rights that the mask leaves
        folder = self.folder / name / generator
        environment = {**os.environ, **environment}
        environment.pop("SOURCE_DATE_EPOCH", None)
        subprocess.run([os.environ["CPACK"], "--config", BUILD / "CPackConfig.cmake", "-G", generator, "-B", folder],
                       env=environment, umask=mask, stdin=subprocess.DEVNULL, capture_output=True, check=True)
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


if __name__ == "__main__":
    need("dpkg-deb", "dpkg-shlibdeps")
    unittest.main()
