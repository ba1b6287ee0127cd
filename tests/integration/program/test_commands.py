"""Tests `command:` sinks with programs that read, end, are killed, do not read, or do not end."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from built import nothing_on_windows
from protobuf import metric
from sluice_program import (RIEMANN, SLUICE, STOP_LIMIT, ProgramTest, lines_so_far, parse_lines, read_lines,
                            same_with_one_thread, wait_until)

nothing_on_windows("the commands are of POSIX' shell; those of Windows are in ../windows")

IO_ERROR = 74

# Copies standard input to a separate file without a buffer, so that the file contains exactly the
# data that was read.
COPY = 'exec cat >"$OUT/out.$$"'

# As COPY, but ends after `lines` whole lines and `more` bytes.
EXACT = """exec /usr/bin/env python3 -c '
import os
out = open(os.environ["OUT"] + "/out.%d" % os.getpid(), "wb", 0)
lines, more = {lines}, {more}
while lines != 0 or more != 0:
    byte = os.read(0, 1)
    if not byte:
        break
    out.write(byte)
    if lines != 0:
        lines -= byte == b"\\n"
    else:
        more -= 1
'"""


def children(pid):
    """The child processes, including ended ones that were not waited for."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def descriptors(pid):
    """The targets of the descriptors; one that is closed during the read is omitted."""
    found = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(entry).split(":")[0])
        except FileNotFoundError:
            continue
    return sorted(found)


def alive_in_group(group):
    """The processes of a process group that have not ended."""
    alive = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, _, of_group = rest.split()[:3]
        if int(of_group) == group and state not in "ZX":
            alive.append(name)
    return alive


class CommandTest(ProgramTest):
    """$OUT is the test's folder, for the commands."""

    def start_command(self, command, *arguments, keys="", **more):
        environment = {**os.environ, "OUT": str(self.folder)}
        return self.start("--listen", RIEMANN, "--sink", f"command:{command}{keys}", *arguments,
                          env=environment, **more)

    def wait_for_children(self, program, count=1):
        wait_until(lambda: len(children(program.process.pid)) == count, f"{count} children")
        return children(program.process.pid)

    def outputs(self):
        """The output of each command, by its start time."""
        files = sorted(self.folder.glob("out.*"), key=lambda file: file.stat().st_ctime_ns)
        return [file.read_bytes() for file in files]

    def wait_for_outputs(self, count):
        wait_until(lambda: len(list(self.folder.glob("out.*"))) >= count, f"{count} files")

    def whole_values(self, outputs):
        """The values of the complete lines. Only the last line of an output may be incomplete."""
        values = []
        for output in outputs:
            values += [line["value"] for line in parse_lines(output[:output.rfind(b"\n") + 1])]
        return values


class Reading(CommandTest):
    def test_what_is_received_is_read_by_the_command_in_order_and_all_of_it(self):
        program = self.start_command('exec cat >"$OUT/lines"')
        self.sender(program).send_all([metric(value) for value in range(2000)])
        sink = program.stop()["sinks"][0]
        lines = read_lines(self.folder / "lines")
        self.assertEqual([line["value"] for line in lines], list(range(2000)))
        self.assertEqual((sink["written"], sink["restarts"]), (2000, 0))
        self.assertEqual(sink["bytes"], (self.folder / "lines").stat().st_size)
        self.assertEqual(program.stdout.lines(), [])

    def test_a_record_is_written_when_it_is_read_and_in_flight_before(self):
        gate = self.folder / "gate"
        os.mkfifo(gate)
        program = self.start_command('read x <"$OUT/gate"; exec cat >"$OUT/lines"')
        ledger = self.sender(program).send_all([metric(value) for value in range(10)])
        sink = program.wait_for_ledger(lambda now: now["sinks"][0]["bytes"] > 0,
                                       "the pipe has taken something")["sinks"][0]
        self.assertEqual(sink["written"], 0, ledger)
        with open(os.open(gate, os.O_RDWR), "w", encoding="utf-8") as opened:
            opened.write("go\n")
            opened.flush()
            program.wait_for_settled(10)
        self.assertEqual(program.stop()["sinks"][0]["written"], 10)

    def test_it_is_a_command_of_the_shell_up_to_the_question_mark(self):
        program = self.start_command("sed 's/\"value\":/& /' | tee \"$OUT/a b\" >/dev/null && "
                                     'date +%s >"$OUT/after"', keys="?view=sample&format=json")
        self.sender(program).send(metric(7))
        program.wait_for_settled(1)
        program.stop()
        self.assertIn('"value": 7', (self.folder / "a b").read_text())
        self.assertTrue((self.folder / "after").read_text().strip().isdigit())

    def test_each_command_is_given_what_a_file_of_the_format_begins_with(self):
        program = self.start_command(COPY, keys="?format=csv")
        sender = self.sender(program)
        for value in range(2):
            sender.send(metric(value))
            program.wait_for_settled(value + 1)
            if value == 0:
                program.ask_to_reload()
                program.wait_for_log("was restarted")
        sink = program.stop()["sinks"][0]
        outputs = self.outputs()
        self.assertEqual(len(outputs), 2)
        for output in outputs:
            self.assertTrue(output.startswith(b"time,name,"), output)
            self.assertEqual(output.count(b"\r\n"), 2)
        self.assertEqual(sum(map(len, outputs)), sink["bytes"])


