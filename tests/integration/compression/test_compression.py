"""Compressed files are read by the programs that users have: zstd and gzip."""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from built import command, skip

PROGRAM = command(os.environ["COMPRESS_BLOCKS"])
DEADLINE = 60


def run(*command, **more):
    return subprocess.run(command, check=True, timeout=DEADLINE, stdout=subprocess.PIPE,
                          **more).stdout


BUILT = run(*PROGRAM).decode().split()


def lines(count, seed=1):
    numbers = random.Random(seed)
    return "".join(f'{{"name":"cpu","value":{numbers.random()},'
                   f'"labels":{{"host":"web{numbers.randrange(50)}"}}}}\n'
                   for _ in range(count)).encode()


class Each:
    """The tests of each compression. A subclass sets NAME and TOOL."""

    def setUp(self):
        if self.NAME not in BUILT:
            self.skipTest(f"{self.NAME} was not built")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "file"

    def compress(self, data, size):
        return run(*PROGRAM, self.NAME, str(size), input=data)

    def tool(self, *arguments, data):
        return run(self.TOOL, *arguments, input=data)

    def whole(self, data):
        self.path.write_bytes(data)
        with open(self.path, "rb") as file:
            return int(run(*PROGRAM, self.NAME, "whole", stdin=file))

    def test_a_file_of_our_frames_is_one_file_to_its_readers(self):
        data = lines(60000)
        for size in (1000, 65536, 2097152):
            with self.subTest(size=size):
                compressed = self.compress(data, size)
                self.assertLess(len(compressed), len(data) / 2)
                self.assertEqual(self.tool("-dc", data=compressed), data)
                self.tool("-tq", data=compressed)
                self.assertEqual(self.whole(compressed), len(compressed))

    def test_a_cut_file_reads_to_the_end_of_what_is_whole(self):
        data = lines(3000)
        compressed = self.compress(data, 10000)
        for cut in range(0, len(compressed), 5999):
            whole = self.whole(compressed[:cut])
            self.assertLessEqual(whole, cut)
            read = self.tool("-dc", data=compressed[:whole]) if whole else b""
            self.assertEqual(read, data[:len(read)])
            self.assertEqual(len(read) % 10000, 0)
            # The remaining bytes are less than a frame.
            self.assertEqual(self.whole(compressed[whole:cut]), 0)

    def test_a_file_that_another_program_began_goes_on_with_ours(self):
        ours = self.compress(lines(2000), 30000)
        for options in self.OPTIONS:
            with self.subTest(options=options):
                theirs = self.tool("-c", *options, data=lines(200000))
                self.assertEqual(self.whole(theirs), len(theirs))
                self.assertEqual(self.whole(theirs[:-1]), 0)
                both = theirs + ours
                self.assertEqual(self.whole(both), len(both))
                self.assertEqual(self.tool("-dc", *self.READING, data=both),
                                 lines(200000) + lines(2000))


class Zstd(Each, unittest.TestCase):
    NAME, TOOL = "zstd", "zstd"
    OPTIONS = (["-1"], ["-9", "--no-check"], ["--long=27"])
    READING = ["--long=27"]


class Gzip(Each, unittest.TestCase):
    NAME, TOOL = "gzip", "gzip"
    OPTIONS = (["-1"], ["-9"], ["-6", "-n"])
    READING = []


if __name__ == "__main__":
    for tool in BUILT:
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    unittest.main()
