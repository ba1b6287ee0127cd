"""The resources that clients of a tls=on listener can use are limited. Those of other users of
OpenSSL in the program are not."""
import os
import pathlib
import shutil
import ssl
import struct
import tempfile
import time
import unittest

from built import STATIC, skip
from certificates import OPENSSL, Authority
from http_store import Store
from protobuf import metric
from sluice_program import (
    CHANGED, CONNECTION_ENDS, NO_TCP_LISTENER, ONE_THREAD, SANITIZED, wait_until)
from test_config import READS_FILES
from test_resident import resident
from test_tcp import OK, TCP, Client, Tcp, framed

EACH = 80 + 6  # KiB: planned for each connection's TLS, and its own buffers
SUITES = struct.pack(">HH", 0x1301, 0xC02B)  # one suite of TLS 1.3 and one of 1.2
SINKS = 8


def setUpModule():
    global AUTHORITY, TLS, MUTUAL, SERVER  # pylint: disable=global-variable-undefined
    folder = tempfile.TemporaryDirectory(prefix="sluice-test-certificates-")
    unittest.addModuleCleanup(folder.cleanup)
    AUTHORITY = Authority(pathlib.Path(folder.name))
    SERVER = AUTHORITY.issue("server")
    TLS = f"{TCP}&tls=on&cert={SERVER[0]}&key={SERVER[1]}"
    MUTUAL = f"{TLS}&client_ca={AUTHORITY.cert}"


def sized(size, data):
    """The data after its length, which is a number of `size` bytes."""
    return len(data).to_bytes(size, "big") + data


def extension(number, data):
    return struct.pack(">H", number) + sized(2, data)


def record(kind, data):
    return bytes([kind, 3, 3]) + sized(2, data)


# Keys of X25519MLKEM768, which OpenSSL 3.5 accepts and keeps, and of X25519. Any bytes are valid
# coefficients in the first part; these are 0.
KEY = (b"\x11\xec" + sized(2, bytes(1152) + os.urandom(64)) +
       b"\x00\x1d" + sized(2, os.urandom(32)))


