"""sluice ctl: sends orders to a running collector, and never to a process of another program."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import unittest

from built import WINDOWS, command, not_on_windows
from control_client import ControlClient
from protobuf import metric
from sluice_program import (DEADLINE, RIEMANN, SANITIZED, SLUICE, STOP_LIMIT, ProgramTest,
                            check_running_ledger, parse_lines, read_lines)
from test_config import READS_FILES


def run_ctl(*words, program=SLUICE):
    return subprocess.run(command(program, "ctl", *words), capture_output=True, text=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL)


def ctl(*words, code=0, program=SLUICE):
    """Runs `sluice ctl`. Returns its stderr."""
    done = run_ctl(*words, program=program)
    if done.returncode != code or done.stdout != "":
        raise AssertionError(f"exit code {done.returncode}, not {code}: {done}")
    return done.stderr


def told(program):
    """The output of `sluice ctl` if only the program's log will contain the outcome."""
    return f"sluice: ctl: request sent to process {program.number}; its log has the outcome\n"


FORM = "pipe:NAME" if WINDOWS else "unix:PATH"


class Orders(ProgramTest):
    def test_ledger_prints_it_to_the_collectors_stderr(self):
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)])
        before = len(program.ledgers())
        self.assertEqual(ctl("ledger", program.number), told(program))
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
        self.assertEqual(ctl("reload", program.number), told(program))
        program.wait_for_log("reopened")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.folder / "moved")], [1])
        self.assertEqual([line["value"] for line in read_lines(path)], [2])

    def test_stop_drains_and_ends(self):
        program = self.start("--listen", RIEMANN)
        self.sender(program).send_all([metric(1), metric(2)])
        began = time.monotonic()
        self.assertEqual(ctl("stop", program.number), told(program))
        ledger = program.finish()
        self.assertLess(time.monotonic() - began, STOP_LIMIT)
        self.assertEqual(ledger["sinks"][0]["written"], 2)

    def test_a_second_stop_does_not_wait(self):
        """Standard output is not read, so the first stop would wait for an hour."""
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
        self.assertEqual(ctl("stop", program.number, program=copy), told(program))
        program.finish()


