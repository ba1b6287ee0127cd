"""Configuration files of Windows: paths with drives and backslashes, CRLF, a byte order mark, and
files that cannot be read."""
import os
import subprocess
import threading
import unittest

from built import command
from drive import on_drive
from protobuf import metric
from sluice_program import CHANGED, ProgramTest, read_lines, wait_for_bytes
from test_config import READS_FILES
from test_reload import REFUSED

LISTENERS = ["listeners:", "  - address: udp://127.0.0.1:0", "    schema: riemann"]


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class WindowsConfig(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "sluice.yaml"
        self.kept = self.folder / "kept"

    def write(self, *lines, name="sluice.yaml", line_end="\r\n", form="utf-8"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes("".join(line + line_end for line in lines).encode(form))
        return path

    def to(self, path):
        return ["sinks:", f"  - to: file:{path}", "    format: json"]

    def receive(self, program, *values):
        self.sender(program).send_all([metric(value) for value in values])

    def values(self, path):
        return [line["value"] for line in read_lines(path)]

    def hold(self, path):
        """Starts another program, which has the file open exclusively."""
        process = subprocess.Popen(command(os.environ["TEST_HOLD"], path, "exclusively"),
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


class Paths(WindowsConfig):
    def test_they_have_a_drive_and_either_separator_quoted_or_not(self):
        kept = on_drive(self.kept)
        for number, text in enumerate((kept, f"Z:{self.kept}", f"'{kept}'",
                                       '"' + kept.replace("\\", "\\\\") + '"')):
            scheme = "file:"
            if text[0] in "'\"":
                text, scheme = f"{text[0]}{scheme}{text[1:]}", ""
            self.write(*LISTENERS, "sinks:", f"  - to: {scheme}{text}")
            program = self.start("--config", on_drive(self.file))
            self.receive(program, number)
            program.stop()
        self.assertEqual(self.values(self.kept), [0, 1, 2, 3])

    def test_a_backslash_in_double_quotes_is_an_escape_of_yaml(self):
        self.write(*LISTENERS, "sinks:", '  - to: "file:Z:\\logs\\x"')
        said = self.refused("--check", "--config", self.file, code=78)
        self.assertIn(f"{self.file}:5:17: not valid YAML: found unknown escape character", said)
        self.assertIn('begins an escape: write a path with "/", or in single ones', said)

    def test_relative_paths_of_files_begin_at_the_configuration(self):
        self.write("files:", "  - conf.d\\", "  - other/sink.yml", *LISTENERS)
        self.write(*self.to(self.kept), name="conf.d/a.yaml")
        self.write(*self.to(self.folder / "more"), name="other/sink.yml")
        for config, folder in (("sluice.yaml", self.folder), (on_drive(self.file), "/")):
            program = self.start("--config", config, cwd=folder)
            self.receive(program, 1)
            program.stop()
        self.assertEqual(self.values(self.kept), [1, 1])
        self.assertEqual(self.values(self.folder / "more"), [1, 1])

    def test_other_relative_paths_begin_where_the_program_is_started(self):
        self.write(*LISTENERS, *self.to("logs\\kept"))
        (self.folder / "in" / "logs").mkdir(parents=True)
        program = self.start("--config", on_drive(self.file), cwd=self.folder / "in")
        self.receive(program, 1)
        program.stop()
        self.assertEqual(self.values(self.folder / "in" / "logs" / "kept"), [1])

    def test_names_may_be_of_any_script(self):
        path = self.write(*LISTENERS, *self.to(self.folder / "Käse" / "данные"),
                          name="Käse/\U0001f321.yaml")
        program = self.start("--config", on_drive(path))
        self.receive(program, 1)
        program.stop()
        self.assertEqual(self.values(self.folder / "Käse" / "данные"), [1])

    def test_what_a_path_may_not_contain_is_named_with_its_place(self):
        self.write(*LISTENERS, "sinks:", "  - to: file:Z:logs\\x")
        self.assertIn(f"{self.file}:5:", self.refused("--check", "--config", self.file, code=78))
        self.assertIn("a drive must be followed by a separator",
                      self.refused("--check", "--config", self.file, code=78))


class Texts(WindowsConfig):
    def test_line_ends_and_marks_of_windows_change_nothing(self):
        lines = [*LISTENERS, *self.to(self.kept)]
        for form in ("utf-8", "utf-8-sig", "utf-16"):
            for line_end in ("\n", "\r\n"):
                self.write(*lines, line_end=line_end, form=form)
                program = self.start("--config", self.file)
                self.receive(program, 1)
                program.stop()
                self.write(*lines, "    formta: json", line_end=line_end, form=form)
                self.assertIn(f'{self.file}:7:5: unknown key "formta"',
                              self.refused("--check", "--config", self.file, code=78))
        self.assertEqual(self.values(self.kept), [1] * 6)

    def test_what_is_printed_is_read_back(self):
        self.write(*LISTENERS, *self.to(on_drive(self.kept)))
        program, _ = self.run_to_end("--print-config", "--config", self.file, ledger=None)
        printed = b"".join(program.stdout.lines())
        self.assertIn(b"  - address: udp://127.0.0.1:0 # " + os.fsencode(self.file) + b":2", printed)
        self.file.write_bytes(printed)
        self.run_to_end("--check", "--config", self.file, ledger=None)


class Unreadable(WindowsConfig):
    """The exit code is 78, as on other systems. A running program keeps its configuration."""

    def assert_refused(self, why, path=None):
        for check in ((), ("--check",)):
            said = self.refused("--config", path or self.file, *check, code=78)
            self.assertIn(f"{path or self.file}: cannot be opened: ", said)
            self.assertIn(why, said)

    def test_a_file_that_is_not_there_and_a_folder(self):
        self.assert_refused("(error 2)")
        self.assert_refused("(error 3)", self.folder / "none" / "x.yaml")
        self.assert_refused("it is a folder", self.folder)

    def test_a_device(self):
        self.assertIn("a device", self.refused("--config", "nul", code=78))

    @unittest.skipIf(os.geteuid() == 0, "Wine's root may read every file")
    def test_a_file_without_permission(self):
        self.write(*LISTENERS)
        self.file.chmod(0)
        self.assert_refused("(error 5)")

    def test_a_file_that_another_program_has_for_itself(self):
        self.write(*LISTENERS, *self.to(self.kept))
        holder = self.hold(self.file)
        self.assert_refused("(error 32)")
        self.let_go(holder)
        self.run_to_end("--check", "--config", self.file, ledger=None)
        program = self.start("--config", self.file)
        self.write(*LISTENERS, *self.to(self.kept), f"  - file:{self.folder}/more")
        holder = self.hold(self.file)
        program.ask_to_reload()
        program.wait_for_log(REFUSED + r".*sluice\.yaml: cannot be opened: .*\(error 32\)")
        self.receive(program, 1)
        self.let_go(holder)
        program.ask_to_reload()
        program.wait_for_log(CHANGED)
        self.receive(program, 2)
        program.stop()
        self.assertEqual(self.values(self.kept), [1, 2])
        self.assertEqual(self.values(self.folder / "more"), [2])

    def test_a_further_file_that_another_program_has_for_itself_is_named_with_its_place(self):
        self.write("files:", "  - conf.d", *LISTENERS)
        part = self.write(*self.to(self.kept), name="conf.d/a.yaml")
        self.hold(part)
        said = self.refused("--config", self.file, code=78)
        self.assertIn(f"{self.file}:2:5: {part}: cannot be opened: ", said)
        self.assertIn("(error 32)", said)

    def test_a_file_that_changes_while_it_is_read_is_taken_or_refused_and_nothing_is_lost(self):
        """A writer that does not replace the file: a reload reads a part of the old content and a
        part of the new one."""
        good = "".join(line + "\r\n" for line in [
            *LISTENERS, *self.to(self.kept), *(f"  - file:{self.folder}/more.{number}"
                                               for number in range(20)), "memory: 256MiB"])
        contents = [good.encode(), good.replace("json", "josn").replace("memory", "memoyr").encode()]
        self.file.write_bytes(contents[0])
        program = self.start("--config", self.file)
        flood = self.flood(program, metric)
        over = threading.Event()

        def rewrite():
            with open(self.file, "r+b", buffering=0) as file:
                while not over.is_set():
                    for content in contents:
                        for at in range(0, len(content), 50):
                            file.seek(at)
                            file.write(content[at:at + 50])
        writer = threading.Thread(target=rewrite, daemon=True)
        writer.start()
        outcomes = f"{CHANGED}|{REFUSED}"
        for number in range(1, 31):
            program.ask_to_reload()
            program.wait_for_log(outcomes, number)
        over.set()
        writer.join()
        self.write(*LISTENERS, *self.to(self.kept), "memory: 256MiB")
        program.ask_to_reload()
        program.wait_for_log(outcomes, 31)
        flood.end()
        program.wait_for_received(flood.sent)
        ledger = program.stop()
        refusals = [line for line in program.said() if REFUSED in line]
        for line in refusals:
            self.assertIn(str(self.file), line)
        listener, kept = ledger["listeners"][0], self.values(self.kept)
        self.assertEqual(listener["received"] + listener["kernel_drops"], flood.sent)
        self.assertEqual(len(kept), listener["messages"])
        self.assertEqual(kept, sorted(set(kept)))
        for sink in ledger["sinks"]:
            self.assertEqual(len(self.values(sink["name"].removeprefix("file:"))), sink["written"])


if __name__ == "__main__":
    unittest.main()
