"""The recipes for Homebrew, Alpine and Arch: checkers find no mistakes in them, and they build
packages from the archive, which they download from loopback. Debian does not have Homebrew's and
Alpine's own programs, so homebrew.rb replaces the former, and busybox's shell replaces abuild. The
C library is that of this machine."""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from distributions import makes, need_clone, version
from packaging import INSTALLED, MODULES, PROGRAMS, SOURCE, TOOLS, PackageTest, files_below, need, run, without_website
from repositories import Server

HERE = pathlib.Path(__file__).parent
NOBODY = 65534

# Replaces cmake, to build in half of the time: with less optimisation, and none across files.
CMAKE = """#!/bin/sh
case $1 in
    -S | -B) exec {cmake} "$@" -DSLUICE_LTO=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG";;
    *) exec {cmake} "$@";;
esac
"""

# Differences between the style of Homebrew's formulae and the usual one.
RUBOCOP = """
AllCops: {NewCops: disable}
Layout/LineLength: {Max: 118}
Layout/SpaceAroundOperators: {Enabled: false}  # bin/"sluice"
Metrics: {Enabled: false}
Naming/HeredocDelimiterNaming: {Enabled: false}
Style/Documentation: {Enabled: false}
Style/FrozenStringLiteralComment: {Enabled: false}
Style/StringLiterals: {EnforcedStyle: double_quotes}
"""

# The steps of abuild for the APKBUILD in the current folder: the phases, and a separate package for
# the tools.
ABUILD = """
set -e
export srcdir=$PWD/src pkgdir=$PWD/pkg
mkdir "$srcdir" "$pkgdir"
amove() { mkdir -p "$subpkgdir/${1%/*}"; mv "$pkgdir/$1" "$subpkgdir/${1%/*}"; }
. ./APKBUILD
archive=${source##*/}
wget -q "$source"
echo "${sha512sums}" | sed '/^$/d' | sha512sum -c
tar -xzf "$archive" -C "$srcdir"
for phase in build check package; do
    (cd "$builddir" && $phase)
done
subpkgdir=$PWD/tools tools
"""

OPENRC = """
set -e
checkpath() { echo checkpath "$@"; }
. "$1"
command=$2
config=$3
checkconfig
start_pre
"""


