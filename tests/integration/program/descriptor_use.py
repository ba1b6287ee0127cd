"""A program that may have few descriptors, and whether it has used them up."""
import os
import resource


def limited(hard, soft=None):
    """What Popen runs before the program, so that it may have so many."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft or hard, hard))


def soft_limit(program):
    return resource.prlimit(program.process.pid, resource.RLIMIT_NOFILE)[0]


def open_files(program):
    return len(os.listdir(f"/proc/{program.process.pid}/fd"))
