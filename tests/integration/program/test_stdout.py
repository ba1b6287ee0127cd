"""Tests sinks that write to standard output: a pipe to another program, a file, or a terminal."""
import fcntl
import os
import pty
import re
import select
import socket
import unittest

from built import (NO_BROKEN_PIPE, NO_DESCRIPTOR_FLAGS, NO_DEV_STDIN, NO_TERMINAL,
                   not_on_windows)
from protobuf import metric, riemann
from sluice_program import (BURST, CAPTURES, RIEMANN, ProgramTest, Stream, parse_json, parse_lines,
                            read_line, read_lines, wait_for_bytes, same_with_one_thread)


def flags_of(descriptor):
    return fcntl.fcntl(descriptor, fcntl.F_GETFL)


class Lines(ProgramTest):
    def test_without_a_sink_every_metric_is_one_json_line_on_stdout(self):
        program = self.start("--listen", RIEMANN)
        sender = self.sender(program)
        sender.send(riemann({"service": "cpu", "host": "web1", "metric_d": 0.75},
                            {"service": "requests", "metric_sint64": -7, "time": 1700000000},
                            {"service": "no metric", "state": "ok"},
                            {"service": "load", "metric_f": 0.1, "tags": ["a", "b"]}))
        lines = program.wait_for_output(3)
        ledger = program.stop()
        self.assertEqual(program.output(), lines)
        self.assertEqual([(line["name"], line["value"]) for line in lines],
                         [("cpu", 0.75), ("requests", -7), ("load", 0.1)])
        self.assertEqual([line["labels"] for line in lines], [{"host": "web1"}, {}, {"tags": "a,b"}])
        self.assertEqual(lines[1]["time"], "2023-11-14T22:13:20.000000000Z")
        for line in lines:
            self.assertEqual(line["source"], sender.source)
            self.assertEqual(line["listener"], program.names[0])
        self.assertEqual(lines[0]["time"], lines[0]["received"])
        sink = ledger["sinks"][0]
        self.assertEqual((sink["written"], sink["lines"]), (1, 3))

    def test_a_line_comes_while_the_program_runs_and_waits_for_no_other(self):
        program = self.start("--listen", RIEMANN)
        sender = self.sender(program)
        for value in range(5):
            sender.send(metric(value))
            self.assertEqual(program.wait_for_output(value + 1)[-1]["value"], value)
        program.stop()


class Appended(ProgramTest):
    """Standard output is a file that the shell opened with ">>"."""

    @not_on_windows("the handle cannot be read there")
    def test_a_line_that_an_earlier_run_left_is_ended_first(self):
        path = self.folder / "lines"
        for begun, left in ((b'{"name":"a"}\n{"na', True), (b'{"name":"a"}\n', False), (b"", False)):
            for form in ("json", "pcap"):
                with self.subTest(begun=begun, form=form):
                    path.write_bytes(begun)
                    with open(path, "ab") as there:
                        program = self.start("--listen", RIEMANN, "--sink", f"stdout:?format={form}",
                                             stdout=there)
                    self.sender(program).send_all([metric(1)])
                    program.stop()
                    ended = left and form == "json"
                    self.assertEqual(any("had no newline" in line for line in program.log()), ended)
                    rest = path.read_bytes().removeprefix(begun)
                    self.assertEqual(rest.startswith(b"\n"), ended)
                    if form == "json":
                        self.assertEqual(parse_json(rest)["value"], 1)


