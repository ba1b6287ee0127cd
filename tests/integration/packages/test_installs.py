"""Machines install from a repository with the documented commands, upgrade, downgrade and remove:
Debian 12 and 13 with apt, each in a fresh folder, for this machine and for arm64 under qemu; and a
machine with dnf."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import emulated
from built import skip
from nats_server import NatsServer
from packaging import BUILD, SOURCE, PackageTest, arm64_build, need, packs, run
from repositories import (OLD, Key, Server, documented, rpms_with_version, system_rpm, undivided,
                          with_version)

CHANGED = "# Changed by the administrator.\n"
CONFIGURATION, DATA = "etc/sluice/sluice.yaml", "var/log/sluice/metrics.ndjson"

# Starts the collector as its service does, in a separate network, sends to it, and stops it.
COLLECT = """
ip link set lo up
mkdir -p "$1/var/log/sluice" "$1/var/lib/sluice" "$1/run/sluice"
chroot "$1" sluice --config /etc/sluice/sluice.yaml $2 2>"$1/log" &
for try in $(seq 300); do
    chroot "$1" sluice-send --schema riemann --rate max --count 1 >/dev/null 2>&1 && break
    sleep 0.1
done
chroot "$1" sluice-send --schema riemann --rate max --count 99
kill %1 2>/dev/null || kill $!
wait $!
"""


class Published(PackageTest):
    """A repository with two versions, on loopback."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = tempfile.TemporaryDirectory(dir=BUILD)
        cls.place = pathlib.Path(cls.scratch.name)
        cls.key = Key(cls.place / "key")
        cls.server = Server(cls.place / "served")
        for packages in cls.versions():
            done = cls.key.publish(cls.place / "served", *packages, url=cls.server.url)
            if done.returncode != 0:
                raise AssertionError(done.stderr)

    @classmethod
    def tearDownClass(cls):
        cls.server.end()
        cls.key.end()
        cls.scratch.cleanup()
        super().tearDownClass()


