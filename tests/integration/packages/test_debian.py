"""tools/packages installs like Debian, but starts no service, and tools/debian reports why it
cannot run. apt-get, dpkg-query and debootstrap are scripts here. /usr/sbin is a folder of the test
in a namespace."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from namespaces import run_tests

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packages"
PROBE = ["mount", "--bind", "/tmp", "/usr/sbin"]
POLICY = pathlib.Path("/usr/sbin/policy-rc.d")

# A shell function that calls policy-rc.d as deb-systemd-invoke does, and records the answer. The
# package is in $DPKG_MAINTSCRIPT_PACKAGE.
ASK = """ask() { DPKG_MAINTSCRIPT_PACKAGE=$1 /usr/sbin/policy-rc.d "$2" "$3"; echo "$1 $3 $?" >>asked; }
"""
APT_GET = """#!/bin/bash
[[ " $* " == *" install "* ]] || exit 0
cp /usr/sbin/policy-rc.d kept 2>/dev/null
""" + ASK + """
ask nats-server nats-server.service start
ask logrotate logrotate.timer start
ask logrotate logrotate.timer restart
ask old old.service start
"""
DPKG_QUERY = """#!/bin/sh
case $* in *db:Status-Status*Package*) echo installed old; echo config-files logrotate;; esac
"""


class OtherRelease(unittest.TestCase):
    """tools/debian if it cannot create the release."""

    def run_with(self, *arguments):
        with tempfile.TemporaryDirectory() as name:
            fake = pathlib.Path(name) / "debootstrap"
            fake.write_text("#!/bin/sh\necho no network\nexit 1\n", encoding="ascii")
            fake.chmod(0o755)
            return subprocess.run([TOOL.with_name("debian"), *arguments], check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{name}:{os.environ['PATH']}"})

    def test_it_is_left_out_with_the_reason(self):
        log = TOOL.parents[1] / "build" / "debian" / "absent.log"
        self.addCleanup(log.unlink, missing_ok=True)
        done = self.run_with("absent", "true")
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertRegex(done.stderr, "no network\ntools/debian: absent cannot be had from http:"
                                      "|no namespaces for")
        self.assertFalse(log.with_name("absent").exists())

    def test_a_release_is_named(self):
        for arguments in ([], ["../x"], ["--help"]):
            done = self.run_with(*arguments)
            self.assertEqual((done.returncode, done.stdout), (64, ""))


class Packages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("apt-get", APT_GET), ("dpkg-query", DPKG_QUERY),
                           ("sudo", '#!/bin/sh\nexec "$@"\n')):
            (self.folder / "bin" / name).parent.mkdir(exist_ok=True)
            (self.folder / "bin" / name).write_text(text, encoding="ascii")
            (self.folder / "bin" / name).chmod(0o755)
        (self.folder / "sbin").mkdir()
        subprocess.run(["mount", "--bind", self.folder / "sbin", "/usr/sbin"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/usr/sbin"], check=True)

    def install(self):
        """Returns the output of tools/packages. The file `asked` then has the questions of the fake
        apt-get, with their answers."""
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        done = subprocess.run([TOOL, "test"], cwd=self.folder, env={**os.environ, "PATH": path},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def asked(self):
        return (self.folder / "asked").read_text(encoding="ascii").splitlines()

    def test_services_of_new_packages_are_not_started(self):
        said = self.install()
        self.assertEqual(self.asked(), ["nats-server start 101", "logrotate start 101",
                                        "logrotate restart 0", "old start 0"])
        self.assertIn("not started before the next boot, are services and timers of logrotate.timer "
                      "nats-server;", said)
        self.assertFalse(POLICY.exists())

    def test_a_policy_that_was_left_behind_allows_all(self):
        self.install()
        for package in ("nats-server", "old"):
            done = subprocess.run([self.folder / "kept", "nats-server.service", "start"], check=False,
                                  env={"PATH": os.environ["PATH"], "DPKG_MAINTSCRIPT_PACKAGE": package})
            self.assertEqual(done.returncode, 0)

    def test_the_policy_of_a_machine_stays(self):
        POLICY.write_text("#!/bin/sh\nexit 104\n", encoding="ascii")
        POLICY.chmod(0o755)
        said = self.install()
        self.assertIn("nats-server start 104", self.asked())
        self.assertNotIn("not started", said)
        self.assertEqual(POLICY.read_text(encoding="ascii"), "#!/bin/sh\nexit 104\n")


if __name__ == "__main__":
    run_tests("-m", PROBE)
