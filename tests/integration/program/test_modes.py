"""Modes of the files, folders and sockets that the program makes, whatever umask it was given."""
import os
import stat
import unittest

from built import nothing_on_windows
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, wait_until

nothing_on_windows("files there have no modes")


class Modes(ProgramTest):
    def start_with(self, umask, sinks):
        """Starts it with an umask and all that makes files; they are there when it returns."""
        program = self.start(
            "--listen", RIEMANN, *sinks, "--dead-letter", f"file:{self.folder}/dead.pcap",
            "--control", f"unix:{self.folder}/control", preexec_fn=lambda: os.umask(umask))
        self.sender(program).send_all([metric(1), b"\xff"])
        program.wait_for_received(2)
        return program

    def modes(self):
        """The mode of each file and folder, by its name."""
        return {str(path.relative_to(self.folder)): f"{stat.S_IMODE(path.lstat().st_mode):04o}"
                for path in self.folder.rglob("*")}

    def test_data_are_for_others_to_read_as_far_as_umask_allows(self):
        sinks = ("--sink", f"file:{self.folder}/plain",
                 "--sink", f"file:{self.folder}/%{{schema}}/rotated?rotate_size=1MiB")
        for umask, folder, data in ((0o000, "0777", "0644"), (0o027, "0750", "0640")):
            with self.subTest(oct(umask)):
                self.start_with(umask, sinks).stop()
                found = self.modes()
                self.assertEqual(
                    {name: found[name] for name in ("plain", "riemann", "riemann/rotated",
                                                    "dead.pcap")},
                    {"plain": data, "riemann": folder, "riemann/rotated": data,
                     "dead.pcap": data})
                for name in ("riemann/rotated", "plain", "dead.pcap"):
                    (self.folder / name).unlink()
                (self.folder / "riemann").rmdir()

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


if __name__ == "__main__":
    unittest.main()
