"""Reads the content of a spill folder independently of the program."""
import pathlib

from sluice_program import has_done_with_all, wait_until


def records(folder):
    """The number of JSON lines in the spill's segments, including those that are being sent."""
    return sum(path.read_bytes().count(b'"value":') for path in pathlib.Path(folder).glob("*.seg"))


def wait_for_records(folder, count):
    wait_until(lambda: records(folder) >= count, f"{count} records are on disk")


def has_sent_all(sink):
    """Returns true if every message has an outcome, and no record waits on disk."""
    return has_done_with_all(sink) and sink["in_flight"] == sink["spilled"] == 0


def kill(program):
    program.process.kill()
    program.process.wait()
