"""--threads 1: the receiving thread also runs the sink.

Other scripts, which run a second time with this option, test that it keeps all promises."""
import os
import pathlib
import unittest

from built import not_on_windows
from protobuf import metric
from sluice_program import BURST, CAPTURES, RIEMANN, TELEMETRY, ProgramTest, wait_until

FILLS_A_PIPE = 3000  # lines of more than 200 bytes, far more than the 64 KiB of a pipe


class OneThread(ProgramTest):
    @not_on_windows("Linux tells which threads a process has")
    def test_one_thread_receives_and_writes(self):
        program = self.start("--listen", RIEMANN, "--listen", TELEMETRY, "--threads", "1",
                             listeners=2)
        threads = pathlib.Path(f"/proc/{program.process.pid}/task")

        def names():
            return [(thread / "comm").read_text().strip() for thread in threads.iterdir()]
        self.sender(program).send_all([metric(value) for value in range(BURST)])
        wait_until(lambda: names().count("receiver") == 1, "it has a receiving thread")
        self.assertNotIn("sink", names())
        program.stop()
        self.assertEqual([line["value"] for line in program.output()], list(range(BURST)))

    @not_on_windows("a Linux pipe without a reader")
    def test_it_receives_while_its_reader_stands_still(self):
        reader, writer = os.pipe()
        program = self.start("--listen", RIEMANN, "--threads", "1", "--memory",
                             self.least_memory("--listen", RIEMANN), stdout=writer)
        os.close(writer)
        datagrams = [metric(value) for value in range(FILLS_A_PIPE)]
        ledger = self.sender(program).send_all(datagrams)
        self.assertEqual(ledger["listeners"][0]["decoded"], FILLS_A_PIPE)
        self.assertGreater(ledger["sinks"][0]["in_flight"], 0)
        with open(reader, "rb") as pipe:
            program.ask_to_stop()
            lines = pipe.read().count(b"\n")
        final = program.finish()
        self.assertEqual(final["sinks"][0]["written"], lines)

    def test_what_takes_more_threads_is_refused(self):
        for words, why in (
                (["--sink", "stdout:", "--sink", "file:also"], "allows one sink, not 2"),
                (["--listen", RIEMANN + "&receivers=2"], "receivers= is more than 1"),
                (["--listen", f"pcap:{CAPTURES}/riemann_cli_v4.pcap?schema=riemann"],
                 "a capture has a thread of its own")):
            self.assertIn(why, self.refused("--check", "--threads", "1", *words, code=78))


if __name__ == "__main__":
    unittest.main()
