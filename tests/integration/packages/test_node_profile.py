"""The sandbox inside the seccomp profile that a Kubernetes node applies to a pod with
RuntimeDefault. It is containerd's profile, read in the source of its Go module, which is downloaded
and not built."""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import unittest

from built import skip
from packaging import PackageTest, run
from sluice_program import DEADLINE, RIEMANN, SLUICE, read_lines

CONTAINERD = "github.com/containerd/containerd/v2@v2.1.4"
GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64", "s390x": "s390x"}

# Starts the program with a profile: the names of permitted calls. As in containerd for a process
# without capabilities, other calls fail with EPERM, clone may not create namespaces, and clone3
# does not exist.
STARTER = """#!/usr/bin/python3
import errno, os, socket, sys
import seccomp
profile = seccomp.SyscallFilter(defaction=seccomp.ERRNO(errno.EPERM))
for name in {names!r}:
    try:
        profile.add_rule(seccomp.ALLOW, name)
    except (RuntimeError, ValueError):
        pass  # a call that libseccomp does not know, which runc leaves out, too
profile.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.NE, socket.AF_VSOCK))
profile.add_rule(seccomp.ALLOW, "clone", seccomp.Arg({clone_flags}, seccomp.MASKED_EQ, 0x7e020000, 0))
profile.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
profile.load()
os.execv({program!r}, [{program!r}, *sys.argv[1:]])
"""


def permitted():
    """The calls that containerd's profile permits to a process without capabilities, with any
    arguments."""
    done = subprocess.run(["go", "mod", "download", "-json", CONTAINERD], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        skip(f"containerd's source cannot be had: {done.stdout.strip()[-200:]}")
    text = pathlib.Path(json.loads(done.stdout)["Dir"], "contrib/seccomp/seccomp_default.go").read_text(encoding="utf-8")
    profile = text.split("func DefaultProfile", 1)[1]
    always = re.search(r"Names: \[\]string\{(.*?)\},\s*Action: specs\.ActAllow", profile, re.DOTALL)[1]
    machine = GO_NAMES[platform.machine()]
    special = re.search(rf'case [^\n]*"{machine}"[^\n]*:\n\s*s\.Syscalls = append.*?Names: \[\]string\{{(.*?)\}}', profile,
                        re.DOTALL)[1]
    return re.findall(r'"(\w+)"', always + special)


class Profile(PackageTest):
    def starter(self, names):
        path = self.folder / "sluice"
        path.write_text(STARTER.format(names=names, program=SLUICE, clone_flags=1 if platform.machine() == "s390x" else 0),
                        encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_the_whole_sandbox_is_in_force_and_records_are_written(self):
        program = self.start("--sandbox", "on", "--listen", RIEMANN, "--sink", f"file:{self.folder}/out",
                             "--metrics", "127.0.0.1:0", program=self.starter(CALLS))
        program.wait_for_log("sandbox: .*landlock.*seccomp")
        run(pathlib.Path(SLUICE).with_name("sluice-send"), "--schema", "riemann", "--count", "100", "--rate", "max",
            "--to", program.names[0])
        program.wait_for_received(100)
        self.assertGreater(program.stop()["sinks"][0]["written"], 0)
        self.assertTrue(read_lines(self.folder / "out"))

    def test_with_a_profile_that_has_no_landlock_the_log_names_what_is_left(self):
        starter = self.starter([name for name in CALLS if not name.startswith("landlock")])
        done = subprocess.run([starter, "--sandbox", "on", "--listen", RIEMANN, "--sink", f"file:{self.folder}/out",
                               "--duration", "100ms"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sandbox: seccomp\n", done.stderr)


if __name__ == "__main__":
    if not shutil.which("go"):
        skip("needs Go, to download containerd's source")
    if platform.machine() not in GO_NAMES:
        skip(f"is not written for {platform.machine()}")
    if subprocess.run(["/usr/bin/python3", "-c", "import seccomp"], capture_output=True, check=False).returncode != 0:
        skip("needs python3-seccomp")
    CALLS = permitted()
    unittest.main()