def needs(*tools):
    """Skips a test if one of these tools is missing."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    return unittest.skipIf(missing, f"needs {', '.join(missing)}")


def without(names, *others):
    return sorted(set(names) - set(others))


class Recipes(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.place = pathlib.Path(cls.scratch.name)
        cls.place.chmod(0o755)
        cls.server = Server(cls.place / "served")
        cls.addClassCleanup(cls.server.end)
        cls.made = makes(cls.place / "served", cls.server.url)
        programs = cls.place / "bin"
        programs.mkdir()
        (programs / "cmake").write_text(CMAKE.format(cmake=shutil.which("cmake")), encoding="ascii")
        (programs / "cmake").chmod(0o755)
        cls.environment = {**os.environ, "CFLAGS": "-O1", "PATH": f"{programs}:{os.environ['PATH']}"}

    def folder_with(self, *names):
        """A folder with some of the created files."""
        folder = self.place / self.id().rsplit(".", 1)[1]
        folder.mkdir()
        for name in names:
            shutil.copy(self.made / name, folder)
        return folder

    def runs(self, root, programs="usr/bin", configuration="etc/sluice/sluice.yaml"):
        """Asserts that the programs have the version, and collect with the configuration that is
        installed with them."""
        for name in PROGRAMS:
            if (root / programs / name).exists():
                self.assertEqual(run(root / programs / name, "--version").split()[:2], [name, version()])
        self.collects(root / programs, root / configuration, self.folder)

    @needs("shellcheck")
    def test_shellcheck_finds_nothing(self):
        run("shellcheck", *(self.made / name for name in ("APKBUILD", "PKGBUILD", "sluice.pre-install")),
            SOURCE / "tools/packaging/alpine/sluice.initd")

    @needs("makepkg", "bsdtar", "fakeroot")
    def test_the_recipe_for_arch_makes_a_package(self):
        folder = self.folder_with("PKGBUILD")
        words = ["makepkg", "--nodeps", "--noconfirm"]
        if os.geteuid() == 0:  # makepkg refuses to run as root
            os.chown(folder, NOBODY, NOBODY)
            words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words]
        run(*words, cwd=folder, timeout=1700,
            env={**self.environment, "HOME": str(folder), "PKGEXT": ".pkg.tar", "CMAKE_C_COMPILER_LAUNCHER": ""})
        package, = folder.glob("*.pkg.tar")
        root = folder / "root"
        root.mkdir()
        run("tar", "--extract", "--file", package, "--directory", root)
        facts = (root / ".PKGINFO").read_text(encoding="utf-8")
        self.assertIn(f"\npkgver = {version()}-1\n", facts)
        self.assertEqual(re.findall(r"^backup = (.+)$", facts, re.MULTILINE),
                         ["etc/sluice/sluice.yaml", "etc/logrotate.d/sluice"])
        modules = run("/usr/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        expected = [f"usr/{name}.gz" if "/man/" in name else f"usr/{name}"
                    for name in without(INSTALLED, *(f"share/sluice/{name}" for name in MODULES))]
        expected += [f"{modules[1:]}/{name}" for name in MODULES]
        expected += ["etc/sluice/sluice.yaml", "etc/logrotate.d/sluice", "usr/lib/tmpfiles.d/sluice.conf"]
        expected += [f"usr/lib/systemd/system/{name}"
                     for name in ("sluice.service", "sluice.socket", "sluice-otlp.socket", "sluice-tcp.socket")]
        self.assertEqual([name for name in without_website(files_below(root)) if name[0] != "."], sorted(expected))
        self.runs(root)

    @needs("busybox")
    def test_the_recipe_for_alpine_makes_a_package(self):
        folder = self.folder_with("APKBUILD")
        run("busybox", "ash", "-c", ABUILD, cwd=folder, timeout=1700, env=self.environment)
        root, tools = folder / "pkg", folder / "tools"
        self.assertEqual(files_below(tools), [f"usr/bin/{name}" for name in TOOLS])
        expected = [f"usr/{name}" for name in without(INSTALLED, *(f"bin/{name}" for name in TOOLS))]
        expected += ["etc/init.d/sluice", "etc/logrotate.d/sluice", "etc/sluice/sluice.yaml"]
        self.assertEqual(without_website(files_below(root)), sorted(expected))
        for name in ("logrotate.d/sluice", "sluice/sluice.yaml"):
            text = (root / "etc" / name).read_text(encoding="utf-8")
            self.assertIn("rc-service", text)
            self.assertNotIn("systemctl", text)
        shutil.copy(tools / "usr/bin/sluice-send", root / "usr/bin")
        self.runs(root)
        self.serves(root)

    def serves(self, root):
        """Asserts that the OpenRC service creates its folders, and does not start with a wrong
        configuration."""
        service, configuration = root / "etc/init.d/sluice", self.folder / "service.yaml"
        configuration.write_text("sinks:\n  - to: stdout\n", encoding="ascii")
        words = ["busybox", "ash", "-c", OPENRC, "ash", service, root / "usr/bin/sluice", configuration]
        self.assertIn("--owner sluice:sluice --mode 0750 /run/sluice /var/lib/sluice /var/log/sluice", run(*words))
        configuration.write_text("sinks:\n  - to: wrong\n", encoding="ascii")
        with self.assertRaisesRegex(AssertionError, "wrong"):
            run(*words)
        units = (SOURCE / "tools/packaging/systemd/sluice.service").read_text(encoding="utf-8")
        reload = re.search(r"ctl reload \S+", service.read_text(encoding="utf-8"))[0]
        self.assertIn(reload, units)

    @needs("ruby", "curl")
    def test_the_formula_for_homebrew_makes_a_keg_and_passes_its_test(self):
        folder = self.folder_with("sluice.rb")
        said = run("ruby", "-w", HERE / "homebrew.rb", folder / "sluice.rb", folder / "homebrew", timeout=1700,
                   env=self.environment)
        self.assertTrue(said.endswith(
            f"service: {folder}/homebrew/opt/sluice/bin/sluice --config {folder}/homebrew/etc/sluice/sluice.yaml\n"))
        keg = folder / "homebrew/Cellar/sluice" / version()
        self.assertEqual(without_website(files_below(keg)), sorted(INSTALLED))
        run(keg / "bin/sluice", "--check", "--config", folder / "homebrew/etc/sluice/sluice.yaml")
        self.assertRegex(run("readelf", "--dynamic", keg / "bin/sluice"), rf"RUNPATH\).*\[{folder}/homebrew/lib\]")

    @needs("rubocop")
    def test_rubocop_finds_nothing_that_homebrew_has_otherwise(self):
        (self.folder / ".rubocop.yml").write_text(RUBOCOP, encoding="ascii")
        run("rubocop", "--config", self.folder / ".rubocop.yml", self.made / "sluice.rb")

    @needs("ruby")
    def test_ruby_warns_of_nothing(self):
        self.assertEqual(run("ruby", "-wc", self.made / "sluice.rb"), "Syntax OK\n")


if __name__ == "__main__":
    need("cc", "cmake", "ninja")
    need_clone()
    unittest.main()
