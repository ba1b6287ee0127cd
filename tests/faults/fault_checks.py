"""Conditions that must hold for every run, whatever failed in it."""
import re
import signal

from fault_outputs import Torn
from fault_ways import MEMORY
from sluice_program import check_final_ledger

# 0: success; 69: cannot bind; 70: internal error; 73: cannot create output; 74: I/O error; 78:
# configuration error.
CODES = (0, 69, 70, 73, 74, 78)
# Signs of an error line that does not give a reason.
EMPTY_WORDS = re.compile(r"Success|\(null\)|error 0\b|: *$")
# A step of the end took too long, so the program did not end by returning from main.
LATE = "it did not end by returning from main"
# The most failures in a row of one thread. A call that always fails is repeated at most a hundred
# times without a wait (retry.h), but several calls may fail one after the other. The count does not
# depend on how busy the machine is.
LONGEST = 1000
LONGEST_OF_NAMES = 10000  # a sink tries a thousand names for each of its files
SPIN = "in a row, without a wait"
SANITIZERS = re.compile(r"Sanitizer|runtime error")


def complaints(run, plan, fault=None):
    """The violated conditions, one a line."""
    if run.hung:
        return [f"hangs: {run.hung}"]
    return [*_end(run, fault), *_left(run, plan),
            *_rest(plan, fault), *_ledger(run, fault), *_outputs(run, fault)]


def is_about_time(complaint):
    """True if the reason may be a slow machine instead of the program."""
    return complaint.startswith("hangs: ") or complaint == LATE


def is_spin(complaint):
    """True if a thread repeats a failing call without a wait."""
    return complaint.endswith(SPIN)


def _end(run, fault):
    memory = fault is not None and fault.calls == MEMORY
    # after several failures, several errors may be reported
    alone = memory or fault is None or fault.times == 1
    for line in run.lines():
        if SANITIZERS.search(line):
            yield line
        if line.startswith("sluice: ") and EMPTY_WORDS.search(line):
            yield f"a line that does not say why: {line}"
    if run.code not in (*CODES, *run.world.codes) and not _is_ended_early(run):
        yield f"exit code {run.code}"
    said = []
    if run.code == 0 and run.ledger() is None:
        said.append("exit code 0 and no ledger")
    if run.code != 0 and not run.errors() and not _ended_command(run):
        said.append(f"exit code {run.code} and no error is said")
    if alone and not run.started() and run.code != 0 and len(run.errors()) != 1:
        said.append(f"{len(run.errors())} lines of error at the start: {run.errors()}")
    if said and not run.is_blind():
        yield from said
    if not run.started() and memory and run.code not in (0, 70, 78):
        yield f"exit code {run.code} where memory was short"


def _ended_command(run):
    """True if a command has ended and lost records. Then the log has a warning."""
    return any("the command has ended" in line for line in run.lines())


def _is_ended_early(run):
    """True if our signal came before the program could handle it, because the start could not be
    observed."""
    return run.code == -signal.SIGTERM and run.is_blind()


def _rest(plan, fault):
    names = fault is not None and fault.way.name == "EEXIST"
    if plan.longest() > (LONGEST_OF_NAMES if names else LONGEST):
        yield f"a call that failed was made {plan.longest()} times {SPIN}"


def _left(run, plan):
    left = plan.left()
    if left is None and run.code in (*CODES, *run.world.codes):
        yield LATE
    if left:
        yield f"descriptors left open: {left}"


def _ledger(run, fault):
    ledger = run.ledger()
    if ledger is None:
        return
    try:
        check_final_ledger(ledger, run.changed or run.is_blind())
    except AssertionError as error:
        yield str(error)
    for listener in ledger["listeners"]:
        sent = run.sent.get(listener["name"], 0)
        drops = listener.get("kernel_drops", 0)
        if drops is None:  # the kernel did not report its number at the start
            if fault is None or "getsockopt" not in fault.calls:
                yield f"{listener['name']}: the drops are unknown"
            continue
        counted = (listener["received"] + drops +
                   listener.get("refused_while_stopping", 0))
        # The program cannot count datagrams that the kernel never delivers, or that arrive after it
        # has ended with its last sink.
        never = (fault is not None and fault.calls == ("syscall",) and fault.times == 0 or
                 any("this sink has ended" in line for line in run.lines()))
        if listener["kind"] == "udp" and counted != sent and not (never and counted < sent):
            yield f"{listener['name']}: {sent} were sent, {counted} counted"


def may_not_read(fault):
    """True if a file could not be opened for reading. The program then uses it without reading it,
    so that an incomplete last line stays in it."""
    return (fault is not None and fault.way.name in ("EACCES", "EPERM", "ENOENT", "ENOTDIR") and
            any(call.startswith("open") for call in fault.calls))


def _outputs(run, fault):
    ledger = run.ledger()
    try:
        letters = run.letters = run.world.letters(run)
        if ledger is not None and letters is not None:
            kept = ledger["dead_letters"]["kept"] + (run.before.letters if run.before else 0)
            if kept != letters:
                yield f"{kept} dead letters were counted, {letters} are there"
    except Torn as error:
        yield str(error)
    for output in run.world.outputs(run):
        try:
            found = output.numbers()
        except Torn as error:
            if not may_not_read(fault):
                yield str(error)
            continue
        run.found[output.name] = found
        earlier = run.before.found.get(output.name, []) if run.before and output.keeps else []
        if not set(earlier) <= set(found):
            yield f"{output.name}: gone with the next start: {set(earlier) - set(found)}"
        sinks = [] if ledger is None else [
            sink for sink in ledger["sinks"] if sink["name"] == output.name]
        # Unanswered records may have arrived, and may be sent again from a spill.
        doubled = sum(sink["possible_duplicates"] + sink["unknown"] + sink["spilled"] +
                      sink["recovered"] for sink in sinks)
        if len(set(found)) != len(found) and not doubled:
            yield f"{output.name}: a record is there twice: {found}"
        if not set(found) <= set(run.numbers):
            yield f"{output.name}: records that were never sent: {found}"
        if ledger is None:
            continue
        written = (len(earlier) or output.there) + sum(sink["written"] for sink in sinks)
        most = written + doubled
        missing = set(run.answered) - set(found)
        if missing and run.before is None and _has_all(sinks, ledger):
            yield f"{output.name}: acknowledged, and not there: {missing}"
        if len(found) > most or output.exact and len(found) < written:
            yield f"{output.name}: {written} were counted as written, {len(found)} are there"


def _has_all(sinks, ledger):
    """True if the sinks of one name have written every decoded record."""
    decoded = sum(listener["messages"] for listener in ledger["listeners"])
    return sum(sink["written"] for sink in sinks) == decoded
