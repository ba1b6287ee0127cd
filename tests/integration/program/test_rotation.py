"""Tests file sinks that rotate: the names and number of their files. No record may be lost or torn.
"""
import datetime
import os
import subprocess
import time
import unittest

from protobuf import metric
from rotating import RotatingTest, unpacked
from sluice_program import RIEMANN, parse_lines, wait_until


class RotationTest(RotatingTest):
    def start_sink(self, path, keys, *more, listen=RIEMANN):
        return super().start_sink(path, keys, *more, listen=listen)

    def send_and_reopen(self, program, count):
        """Sends each record so that it is in a separate file."""
        sender = self.sender(program)
        for value in range(count):
            sender.send_all([metric(value)], before=value)
            program.wait_for_settled(value + 1)
            self.reopen(program, value + 1)

    def reopen(self, program, count=1):
        program.ask_to_reload()
        program.wait_for_log("reopened", count)

    def unpacked_values(self, name):
        return [line["value"] for line in parse_lines(unpacked(self.out / name))]


class Names(RotationTest):
    def test_a_live_file_is_a_part_and_gets_its_name_when_it_is_complete(self):
        program = self.start_sink("lines", "rotate_size=1MiB")
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        self.assertEqual(self.files(), ["lines.part"])
        self.assertEqual(self.values("lines.part"), [1])
        ledger = program.stop()
        self.assertEqual(self.files(), ["lines"])
        self.assertEqual((ledger["sinks"][0]["written"], ledger["sinks"][0]["files"]), (1, 1))

    def test_a_name_that_is_taken_gets_a_number(self):
        (self.out / "lines").write_text("mine\n", encoding="ascii")
        (self.out / "lines.7").write_text("mine\n", encoding="ascii")
        program = self.start_sink("lines", "rotate_size=1MiB")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        self.reopen(program)
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual(self.files(), ["lines", "lines.7", "lines.8", "lines.9"])
        self.assertEqual(self.values("lines.8", "lines.9"), [1, 2])

    def test_nothing_written_leaves_no_file(self):
        program = self.start_sink("lines", "rotate_size=1MiB&format=csv")
        self.reopen(program)
        program.stop()
        self.assertEqual(self.files(), [])

    def test_a_second_file_has_its_number_before_the_extension(self):
        (self.out / "lines.ndjson.zst.3").write_text("of an earlier version\n", encoding="ascii")
        program = self.start_sink("lines.ndjson.zst", "compress=zstd&flush_interval=1ms")
        self.send_and_reopen(program, 3)
        program.stop()
        names = ["lines.4.ndjson.zst", "lines.5.ndjson.zst", "lines.ndjson.zst"]
        self.assertEqual(self.files(), [*names, "lines.ndjson.zst.3"])
        for name, values in zip(names, ([1], [2], [0])):
            subprocess.run(["zstd", "--quiet", "--test", self.out / name], check=True)
            self.assertEqual(self.unpacked_values(name), values)

    def test_a_folder_that_is_not_there_is_not_made(self):
        for path in ("none/lines", "none/%{source}"):
            said = self.refused("--sink", self.sink(path + ".n", "rotate_size=1MiB"), code=73)
            self.assertIn("none", said)
        self.assertEqual(list(self.out.iterdir()), [])


class Kept(RotationTest):
    """The rules by which complete files are kept or removed."""

    def put_old(self, name, size, days):
        (self.out / name).write_bytes(bytes(size))
        then = time.time() - days * 86400
        os.utime(self.out / name, (then, then))

    def test_so_many_files_are_kept_and_the_newest_of_them(self):
        (self.out / "lines.x").write_text("mine\n", encoding="ascii")
        program = self.start_sink("lines", "rotate_size=1MiB&keep=2")
        self.send_and_reopen(program, 5)
        ledger = program.stop()
        self.assertEqual(self.files(), ["lines.3", "lines.4", "lines.x"])
        self.assertEqual(self.values("lines.3", "lines.4"), [3, 4])
        self.assertEqual(ledger["sinks"][0]["files"], 5)

    def test_so_many_periods_are_kept_with_all_their_files(self):
        for path, oldest, older in (("lines.n", "lines.n", "lines.1.n"), ("%Y.n", "2001.n", "2002.n")):
            with self.subTest(path):
                self.put_old(oldest, 10, days=4)
                self.put_old(older, 10, days=2)
                program = self.start_sink(path, "rotate_interval=24h&keep=2")
                self.send_and_reopen(program, 5)
                ledger = program.stop()
                files = self.files()
                self.assertFalse((self.out / oldest).exists())
                self.assertIn(older, files)
                self.assertEqual((len(files), ledger["sinks"][0]["files"]), (6, 5))
                for name in files:
                    os.remove(self.out / name)

    def test_files_are_removed_when_they_are_too_old_or_too_large_together(self):
        self.put_old("x.n", 10, days=8)  # no later record makes the sink check this path
        self.put_old("y.n", 20000, days=6)
        self.put_old("y.1.n", 40000, days=5)
        program = self.start_sink("%{source}.n", "rotate_size=16KiB&keep_time=7d&keep_size=50kB")
        wait_until(lambda: not (self.out / "x.n").exists(), "what is too old is removed")
        self.assertEqual(self.files(), ["y.1.n", "y.n"])
        self.send_and_reopen(program, 1)
        self.assertEqual(self.files(), ["127.0.0.1.n", "y.1.n"])
        program.stop()


