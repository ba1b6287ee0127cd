"""Modes of the files, folders and sockets that the program creates, with any umask."""
import os
import re
import shutil
import stat
import unittest

import file_kinds
from built import nothing_on_windows
from ports import free_port
from protobuf import metric
from file_kinds import KINDS, MAKER, MAKERS, MOMENTARY, SYSTEM_CALL, SYSTEM_CALLS, Everything
from sluice_program import RIEMANN, ProgramTest, wait_until

nothing_on_windows("files there have no modes")


class Modes(ProgramTest):
    def start_with(self, umask, sinks, keys=""):
        """Starts the program with this umask and everything that creates files. Waits until they
        exist."""
        program = self.start(
            "--listen", RIEMANN, *sinks, "--dead-letter", f"file:{self.folder}/dead.pcap?rate=100{keys}",
            "--control", f"unix:{self.folder}/control", preexec_fn=lambda: os.umask(umask))
        self.sender(program).send_all([metric(1), b"\xff"])
        program.wait_for_received(2)
        return program

    def modes(self):
        """The mode of each file and folder, by its name."""
        return {str(path.relative_to(self.folder)): f"{stat.S_IMODE(path.lstat().st_mode):04o}"
                for path in self.folder.rglob("*")}

    def check_data(self, umask, mode, folder, data):
        """Checks the modes of data files, and of a folder for them, that were created with
        mode=MODE."""
        with self.subTest(f"umask {umask:03o}, mode {mode}"):
            sinks = ("--sink", f"file:{self.folder}/plain?format=json{mode}",
                     "--sink", f"file:{self.folder}/%{{schema}}/rotated?rotate_size=1MiB{mode}")
            self.start_with(umask, sinks, mode).stop()
            found = self.modes()
            self.assertEqual(
                {name: found[name] for name in ("plain", "riemann", "riemann/rotated",
                                                "dead.pcap")},
                {"plain": data, "riemann": folder, "riemann/rotated": data, "dead.pcap": data})
            for name in ("riemann/rotated", "plain", "dead.pcap"):
                (self.folder / name).unlink()
            (self.folder / "riemann").rmdir()

    def test_data_are_for_the_group_to_read_as_far_as_umask_allows(self):
        self.check_data(0o000, "", "0750", "0640")
        self.check_data(0o022, "", "0750", "0640")
        self.check_data(0o077, "", "0700", "0600")

    def test_a_mode_that_is_given_is_set_whatever_the_umask(self):
        self.check_data(0o000, "&mode=0600", "0700", "0600")
        self.check_data(0o077, "&mode=0664", "0700", "0664")
        self.check_data(0o022, "&mode=444", "0755", "0444")

    def test_a_file_that_is_there_keeps_its_mode(self):
        plain = self.folder / "plain"
        plain.write_bytes(b"")
        plain.chmod(0o604)
        self.start("--listen", RIEMANN, "--sink", f"file:{plain}?mode=0600").stop()
        self.assertEqual(self.modes()["plain"], "0604")

    def test_a_link_to_a_file_that_is_not_there_makes_it(self):
        (self.folder / "link").symlink_to("target")
        self.start("--listen", RIEMANN, "--sink", f"file:{self.folder}/link?mode=0640").stop()
        self.assertEqual(self.modes()["target"], "0640")

    def test_a_spill_and_the_control_socket_are_only_the_users(self):
        spill = self.folder / "spill"
        program = self.start_with(0o000, (
            "--sink", f"http://127.0.0.1:{free_port()}/?flush_interval=20ms&spill={spill}"))
        wait_until(lambda: list(spill.glob("*.seg")), "a segment is there")
        self.assertEqual(self.modes()["control"], "0600")
        program.stop()
        found = self.modes()
        self.assertEqual({mode for name, mode in found.items() if name.startswith("spill/")},
                         {"0600"}, found)
        self.assertEqual(found["spill"], "0700")


class Kinds(ProgramTest):
    def check_found(self, umask, found, kinds):
        """Asserts that each path is of one of these kinds, and has its mode and this user. Returns
        the kinds."""
        seen = set()
        for path, status in found.items():
            names = [name for name in kinds if KINDS[name].pattern.fullmatch(path)]
            self.assertEqual(len(names), 1, f"{path} is of the kinds {names}: see file_kinds.py")
            kind = KINDS[names[0]]
            self.assertEqual(f"{stat.S_IMODE(status.st_mode):04o}", f"{kind.mode_with(umask):04o}",
                             f"mode of {path} with umask {umask:03o}")
            self.assertEqual(stat.S_ISDIR(status.st_mode), kind.folder, path)
            self.assertEqual((status.st_uid, status.st_gid), (os.geteuid(), os.getegid()), path)
            seen.add(names[0])
        return seen

    def check_everything(self, umask):
        everything = Everything(self, umask)
        seen = self.check_found(umask, everything.found(), KINDS)
        everything.program.stop()
        kept = {name for name, kind in KINDS.items() if kind.kept}
        self.assertEqual(self.check_found(umask, everything.found(), kept), kept)
        self.assertEqual(seen | kept, set(KINDS))

    def test_each_has_its_mode_and_its_user_with_any_umask(self):
        for umask in (0o000, 0o022, 0o077):
            with self.subTest(f"umask {umask:03o}"):
                self.check_everything(umask)
                for path in self.folder.iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_each_place_in_the_code_that_makes_files_is_listed_with_its_kinds(self):
        calls, makers = {}, set()
        for path, text in file_kinds.sources():
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            count = len(SYSTEM_CALL.findall(text))
            calls.update({path: count} if count else {})
            if MAKER.search(text) and path not in SYSTEM_CALLS:
                makers.add(path)
        self.assertEqual(calls, SYSTEM_CALLS)
        self.assertEqual(makers, set(MAKERS))
        known = set(KINDS) | MOMENTARY | ({"state of sealed datagrams", "lock of a state"})
        self.assertEqual(set().union(*MAKERS.values()) | {"reserved name"}, known)


if __name__ == "__main__":
    unittest.main()
