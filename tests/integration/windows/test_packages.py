"""The .zip and the .msi: their contents, which must work under Wine as documented.

 Wine has no accounts of services, ignores MsiLockPermissionsEx, and its sc.exe knows neither
"config" nor "failureflag". For these the tests read the tables of the .msi."""
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest
import zipfile

from binary_reading import missing
from built import command, skip
from drive import on_drive
from ports import free_port
from sluice_program import read_lines, wait_until
from spdx_reading import Materials

BUILD = pathlib.Path(os.environ["TEST_BUILD"])
SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
VERSION = os.environ["TEST_VERSION"]
PROGRAMS = os.environ["TEST_PROGRAMS"].split()
MOMENT = 1790000000
NAME = f"sluice-{VERSION}-windows-x86_64"
TEXTS = ["LICENSE.txt", "README.txt", "sluice.yaml"]


def run(*arguments, code=0, **more):
    """Runs the command to its end. Returns its output."""
    done = subprocess.run([str(each) for each in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100, check=False,
                          **more)
    text = done.stdout.decode(errors="replace")
    if done.returncode != code:
        raise AssertionError(f"{arguments} exits with {done.returncode}:\n{text}")
    return text


def run_there(program, *arguments, **more):
    """The same as run, for a program of Windows."""
    return run(*command(program, *arguments), **more)


def pack(generator, folder, moment=MOMENT):
    """Makes a package in the folder. Returns its path."""
    run(os.environ["CPACK"], "--config", BUILD / "CPackConfig.cmake", "-G", generator, "-B", folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)})
    return folder / f"{NAME}.{'zip' if generator == 'ZIP' else 'msi'}"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def make(cls, generator):
    cls.made = BUILD / f"package-test-{generator.lower()}"
    shutil.rmtree(cls.made, ignore_errors=True)
    cls.package = pack(generator, cls.made)


