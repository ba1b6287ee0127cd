"""The container image: its content, that it is reproducible, and that it runs without privileges.
"""
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from packaging import LOADED, SOURCE, PackageTest, need, pack, portable_build, run
from sluice_program import DEADLINE, RIEMANN, SLUICE, read_lines
from spdx_reading import Materials

USER = 65532
TOOL = SOURCE / "tools" / "image"


@functools.cache
def made():
    """The folder with the archive and the image made from it. It is created once."""
    folder = portable_build() / "image"
    shutil.rmtree(folder, ignore_errors=True)
    archive = pack(portable_build(), "TGZ", folder)
    run(sys.executable, TOOL, archive, folder / "layout")
    return archive, folder / "layout"


def blob(layout, descriptor):
    """The bytes of the blob that a descriptor names. Asserts that they match it."""
    data = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    if len(data) != descriptor["size"]:
        raise AssertionError(f"{descriptor} has {len(data)} bytes")
    if descriptor["digest"] != "sha256:" + hashlib.sha256(data).hexdigest():
        raise AssertionError(f"{descriptor} has another digest")
    return data


def parts(layout):
    """Manifest, configuration and the plain layer."""
    index = json.loads((layout / "index.json").read_text(encoding="ascii"))
    descriptor, = index["manifests"]
    manifest = json.loads(blob(layout, descriptor))
    configuration = json.loads(blob(layout, manifest["config"]))
    layer, = manifest["layers"]
    return manifest, configuration, gzip.decompress(blob(layout, layer))


def name_of(layout):
    """The tag of the image in its layout."""
    descriptor, = json.loads((layout / "index.json").read_text(encoding="ascii"))["manifests"]
    return descriptor["annotations"]["org.opencontainers.image.ref.name"]


