"""Tests Frame Streams over TCP: both forms of the handshake, content types, and errors of a stream.
"""
import random
import socket
import struct
import unittest

from protobuf import message, text, double
from sluice_program import CONNECTION_ENDS, DEADLINE, ProgramTest

LISTENER = "tcp://127.0.0.1:0?schema=riemann&framing=frame-streams"
ACCEPT, START, STOP, READY, FINISH = 1, 2, 3, 4, 5
DNSTAP = b"protobuf:dnstap.Dnstap"


def event(service):
    return message(6, text(3, service) + double(14, 1.0))


def frame(*messages):
    return b"".join(struct.pack(">I", len(one)) + one for one in messages)


def control(kind, *types):
    fields = b"".join(struct.pack(">II", 1, len(one)) + one for one in types)
    return struct.pack(">III", 0, 4 + len(fields), kind) + fields


class FrameStreams(ProgramTest):
    def connect(self, program):
        client = socket.create_connection(("127.0.0.1", program.port()), DEADLINE)
        self.addCleanup(client.close)
        return client

    def exactly(self, client, size):
        data = b""
        while len(data) < size:
            part = client.recv(size - len(data))
            self.assertNotEqual(part, b"", f"the connection ended after {data!r}")
            data += part
        return data

    def wait_for_end(self, client):
        try:
            self.assertEqual(client.recv(1), b"")
        except ConnectionError:
            pass

    def stop(self, program):
        """Returns the listener's counts, and how its connections ended."""
        (counts,) = program.stop()["listeners"]
        return counts, {name: counts[name] for name in CONNECTION_ENDS if counts[name]}

    def names(self, program):
        return [line["name"] for line in program.output()]

    def test_a_one_way_stream(self):
        program = self.start("--listen", LISTENER)
        client = self.connect(program)
        client.sendall(control(START, DNSTAP) + frame(event("a"), event("b")) + control(STOP))
        client.shutdown(socket.SHUT_WR)
        self.wait_for_end(client)
        counts, ends = self.stop(program)
        self.assertEqual(self.names(program), ["a", "b"])
        self.assertEqual((counts["received"], counts["decoded"], counts["reasons"]["control"],
                          counts["answers"]), (4, 2, 2, 0))
        self.assertEqual(ends, {"closed": 1})

    def test_a_two_way_stream_is_accepted_and_finished(self):
        program = self.start("--listen", LISTENER)
        client = self.connect(program)
        client.sendall(control(READY, b"text:other", DNSTAP))
        accept = control(ACCEPT, DNSTAP)
        self.assertEqual(self.exactly(client, len(accept)), accept)
        client.sendall(control(START, DNSTAP) + frame(event("a")) + control(STOP))
        finish = control(FINISH)
        self.assertEqual(self.exactly(client, len(finish)), finish)
        client.close()
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["closed"] == 1,
                                "the connection has ended")
        counts, ends = self.stop(program)
        self.assertEqual(self.names(program), ["a"])
        self.assertEqual((counts["decoded"], counts["reasons"]["control"], counts["answers"]),
                         (1, 3, 2))
        self.assertEqual(ends, {"closed": 1})

    def test_it_may_come_byte_by_byte_and_in_any_pieces(self):
        program = self.start("--listen", LISTENER)
        client = self.connect(program)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent = (control(START, DNSTAP) + frame(*[event(f"s{n}") for n in range(30)]) +
                control(STOP))
        chosen = random.Random(3)
        at = 0
        while at < len(sent):
            size = 1 if at < 60 else chosen.randrange(1, 40)
            client.sendall(sent[at:at + size])
            at += size
        client.shutdown(socket.SHUT_WR)
        self.wait_for_end(client)
        _, ends = self.stop(program)
        self.assertEqual(self.names(program), [f"s{n}" for n in range(30)])
        self.assertEqual(ends, {"closed": 1})

    def test_another_content_type_closes_that_connection_alone(self):
        program = self.start("--listen", LISTENER)
        good = self.connect(program)
        good.sendall(control(START, DNSTAP) + frame(event("a")))
        for kind in (START, READY):
            bad = self.connect(program)
            bad.sendall(control(kind, b"text:syslog") + frame(event("never")))
            self.wait_for_end(bad)
        good.sendall(frame(event("b")))
        program.wait_for_output(2)
        counts, ends = self.stop(program)
        self.assertEqual(self.names(program), ["a", "b"])
        self.assertEqual(ends, {"content_type": 2, "stopped": 1})
        self.assertEqual(counts["reasons"]["control"], 3)
        self.assertIn("its messages have another content type", "\n".join(program.log()))

    def test_content_type_says_which_is_wanted(self):
        program = self.start("--listen", LISTENER + "&content_type=text:syslog")
        for kind, wanted in ((DNSTAP, "content_type"), (b"text:syslog", "closed")):
            client = self.connect(program)
            client.sendall(control(START, kind))
            client.shutdown(socket.SHUT_WR)
            self.wait_for_end(client)
            program.wait_for_ledger(lambda ledger, end=wanted: ledger["listeners"][0][end] == 1,
                                    f"a connection has ended as {wanted}")
        self.stop(program)

    def test_what_is_no_stream_closes_the_connection(self):
        """Each of these streams is malformed or too large, and is counted as such. The listener
        continues."""
        start = control(START, DNSTAP)
        bad = (frame(event("before START")),
               start + start,
               start + control(STOP) + frame(event("after STOP")),
               control(STOP), control(ACCEPT, DNSTAP), control(FINISH), control(9),
               control(READY, DNSTAP) + frame(event("before START")),
               struct.pack(">II", 0, 513), struct.pack(">II", 0, 3),
               struct.pack(">IIIII", 0, 12, START, 1, 5),
               struct.pack(">IIIII", 0, 12, START, 2, 0),
               start + struct.pack(">I", 1024 * 1024 + 1))
        for each in bad:
            with self.subTest(each):
                program = self.start("--listen", LISTENER)
                client = self.connect(program)
                client.sendall(each)
                client.settimeout(DEADLINE)
                while True:  # an ACCEPT may come before the end
                    try:
                        if client.recv(100) == b"":
                            break
                    except ConnectionError:
                        break
                client.close()
                program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["bad_frame"] == 1,
                                        "the connection was closed")
                other = self.connect(program)
                other.sendall(start + frame(event("a")))
                program.wait_for_output(1)
                counts, _ = self.stop(program)
                self.assertEqual(self.names(program), ["a"])
                refused = counts["reasons"]["malformed"] + counts["reasons"]["too_large"]
                self.assertEqual(refused, 1)

    def test_a_control_frame_that_is_not_whole_is_cut(self):
        program = self.start("--listen", LISTENER)
        whole = control(START, DNSTAP)
        for size in range(1, len(whole)):
            client = self.connect(program)
            client.sendall(whole[:size])
            client.shutdown(socket.SHUT_WR)
            self.wait_for_end(client)
        counts, ends = self.stop(program)
        self.assertEqual(ends, {"frame_cut": len(whole) - 1})
        self.assertEqual(counts["received"], 0)

    def test_content_type_is_for_frame_streams(self):
        said = self.refused("--listen", "tcp://127.0.0.1:0?schema=riemann&content_type=a", code=64)
        self.assertIn("content_type= needs framing=frame-streams", said)
        said = self.refused("--listen", LISTENER + "&content_type=" + 257 * "x", code=64)
        self.assertIn("at most 256 bytes", said)


if __name__ == "__main__":
    unittest.main()
