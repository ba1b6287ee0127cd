"""Tests that the rows of test_pairs.py find a fault. SLUICE is a program to which the fault was
added on purpose.

A TLS listener limits the memory of OpenSSL in the whole process, so the connections of an https:
sink in the same program fail. Either feature works without the other."""
import unittest

import sluice_program
from covering import cover, name_of
from test_pairs import Pairs, possible_rows

PATIENCE = 6  # short, in seconds, because the records never arrive


class Planted(Pairs):
    def test_every_pair_of_features(self):
        sluice_program.DEADLINE = PATIENCE
        rows = cover(possible_rows())
        both = [row for row in rows if row.listener.tls and row.sink == "https"]
        self.assertTrue(any("written" in (self.run_row(row) or "") for row in both),
                        f"not found by {list(map(name_of, both))}")
        for has_tls, sink in ((True, "http"), (False, "https")):
            row = next(row for row in rows if row.listener.tls == has_tls and row.sink == sink)
            self.assertIsNone(self.run_row(row), name_of(row))


del Pairs  # test_pairs.py runs it

if __name__ == "__main__":
    unittest.main()
