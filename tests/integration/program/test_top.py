"""sluice-top with a running collector: its page, in a pipe and in a terminal, and its tap."""
import fcntl
import itertools
import os
import pathlib
import pty
import select
import signal
import socket
import struct
import subprocess
import termios
import time
import unittest

from control_client import ControlClient
from protobuf import gauge, sample, telemetry
from sluice_program import (DEADLINE, SLUICE, TELEMETRY, ProgramTest, parse_json, parse_lines,
                            wait_until)

TOP = str(pathlib.Path(SLUICE).with_name("sluice-top"))

ENTER_SCREEN, LEAVE_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"  # escape sequences of xterm


class Terminal:
    """sluice-top in a pseudoterminal. All of its output is kept."""

    def __init__(self, *arguments, rows=24, columns=80, term="xterm"):
        self.master, slave = pty.openpty()
        self.rows, self.columns = rows, columns
        self.widths = itertools.cycle((columns + 1, columns))
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(slave)
        self.slave = slave  # kept open, to read the terminal's modes
        self.process = subprocess.Popen(
            [TOP, *arguments], stdin=slave, stdout=slave, stderr=subprocess.PIPE,
            env={**os.environ, "TERM": term}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.written = b""

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.master, keys)

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            self.written += os.read(self.master, 65536)
        return self.written

    def wait_for(self, text, since=0):
        """Waits until sluice-top has written `text`. Returns the size of its output so far."""
        end = time.monotonic() + DEADLINE
        while text not in self.read()[since:]:
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"{text!r} was not shown: {self.written[since:][-2000:]!r}")
        return len(self.written)

    def wait_for_screen(self, shows):
        """Waits until shows(content of the screen) is true. The screen is redrawn after each
        resize."""
        end = time.monotonic() + DEADLINE
        while True:
            seen = len(self.read())
            self.resize(self.rows, next(self.widths))
            self.wait_for(b"sluice-top", seen)
            if shows(self.read()[seen:]):
                return
            if time.monotonic() > end:
                raise AssertionError(f"it was not shown: {self.written[seen:]!r}")

    def wait_for_end(self):
        """The exit code. The output is read here, but the end must not depend on that."""
        wait_until(lambda: self.read() is not None and self.process.poll() is not None, "the end")
        self.read()
        return self.process.returncode


class TopTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "control"
        self.address = f"unix:{self.path}"

    def control(self, *arguments, **more):
        return self.start("--listen", TELEMETRY, "--control", self.address, *arguments, **more)

    def top(self, *arguments, **more):
        return subprocess.run([TOP, *arguments], timeout=DEADLINE, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, **more)

    def terminal(self, *arguments, **more):
        terminal = Terminal(*arguments, **more)
        self.addCleanup(terminal.close)
        return terminal


    def wait_for_reason(self, reason):
        """Waits until the collector's health has this reason."""
        client = ControlClient(self.address)
        self.addCleanup(client.close)
        wait_until(lambda: reason in [each["reason"] for each in
                                      client.ask("health").get("reasons", [])], reason)


