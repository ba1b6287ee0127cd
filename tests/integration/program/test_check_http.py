"""Tests --check=connect with `http:` and `https:` sinks."""
import gzip
import re
import socket
import ssl
import threading
import unittest

from built import not_on_windows
from certificates import HOST, OPENSSL, Authority
from connecting import CONFIGURATION, ConnectTest
from http_store import NO_ANSWER, Store
from ports import free_port
from test_remote_write_format import PROOF

NOTHING_BY_SNAPPY = b"\0"  # the compressed form of an empty text


class Http(ConnectTest):
    def store(self, *script, context=None):
        store = Store(*script, context=context)
        self.addCleanup(store.close)
        return store

    def sink(self, store, keys="format=json", scheme="http"):
        return f"{scheme}:{store.place}?{keys}"


class Answers(Http):
    def test_a_store_that_takes_a_request_without_records_is_reached(self):
        store = self.store()
        self.assert_reached(self.sink(store), r"reached; it accepted a request without records \(204\)")
        request, = store.requests
        self.assertEqual((request.path, request.body), ("/write", b""))

    def test_the_request_is_as_the_format_has_it(self):
        for keys, body in (("format=influx", b""), ("format=prometheus", b""),
                           ("format=remote-write", NOTHING_BY_SNAPPY), ("format=otlp", b"")):
            with self.subTest(keys):
                store = self.store()
                self.assert_reached(self.sink(store, keys), "reached")
                self.assertEqual(store.requests[0].body, body)
        store = self.store()
        self.assert_reached(self.sink(store, "format=json&compress=gzip"), "reached")
        self.assertEqual(store.requests[0].headers["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(store.requests[0].body), b"")

    def test_custom_buckets_need_a_server_that_proves_to_know_remote_write_2_0(self):
        keys = "format=remote-write&native_histograms=all"
        store = self.store((204, PROOF))
        self.assert_reached(self.sink(store, keys), "reached")
        request, = store.requests
        self.assertEqual(request.headers["content-type"],
                         "application/x-protobuf;proto=io.prometheus.write.v2.Request")
        self.assert_refused(self.sink(self.store(), keys), "does not know remote write 2.0")

    def test_otlp_is_tried_where_metrics_go(self):
        store = self.store()
        self.assert_reached(f"http://127.0.0.1:{store.port}?format=otlp", "reached")
        self.assertEqual(store.requests[0].path, "/v1/metrics")

    def test_a_store_that_does_not_know_us_is_refused(self):
        for status in (401, 403):
            self.assert_refused(self.sink(self.store(status)),
                                f"answered {status}: it does not permit us to write; .*token_file=")

    def test_a_token_goes_with_the_request_and_is_not_shown(self):
        token = self.folder / "token"
        token.write_text("hidden\n")
        store = self.store(401)
        line, = self.tried(self.sink(store, f"format=json&token_file={token}"), code=CONFIGURATION)
        self.assertEqual(store.requests[0].headers["authorization"], "Bearer hidden")
        self.assertNotIn("hidden", line)

    def test_what_a_status_says_about_the_path(self):
        self.assert_refused(self.sink(self.store(404)), "404: it does not accept records at this path")
        self.assert_refused(self.sink(self.store(301)), "301: redirects are not followed")
        self.assert_refused(self.sink(self.store(415)), "415: it does not accept this format")
        self.assert_reached(self.sink(self.store(400)), "reached; for a request without records the "
                            "server answered 400; others may be accepted")

    def test_a_store_that_takes_nothing_now_is_not_reached(self):
        for status in (429, 503):
            self.assert_not_reached(self.sink(self.store(status)), "it does not accept records now")


class Ways(Http):
    def test_where_nobody_listens_nothing_is_reached(self):
        self.assert_not_reached(f"http://127.0.0.1:{free_port()}/?format=json", "connect")

    def test_a_name_that_does_not_resolve_is_said(self):
        self.assert_not_reached("http://name.invalid/?format=json", "resolve")

    def test_a_store_that_never_answers_is_given_up(self):
        self.assert_not_reached(self.sink(self.store(NO_ANSWER)), "timed out",
                                keys=("--check-timeout", "300ms"))

    def test_all_are_tried_and_what_is_to_be_set_otherwise_decides_the_exit_code(self):
        gone, wrong, good = free_port(), self.store(404), self.store()
        first, second, third, fourth = self.tried(
            f"http://127.0.0.1:{gone}/?format=json", self.sink(wrong), self.sink(good),
            f"file:{self.folder}/lines", code=CONFIGURATION)
        self.assertIn("error: ", first)
        self.assertIn("404", second)
        self.assertIn("reached", third)
        self.assertIn("needs no connection", fourth)

    def test_only_connect_is_more_than_a_check(self):
        said = self.refused("--check=all", code=64)
        self.assertIn('--check takes no value except "connect"', said)
        store = self.store()
        self.run_to_end("--check", "--sink", self.sink(store), ledger=None)
        self.assertEqual(store.requests, [])


@unittest.skipIf(OPENSSL is None, "needs openssl")
class Tls(Http):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder)

    def secure(self, days=2, clients=False, **more):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.authority.issue("server", days=days, **more))
        if clients:
            context.verify_mode = ssl.CERT_REQUIRED
            # With TLS 1.3 the client may learn of the refusal too late.
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.load_verify_locations(self.authority.cert)
        return self.store(context=context)

    def keys(self, authority=None):
        return f"format=json&server_ca={(authority or self.authority).cert}"

    @not_on_windows("Wine refuses a good certificate now and then while its prefix is new")
    def test_a_server_with_the_right_certificate_is_reached(self):
        self.assert_reached(self.sink(self.secure(), self.keys(), "https"), "reached")

    def test_one_of_an_unknown_authority_is_refused(self):
        other = Authority(self.folder, "other")
        self.assert_refused(self.sink(self.secure(), self.keys(other), "https"),
                            "(certificate|CHAIN): server_ca= must name the authority")

    def test_one_that_has_expired_is_refused(self):
        self.assert_refused(self.sink(self.secure(days=-1), self.keys(), "https"), "(certificate has expired|TIME_VALID): renew the server's certificate there")

    def test_one_of_another_name_is_refused(self):
        other = self.secure(hosts="DNS:another.example")
        self.assert_refused(self.sink(other, self.keys(), "https"),
                            f"{re.escape(HOST)}.*: the URL must have a name that the server")

    def test_one_that_wants_our_certificate_is_refused_without_it(self):
        sink = self.sink(self.secure(clients=True), self.keys(), "https")
        line, = self.tried(sink, code=CONFIGURATION)
        self.assertIn("error: ", line)

    def test_a_server_without_tls_is_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                connection = server.accept()[0]
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.recv(4096)
                connection.close()

            thread = threading.Thread(target=answer)
            thread.start()
            port = server.getsockname()[1]
            self.assert_refused(f"https://127.0.0.1:{port}/?{self.keys()}", "SSL")
            thread.join()


if __name__ == "__main__":
    unittest.main()
