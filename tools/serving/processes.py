"""Processes that outlive the program that started them, and that later programs control.

The system reuses the ID of an ended process. So a process is identified by its ID and its start
time (proc(5), field 22 of stat), and a signal is sent through a process descriptor after both were
checked.
"""
import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time


def _begun(number):
    """Returns the start time of a process, in ticks since the system's start, or None if it has
    ended."""
    try:
        stat = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])


def begin(words, log, folder, environment=None):
    """Starts a program in its own session. Returns the process's identification."""
    with open(log, "ab") as said:
        process = subprocess.Popen(list(map(str, words)), cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=said, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    process.returncode = 0  # prevents the warning that the child is still running
    return {"pid": process.pid, "begun": _begun(process.pid)}


def runs(known):
    """Returns True if the process still runs."""
    return known is not None and known["begun"] is not None and (
        _begun(known["pid"]) == known["begun"])


def _descriptor(known):
    """Returns a descriptor of the process, or None if it has ended."""
    try:
        descriptor = os.pidfd_open(known["pid"])
    except ProcessLookupError:
        return None
    if runs(known):  # checked after opening, because the descriptor's process cannot change
        return descriptor
    os.close(descriptor)
    return None


def _send(descriptor, number):
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(descriptor, number)


def _wait(descriptors, patience):
    """Waits until all have ended, at most `patience` seconds. Returns those that have not."""
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
    """Stops the running processes and waits for their end. Kills them after `patience` seconds.

    All get their signals at the same time, because nodes of a cluster wait for each other when they
    stop.
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
