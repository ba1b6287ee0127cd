"""Tests file sinks: how they append to files, and reopen renamed files on SIGHUP."""
import os
import resource
import unittest

from built import NO_FIFO, NO_LIMIT, not_on_windows
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, parse_lines, read_lines, same_with_one_thread


class Append(ProgramTest):
    def write(self, path, values):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}")
        self.sender(program).send_all([metric(value) for value in values])
        return program, program.stop()

    def test_what_was_there_stays(self):
        path = self.folder / "lines"
        path.write_text('{"mine": true}\n', encoding="ascii")
        self.write(path, [1])
        self.write(path, [2, 3])
        lines = read_lines(path)
        self.assertEqual(lines[0], {"mine": True})
        self.assertEqual([line["value"] for line in lines[1:]], [1, 2, 3])

    def test_a_line_that_an_earlier_run_left_torn_is_mended(self):
        path = self.folder / "lines"
        self.write(path, [1, 2])
        os.truncate(path, os.path.getsize(path) - 100)
        program, _ = self.write(path, [3])
        program.wait_for_log("incomplete line of an earlier run")
        self.assertEqual([line["value"] for line in read_lines(path)], [1, 3])

    def test_a_foreign_file_is_refused_while_the_old_one_goes_on(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        os.rename(path, self.folder / "old")
        path.write_text("notes", encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("its last line has no end and is not a torn line of ours")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual(path.read_text(encoding="ascii"), "notes")
        self.assertEqual([line["value"] for line in read_lines(self.folder / "old")], [1, 2])

    @same_with_one_thread
    def test_two_files_of_one_listener(self):
        samples, messages = self.folder / "samples", self.folder / "messages"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{samples}", "--sink",
                             f"file:{messages}?view=message&int64=number")
        self.sender(program).send_all([metric(1, time=1700000000), b""])
        ledger = program.stop()
        self.assertEqual([line["time"] for line in read_lines(samples)],
                         ["2023-11-14T22:13:20.000000000Z"])
        lines = read_lines(messages)
        self.assertEqual(lines[0]["message"],
                         {"events": [{"service": "cpu", "metricD": 1, "time": 1700000000}]})
        self.assertEqual((lines[1]["message"], lines[1]["bytes"]), ({}, 0))
        self.assertEqual([(sink["written"], sink["filtered"]) for sink in ledger["sinks"]],
                         [(1, 1), (2, 0)])


class Astray(ProgramTest):
    """Files that are renamed or removed without a signal."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "lines"
        self.program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")

    def test_a_file_that_was_moved_away_is_left_after_a_while(self):
        sender = self.sender(self.program)
        old = self.folder / "old"
        sender.send_all([metric(1)])
        self.program.wait_for_settled(1)
        os.rename(self.path, old)
        flood = self.flood(self.program, metric)
        self.program.wait_for_log("it was moved or removed; opened a new file")
        flood.end()
        ledger = self.program.stop()
        lines = read_lines(old) + read_lines(self.path)
        self.assertEqual(len(lines), ledger["sinks"][0]["written"])

    def test_a_file_that_was_removed_is_made_anew(self):
        sender = self.sender(self.program)
        sender.send_all([metric(1)])
        self.program.wait_for_settled(1)
        os.remove(self.path)
        sender.send_all([metric(2)], before=1)
        self.program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.path)], [2])


class Collected(ProgramTest):
    """flush_interval= and fsync=."""

    def test_what_is_collected_is_written_when_the_time_is_over_or_at_the_stop(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink",
                             f"file:{path}?flush_interval=1h&fsync=close")
        sender = self.sender(program)
        sender.send_all([metric(1), metric(2)])
        program.wait_for_received(2)
        self.assertEqual(program.ledger_now()["sinks"][0]["written"], 0)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(path)], [1, 2])
        self.assertEqual(ledger["sinks"][0]["written"], 2)

    def test_a_short_time_is_enough_for_what_comes_slowly(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink",
                             f"file:{path}?flush_interval=1ms&fsync=interval")
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        self.assertEqual([line["value"] for line in read_lines(path)], [1])
        program.stop()


class Reopen(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path, self.old = self.folder / "lines", self.folder / "lines.1"

    def rename_and_reopen(self, program):
        os.rename(self.path, self.old)
        program.ask_to_reload()
        program.wait_for_log("lines: reopened")

    def test_what_comes_before_is_in_the_old_file_and_what_comes_after_in_the_new(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")
        sender = self.sender(program)
        sender.send_all([metric(value) for value in range(10)])
        program.wait_for_settled(10)
        self.rename_and_reopen(program)
        sender.send_all([metric(value) for value in range(10, 20)], before=10)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.old)], list(range(10)))
        self.assertEqual([line["value"] for line in read_lines(self.path)], list(range(10, 20)))
        self.assertEqual(ledger["sinks"][0]["written"], 20)

    def test_under_load_nothing_is_lost_and_no_line_is_torn(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")
        flood = self.flood(program, metric)
        program.wait_for_settled(1000)
        self.rename_and_reopen(program)
        written = program.ledger_now()["sinks"][0]["written"]
        program.wait_for_settled(written + 1000)
        flood.end()
        program.wait_for_received(flood.sent)
        ledger = program.stop()
        old, new = read_lines(self.old), read_lines(self.path)
        self.assertGreaterEqual(len(old), 1000)
        self.assertGreater(len(new), 0)
        values = [line["value"] for line in old + new]
        self.assertEqual(values, sorted(set(values)), "the order over both files")
        self.assertEqual(len(values), ledger["sinks"][0]["written"])
        self.assertEqual(ledger["listeners"][0]["received"] +
                         ledger["listeners"][0]["kernel_drops"], flood.sent)

    def test_a_file_that_was_not_renamed_goes_on(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.ask_to_reload()
        program.wait_for_log("reopened")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.path)], [1, 2])

    def test_where_it_cannot_be_opened_the_old_file_goes_on(self):
        inner = self.folder / "inner"
        inner.mkdir()
        program = self.start("--listen", RIEMANN, "--sink", f"file:{inner / 'lines'}")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        moved = self.folder / "moved"
        os.rename(inner, moved)
        program.ask_to_reload()
        program.wait_for_log("error: .*reopen")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(moved / "lines")], [1, 2])

    @not_on_windows(NO_LIMIT)
    def test_a_file_at_its_limit_is_rotated_and_what_it_did_not_take_is_in_the_new_one(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")
        sender = self.sender(program)
        sender.send_all([metric(100)])
        program.wait_for_settled(1)
        line = os.stat(self.path).st_size
        limit = 10 * line + line // 2  # inside a line
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        sender.send_all([metric(value) for value in range(101, 119)], before=1)
        program.wait_for_log("error: .*lines: .*trying again")
        self.rename_and_reopen(program)
        program.wait_for_settled(19)
        ledger = program.stop()
        program.wait_for_log("lines: writing again")
        old, new = read_lines(self.old), read_lines(self.path)
        self.assertIn(len(old), range(9, 12))
        self.assertEqual([line["value"] for line in old + new], list(range(100, 119)))
        self.assertEqual(ledger["sinks"][0]["written"], 19)
        self.assertGreater(ledger["sinks"][0]["write_errors"], 0)

    @same_with_one_thread
    def test_stdout_has_no_name_to_reopen(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}", "--sink",
                             "stdout:")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        self.rename_and_reopen(program)
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], [1, 2])


@not_on_windows(NO_FIFO)
class Fifo(ProgramTest):
    def test_a_named_pipe_is_written_and_its_readers_end_is_the_sinks(self):
        path = self.folder / "fifo"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}")
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        self.assertEqual([line["value"] for line in parse_lines(os.read(reader, 4096))], [1])
        os.close(reader)
        program.finish()

    def test_a_named_pipe_that_nobody_reads_cannot_be_opened(self):
        path = self.folder / "fifo"
        os.mkfifo(path)
        self.refused("--listen", RIEMANN, "--sink", f"file:{path}", code=73)


if __name__ == "__main__":
    unittest.main()
