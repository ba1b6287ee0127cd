"""Runs Prometheus for one test, with a separate folder."""
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from sluice_program import DEADLINE, wait_until

LISTENS = "0A"  # the state of a TCP socket, in Linux' tables


def _listening_port(pid):
    """The port of the only listening socket of a process, or None if there is none yet. Prometheus
    does not report its port, so it is read from Linux."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(link))
        except FileNotFoundError:
            continue  # was closed since
        inodes.update(found.groups() if found else ())
    rows = (row.split() for row in
            pathlib.Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:])
    return next((int(row[1].rpartition(":")[2], 16) for row in rows
                 if row[3] == LISTENS and row[9] in inodes), None)


class Prometheus:
    """Runs until it is closed, and scrapes the targets of `config`, the text of its
    configuration."""

    def __init__(self, folder, config):
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self._log = folder / "prometheus.log"
        file = folder / "prometheus.yml"
        file.write_text(config, encoding="utf-8")
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                ["prometheus", f"--config.file={file}", "--web.listen-address=127.0.0.1:0",
                 f"--storage.tsdb.path={folder / 'prometheus'}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self._url = None

    def wait_until_up(self):
        wait_until(self._is_up, f"Prometheus answers; it said:\n{self.said()}")

    def _is_up(self):
        if self._process.poll() is not None:
            raise AssertionError("Prometheus has ended:\n" + self.said())
        port = _listening_port(self._process.pid)
        if port is None:
            return False
        self._url = f"http://127.0.0.1:{port}"
        try:
            with self._open(f"{self._url}/-/ready", timeout=DEADLINE) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def said(self):
        return self._log.read_text(encoding="utf-8", errors="replace")

    def close(self):
        if self._process.poll() is None:
            self._process.kill()  # kill, because its store is not kept
        self._process.wait()

    def _ask(self, path, **parameters):
        with self._open(f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}",
                        timeout=DEADLINE) as answer:
            told = json.load(answer)
        if told["status"] != "success":
            raise AssertionError(f"{path} {parameters}: {told}")
        return told["data"]

    def query(self, expression):
        """The present result of a PromQL query: value by labels, which are a frozen set of
        pairs."""
        return {frozenset(result["metric"].items()): float(result["value"][1])
                for result in self._ask("query", query=expression)["result"]}

    def alerts(self):
        """The alerts that are pending or raised, with their annotations."""
        return self._ask("alerts")["alerts"]

    def targets(self):
        return self._ask("targets")["activeTargets"]

    def metadata(self):
        """Types of metric families by their names."""
        return {name: entries[0]["type"] for name, entries in self._ask("metadata").items()}
