"""Tests the packages' files for Prometheus and Grafana. promtool accepts the alerts and raises
them, and sluice serves every metric that the alerts and the dashboard name."""
import json
import pathlib
import re
import subprocess

from built import WINDOWS, command
from metrics_client import MetricsClient
from shell import ConsumerTest, main
from sluice_program import DEADLINE, RIEMANN, SLUICE

MONITORING = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packaging" / "monitoring"
ALERTS = MONITORING / "sluice-alerts.yaml"
DASHBOARD = json.loads((MONITORING / "sluice-dashboard.json").read_text(encoding="utf-8"))
METRIC = re.compile(r"\b(?:sluice|process)_[a-z_]+\b")

# For each cause: the changed series of sluice, with one value a minute; the alert; and its text.
# The cause still exists when the alerts are checked. All other series are 0.
KERNEL_DROPS = "sluice_listener_kernel_drops_total"
RECEIVED = "sluice_listener_received_total"
LOST = "sluice_listener_lost_total"
NO_BUFFER = 'sluice_listener_refused_total{reason="no_buffer"}'
MALFORMED = 'sluice_listener_refused_total{reason="malformed"}'
RING_FULL = 'sluice_sink_refused_total{reason="ring_full"}'
SINK_ENDED = 'sluice_sink_refused_total{reason="sink_ended"}'
IO_ERROR = 'sluice_sink_failed_total{reason="io_error"}'
EVICTED = "sluice_sink_evicted_total"
UNKNOWN = "sluice_sink_unknown_total"
FILL = "sluice_sink_queue_fill_ratio"
FAILING = "sluice_sink_failing_seconds"
WAITING = "sluice_sink_waiting_seconds"
ENDED = "sluice_sink_ended"
SERIES = (KERNEL_DROPS, RECEIVED, LOST, NO_BUFFER, MALFORMED, RING_FULL, SINK_ENDED, IO_ERROR,
          EVICTED, UNKNOWN, FILL, FAILING, WAITING, ENDED)

RISES, OFTEN = "0+60x90", "0+600x90"  # one per second, ten per second

CAUSES = {
    "drops of the kernel, also of numbered datagrams": (
        "SluiceDropsInTheKernel", "300 did not fit",
        {RECEIVED: OFTEN, KERNEL_DROPS: RISES, LOST: RISES}),
    "no batch for numbered datagrams": (
        "SluiceHasNoBuffers", "300 datagrams were lost",
        {RECEIVED: OFTEN, NO_BUFFER: RISES, LOST: RISES}),
    "a sender of another schema": (
        "SluiceRefusesDatagrams", "10% of what it receives",
        {RECEIVED: OFTEN, MALFORMED: RISES}),
    "loss in the network": (
        "SluiceLosesSendersDatagrams", "9.091% are missing",
        {RECEIVED: OFTEN, LOST: RISES}),
    "a slow sink": (
        "SluiceSinkLosesRecords", "ring_full (300)",
        {RING_FULL: RISES, FILL: "1x90"}),
    "records that cannot be written": (
        "SluiceSinkLosesRecords", "io_error (300)",
        {IO_ERROR: RISES}),
    "a slow sink that evicts": (
        "SluiceSinkLosesRecords", "300 records were lost",
        {EVICTED: RISES, FILL: "0.9x90"}),
    "outages that are shorter than a minute": (
        "SluiceSinkLosesRecords", "ring_full (300)",
        {RING_FULL: RISES, FILL: "1x90", FAILING: "0 50 0 50 0 50 0x90"}),
    "a sink that is slower than TCP": (
        "SluiceQueueIsFillingUp", "at 75 %",
        {FILL: "0.75x90", WAITING: "0.2x90"}),
    "a store that is away": (
        "SluiceSinkFails", " 300 of its records were lost",
        {FAILING: RISES, FILL: "1x90", RING_FULL: RISES}),
    "a reader that no longer reads": (
        "SluiceSinkFails", " 300 of its records were lost",
        {WAITING: RISES, FILL: "1x90", EVICTED: RISES}),
    "an outage with a spill": (
        "SluiceSinkFails", " 0 of its records were lost",
        {FAILING: RISES}),
    "a reader that has gone": (
        "SluiceSinkHasEnded", "Start its reader again",
        {ENDED: "1x90", SINK_ENDED: RISES, IO_ERROR: "0 9x90", FAILING: RISES}),
    "nothing": (
        None, "",
        {RECEIVED: OFTEN, FILL: "0.5x90", WAITING: "0.2x90"}),
    "an outage that has ended four minutes ago": (
        None, "",
        {FAILING: "0+60x35 0x60", RING_FULL: "0+60x35 2160x60", FILL: "1x35 0x60"}),
}


def promtool(*words):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)