class Unnamed(RotationTest):
    """Files whose names are too long with a number, so that they cannot be renamed."""

    NAME = 246 * "n" + ".n"
    HIGHEST = 246 * "n" + ".999999.n"

    def setUp(self):
        super().setUp()
        for name in (self.NAME, self.HIGHEST):
            (self.out / name).write_text("mine\n", encoding="ascii")

    def test_the_sink_goes_on_with_the_next_name_and_the_end_is_reported(self):
        program = self.start_sink(self.NAME, "rotate_size=1MiB")
        self.send_and_reopen(program, 3)
        ledger = program.stop(code=74)
        parts = [self.NAME.replace(".", infix) + ".part" for infix in (".", ".1.", ".2.")]
        self.assertEqual(self.values(*parts), [0, 1, 2])
        sink = ledger["sinks"][0]
        self.assertEqual([sink[key] for key in ("written", "files", "renames_blocked",
                                                "unnamed_files")], [3, 0, 3, 3])
        for part in parts:
            self.assertEqual(len([line for line in program.log() if line.startswith("sluice: error: ") and
                                  f"{part} is complete, but cannot rename it to " in line]), 1)

    def test_the_next_start_renames_them(self):
        program = self.start_sink(self.NAME, "rotate_size=1MiB")
        self.send_and_reopen(program, 3)
        program.stop(code=74)
        os.remove(self.out / self.HIGHEST)
        self.start_sink(self.NAME, "rotate_size=1MiB").stop()
        names = [self.NAME.replace(".", f".{number}.") for number in (1, 2, 3)]
        self.assertEqual(self.files(), sorted([self.NAME, *names]))
        self.assertEqual(self.values(*names), [0, 1, 2])

    def test_no_record_is_lost_where_no_other_file_can_be_begun_either(self):
        program = self.start_sink(self.NAME, "rotate_size=4KiB")
        self.sender(program).send_all([metric(value) for value in range(300)])
        ledger = program.stop(code=74)
        sink = ledger["sinks"][0]
        self.assertEqual((sink["written"], sink["unnamed_files"]), (300, 10))
        parts = [name for name in self.files() if name.endswith(".part")]
        self.assertEqual(sorted(self.values(*parts)), list(range(300)))


class Sizes(RotationTest):
    def fill(self, keys):
        program = self.start_sink("lines", "rotate_size=16KiB&" + keys)
        self.sender(program).send_all([metric(value) for value in range(500)])
        ledger = program.stop()
        names = self.files()
        self.assertGreater(len(names), 3)
        for name in names:
            self.assertLessEqual(os.path.getsize(self.out / name), 16384)
        self.assertEqual(ledger["sinks"][0]["files"], len(names))
        self.assertEqual(ledger["sinks"][0]["written"], 500)
        return names

    def test_no_file_is_larger_than_its_limit_and_every_record_is_in_one(self):
        self.assertEqual(sorted(self.values(*self.fill("format=json"))), list(range(500)))

    def test_every_file_has_its_head(self):
        rows = 0
        for name in self.fill("format=csv"):
            lines = (self.out / name).read_bytes().split(b"\r\n")
            self.assertTrue(lines[0].startswith(b"time,name,"))
            self.assertEqual(lines[-1], b"")
            rows += len(lines) - 2
        self.assertEqual(rows, 500)

    def test_a_record_larger_than_the_limit_has_a_file_of_its_own(self):
        program = self.start_sink("lines", "rotate_size=4KiB")
        sender = self.sender(program)
        sender.send_all([metric(1), metric(2, host="h" * 9000), metric(3)])
        program.stop()
        self.assertEqual(self.files(), ["lines", "lines.1", "lines.2"])
        self.assertEqual(self.values(*self.files()), [1, 2, 3])


class Times(RotationTest):
    def test_a_file_is_complete_when_its_interval_is_over(self):
        program = self.start_sink("lines", "rotate_interval=1s")
        sender = self.sender(program)
        for count, name in enumerate(("lines", "lines.1", "lines.2")):
            sender.send_all([metric(count)], before=count)
            wait_until((self.out / name).exists, f"{name} is complete")
            # Not before the end of the second. The file's time comes from a clock that may be a
            # tick behind.
            received = datetime.datetime.fromisoformat(
                parse_lines((self.out / name).read_bytes())[0]["received"][:19] + "+00:00")
            completed = (self.out / name).stat().st_ctime + 0.02
            self.assertGreaterEqual(completed, received.timestamp() + 1)
        program.stop()
        self.assertEqual(self.files(), ["lines", "lines.1", "lines.2"])
        self.assertEqual(self.values(*self.files()), [0, 1, 2])

    def test_a_file_of_a_time_is_complete_when_nothing_more_comes_for_it(self):
        program = self.start_sink("%s.lines", "fsync=never")
        self.sender(program).send_all([metric(1)])
        wait_until(lambda: any(not name.endswith(".part") for name in self.files()),
                   "the file of that second is complete")
        name, = self.files()
        received = parse_lines((self.out / name).read_bytes())[0]["received"]
        second = datetime.datetime.fromisoformat(received[:19] + "+00:00").timestamp()
        self.assertEqual(name, f"{second:.0f}.lines")
        program.stop()


