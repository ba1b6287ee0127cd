"""sluice keygen: a line of a keys file, with a key that no other run prints."""
import base64
import re
import subprocess
import unittest

from built import command
from sluice_program import DEADLINE, SLUICE

LINE = re.compile(r"(\S+) ([0-9a-f]{16}) ([0-9A-Za-z+/]{43}=)(.*)\n")


def keygen(*words, code=0):
    """Runs `sluice keygen`. Returns its output on stdout and on stderr."""
    done = subprocess.run(command(SLUICE, "keygen", *words), capture_output=True, text=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}, not {code}: {done}")
    return done.stdout, done.stderr


class Keygen(unittest.TestCase):
    def test_a_line_has_the_name_an_id_and_a_key(self):
        text, said = keygen("web1.rack-2_a")
        name, key_id, key, rest = LINE.fullmatch(text).groups()
        self.assertEqual((name, rest, said), ("web1.rack-2_a", "", ""))
        self.assertNotEqual(int(key_id, 16), 0)
        self.assertEqual(len(base64.b64decode(key, validate=True)), 32)

    def test_each_run_has_other_random_bytes(self):
        found = [LINE.fullmatch(keygen("web1")[0]).groups() for _ in range(8)]
        self.assertEqual(len({key_id for _, key_id, _, _ in found}), 8)
        keys = [base64.b64decode(key) for _, _, key, _ in found]
        self.assertEqual(len({key[at:at + 8] for key in keys for at in range(0, 32, 8)}), 32)

    def test_the_times_in_which_the_key_is_valid_follow(self):
        begin, end = "2026-11-21T06:43:36Z", "2027-01-31T00:00:00.5Z"
        for words, rest in (
                (("--not-before", begin), f" not-before={begin}"),
                (("--not-after", end), f" not-after={end}"),
                (("--not-after", end, "--not-before", begin),
                 f" not-before={begin} not-after={end}")):
            with self.subTest(words):
                self.assertEqual(LINE.fullmatch(keygen(*words, "web1")[0])[4], rest)

    def test_a_name_that_no_keys_file_could_have_is_refused(self):
        for name in ("", "web 1", "web/1", ".web1", "_web1", "web1\n", "w\u00e9b", "x" * 64, "#web1"):
            with self.subTest(name):
                text, said = keygen(name, code=64)
                self.assertEqual(text, "")
                self.assertIn("1 to 63 letters", said)
        keygen("x" * 63)

    def test_a_time_that_is_none_is_refused(self):
        for time in ("2026-11-21", "2026-02-29T00:00:00Z", "2026-11-21T06:43:36+01:00", "now", ""):
            with self.subTest(time):
                self.assertIn("2026-11-21T06:43:36Z",
                              keygen("--not-after", time, "web1", code=64)[1])
        self.assertIn("later than", keygen("--not-before", "2027-01-01T00:00:00Z", "--not-after",
                                           "2026-01-01T00:00:00Z", "web1", code=64)[1])

    def test_other_words_are_refused_with_the_usage(self):
        time = "2026-11-21T06:43:36Z"
        for words in ((), ("a", "b"), ("--later", time, "a"), ("--not-after", time), ("-x",),
                      ("--not-after", time, "--not-after", time, "a"), ("--not-after",)):
            with self.subTest(words):
                text, said = keygen(*words, code=64)
                self.assertEqual(text, "")
                self.assertIn("write sluice keygen", said)

    def test_help_says_where_the_line_belongs(self):
        text, _ = keygen("--help")
        self.assertIn("umask 077; sluice keygen web1 >>keys", text)

    def test_a_full_disk_is_74(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command(SLUICE, "keygen", "web1"), stdout=full, timeout=DEADLINE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 74)


if __name__ == "__main__":
    unittest.main()
