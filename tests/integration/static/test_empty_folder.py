"""The static program needs no other file: it runs in a root folder that contains only the program,
as in a container image FROM scratch. There is no C library, loader, /proc, /dev, /etc or time zone.
"""
import json
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import unittest

from binary_reading import read
from built import skip
from certificates import OPENSSL, Authority
from http_store import Store
from kafka_mock import KafkaMock
from metrics_client import MetricsClient
from protobuf import metric
from rotating import RotatingTest, numbered, unpacked
from sluice_program import ANY_PORT, RIEMANN, SLUICE, built_with
from test_tcp import OK, TCP, Client, framed

CONFIGURATION = 78
AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"  # on Debian
PT_INTERP = 3
DT_NEEDED = 1
UNSHARE = ["unshare"], ["unshare", "--user", "--map-root-user"]  # as root, and as another user


def with_root(folder):
    """The command that starts a program with `folder` as its root folder. None if this is not
    permitted."""
    for words in UNSHARE:
        enter = [*words, f"--root={folder}", "--wd=/"]
        try:
            result = subprocess.run([*enter, "/sluice", "--version"], capture_output=True, check=False)
        except FileNotFoundError:
            return None
        if result.returncode == 0:
            return enter
    return None


class EmptyFolder(RotatingTest):
    def setUp(self):
        super().setUp()
        shutil.copy(SLUICE, self.out / "sluice")
        self.enter = with_root(self.out)

    def start_inside(self, *arguments, **more):
        return self.start(*self.enter[1:], "/sluice", *arguments, program=self.enter[0], **more)


class Plain(EmptyFolder):
    def test_it_receives_and_writes_a_file(self):
        program = self.start_inside("--listen", RIEMANN, "--sink", "file:/lines")
        self.sender(program).send_all([metric(value) for value in range(500)])
        program.wait_for_settled(500)
        self.assertEqual(program.stop()["sinks"][0]["written"], 500)
        self.assertEqual(self.files(), ["lines", "sluice"])
        self.assertEqual(self.values("lines"), list(range(500)))

    def test_it_rotates_and_compresses_files(self):
        for kind in ("zstd", "gzip"):
            with self.subTest(kind):
                program = self.start_inside(
                    "--listen", ANY_PORT + "?schema=telemetry",
                    "--sink", f"file:/{kind}?rotate_size=1MiB&compress={kind}")
                sender = self.sender(program)
                sender.send_all([numbered(number) for number in range(1500)])
                program.wait_for_settled(1500)
                program.ask_to_reload()
                program.wait_for_log("reopened")
                sender.send_all([numbered(number) for number in range(1500, 3000)], before=1500)
                program.wait_for_settled(3000)
                program.stop()
                names = [name for name in self.files() if name.startswith(kind)]
                self.assertEqual(len(names), 2)
                self.assertEqual(sorted(self.numbers(*names)), list(range(3000)))
                self.assertTrue(all(unpacked(self.out / name) != (self.out / name).read_bytes()
                                    for name in names))

    def test_it_serves_the_page_and_is_fully_in_the_sandbox(self):
        program = self.start_inside("--listen", RIEMANN, "--sink", "file:/lines", "--metrics",
                                    "127.0.0.1:0")
        client = MetricsClient(program)
        self.assertIn("<title>Sluice</title>", client.ask("/", Accept="text/html").text())
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        self.assertEqual(client.health(), (200, {"status": "ready"}))
        said, = program.wait_for_log("sandbox: (.*)$")
        self.assertNotIn(b"not landlock", said[1])
        program.stop()


@unittest.skipUnless(built_with("http"), "a program without libcurl")
@unittest.skipIf(OPENSSL is None, "openssl is not installed")
class Encrypted(EmptyFolder):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)
        self.server = self.authority.issue("server")

    def store(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.server)
        store = Store(context=context)
        self.addCleanup(store.close)
        return store

    def check_delivers(self, store, keys=""):
        program = self.start_inside("--listen", RIEMANN, "--sink", f"https:{store.place}?format=json{keys}")
        self.sender(program).send_all([metric(value) for value in range(50)])
        program.wait_for_settled(50)
        self.assertEqual(program.stop()["sinks"][0]["written"], 50)
        self.assertEqual([json.loads(line)["value"] for line in store.lines()], list(range(50)))

    def test_a_listener_has_tls(self):
        for file, name in zip(self.server, ("cert", "key")):
            shutil.copy(file, self.out / name)
        program = self.start_inside("--listen", TCP + "&tls=on&cert=/cert&key=/key", "--sink", "file:/lines")
        client = Client(program)
        context = ssl.create_default_context(cafile=self.authority.cert)
        client.socket = context.wrap_socket(client.socket, server_hostname="127.0.0.1")
        self.addCleanup(client.socket.close)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.wait_for_settled(1)
        program.stop()
        self.assertEqual(self.values("lines"), [1])

    def test_a_store_of_a_given_authority_gets_records_by_https(self):
        shutil.copy(self.authority.cert, self.out / "authority")
        self.check_delivers(self.store(), "&server_ca=/authority")

    def test_authorities_of_the_system_are_found(self):
        (self.out / AUTHORITIES).parent.mkdir(parents=True)
        shutil.copy(self.authority.cert, self.out / AUTHORITIES)
        self.check_delivers(self.store())

    def test_a_system_without_authorities_needs_server_ca(self):
        said = self.refused(*self.enter[1:], "/sluice", "--check", "--listen", RIEMANN, "--sink",
                            "https://127.0.0.1:1/write?format=json", code=CONFIGURATION, program=self.enter[0])
        self.assertIn(f"server_ca= is needed: this system has no certificates of authorities in /{AUTHORITIES}",
                      said)


@unittest.skipUnless(built_with("kafka"), "a program without librdkafka")
class Broker(EmptyFolder):
    def test_a_broker_gets_records(self):
        cluster = KafkaMock(self)
        cluster.order("create t 1")
        program = self.start_inside("--listen", RIEMANN, "--sink", f"kafka://{cluster.brokers}/t?format=json")
        self.sender(program).send_all([metric(value) for value in range(50)])
        program.wait_for_settled(50)
        self.assertEqual(program.stop()["sinks"][0]["written"], 50)
        self.assertEqual([json.loads(value)["value"] for _, value in cluster.read("t")], list(range(50)))


class File(unittest.TestCase):
    def test_it_names_no_loader_and_no_library(self):
        program = read(SLUICE)
        self.assertNotIn(PT_INTERP, [segment[0] for segment in program.segments])
        self.assertNotIn(DT_NEEDED, program.dynamic)
        self.assertEqual([name for name in program.imports() if name], [])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SLUICE, pathlib.Path(folder, "sluice"))
        if with_root(folder) is None:
            skip("no program can be started in another root folder here (unshare --root)")
    unittest.main(verbosity=2)
