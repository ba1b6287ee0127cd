"""Tests the sandbox with files that are named in other files: those that exist at the start are
permitted, others are refused."""
import pathlib
import subprocess
import tempfile
import unittest

from built import NO_SANDBOX, command, not_on_windows
from certificates import Authority
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SANITIZED, SLUICE, ProgramTest, built_with
from test_config import READS_FILES

PROTOC = pathlib.Path("/usr/bin/protoc")


@not_on_windows(NO_SANDBOX)
@unittest.skipIf(SANITIZED, "a sanitizer needs what the sandbox takes away")
@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class NamedFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        if not built_with("sandbox"):
            self.skipTest("this system has no sandbox")
        self.path = self.folder / "config" / "sluice.yaml"
        self.path.parent.mkdir()

    def elsewhere(self):
        """A folder that contains no other path of the test."""
        folder = tempfile.TemporaryDirectory(prefix="sluice-elsewhere-")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def write(self, *sinks, listener=RIEMANN, more=""):
        lines = [f"listeners:\n  - {listener}\nsandbox: on", "sinks:",
                 *(f"  - {sink}" for sink in (f"file:{self.folder}/lines", *sinks)), more, ""]
        new = self.path.with_name("new")
        new.write_text("\n".join(lines), encoding="utf-8")
        new.replace(self.path)

    def begin(self, *sinks, **more):
        self.write(*sinks, **more)
        return self.start("--config", self.path, "--stop-timeout", "100ms")

    def assert_receives(self, program):
        self.sender(program).send(metric(1))
        program.wait_for_settled(1)

    # --- properties of libraries ---

    def named_by_properties(self, sink, properties, line):
        """Reloads a properties file: first with a changed key, then with a file elsewhere."""
        properties.write_text(line(Authority(self.elsewhere()).cert), encoding="ascii")
        program = self.begin(sink)
        self.write(sink + "&in_flight=2")  # creates a new client, which reads the file inside the sandbox
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        other = Authority(self.elsewhere()).cert
        properties.write_text(line(other), encoding="ascii")
        self.write(sink + "&in_flight=3")
        program.ask_to_reload()
        program.wait_for_log(f"reload refused.*{other.parent}: outside the sandbox.*restart")
        self.assert_receives(program)
        program.stop()

    def test_certificates_that_properties_of_librdkafka_name(self):
        if not built_with("kafka"):
            self.skipTest("this program was built without kafka: sinks")
        properties = self.path.with_name("kafka.properties")
        self.named_by_properties(
            f"kafka://127.0.0.1:9/topic?format=json&properties_file={properties}", properties,
            lambda cert: f"# TLS\nsecurity.protocol = ssl\nssl.ca.location = {cert}\n")

    def test_a_seed_that_a_login_of_nats_names(self):
        if not built_with("nats"):
            self.skipTest("this program was built without nats: sinks")
        login = self.path.with_name("login")
        self.named_by_properties(f"nats://127.0.0.1:9/subject?format=json&credentials_file={login}",
                                 login, lambda seed: f"nkey=UABC\nseed_file={seed}\n")

    def test_a_login_by_kerberos_cannot_be_in_it(self):
        if not built_with("kafka"):
            self.skipTest("this program was built without kafka: sinks")
        properties = self.path.with_name("kafka.properties")
        sink = f"kafka://127.0.0.1:9/topic?format=json&properties_file={properties}"
        for lines, refused in (("security.protocol=sasl_ssl\n", True),
                               ("security.protocol=SASL_SSL\nsasl.mechanisms=GSSAPI\n", True),
                               ("security.protocol=sasl_ssl\nsasl.mechanisms=PLAIN\n", False),
                               ("security.protocol=ssl\n", False)):
            properties.write_text(lines, encoding="ascii")
            self.write(sink)
            with self.subTest(lines=lines):
                said = self.checked("--config", self.path)
                self.assertEqual("logs in by Kerberos, for which its library runs kinit" in said,
                                 refused, said)

    @staticmethod
    def checked(*arguments):
        """The output of --check, whatever its result."""
        return subprocess.run(command(SLUICE, "--check", *map(str, arguments)), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=DEADLINE).stdout

    # --- the configuration ---

    def test_a_file_of_the_configuration_elsewhere_is_refused_with_the_sandbox_as_a_cause(self):
        program = self.begin()
        more = self.elsewhere() / "more.yaml"
        more.write_text("sinks: []\n", encoding="ascii")
        self.write(more=f"files:\n  - {more}")
        program.ask_to_reload()
        program.wait_for_log("reload refused.*Permission denied; if it is outside the sandbox.*restart")
        self.assert_receives(program)
        program.stop()

    # --- schemas ---

    def test_imports_in_folders_above_are_compiled_again(self):
        if not PROTOC.exists():
            self.skipTest("no protoc")
        root = self.elsewhere()
        common, one = root / "common" / "part.proto", root / "schemas" / "one.proto"
        for path in (common, one):
            path.parent.mkdir()
        part = 'syntax = "proto3"; message Part {{ double {} = 1; }}'
        common.write_text(part.format("before"), encoding="utf-8")
        one.write_text('syntax = "proto3"; import "common/part.proto"; '
                       'import "google/protobuf/timestamp.proto"; message One { Part part = 1; '
                       'google.protobuf.Timestamp at = 2; }', encoding="utf-8")
        program = self.start("--listen", f"udp://127.0.0.1:0?schema={one}&message=One&value=*",
                             "--sink", f"file:{self.folder}/lines", "--sandbox", "on")
        sender = self.sender(program)
        sender.send(b"\x0a\x09\x09" + bytes(6) + b"\xf0\x3f")
        program.wait_for_settled(1)
        common.write_text(part.format("after"), encoding="utf-8")
        program.ask_to_reload()
        program.wait_for_log("schemas reloaded")
        sender.send(b"\x0a\x09\x09" + bytes(6) + b"\xf0\x3f")
        program.wait_for_settled(2)
        program.stop()
        written = (self.folder / "lines").read_text(encoding="utf-8").splitlines()
        self.assertIn("before", written[0])
        self.assertIn("after", written[1])


if __name__ == "__main__":
    unittest.main()
