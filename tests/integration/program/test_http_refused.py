"""Tests `http:` sinks with bad records: one bad record in a request must not cause the loss of good
ones, however the store refuses it."""
import time
import unittest

from http_store import Store
from protobuf import riemann
from remote_write_reading import samples
from sluice_program import RIEMANN, ProgramTest

GOOD_AND_BAD = 1000
NUMBERS = (0, 1, 2, 5, 20)
PARTIAL = b'{"error":"partial write: points beyond retention policy dropped=1"}'


def lines(request):
    return request.body.decode().splitlines()


def series(request):
    """Name, labels, time and value of each sample, as a line."""
    return [f"{name} {sorted(labels)} {moment} {value}"
            for (name, labels, moment), value in samples(request.body).items()]


class RefusingStore(Store):
    """Refuses requests that contain `bad` with this status: the whole request, or with `parts` only
    those lines. `kept` has each line as often as it was accepted."""

    def __init__(self, status=400, body=b"", parts=False, read=lines):
        super().__init__()
        self.kept = []
        self.otherwise = self.answer
        self._refusal = (status, {}, body)
        self._parts = parts
        self._read = read

    def answer(self, request):
        if request.headers.get("x-prometheus-remote-write-version", "0.1.0") != "0.1.0":
            return 415
        found = self._read(request)
        good = [line for line in found if "bad" not in line]
        if len(good) == len(found) or self._parts:
            self.kept += good
        return 204 if len(good) == len(found) else self._refusal


class SmallStore(RefusingStore):
    """Accepts at most `most` bytes at a time."""

    def answer(self, request):
        self.kept += lines(request) if len(request.body) <= 4096 else []
        return 204 if len(request.body) <= 4096 else 413


