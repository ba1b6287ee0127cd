"""A spill belongs to one sink: other sinks do not send its records, and missing ones are counted as
lost."""
import errno
import json
import shutil
import unittest

from http_store import Store
from metrics_client import SERVES, MetricsClient
from ports import free_port
from protobuf import metric
from sluice_program import CHANGED, RIEMANN, ProgramTest, built_with
from spill_reading import wait_for_records
from test_config import READS_FILES

COUNT = 50


def remove_while_written(folder):
    """Removes a folder in which another process creates files."""
    while True:
        try:
            shutil.rmtree(folder)
            return
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise


class Kept(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.spill = self.folder / "spill"

    def sink(self, scheme="http", place="write", form="json"):
        return (f"{scheme}://127.0.0.1:{self.port}/{place}?format={form}&flush_interval=20ms"
                f"&in_flight=1&spill={self.spill}")

    def fill(self, program, begin=0, end=COUNT):
        sender = self.sender(program)
        sender.send(metric(begin))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["write_errors"] > 0, "it is away")
        for number in range(begin + 1, end):
            sender.send(metric(number))
        wait_for_records(self.spill, end - begin)

    def fill_and_stop(self, *arguments):
        program = self.start("--listen", RIEMANN, "--sink", self.sink(), *arguments)
        self.fill(program)
        self.assertEqual(program.stop()["sinks"][0]["spilled"], COUNT)

    def command(self, *arguments, code=0):
        program, _ = self.run_to_end(*arguments, ledger=None, code=code)
        lines = [line.decode().rstrip("\n") for line in program.stdout.lines()]
        return lines, "\n".join(program.said())

    @unittest.skipUnless(SERVES, "this program was built without metrics")
    def test_another_format_or_destination_keeps_them_and_the_first_one_sends_them(self):
        self.fill_and_stop()
        store = Store(port=self.port)
        self.addCleanup(store.close)
        others = [self.sink(form="influx"), self.sink(form="otlp")]
        if built_with("nats"):
            others += self.sink("nats", "old.subject"), self.sink("nats", "new.subject")
        for other in others:
            with self.subTest(sink=other):
                program, _ = self.run_to_end("--check", "--listen", RIEMANN, "--sink", other,
                                             ledger=None)
                self.assertRegex("\n".join(program.said()),
                                 rf"warning: .*{COUNT} records are json for http; this sink sends")
                program = self.start("--listen", RIEMANN, "--sink", other, "--metrics",
                                     "127.0.0.1:0")
                _, health = MetricsClient(program).wait_for_health(
                    lambda health: "spill_kept" in json.dumps(health), "health has the word")
                self.assertIn(("spill_kept", COUNT), [(reason["reason"], reason.get("count"))
                                                      for reason in health["reasons"]])
                sink, = program.stop()["sinks"]
                self.assertEqual((sink["recovered"], sink["spilled"], sink["written"]),
                                 (COUNT, COUNT, 0))
        self.assertEqual(store.requests, [])
        program = self.start("--listen", RIEMANN, "--sink", self.sink(place="elsewhere"))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == COUNT, "all came")
        sink, = program.stop()["sinks"]
        self.assertEqual((sink["recovered"], sink["spilled"]), (COUNT, 0))
        self.assertEqual([json.loads(line)["value"] for line in store.lines()],
                         list(range(COUNT)))

    def test_they_can_be_listed_and_exported(self):
        self.fill_and_stop()
        line, = self.command("spill", "list", self.spill)[0]
        self.assertRegex(line, rf"\A{COUNT} records in \d+ blocks?, \d+ bytes, json for http, "
                         r"from 20\d\d-.*Z to 20\d\d-.*Z\Z")
        lines, _ = self.command("spill", "export", self.spill)
        self.assertEqual([json.loads(line)["value"] for line in lines], list(range(COUNT)))
        self.assertEqual(self.command("spill", "export", "--format", "json", self.spill)[0], lines)
        self.assertEqual(self.command("spill", "export", "--format", "influx", self.spill)[0], [])
        last = max(self.spill.glob("*.seg"))
        last.write_bytes(last.read_bytes()[:-10])
        left, said = self.command("spill", "export", self.spill, code=65)
        self.assertEqual(left, lines[:len(left)])
        self.assertIn(f"{COUNT - len(left)} record", said)
        self.command("spill", "list", self.folder / "nothing", code=65)
        for wrong in ((), ("list",), ("lost", self.spill), ("list", self.spill, "more")):
            self.command("spill", *wrong, code=64)

    def test_a_folder_that_is_removed_is_not_said_to_hold_anything(self):
        self.leave_sandbox()
        program = self.start("--listen", RIEMANN, "--sink", self.sink())
        sender = self.sender(program)
        for number in range(200):
            sender.send(metric(number, host="x" * 30000))
            if number % 20 == 19:  # waits so that no queue becomes full
                wait_for_records(self.spill, number - 20)
        remove_while_written(self.spill)
        sink, = program.stop()["sinks"]
        self.assertEqual(sink["queued"], 200)
        self.assertLess(sink["spilled"], 40)  # records in memory are stored again
        self.assertEqual(sink["spilled"] + sink["failed"]["damaged"], 200)
        self.assertRegex("\n".join(program.log()), r"removed .*records are lost")
        program = self.start("--listen", RIEMANN, "--sink", self.sink())
        self.assertEqual(program.stop()["sinks"][0]["recovered"], sink["spilled"])

    def test_what_is_missing_is_said(self):
        self.fill_and_stop()
        for segment in self.spill.glob("*.seg"):
            segment.write_bytes(b"")
        self.addCleanup(Store(port=self.port).close)
        program = self.start("--listen", RIEMANN, "--sink", self.sink())
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["failed"]["damaged"] == COUNT,
                                "they are counted")
        sink, = program.stop()["sinks"]
        self.assertEqual((sink["recovered"], sink["spilled"]), (COUNT, 0))
        self.assertIn(f"{COUNT} records are missing or damaged", "\n".join(program.log()))

    @unittest.skipUnless(READS_FILES and SERVES, "this program was built without YAML or metrics")
    def test_a_reload_says_what_stays_in_a_spill_that_no_sink_has_any_more(self):
        self.leave_sandbox()
        file = self.folder / "sluice.yaml"

        def write(*sinks):
            file.write_text(json.dumps({"listeners": [RIEMANN], "sinks": list(sinks),
                                        "stop-timeout": "1s", "metrics": "127.0.0.1:0"}),
                            encoding="utf-8")

        write(self.sink())
        program = self.start("--config", file)
        self.fill(program)
        other = f"file:{self.folder / 'lines'}"
        write(other)
        program.ask_to_reload()
        program.wait_for_log(CHANGED, 1)
        program.wait_for_log(rf"{COUNT} records remain in the spill {self.spill}, which no sink uses")
        client = MetricsClient(program)
        _, health = client.wait_for_health(lambda health: "spill_left" in json.dumps(health),
                                           "health has the word")
        self.assertIn(("spill_left", COUNT), [(reason["reason"], reason.get("count"))
                                              for reason in health["reasons"]])
        write(other, self.sink())
        program.ask_to_reload()
        program.wait_for_log(CHANGED, 2)
        self.assertNotIn("spill_left", json.dumps(client.health()))
        program.stop()

    @unittest.skipUnless(READS_FILES and SERVES, "this program was built without YAML or metrics")
    def test_a_spill_that_was_emptied_since_is_not_left(self):
        self.leave_sandbox()
        file = self.folder / "sluice.yaml"
        other = f"file:{self.folder / 'lines'}"
        program = None
        for number, sinks in enumerate(([self.sink()], [other], [other, self.sink()], [other])):
            file.write_text(json.dumps({"listeners": [RIEMANN], "sinks": sinks,
                                        "stop-timeout": "1s", "metrics": "127.0.0.1:0"}),
                            encoding="utf-8")
            if number == 0:
                program = self.start("--config", file)
                self.fill(program)
                continue
            program.ask_to_reload()
            program.wait_for_log(CHANGED, number)
            if number == 1:
                program.wait_for_log(f"{COUNT} records remain in the spill")
            if number == 2:
                store = Store(port=self.port)
                self.addCleanup(store.close)
                program.wait_for_ledger(lambda ledger: sum(
                    sink["written"] for sink in ledger["sinks"]) == COUNT, "all came")
        self.assertNotIn("spill_left", json.dumps(MetricsClient(program).health()))
        program.stop()


if __name__ == "__main__":
    unittest.main()
