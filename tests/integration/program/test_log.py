"""Tests the log on stderr: levels, formats, and rate limits."""
import os
import re
import socket
import subprocess
import time
import unittest

from built import command, not_on_windows
from sluice_program import (ANY_PORT, CAPTURES, LEDGER, RIEMANN, SLUICE, ProgramTest,
                            parse_json)

TIME = r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z\Z"
TORN = b'{"time":"2026-11-20T12:00:00.250000000Z","na'  # an incomplete line of a killed run


class Levels(ProgramTest):
    def said_at(self, level):
        program = self.launch("--listen", ANY_PORT, "--sink", f"file:{self.folder / 'lines'}",
                              "--log-level", level, "--duration", "100ms")
        program.finish(0)
        return program.log()

    def test_info_says_where_it_listens(self):
        self.assertRegex(self.said_at("info")[0], r"\Asluice: listening on udp://")

    def test_a_start_reports_its_parts_in_the_order_of_the_manual(self):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.folder / 'lines'}",
                             "--dead-letter", f"file:{self.folder / 'dead.pcapng'}", "--control",
                             self.control_address(), "--metrics", "127.0.0.1:0", ledger=None)
        program.stop()
        starts = ("status page at", "version", "writing to", "dead letters to", "control at",
                  "listening on")
        said = [start for line in program.said() for start in starts
                if line.partition("sluice: ")[2].startswith(start)]
        self.assertEqual(said, list(starts))

    def test_it_says_how_large_a_receive_buffer_is(self):
        program = self.start("--listen", RIEMANN + "&receive_buffer=64KiB", ledger=None)
        program.stop()
        said = next(line for line in program.said() if "listening on udp://" in line)
        granted = int(re.search(r"receive buffer (\d+) KiB, by ", said)[1])
        self.assertIn(granted, range(64, 129))  # Linux doubles the requested size

    def test_a_start_reports_all_that_it_has_opened(self):
        letters, lines = self.folder / "dead", self.folder / "lines"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{lines}", "--sink",
                             "stdout:?format=influx", "--dead-letter",
                             f"file:{letters}?max_size=1MiB", ledger=None)
        program.stop()
        said = [re.sub("^sluice: ", "", line) for line in program.said()]
        self.assertRegex(said[0], r"\Aversion \S+, process \d+, no configuration file, "
                                  r"memory \d+\.\d MiB\Z")
        self.assertEqual(said[1:4], [f"writing to file:{lines} as json",
                                     "writing to stdout: as influx",
                                     f"dead letters to file:{letters}, 1MiB at most"])
        self.assertRegex(said[4], r"\Asandbox: ")
        self.assertRegex(said[5], r"\Alistening on udp://")

    def test_a_start_reports_the_capture_that_it_reads(self):
        capture = CAPTURES / "riemann_cli_v4.pcap"
        program, _ = self.run_to_end("--listen", f"pcap:{capture}?schema=riemann", ledger=None)
        self.assertIn(f"sluice: reading pcap:{capture}", program.said())

    def test_a_start_with_little_memory_says_what_is_enough(self):
        arguments = ("--listen", RIEMANN, "--sink", f"file:{self.folder / 'lines'}")
        program, _ = self.run_to_end(*arguments, "--memory", self.least_memory(*arguments),
                                     "--duration", "1ms")
        line = next(line for line in program.said() if "--memory" in line)
        self.assertIn("leaves only 4 batches of 64 KiB for each sink's queue", line)
        enough = re.search(r"raise it to (\d+MiB)\Z", line)[1]
        program, _ = self.run_to_end(*arguments, "--memory", enough, "--duration", "1ms")
        self.assertFalse([line for line in program.said() if "--memory" in line])

    def test_less_than_the_level_is_not_logged_and_the_ledger_is(self):
        self.assertEqual(self.said_at("warning"), [])
        self.assertEqual(self.said_at("error"), [])

    def test_an_error_is_reported_at_every_level(self):
        for level in ("error", "warning", "info"):
            said = self.refused("--log-level", level, "--listen", ANY_PORT, "--sink",
                                f"file:{self.folder}", code=73)
            self.assertIn(str(self.folder), said)


