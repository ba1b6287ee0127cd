"""A file sink must not write to a foreign file, nor to a file of another part of the configuration.
Threads and notifiers make no difference, so these tests have one variant."""
import gzip
import os
import subprocess
import unittest

from built import NO_FIFO, command, not_on_windows
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest, parse_json, read_lines
from test_config import READS_FILES, SENDS_HTTP


class Foreign(ProgramTest):
    def write_as(self, path, form, values, message=False):
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}?format={form}")
        self.sender(program).send_all([metric(value) for value in values])
        program.stop()
        return program

    def test_what_is_foreign_is_never_cut(self):
        own = self.folder / "own"
        self.write_as(own, "protobuf", [1, 2])
        lines = self.folder / "lines"
        self.write_as(lines, "json", [1])
        foreign = {
            "notes.txt": b"one\ntwo\nthree without an end",
            "one.txt": b"a line",
            "brace": b"{",
            "object.json": b'{"time": "2026-11-28T10:30:04Z", "a": 1}',
            "notes.json": lines.read_bytes() + b"a note",
            "day.gz": gzip.compress(b"much\n" * 1000),
            "a.pcap": b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(16) + b"\n" + bytes(9),
            "ends.pcap": b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(16) + b"\n",
            "elf": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\n\x03\x00>\x00",
            "a.pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n%%EOF",
            "hello": b"hello\n",
            "x": b"x\nhello\n",
            "own.pb": own.read_bytes(),
            "zeros": bytes(4096),
            "long.json": lines.read_bytes() + b'{"time":"' + bytes(3 << 20),
        }
        text = ("json", "csv", "influx", "prometheus", "text")
        for name, content in foreign.items():
            path = self.folder / name
            path.write_bytes(content)
            formats = ("protobuf", "otlp") if name in ("hello", "x", "notes.txt") else text
            if name in ("one.txt", "notes.txt"):
                formats = text + ("pcap", "protobuf")
            for form in formats:
                with self.subTest(name=name, format=form):
                    sink = ("--listen", RIEMANN, "--sink", f"file:{path}?format={form}")
                    self.assertIn("move it away" if b"\n" in content[-1:] else name,
                                  self.refused("--check", *sink, code=73))
                    self.refused(*sink, code=73)
                    self.assertEqual(path.read_bytes(), content)

    def test_a_link_to_a_foreign_file_is_refused(self):
        path = self.folder / "notes.txt"
        path.write_text("notes", encoding="ascii")
        link = self.folder / "link"
        os.symlink(path, link)
        self.refused("--listen", RIEMANN, "--sink", f"file:{link}", code=73)
        self.assertEqual(path.read_text(encoding="ascii"), "notes")

    def test_lines_of_another_format_are_followed_and_that_is_said(self):
        forms = ("json", "csv", "influx", "prometheus", "text")
        for before in forms:
            for after in forms:
                if before == after:
                    continue
                with self.subTest(before=before, after=after):
                    path = self.folder / f"{before}.{after}"
                    self.write_as(path, before, [1])
                    there = path.read_bytes()
                    checked, _ = self.run_to_end("--check", "--listen", RIEMANN, "--sink",
                                                 f"file:{path}?format={after}", ledger=None)
                    said = f"its last line is not of format={after}"
                    self.assertIn(said, "\n".join(checked.said()))
                    program = self.write_as(path, after, [2])
                    program.wait_for_log(said)
                    self.assertTrue(path.read_bytes().startswith(there))
                    self.assertGreater(path.stat().st_size, len(there))


