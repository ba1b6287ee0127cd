"""After outages, reloads, and clients that have come and gone, every gauge returns to its earlier
value, and limited resources can be used as often as at first."""
import json
import re
import unittest

from http_store import Store
from metrics_client import MetricsClient, read_page
from ports import free_port
from protobuf import metric
from sluice_program import CHANGED, RIEMANN, ProgramTest, wait_until
from test_config import READS_FILES
from test_metrics import SERVES
from test_tcp import OK, TCP, Client, framed

ROUNDS = 4
CONNECTIONS = 5
# Gauges that may have other values when the program is idle again.
MEASURED = re.compile(r"sluice_uptime_seconds|process_.*")
# Gauges that are 0 when the program is idle.
NOTHING = ("listener_open_connections", "sink_in_flight_records", "sink_queue_batches",
           "sink_queue_large_batches", "sink_queue_fill_ratio", "sink_waiting_seconds",
           "sink_failing_seconds", "sink_oldest_seconds", "sink_spill_bytes",
           "sink_requests_in_flight", "sink_ended")


@unittest.skipUnless(READS_FILES and SERVES, "this program was built without YAML or metrics")
class Gauges(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.config = self.folder / "sluice.yaml"
        self.changes = 0

    def write(self, changed):
        """Writes the configuration. `changed`: with other settings and one more listener."""
        timeout, frame, more = ("20s", "32KiB", [RIEMANN + "&max_decoded=64KiB"]) if changed else (
            "30s", "64KiB", [])
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({
            "metrics": "127.0.0.1:0",
            "listeners": [RIEMANN, f"{TCP}&max_connections={CONNECTIONS}&max_frame={frame}", *more],
            "sinks": [f"http://127.0.0.1:{self.port}/write?format=json&flush_interval=20ms"
                      f"&retry=at_least_once&timeout={timeout}&spill={self.folder / 'spill'}",
                      f"file:{self.folder / 'kept'}"]}), encoding="utf-8")
        new.replace(self.config)

    def reload(self, program, changed):
        self.write(changed)
        program.ask_to_reload()
        self.changes += 1
        program.wait_for_log(CHANGED, self.changes)

    def gauges(self):
        page = self.client.page()
        names = set(re.findall(r"^# TYPE (\S+) gauge$", page, re.M))
        return {key: value for key, value in read_page(page).items()
                if key[0] in names and not MEASURED.fullmatch(key[0])}

    def highest(self, name):
        return max(value for (each, _), value in self.gauges().items() if each == f"sluice_{name}")

    def wait_for_rest(self, before):
        """Waits until the gauges in NOTHING are 0, and all others have their values from before."""
        def differences():
            return {key: value for key, value in self.gauges().items()
                    if value != before.get(key, value) or
                    (value != 0 and key[0].removeprefix("sluice_") in NOTHING)}
        try:
            wait_until(lambda: not differences(), "all gauges are as they were")
        except AssertionError as error:
            raise AssertionError(f"{error}: {differences()}") from None

    def make_round(self, program, begin):
        """Records arrive during an outage, over the largest number of connections, and in
        datagrams."""
        clients = [Client(program, listener=1) for _ in range(CONNECTIONS)]
        for client in clients:
            self.addCleanup(client.socket.close)
            client.send(framed(metric(begin)))
            self.assertEqual(client.answer(), OK)
            client.send(framed(b"x" * 30000)[:20000])  # an incomplete frame
        self.assertEqual(self.highest("listener_open_connections"), CONNECTIONS)
        sender = self.sender(program)
        for number in range(40):
            sender.send(metric(begin + number))
        wait_until(lambda: self.highest("sink_spill_bytes") > 0, "records wait on disk")
        self.assertGreater(self.highest("sink_in_flight_records"), 0)
        self.reload(program, True)
        self.reload(program, False)
        for client in clients:
            client.socket.close()
        store = Store(port=self.port)
        self.addCleanup(store.close)
        wait_until(lambda: len(store.lines()) >= 40 + CONNECTIONS, "the store has all")
        return store

    def test_they_fall_back_after_outages_and_reloads(self):
        self.write(False)
        program = self.start("--config", self.config, listeners=2)
        self.client = MetricsClient(program)
        self.wait_for_rest({})
        before = self.gauges()
        for number in range(ROUNDS):
            store = self.make_round(program, 100 * number)
            self.wait_for_rest(before)
            store.close()
        program.stop()


if __name__ == "__main__":
    unittest.main()
