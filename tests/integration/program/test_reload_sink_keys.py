"""Every key of sinks that write to files and pipes, in a running program: a reload applies a new
value, and another one restores the old value."""
import itertools
import os
import signal
import stat
import unittest

from built import STOP_SIGNAL, WINDOWS
from protobuf import CUMULATIVE, gauge, metric, sample, telemetry, text
from reload_rows import ReloadRows, Row
from sluice_program import has_done_with_all, same_with_one_thread
from tracing import can_trace, signal_traced, start_traced

SINK = ("sinks", 1)
NUMBERS = itertools.count()


class SinkRow(Row):
    """A row of the second sink."""

    def __init__(self, key, value, seen, before, after, scope="sink", written=None, **beside):
        super().__init__(scope, key, value, seen, before, after, place=SINK, beside=beside,
                         written=written)


# --- written text ---------------------------------------------------------------------------------

END = telemetry(sample("end", double=1.0, labels=[("host", "a"), ("zone", "b")]))
VIEW = {"view": "message"}
BUCKETS = telemetry(sample("latency", labels=[("path", "x" * 2000)], histogram={
    "count": 150, "sum": 1.0, "bounds": [float(bound) for bound in range(1, 150)],
    "counts": [1] * 150}))


def says(what, *datagrams, listener=0):
    """Returns true if `what` is written for these datagrams; the last one is written in any
    case."""
    return lambda test: what in test.written(*(datagrams or [END]), listener=listener)


def column_of_senders(test):
    """Returns true if rows have one more column than the standard ones."""
    return test.written(END).endswith(",\r\n")


def amplified(test):
    test.written(BUCKETS, END)
    return test.sink()["failed"]["amplified"] > 0


def filtered(test):
    """Returns true if most of many series are filtered."""
    before = test.sink()["filtered"]
    test.send(*[gauge(f"s{number}", 1) for number in range(50)])
    return test.sink()["filtered"] - before > 40


def at_once(test):
    """Returns true if a line of this sink, not of the previous one, is written soon."""
    name = f"n{next(NUMBERS)}"
    test.send(gauge(name, 1), finished=False)
    return test.soon(lambda: f'"{name}"'.encode() in test.out.read_bytes())


def counts(term, *datagrams):
    """Returns true if the ledger's term grows when these datagrams are sent."""
    def seen(test):
        before = test.sink()[term]
        test.send(*datagrams)
        return test.sink()[term] > before
    return seen


def forgets(test):
    """Returns true if there is soon room for a new series."""
    test.send(gauge("first", 1))

    def has_place():
        before = test.sink()["series_refused"]
        test.send(gauge(f"s{next(NUMBERS)}", 1))
        return test.sink()["series_refused"] == before
    return test.soon(has_place)


TWO = gauge("first", 1), gauge("second", 1)
OLD = gauge("old", 1, time=1)
AHEAD = gauge("ahead", 1, time=4 * 10 ** 18)

CONTENT = [
    SinkRow("format", "csv", says('{"time":'), True, False),
    SinkRow("view", "message", says('"message":'), False, True),
    SinkRow("names", "proto", says('"metric_d"', metric(1, "end"), listener=1), False, True,
            **VIEW),
    SinkRow("int64", "number", says('"uintValue":5', telemetry(sample("end", uint=5))), False, True,
            **VIEW),
    SinkRow("unknown", "show", says("@unknown", END + text(5000, "x")), False, True, **VIEW),
    SinkRow("buckets", "8", says('"120"', BUCKETS, END), True, False, format="prometheus"),
    SinkRow("numbers", "float", says("value=5i", telemetry(sample("end", int=5))), True, False,
            format="influx"),
    SinkRow("columns", "sender", column_of_senders, False, True, format="csv"),
    SinkRow("max_amplification", "80", amplified, False, True, format="prometheus"),
    SinkRow("counter_suffix", "on", says("end_total", telemetry(
        sample("end", kind=CUMULATIVE, double=1.0))), False, True, format="prometheus"),
    SinkRow("max_series", "1", counts("series_refused", *TWO), False, True),
    SinkRow("max_series_per_sender", "1", counts("series_refused", *TWO), False, True,
            max_series="9"),
    SinkRow("series_timeout", "1s", forgets, False, True, max_series="1"),
    SinkRow("max_age", "1h", counts("out_of_time", OLD), False, True),
    SinkRow("max_ahead", "1h", counts("out_of_time", AHEAD), False, True),
    SinkRow("time", "arrival", counts("time_replaced", OLD), False, True, max_age="1h"),
    SinkRow("flush_interval", "1h", at_once, True, False),
    SinkRow("include", "end", says('"x"', gauge("x", 1), END), True, False),
    SinkRow("exclude", "x", says('"x"', gauge("x", 1), END), True, False),
    SinkRow("sample", "1/1000000", filtered, False, True),
    SinkRow("rename", "end:ended", says('"ended"'), False, True),
    SinkRow("keep_label", "zone", says('"host"'), True, False),
    SinkRow("drop_label", "host", says('"host"'), True, False),
    SinkRow("rename_label", "host:instance", says('"instance"'), False, True),
    SinkRow("add_label", "env=prod", says('"env"'), False, True),
]


