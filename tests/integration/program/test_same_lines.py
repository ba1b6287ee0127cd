"""Several sinks with the same output: each must write the same bytes and counts as without the
others."""
import random
import unittest

from capture_writing import write_capture
from protobuf import sample, telemetry
from sluice_program import CAPTURES, ProgramTest

FORMATS = ("json", "influx", "prometheus", "csv", "otlp", "protobuf", "pcap", "json&view=message")
REAL = (f"{CAPTURES / 'otlp_metrics_v4'}.pcap?port=4317&schema=otlp",
        f"{CAPTURES / 'otlp_sizes_v4'}.pcap?port=4317&schema=otlp",
        f"{CAPTURES / 'syslogng_riemann_batch10'}.pcap?schema=riemann")
COUNTS = ("written", "filtered", "failed", "lines", "samples", "json_fallback")
PCAP_HEAD = 24


def head_size(encoding, data):
    """The size of the head of a file."""
    if encoding == "csv":
        return data.index(b"\n") + 1
    return PCAP_HEAD if encoding == "pcap" else 0


def many_sizes():
    """Datagrams with one value or many, so that the lines of some batches exceed the shared text
    that sinks keep."""
    chosen = random.Random(18)
    for number in range(4000):
        count = chosen.choice((1, 1, 1, 2, 20, 40)) if number % 1000 < 500 else 1
        yield telemetry(*(sample(chosen.choice(("cpu", "mem")), double=number + i / 64,
                                 labels=[("host", f"web{i}")]) for i in range(count)))


class SameLines(ProgramTest):
    def new_folder(self):
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        return folder

    def alone(self, listener, keys):
        path = self.new_folder() / "lines"
        _, ledger = self.run_to_end("--listen", listener, "--sink", f"file:{path}?format={keys}")
        return path.read_bytes(), ledger["sinks"][0]

    def rotated(self, path, encoding):
        """The bytes of rotated files without their heads, the oldest first."""
        later = len(list(path.parent.glob(f"{path.name}.*")))
        paths = [path.with_name(f"{path.name}.{number}") for number in range(1, later + 1)]
        parts = [part.read_bytes() for part in [path, *paths]]
        return b"".join(part[head_size(encoding, part):] for part in parts)

    def assert_same(self, listener, keys):
        expected, counts = self.alone(listener, keys)
        encoding = keys.split("&")[0]
        folder = self.new_folder()
        program, ledger = self.run_to_end(
            "--listen", listener, "--sink", f"file:{folder}/a?format={keys}",
            "--sink", f"stdout:?format={keys}",
            "--sink", f"file:{folder}/rotated?format={keys}&rotate_size=64KiB",
            "--sink", f"file:{folder}/c?format={keys}&flush_interval=1s")
        for name in ("a", "c"):
            self.assertEqual((folder / name).read_bytes(), expected)
        self.assertEqual(b"".join(program.stdout.lines()), expected)
        self.assertEqual(self.rotated(folder / "rotated", encoding),
                         expected[head_size(encoding, expected):])
        for sink in ledger["sinks"]:
            self.assertEqual({key: sink[key] for key in COUNTS},
                             {key: counts[key] for key in COUNTS})

    def test_of_real_traffic(self):
        for capture in REAL:
            for keys in FORMATS:
                with self.subTest(capture=capture, format=keys):
                    self.assert_same(f"pcap:{capture}", keys)

    def test_of_batches_of_all_sizes(self):
        capture = self.folder / "sent.pcap"
        write_capture(capture, many_sizes())
        for keys in ("json", "csv", "otlp", "protobuf", "influx&include=cpu&rename=cpu:processor",
                     "json&exclude=host=web1*&sample=1/2"):
            with self.subTest(format=keys):
                self.assert_same(f"pcap:{capture}?schema=telemetry", keys)

    def test_who_filters_does_so_for_itself(self):
        capture = self.folder / "sent.pcap"
        write_capture(capture, many_sizes())
        listener = f"pcap:{capture}?schema=telemetry"
        keys = ("json&include=cpu", "json&include=mem", "json", "json&names=proto", "influx")
        wanted = [self.alone(listener, one) for one in keys]
        folder, sinks = self.new_folder(), []
        for number in range(2 * len(keys)):
            sinks += ["--sink", f"file:{folder}/{number}?format={keys[number % len(keys)]}"]
        _, ledger = self.run_to_end("--listen", listener, *sinks)
        for number, sink in enumerate(ledger["sinks"]):
            data, counts = wanted[number % len(keys)]
            self.assertEqual((folder / str(number)).read_bytes(), data)
            self.assertEqual({key: sink[key] for key in COUNTS},
                             {key: counts[key] for key in COUNTS})


if __name__ == "__main__":
    unittest.main()
