"""A steady load of numbered records, and a list of those that reached their destination.

The Riemann events of sluice-send have a number as their value, from 1 on for each of its sources,
whose hosts are NAME/1, NAME/2 and so on. Host and number identify a record.

Environment variables set the load: TEST_RECORDS records, TEST_RATE of them a second, and
TEST_OUTAGE seconds without servers. The defaults are small; `tools/test long` sets large values."""
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
    """Runs sluice-send. Each of its sources has a separate port.

    `before` is a command prefix that determines where it runs."""

    def __init__(self, test, port, records, host="127.0.0.1", sources=SOURCES, before=(),
                 rate=RATE):
        self.longest = records / rate + 4 * DEADLINE  # seconds until all must be sent
        self.process = subprocess.Popen(
            [*before, *command(beside(SLUICE, "sluice-send"), "--to", f"udp://{host}:{port}",
                               "--schema", "riemann", "--count", str(records), "--rate", str(rate),
                               "--sources", str(sources), "--sender", "load", "--report", "json")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.close)

    def wait(self):
        """Waits until all records are sent. Returns the number that the system accepted."""
        out, err = self.process.communicate(timeout=self.longest)
        if self.process.returncode != 0:
            raise AssertionError(f"sluice-send: {err}")
        return json.loads(out)["sent"]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Found:
    """Found records. Those of one host must be added in the order of their log."""

    def __init__(self):
        self._times = {}  # number of times that each number of a host was found
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
        """The number of additional copies of records."""
        return self.count - self.different()
