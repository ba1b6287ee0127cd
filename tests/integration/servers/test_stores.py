"""Stores that take records by HTTP: a query returns every number that was sent to them."""
import json
import time
import urllib.parse
import urllib.request

from load import RECORDS, SOURCES, Found, Load
from server_group import ServerGroup, main
from sluice_program import RIEMANN, ProgramTest, settled

SETTLING = 300  # seconds until all is acknowledged
QUERY_LIMIT = 300  # seconds


def ask(url, **parameters):
    """What the store answers: parsed lines."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url}?{urllib.parse.urlencode(parameters)}", timeout=QUERY_LIMIT) as answer:
        for line in answer:
            if line.strip():
                yield json.loads(line)


class StoreTest(ProgramTest):
    """Records have room in memory: a store on the same machine may be slow for a while."""

    def deliver(self, *sinks):
        """Sends the load to these sinks. Returns what the ledger says of each, and how many."""
        words = [word for sink in sinks for word in ("--sink", sink)]
        program = self.start("--listen", RIEMANN + "&receive_buffer=16MiB", "--memory", "512MiB",
                             *words)
        sent = Load(self, program.port(), RECORDS // SOURCES * SOURCES).wait()
        end = time.monotonic() + SETTLING
        while not all(settled(sink) >= sent for sink in program.ledger_now()["sinks"]):
            self.assertLess(time.monotonic(), end, "not everything is settled")
            time.sleep(0.2)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], sent)
        for sink in ledger["sinks"]:
            self.assertEqual(sink["written"], sent)
        return ledger["sinks"], sent


class VictoriaMetrics(StoreTest):
    def found(self, url, name):
        """The numbers that the store has under this name, by the host that sent them."""
        found = Found()
        list(ask(f"{url}/internal/force_flush"))
        for series in ask(f"{url}/api/v1/export", **{"match[]": f'{{__name__="{name}"}}'}):
            for value in series["values"]:
                found.add(series["metric"]["host"], int(value))
        return found

    def test_influx_and_prometheus_return_every_number(self):
        group = ServerGroup(self, "victoria-metrics")
        url = f"http://{group.address}"
        sinks, sent = self.deliver(f"{url}/write?format=influx",
                                   f"{url}/api/v1/import/prometheus?format=prometheus")
        for sink, name in zip(sinks, ("system.cpu.usage_value", "system_cpu_usage")):
            found = self.found(url, name)
            print(f"{self.id()}: {name}: sent {sent}, returned {found.different()}, more than once "
                  f"{found.twice()}, possible duplicates {sink['possible_duplicates']}", flush=True)
            self.assertEqual(found.different(), sent)
            self.assertLessEqual(found.twice(), sink["possible_duplicates"])


if __name__ == "__main__":
    main()
