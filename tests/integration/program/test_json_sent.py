"""JSON is sent where protobuf is expected: the log and the ledger report it, on every listener."""
import json
import struct
import unittest

from built import WINDOWS
from protobuf import metric
from sluice_program import ONE_THREAD, ProgramTest, same_with_one_thread
from test_tcp import Client

OBJECT = json.dumps({"name": "cpu", "value": 0.5, "tags": ["a", "b"]}).encode()
LONG = json.dumps([{"name": f"m{number}", "value": number} for number in range(200)]).encode()
SAID = "the sender sends JSON, not protobuf"


class Sent(ProgramTest):
    def counts(self, program):
        listener = program.stop()["listeners"][0]
        return listener["json"], {name: count for name, count in listener["reasons"].items() if count}

    @same_with_one_thread
    def test_in_datagrams(self):
        for keys, reason in (("", "malformed"), ("&framing=delimited", "malformed"),
                             ("&framing=length32-le", "malformed"),
                             ("&framing=cisco-mdt", "malformed"), ("&match=magic:00", "no_match")):
            with self.subTest(keys=keys):
                program = self.start("--listen", f"udp://127.0.0.1:0?schema=riemann{keys}")
                self.sender(program).send_all([OBJECT, b"\n " + OBJECT, LONG, b"[]"])
                program.wait_for_log(f"{reason}: datagram of {len(OBJECT)} bytes from .*{SAID}")
                program.wait_for_received(4)
                self.assertEqual(self.counts(program), (4, {reason: 4}))

    @same_with_one_thread
    def test_other_bytes_are_not_json(self):
        program = self.start("--listen", "udp://127.0.0.1:0?schema=riemann")
        self.sender(program).send_all([b"{\xff", b"[", b"{name: 1}", b"\xff", metric(1)])
        program.wait_for_received(5)
        self.assertEqual(self.counts(program), (0, {"malformed": 4}))
        self.assertNotIn(SAID, "".join(program.log()))

    @unittest.skipIf(ONE_THREAD or WINDOWS, "there is no listener for connections")
    def test_on_connections(self):
        """Either the length that the framing reads is too large, or the message is JSON."""
        for framing, sent, reason in (
                ("length32", OBJECT + b"\n", "too_large"), ("delimited", OBJECT * 3, "malformed"),
                ("length32", struct.pack(">I", len(LONG)) + LONG, "malformed")):
            with self.subTest(framing=framing, sent=sent[:8]):
                program = self.start(
                    "--listen", f"unix:{self.folder}/socket?schema=riemann&framing={framing}")
                client = Client(program)
                self.addCleanup(client.socket.close)
                client.send(sent)
                client.answer() if framing == "length32" else client.socket.recv(1)
                program.wait_for_log(SAID)
                count, reasons = self.counts(program)
                self.assertEqual((count, list(reasons)[0]), (1, reason))


if __name__ == "__main__":
    unittest.main()
