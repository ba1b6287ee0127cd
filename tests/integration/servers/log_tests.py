"""Properties of every log that acknowledges records, even if its servers fail.

A subclass provides the members for OutageTests, and leader(), the node to kill."""
import time

from load import RATE, RECORDS, Load
from outage_tests import OutageTests


class LogTests(OutageTests):
    def assert_at_most_once(self, sink, found):
        """Asserts that the log contains all written records, and possibly some of the unknown ones.
        """
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

    def test_an_outage_without_a_spill_loses_what_the_ledger_says(self):
        sink, found, _ = self.go_away("timeout=2s")
        self.assert_at_most_once(sink, found)