class Debian:
    """Tests of one Debian release, which a subclass names."""
    suite = None
    foreign = []  # options of debootstrap for another machine
    emulation = []  # words in front of commands for that machine

    @classmethod
    def build(cls):
        return BUILD

    @classmethod
    def versions(cls):
        cls.new = packs(cls.build(), "DEB", cls.place / "new")
        cls.old = with_version(cls.place / "old", cls.build())
        return cls.old.values(), cls.new.values()

    @classmethod
    def debootstrap(cls, root):
        # In separate mounts: debootstrap may leave /proc mounted, and copying that would never end.
        return subprocess.run(["unshare", "--mount", "debootstrap", *cls.foreign, "--variant=minbase", "--include=curl", cls.suite, root],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    @classmethod
    def fresh(cls):
        """A minimal system, made once by debootstrap and copied."""
        base = BUILD / "debootstrap" / "-".join([cls.suite, *cls.foreign[:1]]).replace("--arch=", "")
        if not base.exists():
            part = base.with_name(f"{base.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.parent.mkdir(exist_ok=True)
            done = cls.debootstrap(part)
            if done.returncode != 0:
                raise unittest.SkipTest(f"debootstrap {cls.suite} fails: {done.stdout[-200:]}")
            part.rename(base)
        root = cls.place / "machine"
        run("cp", "--archive", base, root)
        (root / "etc/apt/apt.conf.d/unattended").write_text(
            'APT::Get::Assume-Yes "true";\nDpkg::Options { "--force-confdef"; "--force-confold"; "--force-unsafe-io"; };\n', encoding="ascii")
        return root

    @classmethod
    def run_inside(cls, root, script):
        """Runs a script on the machine, and leaves no process of it running."""
        return subprocess.run(
            [*cls.emulation, "unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot", root, "sh", "-c", script],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def inside(self, *lines):
        done = self.run_inside(self.root, "set -e; mount -t proc proc /proc; " + "; ".join(lines))
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def versions_of(self, *names):
        listed = self.inside("dpkg-query --show --showformat='${db:Status-Status} ${Package} ${Version}\\n'")
        found = {line.split()[1]: line.split()[2] for line in listed.splitlines() if line.startswith("installed ")}
        return [found.get(name) for name in names]

    def collect(self, lines):
        """Sends 100 datagrams, after which the file has `lines` lines."""
        run(*self.emulation, "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", COLLECT, "bash", self.root,
            "--sandbox=auto" if self.emulation else "")  # qemu has no seccomp
        log = (self.root / "log").read_text(encoding="utf-8")
        self.assertEqual(self.lines(), lines, log)

    def lines(self):
        data = self.root / DATA
        return len(data.read_text(encoding="utf-8").splitlines()) if data.exists() else 0

    def test_it_installs_upgrades_goes_back_and_is_purged(self):
        self.root = self.fresh()
        source, install, upgrade, back, purge = self.steps()
        now = run("dpkg-deb", "--field", self.new["sluice-collector"], "Version").strip()
        configuration = self.root / CONFIGURATION

        self.inside(*source, f"{install}={OLD} sluice-tools={OLD}")
        self.assertEqual(self.versions_of("sluice-collector", "sluice-tools"), [OLD, OLD])
        self.collect(100)
        with open(configuration, "a", encoding="utf-8") as changed:
            changed.write(CHANGED)

        self.inside(*upgrade)
        self.assertEqual(self.versions_of("sluice-collector", "sluice-tools"), [now, now])
        self.assertTrue(configuration.read_text(encoding="utf-8").endswith(CHANGED))
        self.collect(200)
        self.sends_to_nats()

        self.inside(back)
        self.assertEqual(self.versions_of("sluice-collector", "sluice-tools"), [OLD, OLD])
        self.assertTrue(configuration.read_text(encoding="utf-8").endswith(CHANGED))
        self.collect(300)

        self.inside(purge)
        self.assertEqual(self.versions_of("sluice-collector"), [None])
        self.assertFalse(configuration.exists())
        self.assertEqual(self.lines(), 300)

        self.replaces_the_undivided_package(install, now)
        self.inside("apt install libsluice-client-dev python3-sluice-client",
                    "python3 -c 'import sluice_client, sluice_seal'")
        self.assertEqual(self.versions_of("python3-sluice-client", "libsluice-client-dev"), [now, now])
        self.assertIn("is not signed", self.with_another_key())

    def replaces_the_undivided_package(self, install, now):
        """Replaces the package of 0.1.0, which was named sluice and contained all programs."""
        self.inside("apt purge sluice-tools")
        self.assertEqual(self.left(), {"/run/sluice", "/var/lib/sluice", "/var/log/sluice"})  # by COLLECT
        shutil.copy(undivided(self.place, self.old), self.root / "undivided.deb")
        self.inside("apt install ./undivided.deb")
        self.assertEqual(self.versions_of("sluice", "sluice-tools"), [OLD, None])
        with open(self.root / CONFIGURATION, "a", encoding="utf-8") as changed:
            changed.write(CHANGED)
        self.inside(install)
        self.assertEqual(self.versions_of("sluice", "sluice-collector", "sluice-tools"), [None, now, now])
        self.inside("apt purge sluice")
        self.assertTrue((self.root / CONFIGURATION).read_text(encoding="utf-8").endswith(CHANGED))
        self.collect(400)

    def left(self):
        """The paths with "sluice" in their names after a purge, except those that apt keeps about
        the repository."""
        found = self.inside("find / -xdev -name '*sluice*' -not -path '/proc/*'").split()
        return {path for path in found if not path.startswith(("/etc/apt/", "/var/lib/apt/", "/var/cache/apt/"))}

    def steps(self):
        first, second, update, install, *upgrade, back, purge = documented("On Debian", self.server.url)
        return [first, second, update], install, upgrade, back, purge

    def with_another_key(self):
        """The output of apt for lists that are not signed with the machine's key."""
        other = Key(self.place / "other")
        ring = self.root / "etc/apt/keyrings/sluice.asc"
        ring.write_text(run("gpg", "--armor", "--export", env=other.environment), encoding="ascii")
        other.end()
        return self.inside("rm -rf /var/lib/apt/lists", "! apt-get -o APT::Update::Error-Mode=any update 2>&1")


    def sends_to_nats(self):
        """The libraries that the package recommends are those that the program loads, also on a
        Debian release with other versions."""
        said = self.inside("sluice --version")
        for name in ("tls", "http", "kafka", "nats"):
            self.assertRegex(said, rf"\n{name}: \S+ \d", said)
        if "TEST_NATS_SERVER" not in os.environ:
            return
        server = NatsServer(self)
        server.add_stream("RECORDS", "metrics", subjects=["metrics"])
        shutil.copy(SOURCE / "tests/captures/riemann_cli_v4.pcap", self.root / "capture.pcap")
        self.inside("sluice --listen 'pcap:/capture.pcap?port=5555&schema=riemann' "
                    f"--sink nats://127.0.0.1:{server.port}/metrics")
        self.assertIn(b'"kind":"gauge"', b"".join(server.read("RECORDS")))


class Bookworm(Debian, Published):
    suite = "bookworm"


class Trixie(Debian, Published):
    suite = "trixie"


class Arm64(Debian):
    """The tests of a package for another machine."""
    foreign = ["--arch=arm64", "--foreign"]
    emulation = emulated.words("aarch64")

    @classmethod
    def setUpClass(cls):
        reason = emulated.lacking("aarch64")
        if reason or not shutil.which("aarch64-linux-gnu-gcc"):
            raise unittest.SkipTest(reason or "needs aarch64-linux-gnu-gcc")
        super().setUpClass()

    @classmethod
    def build(cls):
        return arm64_build()

    @classmethod
    def debootstrap(cls, root):
        """Unpacks the packages and creates devices, which an emulated system cannot. Then runs
        their scripts there."""
        done = super().debootstrap(root)
        if done.returncode != 0:
            return done
        with open(root / "debootstrap/functions", "a", encoding="ascii") as functions:
            functions.write("\ncheck_sane_mount () { return 0; }\n")  # the original tries to create a device
        return cls.run_inside(root, "/debootstrap/debootstrap --second-stage")


class BookwormArm64(Arm64, Bookworm):
    pass


class TrixieArm64(Arm64, Trixie):
    pass


@unittest.skipUnless(shutil.which("dnf") and shutil.which("createrepo_c"), "needs dnf and createrepo-c")
class Dnf(Published):
    """A folder into which dnf installs. Scripts of packages do not run, because the folder has no
    shell."""

    @classmethod
    def versions(cls):
        cls.new = packs(BUILD, "RPM", cls.place / "new")
        system = system_rpm(cls.place, cls.new.values())
        return rpms_with_version(cls.place / "old").values(), [*cls.new.values(), system]

    def setUp(self):
        super().setUp()
        self.root = self.folder / "machine"
        self.repos = self.root / "etc/yum.repos.d"
        self.repos.mkdir(parents=True)

    def dnf(self, words):
        """Runs a dnf command on the machine. Packages for all machines are in a separate
        repository."""
        common = f"{self.server.url}/rpm/noarch"
        return run("dnf", "--assumeyes", f"--installroot={self.root}", f"--setopt=reposdir={self.repos}",
                   "--releasever=1", "--setopt=tsflags=noscripts", f"--repofrompath=system,{common}",
                   f"--setopt=system.gpgkey={self.server.url}/sluice.asc", *words.split()[1:])

    def versions_of(self, *names):
        listed = run("rpm", "--root", self.root, "--query", "--all", "--queryformat", "%{NAME} %{VERSION}\n")
        found = dict(line.split() for line in listed.splitlines())
        return [found.get(name) for name in names]

    def test_it_installs_upgrades_and_goes_back(self):
        download, install, upgrade, back = documented("With dnf", self.server.url)
        run(*download.replace("/etc/yum.repos.d", str(self.repos)).split())
        now = run("rpm", "--query", "--queryformat", "%{VERSION}", "--package", self.new["sluice"])
        self.dnf(install)
        self.assertEqual(self.versions_of("sluice", "sluice-tools"), [now, now])
        self.dnf(back)
        self.assertEqual(self.versions_of("sluice", "sluice-tools"), [OLD, OLD])
        with open(self.root / CONFIGURATION, "a", encoding="utf-8") as changed:
            changed.write(CHANGED)
        self.dnf(upgrade)
        self.assertEqual(self.versions_of("sluice", "sluice-tools"), [now, now])
        self.assertTrue((self.root / CONFIGURATION).read_text(encoding="utf-8").endswith(CHANGED))
        self.assertTrue(os.access(self.root / "usr/bin/sluice", os.X_OK))

    def test_lists_and_packages_are_signed_by_the_key(self):
        run("rpm", "--root", self.root, "--initdb")
        key = self.place / "served/sluice.asc"
        run("rpmkeys", "--root", self.root, "--import", key)
        for package in (self.place / "served/rpm").rglob("*.rpm"):
            self.assertIn("digests signatures OK", run("rpmkeys", "--root", self.root, "--checksig", package))
        ring = self.folder / "ring.gpg"
        run("gpg", "--batch", "--dearmor", "--output", ring, key, env=self.key.environment)
        lists = self.place / "served/rpm/x86_64/repodata/repomd.xml"
        run("gpgv", "--keyring", ring, f"{lists}.asc", lists)


if __name__ == "__main__":
    need("debootstrap", "dpkg-scanpackages", "gpg", "ip", "unshare")
    if os.geteuid() != 0:
        skip("needs root")
    unittest.main()
