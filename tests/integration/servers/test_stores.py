"""Stores that receive records by HTTP: a query must return every number that was sent."""
import time

from forwarded import Forwarded
from load import RECORDS, SOURCES, Load
from server_group import ServerGroup, main
from sluice_program import RIEMANN, ProgramTest, settled
from store_reading import prometheus_found, victoria_metrics_found

SETTLING = 300  # seconds until all is acknowledged


class StoreTest(ProgramTest):
    """Tests with buffers in memory, because a store on the same machine may be slow for some time.
    """

    def deliver(self, *sinks, sources=SOURCES):
        """Sends the load to these sinks. Returns each sink's entry of the ledger, and the number
        of records."""
        words = [word for sink in sinks for word in ("--sink", sink)]
        program = self.start("--listen", RIEMANN + "&receive_buffer=16MiB", "--memory", "512MiB",
                             *words)
        sent = Load(self, program.port(), RECORDS // sources * sources, sources=sources).wait()
        end = time.monotonic() + SETTLING
        while not all(settled(sink) >= sent for sink in program.ledger_now()["sinks"]):
            self.assertLess(time.monotonic(), end, "some outcomes are unknown")
            time.sleep(0.2)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["decoded"], sent)
        for sink in ledger["sinks"]:
            self.assertEqual(sink["written"], sent)
        return ledger["sinks"], sent

    def check(self, what, sink, sent, found):
        """Asserts that each number is there, and none twice except records that were possibly sent
        again."""
        print(f"{self.id()}: {what}: sent {sent}, returned {found.different()}, more than once "
              f"{found.twice()}, possible duplicates {sink['possible_duplicates']}", flush=True)
        self.assertEqual(found.different(), sent)
        self.assertLessEqual(found.twice(), sink["possible_duplicates"])


class VictoriaMetrics(StoreTest):
    def test_influx_and_prometheus_return_every_number(self):
        group = ServerGroup(self, "victoria-metrics")
        url = f"http://{group.address}"
        sinks, sent = self.deliver(f"{url}/write?format=influx",
                                   f"{url}/api/v1/import/prometheus?format=prometheus")
        for sink, name in zip(sinks, ("system.cpu.usage_value", "system_cpu_usage")):
            self.check(name, sink, sent, victoria_metrics_found(url, name))


class Prometheus(StoreTest):
    def test_remote_write_returns_every_number(self):
        """A series keeps one value per millisecond, so no source sends twice in one."""
        group = ServerGroup(self, "prometheus")
        url = f"http://{group.address}"
        (sink,), sent = self.deliver(f"{url}/api/v1/write?format=remote-write", sources=1000)
        self.check("remote-write", sink, sent, prometheus_found(url, "system_cpu_usage"))


class OpenTelemetry(StoreTest):
    def test_a_collector_sends_on_every_number(self):
        forwarded = Forwarded(self)
        group = ServerGroup(self, "otelcol", forward=forwarded.url)
        (sink,), sent = self.deliver(f"http://{group.address}/v1/metrics?format=otlp")
        self.check("otlp", sink, sent, forwarded.found)


if __name__ == "__main__":
    main()