class Programs(RotationTest):
    """Several programs whose sinks have the same path."""

    def test_the_second_is_refused_while_the_first_lives(self):
        first = self.start_sink("lines", "rotate_size=1MiB")
        self.sender(first).send_all([metric(1)])
        first.wait_for_settled(1)
        said = self.refused("--listen", RIEMANN, "--sink", self.sink("lines", "rotate_size=1MiB"),
                            code=73)
        self.assertIn("is being written by another program", said)
        self.assertEqual(self.files(), ["lines.part"])
        first.stop()
        second = self.start_sink("lines", "rotate_size=1MiB")
        self.sender(second).send_all([metric(2)])
        second.stop()
        self.assertEqual(self.values("lines", "lines.1"), [1, 2])

    def test_what_a_killed_one_left_is_completed_by_the_next(self):
        for path, name in (("lines", "lines"), ("%{source}/%{schema}", "127.0.0.1/riemann")):
            path, name = path + ".n", name + ".n"
            first = self.start_sink(path, "rotate_size=1MiB")
            self.sender(first).send_all([metric(1)])
            first.wait_for_settled(1)
            first.process.kill()
            first.process.wait()
            with open(self.out / (name + ".part"), "ab") as file:
                file.write(b'{"time')
            second = self.start_sink(path, "rotate_size=1MiB")
            second.wait_for_log(f"completed .*{name}, which an earlier run left behind; cut off "
                                "the 6 bytes")
            self.assertEqual(self.values(name), [1])
            second.stop()
            self.assertFalse((self.out / (name + ".part")).exists())

    def test_what_was_left_in_another_form_stays(self):
        (self.out / "lines.part").write_text('{"mine": 1}\n', encoding="ascii")
        program, _ = self.run_to_end("--listen", RIEMANN, "--sink",
                                     self.sink("lines", "compress=zstd"), code=73, ledger=None)
        self.assertRegex(program.said()[-1],
                         "lines.part is in the way, and is not a file of format=json&compress=zstd")
        self.assertEqual((self.out / "lines.part").read_text(encoding="ascii"), '{"mine": 1}\n')


class Compressed(RotationTest):
    READERS = {"zstd": "zstdcat", "gzip": "zcat"}

    def test_records_are_in_flight_until_their_frame_is_written(self):
        for name in self.READERS:
            with self.subTest(name):
                program = self.start_sink(name, f"compress={name}&flush_interval=1h")
                self.sender(program).send_all([metric(value) for value in range(300)])
                sink = program.ledger_now()["sinks"][0]
                self.assertEqual((sink["written"], sink["in_flight"]), (0, sink["queued"]))
                self.assertEqual(os.path.getsize(self.out / f"{name}.part"), 0)
                ledger = program.stop()
                self.assertEqual(ledger["sinks"][0]["written"], 300)
                self.assertEqual(ledger["sinks"][0]["bytes"] > os.path.getsize(self.out / name),
                                 True)

    def test_a_frame_is_closed_when_its_time_is_over_and_other_programs_read_it(self):
        for name, reader in self.READERS.items():
            with self.subTest(name):
                program = self.start_sink(name, f"compress={name}&flush_interval=20ms")
                sender = self.sender(program)
                for value in range(3):
                    sender.send_all([metric(value)], before=value)
                    program.wait_for_settled(value + 1)
                    # The file is valid at any time, because it consists of complete frames.
                    with open(self.out / f"{name}.part", "rb") as file:
                        read = subprocess.run([reader], stdin=file, check=True,
                                              stdout=subprocess.PIPE).stdout
                    self.assertEqual([line["value"] for line in parse_lines(read)],
                                     list(range(value + 1)))
                program.stop()
                self.assertEqual(self.unpacked_values(name), [0, 1, 2])

    def test_the_head_is_in_each_file_once(self):
        program = self.start_sink("rows.gz", "format=csv&compress=gzip&flush_interval=1ms")
        sender = self.sender(program)
        for value in range(4):
            sender.send_all([metric(value)], before=value)
            program.wait_for_settled(value + 1)
            if value == 1:
                self.reopen(program)
        program.stop()
        for name in ("rows.gz", "rows.1.gz"):
            rows = unpacked(self.out / name).split(b"\r\n")
            self.assertEqual([row.startswith(b"time,name,") for row in rows],
                             [True, False, False, False])


if __name__ == "__main__":
    unittest.main()
