"""From `sluice keygen` to records that name their sender: the sealing tools with the collector."""
import os
import subprocess
import unittest

from built import beside, command
from sluice_program import ANY_PORT, CAPTURES, DEADLINE, SLUICE, ProgramTest, read_lines

CAPTURE = CAPTURES / "riemann_cli_v4.pcap"


class Senders(ProgramTest):
    def setUp(self):
        super().setUp()
        self.keys = self.folder / "keys"
        self.out = self.folder / "out.ndjson"

    def add_keys(self, *names):
        """Appends a line of keygen for each name to the keys file."""
        made = [subprocess.run(command(SLUICE, "keygen", *name.split()), check=True,
                               stdout=subprocess.PIPE, timeout=DEADLINE).stdout for name in names]
        with open(os.open(self.keys, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            file.write(b"".join(made))

    def collector(self):
        return self.start("--listen", f"{ANY_PORT}?schema=riemann&framing=sealed&keys={self.keys}",
                          "--sink", f"file:{self.out}")

    def tool(self, name, program, *arguments):
        subprocess.run(command(beside(os.environ["TEST_SEND"], name), "--to",
                               f"udp://127.0.0.1:{program.port()}", *arguments), check=True,
                       stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=DEADLINE)

    def send(self, program, *arguments):
        self.tool("sluice-send", program, "--rate", "2000", "--keys", self.keys, *arguments)

    def check_end(self, program, decoded):
        """Asserts that all received datagrams were decoded. Returns the number of lines of each
        sender."""
        program.wait_for_received(decoded)
        listener, = program.stop()["listeners"]
        self.assertEqual((listener["received"], listener["decoded"]), (decoded, decoded))
        found = [line["sender"] for line in read_lines(self.out)]
        return {name: found.count(name) for name in set(found)}

    def test_many_sources_of_one_key_are_one_sender(self):
        self.add_keys("web1")
        program = self.collector()
        for seal in ("encrypted", "authenticated"):
            self.send(program, "--count", "500", "--sources", "20", "--seal", seal)
        self.assertEqual(self.check_end(program, 1000), {"web1": 1000})

    def test_each_key_has_its_name(self):
        self.add_keys("web1", "web2")
        program = self.collector()
        self.send(program, "--count", "3", "--key", "web1")
        self.send(program, "--count", "5", "--key", "web2")
        self.assertEqual(self.check_end(program, 8), {"web1": 3, "web2": 5})

    def test_a_capture_is_sealed_again_in_each_run(self):
        self.add_keys("probe")
        program = self.collector()
        for _ in range(2):
            self.tool("sluice-replay", program, CAPTURE, "--speed", "max", "--keys", self.keys)
        self.assertEqual(set(self.check_end(program, 60)), {"probe"})

    def test_a_sender_goes_on_with_a_new_key_of_its_name(self):
        self.add_keys("web1")
        program = self.collector()
        self.send(program, "--count", "2")
        self.add_keys("--not-before 2026-01-01T00:00:00Z web1")
        program.ask_to_reload()
        program.wait_for_log("senders' keys reloaded")
        self.send(program, "--count", "3")
        self.assertEqual(self.check_end(program, 5), {"web1": 5})


if __name__ == "__main__":
    unittest.main()
