"""Tests file sinks of programs that are killed (kill -9) at random moments under load.

The environment variable TEST_KILLS is the number of kills for each kind of file."""
import os
import random
import threading
import time
import unittest

from built import WINDOWS
from rotating import RotatingTest, numbered, numbers_in, unpacked
from sluice_program import Sender, linux_drops

# Under Wine a receive takes a tenth of a millisecond, and a start a tenth of a second.
KILLS = int(os.environ.get("TEST_KILLS", "6" if WINDOWS else "12"))
SENDERS = ("one", "two")  # names of the senders
PER_TURN = 20  # datagrams of each sender between two pauses
REST = 0.02 if WINDOWS else 0.002
LOOKS = 10  # attempts to read files that may disappear during that
INTERVAL = "100ms"        # flush_interval= of the sinks that have one
MOST_BEHIND = 0.1 + 1.0  # seconds that the last lost record may be older than the kill


def number_of(sender, count):
    """The number in the sender's datagram; no two senders have a number in common."""
    return count * len(SENDERS) + SENDERS.index(sender)


class Run:
    """One run of the program from its start to the kill: the records sent to it, and the times of
    sending."""

    def __init__(self, program, numbers, life):
        self.first = dict(numbers)
        self.times = {sender: [] for sender in SENDERS}
        self.killed_at = None
        self.lossless = False
        sockets = {sender: Sender(program) for sender in SENDERS}
        timer = threading.Timer(life, self._kill, [program])
        timer.start()
        while self.killed_at is None:
            for sender in SENDERS:
                for _ in range(PER_TURN):
                    self._send(sockets[sender], sender, numbers)
            time.sleep(REST)
        timer.join()
        program.process.wait()
        program.close()
        for socket in sockets.values():
            socket.close()

    def _kill(self, program):
        """Freezes the program first, because the kernel's drops can be read only while its socket
        exists."""
        self.killed_at = time.monotonic()
        program.freeze()
        self.lossless = linux_drops(program.port()) == 0
        program.process.kill()

    def _send(self, socket, sender, numbers):
        try:
            socket.send(numbered(number_of(sender, numbers[sender]), sender))
        except ConnectionRefusedError:
            return
        self.times[sender].append(time.monotonic())
        numbers[sender] += 1

    def behind(self, sender, survivors):
        """The time in seconds between the sending of the first lost record and the kill."""
        times = self.times[sender]
        return 0 if survivors == len(times) else self.killed_at - times[survivors]


class Killed(RotatingTest):
    def setUp(self):
        super().setUp()
        self.seed = time.time_ns()
        self.random = random.Random(self.seed)
        self.seen = {}  # size of each file's content that was checked after earlier kills
        self.strict = 0

    def files(self):
        """Pairs of a file's path and content, the oldest first. If the program completes or removes
        a file during that, all files are read again."""
        for _ in range(LOOKS):
            try:
                paths = sorted(self.out.rglob("*"), key=lambda path: path.stat().st_mtime_ns)
                return [(path, unpacked(path)) for path in paths if path.is_file()]
            except FileNotFoundError:
                pass
        raise AssertionError(f"files came and went during each of {LOOKS} looks")

    def survivors(self, encoding):
        """The numbers in the bytes that were written since the last check."""
        found = []
        for path, data in self.files():
            head = data[:24] if encoding == "pcap" else b""
            new = head + data[max(len(head), self.seen.get(path, 0)):]
            if new != head:
                found += numbers_in(new, encoding)
            self.seen[path] = len(data)
        return found

    def check(self, run, numbers):
        """Asserts that no record is there twice, that the records of each sender have no gap, and
        that only the newest are missing."""
        self.assertEqual(len(numbers), len(set(numbers)), f"doubled; seed {self.seed}")
        for sender in SENDERS:
            first = run.first[sender]
            mine = sorted(number for number in numbers
                          if number % len(SENDERS) == SENDERS.index(sender))
            if run.lossless:
                self.assertEqual(mine, [number_of(sender, first + at) for at in range(len(mine))],
                                 f"a gap; seed {self.seed}")
                self.assertLessEqual(run.behind(sender, len(mine)), MOST_BEHIND,
                                     f"seed {self.seed}")
            elif mine:
                self.assertGreaterEqual(mine[0], number_of(sender, first), f"seed {self.seed}")
        self.strict += run.lossless

    def kill(self, path, keys, encoding="json"):
        counts = dict.fromkeys(SENDERS, 1)
        run, survived = None, 0
        for _ in range(KILLS):
            program = self.start_sink(path, keys)
            survived += self.look(run, encoding)
            run = Run(program, counts, self.random.uniform(0.02, 0.6))
        program = self.start_sink(path, keys)
        survived += self.look(run, encoding)
        program.stop()
        print(f"{path}?{keys}: {KILLS} kills, {survived} of {sum(counts.values())} records "
              f"survived, {self.strict} runs without a loss before the program", flush=True)
        # Otherwise the runs would show little: drops hide gaps, and files without records cannot be
        # torn.
        self.assertGreater(self.strict, KILLS // 2)
        self.assertGreater(survived, KILLS * 50)

    def look(self, run, encoding):
        """Checks the files of a killed run after the next start has repaired them. Returns their
        number of records."""
        if run is None:
            return 0
        numbers = self.survivors(encoding)
        self.check(run, numbers)
        return len(numbers)

    def test_a_plain_file(self):
        self.kill("lines", "fsync=never")

    def test_files_that_rotate(self):
        self.kill("lines", "rotate_size=256KiB")

    def test_a_file_for_each_sender_and_second(self):
        self.kill("%{source}/%s.ndjson", f"flush_interval={INTERVAL}")

    def test_files_of_zstd(self):
        self.kill("lines.zst", f"compress=zstd&rotate_size=64KiB&flush_interval={INTERVAL}")

    def test_files_of_gzip(self):
        self.kill("lines.gz", f"compress=gzip&rotate_interval=1s&flush_interval={INTERVAL}")

    def test_a_plain_capture(self):
        self.kill("packets", "format=pcap", "pcap")

    def test_captures_that_rotate(self):
        self.kill("packets", "format=pcap&rotate_size=256KiB", "pcap")

    def test_messages_that_rotate(self):
        self.kill("messages", "format=protobuf&rotate_size=256KiB", "protobuf")


if __name__ == "__main__":
    unittest.main()
