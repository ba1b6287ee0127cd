"""sluice-send and sluice-replay with --keys: PyNaCl opens the datagrams. sluice-decode opens them
with the same file."""
import hashlib
import os
import pathlib
import struct
import tempfile
import time
import unittest

from built import WINDOWS, not_on_windows
from programs import CAPTURES, Receiver, run, truth
from sealed_opening import KEY, KEY_ID, MODES, OVERHEAD, Opened, keys_line, sealed, write_keys
from wire import fields, put_varint

NO_MODES = "files there have a list of rights, and no bits for other users"
CAPTURE = CAPTURES / "riemann_cli_v4.pcap"
PAST, FUTURE = "2001-02-03T04:05:06Z", "2200-01-01T00:00:00Z"


def write_capture(path, payloads):
    """Writes a capture of these UDP payloads, over raw IPv4."""
    frames = b""
    for payload in payloads:
        udp = struct.pack("!HHHH", 40000, 5555, 8 + len(payload), 0) + payload
        packet = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                             bytes([127, 0, 0, 1]), bytes([127, 0, 0, 1])) + udp
        frames += struct.pack("<IIII", 1795176000, 0, len(packet), len(packet)) + packet
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + frames)


class SealedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def keys(self, *lines, mode=0o600):
        return write_keys(self.folder / "keys", *lines, mode=mode)

    def received(self, tool, *arguments, count):
        """The datagrams that a tool sends."""
        with Receiver() as receiver:
            process = receiver.receive_from(tool, *arguments, "--to", receiver.url,
                                            sent=lambda _: count)
            self.assertEqual(process.returncode, 0, process.stderr)
            return receiver.datagrams

    def sent(self, *arguments, count):
        return self.received("sluice-send", "--rate", "max", "--count", count, *arguments,
                             count=count)

    def assert_refused(self, process, code, words):
        self.assertEqual((process.returncode, process.stdout), (code, b""))
        said = process.stderr.decode()
        self.assertIn(words, said)
        self.assertNotIn(KEY.hex(), said)
        self.assertEqual(said.count("\n"), 1)


class Senders(SealedTest):
    def test_a_load_is_sealed_in_one_session_by_all_its_sources(self):
        for seal, mode in MODES.items():
            with self.subTest(seal):
                begin = time.time_ns()
                got = [Opened(each) for each in self.sent("--keys", self.keys(), f"--seal={seal}",
                                                          "--sources", 5, count=200)]
                self.assertEqual({(each.mode, each.key_id) for each in got}, {(mode, KEY_ID)})
                self.assertEqual(len({each.session for each in got}), 1)
                self.assertEqual(sorted(each.counter for each in got), list(range(1, 201)))
                self.assertTrue(all(begin <= each.time_ns <= time.time_ns() for each in got))
                hosts = {fields(event)[4][0] for each in got
                         for event in fields(each.content)[6]}
                self.assertEqual(hosts, {f"sluice-send/{i}".encode() for i in range(1, 6)})

    def test_runs_have_sessions_of_their_own(self):
        keys = self.keys()
        sessions = [Opened(self.sent("--keys", keys, count=1)[0]).session for _ in range(2)]
        self.assertNotEqual(*sessions)

    def test_they_are_encrypted_unless_told_otherwise(self):
        encrypted, = self.sent("--keys", self.keys(), count=1)
        readable, = self.sent("--keys", self.keys(), "--seal", "authenticated", count=1)
        self.assertNotIn(b"sluice-send", encrypted)
        self.assertIn(b"sluice-send", readable)

    def test_a_size_is_that_of_the_content(self):
        datagram, = self.sent("--keys", self.keys(), "--size=1400B", count=1)
        self.assertEqual(len(datagram), 1400 + OVERHEAD)
        datagram, = self.sent("--keys", self.keys(), "--size=65451B", count=1)
        self.assertEqual(len(datagram), 65507)
        self.assertEqual(len(Opened(datagram).content), 65451)

    def test_bad_datagrams_are_bad_inside(self):
        got = [Opened(each).content for each in self.sent("--keys", self.keys(), "--empty", "1/2",
                                                          count=10)]
        self.assertEqual(sum(content == b"" for content in got), 5)

    def test_a_message_that_is_given_is_sealed(self):
        datagram, = self.received("sluice-send", "--keys", self.keys(), "--json",
                                  '{"events":[{"host":"a"}]}', count=1)
        self.assertEqual(Opened(datagram).content, b"\x32\x03\x22\x01a")

    def test_what_is_too_large_to_be_sealed_is_refused(self):
        keys = self.keys()
        for arguments, words in (
                (("--size=65452B",), "65451B"), (("--oversized=1%",), "too large to be sealed"),
                (("--samples=60000",), "a datagram of 65451 bytes"),
                (("--json", '{"events":[{"host":"' + "a" * 65445 + '"}]}'), "65451 at most")):
            if WINDOWS and sum(map(len, arguments)) > 32000:
                continue  # a command line has 32,767 characters there
            with self.subTest(arguments[0][:20]):
                self.assert_refused(run("sluice-send", "--keys", keys, *arguments, "--count=1"), 64,
                                    words)

    def test_a_capture_is_sealed_datagram_by_datagram(self):
        expected = truth("riemann_cli_v4")
        for seal, mode in MODES.items():
            with self.subTest(seal):
                got = [Opened(each) for each in self.received(
                    "sluice-replay", CAPTURE, "--speed=max", "--keys", self.keys(), "--seal", seal,
                    count=len(expected))]
                self.assertEqual([hashlib.sha256(each.content).hexdigest() for each in got],
                                 [line["payload_sha256"] for line in expected])
                self.assertEqual([(each.mode, each.counter) for each in got],
                                 [(mode, counter + 1) for counter in range(len(expected))])
                self.assertLess(abs(got[0].time_ns - time.time_ns()), 60 * 10 ** 9)