class Reader(ProgramTest):
    """Standard output is a pipe."""

    def setUp(self):
        super().setUp()
        self.reader, self.writer = os.pipe()
        self.open = {self.reader, self.writer}
        self.addCleanup(lambda: [os.close(descriptor) for descriptor in self.open])

    def close(self, descriptor):
        self.open.remove(descriptor)
        os.close(descriptor)

    def start_into_pipe(self, *sinks):
        program = self.start("--listen", RIEMANN, *sinks, stdout=self.writer)
        self.close(self.writer)
        return program

    @not_on_windows(NO_BROKEN_PIPE)
    def test_a_reader_that_takes_one_line_and_goes_ends_the_program(self):
        program = self.start_into_pipe()
        self.sender(program).send(metric(1))
        wait_for_bytes(self.reader)
        self.assertEqual(parse_json(os.read(self.reader, 4096))["value"], 1)
        self.close(self.reader)
        program.finish()  # needs no other datagram
        program.wait_for_log("the reader has gone")

    @not_on_windows(NO_BROKEN_PIPE)
    def test_a_reader_that_goes_without_a_word_ends_the_program(self):
        program = self.start_into_pipe()
        self.close(self.reader)
        program.finish()

    def test_a_reader_that_goes_while_it_lags(self):
        program = self.start_into_pipe()
        self.sender(program).send_all([metric(value) for value in range(3000)])
        self.close(self.reader)
        sink = program.finish()["sinks"][0]
        self.assertGreater(sink["failed"]["reader_gone"], 0)
        self.assertEqual(sink["written"] + sink["failed"]["reader_gone"], sink["queued"])

    @not_on_windows(NO_BROKEN_PIPE)
    @same_with_one_thread
    def test_where_another_sink_is_left_the_program_goes_on(self):
        file = self.folder / "lines"
        program = self.start_into_pipe("--sink", "stdout:", "--sink", f"file:{file}")
        sender = self.sender(program)
        sender.send_all([metric(0)])
        program.wait_for_settled(1)
        self.close(self.reader)
        program.wait_for_log("the reader has gone")
        sender.send_all([metric(value) for value in range(1, 300)], before=1)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(300)))
        self.assertEqual(ledger["sinks"][0]["written"], 1)
        self.assertEqual(ledger["sinks"][0]["refused"]["sink_ended"] +
                         ledger["sinks"][0]["failed"]["reader_gone"], 299)
        self.assertEqual(ledger["sinks"][1]["written"], 300)

    @not_on_windows(NO_BROKEN_PIPE)
    @same_with_one_thread
    def test_with_on_epipe_stop_the_program_ends_and_the_other_sink_is_drained(self):
        file = self.folder / "lines"
        program = self.start_into_pipe("--sink", "stdout:?on_epipe=stop",
                                       "--sink", f"file:{file}?flush_interval=1h")
        sender = self.sender(program)
        sender.send_all([metric(value) for value in range(200)])
        program.wait_for_settled(200)
        self.close(self.reader)
        ledger = program.finish()
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(200)))
        self.assertEqual([sink["written"] for sink in ledger["sinks"]], [200, 200])

    @not_on_windows(NO_DEV_STDIN)
    @same_with_one_thread
    def test_with_on_epipe_stop_a_capture_is_read_no_further(self):
        capture = (CAPTURES / "riemann_cli_v4.pcap").read_bytes()
        stdin, feeder = os.pipe()
        self.addCleanup(os.close, feeder)  # stays open, so that only the end of the sink ends the capture
        os.write(feeder, capture)
        file = self.folder / "lines"
        program = self.launch("--listen", "pcap:/dev/stdin?schema=riemann",
                              "--sink", "stdout:?on_epipe=stop&view=message",
                              "--sink", f"file:{file}?view=message",
                              stdin=stdin, stdout=self.writer)
        self.close(self.writer)
        os.close(stdin)
        wait_for_bytes(self.reader)
        self.close(self.reader)
        ledger = program.finish()
        self.assertEqual(len(read_lines(file)), ledger["sinks"][1]["written"])

    @same_with_one_thread
    def test_a_pipe_that_nobody_reads_takes_nothing_from_the_other_sink(self):
        count = 6000  # a pipe and a short queue cannot hold all
        file = self.folder / "lines"
        arguments = ("--listen", RIEMANN, "--sink", "stdout:", "--sink", f"file:{file}")
        program = self.start(*arguments, "--memory", self.least_memory(*arguments),
                             "--stop-timeout", "100ms", stdout=self.writer)
        sender = self.sender(program)
        for sent in range(0, count, BURST):  # in bursts that the other sink can write
            sender.send_all([metric(value) for value in range(sent, sent + BURST)], before=sent)
            program.wait_for_settled(sent + BURST, sink=1)
        program.wait_for_log("stdout:.*refused [0-9]+ records")
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(file)], list(range(count)))
        stalled, other = ledger["sinks"]
        self.assertGreater(sum(stalled["refused"].values()), 0)
        self.assertGreater(stalled["failed"]["stop_timeout"], 0)
        self.assertEqual(other["written"], count)
        self.assertEqual(ledger["listeners"][0]["reasons"]["no_buffer"], 0)

    def start_stalled(self, overflow):
        """Sends more records than an unread pipe and the smallest queue can hold; then reads the
        pipe."""
        arguments = ("--listen", RIEMANN, "--sink", f"stdout:?overflow={overflow}")
        program = self.start_into_pipe(*arguments[2:], "--memory", self.least_memory(*arguments))
        sender = self.sender(program)
        values = range(6000)
        for sent in values[::BURST]:
            sender.send_all([metric(value) for value in values[sent:sent + BURST]], before=sent)
        return program, sender, len(values)

    def refused_of(self, program, count):
        """The number of `count` records that the sink refused, after all were offered to it."""
        ledger = program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["offered"] >= count,
                                         f"{count} records were offered")
        return sum(ledger["sinks"][0]["refused"].values())

    def read_all(self):
        """A Stream that reads the pipe to its end."""
        reader = os.fdopen(os.dup(self.reader), "rb")
        self.addCleanup(reader.close)
        return Stream(reader)

    def test_with_drop_oldest_a_reader_that_stalled_gets_the_newest(self):
        program, sender, count = self.start_stalled("drop_oldest")
        program.wait_for_log("stdout:.*evicted [0-9]+ records")
        refused = None  # while the sink makes room, it may still accept a record
        while (now := self.refused_of(program, count)) != refused:
            refused = now
            sender.send_all([metric(count)], before=count)
            count += 1
        lines = self.read_all()
        ledger = program.stop()
        self.assertTrue(lines.wait_for_end())
        values = [line["value"] for line in parse_lines(b"".join(lines.lines()))]
        sink = ledger["sinks"][0]
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual(values[-1], count - 1)
        self.assertGreater(sink["evicted"], 0)
        self.assertEqual(len(values), count - sink["evicted"] - sum(sink["refused"].values()))

    def test_with_drop_newest_it_gets_the_oldest(self):
        program, _, count = self.start_stalled("drop_newest")
        lines = self.read_all()
        ledger = program.stop()
        self.assertTrue(lines.wait_for_end())
        values = [line["value"] for line in parse_lines(b"".join(lines.lines()))]
        sink = ledger["sinks"][0]
        self.assertEqual(values, sorted(set(values)))
        self.assertGreater(sink["refused"]["ring_full"], 0)
        self.assertEqual(sink["evicted"], 0)
        self.assertEqual(len(values), count - sink["refused"]["ring_full"])

    @not_on_windows(NO_DESCRIPTOR_FLAGS)
    def test_its_blocking_mode_stays_what_its_owners_made_it(self):
        before = flags_of(self.writer)
        self.assertFalse(before & os.O_NONBLOCK)
        program = self.start("--listen", RIEMANN, stdout=self.writer)
        self.assertEqual(flags_of(self.writer), before)
        self.sender(program).send(metric(1))
        wait_for_bytes(self.reader)
        self.assertEqual(flags_of(self.writer), before)
        program.stop()
        self.assertEqual(flags_of(self.writer), before)

    def read_slowly(self, program, send):
        """Reads a pipe of one page to its end, a few bytes at a time. Returns the bytes."""
        fcntl.fcntl(self.reader, fcntl.F_SETPIPE_SZ, 4096)
        send()
        program.ask_to_stop()
        data = b""
        while part := os.read(self.reader, 997):
            data += part
        return data

    def assert_every_line_comes(self, count=600):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:", "--stop-timeout", "30s",
                             stdout=self.writer)
        self.close(self.writer)
        sender = self.sender(program)
        data = self.read_slowly(program, lambda: sender.send_all(
            [metric(value, host="x" * (value % 300)) for value in range(count)]))
        self.assertEqual([line["value"] for line in parse_lines(data)], list(range(count)))
        sink = program.finish()["sinks"][0]
        self.assertEqual((sink["written"], sink["bytes"]), (count, len(data)))
        self.assertEqual(sink["write_errors"], 0)

    def test_writes_that_a_pipe_takes_in_part_are_finished(self):
        self.assert_every_line_comes()

    @not_on_windows(NO_DESCRIPTOR_FLAGS)
    def test_a_pipe_that_a_parent_made_non_blocking(self):
        fcntl.fcntl(self.writer, fcntl.F_SETFL, flags_of(self.writer) | os.O_NONBLOCK)
        before = flags_of(self.writer)
        owner = os.dup(self.writer)
        self.addCleanup(os.close, owner)
        program = self.start("--listen", RIEMANN, stdout=self.writer)
        self.assertEqual(flags_of(owner), before)
        program.stop()
        self.assertEqual(flags_of(owner), before)

    @not_on_windows(NO_DESCRIPTOR_FLAGS)
    def test_every_line_comes_through_a_pipe_that_a_parent_made_non_blocking(self):
        fcntl.fcntl(self.writer, fcntl.F_SETFL, flags_of(self.writer) | os.O_NONBLOCK)
        self.assert_every_line_comes()

    def test_records_are_collected_for_a_pipe(self):
        program = self.start_into_pipe("--sink", "stdout:?flush_interval=1h")
        self.sender(program).send_all([metric(value) for value in range(50)])
        self.assertEqual(program.ledger_now()["sinks"][0]["written"], 0)
        self.assertEqual(select.select([self.reader], [], [], 0)[0], [])
        program.stop()
        self.assertEqual([line["value"] for line in parse_lines(os.read(self.reader, 65536))],
                         list(range(50)))


