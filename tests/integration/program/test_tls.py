"""tls=on: clients with and without certificates, other protocols, and incomplete handshakes."""
import os
import pathlib
import random
import select
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from built import IO_ERROR, skip
from certificates import OPENSSL, Authority
from protobuf import metric, riemann
from sluice_program import (
    CHANGED, DEADLINE, NO_TCP_LISTENER, ONE_THREAD, SANITIZED, parse_lines, read_lines)
from test_config import READS_FILES
from test_inherited import InheritedTest
from test_resident import resident
from test_tcp import BAD, OK, SMALL_BUFFER, TCP, Client, Tcp, framed
from test_user import needs_root

CLIENT = shutil.which("riemann-client")


class Files:
    """The certificates of all tests, created once."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = Authority(folder)
        self.other = Authority(folder, "other-ca")
        self.cert, self.key = self.authority.issue("server")
        self.client = self.authority.issue("client")
        self.expired = self.authority.issue("expired", days=-1)
        self.stranger = self.other.issue("stranger")


def setUpModule():
    global FILES, TLS, MUTUAL  # pylint: disable=global-variable-undefined
    folder = tempfile.TemporaryDirectory(prefix="sluice-test-certificates-")
    unittest.addModuleCleanup(folder.cleanup)
    FILES = Files(pathlib.Path(folder.name))
    TLS = f"{TCP}&tls=on&cert={FILES.cert}&key={FILES.key}"
    MUTUAL = f"{TLS}&client_ca={FILES.authority.cert}"


def settings(cert=None, version=None):
    """The settings of a client, which trusts the server's authority and has this certificate and
    key."""
    made = ssl.create_default_context(cafile=FILES.authority.cert)
    made.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)  # set since Python 3.10
    if cert is not None:
        made.load_cert_chain(*cert)
    if version is not None:
        made.minimum_version = made.maximum_version = version
    return made


class TlsClient(Client):
    """A connection to a tcp listener with tls=on."""

    def __init__(self, program, listener=0, cert=None, version=None):
        super().__init__(program, listener)
        self.plain = self.socket
        try:
            self.socket = settings(cert, version).wrap_socket(
                self.plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
        except BaseException:
            self.plain.close()
            raise


class ByHand(Client):
    """A client whose TLS is separate from its socket. It can stop, or announce its end, at any
    byte."""

    def __init__(self, program, cert=None, version=None, **more):
        super().__init__(program, **more)
        self.come, self.go = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = settings(cert, version).wrap_bio(self.come, self.go, server_hostname="127.0.0.1")

    def flight(self):
        """The bytes that TLS must send now."""
        return self.go.read()

    def first_flight(self):
        """The ClientHello of a client."""
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self.flight()

    def step(self, call):
        """Repeats the call until it has a result. Sends and receives the data that TLS needs."""
        while True:
            try:
                return call()
            except ssl.SSLWantReadError:
                self.send(self.flight())
                data = self.socket.recv(1 << 16)
                if not data:
                    raise EOFError("the connection ended") from None
                self.come.write(data)
            finally:
                self.send(self.flight())

    def open(self):
        self.step(self.tls.do_handshake)
        return self

    def sealed(self, data):
        """The bytes of a record with this data."""
        self.tls.write(data)
        return self.flight()

    def send(self, data):
        if data:
            super().send(data)

    def say_end(self):
        """Sends close_notify, but keeps the socket open."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.send(self.flight())

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            data += self.step(lambda: self.tls.read(size - len(data)))
        return data


class Tls(Tcp):
    def tls(self, program, **more):
        client = TlsClient(program, **more)
        self.addCleanup(client.socket.close)
        return client

    def by_hand(self, program, **more):
        client = ByHand(program, **more)
        self.addCleanup(client.socket.close)
        return client

    def check_served(self, program, **more):
        """Asserts that a correct client is served."""
        client = self.tls(program, **more)
        client.send(framed(metric(7)))
        self.assertEqual(client.answer(), OK)

    def read_to_end(self, client):
        """All data on its socket until the other side has closed or reset it."""
        data = b""
        try:
            while part := client.socket.recv(1 << 16):
                data += part
        except ConnectionError:
            pass
        return data

    def turned_away(self, program, **more):
        """Asserts that the client gets no answer. Returns the error of TLS."""
        with self.assertRaises((ssl.SSLError, ConnectionError, EOFError)) as caught:
            client = self.tls(program, **more)
            client.send(framed(metric(1)))
            client.answer()
        return str(caught.exception)


