"""Tests how every program is started: its arguments, streams and exit code. The arguments of this
script are the command that starts the program begun."""

import subprocess
import sys
import unittest

COMMAND = []


def begin(*arguments, standard_input=b""):
    ended = subprocess.run(
        [*COMMAND, *arguments], input=standard_input, capture_output=True, timeout=60
    )
    words, _, rest = ended.stdout.partition(b"end of arguments\n")
    return [bytes.fromhex(word.decode()) for word in words.split(b"\n")[:-1]], rest, ended


class Entry(unittest.TestCase):
    def test_arguments_arrive_as_utf_8(self):
        given = ["Käse", "данные/%Y.ndjson", "温度", "🌡", "a=ü&b=ß"]
        self.assertEqual(begin(*given)[0], [word.encode() for word in given])

    def test_arguments_arrive_as_they_were_given(self):
        given = ["two words", "*", "tests/*.c", 'a "quoted" one', "a\\", "a\\\\b c\\", "%PATH%", "'"]
        self.assertEqual(begin(*given)[0], [word.encode() for word in given])

    def test_an_empty_argument_is_one(self):
        words, _, ended = begin("a", "", "b")
        self.assertEqual(words, [b"a", b"", b"b"])
        self.assertEqual(ended.returncode, 3)

    def test_bytes_pass_standard_input_and_output_as_they_are(self):
        every = bytes(range(256)) + b"\n\r\n\x1a after what would end a text\r"
        _, rest, ended = begin("a", standard_input=every * 100)
        self.assertEqual(rest, every * 100)
        self.assertEqual(ended.stderr, b"ended\n")

    def test_what_it_returns_is_the_exit_code(self):
        self.assertEqual(begin("a")[2].returncode, 1)
        self.assertEqual(begin(*["a"] * 74)[2].returncode, 74)


if __name__ == "__main__":
    COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
