"""The packages' files for Prometheus and Grafana: promtool reads the alerts and raises them, and
sluice serves every metric that they and the dashboard name."""
import json
import pathlib
import re
import subprocess

from metrics_client import MetricsClient
from shell import ConsumerTest, main
from sluice_program import DEADLINE, RIEMANN, SLUICE

MONITORING = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packaging" / "monitoring"
ALERTS = MONITORING / "sluice-alerts.yaml"
DASHBOARD = json.loads((MONITORING / "sluice-dashboard.json").read_text(encoding="utf-8"))
METRIC = re.compile(r"\b(?:sluice|process)_[a-z_]+\b")

# Series over time, and the alert that they raise; without the last one nothing is raised.
RAISED = {
    "SluiceDropsInTheKernel": {
        'sluice_listener_kernel_drops_total{listener="udp://h:1"}': "0+60x30"},
    "SluiceHasNoBuffers": {
        'sluice_listener_refused_total{listener="udp://h:1",reason="no_buffer"}': "0+60x30"},
    "SluiceRefusesDatagrams": {
        'sluice_listener_received_total{listener="udp://h:1"}': "0+600x60",
        'sluice_listener_refused_total{listener="udp://h:1",reason="malformed"}': "0+60x60"},
    "SluiceSinkLosesRecords": {
        'sluice_sink_evicted_total{sink="stdout:"}': "0x30",
        'sluice_sink_failed_total{sink="stdout:",reason="io_error"}': "0x30",
        'sluice_sink_refused_total{sink="stdout:",reason="ring_full"}': "0+60x30"},
    "SluiceQueueIsFillingUp": {
        'sluice_sink_queue_fill_ratio{sink="stdout:"}': "0.9x30"},
    "SluiceSinkFails": {'sluice_sink_failing_seconds{sink="stdout:"}': "0+60x30"},
    "SluiceSinkHasEnded": {'sluice_sink_ended{sink="stdout:"}': "1x30"},
    "SluiceLosesSendersDatagrams": {
        'sluice_listener_received_total{listener="udp://h:1"}': "0+600x60",
        'sluice_listener_lost_total{listener="udp://h:1"}': "0+60x60"},
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
        """The metrics of a program with all kinds of listeners and sinks; the glossary contains all
        of them."""
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
        named = {"the alerts": set(METRIC.findall(ALERTS.read_text(encoding="utf-8")))}
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
        done = subprocess.run([SLUICE, "explain", *words], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_alert_is_raised_by_what_it_is_about_and_by_that_alone(self):
        groups = re.findall(r"- alert: (\w+)", ALERTS.read_text(encoding="utf-8"))
        self.assertEqual(sorted(RAISED), sorted(groups))
        for alert, series in RAISED.items():
            with self.subTest(alert):
                self.assertEqual(self.raised(series), [alert])
                quiet = {name: "0x60" for name in series}
                self.assertEqual(self.raised(quiet), [])

    def raised(self, series):
        """The alerts that are raised after 31 minutes, or pending none: those that promtool finds
        where it is told that there are none."""
        lines = ["rule_files:", f"  - {ALERTS}", "evaluation_interval: 1m", "tests:",
                 "  - interval: 1m", "    input_series:"]
        for name, values in series.items():
            lines += [f"      - series: '{name}'", f"        values: '{values}'"]
        lines += ["    alert_rule_test:"]
        for alert in RAISED:
            lines += ["      - eval_time: 30m", f"        alertname: {alert}"]
        path = self.folder / "test.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = promtool("test", "rules", path)
        return sorted(set(re.findall(r"alertname: ?(\w+), time: 30m", said.stdout + said.stderr)))

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
