"""tools/repository: the lists name the given packages and are signed, and a published version never
changes."""
import gzip
import hashlib
import pathlib
import re
import subprocess
import tempfile
import unittest

from packaging import PackageTest, need, run
from readme import commands
from repositories import DOCUMENT, TOOL, WHO, Key

USAGE, BAD_INPUT = 64, 65


def small_deb(folder, name="small", version="1.0", machine="amd64", text="x"):
    """A package of one file."""
    root = folder / f"{name}-{version}-{machine}-{text}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {machine}\nMaintainer: M <m@example.org>\n"
        "Description: small\n", encoding="ascii")
    (root / "file").write_text(text, encoding="ascii")
    package = folder / f"{root.name}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, package)
    return package


class Apt(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = tempfile.TemporaryDirectory()
        cls.key = Key(pathlib.Path(cls.keys.name, "key"))

    @classmethod
    def tearDownClass(cls):
        cls.key.end()
        cls.keys.cleanup()
        super().tearDownClass()

    def publish(self, *packages, status=0, **more):
        done = self.key.publish(self.folder / "served", *packages, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def listed(self, machine):
        text = (self.folder / f"served/deb/dists/stable/main/binary-{machine}/Packages").read_text(encoding="utf-8")
        return re.findall(r"^Package: (.+)\nVersion: (.+)", text, re.MULTILINE)

    def test_each_machine_gets_its_packages_and_those_for_all_in_every_version(self):
        self.publish(small_deb(self.folder), small_deb(self.folder, machine="arm64"),
                     small_deb(self.folder, "common", machine="all"))
        self.publish(small_deb(self.folder, version="2.0"))
        self.assertEqual(sorted(self.listed("amd64")), [("common", "1.0"), ("small", "1.0"), ("small", "2.0")])
        self.assertEqual(sorted(self.listed("arm64")), [("common", "1.0"), ("small", "1.0")])

    def test_the_signed_text_has_the_checksum_of_each_list(self):
        self.publish(small_deb(self.folder))
        folder = self.folder / "served/deb/dists/stable"
        ring = self.folder / "ring.gpg"
        run("gpg", "--batch", "--dearmor", "--output", ring, self.folder / "served/sluice.asc", env=self.key.environment)
        text = run("gpgv", "--keyring", ring, "--output", "-", folder / "InRelease")
        run("gpgv", "--keyring", ring, folder / "Release.gpg", folder / "Release")
        self.assertEqual(text, (folder / "Release").read_text(encoding="utf-8"))
        lists = re.findall(r"^ ([0-9a-f]{64}) (\d+) (.+)$", text, re.MULTILINE)
        self.assertEqual(len(lists), 2)
        for digest, size, name in lists:
            content = (folder / name).read_bytes()
            self.assertEqual((hashlib.sha256(content).hexdigest(), len(content)), (digest, int(size)))
            self.assertEqual((folder / name).parent.joinpath("by-hash/SHA256", digest).read_bytes(), content)
        packed, plain = (folder / "main/binary-amd64" / name for name in ("Packages.gz", "Packages"))
        self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())

    def test_lists_that_a_client_may_be_reading_stay(self):
        self.publish(small_deb(self.folder))
        before = set((self.folder / "served").rglob("by-hash/SHA256/*"))
        self.publish(small_deb(self.folder, version="2.0"))
        after = set((self.folder / "served").rglob("by-hash/SHA256/*"))
        self.assertEqual((len(before), len(after)), (2, 4))
        self.assertLess(before, after)

    def test_a_version_is_published_once(self):
        package = small_deb(self.folder)
        self.publish(package)
        self.publish(package)
        place = self.folder / "served/deb/pool/main/small/small_1.0_amd64.deb"
        self.assertIn("is another file of that version",
                      self.publish(small_deb(self.folder, text="y"), status=BAD_INPUT))
        self.assertEqual(place.read_bytes(), package.read_bytes())
        self.assertEqual([path.name for path in place.parent.iterdir()], [place.name])

    def test_clients_find_the_folder_by_the_url_that_was_given(self):
        self.publish(small_deb(self.folder), url="https://packages.example.org/")
        self.publish(small_deb(self.folder, version="2.0"))
        served = self.folder / "served"
        self.assertIn("URIs: https://packages.example.org/deb\n", (served / "sluice.sources").read_text())
        self.assertIn("baseurl=https://packages.example.org/rpm/$basearch\n", (served / "sluice.repo").read_text())

    def test_the_command_of_the_document_publishes(self):
        line, = (line for document, line in commands() if document == DOCUMENT and "tools/repository" in line)
        made = self.folder / "build/package"
        made.mkdir(parents=True)
        small_deb(made)
        tool, *words = line.replace("/srv/packages", "served").replace(" build/portable/*.rpm", "").split()
        self.assertEqual(tool, "./tools/repository")
        run("sh", "-c", f"{TOOL} {' '.join(words)}", cwd=self.folder, env=self.key.environment)
        self.assertEqual(self.listed("amd64"), [("small", "1.0")])

    def test_wrong_input_is_refused_with_its_reason(self):
        package = small_deb(self.folder)
        self.assertIn("No secret key", self.publish(package, key="nobody@example.org", status=BAD_INPUT))
        other = self.folder / "notes.txt"
        other.write_text("x", encoding="ascii")
        self.assertIn("not a .deb or .rpm file", self.publish(other, status=BAD_INPUT))
        self.assertIn("not a .deb or .rpm file", self.publish(self.folder / "gone.deb", status=BAD_INPUT))
        broken = self.folder / "broken.deb"
        broken.write_text("x", encoding="ascii")
        self.assertIn("dpkg-deb", self.publish(broken, status=BAD_INPUT))
        done = subprocess.run([TOOL, "--key", WHO], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("usage: tools/repository", done.stderr)


if __name__ == "__main__":
    need("dpkg-deb", "dpkg-scanpackages", "gpg", "gpgv")
    unittest.main()
