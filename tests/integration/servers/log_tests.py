"""What holds of every log that acknowledges records, whatever happens to its servers.

A class of such tests sets `group` and has sink_url(); leader(), the node to be killed; and found(),
what the log has.
"""
import os
import pathlib
import time

from load import OUTAGE, RATE, RECORDS, SOURCES, Load
from sluice_program import RIEMANN, settled

# A log without a leader takes nothing for some seconds; meanwhile records wait in memory.
OPTIONS = ("--memory", "512MiB", "--stop-timeout", "30s")
AROUND = 5  # seconds of load before an outage, and after it
DRAINING = 300  # seconds until all that waits has been sent


def processor_seconds(number):
    """What a process has used so far, in all its threads."""
    stat = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii")
    ticks = stat.rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


class LogTests:
    def start_sink(self, *keys):
        url = self.sink_url() + "".join(f"&{key}" for key in keys)
        return self.start("--listen", RIEMANN + "&receive_buffer=16MiB", *OPTIONS, "--sink", url)

    def settle(self, program, sent):
        """Waits until the fate of everything that was sent is known, and none waits on disk."""
        def is_settled(ledger):
            listener, sink = ledger["listeners"][0], ledger["sinks"][0]
            return (listener["received"] + listener["kernel_drops"] >= sent and
                    sink["offered"] == listener["decoded"] and sink["spilled"] == 0 and
                    settled(sink) == sink["queued"])
        end = time.monotonic() + DRAINING
        while not is_settled(program.ledger_now()):
            if time.monotonic() > end:
                program.fail(f"not everything is settled after {DRAINING} s")
            time.sleep(0.2)

    def finish_load(self, program, load):
        """The ledger of the listener and the sink, what was sent, and what the log has."""
        sent = load.wait()
        self.settle(program, sent)
        used = processor_seconds(program.process.pid)
        ledger = program.stop(limit=2 * DRAINING)
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        found = self.found()
        lost = {term: count for term, count in {
            "kernel_drops": listener["kernel_drops"], **listener["reasons"], **sink["refused"],
            "evicted": sink["evicted"], **sink["failed"]}.items() if count != 0}
        print(f"{self.id()}: sent {sent}, written {sink['written']}, unknown {sink['unknown']}, "
              f"possible duplicates {sink['possible_duplicates']}, lost by the ledger {lost}; "
              f"in the log {found.different()}, more than once {found.twice()}, "
              f"late {found.late}; {used / sent * 1e9:.0f} ns of processor time a record",
              flush=True)
        self.assertEqual(listener["received"] + listener["kernel_drops"], sent)
        self.assertEqual(sent, sink["written"] + sink["unknown"] + sum(lost.values()))
        return sink, found, lost

    def assert_at_most_once(self, sink, found):
        """What is in the log is what was written, and of what is unknown nobody can know."""
        self.assertEqual(found.twice(), 0)
        self.assertGreaterEqual(found.different(), sink["written"])
        self.assertLessEqual(found.different(), sink["written"] + sink["unknown"])

    def test_a_node_that_is_killed_and_comes_back(self):
        program = self.start_sink()
        load = Load(self, program.port(), RECORDS)
        time.sleep(RECORDS / RATE / 4)
        self.group.kill(self.leader())
        time.sleep(RECORDS / RATE / 8)
        self.group.resume()
        sink, found, _ = self.finish_load(program, load)
        self.assert_at_most_once(sink, found)
        self.assertGreater(sink["written"], 0)

    def go_away(self, *keys):
        """All nodes are away in the middle of a load."""
        program = self.start_sink(*keys)
        load = Load(self, program.port(), RATE * (OUTAGE + 2 * AROUND) // SOURCES * SOURCES)
        time.sleep(AROUND)
        self.group.kill()
        time.sleep(OUTAGE)
        self.group.resume()
        return self.finish_load(program, load)

    def test_an_outage_with_a_spill_loses_nothing(self):
        sink, found, lost = self.go_away(f"spill={self.folder / 'spill'}")
        self.assertEqual(lost, {})
        self.assertEqual((sink["unknown"], sink["spilled"]), (0, 0))
        self.assertEqual(found.different(), sink["written"])
        self.assertLessEqual(found.twice(), sink["possible_duplicates"])
        self.assertEqual(found.late, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "spill").iterdir()),
                         ["ack", "lock"])

    def test_an_outage_without_a_spill_loses_what_the_ledger_says(self):
        sink, found, _ = self.go_away("timeout=2s")
        self.assert_at_most_once(sink, found)
