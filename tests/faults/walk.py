#!/usr/bin/env python3
"""Lets each call of the program fail, in each way: see README.md.

The environment variable SLUICE names the program, which must be linked with the shim."""
import argparse
import collections
import concurrent.futures
import contextlib
from dataclasses import replace
import itertools
import os
import queue
import random
import shutil
import sys
import tempfile
import threading
import time

from built import skip
from fault_checks import LATE, complaints, is_about_time, is_spin, may_not_read
from fault_deliveries import DELIVERIES
from fault_known import known
from fault_plan import Places, Plan
from fault_positions import KINDS, Seen, sample
from fault_run import Run
from fault_ways import MEMORY, is_left_out
from fault_worlds import WORLDS

SLUICE = os.environ["SLUICE"]
TRIES = 3  # attempts of a run that was too slow, because the machine may be busy


class Bench:
    """Makes runs one after the other with one folder and one plan."""

    def __init__(self, folder, world, places):
        self.world = world(folder)
        self.places = places
        self.fault = None
        self.folder = f"{folder}/run"
        self.plan = Plan(f"{folder}/plan")

    def run(self, fault=None, before=None):
        """Runs in a new folder, or in that of the run `before`."""
        self.fault = fault
        if fault is None:
            self.plan.clear(watching=before is None)
        else:
            self.plan.fail(fault)
        return Run(SLUICE, self.world, self.folder, self.plan.environment, self._is_blind,
                   may_be_silent=fault is not None and fault.times != 1,
                   may_wait=fault is not None and fault.times == 0, settles=fault is None,
                   before=before).drive()

    def _is_blind(self):
        """Returns true if a call that writes the log has failed, so that later lines are
        missing."""
        if self.fault is not None and self.fault.times == 0 and self.fault.place and \
                "(stream.c:" in self.places.names([self.fault.place])[0]:
            return True
        return any(part in name for name in self.places.names(self.plan.frames())
                   # log_stream.c may be inlined into log.c
                   for part in ("(log_stream.c:", "(log.c:"))


WORLDS = {**WORLDS, **DELIVERIES}