class Keys(SealedTest):
    TOOLS = (("sluice-send", "--count=1"), ("sluice-replay", str(CAPTURE), "--speed=max"))

    def refused(self, words, *arguments, code=78):
        for tool, *others in self.TOOLS:
            with self.subTest(tool, arguments=arguments):
                self.assert_refused(run(tool, *others, "--to", "udp://127.0.0.1:9", *arguments),
                                    code, words)

    @not_on_windows(NO_MODES)
    def test_a_file_that_others_may_read_is_refused(self):
        self.refused("chmod o=", "--keys", self.keys(mode=0o604))

    @not_on_windows(NO_MODES)
    def test_a_file_that_the_group_may_change_is_refused(self):
        self.refused("chmod g-w", "--keys", self.keys(mode=0o660))

    @not_on_windows(NO_MODES)
    def test_a_file_that_the_group_may_read_is_used(self):
        self.sent("--keys", self.keys(mode=0o640), count=1)

    @unittest.skipUnless(hasattr(os, "geteuid") and os.geteuid() == 0,
                         "only root may give a file away")
    @not_on_windows(NO_MODES)
    def test_a_file_of_another_user_is_refused(self):
        path = self.keys()
        os.chown(path, 12345, 12345)
        self.refused("another user", "--keys", path)

    def test_a_name_that_the_file_does_not_have_is_refused(self):
        self.refused("no key of web2", "--keys", self.keys(), "--key", "web2")

    def test_of_several_names_one_must_be_chosen(self):
        keys = self.keys(keys_line("web1", 1, bytes(32)), keys_line("web2"))
        self.refused("several names", "--keys", keys)
        datagram, = self.sent("--keys", keys, "--key=web2", count=1)
        self.assertEqual(Opened(datagram).key_id, KEY_ID)

    def test_the_key_that_is_valid_since_the_latest_time_seals(self):
        keys = self.keys(keys_line(key_id=1), keys_line(limits=f"not-before={PAST}"),
                         keys_line(key_id=2, limits=f"not-after={PAST}"),
                         keys_line(key_id=3, limits=f"not-before={FUTURE}"))
        datagram, = self.sent("--keys", keys, count=1)
        self.assertEqual(Opened(datagram).key_id, KEY_ID)
        self.refused("valid now", "--keys", self.keys(keys_line(limits=f"not-after={PAST}")))

    def test_a_file_that_is_none_of_keys_is_refused(self):
        self.refused("--keys: ", "--keys", self.folder / "missing")
        self.refused("line 1", "--keys", self.keys("web1 0123456789abcdef AAAA\n"))

    def test_key_and_seal_need_a_file(self):
        self.refused("need --keys", "--key", "web1", code=64)
        self.refused("need --keys", "--seal=encrypted", code=64)
        self.refused("encrypted or authenticated", "--keys", self.keys(), "--seal=open", code=64)

    def test_the_line_of_keygen_is_a_file_of_keys(self):
        made = run("sluice", "keygen", "web1")
        name, key_id, _ = made.stdout.decode().split()
        keys = self.keys(made.stdout.decode())
        for tool, *others in self.TOOLS:
            datagram, *_ = self.received(tool, *others, "--keys", keys, count=1)
            with self.subTest(tool):
                self.assertEqual(datagram[8:16].hex(), key_id)
        self.assertEqual(name, "web1")


