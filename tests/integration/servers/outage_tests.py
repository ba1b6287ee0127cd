"""A server is killed under load and restarted: with a spill no record may be lost.

A subclass sets `group`, and defines sink_url() and found(), which returns the records that a reader
finds."""
import os
import pathlib
import time

import load
from sluice_program import RIEMANN, settled

# A log without a leader does not accept records for some seconds. They wait in memory.
OPTIONS = ("--memory", "512MiB", "--stop-timeout", "30s")
AROUND = 5  # seconds of load before and after an outage
DRAINING = 300  # seconds until all waiting records must be sent


def processor_seconds(number):
    """Processor time of all threads of a process so far."""
    stat = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii")
    ticks = stat.rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


class OutageTests:
    rate, outage, sources = load.RATE, load.OUTAGE, load.SOURCES
    ordered = True  # whether found() returns the records of a host in the order of their arrival
    may_lose = 0  # acknowledged records that the server itself may lose in kill_servers()

    def start_sink(self, *keys):
        url = self.sink_url() + "".join(f"&{key}" for key in keys)
        return self.start("--listen", RIEMANN + "&receive_buffer=16MiB", *OPTIONS, "--sink", url)

    def wait_for(self, program, reached, what):
        """Waits until reached(ledger) is true, with a longer limit than wait_for_ledger()."""
        end = time.monotonic() + DRAINING
        while not reached(program.ledger_now()):
            if time.monotonic() > end:
                program.fail(f"waited {DRAINING} s without success until {what}")
            time.sleep(0.2)

    def settle(self, program, sent):
        """Waits until the outcome of all records is known, and none waits on disk."""
        def is_settled(ledger):
            listener, sink = ledger["listeners"][0], ledger["sinks"][0]
            return (listener["received"] + listener["kernel_drops"] >= sent and
                    sink["offered"] == listener["decoded"] and sink["spilled"] == 0 and
                    settled(sink) == sink["queued"])
        self.wait_for(program, is_settled, "all outcomes are known")

    def finish_load(self, program, load):
        """Waits for the end of the load. Returns the ledger's entries of listener and sink, the
        number of sent records, and the records in the log."""
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
              f"found {found.different()}, more than once {found.twice()}, late {found.late}; "
              f"the server may have lost {self.may_lose}; "
              f"{used / sent * 1e9:.0f} ns of processor time a record", flush=True)
        self.assertEqual(listener["received"] + listener["kernel_drops"], sent)
        self.assertEqual(sent, sink["written"] + sink["unknown"] + sum(lost.values()))
        return sink, found, lost

    def kill_servers(self, _program):
        """Kills all nodes at once. For a server that may lose acknowledged records, an override
        sets `may_lose`."""
        self.group.kill()

    def go_away(self, *keys):
        """All nodes are unreachable for some time in the middle of a load."""
        program = self.start_sink(*keys)
        records = self.rate * (self.outage + 2 * AROUND) // self.sources * self.sources
        running = load.Load(self, program.port(), records, sources=self.sources, rate=self.rate)
        time.sleep(AROUND)
        self.kill_servers(program)
        time.sleep(self.outage)
        self.group.resume()
        return self.finish_load(program, running)

    def test_an_outage_with_a_spill_loses_nothing(self):
        sink, found, lost = self.go_away(f"spill={self.folder / 'spill'}")
        self.assertEqual(lost, {})
        self.assertEqual((sink["unknown"], sink["spilled"]), (0, 0))
        self.assertLessEqual(found.different(), sink["written"])
        self.assertGreaterEqual(found.different(), sink["written"] - self.may_lose)
        self.assertLessEqual(found.twice(), sink["possible_duplicates"])
        if self.ordered:
            self.assertEqual(found.late, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "spill").iterdir()),
                         ["ack", "lock"])
