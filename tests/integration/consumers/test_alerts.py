"""Raises each alert of the packages in a real Prometheus. Asserts that no other alert is raised,
neither during the cause nor after it.

Each cause has a separate sluice, and one Prometheus scrapes all of them. To reduce half an hour to
a minute, all times in the rules are divided by FASTER: windows, thresholds in seconds, and how long
a condition must hold. Otherwise the rules are those of the packages.

SluiceHasNoBuffers is tested in test_monitoring.py: the pool has a batch for each slot of each
queue, so datagrams do not exhaust it."""
import contextlib
import os
import re
import signal
import socket
import threading
import time

from http_store import Store
from metrics_client import MetricsClient
from ports import free_port
from prometheus import Prometheus
from protobuf import gauge, metric
from shell import ConsumerTest, main
from sluice_program import RIEMANN, TELEMETRY, Flood
from test_monitoring import ALERTS
from test_tcp import TCP, framed

FASTER = 30
PATIENCE = 150  # seconds
SECONDS = {"s": 1, "m": 60}

CONFIG = """
global:
  scrape_interval: 500ms
  evaluation_interval: 500ms
rule_files:
  - {rules}
scrape_configs:
  - job_name: sluice
    static_configs:
      - targets: {targets}
"""


def faster(rules):
    """The rules with all times divided by FASTER."""
    rules = re.sub(r"(\[|for: )(\d+)([sm])(?=\]|$)", lambda found:
                   f"{found[1]}{int(found[2]) * SECONDS[found[3]] * 1000 // FASTER}ms",
                   rules, flags=re.M)
    return re.sub(r"(_seconds(?:\[\d+ms\]\))?) > (\d+)", lambda found:
                  f"{found[1]} > {int(found[2]) / FASTER:g}", rules)


class Reader:
    """Reads a pipe slowly: `piece` bytes five times a second (0: none). Once `awake` is set, it
    reads everything."""

    def __init__(self, piece):
        self.descriptor, self.writer = os.pipe()
        self.awake = threading.Event()
        threading.Thread(target=self._run, args=(piece,), daemon=True).start()

    def _run(self, piece):
        if piece == 0:
            self.awake.wait()
        while os.read(self.descriptor, 1 << 20 if self.awake.is_set() else piece):
            self.awake.wait(0.2)
        os.close(self.descriptor)


class Numbered:
    """Makes numbered datagrams. After each one it skips `gap` numbers."""

    def __init__(self, gap=0):
        self.step = 1 + gap

    def __call__(self, number):
        return gauge("v", float(number), sender="web", boot=1, sequence=1 + number * self.step)


