"""spill=: records that an http: sink cannot deliver wait on disk, and none is lost afterwards."""
import json
import signal
import unittest

from http_store import CLOSE, Store
from ports import free_port
from protobuf import metric
from sluice_program import RIEMANN, ProgramTest, wait_until
from spill_reading import wait_for_records

COUNT = 200


class Spilling(ProgramTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.spill = self.folder / "spill"

    def deliver(self, keys=""):
        return self.start("--listen", RIEMANN, "--sink",
                          f"http://127.0.0.1:{self.port}/write?format=json&flush_interval=20ms"
                          f"&in_flight=1&spill={self.spill}{keys}")

    def store(self, *script):
        store = Store(*script, port=self.port)
        self.addCleanup(store.close)
        return store

    def send(self, program, begin, end):
        """Sends records, which become a few blocks."""
        sender = self.sender(program)
        for number in range(begin, end):
            sender.send(metric(number))

    def send_in_outage(self, program, begin, end):
        """Sends records during an outage. The first cannot be written, and its block waits, so the
        others go to the disk.

        Records that come while the first is being retried go to the disk a second later, and count
        as in flight."""
        self.send(program, begin, begin + 1)
        self.wait_for(program, lambda sink: sink["write_errors"] > 0)
        self.send(program, begin + 1, end)

    def wait_for(self, program, condition):
        wait_until(lambda: condition(program.ledger_now()["sinks"][0]), "the sink has come so far",
                   program.ledger_now)

    def assert_refused(self, why, *arguments, code=64):
        self.assertIn(why, self.refused("--listen", RIEMANN, *arguments, code=code))

    def values(self, store):
        return [json.loads(line)["value"] for line in store.lines()]

    def test_after_an_outage_nothing_is_missing_and_all_is_in_order(self):
        program = self.deliver()
        self.send_in_outage(program, 0, COUNT)
        wait_for_records(self.spill, COUNT)
        store = self.store()
        self.wait_for(program, lambda sink: sink["written"] == COUNT)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["queued"], sink["recovered"], sink["spilled"]), (COUNT, 0, 0))
        self.assertEqual(self.values(store), list(range(COUNT)))
        self.assertEqual(sorted(path.name for path in self.spill.iterdir()), ["ack", "lock"])

    def test_a_stop_in_an_outage_leaves_all_to_the_next_run(self):
        program = self.deliver()
        self.send_in_outage(program, 0, COUNT)
        wait_for_records(self.spill, COUNT)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["spilled"]), (0, COUNT))
        store = self.store(CLOSE)
        program = self.deliver()
        self.wait_for(program, lambda sink: sink["written"] == COUNT)
        sink = program.stop()["sinks"][0]
        # The block in flight, when the store closed the connection, was sent twice.
        self.assertEqual((sink["recovered"], sink["possible_duplicates"]), (COUNT, 1))
        self.assertEqual(self.values(store), list(range(COUNT)))

    def test_what_the_next_run_has_refused_has_failed(self):
        program = self.deliver()
        self.send_in_outage(program, 0, COUNT)
        wait_for_records(self.spill, COUNT)
        program.stop()
        store = self.store()
        store.otherwise = 400
        program = self.deliver()
        self.wait_for(program, lambda sink: sink["failed"]["rejected"] == COUNT)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["recovered"], sink["failed"]["rejected"]), (COUNT, COUNT))
        self.assertEqual((sink["unknown"], sink["possible_duplicates"]), (0, 0))
        self.assertEqual(store.lines(), [])

    def test_after_a_kill_in_an_outage_what_was_stored_is_there(self):
        program = self.deliver()
        recovered = sent = 0
        for _ in range(5):
            self.send_in_outage(program, sent, sent + COUNT)
            sent += COUNT
            # The oldest block is in flight, and also on disk. If all others came while it was
            # retried, they count as in flight, too; then more are sent.
            while (stored := program.ledger_now()["sinks"][0]["spilled"]) < max(recovered, 1):
                self.send(program, sent, sent + 1)
                sent += 1
            program.process.send_signal(signal.SIGKILL)
            program.process.wait()
            program = self.deliver()
            before, recovered = recovered, program.ledger_now()["sinks"][0]["recovered"]
            self.assertGreaterEqual(recovered, stored)
            self.assertGreater(recovered, before)
        store = self.store()
        self.wait_for(program, lambda sink: sink["spilled"] == 0 and sink["written"] == recovered)
        program.stop()
        values = self.values(store)
        self.assertEqual(len(values), recovered)
        self.assertEqual(values, sorted(set(values)))

    def test_after_a_kill_with_each_way_to_sync_what_was_stored_is_there(self):
        for way in ("never", "interval", "close", "always"):
            with self.subTest(way):
                self.spill = self.folder / way
                program = self.deliver(f"&fsync={way}")
                self.send_in_outage(program, 0, 20)
                wait_for_records(self.spill, 20)
                program.process.kill()
                program.process.wait()
                store = self.store()
                program = self.deliver(f"&fsync={way}")
                self.wait_for(program, lambda sink: sink["written"] == 20)
                sink = program.stop()["sinks"][0]
                self.assertEqual((sink["recovered"], sink["spilled"]), (20, 0))
                self.assertEqual(self.values(store), list(range(20)))
                store.close()

    def test_two_sinks_cannot_have_one_folder(self):
        self.assert_refused("writes there already", "--sink",
                            f"http://127.0.0.1:1/a?spill={self.spill}", "--sink",
                            f"http://127.0.0.1:1/b?spill={self.spill}")
        program = self.deliver()
        self.assert_refused("another sink or program has it open", "--sink",
                            f"http://127.0.0.1:1/a?spill={self.spill}", code=78)
        program.stop()

    def test_other_sinks_have_no_spill_and_what_is_about_one_needs_it(self):
        self.assert_refused('key "spill" is for an http:, kafka: or nats: sink', "--sink", f"file:x?spill={self.spill}")
        self.assert_refused("spill_size requires spill=FOLDER", "--sink",
                            "http://127.0.0.1:1/?spill_size=1GiB")
        self.assert_refused("fsync requires spill=FOLDER", "--sink", "http://127.0.0.1:1/?fsync=close")
        self.assert_refused("is not one of never, interval, close", "--sink", "file:x?fsync=always")
        self.assert_refused("exclude each other", "--sink",
                            f"http://127.0.0.1:1/?spill={self.spill}&retry=at_most_once")


if __name__ == "__main__":
    unittest.main()
