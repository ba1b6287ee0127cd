"""Tests the credentials of `http:` sinks: they are in files, are read again by a reload, and are
never shown."""
import base64
import gzip
import json
import os
import shutil
import ssl
import subprocess
import unittest

from built import NO_HTTP2, WINDOWS, command, not_on_windows
from certificates import OPENSSL, RSA, Authority, pkcs12
from http_store import Store
from ports import free_port
from protobuf import metric
from sluice_program import NO_FILE, RIEMANN, SLUICE, ProgramTest
from test_config import READS_FILES

PATH = os.environ.get("PATH", "") + ":/usr/sbin"
SOON = "flush_interval=20ms&in_flight=1"
LATER = "flush_interval=200ms&in_flight=1"
SECRET = "a-secret"


class Sending(ProgramTest):
    def store(self, *script, **more):
        store = Store(*script, **more)
        self.addCleanup(store.close)
        return store

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def deliver(self, store, keys="", scheme="http", when=SOON):
        self.sent = 0
        return self.start("--listen", RIEMANN, "--sink", f"{scheme}:{store.place}?{when}{keys}")

    def send(self, program, count=1):
        self.sender(program).send_all([metric(self.sent + number) for number in range(count)])
        self.sent += count
        program.wait_for_settled(self.sent)


class Secrets(Sending):
    def authorization(self, keys, text):
        file = self.file("secret", text)
        store = self.store()
        program = self.deliver(store, f"&{keys}={file}")
        self.send(program)
        program.stop()
        return store.requests[0].headers["authorization"]

    def test_a_token(self):
        self.assertEqual(self.authorization("token_file", f"{SECRET}\nmore\n"), f"Bearer {SECRET}")

    def test_a_user_and_a_password(self):
        header = self.authorization("password_file", f"me:{SECRET}\r\n")
        self.assertEqual(header.split()[0], "Basic")
        self.assertEqual(base64.b64decode(header.split()[1]).decode(), f"me:{SECRET}")

    def test_a_token_as_long_as_a_file_may_be(self):
        self.assertEqual(self.authorization("token_file", "x" * 16384), "Bearer " + "x" * 16384)

    def test_a_reload_reads_them_again(self):
        file = self.file("token", "one")
        store = self.store()
        program = self.deliver(store, f"&token_file={file}")
        self.send(program)
        file.write_text("two")
        program.ask_to_reload()
        program.ledger_now()  # answered after the reload
        self.send(program)
        file.unlink()
        program.ask_to_reload()
        program.wait_for_log(f"token: cannot be opened: {NO_FILE}")
        self.send(program)
        program.stop()
        self.assertEqual([request.headers["authorization"] for request in store.requests],
                         ["Bearer one", "Bearer two", "Bearer two"])
        self.assertNotIn("two", "\n".join(program.log()))

    def test_nothing_of_them_is_shown(self):
        for key, text in (("token_file", SECRET), ("password_file", f"me:{SECRET}"),
                          ("header_file", f"X: {SECRET}")):
            file = self.file(key, text)
            printed, _ = self.run_to_end("--print-config", "--sink",
                                         f"http://127.0.0.1:1/?{key}={file}", ledger=None)
            shown = b"".join(printed.stdout.lines()).decode() + "\n".join(printed.said())
            self.assertIn(str(file), shown)
            self.assertNotIn(SECRET, shown)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_passwords_of_a_query_are_not_printed(self):
        query = f"u=me%26p={SECRET}%26db=a%26auth_Token={SECRET}%26x=%26PASSWORD={SECRET}"
        config = self.file("config.yaml", "sinks:\n  - to: http://127.0.0.1:1/\n"
                                          f"    query: u=me%26p={SECRET}%26db=a\n")
        for arguments in (("--sink", f"http://127.0.0.1:1/?query={query}"), ("--config", config)):
            printed, _ = self.run_to_end("--print-config", *arguments, ledger=None)
            shown = b"".join(printed.stdout.lines()).decode() + "\n".join(printed.said())
            self.assertRegex(shown, "u=me(&|%26)p=[*]{3}(&|%26)db=a")
            self.assertNotIn(SECRET, shown)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_keys_in_a_path_and_command_lines_are_shown_nowhere(self):
        key = "kGXzWq3mYbT8RvNc5LdPs7Hf"
        store, other = self.store(401), self.store()
        # Command lines of cmd.exe are tested in ../windows.
        command_sink = () if WINDOWS else ("--sink", f"command:cat >/dev/null # {key}")
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}/services/{key}?{SOON}", "--sink",
                             f"http:{store.place}/services/{key[::-1]}?{SOON}",
                             *command_sink)
        self.sender(program).send_all([metric(1)])
        program.wait_for_log("401")
        program.wait_for_settled(1)
        ledger = program.stop()
        shown = f"http:{store.place}/services/***"
        self.assertEqual([sink["name"] for sink in ledger["sinks"]],
                         [shown, shown + "#2"] + ["command:cat"][:len(command_sink)])
        self.assertEqual({request.path for request in store.requests},
                         {f"/write/services/{key}", f"/write/services/{key[::-1]}"})
        for text in program.log():
            self.assertNotIn(key, text)
        printed, _ = self.run_to_end("--print-config", "--sink",
                                     f"http:{other.place}/services/{key}", *command_sink,
                                     ledger=None)
        text = b"".join(printed.stdout.lines()).decode()
        self.assertIn(f"to: http:{other.place}/services/***", text)
        self.assertNotIn(key, text)
        config = self.file("printed.yaml", text)
        self.assertIn("is the placeholder of --print-config for a secret",
                      self.refused("--config", config, code=78))

    def test_errors_show_no_secrets(self):
        for url in (f"http://me:{SECRET}@h/?format=x", f"http://h/?query=p={SECRET}&format=x",
                    f"http://h/token/{SECRET}?format=x", f"http:/token/{SECRET}",
                    f"htp://h/token/{SECRET}", f"http://h/?token={SECRET}",
                    f"http://h/?api_key={SECRET}", f"command:psql {SECRET}?format=x",
                    f"nats://{SECRET}@h/a", f"kafka://me:{SECRET}@h/a?format=x"):
            with self.subTest(url):
                done = subprocess.run(command(SLUICE, "--check", "--sink", url), timeout=45,
                                      capture_output=True, check=False)
                self.assertIn(done.returncode, (64, 78))
                self.assertNotIn(SECRET.encode(), done.stdout + done.stderr)

    def test_no_secret_is_sent_in_plain_over_a_network_unless_insecure_says_so(self):
        token, login = self.file("token", SECRET), self.file("login", f"me:{SECRET}")
        header = self.file("header", f"X-Api-Key: {SECRET}\n")
        harmless = self.file("harmless", "X-Scope-OrgID: a\n")
        refused, said = "would be sent without encryption", "is sent without encryption"
        for place, keys, plain in (
                ("http://192.0.2.1", f"token_file={token}", True),
                ("http://[2001:db8::1]", f"password_file={login}", True),
                ("http://store.example", f"header_file={header}", True),
                ("http://127.0.0.1.example", f"query=p={SECRET}", True),
                ("http://notlocalhost", f"query=a=b%26token={SECRET}", True),
                ("https://192.0.2.1", f"token_file={token}", False),
                ("http://192.0.2.1", f"header_file={harmless}", False),
                ("http://192.0.2.1", "query=db=a", False),
                ("http://127.0.0.1", f"token_file={token}", False),
                ("http://127.1.2.3:80", f"token_file={token}", False),
                ("http://[::1]:80", f"token_file={token}", False),
                ("http://localhost:80", f"token_file={token}", False)):
            with self.subTest(place=place, keys=keys):
                sink = ("--check", "--listen", RIEMANN, "--sink", f"{place}/?{keys}")
                if plain:
                    self.assertIn(refused, self.refused(*sink, code=78))
                    self.assertIn(refused, self.refused(*sink[1:], code=78))
                    sink = (*sink[:-1], f"{sink[-1]}&insecure=yes")
                checked, _ = self.run_to_end(*sink, ledger=None)
                self.assertEqual(said in "\n".join(checked.said()), plain, checked.said())
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http://192.0.2.1:1/?token_file={token}&insecure=yes")
        program.wait_for_log(said)
        program.stop()

    def test_what_is_wrong_with_them_is_reported_by_check(self):
        empty = self.file("empty", "\n")
        plain = self.file("plain", "no colon\n")
        control = self.file("control", "a\x01b\n")
        long = self.file("long", "x" * 16385)
        for keys, code, said in (
                (f"token_file={self.folder}/none", 78, f"none: cannot be opened: {NO_FILE}"),
                (f"token_file={empty}", 78, "its first line is empty"),
                (f"token_file={control}", 78, "its first line is not a text"),
                (f"token_file={long}", 78, "it is longer than 16 KiB"),
                (f"password_file={plain}", 78, "its first line is not USER:PASSWORD"),
                (f"client_cert={self.folder}/none", 78, "client_cert="),
                (f"client_cert={plain}&client_key={self.folder}/none", 78, "client_key="),
                (f"server_ca={self.folder}/none", 78, "server_ca="),
                (f"client_key={plain}", 64, "client_key requires client_cert=FILE"),
                (f"token_file={plain}&password_file={plain}", 64, "set the same header"),
                ("format=remote-write&compress=gzip", 64, "is already compressed with snappy")):
            with self.subTest(keys):
                scheme = "https" if "client_" in keys or "_ca" in keys else "http"
                self.assertIn(said, self.refused("--sink", f"{scheme}://127.0.0.1/?{keys}",
                                                 "--check", code=code))