class Zip(unittest.TestCase):
    """One package for all tests. They do not change it."""

    @classmethod
    def setUpClass(cls):
        make(cls, "ZIP")
        with zipfile.ZipFile(cls.package) as archive:
            archive.extractall(cls.made / "unpacked")
        cls.root = cls.made / "unpacked" / NAME

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def test_all_is_in_one_folder(self):
        self.assertEqual([path.name for path in self.root.parent.iterdir()], [NAME])
        there = {path.name for path in self.root.iterdir()}
        self.assertEqual(there, {*TEXTS, *(f"{name}.exe" for name in PROGRAMS), "doc", "licenses"})

    def test_its_documents_are_those_of_other_systems(self):
        rows = re.search(r"^foreach\(document (.*?)\)", (SOURCE / "tools/cmake/Packaging.cmake").read_text(),
                         re.MULTILINE | re.DOTALL)[1].split()
        examples = [f"examples/{path.name}" for path in (SOURCE / "tools/packaging/examples").iterdir()]
        self.assertEqual(files_below(self.root / "doc"), sorted(["LICENSE", "sluice.spdx.json", *rows, *examples]))

    def test_its_texts_have_the_line_ends_of_windows(self):
        for path in [*TEXTS, *(f"licenses/{path.name}" for path in (self.root / "licenses").iterdir())]:
            with self.subTest(path):
                content = (self.root / path).read_bytes()
                self.assertGreater(content.count(b"\r\n"), 10)
                self.assertEqual(content.replace(b"\r\n", b"").count(b"\n"), 0)

    def test_each_library_that_is_linked_in_has_its_license_and_a_paragraph_in_the_copyright_file(self):
        copyright_file = (SOURCE / "tools/packaging/copyright").read_text()
        licenses = {path.stem for path in (self.root / "licenses").iterdir()}
        self.assertLessEqual({"mingw-w64", "protobuf-c", "zlib", "zstd"}, licenses)
        for library in licenses - {"mingw-w64"}:  # not in programs for Linux
            with self.subTest(library):
                self.assertIn(f"\nFiles: {library}/*\n", copyright_file)

    def test_its_bill_of_materials_has_the_libraries_with_the_licenses(self):
        materials = Materials((self.root / "doc/sluice.spdx.json").read_text(encoding="utf-8"))
        licenses = {path.stem for path in (self.root / "licenses").iterdir()}
        self.assertEqual(materials.related("STATIC_LINK"), {*licenses, "gcc"})
        for name in licenses:
            with self.subTest(name):
                self.assertIn("versionInfo", materials.package(name))
        self.assertIn("KERNEL32.dll", materials.related("DYNAMIC_LINK", "sluice"))
        self.assertEqual(materials.related("OPTIONAL_DEPENDENCY_OF"), set())

    def test_the_readme_names_what_is_there(self):
        text = (self.root / "README.txt").read_text()
        self.assertIn(VERSION, text)
        for name in re.findall(r"^  (\S+) ", text, re.MULTILINE) + re.findall(r"\bdoc\\\S+\.md", text):
            with self.subTest(name):
                self.assertTrue((self.root / name.replace("\\", "/")).exists())
        for name in PROGRAMS:
            self.assertIn(f"\n  {name}.exe ", text)

    def test_each_program_starts_and_has_the_version(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.assertIn(f"{name} {VERSION}", run_there(self.root / f"{name}.exe", "--version"))

    @unittest.skipUnless(os.environ["TEST_HARDENED"] == "ON", "built with SLUICE_HARDENED=OFF")
    def test_the_programs_are_hardened(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.assertEqual(missing(self.root / f"{name}.exe"), [])

    def test_the_example_configuration_is_valid(self):
        self.assertIn("valid", run_there(self.root / "sluice.exe", "--check", "--config", "sluice.yaml",
                                         cwd=self.root))

    def test_made_again_it_is_the_same_to_the_byte(self):
        self.assertEqual(pack("ZIP", self.made / "again").read_bytes(), self.package.read_bytes())


# --- the .msi ---------------------------------------------------------------------------------

UNINSTALL = r"HKLM\Software\Microsoft\Windows\CurrentVersion\Uninstall"
SERVICE = r"HKLM\SYSTEM\CurrentControlSet\Services\sluice"
EVENTS = r"HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\sluice"
ENVIRONMENT = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"


def table(package, name):
    """The rows of a table, as dictionaries by column."""
    names, _, _, *rows = csv.reader(io.StringIO(run("msiinfo", "export", package, name)),
                                    delimiter="\t", quoting=csv.QUOTE_NONE)
    return [dict(zip(names, row)) for row in rows]


def row(package, name, column, value):
    found = [each for each in table(package, name) if each[column] == value]
    if len(found) != 1:
        raise AssertionError(f"{name} has {len(found)} rows with {value}")
    return found[0]


def registry(key, *more, code=0):
    return run_there("reg", "query", key, *more, code=code)


class Msi(unittest.TestCase):
    """Uses a separate Wine prefix, because a removal in Wine leaves semicolons in PATH (cmd.exe
    then exits with 0 for programs that do not exist) and removes keys that have become empty."""

    @classmethod
    def setUpClass(cls):
        make(cls, "External")
        cls.newer = pack("External", cls.made / "newer", MOMENT + 1000)
        os.environ["WINEPREFIX"] = str(cls.made / "wine")
        run_there("up")
        drive = cls.made / "wine" / "drive_c"
        cls.programs = drive / "Program Files" / "Sluice"
        cls.data = drive / "ProgramData" / "sluice"

    @classmethod
    def tearDownClass(cls):
        run_there("down")
        shutil.rmtree(cls.made)

    def msiexec(self, way, package, code=0):
        run_there("msiexec", "/qn", way, on_drive(package), code=code)

    def clean_up(self):
        for package in (self.package, self.newer):
            subprocess.run(command("msiexec", "/qn", "/x", on_drive(package)), check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=100)
        shutil.rmtree(self.data, ignore_errors=True)

    def service_is(self, state):
        return state in run_there("sc", "query", "sluice")

    def test_from_the_installation_over_an_upgrade_to_the_removal(self):
        self.clean_up()
        self.addCleanup(self.clean_up)

        self.msiexec("/i", self.package)
        self.assertEqual(sorted(path.name for path in self.programs.glob("*.exe")),
                         sorted(f"{name}.exe" for name in PROGRAMS))
        self.assertTrue((self.programs / "licenses/zlib.txt").exists())
        Materials((self.programs / "doc/sluice.spdx.json").read_text(encoding="utf-8"))
        code = row(self.package, "Property", "Property", "ProductCode")["Value"]
        entry = registry(f"{UNINSTALL}\\{code}")
        for name, value in (("DisplayName", "Sluice"), ("Publisher", "The Sluice maintainers"),
                            ("DisplayVersion", VERSION.split("+")[0].split("-")[0])):
            self.assertRegex(entry, rf"{name} +REG_SZ +{re.escape(value)}\r?\n")
        self.assertTrue(self.service_is("STOPPED"))
        settings = registry(SERVICE)
        self.assertRegex(settings, r"Start +REG_DWORD +0x3\b")
        self.assertRegex(settings, r"ObjectName +REG_SZ +NT SERVICE\\sluice")
        self.assertIn(r'service run -- --config "C:\ProgramData\sluice\sluice.yaml"', settings)
        self.assertIn(r"C:\Program Files\Sluice\sluice.exe", registry(EVENTS))
        self.assertIn(r"C:\Program Files\Sluice", registry(ENVIRONMENT, "/v", "PATH"))

        # An administrator changes the configuration and starts the service, which collects.
        configuration = self.data / "sluice.yaml"
        port = free_port()
        changed = configuration.read_bytes().replace(b":5555\r", b":%d\r" % port)
        self.assertIn(b":%d\r" % port, changed)
        configuration.write_bytes(changed)
        run_there("sc", "start", "sluice")
        wait_until(lambda: self.service_is("RUNNING"), "a running service")
        run_there(self.programs / "sluice-send.exe", "--to", f"udp://127.0.0.1:{port}", "--schema",
                  "riemann", "--count", "100")
        lines = self.data / "metrics.ndjson"

        # The next version stops the service, and the service's file has all records.
        self.msiexec("/i", self.newer)
        self.assertEqual(len(read_lines(lines)), 100)
        self.assertTrue(self.service_is("STOPPED"))
        self.assertEqual(configuration.read_bytes(), changed)
        new_code = row(self.newer, "Property", "Property", "ProductCode")["Value"]
        self.assertNotEqual(new_code, code)
        self.assertIn("DisplayName", registry(f"{UNINSTALL}\\{new_code}"))
        registry(f"{UNINSTALL}\\{code}", code=1)
        self.assertTrue((self.programs / "sluice.exe").exists())

        # A service that starts with the system runs again after an upgrade.
        run_there("reg", "add", SERVICE, "/v", "Start", "/t", "REG_DWORD", "/d", "2", "/f")
        self.msiexec("/i", self.package)
        wait_until(lambda: self.service_is("RUNNING"), "a service that an upgrade started again")

        self.msiexec("/x", self.package)
        self.assertFalse(self.programs.exists())
        registry(f"{UNINSTALL}\\{code}", code=1)
        registry(SERVICE, code=1)
        registry(EVENTS, code=1)
        self.assertNotIn("Sluice", registry(ENVIRONMENT, "/v", "PATH"))
        self.assertEqual(configuration.read_bytes(), changed)
        self.assertEqual(len(read_lines(lines)), 100)

        # A new installation finds the configuration and the records.
        self.msiexec("/i", self.package)
        self.assertEqual(configuration.read_bytes(), changed)

    def test_a_service_of_that_name_which_another_installation_made_stays(self):
        self.clean_up()
        self.addCleanup(self.clean_up)
        run_there("sc", "create", "sluice", "binPath=", r"C:\other.exe")
        self.addCleanup(run_there, "sc", "delete", "sluice")
        self.msiexec("/i", self.package, code=67)  # exit code 1603, of which Wine keeps eight bits
        self.assertIn("other.exe", registry(SERVICE))
        self.assertFalse(self.programs.exists())

    def test_its_configuration_is_permanent_and_never_overwritten(self):
        permanent, never_overwrite, is_64_bit = 16, 128, 256
        component = row(self.package, "Component", "Component", "Configuration")
        self.assertEqual(int(component["Attributes"]), permanent | never_overwrite | is_64_bit)
        self.assertEqual(component["Directory_"], "DATADIR")

    def test_only_the_system_administrators_and_the_service_have_its_folder(self):
        permission, = table(self.package, "MsiLockPermissionsEx")
        self.assertEqual((permission["LockObject"], permission["Table"]), ("DATADIR", "CreateFolder"))
        digest = hashlib.sha1("SLUICE".encode("utf-16-le")).digest()
        account = "-".join(["S-1-5-80", *map(str, struct.unpack("<5I", digest))])
        self.assertEqual(permission["SDDLText"], "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
                                                 f"(A;OICI;0x1301bf;;;{account})")
        self.assertEqual(row(self.package, "ServiceInstall", "Name", "sluice")["StartName"],
                         r"NT SERVICE\sluice")

    def test_a_failed_service_is_restarted_as_one_that_the_program_installs(self):
        setup = (SOURCE / "collector/program/windows/service_setup.c").read_text()
        first, second, later = (re.search(rf"#define {name}_PAUSE_MS +(\d+)", setup)[1]
                                for name in ("FIRST", "SECOND", "LATER"))
        calm = re.search(r"#define CALM_S +(\d+)", setup)[1]
        program = '"[System64Folder]sc.exe"'
        for action, words in (
                ("SetRestarts", f"failure sluice reset= {calm} actions= "
                                f"restart/{first}/restart/{second}/restart/{later}"),
                ("SetRestartsByCode", "failureflag sluice 1"),
                ("KeepStart", "config sluice start= auto"), ("StartAgain", "start sluice")):
            self.assertEqual(row(self.package, "CustomAction", "Action", action)["Target"],
                             f"{program} {words}")
        order = {each["Action"]: int(each["Sequence"])
                 for each in table(self.package, "InstallExecuteSequence")}
        for first, second in (("InstallInitialize", "RemoveExistingProducts"),
                              ("RemoveExistingProducts", "InstallFiles"),
                              ("InstallServices", "SetRestarts"), ("SetRestarts", "SetRestartsByCode"),
                              ("SetRestartsByCode", "KeepStart"), ("KeepStart", "StartAgain"),
                              ("StartAgain", "InstallFinalize")):
            self.assertLess(order[first], order[second])

    def test_it_replaces_what_is_not_newer(self):
        numbers = VERSION.split("+")[0].split("-")[0]
        major, minor, patch = map(int, numbers.split("."))
        following = f"{major}.{minor}.{patch + 1}"
        rows = {each["ActionProperty"]: (each["VersionMin"], each["VersionMax"], each["Attributes"])
                for each in table(self.package, "Upgrade")}
        # 256: VersionMin is included; 2: the version is only detected, not removed.
        self.assertEqual(rows, {"OLDER_VERSION": ("0.0.0", following, "256"),
                                "NEWER_VERSION": (following, "", "258")})
        self.assertIn("NOT NEWER_VERSION",
                      [each["Condition"] for each in table(self.package, "LaunchCondition")])

    def test_made_again_it_is_the_same_to_the_byte(self):
        self.assertEqual(pack("External", self.made / "again").read_bytes(), self.package.read_bytes())


if __name__ == "__main__":
    for tool in ("msibuild", "msiinfo", "wixl"):
        if not shutil.which(tool):
            skip(f"needs {tool}")
    unittest.main()
