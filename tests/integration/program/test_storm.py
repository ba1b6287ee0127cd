"""Tests files that rotate all the time under load, while other programs move and remove them.

The environment variable TEST_STORM is the number of records. The default is 100,000, or less where
a sanitizer or Wine slows the program down."""
import itertools
import os
import random
import re
import subprocess
import time
import unittest

from built import WINDOWS, command
from rotating import RotatingTest, unpacked
from sluice_program import DEADLINE, SANITIZED

TEST_SEND = os.environ["TEST_SEND"]
RECORDS = int(os.environ.get("TEST_STORM",
                             "10000" if WINDOWS else "20000" if SANITIZED else "100000"))
RATE = 40000  # a second

SEQUENCE = re.compile(rb'\{"received":"[^"]+",.*"senderId":"storm/1",.*"sequence":"(\d+)",.*\}')


def sequences(data):
    """The sequence numbers in the lines, which must be complete."""
    if data and not data.endswith(b"\n"):
        raise AssertionError(f"the last line is torn: {data[-200:]!r}")
    found = []
    for line in data.split(b"\n")[:-1]:
        match = SEQUENCE.fullmatch(line)
        if not match:
            raise AssertionError(f"a line is torn: {line!r}")
        found.append(int(match[1]))
    return found


class Storm(RotatingTest):
    def setUp(self):
        super().setUp()
        self.away = self.folder / "away"
        self.away.mkdir()
        self.random = random.Random(1)
        self.moved = 0
        self.removed = []  # descriptors of removed files

    def take(self, live, name):
        """Renames the live file. Waits if there is none, as between a rotation and the next record.

        Returns False if the sender has ended and there is no live file."""
        while True:
            try:
                os.rename(live, name)
                return True
            except FileNotFoundError:
                if self.sending.poll() is not None:
                    return False
            time.sleep(0.001)

    def move(self, live):
        if self.take(live, self.away / f"{self.moved}"):
            self.moved += 1

    def remove(self, live):
        """Removes the live file. Renames it first, so that the opened file is certainly the removed
        one."""
        doomed = self.folder / "doomed"
        if self.take(live, doomed):
            self.removed.append(os.open(doomed, os.O_RDONLY))
            os.unlink(doomed)

    def storm(self, name, keys, pause, disturb):
        """Sends all records, and disturbs the sink with the functions in `disturb` during that.
        Returns the number of written records, and the numbers in each place."""
        live = self.out / f"{name}.part"
        # A long time limit, because a busy machine may have much left to write, and its speed is
        # not tested.
        program = self.start_sink(name, keys + "&view=message", "--stop-timeout", "20s")
        self.sending = subprocess.Popen(
            command(TEST_SEND, "--to", f"udp://127.0.0.1:{program.port()}", "--schema",
                    "telemetry", "--count", RECORDS, "--rate", RATE, "--sender", "storm"), stderr=subprocess.DEVNULL)
        self.addCleanup(self.sending.kill)
        disturb = itertools.cycle(disturb)
        signals, end = 0, time.monotonic() + DEADLINE + RECORDS / RATE
        while self.sending.poll() is None:
            self.assertLess(time.monotonic(), end, "the sender does not end")
            program.ask_to_reload()
            signals += 1
            if self.random.random() < 0.2:
                next(disturb)(live)
            time.sleep(pause)
        self.assertEqual(self.sending.returncode, 0)
        ledger = program.stop()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(sink["written"] + sum(sink["refused"].values()), listener["decoded"])
        self.assertEqual(listener["received"] + listener["kernel_drops"], RECORDS)
        kept = [number for folder in (self.out, self.away) for path in folder.iterdir()
                for number in sequences(unpacked(path))]
        print(f"{name}?{keys}: {RECORDS} records, {sink['written']} written, {signals} SIGHUPs, "
              f"{len(self.files())} files, {self.moved} moved away, {len(self.removed)} removed",
              flush=True)
        self.assertFalse(live.exists())
        self.assertGreater(len(self.files()), 2)
        return sink["written"], kept

    def removed_numbers(self):
        found = []
        for descriptor in self.removed:
            with open(descriptor, "rb") as file:
                found += sequences(file.read())
        return found

    def moved_away(self, name, keys, pause):
        written, kept = self.storm(name, keys, pause, [self.move])
        self.assertGreater(self.moved, 0)
        self.assertEqual(len(set(kept)), len(kept), "a record is there twice")
        self.assertEqual(len(kept), written)

    def test_every_record_is_in_one_plain_file(self):
        self.moved_away("lines", "rotate_size=1MiB", 0.004)

    def test_every_record_is_in_one_file_of_zstd(self):
        self.moved_away("lines.zst", "rotate_size=10MiB&compress=zstd",
                        0.2 if RECORDS > 1000000 else 0.01)

    def test_every_record_is_in_one_file_of_gzip(self):
        self.moved_away("lines.gz", "rotate_interval=1s&compress=gzip&flush_interval=5ms", 0.01)

    def test_of_removed_files_alone_the_records_are_lost(self):
        written, kept = self.storm("lines", "rotate_interval=1s", 0.004, [self.move, self.remove])
        self.assertGreater(len(self.removed), 0)
        lost = self.removed_numbers()
        self.assertEqual(len(set(kept + lost)), len(kept) + len(lost), "a record is there twice")
        self.assertEqual(len(kept) + len(lost), written)


if __name__ == "__main__":
    unittest.main()
