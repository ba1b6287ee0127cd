"""Runs VictoriaMetrics for one test, with a separate storage."""
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from ports import free_port
from sluice_program import DEADLINE

TRIES = 3  # attempts, because another program may take the port before the store binds it


class VictoriaMetrics:
    """Runs until it is closed. `url` is its address, without a slash at the end."""

    def __init__(self, folder):
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        self._log = folder / "victoria-metrics.log"
        for _ in range(TRIES):
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            with open(self._log, "wb") as log:
                self._process = subprocess.Popen(
                    ["victoria-metrics", f"-httpListenAddr=127.0.0.1:{port}",
                     f"-storageDataPath={folder / 'storage'}", "-retentionPeriod=100y",
                     "-memory.allowedBytes=64MiB"],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            if self._is_up():
                return
        raise AssertionError("VictoriaMetrics does not start:\n" + self.said())

    def _is_up(self):
        """Waits until the store answers. Returns false if it has ended."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and self._process.poll() is None:
            try:
                return self._get("/health") == "OK"
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.02)
        self.close()
        return False

    def said(self):
        return self._log.read_text(encoding="utf-8", errors="replace")

    def close(self):
        if self._process.poll() is None:
            self._process.kill()  # kill, because its storage is not kept
        self._process.wait()

    def _get(self, path, **parameters):
        with self._open(f"{self.url}{path}?{urllib.parse.urlencode(parameters)}",
                        timeout=DEADLINE) as answer:
            return answer.read().decode("utf-8")

    def samples(self):
        """All samples of the store: value by name, labels (a frozen set of pairs) and time in
        ms."""
        self._get("/internal/force_flush")
        found = {}
        for line in self._get("/api/v1/export", **{"match[]": '{__name__!=""}', "start": 0,
                                                   "end": time.time() + 60}).splitlines():
            head, key, values = line.rpartition('"values":')
            # Infinities are +Inf and -Inf, or strings in later versions. Python expects -Infinity.
            series = json.loads(head + key + re.sub(r'"?\+?(-?)Inf(?:inity)?"?', r"\1Infinity",
                                                    values))
            labels = series["metric"]
            name = labels.pop("__name__")
            for moment, value in zip(series["timestamps"], series["values"], strict=True):
                key = (name, frozenset(labels.items()), moment)
                if key in found:
                    raise AssertionError(f"kept twice: {key}")
                found[key] = value
        return found

    def query(self, expression, seconds):
        """The result of a PromQL query at a time: pairs of labels and value."""
        answer = json.loads(self._get("/api/v1/query", query=expression, time=seconds))
        if answer["status"] != "success":
            raise AssertionError(f"{expression}: {answer}")
        return [(result["metric"], float(result["value"][1]))
                for result in answer["data"]["result"]]
