"""Every pair of features in a short run: listener, sink, spill, format, and how the run ends.

The rows are those of covering.py. TEST_PART=N/M runs the rows whose number is N modulo M, TEST_ROW
only the row with that number. Each run is checked against the ledger, which must be exact, and
against the records that a reader finds at the far end:

- stop: each record that the ledger counts as written is there, and no others; a record may be there
twice only if the ledger counts it as a possible duplicate;
- reload: both the listener and the sink change between two halves of the records, and the same must
hold;
- kill: records written before the kill are there, no record is there twice, and the next run writes
all of its records.

With a spill, the far end is unreachable for the first half of the records: they are spilled, and
arrive after a reload or in the next run."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import traceback
import unittest

from certificates import OPENSSL, Authority
from covering import LISTENERS, SINKS, cover, name_of, pairs_of, valid_rows
from far_ends import far_end_of
from listeners import Listener
from nats_server import NatsServer
from readers import numbers_on_disk
from sluice_program import CHANGED, LEDGER, Sluice, wait_until
from spill_reading import kill
from test_config import READS_FILES

EACH = 5  # records sent at a time
AT_ONCE = 4  # rows that run concurrently
KEPT = ("fd", "pcap")  # listeners whose unread input the next run receives after a kill


def total(ledger, term):
    return sum(sink[term] for sink in ledger["sinks"])


def short(text):
    """The text up to "stderr was:", without the program's own messages after that."""
    return text.partition("stderr was:")[0]


def has(name):
    return os.environ.get(f"TEST_{name}", "0") != "0"


def possible_rows():
    """The rows with listeners and sinks that this build supports."""
    needs = {"http": "CURL", "https": "CURL", "kafka": "KAFKA_MOCK", "nats": "NATS_SERVER"}
    return valid_rows([one for one in LISTENERS if not one.tls or has("TLS")],
                      [one for one in SINKS if one not in needs or has(needs[one])])