class Refused(ProgramTest):
    def start_with(self, store, keys, more=()):
        self.addCleanup(store.close)
        self.sent = 0
        self.program = self.start("--listen", RIEMANN + "&receive_buffer=4MiB", *more, "--sink",
                                  f"http:{store.place}?flush_interval=300ms&in_flight=1{keys}")
        self.udp = self.sender(self.program)

    def send(self, count, bad, name="bad"):
        """Sends `count` records; `bad` of them, evenly spread, are bad."""
        begin = time.time() - count
        for number in range(count):
            host = name if number * bad // count != (number + 1) * bad // count else "good"
            self.udp.send(riemann({"service": f"cpu{self.sent + number}", "host": host,
                                   "metric_d": number, "time": int(begin + number)}))
        self.sent += count
        self.program.wait_for_settled(self.sent)

    def counts(self):
        sink = self.program.ledger_now()["sinks"][0]
        terms = {term: sink[term] for term in ("written", "unknown", "possible_duplicates")}
        return {term: count for term, count in {**terms, **sink["failed"]}.items() if count != 0}

    def check_all_good(self, make, keys, most):
        """Asserts that all good records are stored, with at most this number of requests for 20 bad
        ones, and none twice except those that the ledger counts."""
        for bad in NUMBERS:
            with self.subTest(bad=bad):
                store = make()
                self.start_with(store, keys() if callable(keys) else keys)
                self.send(GOOD_AND_BAD, bad)
                counts = self.counts()
                print(f"{self.id()}: {bad} bad of {GOOD_AND_BAD}: {len(set(store.kept))} stored in "
                      f"{len(store.requests)} requests; {counts}", flush=True)
                self.assertEqual(len(set(store.kept)), GOOD_AND_BAD - bad)
                self.assertEqual(counts["written"], GOOD_AND_BAD - bad)
                self.assertEqual(counts.get("rejected", 0), bad)
                self.assertEqual(counts.get("unknown", 0), 0)
                twice = {line for line in store.kept if store.kept.count(line) > 1}
                self.assertLessEqual(len(twice), counts.get("possible_duplicates", 0))
                self.assertLessEqual(len(store.requests), most)
                self.program.stop()

    def test_a_store_that_takes_all_or_nothing(self):
        self.check_all_good(RefusingStore, "&format=json", 330)

    def test_one_that_answers_422(self):
        self.check_all_good(lambda: RefusingStore(422), "&format=influx", 330)

    def test_one_that_takes_parts_where_twice_is_once(self):
        self.check_all_good(lambda: RefusingStore(body=PARTIAL, parts=True), "&format=influx", 330)

    def test_one_of_remote_write_that_takes_parts_and_does_not_say_so(self):
        self.check_all_good(lambda: RefusingStore(parts=True, read=series),
                            "&format=remote-write", 330)

    def test_one_that_answers_500_to_samples_it_never_takes(self):
        self.check_all_good(lambda: RefusingStore(500, b"too old sample\n", read=series),
                            "&format=remote-write", 330)

    def test_the_same_with_a_spill(self):
        number = iter(range(100))
        self.check_all_good(lambda: RefusingStore(body=PARTIAL, parts=True),
                            lambda: f"&format=json&spill={self.folder / str(next(number))}", 330)

    def test_one_that_takes_parts_where_twice_matters(self):
        """The store does not report which records it accepted, so the block is not sent again."""
        store = RefusingStore(body=PARTIAL, parts=True)
        self.start_with(store, "&format=json")
        self.send(GOOD_AND_BAD, 5)
        counts = self.counts()
        self.assertEqual(len(store.kept), len(set(store.kept)))
        self.assertEqual(counts.get("rejected", 0), 0)
        self.assertEqual(counts.get("written", 0) + counts["unknown"], GOOD_AND_BAD)
        self.assertLessEqual(counts.get("written", 0), len(store.kept))

    def test_the_same_where_duplicates_do_less_harm_than_gaps(self):
        store = RefusingStore(body=PARTIAL, parts=True)
        self.start_with(store, "&format=json&retry=at_least_once")
        self.send(GOOD_AND_BAD, 5)
        counts = self.counts()
        self.assertEqual((counts["written"], counts["rejected"]), (GOOD_AND_BAD - 5, 5))
        self.assertEqual(len(set(store.kept)), GOOD_AND_BAD - 5)
        self.assertGreater(counts["possible_duplicates"], 0)

    def test_a_store_of_small_requests(self):
        store = SmallStore()
        self.start_with(store, "&format=json")
        self.send(GOOD_AND_BAD + 1, 0)
        counts = self.counts()
        print(f"{self.id()}: {len(store.kept)} stored in {len(store.requests)} requests; {counts}",
              flush=True)
        self.assertEqual(counts, {"written": GOOD_AND_BAD + 1})
        self.assertEqual(len(set(store.kept)), GOOD_AND_BAD + 1)

    def test_a_sender_that_is_refused_again_and_again_costs_little(self):
        for keys, store in (("&format=json", RefusingStore()),
                            ("&format=remote-write", RefusingStore(read=series))):
            with self.subTest(keys=keys):
                self.start_with(store, keys)
                for _ in range(6):
                    before = len(store.requests)
                    self.send_of_series(100, 4)
                    requests = len(store.requests) - before
                self.assertLessEqual(requests, 8)
                counts = self.counts()
                self.assertEqual(counts["written"], 6 * 96)
                # If a refusal may be partial, records that were only sent together with others may
                # have been stored.
                unknown = counts.get("unknown", 0)
                self.assertIn(unknown, range(1, 5) if "remote-write" in keys else [0])
                self.assertEqual(counts["rejected"], 6 * 4 - unknown)
                self.program.stop()

    def send_of_series(self, count, bad):
        """Sends records so that the bad ones belong to one series."""
        now = time.time()
        for number in range(count):
            host = "bad" if number % (count // bad) == 1 else f"good{number}"
            self.udp.send(riemann({"service": "cpu", "host": host, "metric_d": number,
                                   "time_micros": int((now + number / 1000) * 1e6)}))
        self.sent += count
        self.program.wait_for_settled(self.sent)


if __name__ == "__main__":
    unittest.main()
