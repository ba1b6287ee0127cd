"""Tests a dtls: listener with many sessions at a high rate and a reload in the middle. Every record
must have one outcome.

TEST_DTLS_SESSIONS sessions send TEST_DTLS_RATE records a second for about two seconds."""
import os
import pathlib
import resource
import time
import unittest

from built import WINDOWS, skip
from certificates import OPENSSL, Authority
from protobuf import metric
from sealing import Key, write_keys
from sluice_program import SANITIZED, ProgramTest, built_with, dropped
from test_resident import resident

if WINDOWS or OPENSSL is None or not built_with("tls"):
    skip("no OpenSSL here")

from dtls_client import DtlsClient, Settings  # pylint: disable=wrong-import-position

SESSIONS = int(os.environ.get("TEST_DTLS_SESSIONS", "100"))
RATE = int(os.environ.get("TEST_DTLS_RATE", "4000"))
GROUP = 0.005  # seconds
PLANNED = 96  # KiB for each session


class Many(ProgramTest):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, SESSIONS + 256)), hard))

    def test_each_record_of_many_sessions_is_written_once(self):
        keys, out = self.folder / "keys", self.folder / "out"
        key = Key("web")
        write_keys(keys, key)
        program = self.start("--listen", f"dtls://127.0.0.1:0?schema=riemann&keys={keys}&"
                             f"sessions={SESSIONS}&receive_buffer=16MiB", "--sink", f"file:{out}")
        settings = Settings(psk=(b"web", key.key))
        began = time.monotonic()
        clients = []
        for _ in range(SESSIONS):
            client = DtlsClient(program.port(0), settings)
            self.addCleanup(client.close)
            clients.append(client.open())
        opened = time.monotonic() - began
        each = max(2 * RATE // SESSIONS, 2)
        sealed = [(client.socket, [client.dtls.seal(metric(number * each + i)) for i in range(each)])
                  for number, client in enumerate(clients)]
        handshakes = sum(client.sent for client in clients)
        took = self.send(program, [(to, records[i]) for i in range(each) for to, records in sealed])
        total = handshakes + SESSIONS * each
        program.wait_for_received(total)
        ledger = program.stop()
        (listener,) = ledger["listeners"]
        print(f"{SESSIONS} sessions in {opened:.1f} s; {SESSIONS * each} records in {took:.1f} s; "
              f"{dropped(listener)} dropped by the kernel")
        self.assertEqual(listener["sessions"], SESSIONS)
        self.assertEqual({name: count for name, count in listener["reasons"].items() if count},
                         {"handshake": handshakes})
        self.assertEqual(listener["decoded"] + dropped(listener), SESSIONS * each)
        lines = pathlib.Path(out).read_bytes().count(b"\n")
        self.assertEqual(lines, listener["decoded"])
        self.assertEqual(ledger["sinks"][0]["written"], lines)

    @staticmethod
    def send(program, datagrams):
        """Sends at this rate, with a reload in the middle."""
        began = time.monotonic()
        reload_at = len(datagrams) // 2
        sent = 0
        while sent < len(datagrams):
            due = min(int((time.monotonic() - began) * RATE) + 1, len(datagrams))
            for to, datagram in datagrams[sent:due]:
                to.send(datagram)
            if sent < reload_at <= due:
                program.ask_to_reload()
            sent = max(due, sent)
            time.sleep(GROUP)
        program.wait_for_log("senders. keys reloaded")
        return time.monotonic() - began


@unittest.skipIf(SANITIZED, "sanitizers have memory of their own")
class Memory(ProgramTest):
    def test_sessions_stay_within_the_memory_that_is_planned_for_them(self):
        """Both sides have certificates, which are stored in sessions."""
        authority = Authority(self.folder)
        cert, key = authority.issue("server")
        program = self.start("--listen", f"dtls://127.0.0.1:0?schema=riemann&cert={cert}&key={key}&"
                             f"client_ca={authority.cert}&sessions=100")
        settings = Settings(cert=authority.issue("web"))
        before = resident(program)
        for _ in range(100):
            client = DtlsClient(program.port(0), settings)
            self.addCleanup(client.close)
            client.open()
        self.assertLess((resident(program) - before) / 100, PLANNED, "KiB a session")
        self.assertEqual(program.stop()["listeners"][0]["sessions"], 100)


if __name__ == "__main__":
    unittest.main()
