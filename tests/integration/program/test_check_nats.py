"""Tests --check=connect with `nats:` sinks."""
import socket
import ssl
import unittest

from certificates import OPENSSL, Authority
from connecting import ConnectTest
from nats_server import NatsServer
from ports import free_port


class Nats(ConnectTest):
    def sink(self, server, keys="", subject="t.x", host="127.0.0.1"):
        return f"nats://{host}:{server.port}/{subject}?format=json{keys}"

    def login(self, text):
        file = self.folder / "login"
        file.write_text(text)
        return f"&credentials_file={file}"


class Streams(Nats):
    def test_a_stream_that_takes_the_subject_is_reached(self):
        server = NatsServer(self)
        server.add_stream("S", "t.>")
        self.assert_reached(self.sink(server), r"reached; the stream S takes t\.x\Z")
        self.assert_reached(self.sink(server, subject="t.%{schema}.x"),
                            r"reached; the stream S takes t\.\*\.x\Z")
        self.assertEqual(server.ask("STREAM.INFO.S", None)["state"]["messages"], 0)

    def test_a_subject_that_no_stream_takes_is_refused(self):
        server = NatsServer(self)
        server.add_stream("S", "other.>")
        self.assert_refused(self.sink(server), r"no stream takes t\.x; make one")

    def test_a_server_without_jetstream_is_refused(self):
        server = NatsServer(self, "accounts { A { users: [ {user: me, password: hidden} ] } }")
        self.assert_refused(self.sink(server, self.login("user=me\npassword=hidden\n")),
                            "JetStream")

    def test_a_server_without_headers_is_refused(self):
        server = NatsServer(self, "no_header_support: true")
        server.add_stream("S", "t.>")
        self.assert_refused(self.sink(server), "no_header_support")

    def test_a_user_who_may_not_ask_is_told_so(self):
        server = NatsServer(self, "authorization { users: [ {user: me, password: hidden, "
                            'permissions: {publish: "t.>"}} ] }')
        line, = self.tried(self.sink(server, self.login("user=me\npassword=hidden\n")),
                           keys=("--check-timeout", "1s"))
        self.assertIn("reached, and logged in; whether a stream takes t.x cannot be known", line)


class Ways(Nats):
    def test_a_wrong_password_is_refused_and_not_shown(self):
        server = NatsServer(self, "authorization { user: me, password: right }",
                            login={"user": "me", "pass": "right"})
        line, = self.tried(self.sink(server, self.login("user=me\npassword=hidden\n")), code=78)
        self.assertRegex(line, "error: cannot connect: .*Auth")
        self.assertNotIn("hidden", line)

    def test_where_nobody_listens_nothing_is_reached(self):
        self.assert_not_reached(f"nats://127.0.0.1:{free_port()}/t?format=json", "cannot connect")

    def test_a_name_that_does_not_resolve_is_said(self):
        self.assert_not_reached("nats://name.invalid/t?format=json", "cannot connect")

    def test_a_server_that_never_answers_is_given_up(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            self.assert_not_reached(f"nats://127.0.0.1:{port}/t?format=json", "",
                                    keys=("--check-timeout", "300ms"))


@unittest.skipIf(OPENSSL is None, "needs openssl")
class Tls(Nats):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)

    def secure(self, days=2):
        context = ssl.create_default_context(cafile=self.authority.cert)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        cert, key = self.authority.issue("server", days=days)
        server = NatsServer(self, f'tls {{ cert_file: "{cert}", key_file: "{key}" }}', tls=context)
        server.add_stream("S", "t.>")
        return server

    def keys(self, authority=None):
        return f"&tls=on&server_ca={(authority or self.authority).cert}"

    def test_a_server_with_the_right_certificate_is_reached(self):
        self.assert_reached(self.sink(self.secure(), self.keys()), "reached")

    def test_each_of_two_sinks_is_tried(self):
        """After the first check the threads of the library have ended."""
        server = self.secure()
        for line in self.tried(self.sink(server, self.keys()),
                               self.sink(server, self.keys(), subject="t.y")):
            self.assertIn("reached", line)

    def test_one_of_an_unknown_authority_is_refused(self):
        self.assert_refused(self.sink(self.secure(), self.keys(Authority(self.folder, "other"))),
                            "SSL.*: server_ca= must name the authority")

    def test_one_that_has_expired_is_refused(self):
        self.assert_refused(self.sink(self.secure(days=-1), self.keys()),
                            "SSL.*expired.*: renew the server's certificate there")

    def test_one_of_another_name_is_refused(self):
        self.assert_refused(self.sink(self.secure(), self.keys(), host="localhost"),
                            "SSL.*: the URL must have a name that the server's certificate has")


if __name__ == "__main__":
    unittest.main()
