"""sluice-top with ten sinks and twenty listeners, some of which lose records: the worst are at the
top, and each one that loses records is on the screen."""
import os
import re
import signal
import time
import unittest

from ports import free_port
from protobuf import gauge
from sluice_program import DEADLINE, TELEMETRY, wait_until
from test_top import TopTest

BAD, FLOODED, DROPPING = 17, 18, 19  # numbers of listeners


class Screen:
    """The screen of a VT52 after the output of a program."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def write(self, output):
        for found in re.finditer(rb"\x1bY(.)(.)|\x1b(.)|([^\x1b])", output, re.S):
            row, column, order, plain = found.groups()
            if row is not None:
                self.row, self.column = row[0] - 32, column[0] - 32
            elif order is not None:
                self.obey(order.decode())
            else:
                self.put(plain.decode("latin-1"))

    def obey(self, order):
        if order in "ABCD":
            down, right = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}[order]
            self.row, self.column = self.row + down, self.column + right
        elif order == "H":
            self.row = self.column = 0
        elif order in "JK":
            self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
            for row in range(self.row + 1, self.rows if order == "J" else 0):
                self.cells[row] = [" "] * self.columns
        elif order not in "=>FG":
            raise AssertionError(f"no order of a VT52: {order!r}")

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
        elif character == "\b":
            self.column -= 1
        elif character == "\t":
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        elif character >= " ":
            self.cells[self.row][min(self.column, self.columns - 1)] = character
            self.column = self.column + 1

    def lines(self):
        return ["".join(cells).rstrip() for cells in self.cells]


def paced(datagram, number):
    """At most 2,000 datagrams a second, so that files do not lose records, even on a slow machine.
    """
    if number % 20 == 0:
        time.sleep(0.01)
    return datagram


class Worst(TopTest):
    def screen_of(self, terminal):
        """The lines of the screen."""
        screen = Screen(terminal.rows, terminal.columns)
        screen.write(terminal.read())
        return screen.lines()

    def wait_for_lines(self, terminal, *patterns):
        """Waits until the screen has a line for each pattern, and returns it."""
        end = time.monotonic() + DEADLINE
        while True:
            lines = self.screen_of(terminal)
            missing = [each for each in patterns if not any(re.search(each, line)
                                                            for line in lines)]
            if not missing:
                return lines
            if time.monotonic() > end:
                raise AssertionError("\n".join([f"not shown: {missing}", *lines]))

    def part(self, lines, name):
        """The rows of a part: from its heading to the next blank line or the line of keys."""
        first = next(at for at, line in enumerate(lines) if line.startswith(name))
        end = lines.index("", first) if "" in lines[first:] else len(lines) - 1
        return lines[first + 1:end]

    def start_losing(self):
        """A program with a stalled sink, an unreachable store, a malformed sender, and kernel
        drops."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.store = f"http://127.0.0.1:{free_port()}/write"
        files = [word for number in range(8)
                 for word in ("--sink", f"file:{self.folder}/kept{number}")]
        listeners = [word for number in range(19)
                     for word in ("--listen", TELEMETRY + "&receive_buffer=1MiB")]
        program = self.start(
            *listeners, "--listen", TELEMETRY + "&receive_buffer=4KiB", *files, "--sink", "stdout:",
            "--sink", self.store + "?format=json&timeout=100ms", "--control", self.address,
            "--stop-timeout", "0s", "--stall-timeout", "1s", listeners=20, stdout=writer)
        os.close(writer)
        program.freeze()
        sender = self.sender(program, DROPPING)
        for number in range(500):
            sender.send(gauge("v", float(number)))
        program.send_signal(signal.SIGCONT)
        self.flood(program, lambda number: paced(gauge("v" * 300, float(number)), number), FLOODED)
        self.flood(program, lambda number: paced(b"\xff", number), BAD)
        return program

    def test_what_loses_is_first_and_on_the_screen(self):
        program = self.start_losing()
        self.wait_for_reason("sink_waits")
        self.wait_for_reason("records_refused")
        drops = program.ledger_now()["listeners"][DROPPING]["kernel_drops"]
        self.assertGreater(drops, 0)
        for rows, columns in ((24, 80), (40, 120)):
            terminal = self.terminal(self.address, rows=rows, columns=columns, term="vt52")
            lines = self.wait_for_lines(
                terminal, r"^degraded, losing [1-9]\S*/s; received [1-9]",
                "^lost: .*listener_share ", "^lost: .*malformed ",
                f"^sink_fails {re.escape(self.store)} for ", "Failed to connect", "sink_waits",
                "kernel_drops", "records_refused",
                "^SINKS .* FILL ", "^stdout: .* 100% .* stalled$")
            # With 24 lines the list may not have room for all of them, but the line "lost:" names
            # all.
            losing = {"listener_share", "malformed", "kernel_drops"}
            shown = {line.split()[-1] for line in self.part(lines, "DROPS")}
            self.assertTrue(losing & shown, lines)
            if rows > 24:
                self.assertLessEqual(losing, shown, lines)
            listeners = self.part(lines, "LISTENERS")
            names = [line.split()[0] for line in listeners]
            self.assertEqual(names[0], program.names[BAD])
            self.assertIn(program.names[DROPPING], names)
            heading = next(line for line in lines if line.startswith("LISTENERS")).split()
            row = listeners[names.index(program.names[DROPPING])].split()
            self.assertEqual(dict(zip(heading, row))["KERNEL"], str(drops))
            self.assertRegex(listeners[-1], "^... rows 1 to [0-9]+ of 20; no other is losing$")
            sinks = self.part(lines, "SINKS")
            self.assertEqual(sorted(line.split()[-1] for line in sinks[:2]), ["failing", "stalled"])
            self.assertRegex(sinks[-1], "^... rows 1 to [0-9]+ of 10; no other is losing or failing$")
        program.stop()


if __name__ == "__main__":
    unittest.main()