class Surroundings(CommandTest):
    def test_a_command_has_to_follow_the_colon(self):
        self.assertIn("COMMAND is missing; write command:COMMAND",
                      self.refused("--sink", "command:", code=64))

    @same_with_one_thread
    def test_what_the_command_writes_goes_to_stderr_and_never_to_stdout(self):
        program = self.start_command("echo to stdout; echo to stderr >&2; exec sed 's/^/read /'",
                                     "--sink", "stdout:")
        self.sender(program).send(metric(1))
        program.wait_for_output(1)
        program.wait_for_log("to stdout")
        program.wait_for_log("to stderr")
        program.wait_for_settled(1)
        program.stop()
        self.assertEqual(len(program.output()), 1)
        self.assertEqual(sum(line.startswith("read {\"time\"") for line in program.said()), 1)

    @same_with_one_thread
    def test_it_has_none_of_our_descriptors_and_signals_as_by_default(self):
        facts = ('ls -l /proc/self/fd >"$OUT/fds"; cat /proc/self/status >"$OUT/status"; '
                 'cut -d " " -f 5 /proc/self/stat >"$OUT/group"; exec cat')
        program = self.start_command(facts, "--sink", "command:cat >/dev/null", "--sink",
                                     f"file:{self.folder}/file")
        wait_until((self.folder / "group").exists, "the command says what it sees")
        group = os.getpgid(program.process.pid)
        program.stop()
        opened = re.findall(r" (\d+) -> (.*)", (self.folder / "fds").read_text())
        # 0 to 2 are the standard streams; 3 is the folder that ls itself reads.
        self.assertEqual([int(number) for number, _ in opened], [0, 1, 2, 3], opened)
        status = dict(line.split(":\t") for line in
                      (self.folder / "status").read_text().splitlines() if ":\t" in line)
        self.assertEqual(int(status["SigBlk"], 16), 0)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            self.assertEqual(int(status["SigIgn"], 16) >> (number - 1) & 1, 0, number)
        self.assertNotEqual(int((self.folder / "group").read_text()), group)

    def test_twenty_commands_leave_no_zombie_and_no_descriptor(self):
        program = self.start_command(COPY)
        pid = program.process.pid
        sender = self.sender(program)
        before = None
        for value in range(20):
            sender.send(metric(value))
            program.wait_for_settled(value + 1)
            if before is None:
                before = descriptors(pid)
            program.ask_to_reload()
            program.wait_for_log("was restarted", value + 1)
        self.assertEqual(len(self.wait_for_children(program)), 1)
        # Writing a log line opens a descriptor for a moment, which `before` may include.
        wait_until(lambda: len(descriptors(pid)) <= len(before), f"no descriptors but {before}")
        sink = program.stop()["sinks"][0]
        self.assertEqual(sink["restarts"], 20)
        self.assertEqual(sorted(self.whole_values(self.outputs())), list(range(20)))