class Once(TopTest):
    @staticmethod
    def cells(rows, name, part):
        """The row with this name in this part of a page, as a dict by its headings."""
        heading = next(row for row in rows if row[:1] == [part])
        row = next(row for row in rows[rows.index(heading):] if row[:1] == [name])
        return dict(zip((word.lstrip("+-") for word in heading), row))

    def page(self, *arguments):
        """The page as rows of words."""
        ended = self.top(*arguments, self.address)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))
        self.assertTrue(ended.stdout.isascii())
        return [line.split() for line in ended.stdout.decode().splitlines()]

    def test_the_manual_s_example_has_the_headings_of_the_page(self):
        manual = (pathlib.Path(__file__).resolve().parents[3] / "tools/manual/sluice.1.md").read_text("utf-8")
        example = manual[manual.index("sluice-top  unix:/run/user"):].partition("```")[0]
        program = self.control()
        self.sender(program).send_all([gauge("v", 1), b"\xff"])
        program.wait_for_settled(1)
        wide = {**os.environ, "COLUMNS": "98"}
        done = self.top("--once", self.address, env=wide)
        rows = [line.split() for line in done.stdout.decode().splitlines()]
        for part in ("LISTENERS", "SINKS", "DROPS", "SENDERS"):
            shown, printed = ([word.lstrip("+-") for word in row] for row in (
                next(row for row in rows if row[:1] == [part]),
                next(line.split() for line in example.splitlines() if line.startswith(part))))
            self.assertEqual(printed, shown)

    def test_the_page_has_what_the_ledger_has(self):
        program = self.control()
        datagrams = [gauge("v", value, sender="web1", boot=1, sequence=value + 1)
                     for value in (0, 1, 2, 5)] + [b"\xff"]
        self.sender(program).send_all(datagrams)
        program.wait_for_output(4)
        # A datagram is counted just after it was received. After this, the counts are constant.
        program.wait_for_settled(4)
        port = program.port()
        size = str(sum(map(len, datagrams)))
        for arguments in ((), ("--once",)):
            rows = self.page(*arguments)
            self.assertEqual(rows[0], ["sluice-top", self.address])
            self.assertEqual(self.cells(rows, program.names[0], "LISTENERS"),
                             {"LISTENERS": program.names[0], "DGRAMS/s": "0", "BYTES/s": "0",
                              "DGRAMS": "5", "DECODED": "4", "REFUSED": "1", "KERNEL": "0",
                              "LOST": "0", "TWICE": "0"})
            self.assertEqual(self.cells(rows, "stdout:", "SINKS"),
                             {"SINKS": "stdout:", "RECS/s": "0", "FILL": "0%", "QUEUED": "0",
                              "REFUSED": "0", "SPILLED": "0", "FILTERED": "0", "FAILED": "0",
                              "STATE": "ok"})
            self.assertIn([program.names[0], "0", "1", "malformed"], rows)
            self.assertEqual(self.cells(rows, "127.0.0.1", "SENDERS"),
                             {"SENDERS": "127.0.0.1", "DGRAMS/s": "0", "BYTES/s": "0",
                              "DGRAMS": "5", "BYTES": size, "LOST": "2", "TWICE": "0",
                              "LISTENER": f"127.0.0.1:{port}"})
            self.assertIn(["web1", "2", "0", "127.0.0.1", f"127.0.0.1:{port}"], rows)
        self.assertEqual(program.stop()["listeners"][0]["bytes"], int(size))

    def state_of(self, sink):
        return next(row[-1] for row in self.page() if row[:1] == [sink])

    def test_a_sink_that_takes_nothing_is_stalled_though_its_counters_stand_still(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = self.control("--sink", "stdout:", "--stop-timeout", "0s",
                               "--stall-timeout", "1s", stdout=writer)
        os.close(writer)
        self.sender(program).send_all([gauge("v", float(value)) for value in range(1000)])
        self.wait_for_reason("sink_waits")
        self.assertEqual(self.state_of("stdout:"), "stalled")
        program.stop()

    def test_a_sink_that_cannot_write_is_failing(self):
        program = self.control("--sink", "file:/dev/full", "--stop-timeout", "0s")
        self.sender(program).send_all([gauge("v", 1.0)])
        self.wait_for_reason("sink_fails")
        self.assertEqual(self.state_of("file:/dev/full"), "failing")
        program.stop(code=74)

    def test_records_without_a_line_are_filtered(self):
        program = self.control("--sink", "stdout:?exclude=v")
        self.sender(program).send_all([gauge("v", 1.0)] * 3 + [gauge("w", 1.0)])
        program.wait_for_settled(4)
        row = self.cells(self.page(), "stdout:", "SINKS")
        self.assertEqual((row["FILTERED"], row["STATE"]), ("3", "ok"))
        program.stop()

    def test_connections_are_shown_with_how_they_ended(self):
        program = self.control("--listen", "tcp://127.0.0.1:0?schema=riemann",
                               listeners=2)
        name = program.names[1]
        clients = [socket.create_connection(("127.0.0.1", program.port(1))) for _ in range(3)]
        for client in clients:
            self.addCleanup(client.close)
        for client in clients[:2]:  # an empty message, and its answer
            client.sendall(bytes(4))
            self.assertNotEqual(client.recv(100), b"")
        clients[0].close()
        clients[1].sendall(b"\0")  # an incomplete frame
        clients[1].close()
        ledger = ControlClient(self.address)
        self.addCleanup(ledger.close)
        wait_until(lambda: [(each["closed"], each["frame_cut"], each["connections"])
                            for each in ledger.ask("ledger")["listeners"] if each["name"] == name]
                   == [(1, 1, 3)], "the ends")
        self.assertEqual(self.cells(self.page(), name, "CONNECTIONS"),
                         {"CONNECTIONS": name, "OPEN": "1", "ACCEPTED": "3", "ANSWERS": "2",
                          "CLOSED": "1", "DENIED": "0", "BROKEN": "1"})
        program.stop()

    def test_rates_are_those_of_now(self):
        program = self.control()
        flood = self.flood(program, lambda number: gauge("v", number, sequence=number))
        program.wait_for_received(1000)
        rows = self.page()
        flood.end()
        rate = next(row[1] for row in rows if row[:1] == [program.names[0]])
        self.assertNotEqual(rate, "0")
        program.stop()

    def test_nobody_there_is_reported(self):
        ended = self.top(self.address)
        self.assertEqual((ended.returncode, ended.stdout), (69, b""))
        self.assertIn(b"is sluice running with --control?", ended.stderr)

    def test_who_is_no_collector_is_reported(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind(str(self.path))
            other.listen()
            process = subprocess.Popen([TOP, self.address], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            connection, _ = other.accept()
            with connection:
                for _ in range(4):
                    connection.recv(100)
                    connection.sendall(b"220 mail.example.org ESMTP\r\n")
                output, errors = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, output), (65, b""))
        self.assertIn(b"not JSON", errors)

    def test_what_another_program_sends_does_not_steer_the_terminal(self):
        """A fake collector sends sluice-top --tap lines and a refusal with every byte and character
        that can control a terminal."""
        steering = bytes(range(1, 10)) + bytes(range(11, 32)) + b"\x7f\x9b31m\x9d"
        steering += "".join(map(chr, range(0x80, 0xa0))).encode()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind(str(self.path))
            other.listen()
            process = subprocess.Popen([TOP, self.address, "--tap", "*"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            connection, _ = other.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b'{"name":"caf\xc3\xa9' + steering + b'"}\n' +
                                   b'{"left_out_records":' + steering + b'}\n' +
                                   b'{"error":"' + steering + b'"}\n')
                output, errors = process.communicate(timeout=DEADLINE)
        self.assertTrue(output.startswith(b'{"name":"caf\xc3\xa9??'), output)
        for text in (output, errors):
            self.assertNotRegex(text, rb"[\x00-\x09\x0b-\x1f\x7f\x9b\x9d]|\xc2[\x80-\x9f]")

    def test_wrong_command_lines(self):
        for arguments in (["/tmp/x"], ["unix:"], ["--once", "--tap", "*"], ["unix:a", "unix:b"],
                          ["--tap", ""], ["--tap", "x" * 257], ["--fast"]):
            self.assertEqual(self.top(*arguments).returncode, 64, arguments)
        self.assertIn(b"--tap GLOB", self.top("--help").stdout)


class Page(TopTest):
    def test_it_is_shown_and_q_gives_the_terminal_back(self):
        program = self.control()
        self.sender(program).send_all([gauge("v", 1.0), b"\xff"])
        terminal = self.terminal(self.address)
        for text in (ENTER_SCREEN, b"LISTENERS", program.names[0].encode(), b"SINKS", b"stdout:",
                     b"DROPS", b"malformed", b"SENDERS", b"127.0.0.1"):
            terminal.wait_for(text)
        terminal.press(b"q")
        self.assertEqual(terminal.wait_for_end(), 0)
        self.assertIn(LEAVE_SCREEN, terminal.written)
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.modes)

    def test_it_goes_on_each_second(self):
        program = self.control()
        terminal = self.terminal(self.address)
        seen = terminal.wait_for(b"SINKS")
        sender = self.sender(program)
        sender.send_all([b"\xff"])
        seen = terminal.wait_for(b"malformed", seen)
        sender.send_all([b""], before=1)
        terminal.wait_for(b"empty", seen)

    def test_keys_select_scroll_sort_and_show_a_part_alone(self):
        program = self.control(*["--listen", TELEMETRY] * 3, listeners=4)
        self.sender(program).send_all([b"\xff", b"", gauge("v", 1.0)])
        program.wait_for_received(3)
        terminal = self.terminal(self.address, rows=17)  # has room for one of the four listeners
        terminal.wait_for(b"? help")
        for keys, text in ((b"", b"... rows 1 to 1 of 4"),
                           (b"\x1b[6~", b"rows 2 to 2 of 4"),  # PageDown
                           (b"\x1bOA", b"rows 1 to 1 of 4"), (b"j", b"rows 2 to 2 of 4"),
                           (b"k", b"rows 1 to 1 of 4"), (b"\x1bOF", b"rows 4 to 4 of 4"),
                           (b"\x1bOH", b"rows 1 to 1 of 4"),
                           (b"s", b"-DGRAMS/s"), (b"s", b"-BYTES/s"), (b"r", b"+BYTES/s"),
                           (b"?", b"BackTab"), (b" ", b"+BYTES/s"), (b"h", b"BackTab"),
                           (b"\x1b", b"+BYTES/s")):
            terminal.press(keys)
            terminal.wait_for_screen(lambda screen, text=text: text in screen)
        for keys, alone, other in ((b"z", b"LISTENERS", b"SINKS"), (b"\t", b"SINKS", b"LISTENERS"),
                                   (b"\t", b"DROPS", b"SINKS"), (b"\x1b[Z", b"SINKS", b"DROPS")):
            terminal.press(keys)
            terminal.wait_for_screen(
                lambda screen, alone=alone, other=other: alone in screen and other not in screen)
        terminal.press(b"\r")
        terminal.wait_for_screen(lambda screen: b"SINKS" in screen and b"LISTENERS" in screen)
        terminal.press(b"q")
        self.assertEqual(terminal.wait_for_end(), 0)
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.modes)

    def test_it_survives_any_size(self):
        self.control()
        terminal = self.terminal(self.address, rows=50, columns=132)
        seen = terminal.wait_for(b"SINKS")
        for rows, columns, text in ((24, 80, b"SINKS"), (5, 20, b"LISTENERS"), (1, 1, b"s"),
                                    (3, 300, b"received"), (60, 200, b"SINKS")):
            terminal.resize(rows, columns)
            if columns > 1:
                terminal.wait_for(b"sluice-top", seen)  # it is redrawn completely
            seen = terminal.wait_for(text, seen)
        terminal.press(b"q")
        self.assertEqual(terminal.wait_for_end(), 0)

    def test_a_signal_gives_the_terminal_back(self):
        self.control()
        for number in (signal.SIGINT, signal.SIGTERM):
            terminal = self.terminal(self.address)
            terminal.wait_for(b"SINKS")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.wait_for_end(), 0)
            self.assertIn(LEAVE_SCREEN, terminal.written)
            self.assertEqual(termios.tcgetattr(terminal.slave), terminal.modes)

    def test_a_collector_that_goes_is_reported_and_found_again(self):
        terminal = self.terminal(self.address)  # sluice-top may start before the collector
        seen = terminal.wait_for(b"trying again")
        program = self.control()
        seen = terminal.wait_for(b"SINKS", seen)
        program.stop()
        seen = terminal.wait_for(b"trying again", seen)
        self.control("--listen", "udp://[::1]:0")
        terminal.wait_for(b"udp://[::1]", seen)
        terminal.press(b"q")
        self.assertEqual(terminal.wait_for_end(), 0)

    def test_a_collector_that_stands_still_is_reported(self):
        program = self.control()
        terminal = self.terminal(self.address)
        seen = terminal.wait_for(b"SINKS")
        program.freeze()
        seen = terminal.wait_for(b"does not answer", seen)
        program.send_signal(signal.SIGCONT)
        terminal.wait_for(self.address.encode(), seen)
        terminal.press(b"q")
        self.assertEqual(terminal.wait_for_end(), 0)

    def test_a_terminal_that_is_not_known_is_an_error(self):
        self.control()
        terminal = self.terminal(self.address, term="no-such-terminal")
        self.assertEqual(terminal.wait_for_end(), 74)
        self.assertIn(b"--once", terminal.process.stderr.read())