def bytes_below(folder):
    return {path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


class Layout(PackageTest):
    def setUp(self):
        super().setUp()
        self.archive, self.layout = made()
        self.manifest, self.configuration, self.plain = parts(self.layout)
        self.layer = self.folder / "layer.tar"
        self.layer.write_bytes(self.plain)

    def test_its_parts_have_the_digests_that_name_them(self):
        self.assertEqual(json.loads((self.layout / "oci-layout").read_text(encoding="ascii")),
                         {"imageLayoutVersion": "1.0.0"})
        self.assertEqual(self.configuration["rootfs"]["diff_ids"],
                         ["sha256:" + hashlib.sha256(self.plain).hexdigest()])
        self.assertEqual(len(list(self.layout.glob("blobs/sha256/*"))), 3)

    def test_its_tag_is_the_version_with_what_a_tag_may_have(self):
        version = run(SLUICE, "--version").split()[1]
        self.assertEqual(name_of(self.layout), version.replace("+", "_"))
        self.assertEqual(self.configuration["config"]["Labels"]["org.opencontainers.image.version"],
                         version)
        later = shutil.copy(self.archive, self.folder / re.sub(
            r"sluice-.+-linux-", "sluice-1.2.3-rc.1+4.g0123456789ab-linux-", self.archive.name))
        run(sys.executable, TOOL, later, self.folder / "later")
        self.assertEqual(name_of(self.folder / "later"), "1.2.3-rc.1_4.g0123456789ab")

    def test_it_starts_the_program_as_a_user_without_rights(self):
        settings = self.configuration["config"]
        self.assertEqual(settings["User"], f"{USER}:{USER}")
        self.assertEqual(settings["Entrypoint"], ["/usr/bin/sluice"])
        self.assertEqual(settings["Cmd"], ["--config", "/etc/sluice/sluice.yaml"])

    def test_what_is_in_it(self):
        with tarfile.open(self.layer) as tar:
            entries = {entry.name: entry for entry in tar}
        files = {name for name, entry in entries.items() if entry.isfile()}
        libraries = {name for name in files if re.search(r"\.so(\.\d+)*$", name)}
        licences = {name for name in files
                    if re.match(r"usr/share/(doc/[^/]+/copyright|common-licenses/)", name)}
        self.assertEqual(files - libraries - licences,
                         {"usr/bin/sluice", "usr/share/doc/sluice/LICENSE",
                          "usr/share/doc/sluice/sluice.spdx.json", "etc/passwd",
                          "etc/group", "etc/sluice/sluice.yaml"})
        self.assertTrue(any(name.endswith("/libc.so.6") for name in libraries))
        self.assertIn("usr/share/doc/libc6/copyright", licences)
        self.assertIn("usr/share/doc/sluice/copyright", licences)
        for name, entry in entries.items():
            self.assertFalse(entry.mode & 0o6000, f"{name} has more rights than its user")
            self.assertEqual(entry.uid, USER if name.endswith("/sluice") and entry.isdir() and
                             not name.startswith(("etc", "usr")) else 0, name)

    def test_its_bill_of_materials_has_each_library_that_is_in_it(self):
        with tarfile.open(self.layer) as tar:
            files = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}
        materials = Materials(files["usr/share/doc/sluice/sluice.spdx.json"])
        libraries = {pathlib.PurePath(name).name: hashlib.sha256(content).hexdigest()
                     for name, content in files.items() if re.search(r"\.so(\.\d+)*$", name)}
        self.assertIn("libc.so.6", libraries)
        self.assertLessEqual({*libraries, "sluice"}, materials.related("CONTAINS"))
        for name, digest in libraries.items():
            package = materials.package(name)
            self.assertEqual([each["checksumValue"] for each in package["checksums"]], [digest])
            self.assertIn("versionInfo", package)

    def test_every_library_that_the_program_loads_by_itself_is_thought_of(self):
        text = TOOL.read_text(encoding="utf-8")
        named = set(re.findall(r'"(lib\w+)":', text))
        self.assertEqual({name.split(".so.")[0] for name in LOADED}, named)
        with tarfile.open(self.layer) as tar:
            files = {pathlib.PurePath(name).name for name in tar.getnames()}
        self.assertLessEqual(set(LOADED), files)

    def test_the_same_archive_makes_the_same_image_as_a_folder_and_in_a_tar(self):
        run(sys.executable, TOOL, self.archive, self.folder / "again")
        self.assertEqual(bytes_below(self.folder / "again"), bytes_below(self.layout))
        run(sys.executable, TOOL, self.archive, self.folder / "again.tar")
        with tarfile.open(self.folder / "again.tar") as tar:
            self.assertEqual({pathlib.Path(entry.name): tar.extractfile(entry).read()
                              for entry in tar}, bytes_below(self.layout))

    def test_what_is_no_archive_of_sluice_is_refused_and_nothing_is_replaced(self):
        wrong = self.folder / "sluice-1-linux-x86_64.tar.gz"
        wrong.write_bytes(b"no archive")
        full = self.folder / "full"
        full.mkdir()
        (full / "kept").touch()
        for archive, into in ((wrong, self.folder / "into"), (self.folder / "gone", full),
                              (self.archive, full)):
            done = subprocess.run([sys.executable, TOOL, archive, into], stderr=subprocess.PIPE,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertIn("tools/image: ", done.stderr)
        self.assertEqual([path.name for path in full.iterdir()], ["kept"])

    def test_its_configuration_is_valid(self):
        with tarfile.open(self.layer) as tar:
            text = tar.extractfile("etc/sluice/sluice.yaml").read()
        (self.folder / "sluice.yaml").write_bytes(text)
        run(SLUICE, "--check", "--config", self.folder / "sluice.yaml")

    def test_the_configuration_for_kubernetes_is_valid(self):
        text = (SOURCE / "tools/packaging/container/kubernetes.yaml").read_text(encoding="utf-8")
        indented = re.search(r"  sluice.yaml: \|\n((?:    .*\n)+)", text)[1]
        (self.folder / "sluice.yaml").write_text(re.sub(r"^    ", "", indented, flags=re.MULTILINE)
                                                 .replace("/var/log/sluice", str(self.folder)),
                                                 encoding="utf-8")
        run(SLUICE, "--check", "--config", self.folder / "sluice.yaml")


# Starts the container as `podman run --network host --read-only --cap-drop ALL` does. The arguments
# of this script replace those of the image.
STARTER = """#!{python}
import json, os, sys
bundle = {bundle!r}
with open(os.path.join(bundle, "config.json"), encoding="utf-8") as file:
    spec = json.load(file)
spec["process"]["args"] = ["/usr/bin/sluice", *sys.argv[1:]]
spec["process"]["terminal"] = False
spec["process"]["capabilities"] = {{}}
spec["root"]["readonly"] = True
linux = spec["linux"]
linux["namespaces"] = [each for each in linux["namespaces"] if each["type"] != "network"]
linux.pop("resources", None)
spec["mounts"] = [each for each in spec["mounts"] if each["destination"] in ("/proc", "/dev")]
spec["mounts"].append({{"destination": "/var/log/sluice", "source": {data!r}, "type": "bind",
                       "options": ["bind", "rw", "nosuid", "nodev", "noexec"]}})
with open(os.path.join(bundle, "config.json"), "w", encoding="utf-8") as file:
    json.dump(spec, file)
os.chdir(bundle)
os.execvp("runc", ["runc", "--root", {state!r}, "run", {name!r}])
"""


@unittest.skipUnless(shutil.which("umoci") and shutil.which("runc"), "needs umoci and runc")
@unittest.skipUnless(os.geteuid() == 0, "runc needs root")
class Container(PackageTest):
    def setUp(self):
        super().setUp()
        _, layout = made()
        self.bundle, self.data = self.folder / "bundle", self.folder / "data"
        run("umoci", "unpack", "--image", f"{layout}:{name_of(layout)}", self.bundle)
        self.data.mkdir()
        os.chown(self.data, USER, USER)
        self.starter = self.folder / "sluice"
        self.starter.write_text(STARTER.format(
            python=sys.executable, bundle=str(self.bundle), data=str(self.data),
            state=str(self.folder / "state"), name=f"sluice-test-{os.getpid()}"), encoding="utf-8")
        self.starter.chmod(0o755)
        done = subprocess.run([self.starter, "--version"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        if done.returncode != 0 and "runc" in done.stderr:
            self.skipTest(f"no container can run here: {done.stderr.strip().splitlines()[-1]}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(run(SLUICE, "--version").splitlines()[0], done.stdout)

    def process(self):
        """The process of the program in the container, as the system sees it."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(path / "exe") == "/usr/bin/sluice" and (
                        str(self.bundle).encode() in (path / "mountinfo").read_bytes()):
                    return (path / "status").read_text(encoding="ascii")
            except OSError:
                continue
        raise AssertionError("no process of the container")

    def test_it_receives_and_writes_and_has_no_rights(self):
        program = self.start("--listen", RIEMANN, "--sink", "file:/var/log/sluice/out",
                             "--metrics", "127.0.0.1:0", program=self.starter)
        program.wait_for_log("sandbox: (landlock|seccomp)")
        status = self.process()
        self.assertRegex(status, r"\nSeccomp:\t2\n")
        self.assertRegex(status, rf"\nUid:\t{USER}\t{USER}\t{USER}\t{USER}\n")
        self.assertRegex(status, r"\nCapEff:\t0+\n")
        self.assertRegex(status, r"\nNoNewPrivs:\t1\n")
        run(pathlib.Path(SLUICE).with_name("sluice-send"), "--schema", "riemann", "--count", "100",
            "--rate", "max", "--to", program.names[0])
        program.wait_for_received(100)
        ledger = program.stop()
        sink = ledger["sinks"][0]
        self.assertEqual(sink["written"], ledger["listeners"][0]["decoded"])
        self.assertGreater(sink["written"], 0)
        lines = read_lines(self.data / "out")
        self.assertEqual(len(lines), sink["written"])
        self.assertTrue(all(line["source"].startswith("127.0.0.1:") for line in lines))


if __name__ == "__main__":
    need("cc", "ninja", "dpkg", "ldd")
    unittest.main()
