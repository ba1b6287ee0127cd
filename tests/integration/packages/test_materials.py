"""The bill of materials: it has the standard's format, and lists what the programs contain."""
import json
import re
import subprocess
import unittest

from packaging import BUILD, LOADED, OTHERS, PROGRAMS, SOURCE, need, needed_by, run
from spdx_reading import Materials, mistakes

DOCUMENT = BUILD / "sluice.spdx.json"

# Components that the compiler adds to each program.
COMPILERS = {"gcc", "glibc"}


def without(*path):
    """A function that removes one part of the document."""
    def change(document):
        *folders, name = path
        for folder in folders:
            document = document[folder]
        del document[name]
    return change


def changed(value, *path):
    def change(document):
        *folders, name = path
        for folder in folders:
            document = document[folder]
        document[name] = value
    return change


class Format(unittest.TestCase):
    def test_it_is_valid(self):
        self.assertEqual(list(mistakes(DOCUMENT.read_text(encoding="utf-8"))), [])

    def test_the_check_finds_each_kind_of_mistake(self):
        text = DOCUMENT.read_text(encoding="utf-8")
        for change in (
                without("spdxVersion"), without("documentNamespace"), without("creationInfo", "created"),
                without("packages", 0), without("packages", 0, "downloadLocation"),
                without("packages", 0, "SPDXID"), without("relationships", 0, "relationshipType"),
                changed("SPDX-2.2", "spdxVersion"), changed("MIT", "dataLicense"),
                changed("2026-11-29 10:00:00", "creationInfo", "created"),
                changed([], "creationInfo", "creators"), changed("x", "packages"),
                changed("Expat", "packages", 0, "licenseDeclared"),
                changed("MIT WITH luck", "packages", 0, "licenseConcluded"),
                changed("no", "packages", 0, "filesAnalyzed"), changed("1", "packages", 0, "versions"),
                changed("SPDXRef a", "packages", 0, "SPDXID"),
                changed("SPDXRef-sluice", "packages", 0, "SPDXID"),
                changed([{"algorithm": "SHA256", "checksumValue": "12"}], "packages", 0, "checksums"),
                changed("LINKS", "relationships", 0, "relationshipType"),
                changed("SPDXRef-gone", "relationships", 0, "relatedSpdxElement")):
            document = json.loads(text)
            change(document)
            self.assertNotEqual(list(mistakes(json.dumps(document))), [], change.__closure__)
        self.assertNotEqual(list(mistakes(text[:-3])), [])
        self.assertNotEqual(list(mistakes("[]")), [])


class Content(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.materials = Materials(DOCUMENT.read_text(encoding="utf-8"))
        cls.programs = [name for name in PROGRAMS if (BUILD / "bin" / name).exists()]

    def test_all_programs_are_in_it(self):
        self.assertEqual(self.materials.related("CONTAINS"), {f"program {name}" for name in self.programs})
        version = run(BUILD / "bin/sluice", "--version").split()[1]
        self.assertEqual(self.materials.package("sluice")["versionInfo"], version)

    def test_the_libraries_that_are_linked_in_are_those_that_the_program_names(self):
        """The versions that the libraries themselves report in the collector's --version."""
        said = run(BUILD / "bin/sluice", "--version")
        names = {"protobuf-c": r"^protobuf-c: (\S+)$", "zstd": r"\(libzstd (\S+)\)", "zlib": r"\(zlib (\S+)\)",
                 "libyaml": r"^configuration files: libyaml (\S+)$"}
        expected = {name: re.search(pattern, said, re.MULTILINE)[1] for name, pattern in names.items()
                    if re.search(pattern, said, re.MULTILINE)}
        self.assertEqual(self.materials.related("STATIC_LINK", "sluice"), {*expected, *COMPILERS})
        for name, version in expected.items():
            package = self.materials.package(name)
            self.assertRegex(package["versionInfo"], rf"^(\d+:)?(.*\+really)?{re.escape(version)}\b")
            self.assertEqual(len(package["checksums"]), 1)

    def test_each_library_that_is_linked_in_has_a_licence_and_a_version(self):
        for name in self.materials.related("STATIC_LINK"):
            with self.subTest(name):
                self.assertNotEqual(self.materials.package(name)["licenseDeclared"], "NOASSERTION")
                self.assertIn("versionInfo", self.materials.package(name))

    def test_the_shared_libraries_are_those_that_the_programs_name(self):
        for name in self.programs:
            self.assertEqual(self.materials.related("DYNAMIC_LINK", name), set(needed_by(BUILD / "bin" / name)))

    def test_the_libraries_that_are_opened_are_those_whose_headers_it_has_or_other_versions(self):
        opened = self.materials.related("OPTIONAL_DEPENDENCY_OF", "sluice")
        self.assertEqual(opened, {*LOADED, *OTHERS})
        text = run(BUILD / "bin/sluice", "--version")
        for scheme, library in (("tls", "libssl"), ("http", "libcurl"), ("kafka", "librdkafka"), ("nats", "libnats")):
            with self.subTest(library):
                self.assertEqual(f"\n{scheme}: none\n" not in text,
                                 any(name.startswith(f"{library}.so") for name in opened))

    def test_a_library_of_another_archive_is_named_without_a_licence(self):
        """A library without a row gets NOASSERTION, so that the test of licences fails when a
        program links it."""
        script = ("import components; print(components.component_of('/usr/lib/libother.a'),"
                  "components.component_of('sinks/libsluice_sinks.a'))")
        done = subprocess.run(["python3", "-B", "-c", script], cwd=SOURCE / "tools/packaging/sbom",
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "('libother.a', 'NOASSERTION') (None, None)\n")


if __name__ == "__main__":
    need("readelf")
    unittest.main()