class Json(ProgramTest):
    def objects(self, program):
        said = [parse_json(line) for line in program.log()]
        for line in said:
            self.assertRegex(line["time"], TIME)
        return said

    def start_in_json(self, *arguments):
        program = self.launch("--listen", RIEMANN, *arguments, "--log-format", "json")
        found = program.wait_for_log(r'"message":"listening on (udp://\S+) for .*process (\d+)"')
        program.names = [found[0][1].decode()]
        program.number = int(found[0][2])
        return program

    def test_a_line_is_an_object_that_names_its_listener(self):
        program = self.start_in_json()
        self.sender(program).send(b"\xff")
        program.wait_for_log("malformed")
        program.stop()
        listening, malformed = self.objects(program)[3:5]  # after version, sink and sandbox
        self.assertEqual(set(listening), {"time", "level", "listener", "message"})
        self.assertEqual(listening["level"], "info")
        self.assertEqual(listening["listener"], program.names[0])
        self.assertEqual(malformed["level"], "warning")
        self.assertEqual(malformed["listener"], program.names[0])
        self.assertRegex(malformed["message"], r"\Amalformed: datagram of 1 bytes from 127\.0\.0\.1:")

    @not_on_windows("no such name is one of a file there")
    def test_or_its_sink_whatever_its_name(self):
        path = self.folder / 'quote " back \\ line'
        path.write_bytes(TORN)
        program = self.start_in_json("--sink", f"file:{path}")
        program.stop()
        torn = self.objects(program)[0]
        self.assertEqual(torn["sink"], f"file:{path}")
        self.assertEqual(torn["level"], "warning")

    @not_on_windows("names of files are Unicode there")
    def test_a_name_that_is_no_utf8_is_valid_json(self):
        path = os.fsencode(self.folder) + b"/\xff\xc3("
        with open(path, "wb") as file:
            file.write(TORN)
        program = self.start_in_json("--sink", "file:" + os.fsdecode(path))
        program.stop()
        self.assertTrue(self.objects(program)[0]["sink"].endswith("/\ufffd\ufffd("))

    def test_it_is_distinguished_from_the_ledger_by_its_members(self):
        program = self.start_in_json()
        program.stop()
        said = [parse_json(line) for line in program.said()]
        self.assertEqual([("final" in line, "message" in line) for line in said],
                         [(False, True)] * 4 + [(True, False)])

    def test_what_check_says_has_that_form_as_well(self):
        program = self.launch("--check", "--log-format", "json", ledger=None)
        program.finish(0)
        valid, = self.objects(program)
        self.assertEqual((valid["level"], valid["message"]), ("info", "the configuration is valid"))


@not_on_windows("it has no journal")
class Journal(ProgramTest):
    """A program whose stderr is a socket. JOURNAL_STREAM names its device and inode
    (systemd.exec(5))."""

    def said_on_socket(self, *arguments, journal=True):
        ours, journals = socket.socketpair()
        with ours, journals:
            status = os.fstat((journals if journal else ours).fileno())
            environment = {**os.environ, "JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
            subprocess.run(command(SLUICE, *arguments), stdout=subprocess.DEVNULL, stderr=journals,
                           env=environment, check=False, timeout=60)
            journals.close()
            with ours.makefile(encoding="utf-8") as stream:
                return stream.read().splitlines()

    def test_a_line_begins_with_its_level_and_does_not_say_who_speaks(self):
        said = self.said_on_socket("--listen", ANY_PORT, "--duration", "100ms", "--ledger", "json")
        begins = ("version ", "writing to stdout:", "sandbox: ", "listening on udp://")
        for line, begin in zip(said, begins):
            self.assertTrue(line.startswith(f"<6>{begin}"), said)
        self.assertTrue(said[4].startswith(LEDGER), said)

    def test_so_does_an_object(self):
        said = self.said_on_socket("--check", "--log-format", "json")
        self.assertEqual(parse_json(said[0].removeprefix("<6>"))["level"], "info")
        self.assertTrue(said[0].startswith("<6>{"))

    def test_so_does_what_is_said_of_a_wrong_command_line(self):
        said, = self.said_on_socket("--duration", "10")
        self.assertRegex(said, r"\A<3>--duration \"10\" has no unit")

    def test_another_stream_than_the_one_named_is_not_the_journal(self):
        said, = self.said_on_socket("--check", journal=False)
        self.assertEqual(said, "sluice: the configuration is valid")


class Repeated(ProgramTest):
    def test_a_message_that_comes_again_is_counted_and_the_count_is_reported_later(self):
        """The count is reported without further log lines, requests or datagrams: after
        --log-repeats, and at the end."""
        program = self.start("--listen", RIEMANN, "--log-repeats", "2s")
        sender = self.sender(program)
        sender.send(b"\xff")
        program.wait_for_log("malformed: datagram of 1 bytes")
        time.sleep(1.1)  # a bad sender is logged once a second
        sender.send(b"\xff")
        program.wait_for_log(r"warning: last message repeated 1 time$")
        sender.send(b"\xff")
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["reasons"]["malformed"], 3)
        said = program.log()[1:]
        self.assertEqual(len(said), 3, said)
        self.assertIn("malformed", said[0])
        self.assertEqual(said[1:], ["sluice: warning: last message repeated 1 time"] * 2)


if __name__ == "__main__":
    unittest.main()
