"""Tests dtls: listeners with clients that have certificates or pre-shared keys, with other
datagrams, and at their limits."""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

from built import WINDOWS, skip
from certificates import OPENSSL, RSA, Authority
from ports import free_port
from protobuf import metric
from sluice_program import CHANGED, ProgramTest, built_with, read_lines, wait_until
from test_reload import REFUSED

if WINDOWS or OPENSSL is None or not built_with("tls"):
    skip("no OpenSSL here")

from dtls_client import HEADER, SSL, DtlsClient, Settings, records  # pylint: disable=wrong-import-position

DTLS = "dtls://127.0.0.1:0"
FORGED = int(os.environ.get("TEST_DTLS_FORGED", "10000"))
GNUTLS = shutil.which("gnutls-cli")
KEY_A, KEY_B = bytes(range(32)), bytes(range(32, 64))


class Files:
    """The certificates of all tests: made once."""

    def __init__(self, folder):
        self.authority = Authority(folder)
        self.server = self.authority.issue("server")
        self.large = self.authority.issue("large", kind=RSA)
        self.client = self.authority.issue("router-1.example.com")
        self.expired = self.authority.issue("expired", days=-1)
        self.spaced = self.authority.issue("a name with spaces")
        self.stranger = Authority(folder, "other-ca").issue("stranger")
        self.keys = folder / "keys"
        self.keys.write_text(f"sensor.7 00000000000000a1 {KEY_A.hex()}\n"
                             f"sensor.7 00000000000000a2 {KEY_B.hex()}\n"
                             f"late 00000000000000a3 {KEY_A.hex()} not-after=2020-01-01T00:00:00Z\n",
                             encoding="ascii")
        self.keys.chmod(0o600)


def setUpModule():
    global FILES  # pylint: disable=global-variable-undefined
    folder = tempfile.TemporaryDirectory(prefix="sluice-test-certificates-")
    unittest.addModuleCleanup(folder.cleanup)
    FILES = Files(pathlib.Path(folder.name))


def certificate(pair=None):
    cert, key = pair or FILES.server
    return f"&cert={cert}&key={key}"


def refused(listener):
    return {reason: count for reason, count in listener["reasons"].items() if count}


class DtlsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out" / "lines"
        self.out.parent.mkdir()

    def begin(self, more, *arguments, address=DTLS, **options):
        return self.start("--listen", f"{address}?schema=riemann{more}", "--sink",
                          f"file:{self.out}", *arguments, **options)

    def client(self, program, settings=None, **more):
        client = DtlsClient(program.port(0), settings or Settings(), **more)
        self.addCleanup(client.close)
        return client

    def opened(self, program, settings=None, patience=20, **more):
        return self.client(program, settings, **more).open(patience=patience)

    def written(self):
        return [(line.get("sender"), line["value"]) for line in read_lines(self.out)]

    def check_end(self, program, lines, **terms):
        """Stops the program. Asserts that the file contains these lines, and that the ledger
        balances and has these terms."""
        ledger = program.stop()
        (listener,) = ledger["listeners"]
        self.assertEqual(sorted(self.written()), sorted(lines))
        self.assertEqual(listener["decoded"], len(lines))
        self.assertEqual(listener["received"],
                         len(lines) + sum(refused(listener).values()))
        for term, count in terms.items():
            found = listener["reasons"][term] if term in listener["reasons"] else listener[term]
            self.assertEqual(found, count, (term, listener))
        return listener

    def terms(self, program):
        return program.ledger_now()["listeners"][0]


