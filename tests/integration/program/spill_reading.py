"""Reads the content of a spill folder independently of the program."""
import pathlib

from sluice_program import wait_until


def records(folder):
    """How many lines of JSON its segments have, those included that are being sent."""
    return sum(path.read_bytes().count(b'"value":') for path in pathlib.Path(folder).glob("*.seg"))


def wait_for_records(folder, count):
    wait_until(lambda: records(folder) >= count, f"{count} records are on disk")


def kill(program):
    program.process.kill()
    program.process.wait()
