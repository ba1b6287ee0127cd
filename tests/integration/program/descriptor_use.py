"""Starts a program with a limit of open files, and shows how many descriptors it uses."""
import os
import resource


def limited(hard, soft=None):
    """For Popen's preexec_fn: sets the limit of open files."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft or hard, hard))


def soft_limit(program):
    return resource.prlimit(program.process.pid, resource.RLIMIT_NOFILE)[0]


def threads(program):
    return len(os.listdir(f"/proc/{program.process.pid}/task"))


def open_files(program):
    return len(os.listdir(f"/proc/{program.process.pid}/fd"))