class Walk:
    """The runs of several threads, and their results."""

    def __init__(self, world, options):
        self.world = world
        self.options = options
        self.places = Places(SLUICE)
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.codes = collections.Counter()
        self.found = 0
        # found faults in which a thread repeated a failing call without a wait
        self.spins = 0
        self.longest = 0  # most failures in a row, without a success or a wait in between
        self.until = float("inf")  # value of time.monotonic() after which no run begins

    def go(self):
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="sluice-faults-", dir=self.options.folder) as folder:
            seen = self._look(Bench(self._subfolder(folder, 0), self.world, self.places))
            if self.options.but:
                other = Bench(self._subfolder(folder, "but"), WORLDS[self.options.but], self.places)
                seen = seen.without(self._look(other))
            # one call for all places, because it is slow
            self.places.names([place for _, place in seen.counts])
            faults = itertools.chain(*(
                KINDS[kind](seen, self.options) for kind in self.options.kinds))
            faults = sample(filter(self._is_asked, faults), self.options.most, self._known(seen))
            if self.options.seconds:
                # shuffled, so that the faults that are tried in time are a fair sample
                random.Random(len(faults)).shuffle(faults)
                self.until = begun + self.options.seconds
            todo = queue.SimpleQueue()
            for fault in faults:
                todo.put(fault)
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as workers:
                for work in [workers.submit(self._work, self._subfolder(folder, number), todo)
                             for number in range(1, self.options.jobs + 1)]:
                    work.result()
        self._tell(len(seen.counts), faults, time.monotonic() - begun)
        return self.spins > 0 if self.options.planted == "spin" else self.found == 0

    def _function(self, place):
        return self.places.names([place])[0].split(" ")[0]

    def _is_asked(self, fault):
        return not is_left_out(fault, self._function(fault.place) if fault.place else "")

    def _known(self, seen):
        """The known faults of this world whose places this program still has."""
        return [replace(fault, place=place) for function, fault in known(self.world.name)
                for call, place in sorted(seen.counts)
                if fault.calls == (call,) and function == self._function(place)]

    @staticmethod
    def _subfolder(folder, number):
        path = f"{folder}/{number}"
        os.mkdir(path)
        return path

    def _look(self, bench):
        """A run without faults, which must have no complaints. It shows which calls can fail."""
        run = bench.run()
        wrong = complaints(run, bench.plan) or [
            f"{sink['name']}: nothing was written" for sink in run.ledger()["sinks"]
            if sink["written"] + sink["spilled"] == 0]
        bench.world.close()
        if run.code != 0 or wrong:
            sys.exit("\n".join(["wrong where nothing fails:", *wrong, *run.lines()]))
        return Seen(bench.plan.seen(), bench.plan.stacks())

    def _work(self, folder, todo):
        bench = Bench(folder, self.world, self.places)
        with contextlib.closing(bench.world), contextlib.suppress(queue.Empty):
            while time.monotonic() < self.until:
                self._try(bench, todo.get_nowait())

    def _try(self, bench, fault):
        for _ in range(TRIES):
            run = bench.run(fault)
            wrong = complaints(run, bench.plan, fault)
            if not any(map(is_about_time, wrong)):
                break
        failed = bench.plan.failed()
        with self.lock:
            self.counts["runs"] += 1
            self.counts["reached"] += failed > 0
            self.counts["failed"] += failed
            self.longest = max(self.longest, bench.plan.longest())
            self.codes[run.code] += 1
            if wrong:
                self._report(run, bench.plan, fault, wrong)
        if (failed and fault.calls != MEMORY and run.ledger() is not None and not wrong and
                not may_not_read(fault)):
            self._start_again(bench, fault, run)

    def _start_again(self, bench, fault, before):
        """Starts the program once more without a fault, with the files that the run has left."""
        run = bench.run(before=before)
        wrong = complaints(run, bench.plan)
        if LATE in wrong:  # cannot be repeated, because it has changed the files
            return
        if run.code != 0:
            wrong.append(f"the next start ended with {run.code}")
        with self.lock:
            self.counts["again"] += 1
            if wrong:
                self._report(run, bench.plan, fault, ["the next start:", *wrong])

    def _report(self, run, plan, fault, wrong):
        self.found += 1
        self.spins += any(map(is_spin, wrong))
        frames = self.places.names(plan.frames())
        at = fault.place and self.places.names([fault.place])[0]
        print(f"--- {self.world.name}: {fault} {at or ''}", *wrong,
              *(f"    by {frame}" for frame in frames if "??" not in frame),
              *(f"    | {line[:300]}" for line in run.lines()), sep="\n", flush=True)

    def _tell(self, places, faults, seconds):
        counts = self.counts
        print(f"{self.world.name}: {places} places, {len(faults)} faults; {counts['runs']} runs, in "
              f"{counts['reached']} a call failed, {counts['failed']} calls in all, at most {self.longest} in a row; "
              f"{counts['again']} next starts; exit codes "
              f"{dict(sorted(self.codes.items(), key=str))}; {seconds:.0f} s; {self.found} found")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", choices=WORLDS)
    parser.add_argument("kinds", nargs="+", choices=KINDS)
    parser.add_argument("--calls", nargs="+", help="only of these functions")
    parser.add_argument("--most", type=int, help="this number of faults, evenly distributed")
    parser.add_argument("--seconds", type=int, help="the faults that fit in that time, anywhere")
    parser.add_argument("--every", action="store_true",
                        help="every call of a place, and not one for each stack")
    parser.add_argument("--but", choices=WORLDS, metavar="WORLD",
                        help="without places that are called in that world, too")
    parser.add_argument("--planted", choices=("spin",), help="exit code 0 if it is found")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    options = parser.parse_args()
    for tool in ("addr2line", "readelf", *WORLDS[options.world].NEEDS):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    sys.exit(0 if Walk(WORLDS[options.world], options).go() else 1)


if __name__ == "__main__":
    main()
