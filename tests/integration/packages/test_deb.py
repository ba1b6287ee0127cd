"""The .deb: its content, its control fields, and that the installed programs work."""
import os
import pathlib
import re
import shutil
import sys
import unittest

from binary_reading import missing
from packaging import (BUILD, CLIENT, DOCUMENTS, PAGES, PROGRAMS, SHARED, PackageTest,
                       files_below, need, pack, run)
from readme import from_readme
from sluice_program import TELEMETRY
from spdx_reading import Materials

MOMENT = 1790000000
SCRIPTS = ("postinst", "postrm", "prerm")


class Package(PackageTest):
    """One package for all tests, which do not change it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = BUILD / "package-test"
        shutil.rmtree(cls.made, ignore_errors=True)
        cls.package = pack(BUILD, "DEB", cls.made, MOMENT)
        cls.root = cls.made / "root"
        run("dpkg-deb", "--raw-extract", cls.package, cls.root)
        cls.control = cls.root / "DEBIAN"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made, ignore_errors=True)
        super().tearDownClass()

    def test_its_fields(self):
        def field(name):
            return run("dpkg-deb", "--field", self.package, name).strip()

        self.assertEqual(field("Package"), "sluice")
        version = run(os.environ["SLUICE"], "--version").split()[1]
        self.assertEqual(field("Version"), version.replace("-", "~"))
        self.assertEqual(field("Architecture"), run("dpkg", "--print-architecture").strip())
        self.assertRegex(field("Depends"), r"\blibc6 \(>= 2\.\d+\)")
        self.assertIn("init-system-helpers", field("Depends"))
        self.assertIn("libssl3", field("Recommends"))
        self.assertIn("librdkafka1", field("Recommends"))
        self.assertIn("libnats3.4", field("Recommends"))
        self.assertIn("libsodium23", field("Recommends"))
        self.assertEqual(self.package.name, f"sluice_{field('Version')}_{field('Architecture')}.deb")

    def test_what_is_in_it(self):
        files = [file for file in files_below(self.root) if not file.startswith("DEBIAN/")]
        programs = [name for name in PROGRAMS if f"usr/bin/{name}" in files or name != "sluice-top"]
        expected = [
            "etc/logrotate.d/sluice", "etc/sluice/sluice.yaml",
            "usr/lib/systemd/system/sluice-otlp.socket",
            "usr/lib/systemd/system/sluice-tcp.socket", "usr/lib/systemd/system/sluice.service",
            "usr/lib/systemd/system/sluice.socket", "usr/lib/tmpfiles.d/sluice.conf",
            *(f"usr/{DOCUMENTS}/{page}" for page in PAGES), f"usr/{DOCUMENTS}/changelog.gz",
            f"usr/{DOCUMENTS}/copyright", f"usr/{DOCUMENTS}/examples/sluice-buffers.conf",
            f"usr/{DOCUMENTS}/examples/sysctl.conf", "usr/share/lintian/overrides/sluice",
            "usr/share/man/man3/sluice-client.3.gz", "usr/share/man/man5/sluice.yaml.5.gz",
            *(f"usr/{path}" for path in CLIENT + SHARED)]
        for name in programs:
            expected += [f"usr/bin/{name}", f"usr/share/man/man1/{name}.1.gz",
                         f"usr/share/bash-completion/completions/{name}",
                         f"usr/share/zsh/vendor-completions/_{name}",
                         f"usr/share/fish/vendor_completions.d/{name}.fish"]
        self.assertEqual(files, sorted(expected))

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
        for name in SCRIPTS:
            run("sh", "-n", self.control / name)
            text = re.sub(r"^#.*", "", (self.control / name).read_text(), flags=re.MULTILINE)
            self.assertNotRegex(text, r"systemctl (enable|start)|deb-systemd-invoke (re)?start", name)
        enabled = re.findall(r".*\n.*deb-systemd-helper enable",
                             (self.control / "postinst").read_text())
        self.assertEqual(len(enabled), 1)
        self.assertIn("was-enabled", enabled[0])

    def test_the_scripts_run_where_no_systemd_does(self):
        """As in a container. The helper of systemd is replaced by a script that records its
        arguments."""
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
            if program != "/bin/sh":  # every Debian has /bin/sh
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
            env={**os.environ, "PYTHONPATH": self.root / "usr/share/sluice"})
        program.wait_for_received(2)
        program.stop()
        self.assertEqual([line["name"] for line in program.output()], ["shop.orders"] * 2)

    def test_its_schema_is_compiled_by_protoc_alone(self):
        folder = self.root / "usr" / DOCUMENTS / "proto"
        run("protoc", f"--proto_path={folder}", f"--python_out={self.folder}", "telemetry.proto")
        self.assertTrue((self.folder / "telemetry_pb2.py").exists())

    def test_made_again_it_is_the_same_to_the_byte(self):
        # Unpacked on the same file system, because CPack's Installed-Size counts folders with their
        # size there.
        again = pack(BUILD, "DEB", self.made / "again", MOMENT)
        self.assertEqual(again.read_bytes(), self.package.read_bytes())

    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_has_nothing_to_say(self):
        self.assertEqual(run("lintian", "--allow-root", self.package), "")


if __name__ == "__main__":
    need("cc", "dpkg-deb", "dpkg-shlibdeps", "file", "pkg-config", "protoc")
    unittest.main()