class Served(Tls):
    def test_each_message_is_written_and_answered_in_its_order(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version=version.name):
                program = self.start("--listen", MUTUAL)
                client = self.tls(program, cert=FILES.client, version=version)
                for number in range(20):
                    client.send(framed(metric(number)))
                    self.assertEqual(client.answer(), OK)
                client.send(framed(*[metric(number) for number in range(20, 1020)]))
                self.assertEqual(client.answers(1000), [OK] * 1000)
                listener = program.stop()["listeners"][0]
                self.assertEqual([line["value"] for line in program.output()], list(range(1020)))
                self.assertEqual((listener["received"], listener["answers"]), (1020, 1020))
                self.assertEqual(self.ends(listener), {"stopped": 1})

    def test_the_certificates_that_lead_to_the_root_are_shown(self):
        between = FILES.authority.below("between")
        cert, key = between.issue("leaf")
        chain = self.folder / "chain.crt"
        chain.write_bytes(cert.read_bytes() + between.cert.read_bytes())
        program = self.start("--listen", f"{TCP}&tls=on&cert={chain}&key={key}")
        self.check_served(program)
        program.stop()

    def test_who_does_not_read_answers_is_not_read(self):
        program = self.start("--listen", TLS + "&idle_timeout=1s")
        client = self.by_hand(program, options=(SMALL_BUFFER,)).open()
        client.socket.setblocking(False)
        sent = 0
        sealed = client.sealed(BAD * 4000)
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and select.select([], [client.socket], [], 0.5)[1]:
            try:
                done = client.socket.send(sealed)
            except BlockingIOError:
                continue
            except ConnectionError:
                break
            sent += done
            sealed = sealed[done:] or client.sealed(BAD * 4000)
        self.wait_for_end(program, "idle")
        listener = program.stop()["listeners"][0]
        self.assertLess(listener["received"], sent // len(BAD))
        self.assertEqual(self.ends(listener), {"idle": 1})

    def test_a_message_of_5000_events_arrives_whole(self):
        event = {"service": "requests", "metric_d": 0.5, "host": "web1", "state": "ok",
                 "description": "d" * 160, "tags": ["a", "b"]}
        sent = riemann(*[{**event, "time": number} for number in range(1, 5001)])
        self.assertTrue(1000000 < len(sent) <= 1048576, len(sent))
        program = self.start("--listen", TLS + "&max_decoded=8MiB")
        client = self.tls(program)
        client.send(framed(metric(1), sent, metric(2)))
        self.assertEqual(client.answers(3), [OK] * 3)
        program.stop()
        self.assertEqual(len(program.output()), 5002)

    def test_records_and_frames_end_where_they_like(self):
        """Frames of any size in records of any size, in segments of any size."""
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        sent = framed(*[metric(number, host="h" * (number * 97 % 3000)) for number in range(60)])
        stream = b""
        for at in range(0, len(sent), 1111):
            stream += client.sealed(sent[at:at + 1111])
        for at in range(0, len(stream), 1999):
            client.send(stream[at:at + 1999])
        self.assertEqual(client.answers(60), [OK] * 60)
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(60)))

    def test_what_comes_in_one_piece_is_answered_without_another_event(self):
        """Data that TLS has already read from the socket must be served without further input. Here
        a step ends with the fourth frame, in the record that also contains the fifth."""
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        frame = 39 * 1024
        more = frame - len(framed(metric(1, host="h" * 20000))) + 20000
        large = framed(metric(1, host="h" * more))
        self.assertEqual(len(large), frame)
        for _ in range(20):
            client.send(client.sealed(large * 4 + framed(metric(2))))
            self.assertEqual(client.answers(5), [OK] * 5)
        client.send(client.sealed(framed(*[metric(number) for number in range(4000)])))
        self.assertEqual(client.answers(4000), [OK] * 4000)
        program.stop()

    def test_riemanns_own_client_is_answered(self):
        if CLIENT is None:
            self.skipTest("riemann-client is not installed (Debian: riemann-c-client)")
        program = self.start("--listen", MUTUAL)
        cert, key = FILES.client
        for number in range(3):
            subprocess.run([CLIENT, "send", "--tls", "-o", f"cafile={FILES.authority.cert}", "-o",
                            f"certfile={cert}", "-o", f"keyfile={key}", "--service", f"s{number}",
                            "--metric-d", "0.5", "127.0.0.1", str(program.port())], check=True,
                           timeout=DEADLINE)
        ledger = program.stop()
        self.assertEqual([line["name"] for line in program.output()], ["s0", "s1", "s2"])
        self.assertEqual(ledger["listeners"][0]["answers"], 3)

    def test_a_connection_that_moves_between_threads_keeps_its_order(self):
        """Sends frame by frame on each of many connections, so that a different thread may serve
        each frame."""
        program = self.start("--listen", TLS + "&receivers=4", "--sink",
                             f"file:{self.folder}/lines")
        clients = [self.tls(program) for _ in range(16)]
        rounds = 40 if SANITIZED else 200
        for number in range(rounds):
            for client in clients:
                client.send(framed(metric(number, host=str(id(client)))))
            for client in clients:
                self.assertEqual(client.answer(), OK)
        program.stop()
        seen = {}
        for line in read_lines(self.folder / "lines"):
            seen.setdefault(line["labels"]["host"], []).append(line["value"])
        self.assertEqual(list(map(list, seen.values())), [list(range(rounds))] * 16)

    def test_a_ticket_opens_the_next_connection(self):
        program = self.start("--listen", MUTUAL)
        made = settings(FILES.client, ssl.TLSVersion.TLSv1_2)
        session = None
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", program.port()), DEADLINE) as plain, \
                    made.wrap_socket(plain, server_hostname="127.0.0.1", session=session) as client:
                self.assertEqual(client.session_reused, session is not None)
                session = client.session
        program.stop()

    def test_a_sink_that_stands_still_makes_senders_wait_and_nothing_is_lost(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        listen = TLS + "&receivers=2&idle_timeout=1s&frame_timeout=1s"
        program = self.start("--listen", listen, "--memory", self.least_memory("--listen", listen),
                             stdout=writer)
        os.close(writer)
        count = 3000
        clients = [self.tls(program) for _ in range(4)]
        got = []

        def send(client, base):
            for start in range(0, count, 50):
                client.send(framed(*[metric(base + number, host="h" * 400)
                                     for number in range(start, start + 50)]))
                got.append(client.answers(50))
            client.socket.unwrap()  # at once, because otherwise it would become idle while others take longer
        threads = [threading.Thread(target=send, args=(client, index * count))
                   for index, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        before, still = -1, 0
        while still < 30:  # longer without a change than the time limits
            now = len(got)
            still = still + 1 if now == before else 0
            before = now
            threading.Event().wait(0.05)
        self.assertLess(before, 4 * count // 50, "the pipe took it all")
        data = b""
        while data.count(b"\n") < 4 * count:
            data += os.read(reader, 1 << 20)
        for thread in threads:
            thread.join(DEADLINE)
        self.wait_for_end(program, "closed", 4)
        listener = program.stop()["listeners"][0]
        self.assertEqual(got, [[OK] * 50] * (4 * count // 50))
        values = [line["value"] for line in parse_lines(data)]
        self.assertEqual(sorted(values), list(range(4 * count)))
        self.assertEqual(self.ends(listener), {"closed": 4})


class Inherited(InheritedTest):
    def test_a_socket_that_was_there_before_takes_connections_over_tls(self):
        listening = self.tcp()
        program = self.start_with(
            [listening], "--listen",
            f"fd:riemann?schema=riemann&tls=on&cert={FILES.cert}&key={FILES.key}",
            names=["riemann"])
        client = self.connect(listening)
        client.socket = settings().wrap_socket(client.socket, server_hostname="127.0.0.1")
        self.addCleanup(client.socket.close)
        client.send(framed(*[metric(number) for number in range(10)]))
        self.assertEqual(client.answers(10), [OK] * 10)
        self.assertEqual(program.stop()["listeners"][0]["connections"], 1)
        self.assertEqual([line["value"] for line in read_lines(self.path)], list(range(10)))


class Ends(Tls):
    def test_a_client_that_said_its_end_is_answered_and_closed_in_order(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        client.send(client.sealed(framed(*[metric(number) for number in range(500)])))
        client.say_end()
        self.assertEqual(client.answers(500), [OK] * 500)
        with self.assertRaises(ssl.SSLZeroReturnError):  # close_notify came before the end
            client.step(lambda: client.tls.read(1))
        listener = program.stop()["listeners"][0]
        self.assertEqual(len(program.output()), 500)
        self.assertEqual(self.ends(listener), {"closed": 1})

    def test_an_end_without_a_word_is_a_hang_up(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        client.send(client.sealed(framed(metric(1), metric(2))))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answers(2), [OK] * 2)
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], self.ends(listener)), (2, {"closed": 1}))

    def test_half_a_frame_at_the_end_is_counted(self):
        for how in ("said", "without a word", "within a record"):
            with self.subTest(how=how):
                program = self.start("--listen", TLS)
                client = self.by_hand(program).open()
                client.send(client.sealed(framed(metric(1), metric(2))[:-3]))
                self.assertEqual(client.answer(), OK)
                if how == "said":
                    client.say_end()
                elif how == "within a record":
                    client.send(client.sealed(b"abc")[:10])
                client.socket.shutdown(socket.SHUT_WR)
                self.read_to_end(client)
                listener = program.stop()["listeners"][0]
                self.assertEqual((listener["received"], self.ends(listener)),
                                 (1, {"frame_cut": 1}))

    def test_a_stop_says_the_end(self):
        program = self.start("--listen", TLS)
        client = self.tls(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        program.stop()
        self.assertEqual(client.socket.recv(1), b"")  # SSLEOFError if close_notify is missing

    def test_a_message_that_is_too_long_is_answered_and_ends_the_connection(self):
        program = self.start("--listen", TLS + "&max_frame=2KiB")
        client = self.tls(program)
        client.send(framed(metric(1), metric(2, host="h" * 3000)) + b"more of it")
        self.assertEqual(client.answer(), OK)
        self.assertIn(b"too_large", client.answer())
        self.assertEqual(client.socket.recv(1), b"")
        client.socket.close()
        self.wait_for_end(program, "bad_frame")
        program.stop()


class Bad(Tls):
    """Clients that violate the protocol are counted and closed, and all others are served."""

    def check_failed(self, program, count=1, why=None, **more):
        self.wait_for_end(program, "tls_failed", count)
        self.check_served(program, **more)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"tls_failed": count, "stopped": 1})
        if why is not None:
            program.wait_for_log(r"connection from 127\.0\.0\.1:\d+: closed: TLS failed: " + why)

    def test_who_speaks_no_tls(self):
        for what in (framed(metric(1)), b"GET / HTTP/1.1\r\n\r\n", b"\x16\xff" * 40):
            with self.subTest(what=what):
                program = self.start("--listen", TLS)
                client = self.client(program)
                client.send(what)
                self.read_to_end(client)
                client.socket.close()
                self.check_failed(program, why="the first bytes are not TLS: " if what[0] != 22
                                  else None)

    def test_who_has_no_certificate(self):
        program = self.start("--listen", MUTUAL)
        self.assertIn("certificate required", self.turned_away(program).lower().replace("_", " "))
        self.check_failed(program, why="peer did not return a certificate", cert=FILES.client)

    def test_who_has_a_certificate_of_someone_else(self):
        program = self.start("--listen", MUTUAL)
        self.turned_away(program, cert=FILES.stranger)
        self.check_failed(program, cert=FILES.client,
                          why="certificate verify failed: unable to get local issuer certificate")

    def test_whose_certificate_has_expired(self):
        program = self.start("--listen", MUTUAL)
        self.turned_away(program, cert=FILES.expired)
        self.check_failed(program, cert=FILES.client,
                          why="certificate verify failed: certificate has expired")

    def test_who_does_not_trust_us(self):
        program = self.start("--listen", TLS)
        made = ssl.create_default_context(cafile=FILES.other.cert)
        with socket.create_connection(("127.0.0.1", program.port()), DEADLINE) as plain, \
                self.assertRaises(ssl.SSLCertVerificationError):
            made.wrap_socket(plain, server_hostname="127.0.0.1")
        self.check_failed(program, why=".*alert unknown ca")

    def test_who_speaks_only_what_is_too_old(self):
        program = self.start("--listen", TLS)
        with subprocess.Popen([OPENSSL, "s_client", "-connect", f"127.0.0.1:{program.port()}",
                               "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
            self.assertNotEqual(client.wait(DEADLINE), 0)
        self.check_failed(program, why="(unsupported protocol|version too low)")  # by OpenSSL build

    def test_who_stops_within_the_handshake(self):
        program = self.start("--listen", TLS + "&frame_timeout=1s")
        silent, halfway, done = (self.by_hand(program) for _ in range(3))
        halfway.send(halfway.first_flight()[:100])
        done.open()  # may take all the time of a connection
        self.assertTrue(silent.ends())
        self.assertTrue(halfway.ends())
        done.send(done.sealed(framed(metric(1))))
        self.assertEqual(done.answer(), OK)
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"frame_timeout": 2, "stopped": 1})

    def test_who_ends_within_the_handshake(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program)
        client.send(client.first_flight()[:100])
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ends())
        self.check_failed(program, why="the peer ended the handshake")

    def test_who_only_looks_whether_the_port_is_there_has_not_failed(self):
        program = self.start("--listen", TLS)
        self.client(program).socket.close()
        self.wait_for_end(program, "closed")
        program.stop()
        self.assertNotIn("TLS failed", "\n".join(program.log()))

    def test_a_reset_within_the_handshake(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program)
        client.send(client.first_flight()[:100])
        client.reset()
        self.wait_for_end(program, "reset")
        self.check_served(program)
        program.stop()

    def test_garbage_after_the_handshake(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        client.send(client.sealed(framed(metric(1))))
        self.assertEqual(client.answer(), OK)
        client.send(b"\x17\x03\x03\x00\x40" + b"garbage!" * 8)
        self.read_to_end(client)
        client.socket.close()
        self.check_failed(program, why="decryption failed or bad record mac")

    def test_what_was_whole_before_the_garbage_is_written(self):
        program = self.start("--listen", TLS)
        client = self.by_hand(program).open()
        client.send(client.sealed(framed(*[metric(number) for number in range(100)])) +
                    b"\x17\x03\x03\x00\x40" + b"garbage!" * 8)
        self.read_to_end(client)
        self.wait_for_end(program, "tls_failed")
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(100)))

    def test_renegotiation(self):
        program = self.start("--listen", TLS)
        with subprocess.Popen([OPENSSL, "s_client", "-connect", f"127.0.0.1:{program.port()}",
                               "-tls1_2", "-quiet", "-no_ign_eof"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as client:
            client.stdin.write(framed(metric(1)))
            client.stdin.flush()
            self.assertEqual(client.stdout.read(4 + len(OK))[4:], OK)
            client.stdin.write(b"R\n")
            client.stdin.flush()
            client.wait(DEADLINE)
        self.check_failed(program, why="renegotiation is not supported")

    def test_many_at_once_beside_one_who_is_served(self):
        program = self.start("--listen", MUTUAL + "&receivers=2&frame_timeout=2s", "--listen", TCP,
                             listeners=2)
        secure = next(name for name in program.names
                      if f"listening on {name} for riemann over TLS" in "\n".join(program.log()))
        plain = self.client(program, listener=1 - program.names.index(secure))
        if program.names.index(secure) != 0:
            program.names.reverse()
        deeds = [b"", framed(metric(1)), self.by_hand(program).first_flight()[:60],
                 b"\x16\x03\x01\xff\xff" + b"\x01" * 300]
        good = self.tls(program, cert=FILES.client)
        bad = [self.client(program) for _ in range(50)]
        for number, client in enumerate(bad):
            client.send(deeds[number % len(deeds)])
            if number % 10 == 9:
                client.reset()
            for one in (good, plain):
                one.send(framed(metric(number)))
                self.assertEqual(one.answer(), OK)
        for number, client in enumerate(bad):
            self.assertTrue(number % 10 == 9 or client.socket.recv(1 << 10) is not None)
            client.socket.close()
        ledger = program.wait_for_ledger(
            lambda ledger: sum(self.ends(ledger["listeners"][0]).values()) >= 50,
            "all bad ones have ended")
        self.check_served(program, cert=FILES.client)
        ledger = program.stop()
        self.assertEqual([one["decoded"] for one in ledger["listeners"]], [51, 50])


class Hostile(Tls):
    def test_no_bytes_do_harm(self):
        """The recorded first bytes of a client: cut off anywhere, with changed bytes, and random
        bytes."""
        program = self.start("--listen", MUTUAL + "&receivers=2&frame_timeout=3s")
        dice = random.Random(19)
        hello = self.by_hand(program, cert=FILES.client).first_flight()
        old = self.by_hand(program, version=ssl.TLSVersion.TLSv1_2).first_flight()
        cases = [hello[:length] for length in range(0, len(hello), 7)]
        for number in range(300):
            data = bytearray(dice.choice((hello, old)))
            for _ in range(dice.randint(1, 8)):
                data[dice.randrange(len(data) if number % 2 else 60)] = dice.randrange(256)
            cases.append(bytes(data))
        cases += [b"\x16\x03\x01" + dice.randbytes(dice.randint(1, 600)) for _ in range(100)]
        cases += [dice.randbytes(dice.randint(1, 600)) for _ in range(100)]
        for case in cases:
            client = self.client(program)
            client.send(case)
            client.socket.close()
        program.wait_for_ledger(  # so that none of them uses the time of a good handshake
            lambda ledger: sum(self.ends(ledger["listeners"][0]).values()) >= len(cases),
            "all bad ones have ended")
        for number in range(100):  # the handshake was good
            client = self.by_hand(program, cert=FILES.client).open()
            data = bytearray(client.sealed(framed(metric(number))))
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            client.send(data[:dice.randint(1, len(data))])
            client.socket.close()
        self.check_served(program, cert=FILES.client)
        program.stop()


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Reload(Tls):
    def setUp(self):
        super().setUp()
        self.config = self.folder / "sluice.yaml"
        self.cert, self.key = self.folder / "cert", self.folder / "key"
        self.use(FILES.cert, FILES.key)
        self.write()

    def use(self, cert, key):
        shutil.copy(cert, self.cert)
        shutil.copy(key, self.key)

    def write(self, *more, second=()):
        """Writes a configuration with one listener for the test's files, and one for each in
        `second`."""
        lines = ["listeners:"]
        for cert, key, keys in [(self.cert, self.key, more), *((*files, ()) for files in second)]:
            lines += ["  - address: tcp://127.0.0.1:0", "    schema: riemann", "    tls: on",
                      f"    cert: {cert}", f"    key: {key}", *(f"    {each}" for each in keys)]
        self.config.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def shown(self, program, **more):
        """The name in the certificate of the listener. Also asserts that a message is answered."""
        client = self.tls(program, **more)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        (((_, name),),) = client.socket.getpeercert()["subject"]
        return name

    def reload(self, program, taken=0, refused=0):
        """Requests a reload. Waits until `taken` were accepted, or `refused` were refused, in
        total."""
        program.ask_to_reload()
        if refused:
            return program.wait_for_log("the present configuration stays: (.*)", refused)[-1][1].decode()
        return program.wait_for_log(CHANGED, taken)

    def test_new_files_are_for_new_connections(self):
        program = self.start("--config", str(self.config))
        client = self.tls(program)
        self.assertEqual(self.shown(program), "server")
        self.use(*FILES.authority.issue("successor"))
        self.reload(program, taken=1)
        client.send(framed(metric(2)))
        self.assertEqual(client.answer(), OK)
        self.assertEqual(self.shown(program), "successor")
        listener = program.stop()["listeners"][0]
        self.assertEqual(self.ends(listener), {"stopped": 3})

    def test_where_new_files_cannot_be_used_the_old_ones_stay(self):
        program = self.start("--config", str(self.config))
        client = self.tls(program)
        self.key.write_bytes(FILES.client[1].read_bytes())
        self.assertIn(f"key={self.key}: does not match", self.reload(program, refused=1))
        self.assertEqual(self.shown(program), "server")
        self.cert.unlink()
        self.assertIn(f"cert={self.cert}: cannot be opened", self.reload(program, refused=2))
        self.assertEqual(self.shown(program), "server")
        client.send(framed(metric(2)))
        self.assertEqual(client.answer(), OK)
        self.use(*FILES.authority.issue("successor"))
        self.reload(program, taken=1)
        self.assertEqual(self.shown(program), "successor")
        program.stop()

    def test_one_listener_whose_files_cannot_be_used_keeps_all_as_they_were(self):
        second = self.folder / "second.crt", self.folder / "second.key"
        for file, by in zip(second, FILES.authority.issue("second")):
            shutil.copy(by, file)
        self.write(second=[second])
        program = self.start("--config", str(self.config), listeners=2)
        before = {self.shown(program, listener=number) for number in range(2)}
        self.assertEqual(before, {"server", "second"})
        self.use(*FILES.authority.issue("successor"))
        second[0].unlink()
        self.reload(program, refused=1)
        self.assertEqual({self.shown(program, listener=number) for number in range(2)}, before)
        shutil.copy(FILES.authority.folder / "second.crt", second[0])
        self.reload(program, taken=1)
        self.assertEqual({self.shown(program, listener=number) for number in range(2)},
                         {"successor", "second"})
        program.stop()

    def test_a_refused_reload_does_not_read_the_present_files_again(self):
        program = self.start("--config", str(self.config))
        self.use(*FILES.authority.issue("successor"))
        self.write("client_ca: /no/such/file")
        self.reload(program, refused=1)
        self.assertEqual(self.shown(program), "server")
        self.write()
        self.reload(program, taken=1)
        self.assertEqual(self.shown(program), "successor")
        program.stop()

    def test_certificates_of_clients_can_be_wanted_from_then_on(self):
        self.leave_sandbox()
        program = self.start("--config", str(self.config))
        client = self.tls(program)
        client.send(framed(metric(1)))
        self.assertEqual(client.answer(), OK)
        self.write(f"client_ca: {FILES.authority.cert}")
        self.reload(program, taken=1)
        self.turned_away(program)
        self.check_served(program, cert=FILES.client)
        client.send(framed(metric(2)))
        self.assertEqual(client.answer(), OK)
        self.wait_for_end(program, "tls_failed")
        program.stop()

    def test_fewer_connections_leave_those_that_are_open_their_memory(self):
        self.write("max_connections: 200")
        program = self.start("--config", str(self.config))
        clients = [self.tls(program) for _ in range(200)]
        self.write("max_connections: 1")
        self.reload(program, taken=1)
        for client in clients:
            client.send(framed(metric(1)))
            self.assertEqual(client.answer(), OK)
        program.stop()

    @needs_root
    def test_files_are_read_before_rights_are_given_up_and_as_the_user_from_then_on(self):
        self.folder.chmod(0o755)
        self.key.chmod(0o600)
        program = self.start("--config", str(self.config), "--user", "nobody")
        self.assertEqual(self.shown(program), "server")
        self.assertIn(f"key={self.key}: cannot be opened: Permission denied",
                      self.reload(program, refused=1))
        self.assertEqual(self.shown(program), "server")
        program.stop()

    def test_tls_is_turned_on_and_off_by_a_new_start_alone(self):
        program = self.start("--config", str(self.config))
        text = self.config.read_text(encoding="utf-8").split("    tls: on")[0]
        self.config.write_text(text, encoding="utf-8")
        self.assertIn("tls", self.reload(program, refused=1))
        self.check_served(program)
        program.stop()


class Refused(Tls):
    def test_files_that_cannot_be_used(self):
        junk, encrypted = self.folder / "junk", self.folder / "encrypted"
        junk.write_text("no certificate\n", encoding="ascii")
        subprocess.run([OPENSSL, "ec", "-in", FILES.key, "-aes128", "-passout", "pass:secret",
                        "-out", encrypted], check=True, capture_output=True, timeout=DEADLINE)
        long = self.folder / "long"
        long.write_bytes(FILES.cert.read_bytes() + 60 * FILES.authority.cert.read_bytes())
        good = {"cert": FILES.cert, "key": FILES.key}
        for keys, why in (
                ({"cert": self.folder / "none"}, f"cert={self.folder}/none: cannot be opened: "),
                ({"key": self.folder}, f"key={self.folder}: cannot be opened: Is a directory"),
                ({"cert": junk}, f"cert={junk}: contains no certificate in PEM"),
                ({"cert": long}, f"cert={long}: its certificates are larger than 16 KiB"),
                ({"key": junk}, f"key={junk}: contains no private key in PEM"),
                ({"key": encrypted}, f"key={encrypted}: the key is encrypted"),
                ({"key": FILES.client[1]}, f"key={FILES.client[1]}: does not match the "
                                           f"certificate in cert={FILES.cert}"),
                ({"cert": FILES.key, "key": FILES.cert},
                 f"cert={FILES.key}: contains a key and no certificate; cert= and key= may be swapped"),
                ({"client_ca": junk}, f"client_ca={junk}: contains no certificate in PEM"),
                ({"cert": "/dev/null"}, "cert=/dev/null: it is a pipe or a device, not a file"),
                ({"cert": "/proc/self/mem"}, f"cert=/proc/self/mem: {IO_ERROR}")):
            given = "&".join(f"{key}={file}" for key, file in {**good, **keys}.items())
            for more in ([], ["--check"]):
                with self.subTest(keys=keys, more=more):
                    text = self.refused("--listen", f"{TCP}&tls=on&{given}", *more, code=78)
                    self.assertIn("tcp://127.0.0.1:0: " + why, text)

    def test_keys_that_do_not_fit(self):
        for keys, why in (("tls=on", "tls=on needs cert=FILE and key=FILE"),
                          (f"tls=on&cert={FILES.cert}", "tls=on needs cert=FILE and key=FILE"),
                          (f"cert={FILES.cert}&key={FILES.key}", "need tls=on"),
                          (f"client_ca={FILES.cert}", "need tls=on")):
            self.assertIn(why, self.refused("--listen", f"{TCP}&{keys}", code=64))


@unittest.skipIf(SANITIZED, "sanitizers have memory of their own")
class Memory(Tls):
    """The memory for clients is planned."""

    # KiB: the planned memory of a connection, and its own buffers.
    EACH = 64 + 6

    def start_for(self, count):
        """Starts with the least memory and therefore few blocks for records. With more, the number
        of touched blocks would differ by megabytes from run to run."""
        arguments = ["--listen", f"{TLS}&max_connections={count}&frame_timeout=1h"]
        return self.start(*arguments, "--memory", self.least_memory(*arguments))

    def check_growth(self, program, before, count):
        grown = resident(program) - before
        self.assertLess(grown, count * self.EACH, f"KiB, {count} connections")

    def test_who_claims_a_long_hello_gets_no_room_for_it(self):
        """A ClientHello that claims 128 KiB, of which 16 KiB come."""
        count = 200
        program = self.start_for(count)
        before = resident(program)
        claim = b"\x16\x03\x01\x40\x00\x01\x02\x00\x00\x03\x03" + bytes(16378)
        clients = [self.client(program) for _ in range(count)]
        for client in clients:
            client.send(claim)
        program.wait_for_log("TLS failed: ")
        self.check_growth(program, before, count)
        program.stop()

    def test_who_is_connected_takes_what_is_planned(self):
        count = 100
        program = self.start_for(count)
        before = resident(program)
        clients = [self.tls(program) for _ in range(count)]
        for client in clients:
            client.send(framed(metric(1)))
            self.assertEqual(client.answer(), OK)
        self.check_growth(program, before, count)
        program.stop()

    def test_max_connections_is_a_part_of_the_plan(self):
        sizes = [int(self.least_memory("--listen", f"{TLS}&max_connections={count}")[:-3])
                 for count in (100, 200)]
        plain = [int(self.least_memory("--listen", f"{TCP}&max_connections={count}")[:-3])
                 for count in (100, 200)]
        self.assertEqual(sizes[1] - sizes[0] - (plain[1] - plain[0]), 80 * 100)


if __name__ == "__main__":
    if ONE_THREAD:
        skip(NO_TCP_LISTENER)
    if OPENSSL is None:
        skip("openssl is not installed")
    unittest.main()