class Ending(CommandTest):
    def test_what_a_command_has_read_is_written_and_what_it_left_has_failed(self):
        program = self.start_command(EXACT.format(lines=2, more=10))
        self.sender(program).send_all([metric(value) for value in range(10)])
        program.wait_for_settled(10)
        # The next command gets the records that follow.
        self.wait_for_outputs(2)
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        outputs = self.outputs()
        values = self.whole_values(outputs)
        self.assertEqual(values[:2], [0, 1])
        self.assertEqual(len(set(values)), len(values))
        self.assertEqual(sink["written"], len(values))
        self.assertEqual(sink["failed"]["command_ended"], 10 - len(values))
        self.assertEqual(sink["bytes"], sum(map(len, outputs)))

    def test_of_commands_that_end_again_and_again_each_begins_with_a_record(self):
        program = self.start_command(EXACT.format(lines=3, more=25))
        sender = self.sender(program)
        value = 0
        while len(self.outputs()) < 4:
            sender.send(metric(value))
            value += 1
            time.sleep(0.001)  # some records come while commands end and start
        program.wait_for_received(value)
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        outputs = self.outputs()
        for output in outputs:
            self.assertLessEqual(output.count(b"\n"), 3)
        values = self.whole_values(outputs)
        self.assertEqual(sorted(set(values)), values)
        self.assertEqual(sink["written"], len(values))
        self.assertEqual(sink["bytes"], sum(map(len, outputs)))
        self.assertGreater(sink["failed"]["command_ended"], 0)

    def test_a_command_that_reads_more_than_it_prints_has_read_it(self):
        program = self.start_command('head -n 5 >>"$OUT/lines"')
        self.sender(program).send_all([metric(value) for value in range(500)])
        wait_until(lambda: len(lines_so_far(self.folder / "lines")) >= 10, "two commands' lines")
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        values = [line["value"] for line in read_lines(self.folder / "lines")]
        self.assertEqual(len(set(values)), len(values))
        self.assertGreaterEqual(sink["written"], len(values))
        self.assertEqual(sink["written"] + sink["failed"]["command_ended"], 500)

    def test_commands_killed_under_load_read_no_record_twice_and_none_torn_but_at_their_end(self):
        program = self.start_command(COPY)
        flood = self.flood(program, metric)
        for kills in range(3):
            self.wait_for_outputs(kills + 1)
            child = self.wait_for_children(program)[0]
            file = self.folder / f"out.{child}"
            wait_until(lambda: file.exists() and file.stat().st_size > 300000, "it has read much")
            os.kill(child, signal.SIGKILL)
            program.wait_for_log("signal 9", 1)
        self.wait_for_outputs(4)
        before = program.ledger_now()["sinks"][0]["written"]
        program.wait_for_settled(before + 100)
        flood.end()
        program.ask_to_stop()
        program.process.wait()
        ledger = program.finish(program.process.returncode)
        sink = ledger["sinks"][0]
        self.assertEqual(program.process.returncode,
                         IO_ERROR if sink["failed"]["command_ended"] else 0)
        outputs = self.outputs()
        values = self.whole_values(outputs)
        self.assertEqual(len(set(values)), len(values))
        self.assertEqual(sorted(values), values)
        self.assertTrue(outputs[-1].endswith(b"\n"))
        # Data that the command had read but not yet written at the signal counts as read.
        self.assertLessEqual(len(values), sink["written"])
        self.assertLessEqual(sum(map(len, outputs)), sink["bytes"])
        self.assertLessEqual(sink["bytes"] - sum(map(len, outputs)), 3 * 131072)
        self.assertEqual(sink["restarts"], 3)

    def test_the_time_before_a_restart_grows(self):
        program = self.start_command('date +%s.%N >>"$OUT/starts"; exit 3')
        starts = self.folder / "starts"
        wait_until(lambda: starts.exists() and starts.read_text().count("\n") >= 5, "five starts")
        program.wait_for_log("ended with exit code 3, 0 bytes unread; restarting it in 100 ms")
        sink = program.stop()["sinks"][0]
        times = [float(line) for line in starts.read_text().splitlines()]
        gaps = [after - before for before, after in zip(times, times[1:])]
        for gap, least in zip(gaps, (0.1, 0.2, 0.4, 0.8)):
            # `date` runs later than the start, by the time that the shell takes.
            self.assertGreater(gap, least * 0.8, gaps)
        self.assertEqual(sink["restarts"], len(times) - 1)

    def test_a_stop_does_not_wait_for_the_pause_before_a_restart(self):
        ready = self.folder / "ready"
        program = self.start_command(f"test -e {ready} || exit 1; {COPY}", "--stop-timeout", "1400ms")
        program.wait_for_log("restarting it in 1600 ms")
        ready.touch()
        self.sender(program).send_all([metric(value) for value in range(50)])
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][0]["written"], 50)

    def test_a_command_that_is_not_there_is_reported_and_what_it_should_have_read_has_failed(self):
        # The shell's message would go to the program's stderr, perhaps in the middle of the ledger.
        program = self.start_command("exec 2>/dev/null; no-such-program-here")
        self.sender(program).send_all([metric(value) for value in range(20)])
        program.wait_for_log("exit code 127")
        program.wait_for_settled(20)
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        self.assertEqual((sink["written"], sink["failed"]["command_ended"]), (0, 20))

    def test_a_command_that_closes_its_input_is_waited_for(self):
        gate = self.folder / "gate"
        os.mkfifo(gate)
        program = self.start_command('echo x >>"$OUT/starts"; exec <&-; read y <"$OUT/gate"')
        program.wait_for_log("has closed its input; waiting for its end")
        self.sender(program).send_all([metric(1)])
        self.assertEqual((self.folder / "starts").read_text(), "x\n")
        # Opened for reading as well, so that the open does not wait for the command.
        with open(os.open(gate, os.O_RDWR), "w", encoding="utf-8") as opened:
            opened.write("go\n")
        wait_until(lambda: (self.folder / "starts").read_text() == "x\nx\n", "a second start")
        program.ask_to_stop()
        program.send_signal(signal.SIGINT)
        program.process.wait()
        sink = program.finish(program.process.returncode)["sinks"][0]
        self.assertEqual(sink["written"], 0)


