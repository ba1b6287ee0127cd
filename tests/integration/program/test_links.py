"""Tests outputs in a folder to which all users can write: the program must not write through a link
of another user."""
import os
import pathlib
import subprocess
import unittest

from built import command, nothing_on_windows, skip
from ports import free_port
from protobuf import metric
from sluice_program import ANY_PORT, RIEMANN, SLUICE, ProgramTest, read_lines

nothing_on_windows("links there need a right that users do not have")
if os.geteuid() != 0:
    skip("needs root, to be several users")

OTHER = 65534
REFUSED = "another user has put this file, or a link on its path, into a folder that all may write to"
STORE = f"http://127.0.0.1:{free_port()}/"


class Links(ProgramTest):
    """A folder that all users can write to, and one of root's, to which another user's links point.
    """

    def setUp(self):
        super().setUp()
        self.shared = self.folder / "shared"
        self.target = self.folder / "target"
        self.target.mkdir(mode=0o700)
        (self.target / "file").write_bytes(b"")
        self.shared.mkdir()

    def share(self, mode):
        """Empties the folder and sets its mode."""
        for path in self.shared.iterdir():
            path.unlink() if path.is_symlink() or not path.is_dir() else path.rmdir()
        self.shared.chmod(mode)

    def plant(self, name, target):
        link = self.shared / name
        link.symlink_to(target)
        os.chown(link, OTHER, OTHER, follow_symlinks=False)

    def untouched(self):
        """Returns true if the folder that the links point to is unchanged."""
        return ([path.name for path in self.target.iterdir()], (self.target / "file").read_bytes()) == (
            ["file"], b"")

    def sealed(self):
        line = subprocess.run(command(SLUICE, "keygen", "one"), capture_output=True, check=True)
        keys = self.folder / "keys"
        with open(os.open(keys, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(line.stdout)
        return f"{ANY_PORT}?schema=riemann&framing=sealed&keys={keys}&state="

    def ways(self):
        """For each kind of output: its arguments, the links to plant, and the exit code."""
        shared, file, folder, new = self.shared, self.target / "file", self.target, self.target / "new"
        sink = ("--listen", RIEMANN, "--sink")
        yield "a file", (*sink, f"file:{shared}/a"), {"a": file}, 73
        yield "a file that is not there", (*sink, f"file:{shared}/a?mode=0600"), {"a": new}, 73
        yield "a folder of a file", (*sink, f"file:{shared}/f/a"), {"f": folder}, 73
        yield "a folder of a file set", (*sink, f"file:{shared}/f/a?rotate_size=1MiB"), {"f": folder}, 73
        yield "dead letters", ("--listen", RIEMANN, "--dead-letter", f"file:{shared}/a"), {"a": file}, 73
        yield "control", ("--listen", RIEMANN, "--control", f"unix:{shared}/f/a"), {"f": folder}, 73
        yield "control's name", ("--listen", RIEMANN, "--control", f"unix:{shared}/a"), {"a": new}, 73
        yield "listener", ("--listen", f"unix:{shared}/f/a?schema=riemann"), {"f": folder}, 69
        yield "listener's name", ("--listen", f"unix:{shared}/a?schema=riemann"), {"a": new}, 69
        yield "a spill", (*sink, f"{STORE}?spill={shared}/f"), {"f": folder}, 73
        yield "a spill's folder", (*sink, f"{STORE}?spill={shared}/f/s"), {"f": folder}, 73
        if "TEST_SODIUM" in os.environ:
            yield "a state's name", ("--listen", self.sealed() + f"{shared}/a"), {"a": new}, 78
            yield "a state's folder", ("--listen", self.sealed() + f"{shared}/f/a"), {"f": folder}, 78

    def test_no_output_is_opened_through_a_link_of_another_user(self):
        for mode in (0o777, 0o1777):  # if the sticky bit is set, the kernel may refuse them
            for what, arguments, links, code in self.ways():
                with self.subTest(what, mode=f"{mode:o}"):
                    self.share(mode)
                    for name, target in links.items():
                        self.plant(name, target)
                    said = self.refused(*arguments, code=code)
                    if "name" not in what:
                        self.assertRegex(said, f"{REFUSED}|Permission denied")
                    self.assertTrue(self.untouched())

    def test_a_folder_made_from_a_record_s_texts_is_not_a_link_of_another_user(self):
        self.share(0o777)
        self.plant("riemann", self.target)
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.shared}/%{{schema}}/a")
        self.sender(program).send_all([metric(1)])
        program.wait_for_log(REFUSED)
        program.stop(code=74)
        self.assertTrue(self.untouched())

    def test_a_file_that_another_user_put_there_gets_no_record(self):
        self.share(0o1777)
        planted = self.shared / "a"
        planted.write_bytes(b"")
        planted.chmod(0o666)
        os.chown(planted, OTHER, OTHER)
        for arguments in (("--sink", f"file:{planted}"), ("--dead-letter", f"file:{planted}")):
            for check in ((), ("--check",)):
                self.assertIn(REFUSED, self.refused("--listen", RIEMANN, *arguments, *check, code=73))
        self.assertEqual(planted.read_bytes(), b"")

    def test_links_of_this_user_and_of_the_folder_s_owner_are_followed(self):
        self.share(0o777)
        (self.shared / "own").symlink_to(self.target)
        os.chown(self.shared, OTHER, OTHER)
        (self.shared / "a").symlink_to(self.target / "a")
        os.chown(self.shared / "a", OTHER, OTHER, follow_symlinks=False)
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.shared}/own/b", "--sink",
                             f"file:{self.shared}/a")
        self.sender(program).send_all([metric(1)])
        program.stop()
        for name in "ab":
            self.assertEqual(len(read_lines(self.target / name)), 1)

    def test_where_only_their_owner_may_write_links_are_followed(self):
        (self.shared / "a").symlink_to(self.target / "a")
        os.chown(self.shared / "a", OTHER, OTHER, follow_symlinks=False)
        program = self.start("--listen", RIEMANN, "--sink", f"file:{self.shared}/a")
        self.sender(program).send_all([metric(1)])
        program.stop()
        self.assertEqual(len(read_lines(pathlib.Path(self.target / "a"))), 1)


if __name__ == "__main__":
    unittest.main()