class SinkRows(ReloadRows):
    def begin_with(self, to, **keys):
        self.to = to
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"},
                    {"address": "udp://127.0.0.1:0", "schema": "riemann"}],
                   sinks=[{"to": to, **keys}])

    def sink(self):
        return self.sink_of(self.program.ledger_now())

    @staticmethod
    def sink_of(ledger):
        """The second of the current sinks."""
        return [sink for sink in ledger["sinks"] if not sink["retired"]][1]

    def send(self, *datagrams, listener=0, finished=True):
        """Sends the datagrams. Waits until the sink has queued them or, with `finished`, until
        their outcome is known."""
        if finished:
            self.wait_until_finished()
        self.outcome(*datagrams, listener=listener)
        if finished:
            self.wait_until_finished()

    def wait_until_finished(self):
        self.program.wait_for_ledger(lambda ledger: has_done_with_all(self.sink_of(ledger)),
                                     "the sink has the outcome of all")


@same_with_one_thread
class Content(SinkRows):
    def size(self):
        return self.out.stat().st_size if self.out.exists() else 0

    def written(self, *datagrams, listener=0):
        """The text that is written for these datagrams."""
        size = self.size()
        self.send(*datagrams, listener=listener)
        return self.out.read_bytes()[size:].decode() if self.out.exists() else ""

    def test_keys_of_what_is_written(self):
        self.out = self.folder / "out"
        self.begin_with(f"file:{self.out}")
        self.check_rows(CONTENT)


# --- files ----------------------------------------------------------------------------------------

LARGE = gauge("n" * 900, 1)
ROTATED = {"rotate_size": "4KiB"}


def live(name):
    """Returns true if a file with this name grows."""
    return lambda test: name in test.grows(END)


def complete_at_most(count):
    """Returns true if soon at most `count` files are complete, after several were."""
    def seen(test):
        test.send(*[LARGE] * 20)
        return test.comes_to(lambda: len(test.complete()) <= count)
    return seen


def is_packed(test):
    """Returns true if the output is compressed."""
    name, = test.grows(END)
    return test.added[name].startswith(b"\x1f\x8b")


def mode_of_live(test):
    """The permissions of the current file."""
    name, = test.grows(END)
    return stat.S_IMODE((test.out / name).stat().st_mode)


def shares(test):
    """Returns true if one of two senders has no separate file."""
    before = test.sink()["to_other_file"]
    test.send(END)
    test.outcome(END, source="127.0.0.9")
    test.wait_until_finished()
    return test.sink()["to_other_file"] > before


def file_row(key, value, seen, before, after, **beside):
    return SinkRow(key, value, seen, before, after, scope="file", **beside)


FILES = [
    file_row("rotate_size", "4KiB", live("lines.part"), False, True),
    file_row("rotate_interval", "1h", live("lines.part"), False, True),
    file_row("keep", "2", complete_at_most(2), False, True, **ROTATED),
    file_row("keep_time", "1s", complete_at_most(0), False, True, **ROTATED),
    file_row("keep_size", "4KiB", complete_at_most(1), False, True, **ROTATED),
    file_row("compress", "gzip", is_packed, False, True),
]

