"""A configuration in several files: `files:` and folders, with the position of each setting."""
import unittest

from built import WINDOWS
from sluice_program import RIEMANN
from test_config import READS_FILES, ConfigTest
from test_tests import GAUGE, LINE, Testing


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class MoreFiles(ConfigTest):
    def part(self, name, *lines):
        path = self.folder / "conf.d" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def main(self, *lines):
        return self.write("files:", "- conf.d", *lines)

    def test_the_files_of_a_folder_are_read_in_the_order_of_their_names(self):
        self.main("listeners:", "- udp://127.0.0.1:1001")
        third = self.part("20-c.yaml", "listeners:", "- udp://127.0.0.1:1003")
        second = self.part("10-b.yml", "", "listeners:", "- udp://127.0.0.1:1002", "memory: 40MiB")
        for name in ("30-no.yaml~", ".40-no.yaml", "README"):
            self.part(name, "no: configuration")
        printed = self.printed("--config", self.file)
        places = [line.split("# ")[1] for line in printed.splitlines() if "udp://" in line]
        self.assertEqual(places, [f"{self.file}:4", f"{second}:3", f"{third}:2"])
        self.assertIn(f"memory: 40MiB # {second}:4\n", printed)

    def test_a_file_is_named_by_itself_too_seen_from_the_one_that_names_it(self):
        self.write("files:", "- other.yaml", f"- {self.folder}/conf.d/last.yaml")
        (self.folder / "other.yaml").write_text("memory: 40MiB\n")
        self.part("last.yaml", "ledger: json")
        printed = self.printed("--config", self.file)
        self.assertIn(f"memory: 40MiB # {self.folder}/other.yaml:1\n", printed)
        self.assertIn(f"ledger: json # {self.folder}/conf.d/last.yaml:1\n", printed)

    def test_an_option_is_given_in_one_file_alone(self):
        self.main("memory: 40MiB")
        part = self.part("a.yaml", "ledger: json", "memory: 30MiB")
        self.assertIn(f'{part}:2:1: "memory" is given twice; first at {self.file}:3',
                      self.refused("--check", "--config", self.file, code=78))
        self.part("a.yaml", "ledger: json", "ledger: text")
        self.assertIn(f'{part}:2:1: "ledger" is given twice; first on line 1',
                      self.refused("--check", "--config", self.file, code=78))

    def test_what_is_wrong_in_one_of_them_is_reported_with_its_place(self):
        self.main()
        part = self.part("a.yaml", "sinks:", "- to: stdout", "  formt: json")
        said = self.refused("--check", "--config", self.file, code=78)
        self.assertIn(f'{part}:3:3: unknown key "formt"; did you mean "format"?', said)
        part = self.part("a.yaml", "sinks:", "- to: stdout", "  format: jsn")
        self.assertIn(f"{part}:3:11: ", self.refused("--config", self.file, code=78))
        part = self.part("a.yaml", "sinks:", f"- file:{self.folder}/no/lines")
        self.assertIn(f"{part}:2:3: ", self.refused("--check", "--config", self.file, code=73))

    def test_two_files_cannot_have_one_address(self):
        self.main("listeners:", "- udp://127.0.0.1:1001")
        part = self.part("a.yaml", "listeners:", "- udp://127.0.0.1:1001")
        self.assertIn(f"{part}:2:3: an earlier listener has this address already",
                      self.refused("--check", "--config", self.file, code=78))

    def test_only_the_first_file_names_more(self):
        self.main()
        part = self.part("a.yaml", "files:", "- b.yaml")
        self.assertIn(f'{part}:1:1: only the file of --config can name more "files"',
                      self.refused("--check", "--config", self.file, code=78))

    def test_a_file_that_is_not_there(self):
        for line, column in (("- none.yaml", 3), ("  none.yaml", 3)):
            self.write("files:", line)
            self.assertIn(f"{self.file}:2:{column}: {self.folder}/none.yaml: cannot be opened",
                          self.refused("--check", "--config", self.file, code=78))

    def test_a_mistake_that_shows_later_has_its_place_in_the_part(self):
        self.main()
        for line, code, says in (
                ("memory: 1MiB", 78, "1:9: memory 1MiB is too small"),
                (f"control: unix:{self.folder}/no/x", *(
                    (78, f'1:10: control "unix:{self.folder}/no/x" is not of the form pipe:NAME') if WINDOWS
                    else (73, f"1:10: control unix:{self.folder}/no/x: "))),
                (f"dead-letter: file:{self.folder}/no/x", 73, "1:14: dead-letter: cannot write to "),
                ("user: no-such-user", 78, "1:7: user: not on Windows; " if WINDOWS
                 else "1:7: user no-such-user: there is no such user"),
                ("receiver-cpus: 1023", 78, "1:16: receiver-cpus: processor 1023 does not exist")):
            part = self.part("a.yaml", line)
            for check in ((), ("--check",)):
                with self.subTest(line=line, check=check):
                    said = self.refused("--listen", RIEMANN, "--config", self.file, *check, code=code)
                    self.assertIn(f"error: {part}:{says}", said)
            part.unlink()

    def test_a_mistake_of_the_environment_names_its_variable(self):
        self.variable("SLUICE_MEMORY", "1MiB")
        said = self.refused("--check", "--listen", RIEMANN, code=78)
        self.assertIn("error: SLUICE_MEMORY: memory 1MiB is too small", said)

    def test_a_folder_may_be_empty(self):
        (self.folder / "conf.d").mkdir()
        self.run_to_end("--check", "--config", self.main(), ledger=None)

    def test_what_is_no_list_of_paths(self):
        for lines, why in ((("files: {a: b}",), ":1:8: \"files\" is a list of paths"),
                           (("files: conf.d/*.yaml",), ":1:8: a pattern is not a path; name the folder"),
                           (("files:", "- [a]"), ":2:3: an item of \"files\" is the path"),
                           (("files: []", "files: []"), ":2:1: \"files\" is given twice")):
            self.write(*lines)
            self.assertIn(f"{self.file}{why}",
                          self.refused("--check", "--config", self.file, code=78))

    def test_a_reload_finds_new_files_and_misses_those_that_are_gone(self):
        self.leave_sandbox()
        self.main("listeners:", f"- {RIEMANN}", "sinks:", "- to: stdout")
        self.part("0.yaml", "")
        program = self.start("--config", self.file)
        self.assertIn("c.yaml and 1 more file, memory", program.said()[0])
        sink = self.part("a.yaml", "sinks:", f"- file:{self.lines}")
        program.ask_to_reload()
        program.wait_for_log("sinks: 1 kept, 1 added, 0 removed")
        self.assertTrue(self.lines.exists())
        sink.unlink()
        program.ask_to_reload()
        program.wait_for_log("sinks: 1 kept, 0 added, 1 removed")
        program.wait_for_ledger(lambda ledger: ledger["sinks"][1]["retired"], "a retired sink")
        self.part("a.yaml", "memory: 1MiB")
        program.ask_to_reload()
        program.wait_for_log("a.yaml:1:9: memory 1MiB is too small")
        self.part("a.yaml", "nonsense: 1")
        program.ask_to_reload()
        program.wait_for_log("a.yaml:1:1: unknown option \"nonsense\"")
        program.stop()


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class TestsInThem(Testing):
    def whole(self, *tests):
        """A configuration whose listener is in one file and its sink in another."""
        (self.folder / "conf.d").mkdir(exist_ok=True)
        self.file("listeners:\n- address: udp://127.0.0.1:5555\n  schema: riemann\n" +
                  "".join(tests), "conf.d/in.yaml")
        self.file("sinks:\n- to: stdout\n" + "".join(tests), "conf.d/out.yaml")
        return self.file("files:\n- conf.d\n")

    def test(self, line=LINE):
        return (f"tests:\n- name: a gauge\n  input:\n    json: '{GAUGE}'\n"
                f"  expect:\n  - sink: stdout\n    lines:\n    - '{line}'\n")

    def test_tests_of_all_files_are_run_with_the_whole_configuration(self):
        said = self.run_tests("--report", "junit", self.whole(self.test())).stdout
        self.assertEqual(said.count("<testcase "), 2)
        self.assertNotIn("<failure", said)

    def test_one_that_fails_is_reported_with_its_file(self):
        said = self.run_tests(self.whole(self.test("else")), code=1).stdout
        for name in ("in.yaml", "out.yaml"):
            self.assertIn(f"conf.d/{name}", said)

    def test_where_none_has_any_it_is_no_file_of_tests(self):
        self.assertIn("no tests in this file or in the files that it names",
                      self.run_tests(self.whole(), code=78).stderr)


if __name__ == "__main__":
    unittest.main()
