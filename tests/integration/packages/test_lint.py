"""The checkers of the distributions report no problem in the packages."""
import shutil
import unittest

from packaging import BUILD, SOURCE, PackageTest, packs, run


class Lint(PackageTest):
    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_reports_no_error_and_no_warning(self):
        made = packs(BUILD, "DEB", self.folder)
        self.assertEqual(run("lintian", "--allow-root", "--fail-on", "error,warning", *made.values()), "")

    @unittest.skipUnless(shutil.which("rpmlint") and shutil.which("rpmbuild"), "needs rpmlint and rpmbuild")
    def test_rpmlint_reports_no_error_and_no_warning(self):
        made = packs(BUILD, "RPM", self.folder)
        said = run("rpmlint", "--config", SOURCE / "tools/packaging/rpm/rpmlint.toml", *made.values())
        self.assertIn(" 3 packages and 0 specfiles checked; 0 errors, 0 warnings", said)


if __name__ == "__main__":
    unittest.main()
