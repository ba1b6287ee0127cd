#!/usr/bin/env python3
"""Lets librdkafka fail in each way, and checks the ledger and the spill.

The program loads a double in place of librdkafka (tests/support/sinks/kafka_double.h). One message
is refused, rejected, lost, not answered, answered late, out of order or twice, or reported as
possibly sent; or the library looks up a name for 15 seconds, fails fatally, or cannot create a
producer.

    boundary.py [--planted] [WAY]   --planted: a fault is planted, so there must be complaints

Each run must keep these promises: it ends in time and with 0; the ledger is exact; each record is
written, spilled, or counted with its reason; written means acknowledged; a record that may have
arrived is counted as unknown or is in the spill."""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import sys
import tempfile
import time

from protobuf import metric
from sluice_program import RIEMANN, Sender, Sluice
from spill_reading import records

DOUBLE = os.environ["TEST_KAFKA_DOUBLE"]  # the folder with the double
WAYS = ("none", "refused", "unanswered", "lost", "late", "reordered", "twice", "again", "failed",
        "rejected", "doubtful", "lookup", "fatal", "no_producer")
POSITIONS = (1, 2, 5)
COUNT = 6  # number of records
STOP_MOST = 5  # time limit of a stop in seconds: its settings need one second, and the machine may be busy
AT_ONCE = 4


def numbers_of(path, what):
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, value = line.partition(" ")
        if word == what:
            found.append(int(json.loads(value)["value"]))
    return found


def judge(sink, path, on_disk):
    """The promises that the run has broken, one text each."""
    arrived, acknowledged = numbers_of(path, "arrived"), set(numbers_of(path, "acknowledged"))
    failed = sum(sink["failed"].values())
    if sink["written"] != len(acknowledged):
        yield f"{sink['written']} written, {len(acknowledged)} acknowledged"
    if sink["written"] + failed + sink["unknown"] + sink["spilled"] != COUNT:
        yield "a record is not counted once"
    if sink["spilled"] > on_disk:
        yield f"{sink['spilled']} spilled, {on_disk} on disk"
    missing = COUNT - len(set(arrived))
    if missing > failed + sink["unknown"] + sink["spilled"]:
        yield f"{missing} records are missing without a reason"
    in_doubt = len(set(arrived) - acknowledged)
    if in_doubt > sink["unknown"] + sink["spilled"]:
        yield f"{in_doubt} records may be there and are not unknown"
    doubled = len(arrived) - len(set(arrived))
    if doubled > sink["possible_duplicates"]:
        yield f"{doubled} records came twice, {sink['possible_duplicates']} are counted"
    if numbers_of(path, "changed"):
        yield "bytes changed that the library could still read"


def run(way, position, has_spill):
    with tempfile.TemporaryDirectory(prefix="sluice-boundary-") as folder:
        folder = pathlib.Path(folder)
        path = folder / "messages"
        path.touch()
        keys = "format=json&flush_interval=1ms&in_flight=4"
        if has_spill:
            keys += f"&spill={folder}/spill"
        environment = {**os.environ, "LD_LIBRARY_PATH": DOUBLE, "KAFKA_DOUBLE_FILE": str(path),
                       "KAFKA_DOUBLE": f"{way} {position}"}
        program = Sluice("--listen", RIEMANN, "--stop-timeout", "500ms", "--sink",
                         f"kafka://broker:9092/t?{keys}", env=environment)
        try:
            program.wait_for_listeners()
            sender = Sender(program)
            for number in range(COUNT):
                sender.send(metric(number))
                program.wait_for_received(number + 1)
            sender.close()
            began = time.monotonic()
            ledger = program.stop()
            took = time.monotonic() - began
            sink, = ledger["sinks"]
            wrong = list(judge(sink, path, records(folder / "spill") if has_spill else 0))
            if took > STOP_MOST:
                wrong.append(f"the stop took {took:.1f} s")
        except AssertionError as error:
            wrong = [str(error)]
        finally:
            program.close()
        return [f"{way} {position}{', spill' if has_spill else ''}: {text}" for text in wrong]


def main():
    plans = [plan for plan in itertools.product(WAYS, POSITIONS, (False, True))
             if plan[0] != "none" or plan[1] == 1]
    must_fail = "--planted" in sys.argv
    for pattern in sys.argv[1 + must_fail:]:
        plans = [plan for plan in plans if re.search(pattern, plan[0])]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        wrong = list(itertools.chain.from_iterable(pool.map(lambda plan: run(*plan), plans)))
    print("\n".join(wrong))
    print(f"{len(plans)} faults of the library, {len(wrong)} complaints")
    sys.exit(bool(wrong) != must_fail)


if __name__ == "__main__":
    main()