class Clients(DtlsTest):
    def test_a_client_of_any_kind_is_written(self):
        program = self.begin(certificate())
        client = self.opened(program, Settings(ca=FILES.authority.cert))
        client.put(*(metric(value) for value in range(10)))
        program.wait_for_received(client.sent)
        self.check_end(program, [(None, value) for value in range(10)], sessions=1, forged=0,
                       handshake=client.sent - 10, sessions_stopped=1)

    def test_the_name_of_a_certificate_is_the_sender(self):
        program = self.begin(f"{certificate()}&client_ca={FILES.authority.cert}"
                             "&match=key:router-1.example.com")
        client = self.opened(program, Settings(FILES.client))
        client.put(metric(1))
        program.wait_for_received(client.sent)
        self.check_end(program, [("router-1.example.com", 1)], sessions=1)

    def test_the_name_of_a_pre_shared_key_is_the_sender(self):
        program = self.begin(f"&keys={FILES.keys}")
        sent = 0
        for identity, key in ((b"sensor.7", KEY_A), (b"sensor.7/00000000000000a2", KEY_B)):
            client = self.opened(program, Settings(psk=(identity, key)))
            client.put(metric(len(identity)))
            sent += client.sent
        program.wait_for_received(sent)
        self.check_end(program, [("sensor.7", 8), ("sensor.7", 25)], sessions=2)

    def test_clients_that_prove_nothing_are_refused(self):
        program = self.begin(f"{certificate()}&client_ca={FILES.authority.cert}&keys={FILES.keys}")
        for settings in (Settings(), Settings(FILES.stranger), Settings(FILES.expired),
                         Settings(psk=(b"sensor.8", KEY_A), ciphers=b"PSK"),
                         Settings(psk=(b"late", KEY_A), ciphers=b"PSK")):
            with self.assertRaises(ConnectionError):
                self.opened(program, settings)
        with self.assertRaises(TimeoutError):  # records with a wrong tag get no answer
            self.client(program, Settings(psk=(b"sensor.7", KEY_B), ciphers=b"PSK")).open(patience=2)
        wait_until(lambda: self.terms(program)["handshakes_failed"] == 5, "five failures")
        self.check_end(program, [], sessions=0, handshakes=6, handshakes_failed=6)

    def test_a_name_that_no_sender_can_have_is_not_changed_into_one(self):
        program = self.begin(f"{certificate()}&client_ca={FILES.authority.cert}")
        client = self.opened(program, Settings(FILES.spaced))
        client.put(metric(1))
        program.wait_for_log("no common name that can be a sender's name")
        program.wait_for_received(client.sent)
        self.check_end(program, [(None, 1)], sessions=1)

    def test_a_large_certificate_and_small_datagrams_are_put_together(self):
        program = self.begin(f"{certificate(FILES.large)}&client_ca={FILES.authority.cert}")
        client = self.opened(program, Settings(FILES.large), mtu=256)
        client.put(metric(1))
        program.wait_for_received(client.sent)
        self.check_end(program, [("large", 1)], sessions=1)

    def test_several_records_in_one_datagram_are_counted_one_by_one(self):
        program = self.begin(f"&keys={FILES.keys}")
        client = self.client(program, Settings(psk=(b"sensor.7", KEY_A))).open(joined=True)
        sealed = [client.dtls.seal(metric(value)) for value in range(40)]
        altered = bytearray(sealed[7])
        altered[-1] ^= 1
        sealed[7] = bytes(altered)
        client.send(*sealed, sealed[3], joined=True)
        client.socket.send(client.dtls.seal(metric(40)) + b"rest")
        program.wait_for_received(client.sent + 2)
        self.check_end(program, [("sensor.7", value) for value in range(41) if value != 7],
                       forged=1, replayed=1, malformed=1)

    def test_an_address_of_this_machine_answers_as_it_was_asked(self):
        for address, host in (("dtls://0.0.0.0:0", "127.0.0.2"), ("dtls://[::]:0", "127.0.0.3"),
                              ("dtls://[::]:0", "::1")):
            with self.subTest(address=address, host=host):
                self.out.unlink(missing_ok=True)
                program = self.begin(f"&keys={FILES.keys}", address=address)
                client = self.opened(program, Settings(psk=(b"sensor.7", KEY_A)), host=host)
                client.put(metric(1))
                program.wait_for_received(client.sent)
                self.check_end(program, [("sensor.7", 1)])

    def test_receivers_share_the_clients(self):
        program = self.begin(f"&keys={FILES.keys}&receivers=3")
        settings, sent = Settings(psk=(b"sensor.7", KEY_A)), 0
        for value in range(12):
            client = self.opened(program, settings)
            client.put(metric(value))
            sent += client.sent
        program.wait_for_received(sent)
        self.check_end(program, [("sensor.7", value) for value in range(12)], sessions=12)


