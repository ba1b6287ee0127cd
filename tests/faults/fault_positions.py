"""Chooses which calls fail, and in which way. Each fault needs a separate run."""
import dataclasses
import itertools

from fault_ways import MEMORY, Fault, Way, shortages, ways

NO_MEMORY = Way("no memory", 12)
MORE = 2  # calls after the last seen one: no two runs are the same


@dataclasses.dataclass(frozen=True)
class Seen:
    """The calls of a run without failures, by (call, place)."""
    counts: dict
    # For each (call, place), the numbers of the calls that were the first ones with their stack.
    stacks: dict

    def without(self, others):
        """The seen calls except those at places that the other run also has."""
        return Seen({key: count for key, count in self.counts.items() if key not in others.counts},
                    self.stacks)

    def count(self, calls):
        return sum(count for (call, _), count in self.counts.items() if call in calls)

    def numbers(self, key, every):
        """The numbers of the calls of a place that must fail: the first with each stack, and the
        last."""
        if every:
            return list(range(1, self.counts[key] + MORE + 1))
        return sorted({*self.stacks.get(key, ()), self.counts[key]})


def memory_faults(seen, options):
    """One allocation fails. For some faults, all later ones also fail."""
    for key in sorted(key for key in seen.counts if key[0] in MEMORY):
        for first in seen.numbers(key, options.every):
            yield Fault(MEMORY, NO_MEMORY, first, key[1])
    for first in range(1, seen.count(MEMORY) + 1, 7 if options.every else 21):
        yield Fault(MEMORY, NO_MEMORY, first, times=0)


def call_faults(seen, options):
    """At each place one call fails, in each way. Also, from the first call on all calls fail."""
    for call, place in sorted(seen.counts):
        if call in MEMORY or (options.calls and call not in options.calls):
            continue
        for way in ways(call):
            for first in seen.numbers((call, place), options.every):
                yield Fault((call,), way, first, place)
            if way.less == 0 or way.less == 1:
                yield Fault((call,), way, 1, place, times=0)


def shortage_faults(seen, options):
    """From one call of a group on, all calls of the group fail, for ever or a few times."""
    for calls, way in shortages():
        last = seen.count(calls) + (MORE if options.every else 0)
        firsts = range(1, last + 1, 1 if options.every else 3)
        for first, times in itertools.product(firsts, (0, 2, 5)):
            yield Fault(calls, way, first, times=times, spares_streams=True)


KINDS = {"memory": memory_faults, "calls": call_faults, "shortages": shortage_faults}


def sample(faults, most, known):
    """At most `most` of the faults, evenly distributed (None: all), and always the known ones."""
    faults = list(faults)
    most = len(faults) if most is None else min(len(faults), max(0, most - len(known)))
    return known + [faults[number * len(faults) // most] for number in range(most)]