class Certificates(Sending):
    def setUp(self):
        super().setUp()
        if OPENSSL is None:
            self.skipTest("needs openssl")
        self.authority = Authority(self.folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*self.authority.issue("server"))

    @not_on_windows("Wine refuses a good certificate now and then while its prefix is new")
    def test_a_server_that_wants_a_certificate_gets_ours(self):
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.load_verify_locations(self.authority.cert)
        cert, key = self.authority.issue("client", kind=RSA)
        both = self.file("both", cert.read_text() + key.read_text())
        ways = ((f"&client_cert={pkcs12(cert, key)}",) if WINDOWS else
                (f"&client_cert={cert}&client_key={key}", f"&client_cert={both}"))
        store = self.store(context=self.context)
        for keys in ways:
            program = self.deliver(store, f"&server_ca={self.authority.cert}{keys}", "https")
            self.send(program, 3)
            self.assertEqual(program.stop()["sinks"][0]["written"], 3)

    @unittest.skipUnless(WINDOWS, "the TLS library of Windows takes no PEM of a client")
    def test_one_in_pem_is_refused(self):
        cert, key = self.authority.issue("client")
        sink = f"https://localhost/?client_cert={cert}"
        self.assertIn("client_cert=", self.refused("--check", "--sink", sink, code=78))
        said = self.refused("--check", "--sink", f"{sink}&client_key={key}", code=78)
        self.assertIn("client_key=", said)
        self.assertIn("openssl pkcs12 -export", said)

    def test_one_without_gets_nothing_through(self):
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.load_verify_locations(self.authority.cert)
        store = self.store(context=self.context)
        program = self.deliver(store, f"&server_ca={self.authority.cert}&timeout=300ms", "https")
        self.send(program)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], store.requests), (0, []))


