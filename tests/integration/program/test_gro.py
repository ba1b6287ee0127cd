"""Tests gro=on, with which the system may put many datagrams of a sender into one buffer. The
records and counts must be the same as without."""
import json
import random
import signal
import socket
import unittest

from built import WINDOWS, not_on_windows
from ports import free_port
from protobuf import metric
from sluice_program import CHANGED, RIEMANN, ProgramTest
from test_config import READS_FILES

UDP_SEGMENT = 103  # linux/udp.h: one call sends many datagrams of that size
PER_CALL = 50
SIZE = len(metric(0.5))

GRO = RIEMANN + "&gro=on"


def numbered(number):
    """Messages of one size, like the segments of a buffer."""
    return metric(number + 0.5)


class Together(ProgramTest):
    def segmenting_sender(self, program, listener=0):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(sender.close)
        sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, SIZE)
        sender.connect(("127.0.0.1", program.port(listener)))
        return sender

    @staticmethod
    def send(sender, numbers):
        for start in range(0, len(numbers), PER_CALL):
            sender.send(b"".join(map(numbered, numbers[start:start + PER_CALL])))

    def assert_written(self, program, numbers):
        lines = program.output()
        self.assertEqual([line["value"] for line in lines],
                         [number + 0.5 for number in numbers])

    @not_on_windows("the system puts no datagrams together")
    def test_every_datagram_is_counted_and_written(self):
        program = self.start("--listen", GRO)
        self.send(self.segmenting_sender(program), range(4000))
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["received"], 4000)
        self.assertEqual(listener["bytes"], 4000 * SIZE)
        self.assertEqual(listener["kernel_drops_unit"], "buffer")
        self.assert_written(program, range(4000))

    @not_on_windows("the system puts no datagrams together")
    def test_datagrams_of_any_size_between_them(self):
        """Single datagrams, some of them empty or malformed, between those of a call with segments,
        whose last one is shorter."""
        program = self.start("--listen", GRO)
        sender = self.segmenting_sender(program)
        alone = self.sender(program)
        self.send(sender, range(100))
        alone.send(b"")  # a Riemann Msg without events
        sender.send(numbered(100) + numbered(101) + b"\xff")
        alone.send(metric(102.5, host="x" * 5000))
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual((listener["received"], listener["decoded"]), (105, 104))
        self.assertEqual(listener["reasons"]["malformed"], 1)
        self.assert_written(program, range(103))

    @not_on_windows("the system puts no datagrams together")
    def test_a_buffer_that_is_dropped_counts_once(self):
        program = self.start("--listen", GRO + "&receive_buffer=64KiB")
        sender = self.segmenting_sender(program)
        program.freeze()
        self.send(sender, range(200 * PER_CALL))
        program.send_signal(signal.SIGCONT)
        program.wait_for_log(r"the kernel dropped \d+ buffers of datagrams: ")
        listener = program.stop()["listeners"][0]
        self.assertGreater(listener["kernel_drops"], 0)
        self.assertEqual(listener["received"] + listener["kernel_drops"] * PER_CALL,
                         200 * PER_CALL)
        self.assertEqual(listener["dropped_buffers"], listener["kernel_drops"])

    @not_on_windows("the system puts no datagrams together")
    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_drops_of_a_listener_that_is_added_again_without_it(self):
        """The drops of its first life are buffers, and those of its second are datagrams."""
        file = self.folder / "sluice.yaml"
        url = f"udp://127.0.0.1:{free_port()}?schema=riemann&receive_buffer=64KiB&gro="
        other = "udp://127.0.0.1:0?schema=riemann"
        file.write_text(json.dumps({"listeners": [other, url + "on"]}), encoding="utf-8")
        program = self.start("--config", file, listeners=2)
        sender = self.segmenting_sender(program, 1)
        drops = []
        for number, listeners in enumerate(([other], [other, url + "off"], [other])):
            if number != 1:
                program.freeze()
                self.send(sender, range(200 * PER_CALL))
                program.send_signal(signal.SIGCONT)
            file.write_text(json.dumps({"listeners": listeners}), encoding="utf-8")
            program.ask_to_reload()
            program.wait_for_log(CHANGED, number + 1)
            drops.append([program.ledger_now()["listeners"][1][name]
                          for name in ("kernel_drops", "dropped_buffers")])
        self.assertGreater(drops[0][0], 0)
        self.assertEqual(drops[0][1], drops[0][0])
        self.assertGreater(drops[2][0], drops[0][0])
        self.assertEqual(drops[2][1], drops[0][1])
        self.assertEqual(program.stop()["listeners"][1]["dropped_buffers"], drops[0][1])

    @not_on_windows("the system puts no datagrams together")
    def test_beside_a_listener_without_it(self):
        """One thread receives from both kinds of listeners into the same memory."""
        program = self.start("--listen", GRO, "--listen", RIEMANN, listeners=2)
        chosen = random.Random(7)
        senders = [self.segmenting_sender(program), self.sender(program, 1)]
        counts = [0, 0]
        for number in range(300):
            which = chosen.randrange(2)
            senders[which].send(numbered(number) * (2 if which == 0 else 1))
            counts[which] += 2 if which == 0 else 1
        ledger = program.stop()
        self.assertEqual([listener["decoded"] for listener in ledger["listeners"]], counts)
        self.assertEqual([listener["kernel_drops_unit"] for listener in ledger["listeners"]],
                         ["buffer", "datagram"])

    @unittest.skipUnless(WINDOWS, "only on Windows")
    def test_a_system_that_puts_none_together_says_so(self):
        self.assertIn("gro=on: this system does not combine datagrams",
                      self.refused("--listen", GRO, "--check", code=78))


if __name__ == "__main__":
    unittest.main()