class NotReading(CommandTest):
    @same_with_one_thread
    def test_a_command_that_never_reads_fills_the_queue_and_is_ended_at_the_stop(self):
        program = self.start_command("exec sleep 1000", "--stop-timeout", "300ms", "--sink",
                                     f"file:{self.folder}/lines")
        sender = self.sender(program)
        child = self.wait_for_children(program)[0]
        count = 0
        while True:
            ledger = sender.send_all([metric(value) for value in range(2000)], count)
            count += 2000
            if sum(ledger["sinks"][0]["refused"].values()) > 0:
                break
        begun = time.monotonic()
        ledger = program.stop()
        self.assertLess(time.monotonic() - begun, 0.3 + STOP_LIMIT)
        sink = ledger["sinks"][0]
        self.assertGreater(sink["refused"]["ring_full"] + sink["refused"]["listener_share"], 0)
        self.assertEqual((sink["written"], sink["bytes"]), (0, 0))
        self.assertEqual(sink["failed"]["stop_timeout"], sink["queued"])
        self.assertEqual(ledger["sinks"][1]["written"], count)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

    def test_what_a_slow_command_has_not_read_at_the_deadline_has_failed_exactly(self):
        slow = EXACT.replace("    if lines != 0:", "    if lines == 0 and more == 1:\n"
                             "        time.sleep(1000)\n    if lines != 0:")
        slow = slow.replace("import os", "import os, time")
        program = self.start_command(slow.format(lines=5, more=8), "--stop-timeout", "300ms")
        self.sender(program).send_all([metric(value) for value in range(50)])
        program.wait_for_settled(5)
        sink = program.stop()["sinks"][0]
        output = self.outputs()[0]
        self.assertEqual(self.whole_values([output]), [0, 1, 2, 3, 4])
        self.assertEqual((sink["written"], sink["failed"]["stop_timeout"]), (5, 45))
        self.assertEqual(sink["bytes"], len(output))

    def test_a_command_that_neither_ends_nor_obeys_is_ended_with_all_that_it_started(self):
        program = self.start_command("trap '' TERM; cat >/dev/null; echo $$ >\"$OUT/pid\"; "
                                     "while :; do sleep 1000; done", "--stop-timeout", "300ms")
        self.sender(program).send_all([metric(1)])
        program.wait_for_settled(1)
        child = self.wait_for_children(program)[0]
        begun = time.monotonic()
        self.assertEqual(program.stop()["sinks"][0]["written"], 1)
        self.assertLess(time.monotonic() - begun, 0.3 + STOP_LIMIT)
        self.assertEqual(alive_in_group(child), [])

    def test_a_second_signal_does_not_wait_for_the_command(self):
        program = self.start_command("cat >/dev/null; exec sleep 1000", "--stop-timeout", "1h")
        self.wait_for_children(program)
        program.ask_to_stop()
        program.send_signal(signal.SIGINT)
        begun = time.monotonic()
        program.finish()
        self.assertLess(time.monotonic() - begun, STOP_LIMIT)