class SameFile(ProgramTest):
    """Two parts of a configuration use one file under two names."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "a"
        self.dotted = f"{self.folder}/./a"

    def assert_refused(self, *arguments):
        for check in ((), ("--check",)):
            with self.subTest(arguments=arguments, check=check):
                self.assertIn("use the same file",
                              self.refused("--listen", RIEMANN, *arguments, *check, code=78))

    def test_two_sinks_of_one_file_are_refused(self):
        both = ("--sink", f"file:{self.path}", "--sink", f"file:{self.dotted}")
        self.assert_refused(*both)
        self.assertFalse(self.path.exists())
        self.path.touch()
        self.assert_refused(*both)
        for link in (os.link, os.symlink):
            other = self.folder / "other"
            link(self.path, other)
            self.assert_refused("--sink", f"file:{self.path}", "--sink", f"file:{other}")
            other.unlink()
        self.assert_refused("--sink", f"file:{self.path}?rotate_size=1MiB", "--sink",
                            f"file:{self.dotted}?rotate_size=1MiB")
        self.assert_refused("--sink", f"file:{self.folder}/%Y.x", "--sink",
                            f"file:{self.folder}/./%Y.x")
        # Any two sinks are compared, not only each with the first.
        self.assert_refused("--sink", f"file:{self.folder}/b", *both)
        self.run_to_end("--check", "--listen", RIEMANN, "--sink", f"file:{self.path}", "--sink",
                        f"file:{self.folder}/b", "--sink", f"file:{self.folder}/%Y.x", "--sink",
                        f"file:{self.folder}/%m.x", ledger=None)

    def two_links(self):
        """A link to a link to a file that does not exist. Returns the first link."""
        (self.folder / "between").symlink_to("./a")
        link = self.folder / "link"
        link.symlink_to(self.folder / "between")
        return link

    def test_a_link_to_a_file_that_is_not_there_is_refused_by_the_start(self):
        self.assertIn("use the same file", self.refused(
            "--listen", RIEMANN, "--sink", f"file:{self.two_links()}", "--sink",
            f"file:{self.path}", code=78))

    @not_on_windows("only an open file is known there by whatever leads to it")
    def test_a_link_to_a_file_that_is_not_there_is_refused_by_a_check(self):
        link = self.two_links()
        for other in (self.path, self.folder / "between"):
            self.assert_refused("--sink", f"file:{link}", "--sink", f"file:{other}")
        self.assertFalse(self.path.exists())

    def test_other_parts_that_use_the_file_of_a_sink_are_refused(self):
        self.assert_refused("--sink", f"file:{self.path}", "--dead-letter", f"file:{self.dotted}")
        capture = self.folder / "a.pcap"
        program = self.start("--listen", RIEMANN, "--sink", f"file:{capture}?format=pcap")
        program.stop()
        self.assert_refused("--listen", f"pcap:{capture}?schema=riemann", "--sink",
                            f"file:{self.folder}/./a.pcap?format=pcap")

    def test_a_sink_of_a_file_that_the_configuration_reads_is_refused(self):
        schemas = self.folder / "schemas"
        schemas.mkdir()
        own, inside = self.folder / "own.proto", schemas / "x.proto"
        text = 'syntax = "proto3"; message Own { double value = 1; }\n'
        for each in (own, inside):
            each.write_text(text, encoding="ascii")
        kept = "udp://127.0.0.1:0?schema="
        for source, written in ((own, own), (own, f"{self.folder}/./own.proto"),
                                (schemas, inside), (schemas, schemas / "new.proto")):
            said = self.refused("--listen", f"{kept}{source}&message=Own&value=value", "--sink", f"file:{written}", "--check",
                                code=78)
            self.assertIn("(schema=) and", said)
            self.refused("--listen", f"{kept}{source}&message=Own&value=value", "--sink", f"file:{written}", code=78)
            self.refused("--listen", f"{kept}{source}&message=Own&value=value", "--dead-letter", f"file:{written}", code=78)
        self.assertEqual({each.read_text(encoding="ascii") for each in (own, inside)}, {text})
        self.assertFalse((schemas / "new.proto").exists())
        self.run_to_end("--check", "--listen", f"{kept}{schemas}&message=Own&value=value", "--sink",
                        f"file:{schemas}/x.json", "--sink", f"file:{self.folder}/y.proto",
                        ledger=None)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_so_is_a_sink_of_the_configuration_or_of_a_file_that_it_names(self):
        config, more = self.folder / "self.yaml", self.folder / "more.yaml"
        for written in (config, more):
            text = f"files: [more.yaml]\nlisteners: [\"{RIEMANN}\"]\nsinks:\n" \
                   f"  - to: file:{written}\n"
            config.write_text(text, encoding="ascii")
            more.write_text("memory: 64MiB\n", encoding="ascii")
            for check in ((), ("--check",)):
                said = self.refused("--config", config, *check, code=78)
                self.assertIn("--config and", said)
                self.assertIn("self.yaml:4:", said)
            self.assertEqual(config.read_text(encoding="ascii"), text)

    @unittest.skipUnless(SENDS_HTTP, "this program was built without HTTP")
    def test_so_is_a_sink_of_a_key_s_file(self):
        token = self.folder / "token"
        token.write_text("secret\n", encoding="ascii")
        self.assertIn("(token_file=) and", self.refused(
            "--listen", RIEMANN, "--sink",
            f"http://127.0.0.1:9/?format=influx&token_file={token}", "--sink", f"file:{token}",
            code=78))
        self.assertEqual(token.read_text(encoding="ascii"), "secret\n")

    @not_on_windows("the control socket is not a file there")
    def test_so_is_the_control_socket(self):
        self.assert_refused("--sink", f"file:{self.path}", "--control", f"unix:{self.dotted}")

    @unittest.skipUnless(SENDS_HTTP, "this program was built without HTTP")
    def test_so_are_two_spills(self):
        spills = [f"http://127.0.0.1:9/{each}?format=influx&spill={self.folder}{dot}/spill"
                  for each, dot in enumerate(("", "/."))]
        self.assert_refused("--sink", spills[0], "--sink", spills[1])

    @not_on_windows("Wine does not say which file of Linux standard output is")
    def test_standard_output_may_be_that_file(self):
        with open(self.path, "ab") as there:
            done = subprocess.run(command(SLUICE, "--listen", RIEMANN, "--sink", "stdout:", "--sink",
                                          f"file:{self.path}"), stdout=there, check=False,
                                  stderr=subprocess.PIPE, timeout=DEADLINE)
        self.assertEqual(done.returncode, 78)
        self.assertIn(b"use the same file", done.stderr)

    def test_a_name_that_a_template_may_have_is_refused(self):
        (self.folder / "here").symlink_to(".")
        (self.folder / "more").mkdir()
        template = f"file:{self.folder}/%{{source}}.x"
        rotated = f"file:{self.folder}/all.x?rotate_size=1MiB"
        for sinks in ((template + "?rotate_size=1MiB&keep_size=1MiB", f"file:{self.folder}/all.x"),
                      (f"file:{self.folder}/here/all.x", template),
                      (template, f"file:{self.folder}/%{{schema}}.x"),
                      (f"file:{self.folder}/%F.x", f"file:{self.folder}/%Y-%m-%d.x?format=influx"),
                      (f"file:{self.folder}/%{{source}}/a.x", f"file:{self.folder}/more/%{{schema}}.x"),
                      (rotated, f"file:{self.folder}/all.x.part"),
                      (rotated, f"file:{self.folder}/./all.3.x")):
            self.assert_refused("--sink", sinks[0], "--sink", sinks[1])
        self.assert_refused("--sink", template, "--dead-letter", f"file:{self.folder}/dead.x")
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["here", "more"])
        self.run_to_end("--check", "--listen", RIEMANN, "--sink", template, "--sink",
                        f"file:{self.folder}/all.y", "--sink", f"file:{self.folder}/more/all.x",
                        "--dead-letter", f"file:{self.folder}/more/dead.x", ledger=None)

    @not_on_windows("the control socket is not a file there")
    def test_so_is_the_name_of_a_control_socket(self):
        self.assert_refused("--sink", f"file:{self.folder}/%{{source}}.x", "--control",
                            f"unix:{self.folder}/control.x")

    @unittest.skipUnless(SENDS_HTTP, "this program was built without HTTP")
    def test_so_is_the_name_of_a_spill(self):
        self.assert_refused("--sink", f"file:{self.folder}/%{{source}}.x", "--sink",
                            f"http://127.0.0.1:9/?format=influx&spill={self.folder}/spill.x")

    @not_on_windows(NO_FIFO)
    def test_so_are_two_names_of_a_pipe(self):
        for other in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"):
            self.assert_refused("--sink", "stdout:", "--sink", f"file:{other}?view=message")
        os.mkfifo(self.path)
        link = self.folder / "link"
        link.symlink_to(self.path)
        self.assert_refused("--sink", f"file:{self.path}", "--sink", f"file:{link}")
        self.run_to_end("--check", "--listen", RIEMANN, "--sink", "file:/dev/null", "--sink",
                        "stdout:", stdout=subprocess.DEVNULL, ledger=None)

    @not_on_windows(NO_FIFO)
    def test_a_pipe_is_not_replaced_by_files(self):
        os.mkfifo(self.path)
        link = self.folder / "link"
        link.symlink_to("/proc/self/fd/1")
        for sink in (f"{self.path}?rotate_size=64KiB", f"{link}?compress=gzip",
                     "/dev/stdout?compress=gzip"):
            for check in ((), ("--check",)):
                with self.subTest(sink=sink, check=check):
                    self.assertIn("is not a regular file", self.refused(
                        "--listen", RIEMANN, "--sink", f"file:{sink}", *check, code=73))
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["a", "link"])

    @not_on_windows(NO_FIFO)
    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_to_another_name_of_a_pipe_ends_the_first_sink_first(self):
        """The pipe is full, so the first sink stops inside a line."""
        os.mkfifo(self.path)
        link = self.folder / "link"
        link.symlink_to(self.path)
        reading = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        kept = os.open(self.path, os.O_WRONLY)  # keeps a writer between the two sinks
        config = self.folder / "config.yaml"
        text = f"stop-timeout: 30s\nlisteners: [\"{RIEMANN}\"]\nsinks: "
        config.write_text(f"{text}[\"file:{self.path}\"]\n", encoding="ascii")
        program = self.start("--config", config)
        sender = self.sender(program)
        sender.send_all([metric(value) for value in range(1000)])
        config.write_text(f"{text}[\"file:{link}\"]\n", encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("1 come, 1 go|1 added, 1 removed")
        sender.send_all([metric(value) for value in range(1000, 2000)], before=1000)
        os.set_blocking(reading, True)
        lines = []
        with open(reading, "rb") as pipe:
            while len(lines) < 2000:
                lines.append(pipe.readline())
            os.close(kept)
            program.stop()
        self.assertEqual([parse_json(line)["value"] for line in lines], list(range(2000)))

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_to_such_a_name_is_refused(self):
        config = self.folder / "config.yaml"
        text = f"listeners: [\"{RIEMANN}\"]\nsinks: [\"file:{self.path}.x\""
        config.write_text(f"{text}, \"file:{self.folder}/%{{source}}.y\"]\n", encoding="ascii")
        program = self.start("--config", config)
        config.write_text(f"{text}, \"file:{self.folder}/%{{source}}.x?keep=1&rotate_size=1MiB\"]\n",
                          encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("use the same file")
        self.sender(program).send_all([metric(1)])
        program.stop()
        self.assertEqual(len(read_lines(f"{self.path}.x")), 1)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_may_write_the_same_names_as_another_template(self):
        config = self.folder / "config.yaml"
        text = f"listeners: [\"{RIEMANN}\"]\nsinks: "
        config.write_text(f"{text}[\"file:{self.folder}/%Y.x\"]\n", encoding="ascii")
        program = self.start("--config", config)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        config.write_text(f"{text}[\"file:{self.folder}/%{{schema}}.x\"]\n", encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("1 come, 1 go|1 added, 1 removed")
        sender.send_all([metric(2)], before=1)
        program.stop()
        written = [read_lines(each) for each in self.folder.glob("*.x")]
        self.assertEqual(sorted(line["value"] for lines in written for line in lines), [1, 2])

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_that_names_it_twice_is_refused(self):
        config = self.folder / "config.yaml"
        text = f"listeners: [\"{RIEMANN}\"]\nsinks: [\"file:{self.path}\""
        config.write_text(f"{text}]\n", encoding="ascii")
        program = self.start("--config", config)
        config.write_text(f"{text}, \"file:{self.dotted}\"]\n", encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("use the same file")
        self.sender(program).send_all([metric(1)])
        program.stop()
        self.assertEqual(len(read_lines(self.path)), 1)

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_may_name_it_otherwise(self):
        config = self.folder / "config.yaml"
        text = f"listeners: [\"{RIEMANN}\"]\nsinks: "
        config.write_text(f"{text}[\"file:{self.path}\"]\n", encoding="ascii")
        program = self.start("--config", config)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        config.write_text(f"{text}[\"file:{self.dotted}\"]\n", encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log("1 come, 1 go|1 added, 1 removed")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.path)], [1, 2])


if __name__ == "__main__":
    unittest.main()