class Scene:
    """One row: a folder, a listener, a far end, and the runs of the program."""

    def __init__(self, row, nats, certificate, authority):
        self.row = row
        self._cleanup = contextlib.ExitStack()
        try:
            folder = tempfile.TemporaryDirectory(prefix="sluice-pairs-")
            self._cleanup.callback(folder.cleanup)
            self.folder = pathlib.Path(folder.name)
            self.far_end = far_end_of(row, self.folder, nats, certificate, authority)
            self._cleanup.callback(self.far_end.close)
            self.listener = Listener(row.listener, self.folder, certificate, authority)
            self._cleanup.callback(self.listener.close)
        except BaseException:
            self._cleanup.close()
            raise
        self.program = None
        self._sent = 0
        self._unseen = set()
        self._twice = 0  # records that may be at the far end twice, according to the ledgers

    def close(self):
        self._cleanup.close()

    def write(self, changed=False):
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({"listeners": [self.listener.url(changed)],
                                   "sinks": [self.far_end.url(changed)], "ledger": "json",
                                   "stop-timeout": "10s" if not self.row.spill else "500ms"}),
                       encoding="utf-8")
        new.replace(self.folder / "sluice.yaml")

    def start(self):
        def launch(*arguments, **more):
            program = Sluice(*arguments, ledger=None, **more)
            self._cleanup.callback(program.close)
            self.far_end.stdouts.append(program.stdout)
            return program
        self.program = self.listener.launch(launch, "--config", self.folder / "sluice.yaml")

    def send(self):
        """Sends some records, and waits until they are decoded. Returns their numbers."""
        numbers = list(range(self._sent, self._sent + EACH))
        self._sent += EACH
        self.listener.send(self.program, numbers)
        count = self.listener.decoded
        self.wait_for(lambda ledger: sum(one["decoded"] for one in ledger["listeners"]) >= count,
                      f"{count} messages were decoded")
        return numbers

    def send_unseen(self):
        """Sends some records whose outcome is unknown, because the kill happens at the same time.
        """
        self._unseen = set(range(self._sent, self._sent + EACH))
        self._sent += EACH
        self.listener.send(self.program, sorted(self._unseen))

    def wait_for(self, reached, what):
        return self.program.wait_for_ledger(reached, what)

    def wait_until_written(self, count):
        self.wait_for(lambda ledger: total(ledger, "written") >= count,
                      f"{count} records were written")

    def wait_until_spilled(self, numbers):
        """Waits until these records are on disk. A block that is being sent is stored a second
        after it was sent."""
        wait_until(lambda: numbers_on_disk(self.folder / "spill") >= set(numbers),
                   f"the records {numbers} are on disk")

    def reload(self):
        self.listener.disconnect()
        self.write(changed=True)
        self.program.ask_to_reload()
        self.program.wait_for_log(CHANGED)

    def stop(self):
        self.listener.disconnect()
        return self.program.stop()

    def check(self, ledger, written, recovered=0, spilled=0):
        """Asserts that the ledger is final, and that everything sent was decoded and has the
        expected outcome."""
        equal = unittest.TestCase().assertEqual
        sent = self.listener.decoded
        listeners = ledger["listeners"]
        equal(sum(one["decoded"] for one in listeners), sent, "decoded")
        equal(sum(one["received"] for one in listeners), sent + self.listener.control, "received")
        equal(sum(one["messages"] for one in listeners), sent, "messages")
        equal(total(ledger, "queued"), sent, "queued")
        equal(total(ledger, "recovered"), recovered, "recovered")
        equal(total(ledger, "spilled"), spilled, "spilled")
        equal(total(ledger, "written"), written, "written")
        self._twice += total(ledger, "possible_duplicates")
        equal(written + spilled, sent + recovered, "nothing failed, is unknown or was evicted")

    def check_far_end(self, numbers):
        """Asserts that each of these records is there, and twice only if a ledger allows it. Other
        records may be there only if their outcome is unknown because of a kill."""
        found = self.far_end.numbers()
        if len(found) - len(set(found)) <= self._twice:
            found = sorted(set(found))
        unseen = [number for number in found if number in self._unseen]
        unittest.TestCase().assertEqual(unseen, sorted(set(unseen)), "at the far end, twice")
        unittest.TestCase().assertEqual([number for number in found if number not in self._unseen],
                                        sorted(numbers), "at the far end")

    def last_words(self):
        """The output of the program, and its last ledger."""
        if self.program is None:
            return []
        said = self.program.said()
        ledgers = [line for line in said if LEDGER in line]
        return [line for line in said if LEDGER not in line] + ledgers[-1:]

    def run(self):
        if self.row.spill:
            self.far_end.leave()
        self.write()
        self.start()
        getattr(self, f"run_to_{self.row.ending}")()

    def run_to_stop(self):
        sent = self.send()
        if not self.row.spill:
            sent += self.send()
            self.check(self.stop(), written=len(sent))
            self.check_far_end(sent)
            return
        self.check(self.stop(), written=0, spilled=len(sent))
        self.run_again(sent, len(sent))

    def run_again(self, earlier, recovered):
        """The next run, in which the far end accepts all records."""
        self.far_end.arrive()
        self.start()
        sent = self.send()
        self.wait_until_written(recovered + len(sent))
        self.check(self.stop(), written=recovered + len(sent), recovered=recovered)
        self.check_far_end(earlier + sent)

    def run_to_reload(self):
        sent = self.send()
        self.reload()
        self.far_end.arrive()
        sent += self.send()
        self.wait_until_written(len(sent))
        self.check(self.stop(), written=len(sent))
        self.check_far_end(sent)

    def run_to_kill(self):
        sent = self.send()
        if self.row.spill:
            self.wait_until_spilled(sent)
        else:
            self.wait_until_written(len(sent))
        if not self.row.spill and self.row.listener.kind not in KEPT:
            self.send_unseen()
        kill(self.program)
        self.listener.disconnect()
        self.run_again(sent, len(sent) if self.row.spill else 0)


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
@unittest.skipIf(OPENSSL is None, "openssl is not installed")
class Pairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sluice-pairs-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.addCleanup = cls.addClassCleanup  # for NatsServer
        cls.nats = NatsServer(cls) if has("NATS_SERVER") else None
        authority = Authority(cls.folder)
        cls.authority, cls.certificate = authority.cert, authority.issue("server")

    def run_row(self, row):
        """Returns None, or a description of the failure."""
        try:
            scene = Scene(row, self.nats, self.certificate, self.authority)
        except Exception:  # pylint: disable=broad-exception-caught
            return traceback.format_exc()
        try:
            scene.run()
        except Exception:  # pylint: disable=broad-exception-caught
            return "\n".join([short(traceback.format_exc(limit=-3)), *scene.last_words()])
        finally:
            scene.close()
        return None

    def test_every_pair_of_features(self):
        rows = cover(possible_rows())
        numbers = range(len(rows))
        if "TEST_ROW" in os.environ:
            numbers = [int(os.environ["TEST_ROW"])]
        else:
            part, parts = map(int, os.environ.get("TEST_PART", "0/1").split("/"))
            numbers = numbers[part::parts]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda number: self.run_row(rows[number]), numbers))
        chosen = [rows[number] for number in numbers]
        print(f"{len(chosen)} of {len(rows)} rows, {len(pairs_of(chosen))} of "
              f"{len(pairs_of(rows))} pairs of features", file=sys.stderr)
        wrong = [f"row {number}, {name_of(rows[number])}: {what}"
                 for number, what in zip(numbers, found) if what is not None]
        if wrong:
            self.fail(f"{len(wrong)} rows failed:\n" + "\n\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
