"""Which calls of a run fail, each in a run of its own, and in which way."""
import dataclasses
import itertools

from fault_ways import MEMORY, Fault, Way, shortages, ways

NO_MEMORY = Way("no memory", 12)
MORE = 2  # calls of a place beyond those that were seen: no two runs are the same


@dataclasses.dataclass(frozen=True)
class Seen:
    """The calls of a run in which nothing failed, by (call, place)."""
    counts: dict
    stacks: dict  # the numbers of those with a stack that none before them had

    def without(self, others):
        """Less the places of another run."""
        return Seen({key: count for key, count in self.counts.items() if key not in others.counts},
                    self.stacks)

    def count(self, calls):
        return sum(count for (call, _), count in self.counts.items() if call in calls)

    def numbers(self, key, every):
        """The calls of a place that are tried: one for each stack, and the last."""
        if every:
            return list(range(1, self.counts[key] + MORE + 1))
        return sorted({*self.stacks.get(key, ()), self.counts[key]})


def memory_faults(seen, options):
    """Allocations fail once; and, fewer of them, with all that follow."""
    for key in sorted(key for key in seen.counts if key[0] in MEMORY):
        for first in seen.numbers(key, options.every):
            yield Fault(MEMORY, NO_MEMORY, first, key[1])
    for first in range(1, seen.count(MEMORY) + 1, 7 if options.every else 21):
        yield Fault(MEMORY, NO_MEMORY, first, times=0)


def call_faults(seen, options):
    """Calls of each place fail once in each way, and from the first on for ever."""
    for call, place in sorted(seen.counts):
        if call in MEMORY or (options.calls and call not in options.calls):
            continue
        for way in ways(call):
            for first in seen.numbers((call, place), options.every):
                yield Fault((call,), way, first, place)
            if way.less == 0 or way.less == 1:
                yield Fault((call,), way, 1, place, times=0)


def shortage_faults(seen, options):
    """From a call of a group on they all fail, for ever and for a while."""
    for calls, way in shortages():
        last = seen.count(calls) + (MORE if options.every else 0)
        firsts = range(1, last + 1, 1 if options.every else 3)
        for first, times in itertools.product(firsts, (0, 2, 5)):
            yield Fault(calls, way, first, times=times, spares_streams=True)


KINDS = {"memory": memory_faults, "calls": call_faults, "shortages": shortage_faults}


def sample(faults, most, known):
    """So many of them, evenly, or all; in any case those that are known."""
    faults = list(faults)
    most = len(faults) if most is None else min(len(faults), max(0, most - len(known)))
    return known + [faults[number * len(faults) // most] for number in range(most)]