class Other(ProgramTest):
    def test_a_regular_file_opened_to_append(self):
        path = self.folder / "lines"
        path.write_text('{"mine": true}\n', encoding="ascii")
        with open(path, "ab") as file:
            program = self.start("--listen", RIEMANN, stdout=file)
            self.sender(program).send_all([metric(1), metric(2)])
            program.stop()
        lines = read_lines(path)
        self.assertEqual(lines[0], {"mine": True})
        self.assertEqual([line["value"] for line in lines[1:]], [1, 2])

    def test_a_regular_file_written_from_where_it_stands(self):
        """Writes to a file as in a shell: { echo head; sluice; echo tail; } > file."""
        path = self.folder / "lines"
        with open(path, "wb", buffering=0) as file:
            file.write(b'{"head": true}\n')
            program = self.start("--listen", RIEMANN, stdout=file)
            self.sender(program).send_all([metric(1)])
            program.stop()
            file.write(b'{"tail": true}\n')
        lines = read_lines(path)
        self.assertEqual([lines[0], lines[1]["value"], lines[2]],
                         [{"head": True}, 1, {"tail": True}])

    @not_on_windows(NO_DESCRIPTOR_FLAGS)
    def test_a_socket(self):
        ours, its = socket.socketpair()
        with ours, its:
            before = flags_of(its.fileno())
            program = self.start("--listen", RIEMANN, stdout=its)
            self.assertEqual(flags_of(its.fileno()), before)
            its.close()
            self.sender(program).send(metric(1))
            wait_for_bytes(ours)
            self.assertEqual([line["value"] for line in parse_lines(ours.recv(4096))], [1])
            ours.close()
            program.finish()

    @not_on_windows(NO_TERMINAL)
    def test_a_terminal(self):
        ours, its = pty.openpty()
        before = flags_of(its)
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?format=json", stdout=its)
        self.assertEqual(flags_of(its), before)
        os.close(its)
        self.sender(program).send(metric(1))
        self.assertEqual(parse_json(read_line(ours).decode())["value"], 1)
        os.close(ours)
        program.finish()

    @not_on_windows(NO_TERMINAL)
    def test_a_terminal_gets_each_line_at_once_though_records_could_be_collected(self):
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?format=json&flush_interval=1h",
                             stdout=its)
        os.close(its)
        sender = self.sender(program)
        for value in range(5):
            sender.send(metric(value))
            line = read_line(ours)
            self.assertTrue(line.endswith(b"\r\n"), line)
            self.assertEqual(parse_json(line.decode())["value"], value)
        program.stop()

    def line_on_terminal(self, *arguments, **environment):
        """The terminal output for one metric, without the line end."""
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        program = self.start("--listen", RIEMANN, *arguments, stdout=its,
                             env={**os.environ, "NO_COLOR": "", **environment})
        os.close(its)
        self.sender(program).send(riemann({"service": "cpu", "host": "web\x1b1", "metric_d": 0.75}))
        line = read_line(ours).decode()
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], 1)
        return line.removesuffix("\r\n")

    @not_on_windows(NO_TERMINAL)
    def test_a_terminal_that_was_asked_nothing_gets_lines_for_people(self):
        line = self.line_on_terminal(TERM="xterm", NO_COLOR="1")
        self.assertRegex(line, r"^\d\d:\d\d:\d\d\.\d{3} 127\.0\.0\.1       "
                               r"cpu                       0\.75 host=web\\x1b1$")

    @not_on_windows(NO_TERMINAL)
    def test_in_colour_where_it_takes_colours(self):
        colours = re.compile(r"\x1b\[\d*m")
        line = self.line_on_terminal("--sink", "stdout:", TERM="xterm")
        self.assertRegex(line, colours)
        self.assertRegex(colours.sub("", line), r"cpu +0\.75 host=web\\x1b1$")
        self.assertNotRegex(self.line_on_terminal(TERM="dumb"), colours)

    @not_on_windows(NO_TERMINAL)
    def test_what_was_asked_for_is_what_it_gets(self):
        line = self.line_on_terminal("--sink", "stdout:?format=json", TERM="xterm")
        self.assertEqual(parse_json(line)["value"], 0.75)

    def test_text_in_a_pipe_has_no_colours(self):
        program = self.start("--listen", RIEMANN, "--sink", "stdout:?format=text",
                             env={**os.environ, "NO_COLOR": "", "TERM": "xterm"})
        self.sender(program).send(metric(1))
        program.wait_for_lines(1)
        self.assertRegex(program.stdout.lines()[0], rb"^[\d:.]{12} 127\.0\.0\.1 +cpu +1\n$")
        program.stop()


if __name__ == "__main__":
    unittest.main()
