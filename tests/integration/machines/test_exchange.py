"""Tests that a file has the same bytes whichever kind of machine writes it, and that other machines
can read it.

The programs of this build run under qemu (tests/left_out_qemu.txt). TEST_NATIVE is the folder of
the same programs for this machine, from the preset `release`; without it the script is skipped.
"""
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import unittest

from built import MACHINE, command, skip
from http_store import Store
from ports import free_port
from protobuf import metric
from sluice_program import CAPTURES, DEADLINE, RIEMANN, SLUICE, ProgramTest, wait_until
from spill_reading import wait_for_records
from test_captures import SCHEMAS, capture_url

NATIVE = pathlib.Path(os.environ["TEST_NATIVE"])
if not (NATIVE / "sluice").exists():
    skip(f"the preset release is not built: no {NATIVE / 'sluice'}")

COUNT = 200
SAMPLES = ("json&view=sample", "text&view=sample", "influx", "prometheus", "openmetrics", "csv")
MESSAGES = ("json&view=message", "text&view=message", "otlp", "protobuf", "pcap")


def output(words, url, sink):
    """The exit code of a program that reads a capture, and its output."""
    done = subprocess.run([*words, "--listen", url, "--sink", sink, "--sandbox", "off"], capture_output=True,
                          timeout=DEADLINE, check=False)
    return done.returncode, done.stdout


def outputs(words, capture, folder):
    """Writes a capture in each format that its schema allows, each to a file in the folder. Returns
    {number: content}."""
    folder.mkdir()
    samples = SAMPLES if SCHEMAS[capture] in ("riemann", "otlp") else ()
    sinks = [f"file:{folder}/{number}?format={keys}" for number, keys in enumerate(samples + MESSAGES)]
    done = subprocess.run([*words, "--listen", capture_url(capture), "--sandbox", "off",
                           *(word for sink in sinks for word in ("--sink", sink))],
                          capture_output=True, text=True, timeout=DEADLINE, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def swapped(capture):
    """A capture (pcap, either byte order) with its headers in the other byte order."""
    one, other = ("<", ">") if capture[0] in (0xd4, 0x4d) else (">", "<")
    head = struct.unpack(one + "IHHiIII", capture[:24])
    parts, at = [struct.pack(other + "IHHiIII", *head)], 24
    while at < len(capture):
        frame = struct.unpack(one + "IIII", capture[at:at + 16])
        parts += [struct.pack(other + "IIII", *frame), capture[at + 16:at + 16 + frame[2]]]
        at += 16 + frame[2]
    return b"".join(parts)


class Captures(ProgramTest):
    here = command(SLUICE)
    there = [str(NATIVE / "sluice")]

    def test_each_format_of_each_capture_has_the_same_bytes_on_both_machines(self):
        count = size = 0
        for name in SCHEMAS:
            found = outputs(self.here, name, self.folder / f"{name}.here")
            expected = outputs(self.there, name, self.folder / f"{name}.there")
            self.assertEqual(sorted(found), sorted(expected))
            for file, content in found.items():
                self.assertEqual(content, expected[file], f"{name}: {(*SAMPLES, *MESSAGES)}: file {file}")
            count += len(found)
            size += sum(map(len, found.values()))
        print(f"{MACHINE}: {count} files of {len(SCHEMAS)} captures are the same, {size} bytes")
        self.assertEqual(count, 8 * (len(SAMPLES) + len(MESSAGES)) + 2 * len(MESSAGES))

    def test_a_capture_in_either_byte_order_is_the_same_capture(self):
        for name in SCHEMAS:
            capture = (CAPTURES / f"{name}.pcap").read_bytes()
            path = self.folder / "capture.pcap"
            outputs = set()
            for content in (capture, swapped(capture)):
                path.write_bytes(content)
                url = capture_url(name).replace(str(CAPTURES / f"{name}.pcap"), str(path))
                for words in (self.here, self.there):
                    code, found = output(words, url, "stdout:?format=json&view=message")
                    self.assertEqual(code, 0)
                    self.assertGreater(len(found), 100)
                    outputs.add(hashlib.sha256(found).hexdigest())
            self.assertEqual(len(outputs), 1, name)


class Spilling(ProgramTest):
    def setUp(self):
        super().setUp()
        self.leave_sandbox()
        self.port = free_port()
        self.spill = self.folder / "spill"

    def deliver(self, program, keys=""):
        return self.start("--listen", RIEMANN, "--sink",
                          f"http://127.0.0.1:{self.port}/write?format=json&flush_interval=20ms"
                          f"&in_flight=1&spill={self.spill}{keys}", program=program)

    def wait_for(self, program, condition):
        wait_until(lambda: condition(program.ledger_now()["sinks"][0]), "the sink has come so far")

    def write(self, program, first, keys=""):
        """Stores records from `first` on in the spill, because no server answers."""
        running = self.deliver(program, keys)
        sender = self.sender(running)
        sender.send(metric(first))
        self.wait_for(running, lambda sink: sink["write_errors"] > 0)  # then later records go to the disk
        for number in range(first + 1, first + COUNT):
            sender.send(metric(number))
        wait_for_records(self.spill, first + COUNT)
        return running

    def read(self, program, count=COUNT):
        """The values that a server gets from a program with this spill, and the program's sink."""
        store = Store(port=self.port)
        running = self.deliver(program)
        self.wait_for(running, lambda sink: sink["written"] == count)
        sink = running.stop()["sinks"][0]
        store.close()
        return [json.loads(line)["value"] for line in store.lines()], sink

    def list(self, program):
        return subprocess.run(command(program, "spill", "list", self.spill), capture_output=True, text=True,
                              timeout=DEADLINE, check=True).stdout

    def check(self, writer, reader):
        self.write(writer, 0).stop()
        self.assertEqual(self.list(reader), self.list(writer))
        values, sink = self.read(reader)
        self.assertEqual(values, list(range(COUNT)))
        self.assertEqual((sink["recovered"], sink["written"], sink["spilled"]), (COUNT, COUNT, 0))

    def test_this_machine_reads_what_the_other_one_left(self):
        self.check(NATIVE / "sluice", SLUICE)

    def test_the_other_machine_reads_what_this_one_left(self):
        self.check(SLUICE, NATIVE / "sluice")

    def test_a_folder_written_by_both_in_turn_is_read_in_order(self):
        self.write(SLUICE, 0).stop()
        self.write(NATIVE / "sluice", COUNT).stop()
        self.write(SLUICE, 2 * COUNT).stop()
        values, sink = self.read(NATIVE / "sluice", 3 * COUNT)
        self.assertEqual(values, list(range(3 * COUNT)))
        self.assertEqual(sink["recovered"], 3 * COUNT)

    def test_what_a_killed_program_left_is_read_on_the_other_machine(self):
        for writer, reader in ((SLUICE, NATIVE / "sluice"), (NATIVE / "sluice", SLUICE)):
            with self.subTest(str(writer)):
                self.spill = self.folder / pathlib.Path(writer).parts[-3]
                running = self.write(writer, 0)
                running.process.kill()
                running.process.wait()
                values, _ = self.read(reader)
                self.assertEqual(values, list(range(COUNT)))


if __name__ == "__main__":
    unittest.main()
