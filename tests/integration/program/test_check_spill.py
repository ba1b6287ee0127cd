"""Tests --check with spill=: it reports what the folder contains and whether it can be used, and
changes no file."""
import os
import pwd
import shutil
import unittest

from built import NO_OTHER_USER, not_on_windows
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest
from spill_reading import wait_for_records

COUNT = 50


class CheckSpill(ProgramTest):
    def setUp(self):
        super().setUp()
        self.spill = self.folder / "spill"
        self.store = f"http://127.0.0.1:{free_port()}/"  # no server listens there

    def arguments(self, spill=None, keys=""):
        sink = f"{self.store}?format=json&flush_interval=20ms&spill={spill or self.spill}{keys}"
        return "--listen", RIEMANN, "--sink", sink

    def fill(self, *more, count=COUNT):
        """Stores records in the spill; some may be in flight as well. Returns the running program.
        """
        program = self.start(*more, *self.arguments())
        sender = self.sender(program)
        sender.send(metric(0))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["write_errors"] > 0,
                                "the far end is away")
        for number in range(1, count):
            sender.send(metric(number))
        wait_for_records(self.spill, count)
        return program

    def damage_first_block(self):
        segment = next(self.spill.glob("*.seg"))
        content = bytearray(segment.read_bytes())
        content[64] ^= 1  # the first byte after the head of the first block
        segment.write_bytes(content)

    def files(self):
        """All files below the test's folder, with their times and content."""
        return {path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
                for path in sorted(self.folder.rglob("*"))}

    def check(self, *arguments, alone=True):
        """The report about the spill. Asserts that the check does not change any file, unless
        another program does."""
        before = self.files()
        program, _ = self.run_to_end("--check", *arguments, ledger=None)
        self.assertTrue(not alone or self.files() == before, "the folder was changed")
        said = program.said()
        self.assertEqual(said.pop(), "sluice: the configuration is valid")
        for line in said:
            self.assertIn(f"{self.store}: spill {self.folder}/", line)
        return [line.replace(f"{self.store}: spill ", "") for line in said]

    def test_a_folder_that_is_not_there_is_not_made(self):
        deep = self.folder / "a" / "b"
        self.assertEqual(self.check(*self.arguments(deep)),
                         [f"sluice: {deep}: does not exist yet; created at start"])

    def test_records_that_wait_are_counted(self):
        self.fill().stop()
        line, = self.check(*self.arguments())
        self.assertRegex(line, rf"\Asluice: {self.spill}: {COUNT} records wait there in \d+ blocks?"
                         r", 0\.\d MiB\Z")

    def test_an_empty_one_has_none(self):
        self.start(*self.arguments()).stop()
        self.assertEqual(self.check(*self.arguments()),
                         [f"sluice: {self.spill}: no records wait there"])

    def test_damage_is_a_warning_with_what_it_costs(self):
        self.fill().stop()
        self.damage_first_block()
        found, damage = self.check(*self.arguments())
        left = int(found.split(": ")[2].split()[0])
        self.assertRegex(damage, r"warning: .*: blocks are damaged in 1 place; "
                         rf"their {COUNT - left} records? (is|are) lost\Z")

    def test_damage_that_costs_one_record_is_said_of_one(self):
        self.fill(count=1).stop()
        self.damage_first_block()
        found, damage = self.check(*self.arguments())
        self.assertTrue(found.endswith(": no records wait there"), found)
        self.assertTrue(damage.endswith(": blocks are damaged in 1 place; their 1 record is lost"),
                        damage)

    def test_a_collector_that_has_it_open_is_a_warning_and_is_not_disturbed(self):
        program = self.fill()
        found, held = self.check(*self.arguments(), alone=False)
        self.assertRegex(found, "waits? there")
        self.assertIn("another sink or program has it open now", held)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["spilled"], COUNT)

    def test_a_size_that_the_disk_has_no_room_for_is_a_warning_with_the_numbers(self):
        free = shutil.disk_usage(self.folder).free / 2**20
        _, room = self.check(*self.arguments(keys="&spill_size=1048576GiB"))
        self.assertRegex(room, r"warning: .*: spill_size= allows 1073741824\.0 MiB more, but "
                         r"the disk has only \d+\.\d MiB free\Z")
        self.assertAlmostEqual(float(room.split()[-3]), free, delta=free / 2 + 1024)

    def test_what_a_start_refuses_is_refused(self):
        file = self.folder / "file"
        file.write_text("")
        for place in (file, file / "below"):
            for check in (("--check",), ()):
                said = self.refused(*check, *self.arguments(place), code=73)
                self.assertRegex(said, "cannot (write|create|open)")

    @not_on_windows(NO_OTHER_USER)
    @unittest.skipIf(os.getuid() != 0, "needs root")
    def test_what_a_start_makes_belongs_to_the_user_who_goes_on_writing_there(self):
        nobody = pwd.getpwnam("nobody").pw_uid
        place = self.folder / "of_nobody"
        place.mkdir()
        os.chown(place, nobody, -1)
        self.folder.chmod(0o755)
        self.spill = place / "spill"
        self.fill("--user", "nobody").stop()
        self.assertEqual({path.stat().st_uid for path in place.rglob("*")}, {nobody})
        line, = self.check("--user", "nobody", *self.arguments())
        self.assertIn(f"{COUNT} records wait there", line)

    @not_on_windows(NO_OTHER_USER)
    @unittest.skipIf(os.getuid() != 0, "needs root")
    def test_a_folder_that_the_user_may_not_write_to_is_refused(self):
        self.spill.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        said = self.refused("--check", "--user", "nobody", *self.arguments(), code=73)
        self.assertIn(f"--user nobody: cannot write to {self.spill}", said)


if __name__ == "__main__":
    unittest.main()
