"""A reload hands a spill over to the new sink: no record is lost or counted twice."""
import json
import socket
import unittest

from http_store import NO_ANSWER, Store
from ports import free_port
from protobuf import metric
from sluice_program import CHANGED, RIEMANN, ProgramTest
from spill_reading import has_sent_all, wait_for_records
from test_config import READS_FILES
from test_reload import REFUSED

COUNT = 100


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Reloaded(ProgramTest):
    def setUp(self):
        super().setUp()
        self.leave_sandbox()
        self.port = free_port()
        self.spill = self.folder / "spill"
        self.file = self.folder / "sluice.yaml"
        self.kept = f"file:{self.folder / 'kept'}"
        self.changes = 0

    def sink_of(self, keys="", place="write"):
        return (f"http://127.0.0.1:{self.port}/{place}?format=json&flush_interval=20ms&in_flight=1"
                f"&spill={self.spill}{keys}")

    def write(self, *sinks, listeners=(RIEMANN,)):
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({"listeners": listeners, "sinks": list(sinks),
                                   "stop-timeout": "1s"}), encoding="utf-8")
        new.replace(self.file)

    def begin(self, *sinks):
        self.write(*sinks)
        self.changes = 0
        return self.start("--config", self.file)

    def change(self, program, *sinks):
        self.write(*sinks)
        program.ask_to_reload()
        self.changes += 1
        program.wait_for_log(CHANGED, self.changes)

    def store(self):
        store = Store(port=self.port)
        self.addCleanup(store.close)
        return store

    def send(self, program, begin, end):
        sender = self.sender(program)
        for number in range(begin, end):
            sender.send(metric(number))

    def live(self, ledger):
        sink, = [sink for sink in ledger["sinks"]
                 if sink["name"].startswith("http") and not sink["retired"]]
        return sink

    def wait_for(self, program, condition, what):
        return self.live(program.wait_for_ledger(lambda ledger: condition(self.live(ledger)), what))

    def wait_until_taken(self, program, count):
        """Waits until all sinks to this far end have taken `count` records together since the
        start."""
        program.wait_for_ledger(
            lambda ledger: sum(sink["queued"] for sink in ledger["sinks"]
                               if sink["name"].startswith("http")) == count,
            f"{count} records were queued")

    def send_in_outage(self, program, begin, end):
        """Sends records during an outage. The first is tried and waits in memory, so the others go
        to the disk, and the first as well.

        Records that come while the first is being retried are on disk a second later, and count as
        in flight."""
        self.send(program, begin, begin + 1)
        self.wait_for(program, lambda sink: sink["write_errors"] > 0, "a record was tried")
        self.send(program, begin + 1, end)
        wait_for_records(self.spill, end - begin)

    def values(self, store):
        return [json.loads(line)["value"] for line in store.lines()]

    def assert_counts(self, sink, **counts):
        self.assertEqual({term: sink[term] for term in counts}, counts)

    def check_all_arrives(self, program, store, count=2 * COUNT):
        """Asserts that all records arrive in their order, and none twice unless it is counted.
        Returns the last ledger."""
        self.wait_for(program, lambda sink: has_sent_all(sink) and
                      len(store.lines()) >= count, f"{count} records arrived")
        ledger = program.stop()
        self.assert_counts(self.live(ledger), spilled=0)
        values = self.values(store)
        self.assertEqual(list(dict.fromkeys(values)), list(range(count)))
        self.assertLessEqual(len(values) - count, self.live(ledger)["possible_duplicates"])
        self.assertEqual(sorted(path.name for path in self.spill.iterdir()), ["ack", "lock"])
        return ledger

    def begin_reload(self, changed):
        """Reloads during an outage, with records before and after it."""
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT)
        self.change(program, changed)
        self.send(program, COUNT, 2 * COUNT)
        self.wait_until_taken(program, 2 * COUNT)
        return program

    def check_reload(self, changed):
        return self.check_all_arrives(self.begin_reload(changed), self.store())

    def test_while_the_far_end_is_away(self):
        sink, = self.check_reload(self.sink_of("&timeout=20s"))["sinks"]
        self.assert_counts(sink, retired=False, queued=2 * COUNT, recovered=0, written=2 * COUNT,
                           possible_duplicates=0)

    def test_with_another_size(self):
        sink, = self.check_reload(self.sink_of("&spill_size=16MiB"))["sinks"]
        self.assert_counts(sink, queued=2 * COUNT, recovered=0, written=2 * COUNT,
                           possible_duplicates=0)

    def send_until_spilled(self, program, sent):
        """Continues an outage in which `sent` records were sent, because memory may hold all of
        them. Returns the number of sent records when at least one is only on disk."""
        while self.live(program.ledger_now())["spilled"] == 0:
            self.send(program, sent, sent + COUNT)
            sent += COUNT
            wait_for_records(self.spill, sent)
        return sent

    def test_what_another_program_removed_is_lost_once(self):
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT)
        sent = self.send_until_spilled(program, COUNT)
        for segment in self.spill.glob("*.seg"):
            segment.unlink()
        self.send(program, sent, sent + 1)
        lost = self.wait_for(program, lambda sink: sink["failed"]["damaged"] > 0,
                             "the removal was noticed")["failed"]["damaged"]
        self.wait_until_taken(program, sent + 1)
        self.change(program, self.sink_of("&timeout=20s"))
        self.store()
        sink = self.wait_for(program, has_sent_all, "the others were sent")
        self.assert_counts(sink, recovered=0, written=sent + 1 - lost, spilled=0)
        self.assertEqual(sink["failed"]["damaged"], lost)
        program.stop()

    def test_no_other_program_can_have_the_folder_meanwhile(self):
        """The folder stays open while it is handed over: a second open would fail because of the
        lock."""
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT)
        lock, aside = self.spill / "lock", self.folder / "aside"
        lock.rename(aside)
        lock.mkdir()
        self.change(program, self.sink_of("&timeout=20s"))
        self.send(program, COUNT, 2 * COUNT)
        self.wait_for(program, lambda sink: sink["in_flight"] + sink["spilled"] == 2 * COUNT and
                      sink["spilled"] > COUNT, "the next sink has it, and what came is stored")
        lock.rmdir()
        aside.rename(lock)
        sink, = self.check_all_arrives(program, self.store())["sinks"]
        self.assert_counts(sink, queued=2 * COUNT, recovered=0, written=2 * COUNT,
                           possible_duplicates=0)
        self.assertNotIn("not a regular file", "\n".join(program.log()))

    def test_to_a_size_that_is_less_than_what_lies_there_removes_nothing(self):
        """New records wait until there is room again."""
        count, text = 700, "x" * 30000
        program = self.begin(self.sink_of("&spill_size=64MiB&overflow=drop_oldest"))
        sender = self.sender(program)
        for number in range(count):
            sender.send(metric(number, host=text))
            if number % 20 == 19:  # waits so that no queue becomes full
                wait_for_records(self.spill, number - 20)
        stored = sum(path.stat().st_size for path in self.spill.glob("*.seg"))
        self.assertGreater(stored, 17 << 20)
        self.change(program, self.sink_of("&spill_size=16MiB"))
        sink, = self.check_all_arrives(program, self.store(), count)["sinks"]
        self.assert_counts(sink, queued=count, recovered=0, written=count, evicted=0)

    def test_to_another_place(self):
        """That is another sink with separate counts. The old one ends before it has sent a record.
        """
        program = self.begin_reload(self.sink_of(place="other"))
        self.wait_for(program, lambda sink: sink["recovered"] == COUNT, "the next sink has the spill")
        before, after = self.check_all_arrives(program, self.store())["sinks"]
        self.assert_counts(before, retired=True, queued=COUNT, written=0, spilled=COUNT)
        self.assert_counts(after, retired=False, queued=COUNT, recovered=COUNT,
                           written=2 * COUNT, possible_duplicates=0)

    def test_while_the_far_end_does_not_answer(self):
        """The records of the spill may have arrived, and are sent again."""
        store = Store(NO_ANSWER, port=self.port)
        self.addCleanup(store.close)
        program = self.begin(self.sink_of())
        self.send(program, 0, COUNT)
        store.wait_for_requests(1)
        self.wait_until_taken(program, COUNT)
        self.change(program, self.sink_of("&timeout=20s"))
        self.send(program, COUNT, 2 * COUNT)
        self.wait_until_taken(program, 2 * COUNT)
        ledger = self.check_all_arrives(program, store)
        unanswered = store.requests[0].body.count(b"\n")
        sink, = ledger["sinks"]
        self.assert_counts(sink, queued=2 * COUNT, recovered=0, written=2 * COUNT, unknown=0,
                           possible_duplicates=unanswered)

    def test_twice_while_the_one_before_still_waits_for_an_answer(self):
        """The second sink has little time. Records that it had sent at its end are sent again, too.
        """
        store = Store(NO_ANSWER, port=self.port)
        self.addCleanup(store.close)
        program = self.begin(self.sink_of())
        self.send(program, 0, COUNT)
        store.wait_for_requests(1)
        self.wait_until_taken(program, COUNT)
        for number in (1, 2):
            self.change(program, self.sink_of(f"&timeout={20 + number}s"))
            self.send(program, number * COUNT, (number + 1) * COUNT)
            self.wait_until_taken(program, (number + 1) * COUNT)
        sink, = self.check_all_arrives(program, store, 3 * COUNT)["sinks"]
        self.assert_counts(sink, queued=3 * COUNT, recovered=0, written=3 * COUNT)

    def test_a_stop_right_after_it_leaves_all_to_the_next_run(self):
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT)
        self.change(program, self.sink_of("&timeout=20s"))
        self.send(program, COUNT, 2 * COUNT)
        self.wait_until_taken(program, 2 * COUNT)
        sink, = program.stop()["sinks"]
        self.assert_counts(sink, queued=2 * COUNT, recovered=0, spilled=2 * COUNT)
        sink, = self.check_all_arrives(self.begin(self.sink_of()), self.store())["sinks"]
        self.assert_counts(sink, queued=0, recovered=2 * COUNT, written=2 * COUNT,
                           possible_duplicates=0)

    def begin_without(self):
        """The spill's records belong to a sink that a reload has removed."""
        program = self.begin(self.sink_of(), self.kept)
        self.send_in_outage(program, 0, COUNT)
        self.change(program, self.kept)
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["spilled"] == COUNT,
                                "all is stored")
        return program

    def test_what_lies_there_of_a_sink_that_is_removed_stays_for_the_next_run(self):
        sink = self.begin_without().stop()["sinks"][0]
        self.assert_counts(sink, retired=True, queued=COUNT, spilled=COUNT)
        ledger = self.check_all_arrives(self.begin(self.sink_of()), self.store(), COUNT)
        self.assert_counts(self.live(ledger), recovered=COUNT, possible_duplicates=0)

    def test_a_sink_that_comes_again_has_the_numbers_that_it_had(self):
        program = self.begin_without()
        self.change(program, self.sink_of(), self.kept)
        sink = self.live(self.check_all_arrives(program, self.store(), COUNT))
        self.assert_counts(sink, retired=False, queued=COUNT, recovered=0, written=COUNT,
                           possible_duplicates=0)

    def leave(self, program):
        """Removes the sink of the spill, so that its records belong to no sink."""
        self.change(program, f"http://127.0.0.1:{self.port}/write?format=json")
        program.wait_for_log("which no sink uses")

    def refuse(self, program, *sinks):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            self.write(*sinks, listeners=(
                RIEMANN, f"udp://127.0.0.1:{taken.getsockname()[1]}?schema=riemann"))
            program.ask_to_reload()
            program.wait_for_log(REFUSED)

    def begin_another(self, meanwhile):
        """A spill was left behind by the sink that now takes over the records of another spill."""
        first, other = self.spill, self.folder / "other"
        self.spill = other
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT // 2)
        program.stop()
        self.spill = first
        program = self.begin(self.sink_of())
        self.send_in_outage(program, COUNT, 2 * COUNT)
        self.leave(program)
        meanwhile(program)
        self.spill = other
        self.change(program, self.sink_of())
        store = self.store()
        self.wait_for(program, lambda sink: sink["written"] == COUNT // 2 == len(store.lines()),
                      "the other spill's records arrive")
        self.spill = first
        return program, store

    def assert_sums(self, ledger, **sums):
        self.assertEqual({term: sum(sink[term] for sink in ledger["sinks"]) for term in sums}, sums)

    def test_what_lies_in_another_spill_was_not_in_the_one_that_was_left(self):
        program, _ = self.begin_another(lambda program: None)
        self.assert_sums(program.stop(), queued=COUNT, recovered=COUNT // 2, spilled=COUNT)

    def test_nor_where_a_reload_that_had_the_left_one_back_was_refused(self):
        program, _ = self.begin_another(lambda program: self.refuse(program, self.sink_of()))
        self.assert_sums(program.stop(), queued=COUNT, recovered=COUNT // 2, spilled=COUNT)

    def test_a_spill_that_comes_back_after_another_one_has_its_numbers(self):
        program, store = self.begin_another(lambda program: None)
        self.change(program, self.sink_of())
        self.wait_for(program, lambda sink: len(store.lines()) == COUNT + COUNT // 2 and
                      sink["written"] == COUNT, "those that were left arrive, too")
        self.assert_sums(program.stop(), queued=COUNT, recovered=COUNT // 2, spilled=0,
                         written=COUNT + COUNT // 2)

    def test_a_spill_that_was_left_and_comes_back_after_a_refusal_has_its_numbers(self):
        program = self.begin(self.sink_of())
        self.send_in_outage(program, 0, COUNT)
        self.leave(program)
        self.refuse(program, self.sink_of())
        self.change(program, self.sink_of())
        store = self.store()
        self.wait_for(program, lambda sink: sink["written"] == COUNT == len(store.lines()),
                      "all arrive")
        self.assert_counts(self.live(program.stop()), queued=COUNT, recovered=0, spilled=0)


if __name__ == "__main__":
    unittest.main()
