"""If the configuration has secrets, other processes of the same user must not be able to read the
process."""
import http.client
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import unittest

from built import command, not_on_windows
from metrics_client import SERVES, MetricsClient
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, SANITIZED, ProgramTest, built_with, wait_until

USER = 65534

# Prints the files of the process that this user can open.
READER = """
import os, sys
for name in ("environ", "mem", "maps"):
    try:
        with open(f"/proc/{sys.argv[1]}/{name}", "rb") as file:
            file.read(0 if name == "mem" else 1)
        print(name)
    except OSError:
        pass
try:
    os.listdir(f"/proc/{sys.argv[1]}/fd")
    print("fd")
except OSError:
    pass
"""
ALL = {"environ", "mem", "maps", "fd"}

# Attaches to the process as a debugger does, and reads its memory with another call.
DEBUGGER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
process = int(sys.argv[1])
attached = libc.ptrace(16, process, None, None) == 0
if attached:
    os.waitpid(process, 0)
    libc.ptrace(17, process, None, None)
buffer = ctypes.create_string_buffer(8)
class Piece(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
own, other = Piece(ctypes.addressof(buffer), 8), Piece(4096, 8)
libc.process_vm_readv(process, ctypes.byref(own), 1, ctypes.byref(other), 1, 0)
print(attached, os.strerror(ctypes.get_errno()))
"""


@not_on_windows("the owner of a process may read it")
@unittest.skipUnless(built_with("http"), "a program without HTTP")
class Shield(ProgramTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)
        self.token = self.folder / "token"
        self.token.write_text("a-token\n", encoding="utf-8")

    def command(self):
        """The command of the program. As root it starts as an unprivileged user."""
        if os.geteuid() != 0:
            return SLUICE
        starter = self.folder / "sluice"
        starter.write_text(f"#!/bin/sh\nexec setpriv --reuid={USER} --regid={USER} --clear-groups "
                           f"{SLUICE} \"$@\"\n", encoding="utf-8")
        starter.chmod(0o755)
        return starter

    def readable(self, program):
        more = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run([sys.executable, "-c", READER, str(program.process.pid)], cwd="/",
                              capture_output=True, text=True, check=True, **more)
        return set(done.stdout.split())

    def run_with(self, *arguments, **more):
        return self.start("--listen", RIEMANN, *arguments, program=self.command(), **more)

    def http(self, more=""):
        return f"http://127.0.0.1:9/write?format=influx{more}"

    def test_without_secrets_it_can_be_examined(self):
        program = self.run_with("--sink", f"file:{self.folder}/out", "--sink", self.http())
        self.assertLessEqual({"environ", "maps", "fd"}, self.readable(program))

    def test_with_the_file_of_a_token_it_cannot_be_read(self):
        program = self.run_with("--sink", self.http(f"&token_file={self.token}"))
        self.assertEqual(self.readable(program), set())

    def test_with_a_secret_in_an_address_it_cannot_be_read(self):
        program = self.run_with("--sink", self.http("&query=api_key=abc"))
        self.assertEqual(self.readable(program), set())

    def test_a_shielded_process_collects_and_reports_as_others_do(self):
        program = self.run_with("--sink", "stdout:", "--sink", self.http(f"&token_file={self.token}"),
                                "--metrics", "127.0.0.1:0", "--stop-timeout", "100ms")
        self.assertEqual(self.readable(program), set())
        self.sender(program).send_all([metric(number) for number in range(10)])
        self.assertIn("process_open_fds", str(MetricsClient(program).numbers()))
        program.stop()
        self.assertEqual(len(program.output()), 10)

    def test_a_reload_that_adds_a_secret_shields_it(self):
        configuration = self.folder / "sluice.yaml"
        lines = ["listeners: ['udp://127.0.0.1:0?schema=riemann']", "sinks:", f"  - 'file:{self.folder}/out'"]
        configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        program = self.start("--config", configuration, program=self.command())
        self.assertNotEqual(self.readable(program), set())
        lines.append(f"  - '{self.http(f'&token_file={self.token}')}'")
        configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        program.ask_to_reload()
        wait_until(lambda: self.readable(program) == set(), "a shielded process")

    def test_a_reload_that_adds_a_secret_shields_a_program_in_its_sandbox(self):
        configuration = self.folder / "sluice.yaml"
        text = f"sandbox: auto\nlisteners: ['udp://127.0.0.1:0?schema=riemann']\nsinks: ['{self.http()}KEYS']\n"
        configuration.write_text(text.replace("KEYS", ""), encoding="utf-8")
        program = self.start("--config", configuration, program=self.command())
        self.assertNotEqual(self.readable(program), set())
        configuration.write_text(text.replace("KEYS", "&query=api_key=abc"), encoding="utf-8")
        program.ask_to_reload()
        wait_until(lambda: self.readable(program) == set(), "a shielded process")
        program.wait_for_log("reloaded|not reloaded|reload")
        program.stop()


    def debugger(self, program):
        more = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run([sys.executable, "-c", DEBUGGER, str(program.process.pid)], cwd="/", text=True,
                              capture_output=True, check=True, timeout=DEADLINE, **more).stdout

    def leaves_core(self, program):
        """Returns true if the process leaves a core dump when it is aborted."""
        process = program.process.pid
        os.kill(process, signal.SIGABRT)
        status = os.waitpid(process, 0)[1]
        program.process.returncode = -signal.SIGABRT
        self.assertTrue(os.WIFSIGNALED(status))
        return os.WCOREDUMP(status)

    @unittest.skipIf(SANITIZED, "a sanitizer handles the signal, and wants no cores")
    def test_neither_a_debugger_nor_a_core_gets_the_secret(self):
        more = {"cwd": self.folder, "preexec_fn": lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)}
        bare = ("--sandbox", "off", "--sink")  # the sandbox would not permit a core dump in this folder
        plain = self.run_with(*bare, self.http(), **more)
        if self.debugger(plain) != "True Bad address\n":  # the lowest pages are never mapped
            self.skipTest("no user may trace processes here")
        had_core = self.leaves_core(plain)
        program = self.run_with(*bare, self.http(f"&token_file={self.token}"), **more)
        self.assertEqual(self.debugger(program), "False Operation not permitted\n")
        self.assertFalse(self.leaves_core(program))
        if pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="ascii") == "core\n":
            self.assertTrue(had_core)


@not_on_windows("its memory cannot be read so")
@unittest.skipIf(os.geteuid() != 0 or SANITIZED, "only root can read it, and sanitizers keep copies")
class Memory(ProgramTest):
    """Secrets in the memory of the process, searched as root."""

    def find(self, program, secret):
        """For each occurrence of these bytes, whether its mapping is excluded from core dumps."""
        process = program.process.pid
        found = []
        text = pathlib.Path(f"/proc/{process}/smaps").read_text(encoding="utf-8")
        with open(f"/proc/{process}/mem", "rb", 0) as memory:
            for part in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", text, flags=re.M)[1:]:
                begin, end, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", part).groups()
                if not rights.startswith("rw"):
                    continue
                begin, end = int(begin, 16), int(end, 16)
                hidden = " dd" in re.search("^VmFlags:(.*)$", part, re.M)[1]
                for at in range(begin, end, 1 << 22):
                    memory.seek(at)
                    data = memory.read(min(end - at, (1 << 22) + len(secret)))
                    found += [hidden] * data.count(secret)
        return found

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="ascii")
        path.chmod(0o600)
        return path

    @unittest.skipUnless(SERVES, "this program was built without metrics")
    def test_the_token_of_metrics_is_once_in_the_memory_and_in_no_core(self):
        token = "canary-9d8f7a6b5c4d3e2f"
        program = self.start("--listen", RIEMANN, "--metrics", "127.0.0.1:0", "--metrics-token-file",
                             self.file("token", token + "\n"))
        client = MetricsClient(program)
        for path in ("/metrics", "/healthz", "/"):
            connection = http.client.HTTPConnection(client.host, client.port, timeout=DEADLINE)
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        self.assertEqual(self.find(program, token.encode()), [True])
        newer = "canary-0f1e2d3c4b5a6978"
        self.file("token", newer + "\n")
        program.ask_to_reload()
        program.ledger_now()
        self.assertEqual(self.find(program, newer.encode()), [True])
        self.assertEqual(self.find(program, token.encode()), [])
        program.stop()

    @unittest.skipUnless("TEST_SODIUM" in os.environ, "a program without libsodium")
    def test_pages_of_keys_are_left_out_of_cores_and_their_file_is_not_kept(self):
        line = subprocess.run(command(SLUICE, "keygen", "one"), capture_output=True, text=True,
                              check=True).stdout
        program = self.start("--listen", "udp://127.0.0.1:0?schema=riemann&framing=sealed&keys="
                             f"{self.file('keys', line)}")
        text = line.split()[2]
        self.assertEqual(self.find(program, text.encode()[:32]), [])
        places = self.find(program, b"one\0")  # the name is next to data that is derived from the key
        self.assertIn(True, places)
        program.stop()

    @unittest.skipUnless(built_with("http"), "a program without HTTP")
    def test_what_was_read_from_files_is_cleared(self):
        password, token = "canary-of-a-password-1234", "canary-of-a-token-5678"
        login = self.file("login", f"me:{password}\nmore\n")
        other = self.file("token", f"{token}\nmore-of-the-same-file\n")
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http://127.0.0.1:9/?format=json&password_file={login}", "--sink",
                             f"http://127.0.0.1:9/a?format=json&token_file={other}")
        self.assertEqual(self.find(program, password.encode()), [])  # only its base64 form is kept
        self.assertEqual(self.find(program, f"{token}\nmore".encode()), [])
        program.stop()


if __name__ == "__main__":
    unittest.main()
