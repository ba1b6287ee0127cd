"""Tests the program's resident memory: it is small for a small configuration, and constant over
time."""
import os
import pathlib
import unittest

from metrics_client import SERVES, MetricsClient
from protobuf import metric
from sluice_program import RIEMANN, SLUICE, ProgramTest

MOST = 8 * 1024  # KiB, for a program with one socket and one file


def resident(program):
    """The program's resident memory in KiB."""
    status = pathlib.Path(f"/proc/{program.process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


def page_faults(program):
    """The number of page faults so far."""
    stat = pathlib.Path(f"/proc/{program.process.pid}/stat").read_text(encoding="ascii")
    return int(stat.rpartition(")")[2].split()[7])


def libraries(program):
    """Names of the libraries that are loaded."""
    maps = pathlib.Path(f"/proc/{program.process.pid}/maps").read_text(encoding="utf-8")
    return {pathlib.Path(line.split()[-1]).name.split(".so")[0]
            for line in maps.splitlines() if ".so" in line}


@unittest.skipIf(os.environ["TEST_SANITIZE"], "sanitizers have memory of their own")
class Resident(ProgramTest):
    def start_small(self, *arguments):
        return self.start("--listen", RIEMANN, "--sink", f"file:{self.folder / 'out'}", *arguments)

    def test_a_socket_and_a_file_take_little(self):
        program = self.start_small()
        self.assertLess(resident(program), MOST)
        self.assertFalse({"libssl", "libcrypto", "librdkafka", "libnats"} & libraries(program))

    @unittest.skipUnless(SERVES, "this program serves no metrics")
    def test_serving_metrics_takes_little(self):
        program = self.start_small("--metrics", "127.0.0.1:0")
        client = MetricsClient(program)
        self.assertEqual(client.health()[0], 200)
        for _ in range(10):
            client.page()
        self.assertLess(resident(program), MOST)

    def test_a_stop_takes_hardly_more(self):
        program = self.start_small()
        before = page_faults(program)
        program.process.terminate()
        _, status, usage = os.wait4(program.process.pid, 0)
        program.process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(program.process.returncode, 0)
        self.assertLess(usage.ru_minflt - before, 256, "pages that were touched")

    def test_what_comes_again_and_again_takes_no_more(self):
        program = self.start_small()
        sender = self.sender(program)
        sizes = []
        for number in range(1, 13):
            for _ in range(1000):
                sender.send(metric(1))
            program.wait_for_received(1000 * number)
            program.wait_for_settled(1000 * number)
            sizes.append(resident(program))
        # A sink that was late once keeps a queue with a few more batches.
        self.assertLess(max(sizes[6:]) - max(sizes[:6]), 2 * 1024, f"KiB, {sizes}")
        self.assertLess(max(sizes), MOST)


if __name__ == "__main__":
    unittest.main()
