"""sluice-top without an address: which collector it finds. Runs in namespaces without other
collectors."""
import os
import pathlib
import subprocess
import sys

from built import skip
from namespaces import run_tests
from sluice_program import DEADLINE, SLUICE, TELEMETRY, ProgramTest, wait_until

TOP = str(pathlib.Path(SLUICE).with_name("sluice-top"))
SERVICE = "unix:/run/sluice/control"  # from tools/packaging/sluice.yaml
EXAMPLE = "unix:/tmp/sluice.sock"

# Creates new process, /run and /tmp namespaces. The programs keep their paths.
PREPARE = """\
mount -t proc none /proc && mount -t tmpfs none /run && mkdir /run/programs &&
mount --bind "$1" /run/programs && mount -t tmpfs none /tmp && mkdir -p "$1" &&
{ [ -x "$1/sluice" ] || mount --bind /run/programs "$1"; }"""
PROBE = ["sh", "-c", PREPARE, "sh", str(pathlib.Path(SLUICE).parent)]


class Places(ProgramTest):
    def top(self, *arguments):
        return subprocess.run([TOP, *arguments], timeout=DEADLINE, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def found(self):
        """The address of the collector that sluice-top found."""
        ended = self.top("--once")
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))
        return ended.stdout.decode().splitlines()[0].removeprefix("sluice-top").strip()

    def control(self, address, **more):
        program = self.start("--listen", TELEMETRY, "--control", address, **more)
        path = pathlib.Path(more.get("cwd", "."), address.removeprefix("unix:"))
        wait_until(path.exists, "the control socket")
        return program

    def test_where_there_is_none_it_says_where_it_looked(self):
        for arguments in (("--once",), ("--tap", "*")):
            ended = self.top(*arguments)
            self.assertEqual((ended.returncode, ended.stdout), (69, b""))
            for words in (SERVICE, EXAMPLE, "that you started", "sluice-top unix:PATH"):
                self.assertIn(words, ended.stderr.decode())

    def test_it_finds_the_packaged_service_first_then_ones_own_then_the_one_of_the_examples(self):
        pathlib.Path("/run/sluice").mkdir(exist_ok=True)
        example = self.control(EXAMPLE)
        self.assertEqual(self.found(), EXAMPLE)
        address = f"unix:{self.folder}/my control"
        own = self.control(address)
        self.assertEqual(self.found(), address)
        service = self.control(SERVICE)
        self.assertEqual(self.found(), SERVICE)
        for program in (service, own, example):
            program.stop()

    def test_a_path_that_does_not_begin_at_the_root_is_found(self):
        program = self.control("unix:control", cwd=self.folder)
        self.assertEqual(self.found(), f"unix:/proc/{program.process.pid}/cwd/control")
        program.stop()

    def test_another_users_collector_is_not_asked(self):
        """Any user can listen in /tmp."""
        script = ("import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX);"
                  "s.bind('/tmp/sluice.sock'); s.listen(); print(flush=True); sys.stdin.read()")
        pathlib.Path("/tmp").chmod(0o1777)
        with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as other:
            if other.stdout.readline() == b"":
                self.skipTest("needs a second user")
            ended = self.top("--once")
            other.stdin.close()
        pathlib.Path("/tmp/sluice.sock").unlink()
        self.assertEqual((ended.returncode, ended.stdout), (69, b""))
        self.assertIn(f"{EXAMPLE}: another user listens there", ended.stderr.decode())

    def test_who_listens_and_is_no_control_socket_is_not_looked_at(self):
        program = self.start("--listen", TELEMETRY)
        self.assertEqual(self.top("--once").returncode, 69)
        program.stop()


if __name__ == "__main__":
    if os.environ.get("TEST_NAMESPACE") == "1":
        subprocess.run(PROBE, check=True)
    elif not pathlib.Path(TOP).exists():
        skip("sluice-top was not built")
    run_tests("-mpf", PROBE)
