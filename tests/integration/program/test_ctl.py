"""sluice ctl: one program tells another one what to do, and nobody else is hit by it."""
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from built import command, not_on_windows
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, STOP_LIMIT, ProgramTest, read_lines


def ctl(*words, code=0, program=SLUICE):
    """Runs it; returns what it said on stderr."""
    done = subprocess.run(command(program, "ctl", *words), capture_output=True, text=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL)
    if done.returncode != code or done.stdout != "":
        raise AssertionError(f"exit code {done.returncode}, not {code}: {done}")
    return done.stderr


class Orders(ProgramTest):
    def test_ledger_prints_it_to_the_collectors_stderr(self):
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)])
        before = len(program.ledgers())
        self.assertEqual(ctl("ledger", program.number), "")
        self.assertTrue(program.stderr.wait_for(lambda _: len(program.ledgers()) > before))
        self.assertEqual(program.ledgers()[before]["listeners"][0]["received"], 1)
        program.stop()

    def test_reload_opens_files_anew(self):
        path = self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}")
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        path.rename(self.folder / "moved")
        self.assertEqual(ctl("reload", program.number), "")
        program.wait_for_log("reopened")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.folder / "moved")], [1])
        self.assertEqual([line["value"] for line in read_lines(path)], [2])

    def test_stop_drains_and_ends(self):
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1), metric(2)])
        began = time.monotonic()
        self.assertEqual(ctl("stop", program.number), "")
        ledger = program.finish()
        self.assertLess(time.monotonic() - began, STOP_LIMIT)
        self.assertEqual(ledger["sinks"][0]["written"], 2)

    def test_a_second_stop_does_not_wait(self):
        """Its reader does not read, and it would wait for an hour."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = self.start("--listen", RIEMANN, "--stop-timeout", "1h", stdout=writer)
        os.close(writer)
        self.sender(program).send_all([metric(value) for value in range(1000)])
        ctl("stop", program.number)
        with self.assertRaises(subprocess.TimeoutExpired):
            program.process.wait(0.5)
        ctl("stop", program.number)
        program.finish()

    def test_a_program_that_was_replaced_since_is_known_by_its_name(self):
        copy = pathlib.Path(shutil.copy(SLUICE, self.folder / pathlib.Path(SLUICE).name))
        program = self.start("--listen", RIEMANN)
        self.assertEqual(ctl("stop", program.number, program=copy), "")
        program.finish()


OTHERS = "that another one is no sluice it tells by an event that it has not, whatever it is"


class Refusals(ProgramTest):
    def left_alone(self, process):
        """Tells a process that is no collector all there is to tell; it goes on."""
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for order in ("reload", "ledger", "stop"):
            self.assertEqual(ctl(order, process.pid, code=69),
                             f"sluice: error: ctl: process {process.pid} is no sluice that runs\n")
        self.assertIsNone(process.poll())

    @not_on_windows(OTHERS)
    def test_another_program_is_left_alone(self):
        self.left_alone(subprocess.Popen(["sleep", "1000"]))

    @not_on_windows(OTHERS)
    def test_so_is_another_one_of_the_same_name(self):
        copy = shutil.copy(shutil.which("sleep"), self.folder / pathlib.Path(SLUICE).name)
        self.left_alone(subprocess.Popen([copy, "1000"]))

    @not_on_windows(OTHERS)
    def test_so_is_the_same_program_where_it_does_not_wait_for_that(self):
        """It hangs on a pipe that is full."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.set_blocking(writer, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        self.left_alone(subprocess.Popen([SLUICE, "--help"], stdout=writer))

    def test_one_that_has_ended_is_none(self):
        program = self.start("--listen", RIEMANN)
        program.ask_to_stop()
        os.waitid(os.P_PID, program.process.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("no sluice that runs", ctl("ledger", program.number, code=69))
        program.finish()
        self.assertIn("no sluice that runs", ctl("ledger", program.number, code=69))

    def test_a_number_that_no_process_has(self):
        for number in (4194305, 2**31, 2**32 + 1, 10**30):  # the first is past the kernel's limit
            self.assertIn("no sluice that runs", ctl("stop", number, code=69))

    def test_what_is_wrong_is_told(self):
        for words, text in (
                ([], "write sluice ctl reload|ledger|stop PID"),
                (["relaod", "1"], '"relaod" is not one of reload, ledger, stop; did you mean '
                                  '"reload"?'),
                (["1", "stop"], '"1" is not one of reload, ledger, stop'),
                (["stop"], "stop which process? Its log has the number"),
                (["stop", "x"], '"x" is not the number of a process'),
                (["stop", ""], '"" is not the number of a process'),
                (["stop", "-1"], '"-1" is not the number of a process'),
                (["stop", "0"], '"0" is not the number of a process'),
                (["stop", "1", "2"], 'unexpected argument "2"')):
            self.assertEqual(ctl(*words, code=64), f"sluice: error: ctl: {text}\n")

    def test_help_tells_what_there_is(self):
        done = subprocess.run(command(SLUICE, "ctl", "--help"), capture_output=True, text=True,
                              timeout=DEADLINE, check=True)
        self.assertTrue(done.stdout.startswith("Usage: sluice ctl reload|ledger|stop PID\n"))
        done = subprocess.run(command(SLUICE, "--help"), capture_output=True, text=True, timeout=DEADLINE,
                              check=True)
        self.assertIn("sluice ctl reload|ledger|stop PID", done.stdout)


if __name__ == "__main__":
    unittest.main()