def expressions():
    """Every query of the dashboard, with the panel or the variable that has it."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]


class Monitoring(ConsumerTest):
    def served(self):
        """The metrics of a program with all kinds of listeners and sinks. Asserts that the glossary
        contains all of them."""
        program = self.start("--listen", RIEMANN, "--listen", "tcp://127.0.0.1:0?schema=riemann",
                             "--sink", f"file:{self.folder}/lines", "--sink", "udp:127.0.0.1:9",
                             "--metrics", "127.0.0.1:0", listeners=2)
        page = MetricsClient(program).page()
        program.stop()
        return set(re.findall(r"(?m)^([a-z_]+)[{ ]", page))

    def test_promtool_reads_the_alerts(self):
        done = promtool("check", "rules", "--lint=all", "--lint-fatal", ALERTS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_metric_is_one_that_is_served(self):
        served = self.served()
        if WINDOWS:  # Windows does not count them
            served.add("sluice_listener_kernel_drops_total")
        alerts = re.sub(r"sluice_sink_\(([a-z|]+)\)_total", lambda found: " ".join(
            f"sluice_sink_{each}_total" for each in found[1].split("|")),
            ALERTS.read_text(encoding="utf-8"))
        named = {"the alerts": set(METRIC.findall(alerts))}
        for title, expression in expressions():
            named.setdefault(title, set()).update(METRIC.findall(expression))
        self.assertGreater(len(named), 20)
        for title, names in named.items():
            self.assertNotEqual(names, set(), title)
            self.assertEqual(names - served, set(), title)

    def test_every_word_to_be_explained_is(self):
        text = " ".join(ALERTS.read_text(encoding="utf-8").split())
        words = " ".join(re.findall(r"\(sluice explain ([a-z_ ]+)\)", text)).split()
        self.assertGreater(len(words), 5)
        done = subprocess.run(command(SLUICE, "explain", *words), capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_cause_raises_its_alert_and_no_other(self):
        alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text(encoding="utf-8"))
        self.assertEqual({alert for alert, _, _ in CAUSES.values()} - {None}, set(alerts))
        for cause, (alert, text, changed) in CAUSES.items():
            with self.subTest(cause):
                said = self.raised(alerts, changed)
                self.assertEqual(set(re.findall(r"alertname: ?(\w+), time: 40m", said)),
                                 {alert} - {None}, said)
                self.assertIn(text, said)

    def raised(self, alerts, changed):
        """Returns the output of promtool, which compares the alerts after 40 minutes with an empty
        list. So the output contains the raised alerts."""
        lines = ["rule_files:", f"  - {ALERTS}", "evaluation_interval: 1m", "tests:",
                 "  - interval: 1m", "    input_series:"]
        for series in SERIES:
            name, _, reason = series.partition("{")
            of = 'listener="udp://h:1"' if "_listener_" in name else 'sink="http://h/w"'
            labels = ",".join(['instance="h:9"', 'job="sluice"', of, *filter(None, [reason[:-1]])])
            lines += [f"      - series: '{name}{{{labels}}}'",
                      f"        values: '{changed.get(series, '0x90')}'"]
        lines += ["    alert_rule_test:"]
        for alert in alerts:
            lines += ["      - eval_time: 40m", f"        alertname: {alert}"]
        path = self.folder / "test.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = promtool("test", "rules", path)
        return said.stdout + said.stderr

    def test_the_dashboard_is_one(self):
        panels = DASHBOARD["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        for key in ("title", "uid", "schemaVersion", "templating", "time"):
            self.assertIn(key, DASHBOARD)
        places = set()
        for panel in panels:
            box = panel["gridPos"]
            self.assertLessEqual(box["x"] + box["w"], 24, panel["title"])
            for x in range(box["x"], box["x"] + box["w"]):
                for y in range(box["y"], box["y"] + box["h"]):
                    self.assertNotIn((x, y), places, panel["title"])
                    places.add((x, y))
            if panel["type"] != "row":
                self.assertTrue(panel["targets"], panel["title"])
                self.assertIn(panel["type"], ("timeseries", "stat"))
                self.assertEqual(len({each["refId"] for each in panel["targets"]}),
                                 len(panel["targets"]))

    def test_what_a_listener_of_connections_loses_is_on_the_dashboard(self):
        """A listener of connections has no kernel drops."""
        expression = dict(expressions())["Lost before a sink"]
        expression = re.sub(r"\$(job|instance)", ".*", expression).replace("$__rate_interval", "5m")
        labels = 'job="sluice",instance="h:9",listener="tcp://h:1"'
        test = {"evaluation_interval": "1m", "tests": [{
            "interval": "1m",
            "input_series": [
                {"series": f'sluice_listener_refused_total{{{labels},reason="{reason}"}}',
                 "values": "0+60x20"} for reason in ("malformed", "control", "segment_repeated")],
            "promql_expr_test": [{"expr": expression, "eval_time": "10m",
                                  "exp_samples": [{"value": 1}]}]}]}
        path = self.folder / "test.yaml"
        path.write_text(json.dumps(test), encoding="utf-8")
        done = promtool("test", "rules", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_prometheus_reads_every_query_of_the_dashboard(self):
        rules = ["groups:", "  - name: dashboard", "    rules:"]
        for number, (_, expression) in enumerate(expressions()):
            if expression.startswith("label_values("):
                continue
            expression = expression.replace("$__rate_interval", "5m")
            rules += [f"      - record: panel:query:{number}",
                      f"        expr: {json.dumps(expression)}"]
        path = self.folder / "rules.yaml"
        path.write_text("\n".join(rules) + "\n", encoding="utf-8")
        done = promtool("check", "rules", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main("promtool")