class Tools(DtlsTest):
    """DTLS clients that users have."""

    def feed(self, arguments, program, lines):
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: self.terms(program)["sessions"] == 1, "the session")
        for count, line in enumerate(lines, 1):
            process.stdin.write(line)
            process.stdin.flush()
            wait_until(lambda count=count: self.terms(program)["decoded"] == count, line)
        return process

    def test_openssl_s_client(self):
        for more, theirs, sender in (
                (certificate(), [], None),
                (f"{certificate()}&client_ca={FILES.authority.cert}",
                 ["-cert", FILES.client[0], "-key", FILES.client[1]], "router-1.example.com"),
                (f"&keys={FILES.keys}", ["-psk_identity", "sensor.7", "-psk", KEY_A.hex()],
                 "sensor.7")):
            with self.subTest(sender=sender):
                self.out.unlink(missing_ok=True)
                program = self.begin(more)
                process = self.feed(
                    [OPENSSL, "s_client", "-dtls", "-quiet", "-no_ign_eof", "-connect",
                     f"127.0.0.1:{program.port(0)}", *theirs], program, [metric(1), metric(2)])
                process.stdin.close()
                wait_until(lambda program=program: self.terms(program)["sessions_closed"] == 1,
                           "the end")
                self.check_end(program, [(sender, 1), (sender, 2)], sessions_closed=1)

    @unittest.skipIf(GNUTLS is None, "no gnutls-cli here")
    def test_gnutls_cli(self):
        """Only with certificates: with a pre-shared key gnutls-cli 3.7.9 crashes with any server.
        """
        for more, theirs, sender in (
                (certificate(), [], None),
                (f"{certificate()}&client_ca={FILES.authority.cert}",
                 ["--x509certfile", FILES.client[0], "--x509keyfile", FILES.client[1]],
                 "router-1.example.com")):
            with self.subTest(sender=sender):
                self.out.unlink(missing_ok=True)
                program = self.begin(more)
                self.feed([GNUTLS, "--udp", "--no-ca-verification", "--port",
                           str(program.port(0)), *theirs, "127.0.0.1"],
                          program, [metric(1), metric(2)])
                self.check_end(program, [(sender, 1), (sender, 2)])


