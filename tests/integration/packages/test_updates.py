"""The statically linked libraries are the newest of Debian, including security updates.

The versions come from the bill of materials. If Debian's archive cannot be reached, the test is
skipped."""
import os
import pathlib
import re
import subprocess
import unittest

from built import skip
from spdx_reading import Materials

BUILD = pathlib.Path(os.environ["TEST_BUILD"])
SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
DOCUMENT = BUILD / "sluice.spdx.json"


def linked(materials):
    """The Debian source packages whose code is in the programs, with their versions."""
    found = {}
    for name in materials.related("STATIC_LINK"):
        for reference in materials.package(name).get("externalRefs", []):
            package = re.match(r"pkg:deb/debian/([^@]+)@", reference["referenceLocator"])[1]
            found[package.replace("%2B", "+")] = materials.package(name)["versionInfo"]
    return found


def newest(packages):
    """The newest version of each package in the archive, or None if it cannot be reached."""
    done = subprocess.run([SOURCE / "tools/fetch-source", "--newest", *sorted(packages)],
                          capture_output=True, text=True, check=False)
    return dict(line.split() for line in done.stdout.splitlines()) if done.returncode == 0 else None


def without_epoch(version):
    return re.sub(r"^\d+:", "", version)


def outdated(used, offered):
    """A line for each package that has a newer version in the archive."""
    return [f"{package} {version} is linked in; Debian has {offered[package]}"
            for package, version in sorted(used.items())
            if subprocess.run(["dpkg", "--compare-versions", without_epoch(version), "lt",
                               without_epoch(offered[package])], check=False).returncode == 0]


class Updates(unittest.TestCase):
    def test_an_older_version_is_reported(self):
        self.assertEqual(outdated({"a": "1.5.4+dfsg2-5", "b": "1:2-1"},
                                  {"a": "1.5.4+dfsg2-5+deb12u1", "b": "1:2-1"}),
                         ["a 1.5.4+dfsg2-5 is linked in; Debian has 1.5.4+dfsg2-5+deb12u1"])

    def test_each_library_is_the_newest(self):
        used = linked(Materials(DOCUMENT.read_text(encoding="utf-8")))
        self.assertIn("libzstd", used)
        self.assertEqual(outdated(used, OFFERED), [], "update them and build again")


if __name__ == "__main__":
    OFFERED = newest(linked(Materials(DOCUMENT.read_text(encoding="utf-8"))))
    if OFFERED is None:
        skip("Debian's archive cannot be reached")
    unittest.main()