class OverItsSocket(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "control"
        self.address = self.control_address()

    def started(self, *arguments, **more):
        return self.start("--listen", RIEMANN, "--control", self.address, *arguments, **more)

    def ask(self, order, code=0):
        """Returns the output of `sluice ctl` on stdout and on stderr."""
        done = run_ctl(order, self.address)
        self.assertEqual(done.returncode, code, done)
        return done.stdout, done.stderr

    def test_ledger_prints_to_whom_asks_what_the_program_prints(self):
        program = self.started(ledger="text")
        said, errors = self.ask("ledger")
        self.assertEqual(errors, "")
        program.ask_for_ledger()
        program.wait_for_log("  sink stdout:")
        program.wait_for_log("    lines 0, samples 0, bytes 0")
        printed = [line for line in program.said() if not line.startswith("sluice: ")]
        self.assertRegex(said, r"\Aledger after [0-9.]+ s \(running\)\n")
        self.assertEqual(said.splitlines()[1:], printed[1:])
        program.ask_to_stop()
        program.process.wait()

    def test_a_ledger_in_json_is_printed_so(self):
        self.started()
        said, _ = self.ask("ledger")
        check_running_ledger(parse_lines(said.encode())[0])

    def test_stop_returns_when_it_is_taken_and_a_second_one_waits_for_nothing(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = self.started("--stop-timeout", "1h", stdout=writer)
        os.close(writer)
        self.sender(program).send_all([metric(value) for value in range(1000)])
        self.assertEqual(self.ask("stop"), ("begun\n", ""))
        with self.assertRaises(subprocess.TimeoutExpired):
            program.process.wait(0.5)
        self.assertEqual(self.ask("stop"), ("begun\n", ""))
        program.finish()
        self.ask("stop", code=69)

    def test_a_reload_says_that_it_is_done(self):
        program = self.started("--sink", f"file:{self.folder / 'lines'}")
        self.assertEqual(self.ask("reload"), ("done\n", ""))
        program.wait_for_log("lines: reopened")

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_that_is_refused_says_why(self):
        file = self.folder / "sluice.yaml"
        good = json.dumps({"listeners": [RIEMANN], "sinks": [f"file:{self.folder / 'lines'}"],
                           "control": self.address})
        file.write_text(good, encoding="utf-8")
        program = self.start("--config", file)
        for text, why in ((good.replace("sinks", "sniks"), 'unknown option "sniks"'),
                          (good.replace("lines", "none/lines"), "none/lines"),
                          (good.replace("control", "pidfile"), "pidfile"), ("", "")):
            file.write_text(text, encoding="utf-8")
            said, errors = self.ask("reload", code=78)
            self.assertEqual(said, "")
            self.assertRegex(errors, r"\Asluice: error: ctl: refused: .+\n\Z")
            self.assertIn(why, errors)
        file.write_text(good, encoding="utf-8")
        self.assertEqual(self.ask("reload"), ("done\n", ""))
        program.stop()

    def test_nobody_is_there(self):
        said, errors = self.ask("reload", code=69)
        self.assertEqual(said, "")
        self.assertIn(f"sluice: error: ctl: {self.address}: ", errors)

    @not_on_windows("a pipe is not a file in a folder")
    def test_what_is_there_is_none(self):
        self.path.write_text("no socket", encoding="ascii")
        self.assertIn("Connection refused", self.ask("stop", code=69)[1])
        self.path.unlink()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.bind(str(self.path))
            self.assertIn("Connection refused", self.ask("stop", code=69)[1])
            other.listen()
            cut = "the answer was incomplete or too long"
            for answer, why in ((b"HTTP/1.1 200 OK\r\n", "is not a sluice"), (b"", cut),
                                (b'{"stop":"beg', cut), (b'{"stop":"' + b"x" * 300000, cut),
                                (b'{"error":"\\u001b[2J no"}\n', "\ufffd[2J no")):
                def serve():
                    client, _ = other.accept()
                    with client, client.makefile("rb") as request:
                        request.readline()  # unread bytes would reset the connection
                        try:
                            client.sendall(answer)
                        except BrokenPipeError:
                            pass
                server = threading.Thread(target=serve)
                server.start()
                self.assertIn(why, self.ask("stop", code=69)[1])
                server.join(DEADLINE)

    def test_too_many_clients_is_reported(self):
        self.started()
        clients = [ControlClient(self.address) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.ask("ledger")
        ended = threading.Event()

        def keep_asking():
            while not ended.wait(0.1):
                for client in clients:
                    client.ask("health")
        asking = threading.Thread(target=keep_asking)
        asking.start()
        try:
            self.assertIn("too many clients", self.ask("ledger", code=69)[1])
        finally:
            ended.set()
            asking.join(DEADLINE)

    def test_idle_clients_make_place(self):
        """Some clients have sent requests and some have not. Those that have keep their
        connection."""
        self.started()
        clients = [ControlClient(self.address) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
        for client in clients[:3]:
            client.ask("health")
        for _ in range(3):
            self.assertNotEqual(self.ask("ledger")[0], "")
        self.assertFalse(clients[0].is_given_up())
        self.assertTrue(any(client.is_given_up() for client in clients[3:]))

    def test_idle_clients_that_have_asked_make_place(self):
        self.started()
        clients = [ControlClient(self.address) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.ask("health")
        self.ask("ledger")
        self.assertEqual(sum(client.is_given_up() for client in clients), 1)

    def test_a_large_answer_is_whole(self):
        """More than 256 KiB, unless there are fewer sinks."""
        count = 60 if WINDOWS or SANITIZED else 300  # sanitizers start hundreds of sinks slowly
        length = 100 if WINDOWS else 200  # of a path: 260 characters there
        sinks = [word for number in range(count)
                 for word in ("--sink", f"file:{self.folder}/{'x' * length}{number}")]
        self.started(*sinks)
        client = ControlClient(self.address)
        self.addCleanup(client.close)
        ledger = client.ask("ledger")
        self.assertEqual(len(ledger.get("sinks", ())), count, str(ledger)[:200])
        said = self.ask("ledger")[0]
        for number in range(count):
            self.assertIn(f"{'x' * length}{number}", said)
        self.assertFalse(client.ask("health").get("error"))  # a short one follows it


OTHERS = "a process is recognised as sluice by its event, whatever its program"


class Refusals(ProgramTest):
    def left_alone(self, process):
        """Sends every order to a process that is not a collector, and asserts that it continues."""
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for order in ("reload", "ledger", "stop"):
            self.assertEqual(ctl(order, process.pid, code=69),
                             f"sluice: error: ctl: process {process.pid} is not a running sluice\n")
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
        """The process is blocked in a write to a full pipe, so it does not wait for orders."""
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
        self.assertIn("not a running sluice", ctl("ledger", program.number, code=69))
        program.finish()
        self.assertIn("not a running sluice", ctl("ledger", program.number, code=69))

    def test_a_number_that_no_process_has(self):
        # 4194304 is the kernel's limit of process ids
        for number in (4194305, 2**31, 2**32 + 1, 10**30):
            self.assertIn("not a running sluice", ctl("stop", number, code=69))

    def test_what_is_wrong_is_reported(self):
        for words, text in (
                ([], f"write sluice ctl reload|ledger|stop PID|{FORM}"),
                (["relaod", "1"], '"relaod" is not one of reload, ledger, stop; did you mean '
                                  '"reload"?'),
                (["1", "stop"], '"1" is not one of reload, ledger, stop'),
                (["stop"], "stop: the process is missing: give its number, or its --control address, "
                           f"{FORM}"),
                *((["stop", word], f'"{word}" is neither a process number nor of the form '
                                   f"{FORM}") for word in ("x", "", "-1", "0")),
                (["stop", FORM.partition(":")[0] + ":"],
                 f'"{FORM.partition(":")[0]}:" is not of the form {FORM}'),
                (["stop", "tcp:x"], f'"tcp:x" is not of the form {FORM}'),
                (["stop", "1", "2"], 'unexpected argument "2"')):
            self.assertEqual(ctl(*words, code=64), f"sluice: error: ctl: {text}\n")

    def test_help_says_what_there_is(self):
        done = subprocess.run(command(SLUICE, "ctl", "--help"), capture_output=True, text=True,
                              timeout=DEADLINE, check=True)
        usage = f"sluice ctl reload|ledger|stop PID|{FORM}"
        self.assertTrue(done.stdout.startswith(f"Usage: {usage}\n"))
        done = subprocess.run(command(SLUICE, "--help"), capture_output=True, text=True, timeout=DEADLINE,
                              check=True)
        self.assertIn(usage, done.stdout)


if __name__ == "__main__":
    unittest.main()