class Foreign(DtlsTest):
    def test_forged_addresses_leave_no_state(self):
        """A sender with a forged address does not see the answer with the cookie."""
        program = self.begin(certificate())
        hello = self.client(program).hello()
        sender = self.sender(program)
        ledger = sender.send_all([hello] * FORGED)
        self.assertEqual(refused(ledger["listeners"][0]), {"handshake": FORGED})
        self.check_end(program, [], handshakes=0, sessions=0,
                       cookies=FORGED - self.unsent(ledger))

    @staticmethod
    def unsent(ledger):
        return ledger["listeners"][0]["answers_unsent"]

    def test_no_answer_without_a_cookie_is_longer_than_its_request(self):
        program = self.begin(certificate())
        client = self.client(program)
        hello = client.hello()
        client.send(hello)
        self.assertLess(len(client.receive()), len(hello))
        (with_cookie,) = (client.dtls.step(), client.dtls.flight())[1]
        stranger = self.client(program)
        for forged in (with_cookie, with_cookie[:70] + b"\0" + with_cookie[71:]):
            stranger.send(forged)
            answer = stranger.receive()
            self.assertEqual(answer[HEADER], 3)  # another request for a cookie
            self.assertLess(len(answer), len(forged))
        program.wait_for_received(3)
        self.check_end(program, [], handshakes=0, cookies=3)

    def test_other_datagrams_are_refused_by_their_reasons(self):
        program = self.begin(certificate())
        sender = self.sender(program)
        encrypted = struct.pack(">BHHHLH", 23, 0xFEFD, 1, 0, 1, 30) + bytes(30)
        cut = struct.pack(">BHHHLH", 23, 0xFEFD, 1, 0, 1, 30) + bytes(29)
        sender.send_all([metric(1), b"", encrypted, cut, bytes(3000), b"GET / HTTP/1.0\r\n\r\n"])
        self.assertRegex("\n".join(program.log()), "not a record of DTLS")
        self.check_end(program, [], no_session=1, malformed=5, handshakes=0)

    def test_denied_senders_get_no_answer(self):
        program = self.begin(f"{certificate()}&deny=127.0.0.0/8")
        client = self.client(program)
        client.send(client.hello())
        self.assertIsNone(client.receive())
        self.check_end(program, [], source_denied=1, cookies=0)

    def test_a_second_handshake_does_not_harm_a_session(self):
        program = self.begin(certificate())
        client = self.opened(program)
        client.put(metric(1))
        before, client.dtls = client.dtls, self.client(program).dtls
        hello = client.hello()
        client.send(hello)
        while client.receive()[HEADER] != 3:
            pass
        client.dtls.step()
        client.send(*client.dtls.flight())  # with the cookie; then the client sends no more
        client.send(before.seal(metric(2)))
        program.wait_for_received(client.sent)
        self.assertEqual(self.terms(program)["decoded"], 2)
        client.open()
        client.put(metric(3))
        client.send(before.seal(metric(4)))
        program.wait_for_received(client.sent)
        self.check_end(program, [(None, value) for value in (1, 2, 3)], handshakes=2, sessions=2,
                       sessions_replaced=1, sessions_stopped=1, forged=1)

    def test_a_hello_that_is_repeated_begins_nothing(self):
        """Not even from an attacker that has seen it, while its cookie is valid."""
        program = self.begin(certificate())
        client = self.client(program)
        client.send(client.hello())
        client.receive()
        client.dtls.step()
        (with_cookie,) = client.dtls.flight()
        client.send(with_cookie, with_cookie)
        client.open()
        client.send(with_cookie)
        client.put(metric(1))
        program.wait_for_received(client.sent)
        self.check_end(program, [(None, 1)], handshakes=1, sessions=1, sessions_stopped=1)

    def test_the_table_of_sessions_has_an_end(self):
        program = self.begin(f"{certificate()}&sessions=2")
        first, second, third = (self.client(program) for _ in range(3))
        first.open()
        second.open()
        with self.assertRaises(TimeoutError):
            third.open(patience=2)
        first.send(*first.dtls.end())
        wait_until(lambda: self.terms(program)["sessions_closed"] == 1, "the end")
        third.open().put(metric(3))
        second.put(metric(2))
        program.wait_for_received(sum(each.sent for each in (first, second, third)))
        listener = self.check_end(program, [(None, 2), (None, 3)], sessions=3)
        self.assertGreater(listener["reasons"]["handshake_refused"], 0)

    def test_the_sessions_of_an_address_have_an_end(self):
        program = self.begin(f"{certificate()}&sessions=9&sessions_per_address=2")
        clients = [self.client(program).open() for _ in range(2)]
        third, other = self.client(program), self.client(program, local=("127.0.0.2", 0))
        with self.assertRaises(TimeoutError):
            third.open(patience=2)
        other.open().put(metric(3))
        clients[0].send(*clients[0].dtls.end())
        wait_until(lambda: self.terms(program)["sessions_closed"] == 1, "the end")
        third.open().put(metric(4))
        clients += third, other
        program.wait_for_received(sum(each.sent for each in clients))
        self.check_end(program, [(None, 3), (None, 4)], sessions=4)
        self.assertIn("its address has as many sessions as sessions_per_address= allows",
                      "\n".join(program.said()))

    @staticmethod
    def begin_handshake(client):
        """Sends the hello with the cookie, and does not wait for the answer."""
        client.send(client.hello())
        client.receive()
        client.dtls.step()
        client.send(*client.dtls.flight())
        return client

    def stranger(self, program, host="127.0.0.66"):
        """A client whose key the program does not have. It does not complete its handshake."""
        return self.begin_handshake(
            self.client(program, Settings(psk=(b"nobody", KEY_A)), local=(host, 0)))

    def crowd(self, program, count):
        before = self.terms(program)["received"]
        sent = sum(self.stranger(program).sent for _ in range(count))
        program.wait_for_received(before + sent)

    def check_others(self, program):
        for number in range(3):
            self.opened(program, Settings(psk=(b"sensor.7", KEY_A)),
                        local=(f"127.0.0.{10 + number}", 0), patience=1)
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["sessions"], 3)
        return listener

    def test_handshakes_of_a_stranger_use_no_place_of_a_session(self):
        program = self.begin(f"&keys={FILES.keys}&sessions=3")
        self.crowd(program, 20)
        self.check_others(program)

    def test_a_stranger_with_all_handshakes_gives_way_to_other_hosts(self):
        program = self.begin(f"&keys={FILES.keys}")
        self.crowd(program, 70)
        listener = self.check_others(program)
        self.assertGreaterEqual(listener["reasons"]["handshake_refused"], 1)

    def test_of_two_handshakes_for_the_last_session_the_second_is_told_of_its_end(self):
        program = self.begin(f"&keys={FILES.keys}&sessions=1")
        first, second = (self.client(program, Settings(psk=(b"sensor.7", KEY_A))) for _ in range(2))
        self.assertIsNotNone(self.begin_handshake(second).receive())
        first.open()
        second.open()
        while not second.dtls.has_ended():
            self.assertIsNotNone(second.receive())
        first.put(metric(1))
        program.wait_for_received(first.sent + second.sent)
        self.check_end(program, [("sensor.7", 1)], sessions=1, handshakes_failed=1)

    def test_a_client_cannot_renegotiate(self):
        program = self.begin(certificate())
        client = self.opened(program)
        SSL.SSL_renegotiate(client.dtls.ssl)
        SSL.SSL_do_handshake(client.dtls.ssl)
        client.send(*client.dtls.flight())
        program.wait_for_received(client.sent)
        listener = self.check_end(program, [])
        self.assertEqual((listener["handshakes"], listener["sessions"]), (1, 1))

    def test_a_message_larger_than_planned_is_not_read(self):
        """Otherwise the library would allocate memory for the size in a fragment."""
        program = self.begin(certificate())
        client = self.client(program)
        client.send(client.hello())
        client.receive()
        client.dtls.step()
        client.send(*client.dtls.flight())
        huge = struct.pack(">B3sH3s3s", 16, (60000).to_bytes(3, "big"), 2, bytes(3),
                           (10).to_bytes(3, "big")) + bytes(10)
        client.socket.send(struct.pack(">BHHHLH", 22, 0xFEFD, 0, 0, 9, len(huge)) + huge)
        program.wait_for_received(client.sent + 1)
        client.open()
        client.put(metric(1))
        program.wait_for_received(client.sent + 1)
        self.check_end(program, [(None, 1)], sessions=1)


