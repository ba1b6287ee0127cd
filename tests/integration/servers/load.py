"""A steady load of numbered records, and the record of those that reached their destination.

sluice-send's events of riemann have a number: their value, from 1 on for each of its sources, whose
host is NAME/1, NAME/2 and so on. Host and number are the id of a record.

The size of the load comes from the environment: TEST_RECORDS records, TEST_RATE of them a second
and TEST_OUTAGE seconds without servers. The defaults are small; tools/test long sets the full
numbers.
"""
import json
import os
import subprocess

from built import beside, command
from sluice_program import DEADLINE, SLUICE

RECORDS = int(os.environ.get("TEST_RECORDS", "100000"))
RATE = int(os.environ.get("TEST_RATE", "20000"))
OUTAGE = int(os.environ.get("TEST_OUTAGE", "5"))
SOURCES = 10


class Load:
    """Runs sluice-send. Each of its sources has a port of its own.

    `before` are words in front of the command, which decide where it runs.
    """

    def __init__(self, test, port, records, host="127.0.0.1", sources=SOURCES, before=(),
                 rate=RATE):
        self.longest = records / rate + 4 * DEADLINE  # seconds
        self.process = subprocess.Popen(
            [*before, *command(beside(SLUICE, "sluice-send"), "--to", f"udp://{host}:{port}",
                               "--schema", "riemann", "--count", str(records), "--rate", str(rate),
                               "--sources", str(sources), "--sender", "load", "--report", "json")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.close)

    def wait(self):
        """Waits until all are sent; returns how many the system accepted."""
        out, err = self.process.communicate(timeout=self.longest)
        if self.process.returncode != 0:
            raise AssertionError(f"sluice-send: {err}")
        return json.loads(out)["sent"]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Found:
    """Records that were found. Those of one host must be added in the order of their log."""

    def __init__(self):
        self._times = {}  # how often each number of a host was found
        self._last = {}  # the highest number of each host so far
        self.count = 0
        self.late = 0  # records that first came after a later one of their host

    def add(self, host, number):
        times = self._times.setdefault(host, bytearray())
        if number >= len(times):
            times.extend(bytes(number + 1024 - len(times)))
        if times[number] == 0 and number < self._last.get(host, 0):
            self.late += 1
        self._last[host] = max(number, self._last.get(host, 0))
        times[number] = min(times[number] + 1, 255)
        self.count += 1

    def add_line(self, line):
        """Adds a record from a line of format=json."""
        record = json.loads(line)
        self.add(record["labels"]["host"], record["value"])

    def different(self):
        """The number of different records."""
        return sum(len(times) - times.count(0) for times in self._times.values())

    def twice(self):
        """The number of records found in excess, since they came more than once."""
        return self.count - self.different()