MODES = [file_row("mode", "0604", mode_of_live, 0o640, 0o604, **ROTATED)]


@same_with_one_thread
class Files(SinkRows):
    def sizes(self):
        found = {}
        for path in self.out.iterdir():
            try:
                found[path.name] = path.stat().st_size
            except FileNotFoundError:
                pass  # it was renamed, or removed
        return found

    def complete(self):
        return [name for name in self.sizes() if name.startswith("lines.") and
                not name.endswith(".part")]

    def grows(self, *datagrams):
        """The names of the files that grow."""
        self.send(END)  # the previous sink has ended then, and its files have their final names
        before = self.sizes()
        self.send(*datagrams)
        names = [name for name, size in self.sizes().items() if size > before.get(name, 0)]
        self.added = {name: (self.out / name).read_bytes()[before.get(name, 0):] for name in names}
        return names

    def test_keys_of_files(self):
        self.out = self.folder / "out"
        self.out.mkdir()
        self.begin_with(f"file:{self.out}/lines", flush_interval="0s")
        self.check_rows(FILES)

    @unittest.skipIf(WINDOWS, "files there have no modes")
    def test_modes_of_files(self):
        self.out = self.folder / "out"
        self.out.mkdir()
        self.begin_with(f"file:{self.out}/lines", flush_interval="0s")
        self.check_rows(MODES)

    def test_how_many_files_there_are(self):
        self.out = self.folder / "out"
        self.out.mkdir()
        self.begin_with(f"file:{self.out}/lines-%{{source}}.ndjson")
        self.check_rows(MANY)


MANY = [file_row("max_files", "1", shares, False, True)]


# --- syncing to the disk --------------------------------------------------------------------------

def syncs(path):
    """Returns true if a file whose path contains `path` is synced."""
    def is_synced(test):
        def calls():
            return test.calls.read_text(encoding="utf-8").count(path)
        test.send(END)  # the previous sink has ended then
        before = calls()
        test.send(END)
        return test.soon(lambda: calls() > before)
    return is_synced


SYNCED = [file_row("fsync", "interval", syncs("/synced"), False, True)]


@same_with_one_thread
@unittest.skipUnless(can_trace(), "no strace here that may trace")
class Synced(SinkRows):
    def reload(self):
        signal_traced(self.program, signal.SIGHUP)

    def test_when_a_file_reaches_the_disk(self):
        self.calls = self.folder / "calls"
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}],
                   [{"to": f"file:{self.folder}/synced"}],
                   start=lambda file: start_traced(self, "fsync,fdatasync", self.calls,
                                                   "--config", file))
        self.program.ask_for_ledger = lambda: signal_traced(self.program, signal.SIGUSR1)
        self.check_rows(SYNCED)
        signal_traced(self.program, STOP_SIGNAL)
        self.program.finish()


# --- the reader of a pipe -------------------------------------------------------------------------

@same_with_one_thread
class Reader(SinkRows):
    def goes(self, keys):
        """Starts the program with a pipe as its standard output, sets on_epipe= to each of `keys`,
        and closes the reader of the pipe."""
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as pipe:
            self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}], ["stdout:"],
                       start=lambda file: self.start("--config", file, stdout=pipe))
        for key in keys:
            self.change(self.with_keys(self.base, (), {"sinks": [
                *self.base["sinks"][:1], "stdout:?on_epipe=" + key]}))
        sender = self.sender(self.program)
        sender.send(END)
        os.read(reading, 1)
        os.close(reading)
        sender.send(END)
        self.program.wait_for_log("the reader has gone")

    def test_what_ends_with_it(self):
        """Runs separate programs, because each ends only once."""
        self.goes(["stop", "end"])
        self.outcome(END)
        self.program.stop()
        self.goes(["stop"])
        self.program.finish()


EPIPE = [SinkRow("on_epipe", "stop", None, None, None)]

# The rows of overflow= are in test_reload_options.py.
ROWS = CONTENT + FILES + MODES + MANY + SYNCED + EPIPE

if __name__ == "__main__":
    unittest.main()