class Time(DtlsTest):
    def test_an_idle_session_ends_and_its_client_is_told(self):
        program = self.begin(f"{certificate()}&idle_timeout=300ms")
        client = self.opened(program)
        client.put(metric(1))
        wait_until(lambda: self.terms(program)["sessions_idle"] == 1, "the end")
        while not client.dtls.has_ended():
            self.assertIsNotNone(client.receive())
        self.check_end(program, [(None, 1)], sessions_idle=1)

    def test_a_stop_tells_the_clients(self):
        program = self.begin(certificate())
        client = self.opened(program)
        self.check_end(program, [], sessions_stopped=1)
        while not client.dtls.has_ended():
            self.assertIsNotNone(client.receive())

    def test_what_is_lost_is_sent_again(self):
        program = self.begin(certificate())
        client = self.client(program)
        client.send(client.hello())
        client.receive()
        client.dtls.step()
        client.send(*client.dtls.flight())
        client.socket.settimeout(5)
        lost = client.socket.recv(1 << 16)  # the client does not answer this datagram
        again = client.socket.recv(1 << 16)
        while again[HEADER] != lost[HEADER] or again[5:11] == lost[5:11]:
            again = client.socket.recv(1 << 16)
        self.assertEqual(records(again)[0][HEADER:], records(lost)[0][HEADER:])
        program.stop()


