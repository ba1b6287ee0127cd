"""Tests the progress lines of long work. They appear only on a terminal."""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import built
from built import nothing_on_windows
from programs import DEADLINE, ROOT, command

nothing_on_windows("Wine has no console on a terminal of Linux")

TAKE_AWAY = b"\r\x1b[K"
CAPTURE = ROOT / "tests" / "captures" / "riemann_cli_v4.pcap"


class Terminal:
    """A program whose standard error is a terminal, and its output there."""

    def __init__(self, arguments, columns=100, output=subprocess.DEVNULL, environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        changed = {"TERM": "xterm", "NO_COLOR": "", **(environment or {})}
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stderr=slave, stdout=output,
            env={**os.environ, **changed})
        os.close(slave)
        self.data = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        os.close(self.master)

    def _read(self):
        """Reads a part of the output. Returns False if no process has the terminal open."""
        if not select.select([self.master], [], [], DEADLINE)[0]:
            raise AssertionError(f"{DEADLINE} s without a word after {self.data!r}")
        try:
            self.data += os.read(self.master, 65536)
        except OSError:
            return False
        return True

    def wait_for(self, pattern):
        while not re.search(pattern, self.data):
            if not self._read():
                raise AssertionError(f"it ended without {pattern}: {self.data!r}")

    def all(self):
        """The complete output of the program, which must end."""
        while self._read():
            pass
        return self.data


def shown(data):
    """The final content of the screen, by line."""
    lines = []
    for line in data.replace(b"\r\n", b"\n").split(b"\n"):
        lines.append(line.rpartition(b"\r")[2].replace(b"\x1b[K", b"").decode())
    return lines


def progress(data):
    """All lines of progress that were shown."""
    return [part.split(b"\r")[0].decode() for part in data.split(TAKE_AWAY)[1:]
            if re.match(rb"(sending|reading|checking|measuring)", part)]


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.sink.close)
        self.sink.bind(("127.0.0.1", 0))
        self.to = f"udp://127.0.0.1:{self.sink.getsockname()[1]}"

    def slow_capture(self, packets, step_ns):
        """A capture whose datagrams have pauses between them."""
        with open(CAPTURE, "rb") as file:
            head = file.read(24)
            order = "<" if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
            _, _, captured, length = struct.unpack(order + "IIII", file.read(16))
            frame = file.read(captured)
        fraction = 1000 if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4") else 1
        path = self.folder / "slow.pcap"
        with open(path, "wb") as out:
            out.write(head)
            for i in range(packets):
                seconds, rest = divmod(i * step_ns, 10**9)
                out.write(struct.pack(order + "IIII", 1000 + seconds, rest // fraction, captured,
                                      length) + frame)
        return path


