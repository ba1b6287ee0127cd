"""A client of --metrics: its pages, and the numbers on them."""
import collections
import http.client
import re

from built import WINDOWS
from format_reading import LABEL, UNESCAPED
from sluice_program import DEADLINE, built_with, parse_json, wait_until

SERVES = built_with("metrics")

SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def text(self):
        return self.body.decode("utf-8")


class MetricsClient:
    """Finds the address of --metrics in the program's log."""

    def __init__(self, program):
        found = program.wait_for_log(r"metrics at http://(\S+):(\d+)/metrics$")[0]
        self.host, self.port = found[1].decode().strip("[]"), int(found[2])

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=DEADLINE)
        try:
            connection.request(method, path, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def page(self, accept="*/*"):
        answer = self.ask("/metrics", Accept=accept)
        if answer.status != 200:
            raise AssertionError(f"{answer.status}: {answer.body!r}")
        return answer.text()

    def numbers(self, accept="*/*"):
        """The values by (name, frozen set of labels). Fails if one occurs twice."""
        return read_page(self.page(accept))

    def health(self):
        """The status code and the answer, without the state of the sandbox, which depends on the
        system."""
        answer = self.ask("/healthz")
        health = parse_json(answer.text())
        del health["sandbox"]
        return answer.status, health

    def wait_for_health(self, reached, what):
        """Repeats the request until reached(health) is true. Returns the code and the answer."""
        answers = []

        def asked():
            answers.append(self.health())
            return reached(answers[-1][1])
        wait_until(asked, what)
        return answers[-1]


def read_page(text):
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        pairs = frozenset((key, re.sub(r"\\.", lambda escape: UNESCAPED[escape[0]], quoted))
                          for key, quoted in LABEL.findall(labels or ""))
        if (name, pairs) in found:
            raise AssertionError(f"twice on the page: {line}")
        found[name, pairs] = float(value)
    return found


def labels(**pairs):
    return frozenset(pairs.items())


def numbers_of(ledger):
    """The expected content of the page for a ledger in JSON: values by name and labels. Windows
    does not count kernel drops. Listeners or sinks with the same name, of which a reload may have
    retired one, are added up."""
    found = collections.Counter()
    for listener in ledger["listeners"]:
        name = listener["name"]
        for term, value in listener.items():
            if term in ("name", "kind", "schema", "retired", "kernel_drops_unit"):
                continue
            if term == "reasons":
                for reason, count in value.items():
                    found["sluice_listener_refused_total",
                          labels(listener=name, reason=reason)] += count
            elif term == "in_assembly":
                found["sluice_listener_in_assembly", labels(listener=name)] += value
            elif term != "kernel_drops" or (listener["kind"] == "udp" and not WINDOWS):
                found[f"sluice_listener_{term}_total", labels(listener=name)] += value
    for sink in ledger["sinks"]:
        name = sink["name"]
        for term, value in sink.items():
            if term in ("refused", "failed"):
                for reason, count in value.items():
                    found[f"sluice_sink_{term}_total", labels(sink=name, reason=reason)] += count
            elif term == "in_flight":
                found["sluice_sink_in_flight_records", labels(sink=name)] += value
            elif term == "spilled":
                found["sluice_sink_spilled", labels(sink=name)] += value
            elif term not in ("name", "retired", "messages"):
                found[f"sluice_sink_{term}_total", labels(sink=name)] += value
    for term, value in ledger.get("dead_letters", {}).items():
        if term == "dropped":
            for reason, count in value.items():
                found["sluice_dead_letters_dropped_total", labels(reason=reason)] += count
        elif term != "name":
            found[f"sluice_dead_letters_{term}_total", frozenset()] += value
    return dict(found)
