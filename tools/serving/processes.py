"""Processes that outlive the program that started them, and are theirs again later.

The system gives the number of a process that has ended to another one. So a process is known by its
number and the moment at which it began (proc(5), field 22 of stat), and a signal goes through a
descriptor of the process, for which both were checked.
"""
import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time


def _begun(number):
    """When it began, in ticks since the system did; None if it has ended."""
    try:
        stat = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def begin(words, log, folder, environment=None):
    """Starts one in a session of its own; returns what knows it again."""
    with open(log, "ab") as said:
        process = subprocess.Popen(list(map(str, words)), cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    process.returncode = 0  # it is not ours to wait for: nobody is to complain that it still runs
    return {"pid": process.pid, "begun": _begun(process.pid)}


def runs(known):
    """Whether it is still the same process."""
    return known is not None and known["begun"] is not None and (
        _begun(known["pid"]) == known["begun"])


def _descriptor(known):
    """A descriptor of the process; None if it has ended."""
    try:
        descriptor = os.pidfd_open(known["pid"])
    except ProcessLookupError:
        return None
    if runs(known):  # and no other process, which the descriptor could not become from now on
        return descriptor
    os.close(descriptor)
    return None


def _send(descriptor, number):
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(descriptor, number)


def _wait(descriptors, patience):
    """Waits until all have ended, that many seconds at most; returns those that have not."""
    end = time.monotonic() + patience
    left = set(descriptors)
    wait = select.poll()
    for descriptor in left:
        wait.register(descriptor, select.POLLIN)
    while left and time.monotonic() < end:
        for descriptor, _ in wait.poll(1000 * max(0, end - time.monotonic())):
            wait.unregister(descriptor)
            left.discard(descriptor)
    return left


def end(several, at_once, patience):
    """Ends those that run and waits for their end: `patience` seconds until they are killed.

    All are asked at the same time: nodes of a cluster that stop wait for each other.
    """
    descriptors = [descriptor for descriptor in map(_descriptor, filter(runs, several))
                   if descriptor is not None]
    try:
        left = descriptors
        if not at_once:
            for descriptor in descriptors:
                _send(descriptor, signal.SIGTERM)
            left = _wait(descriptors, patience)
        for descriptor in left:
            _send(descriptor, signal.SIGKILL)
        _wait(left, patience)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
