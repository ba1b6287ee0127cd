"""Tests files and paths of Windows."""
import os
import re
import subprocess
import unittest

from built import command
from capture_writing import write_capture
from drive import on_drive
from protobuf import metric
from rotating import RotatingTest
from sluice_program import RIEMANN, read_lines, wait_for_bytes

UMLAUT, CYRILLIC, EMOJI = "Käse", "данные", "\U0001f321"


class Names(RotatingTest):
    def test_they_may_be_of_any_script(self):
        folder = self.out / UMLAUT / CYRILLIC
        folder.mkdir(parents=True)
        capture = folder / f"{EMOJI}.pcap"
        write_capture(capture, [metric(value) for value in range(3)])
        program, ledger = self.run_to_end(
            "--listen", f"pcap:{capture}?schema=riemann", "--sink", f"file:{folder}/{EMOJI}.ndjson",
            "--sink", f"file:{self.out}/{EMOJI} %{{source}}/{CYRILLIC}.n?compress=gzip")
        self.assertEqual(self.files(), [
            f"{UMLAUT}/{CYRILLIC}/{EMOJI}.ndjson", f"{UMLAUT}/{CYRILLIC}/{EMOJI}.pcap",
            f"{EMOJI} 10.0.0.1/{CYRILLIC}.n"])
        lines = read_lines(folder / f"{EMOJI}.ndjson")
        self.assertEqual([line["value"] for line in lines], [0, 1, 2])
        self.assertEqual({line["listener"] for line in lines}, {f"pcap:{capture}"})
        self.assertEqual(ledger["sinks"][0]["name"], f"file:{folder}/{EMOJI}.ndjson")
        self.assertEqual(program.log(), [])

    def test_errors_have_them_as_they_are(self):
        said = self.refused("--listen", f"pcap:{self.folder}/{EMOJI}{UMLAUT}", code=65)
        self.assertIn(f"{self.folder}/{EMOJI}{UMLAUT}", said)

    def test_either_separator_and_a_drive(self):
        capture = self.out / "sent.pcap"
        write_capture(capture, [metric(1)])
        for number, path in enumerate((on_drive(self.out), f"Z:{self.out}", str(self.out))):
            separator = "\\" if "\\" in path else "/"
            self.run_to_end("--listen", f"pcap:{path}{separator}sent.pcap?schema=riemann",
                            "--sink", f"file:{path}{separator}{number}.ndjson")
            self.assertEqual(self.values(f"{number}.ndjson"), [1])

    def test_a_path_without_a_folder_is_in_the_one_it_was_started_in(self):
        capture = self.out / "sent.pcap"
        write_capture(capture, [metric(1)])
        self.run_to_end("--listen", "pcap:sent.pcap?schema=riemann", "--sink", "file:lines",
                        cwd=self.out)
        self.assertEqual(self.values("lines"), [1])

    def test_what_no_name_may_have_is_left_out_of_values(self):
        program = self.start("--listen", "udp://[::1]:0?schema=riemann", "--sink",
                             self.sink("%{source}/%{listener}.n", "fsync=never"))
        self.sender(program, host="::1").send_all([metric(1)])
        program.stop()
        name = re.sub(r"[:/\[\]]", "_", program.names[0])
        self.assertEqual(self.files(), [f"__1/{name}.n"])


class Held(RotatingTest):
    """A reader that does not allow others to rename or remove the file."""

    def hold(self, name):
        process = subprocess.Popen(command(os.environ["TEST_HOLD"], self.out / name),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.let_go, process)
        wait_for_bytes(process.stdout)
        self.assertEqual(process.stdout.readline(), b"held\n")
        return process

    def let_go(self, process):
        if not process.stdin.closed:
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def rotate_while_held(self):
        """Writes the first record to a file that cannot be renamed to its final name, because a
        reader holds it."""
        program = self.start_sink("lines", "rotate_size=1MiB", listen=RIEMANN)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        reader = self.hold("lines.part")
        program.ask_to_reload()
        program.wait_for_log("reopened")
        sender.send_all([metric(2)], before=1)
        program.wait_for_settled(2)
        self.assertEqual(self.values("lines.part"), [1])
        self.assertEqual(program.ledger_now()["sinks"][0]["renames_blocked"], 1)
        return program, reader

    def test_a_file_gets_its_name_when_its_reader_lets_go(self):
        program, reader = self.rotate_while_held()
        self.let_go(reader)
        sink = program.stop()["sinks"][0]
        self.assertEqual(self.files(), ["lines", "lines.1"])
        self.assertEqual((self.values("lines"), self.values("lines.1")), ([1], [2]))
        self.assertEqual((sink["written"], sink["files"], sink["renames_blocked"]), (2, 2, 1))
        told = [line for line in program.log() if "lines.part" in line]
        # one line when the rename must wait, one when it is done
        self.assertEqual(len(told), 2, told)

    def test_one_that_is_held_until_the_end_is_completed_by_the_next_run(self):
        program, reader = self.rotate_while_held()
        sink = program.stop(code=74)["sinks"][0]
        self.assertEqual((sink["written"], sink["files"], sink["unnamed_files"]), (2, 1, 1))
        self.assertEqual(self.values("lines.part"), [1])
        self.let_go(reader)
        self.start_sink("lines", "rotate_size=1MiB", listen=RIEMANN).stop()
        self.assertFalse([name for name in self.files() if name.endswith(".part")])
        self.assertEqual(sorted(self.values(*self.files())), [1, 2])

    def test_a_plain_file_is_written_on(self):
        program = self.start_sink("lines", "fsync=never", listen=RIEMANN)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        reader = self.hold("lines")
        sender.send_all([metric(2)], before=1)
        program.wait_for_settled(2)
        program.ask_to_reload()
        program.wait_for_log("reopened")
        sender.send_all([metric(3)], before=2)
        program.stop()
        self.let_go(reader)
        self.assertEqual(self.values("lines"), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
