"""Tests file sinks with fields in their paths: each record is in the file that its time and values
select."""
import collections
import resource
import socket
import time
import unittest

from built import NO_LIMIT, not_on_windows
from capture_writing import FIRST_CAPTURED, HEADER, record
from descriptor_use import limited
from protobuf import gauge, metric
from rotating import NUMBERED, RotatingTest, numbered
from sluice_program import BURST, RIEMANN, TELEMETRY, read_lines

DAY = 86400


class Values(RotatingTest):
    def send_from(self, program, host, datagrams, listener=0):
        """Sends from an address in 127.0.0.0/8, without waiting in between."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind((host, 0))
            for datagram in datagrams:
                sender.sendto(datagram, ("127.0.0.1", program.port(listener)))

    def start_on_all(self, path, keys, *more):
        return self.start_sink(path, keys, *more, listen=NUMBERED.replace("127.0.0.1", "0.0.0.0"))

    def test_each_sender_schema_and_listener_has_its_file(self):
        program = self.start("--listen", RIEMANN, "--listen", TELEMETRY, "--sink",
                             self.sink("%{listener}/%{schema}-%{source}.n", "fsync=never"),
                             listeners=2)
        by_schema = {name: listener for listener, name in enumerate(program.names)}
        self.assertEqual(len(by_schema), 2)
        for listener in range(2):
            for host in ("127.0.0.2", "127.0.0.3"):
                make = metric if self.schema_of(program, listener) == "riemann" else numbered
                self.send_from(program, host, [make(1), make(2)], listener)
        program.wait_for_settled(8)
        program.stop()
        expected = sorted(f"{name.replace(':', '_').replace('/', '_')}/"
                          f"{self.schema_of(program, listener)}-{host}.n"
                          for listener, name in enumerate(program.names)
                          for host in ("127.0.0.2", "127.0.0.3"))
        self.assertEqual(self.files(), expected)
        for name in expected:
            self.assertEqual(self.values(name), [1, 2])

    def schema_of(self, program, listener):
        return program.wait_for_log(r"listening on \S+ for (\w+),", 2)[listener][1].decode()

    def test_more_senders_than_files_that_are_open_at_a_time(self):
        program = self.start_on_all("%{source}.n", "flush_interval=1ms", "--stop-timeout", "30s")
        hosts = [f"127.0.1.{host}" for host in range(1, 101)]
        sent = 0
        for turn in range(4):
            for host in hosts:
                self.send_from(program, host, [numbered(turn * 2), numbered(turn * 2 + 1)])
            sent += 2 * len(hosts)
            program.wait_for_settled(sent)
            if turn == 1:
                program.ask_to_reload()
                program.wait_for_log("reopened")
        ledger = program.stop()
        self.assertEqual(self.files(), sorted(name for host in hosts
                                              for name in (f"{host}.n", f"{host}.1.n")))
        for host in hosts:
            self.assertEqual(self.numbers(f"{host}.n", f"{host}.1.n"), list(range(8)))
        self.assertEqual(ledger["sinks"][0]["to_other_file"], 0)
        self.assertEqual(ledger["sinks"][0]["files"], 200)

    @not_on_windows(NO_LIMIT)
    def test_sinks_of_many_files_share_few_descriptors(self):
        for name in "ab":
            (self.out / name).mkdir()
        keys = "flush_interval=1ms&fsync=never"
        program = self.start("--listen", NUMBERED.replace("127.0.0.1", "0.0.0.0"), "--sink",
                             self.sink("a/%{source}.n", keys), "--sink",
                             self.sink("b/%{source}.n", keys), preexec_fn=limited(128))
        hosts = [f"127.0.1.{host}" for host in range(1, 101)]
        for turn in range(3):
            for host in hosts:
                self.send_from(program, host, [numbered(turn)])
            program.wait_for_settled((turn + 1) * len(hosts))
        for sink in program.stop()["sinks"]:
            self.assertEqual((sink["written"], sink["files"]), (3 * len(hosts), len(hosts)))
        for name in "ab":
            for host in hosts:
                self.assertEqual(self.numbers(f"{name}/{host}.n"), [0, 1, 2])

    @not_on_windows(NO_LIMIT)
    def test_what_a_rotation_during_a_failure_completes_makes_room_for_other_senders(self):
        program = self.start_on_all("%{source}.n", "max_files=2&flush_interval=1ms&fsync=never")
        for host in (2, 3):
            self.send_from(program, f"127.0.0.{host}", [numbered(host)])
        program.wait_for_settled(2)
        hard = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (1, hard))
        self.send_from(program, "127.0.0.2", [numbered(2)])
        program.wait_for_log("cannot write")
        program.ask_to_reload()
        program.wait_for_log("reopened")
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        program.wait_for_settled(3)
        self.send_from(program, "127.0.0.4", [numbered(4)])
        program.wait_for_settled(4)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["to_other_file"], 0)
        self.assertEqual(self.numbers("127.0.0.4.n"), [4])

    def send_three_beside(self, path):
        """Sends from three senders. A file or folder blocks the path of the second one."""
        program = self.start_on_all(path, "flush_interval=1ms&fsync=never")
        for count, host in enumerate((1, 2, 3, 1)):
            self.send_from(program, f"127.0.0.{host}", [numbered(count)] * BURST)
            program.wait_for_settled((count + 1) * BURST)
        return program

    def test_what_is_in_the_way_of_one_sender_s_file_stays_and_loses_nothing(self):
        for name, in_the_way in (("folder", lambda path: path.mkdir()),
                                 ("other", lambda path: path.write_text("not ours\n"))):
            with self.subTest(name):
                (self.out / name).mkdir()
                in_the_way(self.out / name / "127.0.0.2.n.part")
                program = self.send_three_beside(name + "/%{source}.n")
                program.wait_for_log("warning: .*/127.0.0.2.n.part is in the way, .*; the records "
                                     "go to a file with another number")
                sink = program.stop()["sinks"][0]
                self.assertEqual((sink["written"], sink["write_errors"]), (4 * BURST, 0))
                self.assertEqual(sorted(path.name for path in (self.out / name).iterdir()),
                                 ["127.0.0.1.n", "127.0.0.2.n", "127.0.0.2.n.part", "127.0.0.3.n"])

    def test_one_sender_whose_file_cannot_be_made_loses_only_its_own_records(self):
        (self.out / "127.0.0.2").write_text("a file, not a folder\n")
        program = self.send_three_beside("%{source}/x.n")
        program.wait_for_log("error: .*cannot create .*/127.0.0.2/x.n.part: .*; records for this "
                             "file are lost")
        sink = program.stop(code=74)["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["io_error"]), (3 * BURST, BURST))
        self.assertEqual(self.files(), ["127.0.0.1/x.n", "127.0.0.2", "127.0.0.3/x.n"])

    def test_what_is_one_sender_too_many_goes_to_other_and_is_counted(self):
        program = self.start_on_all("%{source}.n", "max_files=2")
        for count, host in enumerate(range(2, 8)):
            self.send_from(program, f"127.0.0.{host}", [numbered(host)] * BURST)
            program.wait_for_settled((count + 1) * BURST)
        ledger = program.stop()
        self.assertEqual(self.files(), ["127.0.0.2.n", "127.0.0.3.n", "other.n"])
        self.assertEqual(collections.Counter(self.numbers("other.n")),
                         {host: BURST for host in range(4, 8)})
        self.assertEqual(ledger["sinks"][0]["to_other_file"], 4 * BURST)

    def test_after_a_rotation_other_senders_may_have_files(self):
        program = self.start_on_all("%{source}.n", "max_files=1&compress=gzip&flush_interval=1ms")
        self.send_from(program, "127.0.0.2", [numbered(2)])
        program.wait_for_settled(1)
        self.send_from(program, "127.0.0.3", [numbered(3)])
        program.wait_for_settled(2)
        program.ask_to_reload()
        program.wait_for_log("reopened")
        self.send_from(program, "127.0.0.3", [numbered(3)])
        program.wait_for_settled(3)
        ledger = program.stop()
        self.assertEqual(self.files(), ["127.0.0.2.n", "127.0.0.3.n", "other.n"])
        self.assertEqual(ledger["sinks"][0]["to_other_file"], 1)


class Days(RotatingTest):
    """The time in a path is the arrival time in the capture, not the current time."""

    def run_capture(self, path, keys, records):
        """`records` are pairs (seconds since FIRST_CAPTURED, host). The value of a record is its
        index."""
        capture = self.folder / "capture.pcap"
        with open(capture, "wb") as file:
            file.write(HEADER)
            for number, (seconds, host) in enumerate(records):
                file.write(record(seconds, gauge("load", float(number)), host=host))
        _, ledger = self.run_to_end("--listen", f"pcap:{capture}?schema=telemetry",
                                    "--sink", self.sink(path, keys))
        self.assertEqual(ledger["sinks"][0]["written"], len(records))
        return ledger

    def expect(self, records, form):
        """Asserts that each file contains exactly the records of its name, in order. `form` is the
        strftime format of names."""
        expected = collections.defaultdict(list)
        for number, (seconds, host) in enumerate(records):
            name = time.strftime(form, time.gmtime(FIRST_CAPTURED + seconds))
            expected[name.replace("HOST", f"10.0.0.{host}")].append(number)
        self.assertEqual(self.files(), sorted(expected))
        for name, numbers in expected.items():
            self.assertEqual(self.values(name), numbers, name)

    def test_each_day_has_its_file(self):
        records = [(seconds, 1) for seconds in range(0, 4 * DAY, 1800)]
        ledger = self.run_capture("%Y/%m/%d.n", "fsync=never", records)
        self.expect(records, "%Y/%m/%d.n")
        self.assertEqual(ledger["sinks"][0]["files"], 5)

    def test_fields_of_time_are_as_strftime_has_them(self):
        records = [(seconds, 1) for seconds in range(0, 400 * DAY, 9 * DAY + 3671)]
        form = "%Y-%m-%d_%H-%M-%S_%y_%j_%F.n"
        self.run_capture(form, "fsync=never", records)
        self.expect(records, form)

    def test_each_sender_has_a_file_of_each_day(self):
        records = [(number * 7000, number % 5 + 1) for number in range(100)]
        self.run_capture("%F/%{source}.n", "compress=zstd", records)
        names = {f"{time.strftime('%F', time.gmtime(FIRST_CAPTURED + seconds))}/10.0.0.{host}.n"
                 for seconds, host in records}
        self.assertEqual(self.files(), sorted(names))

    def test_a_record_that_is_late_is_in_the_file_of_its_time(self):
        records = [(number * 3600 - (number % 3 == 2) * 20000, 1) for number in range(200)]
        self.run_capture("%F.n", "fsync=never", records)
        self.check_days(records)

    def test_times_that_go_back_and_forth_lose_nothing(self):
        records = [(number * 7 % 5 * DAY, number % 3 + 1) for number in range(300)]
        self.run_capture("%F.n", "fsync=never", records)
        self.check_days(records)

    def test_one_sender_too_many_on_days_that_come_and_go(self):
        """max_files=1: files of past days are closed when new days need a file."""
        turns = (1, 2, 1, 2, 2, 3, 1, 3)
        records = [(number // 3 * DAY - number % 7 * 9000, turns[number * 5 % 8])
                   for number in range(300)]
        ledger = self.run_capture("%F/%{source}.n", "max_files=1", records)
        self.check_days(records)
        others = sum(len(self.values(name)) for name in self.files() if "/other.n" in name)
        self.assertEqual(ledger["sinks"][0]["to_other_file"], others)
        self.assertGreater(others, 0)

    def test_the_first_of_a_day_is_of_a_sender_that_had_no_file(self):
        records = [(0, 2), (0, 3), (0, 2), (DAY, 3), (DAY, 2)]
        ledger = self.run_capture("%F/%{source}.n", "max_files=1", records)
        self.assertEqual(self.files(), ["2023-11-14/10.0.0.2.n", "2023-11-14/other.n",
                                        "2023-11-15/10.0.0.3.n", "2023-11-15/other.n"])
        self.assertEqual(ledger["sinks"][0]["to_other_file"], 2)

    def check_days(self, records):
        """Each record is in exactly one file of its day."""
        found = []
        for name in self.files():
            for line in read_lines(self.out / name):
                self.assertEqual(name[:10], line["received"][:10])
                found.append(line["value"])
        self.assertEqual(sorted(found), list(range(len(records))))


if __name__ == "__main__":
    unittest.main()