class Alerts(ConsumerTest):
    def setUp(self):
        super().setUp()
        self.causes = {}  # for each instance, the expected alert, or None
        self.floods, self.ends = [], []

    def run_sluice(self, alert, *arguments, listeners=1, **more):
        """A sluice that is expected to raise this alert only."""
        program = self.start("--metrics", "127.0.0.1:0", "--stop-timeout", "0s", *arguments,
                             listeners=listeners, **more)
        client = MetricsClient(program)
        self.causes[f"{client.host}:{client.port}"] = alert
        return program

    def pour(self, program, make, listener=0):
        flood = Flood(program, make, listener)
        self.floods.append(flood)
        self.addCleanup(flood.end)

    def repeat(self, action):
        """Calls `action` four times a second until the causes end."""
        ended = threading.Event()

        def run():
            while not ended.wait(0.25):
                action()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def end():
            ended.set()
            thread.join()
        self.ends.append(end)
        self.addCleanup(end)

    def file(self, name):
        return ("--sink", f"file:{self.folder}/{name}")

    def piped(self, alert, piece, *arguments, **more):
        """A sluice whose standard output is a pipe with a slow reader."""
        reader = Reader(piece)
        program = self.run_sluice(alert, *arguments, "--sink", "stdout:", stdout=reader.writer,
                                  **more)
        os.close(reader.writer)
        self.addCleanup(reader.awake.set)
        self.ends.append(reader.awake.set)
        return program

    # The causes of alerts.

    def healthy(self):
        self.pour(self.run_sluice(None, "--listen", TELEMETRY, *self.file("healthy")), Numbered())

    def dropping(self):
        """Sends numbered datagrams while the program cannot receive, so that sequence numbers are
        also missing."""
        program = self.run_sluice("SluiceDropsInTheKernel", "--listen",
                                  TELEMETRY + "&receive_buffer=4KiB", *self.file("dropping"))
        sender, make, sent = self.sender(program), Numbered(), [0]

        def burst():
            program.freeze()
            for _ in range(100):
                sent[0] += 1
                sender.send(make(sent[0]))
            program.send_signal(signal.SIGCONT)
        self.repeat(burst)

    def refusing(self):
        program = self.run_sluice("SluiceRefusesDatagrams", "--listen", TELEMETRY,
                                  *self.file("refusing"))
        self.pour(program, lambda number: b"\xff" if number % 10 == 0 else Numbered()(number))

    def losing(self):
        program = self.piped("SluiceSinkLosesRecords", 4096, "--listen", TELEMETRY, "--listen",
                             RIEMANN, listeners=2)
        self.pour(program, Numbered())

    def filling(self):
        """A TCP client sends as fast as the program reads."""
        program = self.piped("SluiceQueueIsFillingUp", 4096, "--listen", TCP)
        client = socket.create_connection(("127.0.0.1", program.port()))
        frames = b"".join(framed(metric(number)) for number in range(50))

        def send():
            with contextlib.suppress(OSError):  # until the connection ends
                while True:
                    client.sendall(frames)

        def read_answers():
            with contextlib.suppress(OSError):
                while client.recv(65536):
                    pass
        for action in (send, read_answers):
            threading.Thread(target=action, daemon=True).start()

        def end():
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        self.ends.append(end)
        self.addCleanup(client.close)
        self.addCleanup(end)

    def failing(self):
        port = free_port()
        sink = f"http://127.0.0.1:{port}/write?format=json&timeout=1s"
        self.pour(self.run_sluice("SluiceSinkFails", "--listen", TELEMETRY, "--sink", sink),
                  Numbered())

        def end():
            """The sink fails until it has delivered records. So records must still be sent when the
            store is back."""
            store = Store(port=port)
            self.addCleanup(store.close)
            store.wait_for_requests(1)
        self.ends.append(end)

    def stalled(self):
        """Uses several listeners, because the queue refuses all of them before all of its slots are
        used."""
        program = self.piped("SluiceSinkFails", 0, *["--listen", TELEMETRY] * 5, listeners=5)
        for listener in range(5):
            self.pour(program, Numbered(), listener)

    def ended(self):
        reader, writer = os.pipe()
        program = self.run_sluice("SluiceSinkHasEnded", "--listen", TELEMETRY, "--sink", "stdout:",
                                  *self.file("ended"), stdout=writer)
        os.close(writer)
        os.close(reader)
        self.pour(program, Numbered())

    def missing(self):
        program = self.run_sluice("SluiceLosesSendersDatagrams", "--listen", TELEMETRY,
                                  *self.file("missing"))
        self.pour(program, Numbered(gap=1))

    # Checks of the alerts.

    def raised(self):
        """For each instance the alerts that have been raised so far."""
        found = {instance: set() for instance in self.causes}
        for series in self.prometheus.query('max_over_time(ALERTS{alertstate="firing"}[1h])'):
            labels = dict(series)
            found[labels["instance"]].add(labels["alertname"])
        return found

    def now_raised(self):
        return {alert["labels"]["alertname"] for alert in self.prometheus.alerts()}

    def wait_for(self, look, expected):
        """Waits until look() returns what is expected: the longest windows are 30 s."""
        end = time.monotonic() + PATIENCE
        while look() != expected and time.monotonic() < end:
            time.sleep(0.5)
        self.assertEqual(look(), expected)

    def check_texts(self):
        """Asserts that the annotations are filled in, and do not use prefixes for thousandths or
        millions."""
        for alert in self.prometheus.alerts():
            text = " ".join(alert["annotations"].values())
            self.assertNotRegex(text, r"<|%!|\{\{|\d[mk] |e[+-]\d")
            self.assertRegex(text, "sluice explain [a-z_]")

    def test_each_alert_is_raised_by_its_cause_only(self):
        for cause in (self.healthy, self.dropping, self.refusing, self.losing, self.filling,
                      self.failing, self.stalled, self.ended, self.missing):
            cause()
        rules = self.folder / "rules.yaml"
        rules.write_text(faster(ALERTS.read_text(encoding="utf-8")), encoding="utf-8")
        self.prometheus = Prometheus(self.folder, CONFIG.format(rules=rules,
                                                                targets=list(self.causes)))
        self.addCleanup(self.prometheus.close)
        self.prometheus.wait_until_up()
        expected = {instance: {alert} if alert else set()
                    for instance, alert in self.causes.items()}
        self.wait_for(self.raised, expected)
        self.check_texts()
        for each in self.ends + [flood.end for flood in self.floods]:
            each()
        self.wait_for(self.now_raised, {"SluiceSinkHasEnded"})
        time.sleep(6 * 60 / FASTER)
        self.assertEqual(self.raised(), expected)


if __name__ == "__main__":
    main("prometheus")
