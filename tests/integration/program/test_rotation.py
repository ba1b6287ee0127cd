"""File sinks that rotate: what becomes of their files, and that no record is lost or torn."""
import os
import signal
import unittest

from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, read_lines


class RotationTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()

    def start_sink(self, path, keys):
        return self.start("--listen", RIEMANN, "--sink", f"file:{self.out}/{path}?{keys}")

    def files(self):
        """Names below the folder, sorted."""
        return sorted(str(path.relative_to(self.out))
                      for path in self.out.rglob("*") if path.is_file())

    def values(self, *names):
        return [line["value"] for name in names for line in read_lines(self.out / name)]


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
        program.send_signal(signal.SIGHUP)
        program.wait_for_log("lines: reopened")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual(self.files(), ["lines", "lines.7", "lines.8", "lines.9"])
        self.assertEqual(self.values("lines.8", "lines.9"), [1, 2])

    def test_nothing_written_leaves_no_file(self):
        program = self.start_sink("lines", "rotate_size=1MiB&format=csv")
        program.send_signal(signal.SIGHUP)
        program.wait_for_log("lines: reopened")
        program.stop()
        self.assertEqual(self.files(), [])


class Sizes(RotationTest):
    def test_no_file_is_larger_than_its_limit_and_every_record_is_in_one(self):
        program = self.start_sink("lines", "rotate_size=16KiB")
        sender = self.sender(program)
        sender.send_all([metric(value) for value in range(500)])
        ledger = program.stop()
        names = self.files()
        self.assertGreater(len(names), 3)
        for name in names:
            self.assertLessEqual(os.path.getsize(self.out / name), 16384)
        self.assertEqual(sorted(self.values(*names)), list(range(500)))
        self.assertEqual(ledger["sinks"][0]["files"], len(names))


if __name__ == "__main__":
    unittest.main()