class Reopening(CommandTest):
    def test_a_hangup_ends_the_command_when_it_has_read_all_and_starts_another(self):
        program = self.start_command(COPY)
        flood = self.flood(program, metric)
        for reopened in range(5):
            self.wait_for_outputs(reopened + 1)
            settled = program.ledger_now()["sinks"][0]["written"]
            program.wait_for_settled(settled + 50)
            program.ask_to_reload()
            program.wait_for_log("was restarted", reopened + 1)
        flood.end()
        sink = program.stop()["sinks"][0]
        outputs = self.outputs()
        self.assertIn(len(outputs), (5, 6))  # the last command may not have got any records
        lines = [line["value"] for output in outputs for line in parse_lines(output)]
        self.assertEqual(lines, sorted(set(lines)))
        self.assertEqual(sink["written"], len(lines))
        self.assertEqual(sum(sink["failed"].values()), 0)

    def test_a_hangup_replaces_a_command_that_never_reads(self):
        program = self.start_command('if mkdir "$OUT/first" 2>/dev/null; then exec sleep 1000; fi; ' + COPY,
                                     "--stall-timeout", "1s")
        child = self.wait_for_children(program)[0]
        self.sender(program).send_all([metric(value) for value in range(2000)])
        wait_until((self.folder / "first").exists, "the first command sleeps")
        program.ask_to_reload()
        program.wait_for_log("was restarted")
        program.wait_for_settled(2000)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())
        program.ask_to_stop()
        sink = program.finish(IO_ERROR)["sinks"][0]
        values = self.whole_values(self.outputs())
        self.assertEqual(values, list(range(2000 - len(values), 2000)))
        self.assertEqual(sink["written"], len(values))
        self.assertEqual((sink["failed"]["command_ended"], sink["restarts"]),
                         (2000 - len(values), 1))


UNSHARE = next((words for words in (["unshare"], ["unshare", "-r"]) if subprocess.run(
    [*words, "--pid", "--fork", "true"], capture_output=True, check=False).returncode == 0), None)


@unittest.skipIf(UNSHARE is None, "no PID namespace can be had here")
@same_with_one_thread
class ProcessOne(CommandTest):
    """The collector is process 1, as in a container: orphaned processes become its children."""

    def start_as_first(self, command):
        program = self.start(*UNSHARE[1:], "--pid", "--fork", SLUICE, "--listen", RIEMANN, "--sink",
                             f"command:{command}", program=UNSHARE[0],
                             env={**os.environ, "OUT": str(self.folder)})
        self.assertEqual(program.number, 1)
        self.first, = children(program.process.pid)
        self.addCleanup(self.end, self.first)
        return program

    @staticmethod
    def end(process):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop_first(self, program):
        os.kill(self.first, signal.SIGTERM)
        return program.finish()

    def test_orphans_of_a_command_are_waited_for(self):
        """The orphans include one in a separate session, and some that end while the command still
        runs."""
        program = self.start_as_first('(setsid true & sleep 0.1; touch "$OUT/last") & ' + COPY)
        wait_until((self.folder / "last").exists, "the last orphan is at its end")
        wait_until(lambda: len(children(self.first)) == 1, "only the command is left")
        self.sender(program).send(metric(1))
        program.ask_for_ledger = lambda: os.kill(self.first, signal.SIGUSR1)
        program.wait_for_settled(1)
        self.assertEqual(self.stop_first(program)["sinks"][0]["written"], 1)

    def test_the_end_of_a_command_is_its_own_among_orphans(self):
        program = self.start_as_first("(true & true & true &); (sleep 0.01 & true &); exit 3")
        program.wait_for_log("ended with exit code 3", 2)
        self.stop_first(program)


if __name__ == "__main__":
    unittest.main()
