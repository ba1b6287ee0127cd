"""Tests the Python sealer with unusual clocks, files and contents. Uses only Python's own modules.
"""
import hashlib
import os
import pathlib
import struct
import sys
import tempfile
import unittest
from unittest import mock

CLIENT = pathlib.Path(__file__).resolve().parents[3] / "tools" / "client"
sys.path.insert(0, str(CLIENT))

import sluice_seal  # noqa: E402
from sluice_seal import Sealer  # noqa: E402

KEY_ID, KEY = 7, bytes(range(32))
SECOND = 10 ** 9
NOON = 1_795_176_000 * SECOND  # 2026-11-20T12:00:00Z


class SealerTest(unittest.TestCase):
    def setUp(self):
        self.now = NOON
        patch = mock.patch.object(sluice_seal.time, "time_ns", lambda: self.now)
        patch.start()
        self.addCleanup(patch.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "keys")

    def sealer(self, *limits):
        """A sealer with a file that has one key for each limit."""
        self.path.touch(mode=0o600)
        self.path.write_text("".join(f"web {number:016x} {KEY.hex()} {limit}\n"
                                     for number, limit in enumerate(limits, 1)))
        return Sealer.open(self.path, seal="authenticated")

    @staticmethod
    def facts(datagram):
        """The datagram's key, session, counter and time."""
        return struct.unpack(">QQQQ", datagram[8:40])


class Clock(SealerTest):
    def test_a_clock_that_goes_back_repeats_no_counter(self):
        sealer = Sealer(KEY_ID, KEY, "authenticated")
        _, session, _, _ = self.facts(sealer.seal(b"a"))
        for counter, step in enumerate((-3600, -1, 0, 3600), 2):
            self.now += step * SECOND
            self.assertEqual(self.facts(sealer.seal(b"a")), (KEY_ID, session, counter, self.now))

    def test_a_key_is_chosen_by_the_clock_of_each_datagram(self):
        sealer = self.sealer("not-after=2026-11-20T12:00:10Z", "not-before=2026-11-20T12:00:05Z")
        used = []
        for second in (0, 5, 20, 4, 11):
            self.now = NOON + second * SECOND
            used.append(self.facts(sealer.seal(b""))[0])
        self.assertEqual(used, [1, 2, 2, 1, 2])

    def test_without_a_valid_key_no_counter_is_used(self):
        sealer = self.sealer("not-before=2026-11-20T12:00:00Z")
        self.assertEqual(self.facts(sealer.seal(b""))[2], 1)
        self.now -= SECOND
        with self.assertRaises(ValueError):
            sealer.seal(b"")
        self.now += SECOND
        self.assertEqual(self.facts(sealer.seal(b""))[2], 2)


class Contents(SealerTest):
    def test_the_largest_content_fits_a_datagram_and_a_larger_one_is_refused(self):
        sealer = Sealer(KEY_ID, KEY, "authenticated")
        self.assertEqual(len(sealer.seal(bytes(sluice_seal.CONTENT_MOST))), 65507)
        with self.assertRaises(ValueError):
            sealer.seal(bytes(sluice_seal.CONTENT_MOST + 1))

    def test_a_closed_sealer_seals_no_more_and_has_no_key(self):
        sealer = Sealer(KEY_ID, KEY, "authenticated")
        key, = sealer._keys
        self.assertNotEqual(key.bytes, bytes(32))
        sealer.close()
        self.assertEqual(key.bytes, bytes(32))
        with self.assertRaises(ValueError):
            sealer.seal(b"")


class Files(SealerTest):
    def test_a_file_that_becomes_shorter_while_it_is_read_is_refused(self):
        self.sealer("")
        real = os.fstat

        def cut(file):
            status = real(file)
            os.truncate(self.path, 10)
            return status

        with mock.patch.object(sluice_seal.os, "fstat", cut):
            with self.assertRaisesRegex(ValueError, "became shorter"):
                Sealer.open(self.path, seal="authenticated")

    def test_an_error_of_the_disk_is_raised(self):
        self.sealer("")
        before = len(os.listdir("/proc/self/fd"))
        with mock.patch.object(sluice_seal.os, "fstat", side_effect=OSError(5, "broken")):
            with self.assertRaises(OSError):
                Sealer.open(self.path, seal="authenticated")
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_bytes_that_are_not_utf8_are_refused(self):
        self.sealer("")
        self.path.write_bytes(b"web \xff\n")
        with self.assertRaises(ValueError):
            Sealer.open(self.path, seal="authenticated")


class Arguments(unittest.TestCase):
    def test_keys_that_are_not_keys_are_refused(self):
        for key_id, key in ((0, KEY), (1 << 64, KEY), (-1, KEY), (1, KEY[1:]), (1, KEY + b"x"), (1, b"")):
            with self.assertRaises(ValueError):
                Sealer(key_id, key, "authenticated")
        with self.assertRaises(ValueError):
            Sealer(KEY_ID, KEY, "sealed")

    def test_a_tag_is_that_of_the_derived_key(self):
        datagram = Sealer(KEY_ID, KEY, "authenticated").seal(b"content")
        derived = hashlib.blake2b(key=KEY, digest_size=32, salt=struct.pack("<QQ", 1, 0),
                                  person=b"SluiceSD" + bytes(8)).digest()
        self.assertEqual(datagram[-16:],
                         hashlib.blake2b(datagram[:-16], key=derived, digest_size=16).digest())


if __name__ == "__main__":
    sys.exit(unittest.main())
