"""The Debian packages: their content, their control fields, and that the installed programs work."""
import os
import pathlib
import re
import shutil
import sys
import unittest

from binary_reading import missing
from packaging import (BUILD, CLIENT_C, DOCUMENTS, LOADED, MODULES, PAGES, PROGRAMS, SHARED, TOOLS, PackageTest,
                       files_below, need, packs, run)
from readme import from_readme
from sluice_program import TELEMETRY
from spdx_reading import Materials

MOMENT = 1790000000
SCRIPTS = ("postinst", "postrm", "prerm")


SECTIONS = {"sluice-collector": "net", "sluice-tools": "net", "libsluice-client-dev": "libdevel",
            "python3-sluice-client": "python"}


def packages_of(libraries):
    """The Debian packages that contain these libraries. Their names differ between releases:
    libssl3 is libssl3t64 in Debian 13."""
    listed = run("/sbin/ldconfig", "-p")
    paths = [re.search(rf"\t{re.escape(name)} .* => (/\S+)", listed)[1] for name in libraries]
    return {run("dpkg-query", "--search", f"*{path.removeprefix('/usr')}").split(":")[0]
            for path in paths}


def of_program(name):
    """The files of one program, below /usr."""
    return [f"bin/{name}", f"share/man/man1/{name}.1.gz", f"share/bash-completion/completions/{name}",
            f"share/zsh/vendor-completions/_{name}", f"share/fish/vendor_completions.d/{name}.fish"]


def names(relation):
    """The packages that a control field names, without versions and alternatives."""
    return {each.split()[0].split(":")[0] for each in relation.split(",")} if relation else set()


