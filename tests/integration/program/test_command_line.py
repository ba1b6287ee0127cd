"""Tests the command line: exit codes, and one line for each error. After an error the program must
not start."""
import os
import re
import socket
import unittest

from built import NO_CLOSED_STREAM, not_on_windows
from sluice_program import CAPTURES, DISK_FULL, RIEMANN, ProgramTest

CAPTURE = f"pcap:{CAPTURES / 'riemann_cli_v4.pcap'}?port=5555&schema=riemann"


class Wrong(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "lines"
        self.sink = ("--sink", f"file:{self.file}")

    def refuse(self, *arguments, code, says, **more):
        said = self.refused(*arguments, code=code, **more)
        for text in says:
            self.assertIn(text, said)
        self.assertFalse(self.file.exists(), "an output was created though nothing was started")

    def test_an_unknown_option(self):
        self.refuse("--bogus", *self.sink, code=64, says=['"--bogus"'])

    def test_an_option_misspelt(self):
        self.refuse("--lisen", RIEMANN, *self.sink, code=64, says=['"--lisen"', '"--listen"'])

    def test_an_unknown_key(self):
        url = "udp://127.0.0.1:0?shema=riemann"
        self.refuse("--listen", url, *self.sink, code=64,
                    says=['"shema"', 'did you mean "schema"?', url,
                          f"column {url.index('shema') + 1}"])

    def test_a_key_of_the_wrong_place(self):
        self.refuse("--listen", RIEMANN + "&view=sample", *self.sink, code=64, says=['"view"'])
        self.refuse("--sink", f"file:{self.file}?schema=riemann", code=64, says=['"schema"'])

    def test_an_unknown_schema_and_format(self):
        self.refuse("--listen", "udp://127.0.0.1:0?schema=rieman", *self.sink, code=64,
                    says=['"rieman"', "riemann"])
        self.refuse("--sink", f"file:{self.file}?format=jsn", code=64, says=['"jsn"', "json"])

    def test_an_unknown_scheme(self):
        self.refuse("--listen", "tcp://127.0.0.1:0", *self.sink, code=64, says=["tcp"])
        self.refuse("--sink", "fiel:lines", code=64, says=["fiel"])

    def test_a_number_without_its_unit(self):
        self.refuse("--duration", "10", *self.sink, code=64, says=["--duration", '"10"'])
        self.refuse("--listen", RIEMANN + "&receive_buffer=4096", *self.sink, code=64,
                    says=["receive_buffer"])

    def test_an_option_without_its_value_and_a_stray_argument(self):
        self.refuse(*self.sink, "--duration", code=64, says=["--duration"])
        self.refuse(*self.sink, RIEMANN, code=64, says=[RIEMANN, "--listen"])

    @unittest.skipIf(os.environ["SLUICE"].endswith(".exe"), "there it is a subcommand")
    def test_a_service_is_for_windows(self):
        self.refuse("service", "install", "--", *self.sink, code=64,
                    says=["service: only on Windows; use systemd"])

    def test_a_budget_that_is_too_small_reports_the_least_that_is_enough(self):
        arguments = ("--listen", "udp://127.0.0.1:0", *self.sink)
        least = self.least_memory(*arguments)
        below = f"{int(least.removesuffix('KiB')) - 1}KiB"
        self.refuse(*arguments, "--memory", "1MiB", code=78, says=[f"at least {least}"])
        self.refuse(*arguments, "--memory", below, code=78, says=[f"at least {least}"])
        self.run_to_end(*arguments, "--memory", least, "--duration", "1ms")

    def test_a_socket_whose_senders_are_to_wait(self):
        url = f"file:{self.file}"
        for arguments in (("--listen", RIEMANN), ("--check", "--listen", RIEMANN),
                          ("--listen", CAPTURE, "--listen", RIEMANN)):
            self.refuse(*arguments, "--sink", f"{url}?overflow=block", code=78,
                        says=["overflow=block", url, "udp://127.0.0.1:0"])
        self.refuse("--listen", RIEMANN, "--sink", f"{url}?overflow=drop_oldst", code=64,
                    says=['"drop_oldst"', "drop_oldest"])

    def test_an_address_in_use(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{other.getsockname()[1]}"
            self.refuse("--listen", f"udp://{address}", *self.sink, code=69, says=[address])
            self.refuse("--listen", "udp://127.0.0.1:0", "--listen", f"udp://{address}", *self.sink,
                        code=69, says=[address])

    @not_on_windows("Wine binds a socket to an address that the machine has not")
    def test_an_address_of_another_machine(self):
        self.refuse("--listen", "udp://192.0.2.1:0", *self.sink, code=69, says=["192.0.2.1"])

    def test_a_sink_that_cannot_be_created(self):
        path = self.folder / "missing" / "lines"
        self.refuse("--listen", RIEMANN, "--sink", f"file:{path}", code=73, says=[str(path)])
        self.refuse("--listen", RIEMANN, "--sink", f"file:{self.folder}", code=73,
                    says=[str(self.folder)])
        self.refuse("--listen", CAPTURE, "--sink", f"file:{path}", code=73, says=[str(path)])

    @not_on_windows(NO_CLOSED_STREAM)
    def test_a_closed_stdout(self):
        self.refuse("--listen", RIEMANN, code=73, says=["standard output"], stdout=None,
                    preexec_fn=lambda: os.close(1))

    def test_a_stdout_that_was_opened_for_reading(self):
        with open(os.devnull, "rb") as null:
            self.refuse("--listen", RIEMANN, code=73, says=["standard output"], stdout=null)


class Check(ProgramTest):
    def test_what_is_right_is_said_and_nothing_started(self):
        file = self.folder / "lines"
        program, _ = self.run_to_end("--check", "--listen", CAPTURE, "--sink", f"file:{file}",
                                     ledger=None)
        self.assertEqual(program.said(), ["sluice: the configuration is valid"])
        self.assertEqual(program.output(), [])
        self.assertFalse(file.exists())

    def refuses_as_a_start_does(self, *arguments, code=73):
        """Runs --check, and then a start, which may create files. Both must be refused. Returns the
        output of --check."""
        before = sorted(self.folder.rglob("*"))
        checked = self.refused("--check", "--listen", CAPTURE, *arguments, code=code)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        self.refused("--listen", CAPTURE, *arguments, code=code)
        return checked

    def test_mistakes_of_urls_are_refused_with_what_to_write(self):
        for arguments, says in (
                (("--sink", "udp://127.0.0.1:8086"), "write udp:127.0.0.1:8086, without slashes"),
                (("--sink", "file:"), "--sink file:, column 6: the path is missing"),
                (("--sink", "stdout:?spill=x"), 'key "spill" is for an http:, kafka: or nats: sink, not for '
                                                "a stdout: or command: sink"),
                (("--sink", "http://127.0.0.1:1/?rotate_size=1MiB"),
                 'key "rotate_size" is for a file: sink, not for an http: sink'),
                (("--sink", "udp:127.0.0.1:1?on_epipe=stop"),
                 "column 17: on_epipe= is for pipes, and udp: writes to no pipe"),
                (("--sink", "http://127.0.0.1:1/?on_epipe=end"), "http: writes to no pipe"),
                (("--sink", "file:x?on_epipe=end&rotate_size=1MiB"),
                 "column 8: on_epipe= is for pipes, and a sink with rotate_size= writes to none"),
                (("--sink", "file:x?rotate_interval=1h&on_epipe=stop"), "rotate_interval= writes to none"),
                (("--sink", "file:x?compress=gzip&on_epipe=stop"), "compress= writes to none"),
                (("--sink", "file:x-%Y?on_epipe=stop"), "fields in its path writes to none"),
                (("--sink", "file:%{source}.json?on_epipe=stop"), "fields in its path writes to none"),
                (("--sink", "http://127.0.0.1:1/?server_ca=x"),
                 "column 21: server_ca= is for TLS: write https:"),
                (("--sink", "http://127.0.0.1:1/?client_cert=x&client_key=y"),
                 "client_cert= is for TLS: write https:"),
                (("--sink", "nats://127.0.0.1:1/t?server_ca=x"), "server_ca= is for TLS: write tls=on"),
                (("--sink", "nats://127.0.0.1:1/t?client_key=x&tls=off"),
                 "client_key= is for TLS: write tls=on"),
                (("--sink", "file:x-%Q.json"), 'column 8: "%Q": there is no such field; there are %Y'),
                (("--sink", "file:x-%{sourc}"), '"%{sourc}": there is no such value'),
                (("sluice.yaml",), "a configuration file follows --config"),
                (("receivers=2",), "keys belong to a URL, in quotation marks for the shell")):
            with self.subTest(arguments=arguments):
                self.assertIn(says, self.refused("--check", "--listen", CAPTURE, *arguments, code=64))

    def test_a_folder_that_is_not_there_is_refused_as_by_a_start(self):
        for path in ("no/a.ndjson", "no/%Y/a.ndjson", "no/%{source}.ndjson", "a/b/c.%Y"):
            with self.subTest(path=path):
                said = self.refuses_as_a_start_does("--sink", f"file:{self.folder / path}")
                self.assertIn("cannot write to ", said)
                folder = self.folder / ("a/b" if path.startswith("a") else "no")
                self.assertRegex(said.replace("\\", "/").replace('"', ""),
                                 rf"; create the folder: mkdir (-p )?{folder.as_posix()}\Z")
        self.refuses_as_a_start_does("--sink", f"file:{self.folder}/no/a?rotate_size=1MiB")
        self.refuses_as_a_start_does("--sink", f"file:{self.folder}/ok", "--dead-letter",
                                     f"file:{self.folder}/no/letters.pcapng")

    def test_a_folder_in_the_place_of_a_file_is_refused_as_by_a_start(self):
        (self.folder / "there").mkdir()
        said = self.refuses_as_a_start_does("--sink", f"file:{self.folder}/there")
        self.assertIn("; it is a folder: name a file in it", said)

    def test_a_file_in_the_place_of_a_folder_is_refused_as_by_a_start(self):
        (self.folder / "there").write_text("")
        self.refuses_as_a_start_does("--sink", f"file:{self.folder}/there/a.ndjson")
        self.refuses_as_a_start_does("--sink", f"file:{self.folder}/there/%Y")

    def test_folders_that_fields_name_are_made_when_they_are_needed(self):
        self.run_to_end("--check", "--sink", f"file:{self.folder}/%Y/%{{source}}/a.ndjson",
                        ledger=None)
        self.assertEqual(list(self.folder.iterdir()), [])

    @not_on_windows("a pipe's name has no folder there")
    def test_the_folder_of_the_control_socket_is_looked_at(self):
        said = self.refuses_as_a_start_does("--sink", f"file:{self.folder}/ok", "--control",
                                            f"unix:{self.folder}/no/socket")
        self.assertIn(f"--control unix:{self.folder}/no/socket: ", said)

    @not_on_windows("a pipe's name has no folder there")
    def test_a_program_that_runs_is_no_hindrance(self):
        lines = f"file:{self.folder}/lines"
        control = f"unix:{self.folder}/socket"
        self.start("--listen", RIEMANN, "--sink", lines, "--control", control)
        self.run_to_end("--check", "--listen", RIEMANN, "--sink", lines, "--control", control,
                        ledger=None)

    def test_no_socket_is_bound(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
            self.run_to_end("--check", "--listen", f"udp://127.0.0.1:{port}", ledger=None)

    def test_the_defaults_are_right(self):
        self.run_to_end("--check", ledger=None)

    def test_what_is_wrong_has_its_exit_code(self):
        self.refused("--check", "--listen", "udp://127.0.0.1", code=64)
        self.refused("--check", "--listen", "pcap:/nowhere/at.all", code=65)


class Tell(ProgramTest):
    def tell(self, *words):
        program, _ = self.run_to_end(*words, ledger=None)
        self.assertEqual(program.said(), [])
        return b"".join(program.stdout.lines()).decode()

    def test_help(self):
        text = self.tell("--help")
        self.assertTrue(text.startswith("Usage: sluice "))
        self.assertLessEqual(len(text.splitlines()), 30)
        topics = re.findall(r"^  --help (\w+)", text, re.MULTILINE)
        self.assertGreater(len(topics), 5)
        for topic in topics:
            with self.subTest(topic):
                self.assertEqual(self.tell("--help", topic), self.tell(f"--help={topic}"))
                self.assertLessEqual(max(map(len, self.tell("--help", topic).splitlines())), 80)
        text += self.tell("--help", "all")
        for word in ("--listen", "--sink", "--check", "--duration", "--max-datagrams", "--ledger",
                     "schema=", "receivers=", "view=", "int64=", "78 "):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_an_unknown_topic_is_refused_with_those_that_there_are(self):
        text = self.refused("--help", "sink", code=64)
        self.assertIn('--help has no topic "sink"; there are options,', text)
        self.assertTrue(text.endswith('did you mean "sinks"?'), text)

    def test_version(self):
        text = self.tell("--version")
        self.assertRegex(text, r"\Asluice \d+\.\d+\.\d+\n")
        for name in ("riemann", "telemetry", "stdout", "file", "json"):
            self.assertIn(name, text)
        self.assertRegex(text, r"\ncompressions:( none|( (zstd|gzip) \(\w+ [\d.]+\))+)\n")

    def test_a_full_disk_is_not_silence(self):
        with open("/dev/full", "wb") as full:
            self.run_to_end("--help", stdout=full, ledger=None, code=74)


class FullDisk(ProgramTest):
    """Uses a socket in addition to the capture, because some systems can request the ledger only if
    there is one."""

    def fill(self, *sinks, **more):
        program = self.start("--listen", CAPTURE, "--listen", RIEMANN, *sinks,
                             "--stop-timeout", "200ms", **more)
        program.wait_for_log(DISK_FULL)
        # The capture must be read to its end, because a stop ends it early.
        program.wait_for_received(30)
        return program, program.stop(code=74)

    def test_what_does_not_fit_has_failed_with_its_reason(self):
        _, ledger = self.fill("--sink", "file:/dev/full?view=message")
        sink = ledger["sinks"][0]
        self.assertEqual(sink["failed"]["io_error"], 30)
        self.assertEqual((sink["written"], sink["lines"], sink["bytes"]), (0, 0, 0))
        self.assertGreater(sink["write_errors"], 0)

    def test_the_other_sink_has_everything(self):
        program, ledger = self.fill("--sink", "file:/dev/full?view=message", "--sink",
                                    "stdout:?view=message")
        self.assertEqual(len(program.output()), 30)
        self.assertEqual(ledger["sinks"][1]["written"], 30)

    @not_on_windows("a program under Wine cannot write to a Linux device as standard output")
    def test_stdout(self):
        with open("/dev/full", "wb") as full:
            _, ledger = self.fill("--sink", "stdout:?view=message", stdout=full)
        self.assertEqual(ledger["sinks"][0]["failed"]["io_error"], 30)


if __name__ == "__main__":
    unittest.main()
