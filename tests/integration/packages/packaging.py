"""Makes packages of the build, and runs the programs in them."""
import functools
import os
import pathlib
import re
import shutil
import subprocess

from built import skip
from sluice_program import ProgramTest, read_lines

BUILD = pathlib.Path(os.environ["TEST_BUILD"])
SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
DOCUMENTS = "share/doc/sluice"

# File names of the libraries that the program loads at run time in this build configuration.
LOADED = os.environ["TEST_LOADED"].split()
# Other versions of these libraries, which it loads if one of them is missing.
OTHERS = os.environ["TEST_LOADED_OTHERS"].split()

# Documents in the package.
PAGES = ["README.md", "sluice.spdx.json", "proto/README.md", "proto/riemann.proto", "proto/telemetry.proto",
         "sinks/README.md", "tools/NEWS.md", "tools/README.md", "tools/client/README.md",
         *(f"tools/manual/{page}.md" for page in (
             "sluice-client.3", "sluice-decode.1", "sluice-replay.1", "sluice-send.1", "sluice-top.1",
             "sluice.1", "sluice.yaml.5")),
         "tools/packaging/README.md", "tools/packaging/distributions.md", "tools/packaging/fleet.md",
         "tools/packaging/repository.md", "tools/packaging/recipes.md",
         "tools/packaging/sealed.md", "tools/packaging/windows.md", "tools/comparison/README.md", "tools/comparison/curve.svg",
         "tools/comparison/fresh.svg",
         *(f"tools/packaging/container/{name}"
           for name in ("README.md", "compose.yaml", "kubernetes.yaml", "podmonitor.yaml", "sluice.yaml")),
         *(f"examples/{path.name}" for path in (SOURCE / "tools/packaging/examples").iterdir())]

# The content of a package: installed below /usr, or in the folder where an archive is unpacked.
PROGRAMS = ["sluice", "sluice-decode", "sluice-replay", "sluice-send", "sluice-top"]
TOOLS = PROGRAMS[1:]
CLIENT_C = [*(f"include/sluice_{name}.h" for name in ("client", "seal")),
            *(f"lib/libsluice-{name}.a" for name in ("client", "seal")),
            *(f"share/pkgconfig/sluice-{name}.pc" for name in ("client", "seal")),
            *(f"share/sluice/sluice_{name}.c" for name in ("client", "seal"))]
MODULES = ["sluice_client.py", "sluice_seal.py"]
CLIENT = [*CLIENT_C, *(f"share/sluice/{name}" for name in MODULES)]

# The schema of the configuration file, and files for programs that use the metrics.
SHARED = ["share/sluice/monitoring/sluice-alerts.yaml",
          "share/sluice/monitoring/sluice-dashboard.json", "share/sluice/sluice.schema.json"]

# All files of "cmake --install", below its prefix.
INSTALLED = [*(f"{DOCUMENTS}/{name}" for name in ("LICENSE", "copyright", *PAGES)),
             *(f"{DOCUMENTS}/examples/{name}" for name in (
                 "logrotate", "sluice-buffers.conf", "sluice-otlp.socket", "sluice-tcp.socket", "sluice.service",
                 "sluice.socket", "sluice.yaml", "sysctl.conf", "tmpfiles.conf")),
             "share/man/man3/sluice-client.3", "share/man/man5/sluice.yaml.5", *CLIENT, *SHARED,
             *(place for name in PROGRAMS for place in (
                 f"bin/{name}", f"share/man/man1/{name}.1", f"share/bash-completion/completions/{name}",
                 f"share/zsh/site-functions/_{name}", f"share/fish/vendor_completions.d/{name}.fish"))]


def need(*tools):
    """Skips all tests of a script if one of these tools is missing."""
    for tool in tools:
        if not shutil.which(tool):
            skip(f"needs {tool}")


def run(*arguments, timeout=500, **more):
    """Runs a command, which must succeed. Returns its standard output."""
    done = subprocess.run([str(each) for each in arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False,
                          text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} exits with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def packs(build, generator, folder, moment=None, definitions=()):
    """Creates the packages of one format in the folder. Returns their paths by package name. All
    their files have the time `moment`. `definitions` (NAME=VALUE) replace settings of the build's
    packages."""
    environment = {**os.environ, **({"SOURCE_DATE_EPOCH": str(moment)} if moment else {})}
    run(os.environ["CPACK"], "--config", build / "CPackConfig.cmake", "-G", generator, "-B", folder,
        *(word for definition in definitions for word in ("-D", definition)), env=environment)
    return {re.split(r"_|-\d", path.name)[0]: path for path in folder.iterdir() if path.is_file()}


def pack(build, generator, folder):
    """Creates the only package of a format in the folder. Returns its path."""
    path, = packs(build, generator, folder).values()
    return path


def _build(preset, folder):
    """Builds a preset in a subfolder of the tested build, which is kept. It is optimised less, and
    not across files: that takes half of the time, and no test depends on it."""
    build = BUILD / folder
    cmake = os.environ["CMAKE"]
    run(cmake, "--preset", preset, "-B", build, "-DSLUICE_LTO=OFF",
        "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG", cwd=SOURCE)
    # At low priority, because concurrent tests have time limits. So it may take long itself.
    run("nice", "-n", "10", cmake, "--build", build, "--parallel", "2", timeout=1100)
    return build


@functools.cache
def portable_build():
    """The build for the archive and the .rpm. One test at a time uses it (RESOURCE_LOCK)."""
    return _build("portable", "portable")


@functools.cache
def arm64_build():
    """The build for the arm64 packages. One test at a time uses it (RESOURCE_LOCK)."""
    return _build("arm64-package", "arm64")


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if not path.is_dir() or path.is_symlink())


def without_website(names):
    """The names except those of the website, which exists only if a Python library was available.
    """
    return [name for name in names if f"{DOCUMENTS}/html/" not in name]


def needed_by(program):
    """The shared libraries that a program is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", program))


class PackageTest(ProgramTest):
    def adapted(self, configuration, root):
        """The shipped configuration, with the folders below `root` and any free port."""
        text = configuration.read_text(encoding="utf-8")
        for was, becomes in (("/var/", f"{root}/var/"), ("/run/sluice", str(root)),
                             ("127.0.0.1:5555", "127.0.0.1:0")):
            self.assertIn(was, text)
            text = text.replace(was, becomes)
        for folder in ("log", "lib"):
            (root / "var" / folder / "sluice").mkdir(parents=True)
        adapted = root / "sluice.yaml"
        adapted.write_text(text, encoding="utf-8")
        return adapted

    def collects(self, programs, configuration, root):
        """Asserts that the program's file contains all sent records after a stop."""
        adapted = self.adapted(configuration, root)
        sluice = programs / "sluice"
        run(sluice, "--check", "--config", adapted)
        program = self.start("--config", adapted, program=sluice)
        run(programs / "sluice-send", "--schema", "riemann", "--count", "100", "--rate", "max",
            "--to", program.names[0])
        program.wait_for_received(100)
        ledger = program.stop()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(listener["received"] + listener["kernel_drops"], 100)
        self.assertEqual(sink["written"], listener["decoded"])
        self.assertGreater(sink["written"], 0)
        lines = read_lines(root / "var/log/sluice/metrics.ndjson")
        self.assertEqual(len(lines), sink["written"])