@unittest.skipIf(shutil.which("nghttpx", path=PATH) is None or OPENSSL is None,
                 "needs nghttpx and openssl")
@not_on_windows(NO_HTTP2)
class Http2(Sending):
    def test_http_2_is_spoken_where_it_is_offered(self):
        authority = Authority(self.folder)
        cert, key = authority.issue("server")
        store = self.store()
        port = free_port()
        gateway = subprocess.Popen(
            [shutil.which("nghttpx", path=PATH), "--conf=/dev/null", "--workers=1", "--no-ocsp",
             "--log-level=ERROR", f"--frontend=127.0.0.1,{port}",
             f"--backend=127.0.0.1,{store.port}", str(key), str(cert)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(gateway.wait, 45)
        self.addCleanup(gateway.terminate)
        program = self.start("--listen", RIEMANN, "--sink",
                             f"https://127.0.0.1:{port}/write?{SOON}&format=json"
                             f"&server_ca={authority.cert}")
        self.sent = 0
        self.send(program, 500)
        self.assertEqual(program.stop()["sinks"][0]["written"], 500)
        self.assertEqual({request.headers["via"] for request in store.requests}, {"2 nghttpx"})
        self.assertEqual(sorted(json.loads(line)["value"] for line in store.lines()),
                         list(range(500)))


class Compressed(Sending):
    def bodies(self, compress, keys, unpack, count=500):
        store = self.store()
        program = self.deliver(store, f"&compress={compress}{keys}", when=LATER)
        self.send(program, count)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], count)
        for request in store.requests:
            self.assertEqual(request.headers["content-encoding"], compress)
        plain = b"".join(unpack(request.body) for request in store.requests)
        self.assertLess(len(store.stored), len(plain) / 4)
        return plain, sink

    def test_gzip(self):
        plain, sink = self.bodies("gzip", "&format=json", gzip.decompress)
        self.assertEqual(sorted(json.loads(line)["value"] for line in plain.splitlines()),
                         list(range(500)))
        self.assertEqual(sink["bytes"], len(plain))

    def test_gzip_of_otlp(self):
        plain, _ = self.bodies("gzip", "&format=otlp", gzip.decompress)
        self.assertEqual(plain[0], 0x0a)

    def test_zstd(self):
        if shutil.which("zstd") is None:
            self.skipTest("needs zstd")

        def unpack(body):
            return subprocess.run(["zstd", "-dc"], input=body, capture_output=True, check=True,
                                  timeout=45).stdout
        plain, _ = self.bodies("zstd", "&format=csv", unpack)
        self.assertGreaterEqual(plain.count(b"\n"), 501)

    def test_halves_are_compressed_as_well(self):
        def step(request):
            lines = gzip.decompress(request.body).splitlines()
            return 413 if len(lines) > 6 else 204
        store = self.store(*[step] * 100)
        program = self.deliver(store, "&compress=gzip&format=csv", when=LATER)
        self.send(program, 20)
        self.assertEqual(program.stop()["sinks"][0]["written"], 20)


if __name__ == "__main__":
    unittest.main()
