"""sluice-top with a collector on a named pipe: its page without a console, and its tap."""
import subprocess
import threading
import time
import unittest

from built import beside, command
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest, parse_lines


class Top(ProgramTest):
    def setUp(self):
        super().setUp()
        self.address = f"pipe:{self.folder.name}"

    def collector(self, address):
        return self.start("--listen", RIEMANN, "--control", address)

    def top(self, *arguments, code=0):
        done = subprocess.run(command(beside(SLUICE, "sluice-top"), *arguments), timeout=DEADLINE,
                              check=False, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, code, done)
        return done

    def test_its_page_has_the_numbers_of_the_ledger(self):
        program = self.collector(self.address)
        self.sender(program).send_all([metric(value) for value in range(50)])
        program.wait_for_received(50)
        page = self.top("--once", self.address)
        rows = [line.split() for line in page.stdout.decode("ascii").splitlines()]
        self.assertEqual(rows[0], ["sluice-top", self.address])
        heading = next(row for row in rows if row[:1] == ["LISTENERS"])
        listener = next(row for row in rows if row[:1] == [program.names[0]])
        self.assertEqual(dict(zip(heading, listener))["DGRAMS"], "50")
        self.assertEqual(page.stderr, b"")

    def test_without_an_address_it_shows_the_packaged_service(self):
        self.collector("pipe:sluice")
        self.assertIn(b"sluice-top  pipe:sluice", self.top().stdout)

    def test_its_tap_writes_samples_as_they_pass(self):
        program = self.collector(self.address)
        tap = subprocess.Popen(command(beside(SLUICE, "sluice-top"), "--tap", "*", self.address),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        self.addCleanup(tap.communicate)
        self.addCleanup(tap.kill)
        line = []
        reader = threading.Thread(target=lambda: line.append(tap.stdout.readline()))
        reader.start()
        sender = self.sender(program)
        end = time.monotonic() + DEADLINE
        while reader.is_alive() and time.monotonic() < end:  # sends until the tap has begun
            sender.send(metric(1))
            reader.join(0.05)
        tap.kill()
        reader.join()
        self.assertEqual(parse_lines(line[0])[0]["value"], 1)

    def test_an_address_of_another_kind_or_without_a_collector_is_refused(self):
        self.assertIn(b"'unix:x' is not pipe:NAME", self.top("unix:x", code=64).stderr)
        self.assertIn(f"{self.address}: ".encode(), self.top(self.address, code=69).stderr)


if __name__ == "__main__":
    unittest.main()
