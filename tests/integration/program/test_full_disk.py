"""Tests file sinks on a disk that is full and later has room again. The disk is a tmpfs of 4 MiB in
a mount namespace."""
import os
import subprocess
import time

from built import WINDOWS
from metrics_client import MetricsClient
from namespaces import run_tests
from rotating import RotatingTest, numbered
from sluice_program import DEADLINE, DISK_FULL

DISK_SIZE = 4 * 1024 * 1024
PART = 1000  # number of datagrams sent together


class FullDisk(RotatingTest):
    def setUp(self):
        super().setUp()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE}", "tmpfs", self.out],
                       check=True)
        self.addCleanup(subprocess.run, ["umount", self.out], check=True)
        self.ballast = self.folder / "none"

    def fill(self, left):
        """Fills the disk except for `left` bytes."""
        disk = os.statvfs(self.out)
        self.ballast = self.out / "ballast"
        self.ballast.write_bytes(bytes(disk.f_bavail * disk.f_bsize - left))

    def records(self):
        return [name for name in self.files() if name != "ballast"]

    def send(self, program, sender, count):
        """Sends the next `count` records, and waits until all are received."""
        for number in range(self.sent + 1, self.sent + count + 1):
            sender.send(numbered(number))
        self.sent += count
        program.wait_for_received(self.sent)

    def until_full(self, program, sender, part=PART):
        """Sends until a write fails, and then more records, which must wait or are refused."""
        errors = program.ledger_now()["sinks"][0]["write_errors"]
        end = time.monotonic() + DEADLINE
        while program.ledger_now()["sinks"][0]["write_errors"] == errors:
            self.send(program, sender, part)
            self.assertLess(time.monotonic(), end, "the disk does not get full")
        self.send(program, sender, PART)

    def wait_for_pause(self, program):
        """Returns just after a failed write. The pause before the next write grows each time, so
        the program does not write to the file while the test examines it."""
        for _ in range(3):
            errors = program.ledger_now()["sinks"][0]["write_errors"]
            program.wait_for_ledger(lambda ledger, before=errors:
                                    ledger["sinks"][0]["write_errors"] > before, "it tries again")

    def wait_for_recovery(self, program):
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["in_flight"] == 0,
                                "everything queued was written")

    def fill_and_empty(self, name, keys, encoding="json"):
        """Fills the disk and frees it, twice. Queued records must not be lost."""
        self.sent = 0
        program = self.start_sink(name, keys)
        sender = self.sender(program)
        for left in (256 * 1024, 32 * 1024):
            self.fill(left)
            self.until_full(program, sender)
            self.ballast.unlink()
            self.wait_for_recovery(program)
        program.wait_for_log(DISK_FULL + "; trying again")
        program.wait_for_log("writing again")
        return self.check(program, program.stop(), encoding)

    def check(self, program, ledger, encoding="json"):
        """The files contain what the ledger counts: whole records, once, in order."""
        sink = ledger["sinks"][0]
        self.assertEqual(ledger["listeners"][0]["received"], self.sent)
        self.assertEqual(sink["failed"]["io_error"], 0)
        self.assertEqual(sink["written"], sink["queued"])
        self.assertGreater(sink["write_errors"], 0)
        numbers = self.numbers(*self.records(), encoding=encoding)
        self.assertEqual(len(numbers), sink["written"])
        self.assertEqual(len(set(numbers)), len(numbers), "a record is there twice")
        self.assertNotIn(".part", "".join(self.files()))
        self.assertLessEqual(set(numbers), set(range(1, self.sent + 1)))
        return program, ledger

    def test_a_plain_file(self):
        self.fill_and_empty("lines", "fsync=never")

    def test_a_plain_file_that_is_removed_to_make_room_is_begun_anew(self):
        self.sent = 0
        program = self.start_sink("lines", "fsync=never")
        sender = self.sender(program)
        self.fill(128 * 1024)
        self.until_full(program, sender)
        os.remove(self.out / "lines")
        program.wait_for_log("it was moved or removed; opened a new file")
        program.wait_for_log("writing again")
        self.ballast.unlink()
        self.wait_for_recovery(program)
        self.send(program, sender, PART)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], sink["queued"])
        numbers = self.numbers("lines")
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)), "each once, in order")
        self.assertEqual(numbers[-1], self.sent)

    def cut_to_make_room(self, name, keys, size, times=1):
        """On a full disk, cuts a plain file to `size` bytes after a part of a record was written to
        it."""
        self.sent = 0
        program = self.start_sink(name, keys)
        sender = self.sender(program)
        for _ in range(times):
            self.fill(128 * 1024 + 11)
            self.until_full(program, sender)
            os.truncate(self.out / name, size)
            program.wait_for_log("writing again")
            self.ballast.unlink()
            self.wait_for_recovery(program)
        self.send(program, sender, PART)
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["written"], sink["queued"])
        self.assertEqual(sink["failed"]["io_error"], 0)

    def restart_on(self, name, keys):
        """The next start accepts the file as its own and complete, and does not change it."""
        before = (self.out / name).read_bytes()
        program = self.start_sink(name, keys)
        program.stop()
        self.assertEqual((self.out / name).read_bytes(), before)

    def assert_last_in_order(self, numbers):
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)), "each once, in order")
        self.assertEqual(numbers[-1], self.sent)

    def test_a_plain_file_that_is_emptied_to_make_room_begins_with_a_whole_line(self):
        self.cut_to_make_room("lines", "fsync=never", 0, times=2)
        self.assert_last_in_order(self.numbers("lines"))

    def test_a_plain_capture_that_is_emptied_to_make_room_begins_with_its_head(self):
        self.cut_to_make_room("packets", "format=pcap", 0)
        self.restart_on("packets", "format=pcap")
        self.assert_last_in_order(self.numbers("packets", encoding="pcap"))

    def test_plain_messages_that_are_emptied_to_make_room_begin_with_a_whole_one(self):
        self.cut_to_make_room("messages", "format=protobuf", 0)
        self.restart_on("messages", "format=protobuf")
        self.assert_last_in_order(self.numbers("messages", encoding="protobuf"))

    def test_plain_rows_that_are_emptied_to_make_room_begin_with_their_head(self):
        self.cut_to_make_room("rows", "format=csv", 0)
        rows = (self.out / "rows").read_bytes().split(b"\r\n")
        self.assertEqual(rows[0][:10], b"time,name,", "a file begins with its head")
        self.assertEqual(rows[-1], b"", "the last row is torn")
        self.assertEqual({row.count(b",") for row in rows[:-1]}, {rows[0].count(b",")})

    def test_a_plain_file_that_is_cut_within_a_line_loses_the_rest_of_that(self):
        self.cut_to_make_room("lines", "fsync=never", 1000)
        numbers = self.numbers("lines")
        kept = sum(number <= 10 for number in numbers)
        self.assertLess(kept * 100, 1000)
        self.assert_last_in_order(numbers[kept:])

    def test_a_plain_capture_that_is_cut_within_a_packet_loses_the_rest_of_that(self):
        self.cut_to_make_room("packets", "format=pcap", 1000)
        numbers = self.numbers("packets", encoding="pcap")
        kept = sum(number <= 20 for number in numbers)
        self.assertGreater(kept, 0)
        self.assert_last_in_order(numbers[kept:])

    def test_files_that_rotate_by_size(self):
        self.fill_and_empty("lines", "rotate_size=64KiB")

    def test_files_that_rotate_by_time(self):
        self.fill_and_empty("lines", "rotate_interval=1s")

    def test_files_by_source(self):
        self.fill_and_empty("%{source}.ndjson", "rotate_size=1MiB")

    def test_sighup_meanwhile_does_no_harm(self):
        self.sent = 0
        program = self.start_sink("%{source}/%H.ndjson", "rotate_size=1MiB")
        sender = self.sender(program)
        self.fill(64 * 1024)
        self.until_full(program, sender)
        for count in range(3):
            program.ask_to_reload()
            program.wait_for_log("reopened", count + 1)
        self.ballast.unlink()
        self.wait_for_recovery(program)
        self.send(program, sender, PART)
        self.check(program, program.stop())

    def test_files_of_zstd(self):
        self.fill_and_empty("lines.zst", "compress=zstd&rotate_size=64KiB&flush_interval=5ms")

    def test_files_of_gzip(self):
        self.fill_and_empty("lines.gz", "compress=gzip&rotate_interval=1s&flush_interval=5ms")

    def test_captures(self):
        self.fill_and_empty("packets", "format=pcap&rotate_size=1MiB", encoding="pcap")

    def test_what_is_not_written_at_the_end_is_counted(self):
        self.sent = 0
        program = self.start_sink("lines", "rotate_size=1MiB", "--stop-timeout", "200ms")
        self.fill(128 * 1024)
        self.until_full(program, self.sender(program))
        sink = program.stop(code=74)["sinks"][0]
        self.assertGreater(sink["failed"]["io_error"], 0)
        self.assertEqual(sink["written"] + sink["failed"]["io_error"], sink["queued"])
        self.assertEqual(self.files(), ["ballast", "lines"])
        self.assertEqual(self.numbers("lines"), list(range(1, sink["written"] + 1)))

    def test_a_live_file_that_is_emptied_to_make_room_goes_on(self):
        self.sent = 0
        program = self.start_sink("rows", "format=csv&rotate_size=1GiB")
        sender = self.sender(program)
        for _ in range(2):  # after the second cut the file is shorter than the data written so far
            self.fill(128 * 1024)
            self.until_full(program, sender)
            self.wait_for_pause(program)
            os.truncate(self.out / "rows.part", 0)
            self.ballast.unlink()
            self.wait_for_recovery(program)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], ledger["sinks"][0]["queued"])
        rows = (self.out / "rows").read_bytes().split(b"\r\n")
        self.assertEqual(rows[0][:10], b"time,name,", "a file begins with its head")
        self.assertEqual(rows[-1], b"", "the last row is torn")
        self.assertEqual({row.count(b",") for row in rows[:-1]}, {rows[0].count(b",")})

    def with_less_than_min_free(self, name, keys, least):
        """Half of the disk is reserved: the program defers writes that would use it."""
        self.sent = 0
        letters = self.out / "dead"
        metrics = () if WINDOWS else ("--metrics", "127.0.0.1:0")
        program = self.start_sink(name, keys, "--min-free", least, "--dead-letter",
                                  f"file:{letters}", *metrics)
        sender = self.sender(program)
        self.send(program, sender, PART)
        self.fill(DISK_SIZE // 4)
        self.until_full(program, sender, part=1)  # the program checks the disk once a second
        free = os.statvfs(self.out).f_bavail
        sender.send(b"\xff")
        self.sent += 1
        ledger = program.wait_for_ledger(lambda now: sum(now["dead_letters"]["dropped"].values()) > 0,
                                         "a dead letter was dropped")
        self.assertEqual(ledger["dead_letters"]["dropped"]["min_free"], 1)
        self.assertEqual((letters.stat().st_size, os.statvfs(self.out).f_bavail), (0, free))
        program.wait_for_log("free .--min-free.: free some, and it goes on; trying again")
        if metrics:
            MetricsClient(program).wait_for_health(lambda told: "sink_fails" in str(told), "it fails")
        self.ballast.unlink()
        self.wait_for_recovery(program)
        program.wait_for_log("writing again")
        letters.unlink()
        self.check(program, program.stop())

    def test_a_file_leaves_what_is_to_stay_free(self):
        self.with_less_than_min_free("lines", "fsync=never", "2MiB")

    def test_files_that_rotate_leave_their_share(self):
        self.with_less_than_min_free("%{source}.ndjson", "rotate_size=1MiB", "50%")

    def test_a_folder_that_cannot_be_written_to_for_a_while(self):
        self.sent = 0
        program = self.start_sink("%{source}/lines", "rotate_interval=1s")
        sender = self.sender(program)
        subprocess.run(["mount", "-o", "remount,ro", self.out], check=True)
        self.send(program, sender, PART)
        program.wait_for_log(r"(Read-only file system|\(error 5\)); trying again")
        subprocess.run(["mount", "-o", "remount,rw", self.out], check=True)
        program.wait_for_log("writing again")
        self.send(program, sender, PART)
        self.check(program, program.stop())


if __name__ == "__main__":
    run_tests("-m", ["mount", "-t", "tmpfs", "tmpfs", "/mnt"])