class Tap(TopTest):
    def tap(self, program, pattern, stdout=subprocess.PIPE):
        """Starts a tap and waits until it has begun. From then on it reports every record."""
        process = subprocess.Popen([TOP, "--tap", pattern, self.address], stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if process.stdout:
            self.addCleanup(process.stdout.close)
        return process

    def send_until_seen(self, program, process, *names):
        """Sends samples with these names repeatedly. Returns the first line of output."""
        sender = self.sender(program)
        count = 0
        while not select.select([process.stdout], [], [], 0.05)[0]:
            sender.send_all([telemetry(*(sample(name, double=1.0) for name in names))],
                            before=count)
            count += 1
            self.assertLess(count, 1000)
        return process.stdout.readline()

    def test_lines_go_into_a_pipe_until_a_signal(self):
        program = self.control("--sink", f"file:{self.folder}/lines")
        process = self.tap(program, "cpu*")
        line = parse_json(self.send_until_seen(program, process, "mem", "cpu.user").decode())
        self.assertEqual((line["name"], line["listener"]), ("cpu.user", program.names[0]))
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=DEADLINE)
        self.assertEqual({line["name"] for line in parse_lines(rest)} - {"cpu.user"}, set())
        self.assertEqual((process.returncode, errors), (0, b""))

    def test_control_characters_of_senders_are_escaped(self):
        program = self.control("--sink", f"file:{self.folder}/lines")
        process = self.tap(program, "*")
        line = self.send_until_seen(program, process, "a\x1b[31m\x7f\u009b31mb")
        self.assertIn(rb'"name":"a\u001b[31m\u007f\u009b31mb"', line)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=DEADLINE)

    def test_a_reader_that_goes_ends_it_quietly(self):
        program = self.control("--sink", f"file:{self.folder}/lines")
        process = self.tap(program, "*")
        self.send_until_seen(program, process, "v")
        process.stdout.close()
        self.assertEqual(process.wait(DEADLINE), 0)  # ends without another record
        self.assertEqual(process.stderr.read(), b"")

    def test_what_is_left_out_is_reported_on_stderr(self):
        program = self.control("--sink", f"file:{self.folder}/lines")
        process = self.tap(program, "*", stdout=subprocess.DEVNULL)
        flood = self.flood(program, lambda number: gauge("v", number, sequence=number))
        line = process.stderr.readline()
        flood.end()
        self.assertRegex(line, rb"^sluice-top: records left out: \d+\n$")

    def test_a_collector_that_goes_ends_it(self):
        program = self.control("--sink", f"file:{self.folder}/lines")
        process = self.tap(program, "*")
        self.send_until_seen(program, process, "v")
        program.stop()
        output, errors = process.communicate(timeout=DEADLINE)
        parse_lines(output)
        self.assertEqual(process.returncode, 74)
        self.assertIn(b"the collector has closed the connection", errors)


if __name__ == "__main__":
    unittest.main()