def hello(size=8192, suites=256, is_new=True, key=KEY):
    """A ClientHello of TLS 1.3 or 1.2 with this size. Extensions and suites are repeated to fill
    it."""
    # Groups: X25519MLKEM768, X25519, P-256.
    parts = extension(10, sized(2, b"\x11\xec\x00\x1d\x00\x17"))
    if is_new:
        parts += extension(43, b"\x02\x03\x04") + extension(
            51, sized(2, key))
    head = b"\x03\x03" + os.urandom(32) + sized(1, os.urandom(32))
    head += sized(2, SUITES * suites) + b"\x01\x00"
    left = size - len(head) - 2 - len(parts)
    count = (left - 12) // 4
    parts += extension(13, sized(2, b"\x04\x03" * count))  # signature algorithms: P-256
    left = size - len(head) - 2 - len(parts)
    names = b"\x01a" * ((left - 6) // 2)
    parts += extension(16, sized(2, names))  # application protocols (ALPN)
    body = head + sized(2, parts)
    return b"\x01" + sized(3, body)


def certificates(size=16300):
    """The certificate message of TLS 1.2 with this size. Its last certificate is incomplete."""
    return (b"\x0b" + size.to_bytes(3, "big") + (size - 3).to_bytes(3, "big") + bytes(size - 4))


class Limits(Tcp):
    def refused(self, why, *data):
        program = self.start("--listen", TLS)
        client = self.client(program)
        client.send(b"".join(data))
        program.wait_for_log("TLS failed: " + why)
        client.socket.close()
        self.wait_for_end(program, "tls_failed")
        program.stop()

    def test_a_hello_that_is_too_long(self):
        self.refused("the client's hello is longer than 8 KiB", record(22, b"\x01\x00\x20\x01"))
        self.refused("the client's hello is longer than 8 KiB",
                     *(record(22, bytes([byte])) for byte in b"\x01\x02\x00\x00"))

    def test_a_hello_with_very_many_cipher_suites(self):
        self.refused("the client's hello is longer than 8 KiB, or has more than 512",
                     record(22, hello(suites=257)))

    def test_a_handshake_that_goes_on_and_on(self):
        """The first hello has no key, so the server requests another one. Each byte is sent in a
        separate record."""
        program = self.start("--listen", TLS)
        client = self.client(program)
        pieces = b"".join(record(22, bytes([byte])) for byte in hello(suites=1, key=b""))
        client.send(pieces)
        self.assertEqual(client.socket.recv(1), b"\x16")
        client.send(pieces)
        program.wait_for_log("TLS failed: the handshake is longer than 64 KiB")
        client.socket.close()
        self.wait_for_end(program, "tls_failed")
        program.stop()

    def test_the_largest_hello_is_served(self):
        program = self.start("--listen", TLS)
        for is_new in (True, False):
            client = self.client(program)
            client.send(record(22, hello(is_new=is_new)))
            self.assertEqual(client.socket.recv(1), b"\x16")
        program.stop()


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Allowance(Tcp):
    """The total size of handshakes: the number of concurrent large ones shows how much memory is
    left. Each uses the largest hello, and room for certificates."""
    CONNECTIONS = 40

    def setUp(self):
        super().setUp()
        self.config = self.folder / "sluice.yaml"
        self.files = self.folder / "cert", self.folder / "key"
        self.use(SERVER)
        self.config.write_text("\n".join((
            "listeners:", "  - address: tcp://127.0.0.1:0", "    schema: riemann", "    tls: on",
            f"    cert: {self.files[0]}", f"    key: {self.files[1]}", "    frame_timeout: 1h",
            f"    max_connections: {self.CONNECTIONS}",
            f"    max_connections_per_address: {self.CONNECTIONS}", "")), encoding="ascii")

    def use(self, files):
        for to, source in zip(self.files, files):
            shutil.copy(source, to)

    def largest(self, program):
        """A connection in its handshake, after the largest hello, or None if it was refused."""
        client = self.client(program)
        client.send(record(22, hello()))
        try:
            if client.socket.recv(1) == b"\x16":
                return client
        except ConnectionError:
            pass
        client.socket.close()
        return None

    def fill(self, program):
        """Opens handshakes with the largest hello until one is refused. Returns their
        connections."""
        return list(iter(lambda: self.largest(program), None))

    def leave(self, program, clients):
        """Closes the connections, and waits until the program has closed them, too."""
        for client in clients:
            client.socket.close()
        self.wait_for_none(program)

    def wait_for_none(self, program):
        program.wait_for_ledger(
            lambda ledger: ledger["listeners"][0]["connections"] ==
            sum(ledger["listeners"][0][end] for end in CONNECTION_ENDS), "all have ended")

    def test_it_is_whole_again_when_handshakes_are_over_also_after_other_certificates(self):
        program = self.start("--config", str(self.config))
        made = ssl.create_default_context(cafile=AUTHORITY.cert)
        before = self.fill(program)
        most = len(before)
        self.assertIn(most, range(2, self.CONNECTIONS))
        self.leave(program, before)
        for reloads in range(1, 5):
            under_way = self.fill(program)
            self.assertEqual(len(under_way), most)
            self.use(AUTHORITY.issue(f"successor{reloads}"))
            program.ask_to_reload()
            program.wait_for_log(CHANGED, reloads)
            self.leave(program, under_way)
            opened = []
            # The memory of a handshake is also released when it succeeds.
            for _ in range(self.CONNECTIONS - most):
                client = self.client(program)
                client.socket = made.wrap_socket(client.socket, server_hostname="127.0.0.1")
                self.addCleanup(client.socket.close)
                client.send(framed(metric(1)))
                self.assertEqual(client.answer(), OK)
                opened.append(client)
            beside = self.fill(program)
            self.assertEqual(len(beside), most)
            self.leave(program, opened + beside)
        self.assertEqual(len(self.fill(program)), most)
        program.stop()


@unittest.skipIf(SANITIZED, "sanitizers have memory of their own")
class Memory(Tcp):
    def start_for(self, listen, count):
        """Starts with the least memory, with which few blocks wait for records (test_tls.py)."""
        arguments = ["--listen", f"{listen}&max_connections={count}&frame_timeout=1h&"
                     f"max_connections_per_address={count}"]
        return self.start(*arguments, "--memory", self.least_memory(*arguments))

    def check_hostile(self, listen, attack, count=200):
        """`count` connections attack, each from a different host, so that each has a share. The
        memory of each must stay within the plan."""
        program = self.start_for(listen, count)
        before = resident(program)
        for number in range(count):
            client = self.client(program, source=f"127.0.1.{number + 1}")
            try:
                attack(client)
            except ConnectionError:
                pass  # it was refused
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["connections"] == count,
                                "all have come")
        grown = resident(program) - before
        self.assertLess(grown / count, EACH, "KiB a connection")
        program.stop()

    def test_the_largest_hellos_of_tls_1_3_and_a_part_of_a_record(self):
        def attack(client):
            client.send(record(22, hello()))
            client.socket.recv(1)
            client.send(record(23, bytes(16384))[:-1])
        self.check_hostile(TLS, attack)

    def test_the_largest_hellos_and_certificates_of_tls_1_2(self):
        def attack(client):
            client.send(record(22, hello(is_new=False)))
            client.socket.recv(1)
            client.send(record(22, certificates()))
        self.check_hostile(MUTUAL, attack)

    def test_the_largest_hellos_where_certificates_are_requested(self):
        def attack(client):
            client.send(record(22, hello(is_new=False)))
            client.socket.recv(1)
        self.check_hostile(MUTUAL, attack)

    def test_certificates_of_the_listener_that_are_as_long_as_they_may_be(self):
        def attack(client):
            client.send(record(22, hello(is_new=False)))
            client.socket.recv(1)
            client.send(record(22, certificates()))
        cert, key = SERVER
        long = self.folder / "long"
        one = len(ssl.PEM_cert_to_DER_cert(AUTHORITY.cert.read_text(encoding="ascii")))
        long.write_bytes(cert.read_bytes() + AUTHORITY.cert.read_bytes() * (15000 // one))
        self.check_hostile(f"{TCP}&tls=on&cert={long}&key={key}&client_ca={AUTHORITY.cert}", attack)

    def test_parts_of_records_after_the_handshake(self):
        made = ssl.create_default_context(cafile=AUTHORITY.cert)

        def attack(client):
            secret = made.wrap_socket(client.socket, server_hostname="127.0.0.1")
            secret.sendall(framed(metric(1)))
            self.assertEqual(secret.recv(100)[4:], OK)
            client.socket = secret  # later bytes are sent without encryption
            os.write(secret.fileno(), record(23, bytes(16384))[:-1])
            self.addCleanup(secret.close)
        self.check_hostile(TLS, attack)


class Shares(Tcp):
    def test_names_of_certificates_share_memory_for_large_frames_and_not_addresses(self):
        """Many connections from one address, with one name, begin a large frame and stop. One with
        another name from the same address sends complete frames."""
        program = self.start("--listen", MUTUAL)

        def connect(name):
            made = ssl.create_default_context(cafile=AUTHORITY.cert)
            made.load_cert_chain(*AUTHORITY.issue(name))
            while True:
                client = self.client(program)
                client.socket = made.wrap_socket(client.socket, server_hostname="127.0.0.1")
                self.addCleanup(client.socket.close)
                yield client
        slow, good = connect("slow"), next(connect("good"))
        for _ in range(150):
            next(slow).send(framed(b"x" * 1000000)[:3000])
        begun = time.monotonic()
        for number in range(20):
            good.send(framed(metric(number, host="h" * 10000)))
            self.assertEqual(good.answer(), OK)
        self.assertLess(time.monotonic() - begun, 5)
        program.stop()


    def test_unfinished_hellos_of_one_host_leave_memory_for_handshakes_of_others(self):
        """One host begins hellos that claim the largest size, and sends nine bytes of each."""
        program = self.start("--listen", f"{MUTUAL}&max_connections=200&"
                             "max_connections_per_address=100")
        made = ssl.create_default_context(cafile=AUTHORITY.cert)
        made.load_cert_chain(*AUTHORITY.issue("good"))
        for _ in range(100):
            self.client(program, source="127.0.0.66").send(record(22, b"\x01\x00\x20\x00"))
        program.wait_for_log("too many large handshakes at the same time")
        for number in range(3):
            client = self.client(program, source=f"127.0.0.{7 + number}")
            client.socket = made.wrap_socket(client.socket, server_hostname="127.0.0.1")
            self.addCleanup(client.socket.close)
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
        program.stop()


class Beside(Tcp):
    """Several https: sinks in a program whose listener has few connections."""

    def check_all_write(self, **environment):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*SERVER)
        stores = [Store(context=context) for _ in range(SINKS)]
        # Each sink loads all certificates that the system trusts, which takes memory.
        trusted = self.folder / "trusted"
        system = pathlib.Path(ssl.get_default_verify_paths().openssl_cafile)
        bundle = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        others = next((file for file in (system, bundle) if file.exists()), AUTHORITY.cert)
        trusted.write_bytes(AUTHORITY.cert.read_bytes() + others.read_bytes())
        sinks = []
        for store in stores:
            self.addCleanup(store.close)
            sinks += ["--sink", f"https:{store.place}?format=json&server_ca={trusted}"]
        program = self.start("--listen", TLS + "&max_connections=10", *sinks,
                             env={**os.environ, **environment})
        client = Client(program)
        made = ssl.create_default_context(cafile=AUTHORITY.cert)
        client.socket = made.wrap_socket(client.socket, server_hostname="127.0.0.1")
        self.addCleanup(client.socket.close)
        for number in range(10):
            client.send(framed(metric(number)))
            self.assertEqual(client.answer(), OK)
        wait_until(lambda: all(len(store.lines()) == 10 for store in stores), "all stores have all")
        ledger = program.stop()
        self.assertEqual([sink["written"] for sink in ledger["sinks"]], [10] * SINKS,
                         "\n".join([*map(str, ledger["sinks"]), *program.log()]))

    @unittest.skipUnless(os.environ.get("TEST_CURL") == "1", "there is no curl")
    def test_eight_sinks_by_https_write(self):
        self.check_all_write()

    @unittest.skipUnless(os.environ.get("TEST_CURL") == "1", "there is no curl")
    @unittest.skipIf(SANITIZED, "the sanitizer has to be loaded first")
    @unittest.skipIf(STATIC, "no library can be added to a static program")
    def test_and_where_curl_reads_64_kib_at_a_time(self):
        self.check_all_write(LD_PRELOAD=os.environ["TEST_LARGE_READS"])


if __name__ == "__main__":
    if ONE_THREAD:
        skip(NO_TCP_LISTENER)
    if OPENSSL is None:
        skip("openssl is not installed")
    unittest.main()
