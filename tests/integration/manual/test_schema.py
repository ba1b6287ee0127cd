"""The JSON Schema of the configuration file, with a third-party validator: it accepts every sample,
and refuses what sluice refuses."""
import json
import os
import pathlib
import re
import unittest

from built import skip

try:
    import jsonschema
    import yaml
except ImportError as missing:
    skip(f"needs python3-jsonschema and python3-yaml: {missing}")

ROOT = pathlib.Path(__file__).resolve().parents[3]
MADE = pathlib.Path(os.environ["TEST_MANUAL"])
SCHEMA = json.loads((MADE / "schema" / "sluice.schema.json").read_text(encoding="utf-8"))
LOADERS = {"as texts, which is how sluice reads": yaml.BaseLoader, "as YAML 1.1": yaml.SafeLoader}

BAD = """
memroy: 32MiB
---
memory: 32
---
memory: 32 MiB
---
log-level: verbose
---
listeners: []
---
listeners:
- addres: udp://127.0.0.1:5555
---
listeners:
- schema: riemann
---
listeners:
- address: udp://127.0.0.1:5555
  recieve_buffer: 64MiB
---
listeners:
- address: udp://127.0.0.1:5555
  receive_buffer: 64
---
listeners:
- address: udp://127.0.0.1:5555
  receivers: many
---
listeners:
- address: udp://127.0.0.1:5555
  schemas:
  - match: source:10.0.0.0/8
---
listeners:
- address: udp://127.0.0.1:5555
  schemas: riemann
---
sinks:
- to: stdout
  format: jsn
---
sinks:
- to: stdout
  schema: riemann
---
dead-letter:
  to: file:dead
  rate: many
---
files: {a: conf.d}
---
sinks:
- to: stdout
  format: [json]
---
listeners:
- address: udp://127.0.0.1:5555
  gro: maybe
---
check: true
""".split("---\n")


def samples():
    """All YAML that users may copy: packaged files, and examples in documents."""
    packaging = ROOT / "tools" / "packaging"
    for path in sorted([packaging / "sluice.yaml", *packaging.glob("examples/*.yaml")]):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted(ROOT.rglob("*.md")):
        if "build" in path.relative_to(ROOT).parts:
            continue
        for block in re.findall(r"```yaml\n(.*?)```", path.read_text(encoding="utf-8"), re.S):
            if re.search(r"(?m)^(listeners|sinks):", block):
                yield path.relative_to(ROOT).as_posix(), block


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft7Validator(SCHEMA)

    def faults(self, text, loader):
        return [fault.message for fault in
                self.validator.iter_errors(yaml.load(text, Loader=loader))]

    def test_it_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_every_sample_is_valid(self):
        names = set()
        for name, text in samples():
            names.add(name)
            for how, loader in LOADERS.items():
                with self.subTest(name, read=how):
                    self.assertEqual(self.faults(text, loader), [])
        self.assertGreater(len(names), 9)

    def test_what_is_wrong_is_found(self):
        for text in BAD:
            for how, loader in LOADERS.items():
                with self.subTest(text, read=how):
                    self.assertNotEqual(self.faults(text, loader), [])

    def test_words_that_a_reader_takes_for_something_else_are_right(self):
        text = ("threads: 1\nlisteners:\n- address: udp://127.0.0.1:5555\n  gro: off\n"
                "  ipv6_only: false\n  receivers: 2\n  busy_poll: 0\n"
                "sinks:\n- to: file:x\n  flush_interval: 0s\n  rotate_size: 1.5GiB\n"
                "- to: kafka:h:1/t\n  kafka.linger.ms: 20\n")
        for loader in LOADERS.values():
            self.assertEqual(self.faults(text, loader), [])

    def test_what_sluice_reads_in_several_ways_is_right(self):
        text = ("files: conf.d\nreceiver-cpus: [0, 2-3]\nlisteners: udp://127.0.0.1:5555?schema=riemann\n"
                "sinks:\n  to: stdout\n  counter_suffix: yes\n  drop_label: [pid, tmp]\n")
        for loader in LOADERS.values():
            self.assertEqual(self.faults(text, loader), [])

    def test_every_key_has_its_meaning(self):
        for name, places in SCHEMA["definitions"].items():
            for key, value in places["properties"].items():
                self.assertGreater(len(value["description"]), 5, f"{name}: {key}")


if __name__ == "__main__":
    unittest.main()