class Decoding(SealedTest):
    """Tests that sealed datagrams of PyNaCl are opened."""

    SCHEMA = ("--schema", "riemann")
    EVENT = b"\x32\x03\x22\x01a"

    def decoded(self, datagrams, *arguments):
        """Decodes them from standard input."""
        data = b"".join(put_varint(len(each)) + each for each in datagrams)
        return run("sluice-decode", *self.SCHEMA, "--delimited", "--keys", self.keys(), *arguments,
                   stdin=data)

    def test_datagrams_of_another_implementation_are_opened(self):
        process = self.decoded([sealed(self.EVENT, seal, counter=counter)
                                for counter, seal in enumerate(MODES, 1)])
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        self.assertEqual(process.stdout.decode(), '{"events":[{"host":"a"}]}\n' * 2)

    def test_an_old_datagram_and_one_that_comes_again_are_opened(self):
        datagram = sealed(self.EVENT, "encrypted", time_ns=10 ** 18)
        self.assertEqual(self.decoded([datagram, datagram]).stdout.count(b"\n"), 2)

    def test_the_reason_is_that_of_the_ledger(self):
        good = sealed(self.EVENT, "encrypted")
        limited = self.keys(keys_line(limits=f"not-after={PAST}"))
        for datagram, reason in ((good[:-1] + bytes([good[-1] ^ 1]), "forged: "),
                                 (good[:8] + b"\0" * 7 + b"\1" + good[16:], "no_key: "),
                                 (good[:55], "malformed: too short"), (b"\0" + good[1:], "malformed: "),
                                 (sealed(self.EVENT, "authenticated", key=bytes(32)), "forged: ")):
            with self.subTest(reason):
                process = self.decoded([datagram])
                self.assert_refused(process, 65, f"message 1 (at byte 1, of {len(datagram)} bytes): "
                                                 f"{reason}")
        limited = self.keys(keys_line(limits=f"not-after={PAST}"))
        self.assert_refused(run("sluice-decode", *self.SCHEMA, "--keys", limited, stdin=good), 65,
                            "not valid when the datagram was sent")

    def test_a_capture_is_decoded_beyond_datagrams_that_fail(self):
        good = sealed(self.EVENT, "encrypted")
        path = self.folder / "dead.pcap"
        write_capture(path, [good, b"", good[:-1], good, self.EVENT])
        process = run("sluice-decode", *self.SCHEMA, "--keys", self.keys(), "--capture", path)
        self.assertEqual(process.returncode, 65)
        self.assertEqual(process.stdout.decode(), '{"events":[{"host":"a"}]}\n' * 2)
        self.assertEqual([line.split(" bytes): ")[-1].split(":")[0]
                          for line in process.stderr.decode().splitlines()],
                         ["malformed", "forged", "malformed", "sluice-decode"])
        self.assertIn("3 of 5 datagrams could not be decoded", process.stderr.decode())

    def test_a_capture_without_seals_is_decoded(self):
        process = run("sluice-decode", *self.SCHEMA, "--capture", CAPTURE, "--port=5555")
        self.assertEqual((process.returncode, process.stdout.count(b"\n")), (0, 30))
        process = run("sluice-decode", *self.SCHEMA, "--capture", CAPTURE, "--port=5556")
        self.assertEqual((process.returncode, process.stdout), (0, b""))

    def test_a_bad_file_of_keys_or_capture_is_refused(self):
        self.assert_refused(run("sluice-decode", *self.SCHEMA, "--keys", self.keys("x\n")), 78,
                            "--keys: ")
        self.assert_refused(run("sluice-decode", *self.SCHEMA, "--capture", __file__), 65, "pcap")
        self.assert_refused(run("sluice-decode", *self.SCHEMA, "--port=1"), 64, "--port is for")
        self.assert_refused(run("sluice-decode", *self.SCHEMA, "--capture", CAPTURE, "--delimited"),
                            64, "--delimited is for")


if __name__ == "__main__":
    unittest.main()
