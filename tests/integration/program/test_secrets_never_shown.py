"""No secret of any option may be in the log, the ledger, the metrics, the page, the control socket
or --print-config, whether it is valid or not."""
import base64
import os
import subprocess
import unittest

import sluice_program
from built import WINDOWS, command, not_on_windows
from certificates import OPENSSL, Authority
from control_client import ControlClient
from http_store import Store
from metrics_client import SERVES, MetricsClient
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, SLUICE, ProgramTest, built_with

CANARY = "canary-7Hq2ZpX9"  # with a number, as long as a token must be
SODIUM, CURL = "TEST_SODIUM" in os.environ, built_with("http")
PAGES = ("/", "/metrics", "/healthz", "/sources", "/glossary", "/events/once")

# The keys and options of the program's tables that have secrets. Each has a test here (see TABLE).
TESTED = {"header_file", "token_file", "password_file", "query", "properties_file", "credentials_file",
          "keys", "key", "client_cert", "client_key", "metrics-token-file"}


def canary(number):
    return f"{CANARY}{number:08d}"


def forms(secret):
    """The forms in which the secret could be shown: plain, encoded, or a part of it."""
    text = secret.encode()
    return (text, base64.b64encode(text).rstrip(b"="), text.hex().encode(), text[:12])


class NeverShown(ProgramTest):
    def setUp(self):
        super().setUp()
        self.secrets = []

    def file(self, name, text):
        """A file that only this user may open."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        return path

    def secret(self):
        self.secrets.append(canary(len(self.secrets)))
        return self.secrets[-1]

    def shown_by(self, *arguments):
        """All that a command prints."""
        done = subprocess.run(command(SLUICE, *arguments), capture_output=True, check=False,
                              timeout=sluice_program.DEADLINE, stdin=subprocess.DEVNULL)
        return done.stdout + done.stderr

    def check_hidden(self, shown, what):
        self.assertNotEqual(shown, b"", what)
        for secret in self.secrets:
            for form in forms(secret):
                self.assertNotIn(form, shown, what)

    def check_run(self, *arguments, log=None, token=None):
        """Runs the program with these arguments. Asserts that no output contains a secret."""
        control = f"unix:{self.folder}/control"
        more = () if WINDOWS else ("--control", control)
        if SERVES and "--metrics" not in arguments:
            more += ("--metrics", "127.0.0.1:0")
        port = free_port()
        plain = f"udp://127.0.0.1:{port}"
        program = self.start(*arguments, "--listen", f"{plain}?schema=riemann", *more, "--log-level",
                             "info", "--stop-timeout", "200ms",
                             listeners=1 + list(arguments).count("--listen"))
        sender = self.sender(program, program.names.index(plain))
        for value in range(3):
            sender.send(metric(value))
        program.wait_for_ledger(lambda ledger: sum(listener["decoded"] for listener in ledger["listeners"]) >= 3,
                                "three records")
        if log is not None:
            program.wait_for_log(log)
        shown = [str(program.ledger_now()).encode()]
        if SERVES:
            client = MetricsClient(program)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            for path in PAGES:
                answer = client.ask(path, **headers)
                self.assertEqual(answer.status, 200, path)
                shown.append(answer.body)
        if not WINDOWS:
            reader = ControlClient(control)
            self.addCleanup(reader.close)
            for request in ("ledger", "senders", "health"):
                reader.socket.sendall(request.encode() + b"\n")
                shown.append(reader.socket.recv(1 << 20))
        program.ask_to_reload()
        program.ledger_now()
        program.stop()
        shown.append(b"".join(program.stderr.lines()))
        shown.append(self.shown_by("--print-config", *arguments))
        shown.append(self.shown_by("--check", *arguments))
        for text in shown:
            self.check_hidden(text, arguments)

    def check_wrong(self, *arguments):
        """Asserts that the program's errors about a wrong file do not contain the secret."""
        for check in (("--duration", "200ms", "--stop-timeout", "100ms"), ("--check",), ("--print-config",)):
            self.check_hidden(self.shown_by("--listen", RIEMANN, *arguments, *check) or b"-", arguments)

    def test_each_option_with_a_secret_has_a_test(self):
        table = os.environ.get("TEST_SETTING_TABLE")
        if table is None:
            self.skipTest("no table")
        listed = subprocess.run(command(table, "secrets"), capture_output=True, text=True, check=True)
        self.assertEqual(set(listed.stdout.split()), TESTED)

    @unittest.skipUnless(CURL, "a program without HTTP")
    def test_headers_tokens_passwords_and_queries_of_http(self):
        token, password, header, query, path = (self.secret() for _ in range(5))
        token_file = self.file("token", f"{token}\n")
        header_file = self.file("header", f"X-Api-Key: {header}\n")
        login = self.file("login", f"me:{password}\n")
        for keys in (f"token_file={token_file}&header_file={header_file}", f"password_file={login}"):
            store = Store(401, 401, 401, 500)
            self.addCleanup(store.close)
            self.check_run("--sink", f"http:{store.place}/token/{path}?format=json&flush_interval=20ms&"
                           f"{keys}&query=token={query}%26db=a", log="401")
        for keys, text in (("header_file", header), ("token_file", f"\x01{token}"),
                           ("password_file", password)):
            wrong = self.file("wrong", f"{text}\n")
            self.check_wrong("--sink", f"http://127.0.0.1:9/?{keys}={wrong}")
        self.check_wrong("--sink", f"http://127.0.0.1:9/?query=token={query}&format=none")
        self.check_wrong("--sink", f"http://192.0.2.1/?token_file={token_file}&query=token={query}")

    @unittest.skipUnless(built_with("kafka"), "a program without Kafka")
    def test_properties_of_kafka(self):
        password = self.secret()
        text = ("security.protocol=SASL_PLAINTEXT\nsasl.mechanisms=PLAIN\nsasl.username=me\n"
                f"sasl.password={password}\n")
        good = self.file("properties", text)
        self.check_run("--sink", f"kafka://127.0.0.1:{free_port()}/t?properties_file={good}",
                       log="kafka://.*(refused|reachable|failed)")
        for wrong in (f"no.such.property={password}\n", f"{password}\n", f"sasl.mechanisms={password}\n"):
            file = self.file("wrong", wrong)
            self.check_wrong("--sink", f"kafka://127.0.0.1:9/t?properties_file={file}")
        self.check_wrong("--sink", f"kafka://127.0.0.1:9/t?kafka.sasl.password={password}")

    @unittest.skipUnless(built_with("nats"), "a program without NATS")
    def test_credentials_of_nats(self):
        password, token = self.secret(), self.secret()
        for text in (f"user=me\npassword={password}\n", f"token={token}\n"):
            good = self.file("credentials", text)
            self.check_run("--sink", f"nats://127.0.0.1:{free_port()}/a?credentials_file={good}",
                           log="nats://.*(refused|reachable|[Nn]o server|failed)")
        for wrong in (f"user=me\npasword={password}\n", f"{password}\n", f"user={password}\n"):
            file = self.file("wrong", wrong)
            self.check_wrong("--sink", f"nats://127.0.0.1:9/a?credentials_file={file}")

    @unittest.skipIf(OPENSSL is None, "needs openssl")
    @not_on_windows("keys of clients are in PKCS#12 there")
    def test_private_keys(self):
        authority = Authority(self.folder)
        cert, key = authority.issue("one")
        both = self.file("both", cert.read_text() + key.read_text())
        lines = key.read_text().splitlines()
        self.secrets += lines[1:-1]
        if built_with("tls"):
            self.check_run("--listen", f"tcp://127.0.0.1:0?schema=riemann&tls=on&cert={cert}&key={key}")
            self.check_wrong("--listen", f"tcp://127.0.0.1:0?schema=riemann&tls=on&cert={key}&key={cert}")
            self.check_run("--listen", f"dtls://127.0.0.1:0?schema=riemann&cert={cert}&key={key}")
        if CURL:
            port = free_port()
            for keys in (f"client_cert={cert}&client_key={key}", f"client_cert={both}"):
                self.check_run("--sink", f"https://127.0.0.1:{port}/?format=json&flush_interval=20ms&"
                               f"server_ca={authority.cert}&{keys}", log="onnect")
            self.check_wrong("--sink", f"https://127.0.0.1:9/?client_cert={key}&client_key={cert}")

    @unittest.skipUnless(SODIUM, "a program without libsodium")
    def test_keys_of_sealed_datagrams(self):
        line = subprocess.run(command(SLUICE, "keygen", "one"), capture_output=True, text=True,
                              check=True).stdout
        key = line.split()[2]
        self.secrets.append(key)
        good = self.file("keys", line)
        self.check_run("--listen", f"udp://127.0.0.1:0?schema=riemann&framing=sealed&keys={good}")
        if built_with("tls"):
            self.check_run("--listen", f"dtls://127.0.0.1:0?schema=riemann&keys={good}")
        for wrong in (line + line, line.replace(key, key[:-2]), key + "\n", f"one {key}\n"):
            file = self.file("wrong", wrong)
            self.check_wrong("--listen", f"udp://127.0.0.1:0?schema=riemann&framing=sealed&keys={file}")

    @unittest.skipUnless(SERVES, "a program without metrics")
    def test_the_token_of_metrics(self):
        token = self.secret()
        file = self.file("token", f"{token}\n")
        self.check_run("--metrics", "127.0.0.1:0", "--metrics-token-file", file, token=token)
        for wrong in (token[:15], f"{token} more", f"\x01{token}"):
            bad = self.file("wrong", wrong)
            self.check_wrong("--metrics", "127.0.0.1:0", "--metrics-token-file", bad)


if __name__ == "__main__":
    unittest.main()