class Progress(FolderTest):
    def test_sending_shows_share_rate_and_time_left_and_takes_it_away(self):
        with Terminal(command("sluice-send", "--to", self.to, "--rate", "1000", "--count",
                              "1500")) as terminal:
            data = terminal.all()
        lines = progress(data)
        self.assertGreaterEqual(len(lines), 2, data)
        for line in lines:
            self.assertRegex(line, r"^sending: \d+ %, [\d,]+ datagrams, [\d,]+/s, \d+ s left$")
        shares = [int(re.search(r"(\d+) %", line)[1]) for line in lines]
        self.assertEqual(shares, sorted(shares))
        self.assertRegex(shown(data)[0], r"^sluice-send: sent 1500 datagrams ")
        self.assertEqual(shown(data)[1:], [""])

    def test_where_only_the_time_is_known_it_shows_the_share_of_that(self):
        with Terminal(command("sluice-send", "--to", self.to, "--rate", "max", "--duration",
                              "900ms")) as terminal:
            lines = progress(terminal.all())
        self.assertTrue(lines)
        self.assertRegex(lines[0], r"^sending: [5-9]\d %, [\d,]+ datagrams, [\d,]+/s, [01] s left$")

    def test_replaying_shows_how_much_of_the_capture_is_sent(self):
        path = self.slow_capture(100, 10**7)
        with Terminal(command("sluice-replay", path, "--to", self.to), columns=200) as terminal:
            data = terminal.all()
        self.assertRegex(progress(data)[0],
                         rf"^sending {path}: [4-9]\d %, \d+ datagrams, \d+/s, [01] s left$")
        self.assertRegex(shown(data)[0], r"^sluice-replay: sent 100 datagrams ")

    def test_a_narrow_terminal_gets_what_fits(self):
        for columns in (40, 20, 5, 1):
            with self.subTest(columns=columns), Terminal(
                    command("sluice-send", "--to", self.to, "--count", "800"),
                    columns=columns) as terminal:
                data = terminal.all()
                for line in progress(data):
                    self.assertLess(len(line), columns)
                self.assertRegex(shown(data)[0], "^sluice-send: sent 800 datagrams ")

    def test_short_work_shows_nothing(self):
        with Terminal(command("sluice-send", "--to", self.to, "--count", "10")) as terminal:
            self.assertNotIn(b"\r\x1b", terminal.all())

    def test_quiet_and_a_dumb_terminal_show_nothing(self):
        for more, environment in ((["--quiet"], {}), ([], {"TERM": "dumb"}), ([], {"TERM": ""})):
            with self.subTest(more=more, environment=environment), Terminal(
                    command("sluice-send", "--to", self.to, "--count", "700", *more),
                    environment=environment) as terminal:
                data = terminal.all()
                self.assertNotIn(b"\x1b", data)
                self.assertRegex(shown(data)[0], "^sluice-send: sent 700 datagrams ")

    def test_nothing_is_in_a_pipe(self):
        done = subprocess.run(command("sluice-send", "--to", self.to, "--count", "700"),
                              stderr=subprocess.PIPE, timeout=DEADLINE, check=True)
        self.assertNotIn(b"\r", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)


class Collector(FolderTest):
    """Reads a capture while the records' reader is slow, so that this takes a fixed time."""

    COUNT = 60000

    def reading(self, *more, environment=None, columns=100):
        path = self.slow_capture(self.COUNT, 1000)
        return Terminal(
            built.command(built.beside(os.environ["TEST_SEND"], "sluice"), "--listen",
                          f"pcap:{path}?schema=riemann", "--sink", "stdout:", *more),
            output=subprocess.PIPE, environment=environment, columns=columns)

    def read_slowly(self, terminal, until):
        """Reads the output slowly until the terminal shows this text."""
        end = time.monotonic() + DEADLINE
        while not re.search(until, terminal.data):
            if time.monotonic() > end:
                raise AssertionError(f"never shown: {until}: {terminal.data!r}")
            if select.select([terminal.master], [], [], 0.02)[0]:
                terminal._read()
            os.read(terminal.process.stdout.fileno(), 16384)

    def test_reading_a_capture_is_shown_and_the_log_stands_on_lines_of_its_own(self):
        with self.reading() as terminal:
            self.read_slowly(terminal, rb"reading .*slow\.pcap: \d+ %, [\d,]+ datagrams, .* left")
            output = terminal.process.stdout.read()
            data = terminal.all()
        self.assertTrue(output.endswith(b"}\n"))
        self.assertNotIn(b"\x1b", output)
        lines = shown(data)
        self.assertIn("  balances: yes", lines)
        self.assertFalse([line for line in lines if line.startswith("reading")], data)
        for line in lines:
            self.assertNotRegex(line, r".+reading /|left.+", data)

    def test_it_is_not_shown_to_those_who_want_only_warnings_or_json(self):
        for more in (("--log-level", "warning"), ("--log-format", "json")):
            with self.subTest(more=more), self.reading(*more) as terminal:
                terminal.process.stdout.read()
                self.assertNotIn(b"\x1b", terminal.all())

    def test_errors_have_a_colour_on_a_terminal_that_takes_it(self):
        sluice = built.command(built.beside(os.environ["TEST_SEND"], "sluice"))
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False),
                                      ({"TERM": "dumb"}, False)):
            with self.subTest(environment=environment), Terminal(
                    [*sluice, "--listen", "pcap:/nowhere?schema=riemann"],
                    environment=environment) as terminal:
                self.assertEqual(b"\x1b[31merror:\x1b[0m" in terminal.all(), coloured)
        done = subprocess.run([*sluice, "--listen", "pcap:/nowhere?schema=riemann"],
                              stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
        self.assertTrue(done.stderr.startswith(b"sluice: error: "), done.stderr)


if __name__ == "__main__":
    unittest.main()
