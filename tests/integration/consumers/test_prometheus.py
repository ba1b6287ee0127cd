"""Prometheus scrapes a running collector, and its queries return the ledger's numbers."""
from metrics_client import MetricsClient, numbers_of
from prometheus import Prometheus
from protobuf import gauge, telemetry
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import TELEMETRY, wait_until

OUR_LABELS = ("__name__", "job", "instance")
SCRAPES = "global:\n  scrape_interval: 500ms\n  scrape_timeout: 500ms\n"


class Scraped(ConsumerTest):
    def scraped(self, client):
        config = from_readme("scrape_configs:")
        self.assertIn("127.0.0.1:9126", config)
        prometheus = Prometheus(self.folder, SCRAPES + config.replace(
            "127.0.0.1:9126", f"{client.host}:{client.port}"))
        self.addCleanup(prometheus.close)
        prometheus.wait_until_up()
        return prometheus

    def kept(self, prometheus):
        """Our metrics in Prometheus, in the form of metrics_client.numbers_of."""
        found = {}
        for pairs, value in prometheus.query('{job="sluice"}').items():
            metric = dict(pairs)
            labels = frozenset(pair for pair in pairs if pair[0] not in OUR_LABELS)
            found[metric["__name__"], labels] = value
        return found

    def test_queries_return_the_ledgers_numbers(self):
        program = self.start("--listen", TELEMETRY + "&receivers=2", "--listen", TELEMETRY,
                             "--sink", f"file:{self.folder / 'out.json'}", "--metrics", "0",
                             "--dead-letter", f"file:{self.folder / 'dead.pcapng'}", listeners=2)
        prometheus = self.scraped(MetricsClient(program))
        for listener in range(2):
            self.sender(program, listener).send_all(
                [telemetry(gauge("a", number)) for number in range(300)] + [b"\xff"] * 9)
        program.wait_for_settled(600)
        program.wait_for_ledger(lambda ledger: ledger["dead_letters"]["kept"] == 18, "18 are kept")
        wanted = numbers_of(program.ledger_now())
        last = []

        def has_all():
            last[:] = [self.kept(prometheus)]
            return all(last[0].get(key) == value for key, value in wanted.items())
        try:
            wait_until(has_all, "Prometheus has the ledger's numbers")
        except AssertionError as error:
            wrong = {key: (value, last[0].get(key)) for key, value in wanted.items()
                     if last[0].get(key) != value}
            raise AssertionError(f"{error}: {list(wrong.items())[:5]}, "
                                 f"{prometheus.targets()}") from None
        self.assertGreater(len(wanted), 80)
        (total,) = prometheus.query('sum(sluice_listener_received_total)').values()
        self.assertEqual(total, 618)
        (balance,) = prometheus.query(
            "sum(sluice_listener_received_total) - sum(sluice_listener_decoded_total)"
            " - sum(sluice_listener_refused_total)").values()
        self.assertEqual(balance, 0)
        (latency,) = prometheus.query(
            "histogram_quantile(1, sum by (le) (sluice_receiver_decode_latency_seconds_bucket))"
        ).values()
        self.assertTrue(0 < latency < 30, latency)
        types = prometheus.metadata()
        self.assertEqual((types["sluice_build"], types["sluice_sink_write_seconds"],
                          types["sluice_sink_written"]), ("info", "histogram", "counter"))
        (target,) = prometheus.targets()
        self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        program.stop()


if __name__ == "__main__":
    main("prometheus")
