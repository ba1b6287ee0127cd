#!/usr/bin/env python3
"""Checks the test vectors of tools/packaging/sealed.md with an implementation that shares no code
with ours."""
import pathlib
import re
import unittest

from built import skip
from sealed_datagram import Header, bindings, derive, open_sealed, read_keys, seal

if bindings is None:
    skip("needs python3-nacl")

PAGE = (pathlib.Path(__file__).parents[3] / "tools/packaging/sealed.md").read_text()
VECTORS = PAGE.split("## Test vectors")[1]
KEYS_FILE, CASES = re.findall(r"^```text\n(.*?)^```$", VECTORS, re.MULTILINE | re.DOTALL)
KEYS = read_keys(KEYS_FILE)


def cases():
    for text in CASES.strip().split("\n\n"):
        joined = re.sub(r"\n +", "", text)
        yield dict(line.split(" = ", 1) if " = " in line else (line.removesuffix(" ="), "")
                   for line in joined.splitlines())


class Vectors(unittest.TestCase):
    def test_each_datagram_has_its_result(self):
        results = set()
        for case in cases():
            with self.subTest(case["case"]):
                result, header, payload = open_sealed(KEYS, bytes.fromhex(case["datagram"]))
                self.assertEqual(result, case["result"])
                results.add(result)
                if result == "accepted":
                    self.assertEqual(payload, bytes.fromhex(case["payload"]))
                    self.assertEqual(header.mode, int(case["mode"]))
                    self.assertEqual(header.session, int(case["session"], 16))
                    self.assertEqual(header.counter, int(case["counter"]))
                    self.assertEqual(header.time_ns, int(case["time"]))
        self.assertEqual(results, {"accepted", "forged", "no_key", "malformed"})

    def test_what_is_sealed_again_is_the_same(self):
        [(key_id, (_, key))] = KEYS.items()
        for case in cases():
            if case["result"] == "accepted":
                header = Header(int(case["mode"]), key_id, int(case["session"], 16),
                                int(case["counter"]), int(case["time"]))
                self.assertEqual(seal(key, header.pack(), bytes.fromhex(case["payload"])).hex(),
                                 case["datagram"])

    def test_the_derived_keys_are_the_pages(self):
        [(_, key)] = KEYS.values()
        for mode in 1, 2:
            self.assertIn(f"`{derive(key, mode).hex()}` (mode {mode})", PAGE)


if __name__ == "__main__":
    unittest.main()