class Reload(DtlsTest):
    def configure(self, pair, more=""):
        path = self.folder / "sluice.yaml"
        cert, key = pair
        path.write_text(f"listeners:\n- address: {self.url}\n  schema: riemann\n  cert: {cert}\n"
                        f"  key: {key}\n{more}sinks:\n- file:{self.out}\n",
                        encoding="utf-8")
        return path

    def test_a_session_survives_a_reload_and_others_get_the_new_certificate(self):
        self.url = f"dtls://127.0.0.1:{free_port()}"
        program = self.start("--config", self.configure(FILES.server))
        client = self.opened(program, Settings(ca=FILES.authority.cert))
        client.put(metric(1))
        self.configure(FILES.stranger)
        program.ask_to_reload()
        program.wait_for_log(CHANGED)
        client.put(metric(2))
        with self.assertRaises(ConnectionError):
            self.opened(program, Settings(ca=FILES.authority.cert))
        other = self.opened(program)
        other.put(metric(3))
        self.configure(FILES.server, "  client_ca: /no/such/file\n")
        program.ask_to_reload()
        program.wait_for_log("/no/such/file")
        client.put(metric(4))
        other.put(metric(5))
        last = self.opened(program)
        last.put(metric(6))
        wait_until(lambda: self.terms(program)["decoded"] == 6, "all six")
        ledger = program.stop()
        self.assertEqual(sorted(self.written()), [(None, value) for value in range(1, 7)])
        self.assertEqual(ledger["listeners"][0]["sessions_stopped"], 3)

    def shown(self, program):
        """The name in the certificate that a new client is shown."""
        return self.opened(program).dtls.peer_name()

    def refuse(self, program, pair, more=""):
        refused = sum(REFUSED in line for line in program.said())
        self.configure(pair, more)
        program.ask_to_reload()
        program.wait_for_log(REFUSED, refused + 1)

    def test_a_reload_after_a_refused_one_is_applied(self):
        self.url = f"dtls://127.0.0.1:{free_port()}"
        program = self.start("--config", self.configure(FILES.server))
        self.refuse(program, ("/no/such/file", FILES.server[1]))
        self.assertEqual(self.shown(program), "server")
        self.configure(FILES.stranger, "  idle_timeout: 100ms\n")
        program.ask_to_reload()
        program.wait_for_log(CHANGED)
        client = self.opened(program)
        self.assertEqual(client.dtls.peer_name(), "stranger")
        client.socket.settimeout(5)
        self.assertIsNotNone(client.receive())
        self.assertTrue(client.dtls.has_ended())
        self.refuse(program, FILES.server, "  client_ca: /no/such/file\n")
        self.assertEqual(self.shown(program), "stranger")
        program.stop()

    def test_a_refused_reload_does_not_read_the_present_files_again(self):
        self.url = f"dtls://127.0.0.1:{free_port()}"
        pair = self.folder / "cert", self.folder / "key"
        for files, more in ((FILES.server, ""), (FILES.stranger, "  client_ca: /no/such/file\n")):
            for file, its in zip(pair, files):
                shutil.copy(its, file)
            if not more:
                program = self.start("--config", self.configure(pair))
        self.refuse(program, pair, more)
        self.assertEqual(self.shown(program), "server")
        self.refuse(program, pair, "  client_ca: /no/such/other\n")  # the log joins equal lines
        self.assertEqual(self.shown(program), "server")
        program.stop()


class Configuration(DtlsTest):
    def test_settings_that_do_not_fit_are_refused(self):
        for more, why in (
                ("", "dtls needs cert=FILE and key=FILE, or keys=FILE"),
                (f"&cert={FILES.server[0]}", "belong together"),
                (f"&keys={FILES.keys}&client_ca={FILES.authority.cert}", "client_ca= needs cert="),
                (f"{certificate()}&keys={FILES.keys}", "clients without a key could send"),
                (f"{certificate()}&match=key:a", "match=key: needs client_ca= or keys="),
                (f"{certificate()}&receivers=2&spread=datagram", "separate the records"),
                (f"{certificate()}&framing=sealed", "framing=sealed is not for dtls"),
                (f"{certificate()}&max_age=3s", "is for framing=sealed")):
            with self.subTest(more):
                self.check_refused(DTLS, more, why, 64)
        self.check_refused("dtls://239.1.1.1:5555", certificate(), "multicast", 64)

    def test_files_that_cannot_be_used_are_refused(self):
        for more, why in (
                (f"&cert={FILES.server[1]}&key={FILES.server[0]}", "may be swapped"),
                (certificate((FILES.server[0], FILES.client[1])), "does not match"),
                (f"{certificate()}&client_ca={self.folder}/none", "none"),
                (f"&keys={self.folder}/none", "none")):
            with self.subTest(more):
                self.check_refused(DTLS, more, why, 78)

    def check_refused(self, address, more, why, code):
        self.assertIn(why, self.refused("--check", "--listen", f"{address}?schema=riemann{more}",
                                        code=code))

    def test_a_keys_file_that_others_can_read_is_refused(self):
        keys = self.folder / "keys"
        keys.write_text(FILES.keys.read_text(encoding="ascii"), encoding="ascii")
        keys.chmod(0o644)
        self.assertIn("chmod o=", self.refused("--listen", f"{DTLS}?schema=riemann&keys={keys}",
                                               code=78))


if __name__ == "__main__":
    unittest.main()
