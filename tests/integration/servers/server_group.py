"""Groups of real servers, run by tools/servers. A test is skipped if they cannot be fetched."""
import os
import pathlib
import subprocess
import sys
import unittest

from built import SKIPPED, skip

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "tools" / "servers"
PACKAGES = os.environ.get("TEST_SERVER_PACKAGES", ROOT / "build" / "servers")
LONGEST = 300  # seconds for a start
FETCHING = 1800  # seconds


def tools_servers(*words, limit=LONGEST):
    """Runs tools/servers. Returns the finished process."""
    return subprocess.run([sys.executable, TOOL, "--packages", PACKAGES, *map(str, words)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit,
                          check=False)


class ServerGroup:
    """Runs until the test ends. `places` has ADDRESS:PORT of each node, for clients."""

    def __init__(self, test, kind, nodes=1, **options):
        fetched = tools_servers("fetch", kind, limit=FETCHING)
        if fetched.returncode == SKIPPED:
            test.skipTest(fetched.stderr.strip())
        self.folder = test.folder / f"{kind}-{nodes}"
        self.nodes = [f"n{number + 1}" for number in range(nodes)]
        test.addCleanup(self._close)
        more = [word for name, value in options.items()
                for word in ((f"--{name}",) if value is True else (f"--{name}", value))]
        self.places = self._run("start", kind, self.folder, "--nodes", nodes,
                                *more).strip().split(",")

    def _run(self, *words):
        done = tools_servers(*words)
        if done.returncode != 0:
            raise AssertionError(f"tools/servers {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def _close(self):
        if (self.folder / "servers.json").exists():
            self._run("kill", self.folder)  # killed, because its data is not kept

    @property
    def address(self):
        """The addresses of all nodes, separated by commas as in a sink's URL."""
        return ",".join(self.places)

    def place(self, port, name="n1"):
        """ADDRESS:PORT of a node, for the port with this name."""
        node, = (line.split() for line in self._run("list", self.folder).splitlines()
                 if line.startswith(f"{name} "))
        return dict(word.split("=") for word in node[4:])[port]

    def kill(self, *names):
        """Kills these nodes, or all, as in a crash."""
        self._run("kill", self.folder, *names)

    def resume(self, *names):
        """Starts killed nodes again. Returns when they answer."""
        self._run("resume", self.folder, *names)

    def log(self, name="n1"):
        return (self.folder / name / "log").read_text(encoding="utf-8", errors="replace")


def main():
    """Runs the tests of the calling script. If all were skipped, the script counts as skipped."""
    result = unittest.main(exit=False).result
    reasons = {reason for _, reason in result.skipped}
    if result.wasSuccessful() and result.testsRun == len(result.skipped):
        skip("; ".join(sorted(reasons)))
    sys.exit(0 if result.wasSuccessful() else 1)
