"""--metrics answers processes that may open its local socket, and requests with the token."""
import base64
import http.client
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import unittest

from built import WINDOWS, not_on_windows, skip
from event_client import EventClient
from metrics_client import SERVES, Answer, MetricsClient, read_page
from sluice_program import DEADLINE, RIEMANN, ProgramTest, parse_json, wait_until

if not SERVES:
    skip("this program was built without metrics")

TOKEN = "canary-token-0123456789"
OTHER = "another-token-0123456789"
PATHS = ("/", "/page/main.js", "/metrics", "/sources", "/glossary", "/events", "/events/once", "/none")
TRIES = 10
NOBODY = 65534
NO_SOCKETS = "local sockets are refused there"


def bearer(token=TOKEN):
    return {"Authorization": f"Bearer {token}"}


def basic(token=TOKEN, user="me"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()}


class LocalConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(str(self.path))


class AccessTest(ProgramTest):
    def token_file(self, text=TOKEN, mode=0o600):
        path = self.folder / "token"
        path.write_text(text + "\n", encoding="ascii")
        path.chmod(mode)
        return path

    def ask_locally(self, path, **headers):
        connection = LocalConnection(self.folder / "metrics")
        try:
            connection.request("GET", path, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()


@not_on_windows(NO_SOCKETS)
class Local(AccessTest):
    def serve(self, *arguments, **more):
        program = self.start("--listen", RIEMANN, "--metrics", f"unix:{self.folder}/metrics", *arguments,
                             **more)
        program.wait_for_log(r"status page, metrics and health at unix:\S+/metrics$")
        return program

    def test_a_local_socket_serves_the_page_metrics_health_and_events(self):
        program = self.serve()
        page = self.ask_locally("/")
        self.assertEqual((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        text = self.ask_locally("/metrics").text()
        self.assertIn("process_open_fds", str(read_page(text)))
        self.assertEqual(parse_json(self.ask_locally("/healthz").text())["status"], "ready")
        self.assertIn(b"event: first\n", self.ask_locally("/events/once").body)
        with LocalConnectionOfEvents(self.folder / "metrics") as lines:
            self.assertIn("event: first", lines.until("event: first"))
        program.stop()
        self.assertFalse((self.folder / "metrics").exists())

    @unittest.skipIf(shutil.which("curl") is None, "needs curl")
    def test_curl_reads_it_with_any_name_of_the_host(self):
        program = self.serve()
        done = subprocess.run(["curl", "-sS", "--unix-socket", f"{self.folder}/metrics",
                               "http://sluice.example/healthz"], capture_output=True, text=True,
                              timeout=DEADLINE, check=True)
        self.assertRegex(done.stdout, r'\A\{"status":"ready","sandbox":"[^"]+"\}\n\Z')
        program.stop()

    def test_only_this_user_and_group_can_connect_whatever_the_umask(self):
        for umask in (0o000, 0o077):
            program = self.serve(preexec_fn=lambda umask=umask: os.umask(umask))
            status = (self.folder / "metrics").lstat()
            self.assertTrue(stat.S_ISSOCK(status.st_mode))
            self.assertEqual(stat.S_IMODE(status.st_mode), 0o660)
            program.stop()

    @unittest.skipIf(os.geteuid() != 0, "needs root, to be another user")
    def test_another_user_cannot_connect(self):
        self.folder.chmod(0o755)
        program = self.serve()
        script = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
        done = subprocess.run(["python3", "-c", script, f"{self.folder}/metrics"], capture_output=True,
                              timeout=DEADLINE, check=False, cwd="/", user=NOBODY, group=NOBODY,
                              extra_groups=[])
        self.assertIn(b"PermissionError", done.stderr)
        program.stop()

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_with_a_user_the_socket_is_that_user_s(self):
        self.folder.chmod(0o755)
        program = self.serve("--user", "nobody")
        status = (self.folder / "metrics").lstat()
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (NOBODY, 0o660))
        program.stop()

    def test_a_socket_of_an_ended_program_is_replaced_and_of_a_running_one_not(self):
        path = self.folder / "metrics"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        program = self.serve()
        said = self.refused("--listen", RIEMANN, "--metrics", f"unix:{path}", code=69)
        self.assertIn("another program listens there", said)
        self.assertEqual(self.ask_locally("/healthz").status, 200)
        program.stop()

    def test_what_is_not_a_socket_is_never_replaced(self):
        path = self.folder / "metrics"
        (self.folder / "target").write_text("kept", encoding="ascii")
        for make in (lambda: path.write_text("kept", encoding="ascii"), path.mkdir,
                     lambda: path.symlink_to("target"), lambda: os.mkfifo(path)):
            make()
            kind = stat.S_IFMT(path.lstat().st_mode)
            for check in ((), ("--check",)):
                said = self.refused("--listen", RIEMANN, "--metrics", f"unix:{path}", *check, code=69)
                self.assertIn("--metrics: ", said)
                self.assertIn("it is not a socket", said)
            self.assertEqual(stat.S_IFMT(path.lstat().st_mode), kind)
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()
        self.assertEqual((self.folder / "target").read_text(encoding="ascii"), "kept")

    def test_a_path_that_no_socket_can_have_is_refused(self):
        for path in ("", "@name", "x" * 108):
            self.refused("--listen", RIEMANN, "--metrics", f"unix:{path}", code=64)
        said = self.refused("--listen", RIEMANN, "--control", f"unix:{self.folder}/a", "--metrics",
                            f"unix:{self.folder}/a", code=78)
        self.assertIn("use the same file", said)

    def test_a_token_is_needed_at_a_local_socket_too(self):
        program = self.serve("--metrics-token-file", self.token_file())
        self.assertEqual(self.ask_locally("/metrics").status, 401)
        self.assertEqual(self.ask_locally("/metrics", **bearer()).status, 200)
        program.stop()


class LocalConnectionOfEvents:
    """The lines of /events over a local socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(str(path))
        self.socket.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def until(self, line):
        read = b""
        while line.encode() + b"\n" not in read:
            part = self.socket.recv(65536)
            if not part:
                break
            read += part
        return read.decode("utf-8", "replace").split("\n")


@unittest.skipUnless(WINDOWS, "there are such sockets here")
class NoLocal(AccessTest):
    def test_a_local_socket_is_refused_with_a_reason(self):
        for check in ((), ("--check",)):
            said = self.refused("--listen", RIEMANN, "--metrics", "unix:C:/metrics", *check, code=78)
            self.assertIn("no such sockets on this system", said)


class Token(AccessTest):
    def serve(self, *arguments, at="127.0.0.1:0", **more):
        program = self.start("--listen", RIEMANN, "--metrics", at, "--metrics-token-file",
                             self.token_file(), *arguments, **more)
        return program, MetricsClient(program)

    def test_without_the_token_nothing_is_shown_but_whether_it_serves(self):
        program, client = self.serve()
        for headers in ({}, bearer(OTHER)):
            for path in PATHS:
                answer = client.ask(path, **headers)
                self.assertEqual(answer.status, 401, path)
                self.assertIn('realm="sluice"', answer.headers["www-authenticate"])
                self.assertIn("token of --metrics-token-file", answer.text())
        health = client.ask("/healthz")
        self.assertEqual((health.status, health.text()), (200, '{"status":"ready"}\n'))
        program.stop()

    def test_both_schemes_are_offered_in_headers_of_their_own(self):
        program, client = self.serve()
        connection = http.client.HTTPConnection(client.host, client.port, timeout=DEADLINE)
        connection.request("GET", "/metrics")
        offered = connection.getresponse().headers.get_all("www-authenticate")
        connection.close()
        self.assertEqual([each.split()[0] for each in offered], ["Basic", "Bearer"])
        program.stop()

    def test_with_the_token_everything_is_served(self):
        program, client = self.serve()
        for headers in (bearer(), basic(), basic(user="")):
            for path in PATHS:
                if path == "/events":
                    continue
                answer = client.ask(path, **headers)
                self.assertEqual(answer.status, 404 if path == "/none" else 200, path)
        watcher = EventClient(client.host, client.port, more="".join(
            f"{name}: {value}\r\n" for name, value in basic().items()))
        self.addCleanup(watcher.close)
        self.assertEqual(watcher.begin()[0], 200)
        program.stop()

    def test_reasons_of_the_health_need_the_token(self):
        program, client = self.serve()
        self.sender(program).send_all([b"\xff"] * 20)
        wait_until(lambda: b"reasons" in client.ask("/healthz", **bearer()).body, "a reason")
        self.assertNotIn(b"reason", client.ask("/healthz").body)
        program.stop()

    def test_wrong_tokens_are_answered_ten_times_a_minute(self):
        program, client = self.serve()
        statuses = [client.ask("/metrics", **bearer(f"{OTHER}{number}")).status
                    for number in range(TRIES + 2)]
        self.assertEqual(statuses, [401] * TRIES + [429] * 2)
        self.assertEqual(client.ask("/metrics", **bearer()).status, 200)  # the address may be a proxy
        limited = client.ask("/metrics", **bearer(OTHER))
        self.assertEqual((limited.status, limited.headers["retry-after"]), (429, "60"))
        self.assertEqual(client.ask("/healthz").status, 200)
        self.assertEqual(len(program.wait_for_log("refused a request with a wrong token")), 1)
        program.stop()
        self.assertNotIn(OTHER, "\n".join(program.said()))

    def test_a_reload_reads_the_file_again_and_keeps_the_token_if_it_cannot(self):
        program, client = self.serve()
        self.token_file(OTHER)
        program.ask_to_reload()
        program.ledger_now()
        self.assertEqual(client.ask("/metrics", **bearer()).status, 401)
        self.assertEqual(client.ask("/metrics", **bearer(OTHER)).status, 200)
        self.token_file("short")
        program.ask_to_reload()
        program.wait_for_log("--metrics-token-file .*: its first line has fewer than 16 characters.*; "
                             "the previous token remains in use")
        self.assertEqual(client.ask("/metrics", **bearer(OTHER)).status, 200)
        program.stop()

    def test_a_host_that_is_a_name_is_refused_before_the_token_is_looked_at(self):
        program, client = self.serve()
        self.assertEqual(client.ask("/metrics", Host="evil.example", **bearer()).status, 421)
        program.stop()

    def test_a_file_that_holds_no_secret_is_refused(self):
        cases = [(TOKEN[:15], 0o600, "fewer than 16 characters"), ("", 0o600, "fewer than 16"),
                 (TOKEN + " x", 0o600, "is not a token")]
        if not WINDOWS:
            cases += [(TOKEN, 0o644, "other users may open it: chmod o="),
                      (TOKEN, 0o660, "users of its group could change it: chmod g-w")]
        for text, mode, said in cases:
            for check in ((), ("--check",)):
                with self.subTest(text, mode=f"{mode:o}"):
                    path = self.token_file(text, mode)
                    self.assertIn(said, self.refused(
                        "--listen", RIEMANN, "--metrics", "0", "--metrics-token-file", path, *check,
                        code=78))
        self.assertIn("there is no --metrics", self.refused(
            "--listen", RIEMANN, "--metrics-token-file", self.token_file(), code=78))

    def test_a_token_that_would_pass_a_network_unencrypted_is_reported(self):
        for at, plain in (("0.0.0.0:0", True), ("127.0.0.1:0", False), ("[::1]:0", False)):
            program, _ = self.serve(at=at)
            program.stop()
            self.assertEqual("passes the network unencrypted" in "\n".join(program.said()), plain, at)

    def test_an_output_over_the_token_s_file_is_refused(self):
        token = self.token_file()
        said = self.refused("--listen", RIEMANN, "--metrics", "0", "--metrics-token-file", token,
                            "--sink", f"file:{token}", code=78)
        self.assertIn("use the same file", said)
        self.assertEqual(pathlib.Path(token).read_text(encoding="ascii"), TOKEN + "\n")


if __name__ == "__main__":
    unittest.main()
