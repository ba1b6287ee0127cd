"""The state file of sealed datagrams on a disk that is full and later has room again: a small tmpfs
in a mount namespace."""
import subprocess
import time

from namespaces import run_tests
from protobuf import metric
from sealing import AUTHENTICATED, Key, Session, write_keys
from sluice_program import ANY_PORT, DEADLINE, DISK_FULL, ProgramTest, read_lines

DISK_SIZE = 256 * 1024


class FullDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE}", "tmpfs", self.disk],
                       check=True)
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        self.web, self.keys, self.out = Key("web"), self.folder / "keys", self.folder / "lines"
        write_keys(self.keys, self.web)
        self.count = 0

    def begin(self):
        return self.start("--listen", f"{ANY_PORT}?schema=riemann&framing=sealed&keys={self.keys}&"
                          f"state={self.disk}/state", "--sink", f"file:{self.out}")

    def fill(self):
        """Uses all free space. A write of the state that is in progress frees some when it ends."""
        with (self.disk / "ballast").open("ab", buffering=0) as ballast:
            for size in (4096, 1):
                try:
                    while True:
                        ballast.write(bytes(size))
                except OSError:
                    pass

    def send_until(self, program, session, accepted):
        """Sends one datagram after the other until one is accepted or, on a full disk, one is
        refused. Returns the last datagram."""
        sender, end = self.sender(program), time.monotonic() + DEADLINE
        while True:
            if not accepted:
                self.fill()
            before = program.ledger_now()["listeners"][0]
            datagram = session.seal(metric(self.count))
            self.count += 1
            sender.send(datagram)
            after = program.wait_for_received(before["received"] + 1)["listeners"][0]
            if (after["decoded"] > before["decoded"]) == accepted:
                return datagram
            self.assertLess(time.monotonic(), end, f"no datagram is {accepted=}")
            time.sleep(0.05)

    def test_datagrams_are_stale_while_the_disk_is_full_and_none_is_accepted_twice(self):
        program = self.begin()
        session = Session(self.web, AUTHENTICATED)
        first = self.send_until(program, session, True)
        self.send_until(program, session, False)
        program.wait_for_log(f"state: cannot be written: .*{DISK_FULL}.*; "
                             "sealed datagrams are refused as stale")
        (self.disk / "ballast").unlink()
        second = self.send_until(program, session, True)
        received = program.ledger_now()["listeners"][0]["received"]
        self.sender(program).send_all([first, second], received)
        (listener,) = program.stop()["listeners"]
        self.assertEqual(listener["reasons"]["replayed"], 2)
        values = [line["value"] for line in read_lines(self.out)]
        self.assertEqual(len(values), len(set(values)))
        self.assertEqual(len(values), listener["decoded"])

    def test_a_stop_on_a_full_disk_is_reported_and_the_next_start_repeats_nothing(self):
        program = self.begin()
        session = Session(self.web, AUTHENTICATED)
        first = self.send_until(program, session, True)
        self.send_until(program, session, False)
        program.stop()
        self.assertIn("the next start accepts nothing that was sent until now",
                      "\n".join(program.said()))
        self.refused("--listen", f"{ANY_PORT}?schema=riemann&framing=sealed&keys={self.keys}&"
                     f"state={self.disk}/state", "--sink", f"file:{self.out}", code=78)
        (self.disk / "ballast").unlink()
        program = self.begin()
        self.sender(program).send_all([first])
        self.send_until(program, session, True)
        (listener,) = program.stop()["listeners"]
        self.assertEqual((listener["reasons"]["replayed"], listener["decoded"]), (0, 1))
        self.assertGreaterEqual(listener["reasons"]["stale"], 1)


if __name__ == "__main__":
    run_tests("-m", ["mount", "-t", "tmpfs", "tmpfs", "/mnt"])