class Package(PackageTest):
    """The packages for all tests, which do not change them. They are unpacked over each other, as
    on a machine that has all."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = BUILD / "package-test"
        shutil.rmtree(cls.made, ignore_errors=True)
        cls.packages = packs(BUILD, "DEB", cls.made, MOMENT)
        cls.root = cls.made / "root"
        cls.files, cls.controls = {}, {}
        for name, path in cls.packages.items():
            alone = cls.made / name
            run("dpkg-deb", "--raw-extract", path, alone)
            cls.controls[name] = alone / "DEBIAN"
            cls.files[name] = [file for file in files_below(alone) if not file.startswith("DEBIAN/")]
            run("dpkg-deb", "--extract", path, cls.root)
        cls.control = cls.controls["sluice-collector"]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made, ignore_errors=True)
        super().tearDownClass()

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.packages[package], name).strip()

    def test_each_says_what_it_is(self):
        version = run(os.environ["SLUICE"], "--version").split()[1].replace("-", "~")
        machine = run("dpkg", "--print-architecture").strip()
        self.assertEqual(set(self.packages), set(SECTIONS))
        synopses = set()
        for name, section in SECTIONS.items():
            with self.subTest(package=name):
                architecture = "all" if name.startswith("python3-") else machine
                for field, value in (("Package", name), ("Version", version), ("Section", section),
                                     ("Architecture", architecture)):
                    self.assertEqual(self.field(name, field), value)
                self.assertEqual(self.packages[name].name, f"{name}_{version}_{architecture}.deb")
                synopsis, *text = self.field(name, "Description").splitlines()
                self.assertGreater(len(text), 2)
                self.assertNotIn(synopsis, "\n".join(text))
                synopses.add(synopsis)
        self.assertEqual(len(synopses), len(SECTIONS))

    def test_each_depends_on_what_it_always_needs_and_recommends_what_it_may_load(self):
        self.assertEqual(names(self.field("sluice-collector", "Depends")), {"init-system-helpers", "libc6"})
        self.assertEqual(names(self.field("sluice-collector", "Recommends")), {*packages_of(LOADED), "sluice-tools", "logrotate"})
        self.assertRegex(self.field("sluice-collector", "Depends"), r"\blibc6 \(>= 2\.\d+\)")
        self.assertRegex(self.field("sluice-tools", "Depends"), r"\blibc6 \(>= 2\.\d+\)")
        self.assertNotIn("sluice-collector", names(self.field("sluice-tools", "Depends")))
        self.assertEqual(names(self.field("sluice-tools", "Recommends")), {"libsodium23"})
        self.assertEqual(names(self.field("libsluice-client-dev", "Depends")), {"libc6-dev"})
        self.assertEqual(names(self.field("libsluice-client-dev", "Recommends")), {"libsodium-dev"})
        self.assertEqual(self.field("python3-sluice-client", "Depends"), "python3:any (>= 3.9)")
        self.assertEqual(names(self.field("python3-sluice-client", "Recommends")), {"python3-nacl"})

    def test_it_is_not_upgraded_to_the_other_program_that_debian_calls_sluice(self):
        self.assertNotIn("sluice", self.packages)
        for field in ("Conflicts", "Replaces"):
            self.assertEqual(self.field("sluice-collector", field), "sluice")

    def test_each_takes_its_files_from_the_versions_in_which_sluice_had_them(self):
        for name in ("sluice-tools", "libsluice-client-dev"):
            for field in ("Breaks", "Replaces"):
                self.assertEqual(self.field(name, field), "sluice (<< 0.2.0~)")

    def test_what_is_in_each(self):
        tools = [name for name in TOOLS if f"usr/bin/{name}" in self.files["sluice-tools"]
                 or name != "sluice-top"]
        expected = {
            "sluice-collector": [
                "etc/logrotate.d/sluice", "etc/sluice/sluice.yaml",
                "usr/lib/systemd/system/sluice-otlp.socket", "usr/lib/systemd/system/sluice-tcp.socket",
                "usr/lib/systemd/system/sluice.service", "usr/lib/systemd/system/sluice.socket",
                "usr/lib/tmpfiles.d/sluice.conf", *(f"usr/{DOCUMENTS}/{page}" for page in PAGES),
                f"usr/{DOCUMENTS}/examples/sluice-buffers.conf", f"usr/{DOCUMENTS}/examples/sysctl.conf",
                "usr/share/lintian/overrides/sluice-collector", "usr/share/man/man5/sluice.yaml.5.gz",
                *(f"usr/{path}" for path in [*SHARED, *of_program("sluice")])],
            "sluice-tools": [f"usr/{path}" for name in tools for path in of_program(name)],
            "libsluice-client-dev": ["usr/share/man/man3/sluice-client.3.gz",
                                     *(f"usr/{path}" for path in CLIENT_C)],
            "python3-sluice-client": [f"usr/lib/python3/dist-packages/{name}" for name in MODULES]}
        for name, files in expected.items():
            with self.subTest(package=name):
                own = [f"usr/share/doc/{name}/{each}" for each in ("changelog.gz", "copyright")]
                self.assertEqual(self.files[name], sorted(files + own))

    def test_the_newest_entry_of_the_changelog_is_no_newer_than_the_package(self):
        path = self.root / "usr/share/doc/sluice-collector/changelog.gz"
        newest = run("dpkg-parsechangelog", "--file", path, "--show-field", "Version").strip()
        run("dpkg", "--compare-versions", newest, "le", self.field("sluice-collector", "Version"))

    @unittest.skipUnless(os.environ["TEST_HARDENED"] == "ON", "built with SLUICE_HARDENED=OFF")
    def test_its_programs_are_hardened(self):
        for name in PROGRAMS:
            self.assertEqual(missing(self.root / "usr/bin" / name), [], name)

    def test_its_bill_of_materials_is_valid(self):
        materials = Materials((self.root / "usr" / DOCUMENTS / "sluice.spdx.json").read_text())
        self.assertIn("zstd", materials.related("STATIC_LINK", "sluice"))
        self.assertIn("libssl.so.3", materials.related("OPTIONAL_DEPENDENCY_OF", "sluice"))

    def test_what_an_administrator_changes_stays(self):
        self.assertEqual((self.control / "conffiles").read_text().split(),
                         ["/etc/logrotate.d/sluice", "/etc/sluice/sluice.yaml"])

    def test_its_scripts_are_sound_and_start_nothing_by_themselves(self):
        for name in ("postinst", "prerm"):
            run("sh", "-n", self.controls["python3-sluice-client"] / name)
        for name in SCRIPTS:
            run("sh", "-n", self.control / name)
            text = re.sub(r"^#.*", "", (self.control / name).read_text(), flags=re.MULTILINE)
            self.assertNotRegex(text, r"systemctl (enable|start)|deb-systemd-invoke (re)?start", name)
        enabled = re.findall(r".*\n.*deb-systemd-helper enable",
                             (self.control / "postinst").read_text())
        self.assertEqual(len(enabled), 1)
        self.assertIn("was-enabled", enabled[0])

    def test_the_scripts_run_where_no_systemd_does(self):
        """Without systemd, as in a container. A script that records its arguments replaces
        systemd's helper."""
        if pathlib.Path("/run/systemd/system").exists():
            self.skipTest("systemd runs here")
        helper = self.folder / "deb-systemd-helper"
        asked = self.folder / "asked"
        helper.write_text(f'#!/bin/sh\necho "$*" >>{asked}\n'
                          'case $* in *was-enabled*|*debian-installed*) exit 1 ;; esac\n')
        helper.chmod(0o755)
        environment = {"PATH": f"{self.folder}:/usr/bin:/bin"}
        for name, *arguments in (("postinst", "configure", ""), ("prerm", "remove"),
                                 ("postrm", "remove"), ("postrm", "purge")):
            run(self.control / name, *arguments, env=environment)
        done = asked.read_text().splitlines()
        self.assertNotIn("enable sluice.service", done)
        for what in ("update-state", "mask", "purge", "unmask"):
            self.assertIn(f"{what} sluice.service", done)

    def test_the_service_names_what_is_there(self):
        unit = (self.root / "usr/lib/systemd/system/sluice.service").read_text()
        commands = re.findall(r"^Exec\w+=(\S+) (.*)", unit, re.MULTILINE)
        self.assertGreater(len(commands), 1)
        for program, arguments in commands:
            if program != "/bin/sh":  # every Debian system has /bin/sh
                self.assertTrue(os.access(self.root / program[1:], os.X_OK), program)
            for path in re.findall(r"/etc/\S+", arguments):
                self.assertTrue((self.root / path[1:]).exists(), path)

    def test_what_is_sent_to_it_is_in_the_file_after_a_stop(self):
        self.collects(self.root / "usr/bin", self.root / "etc/sluice/sluice.yaml", self.folder)

    def test_an_application_is_built_with_its_client_library(self):
        """The C program of the README, compiled with the files of the package."""
        program = self.start("--listen", TELEMETRY)
        address = program.names[0].removeprefix("udp://")
        source = self.folder / "shop.c"
        example = from_readme("#include <sluice_client.h>")
        source.write_text(example.replace("127.0.0.1:5555", address))
        environment = {**os.environ, "PKG_CONFIG_PATH": self.root / "usr/share/pkgconfig"}
        flags = run("pkg-config", "--cflags", "--libs", "sluice-client", env=environment)
        run("cc", "-Wall", "-Werror", source, *flags.split(), "-o", self.folder / "shop")
        run(self.folder / "shop")
        program.wait_for_received(2)
        program.stop()
        self.assertEqual([(line["name"], line["value"]) for line in program.output()],
                         [("shop.orders", 1)] * 2)

    def test_an_application_in_python_sends_with_it(self):
        program = self.start("--listen", TELEMETRY)
        example = from_readme("from sluice_client import Client", "orders = ")
        run(sys.executable, "-c", example.replace("127.0.0.1:5555",
                                                  program.names[0].removeprefix("udp://")),
            env={**os.environ, "PYTHONPATH": self.root / "usr/lib/python3/dist-packages"})
        program.wait_for_received(2)
        program.stop()
        self.assertEqual([line["name"] for line in program.output()], ["shop.orders"] * 2)

    def test_its_schema_is_compiled_by_protoc_alone(self):
        folder = self.root / "usr" / DOCUMENTS / "proto"
        run("protoc", f"--proto_path={folder}", f"--python_out={self.folder}", "telemetry.proto")
        self.assertTrue((self.folder / "telemetry_pb2.py").exists())

    def test_made_again_they_are_the_same_to_the_byte(self):
        # Unpacked on the same file system, because CPack's Installed-Size includes the folders'
        # size there.
        for name, path in packs(BUILD, "DEB", self.made / "again", MOMENT).items():
            self.assertEqual(path.read_bytes(), self.packages[name].read_bytes(), name)


if __name__ == "__main__":
    need("cc", "dpkg-deb", "dpkg-shlibdeps", "file", "pkg-config", "protoc")
    unittest.main()
