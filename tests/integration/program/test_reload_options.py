"""Every option of a configuration file in a running program: a reload applies a new value and
another one restores the old value, or it refuses the option by its name."""
import os
import unittest

from built import WINDOWS
from ports import free_ports
from protobuf import metric
from reload_rows import Absent, Fixed, ReloadRows, Row
from sluice_program import CHANGED, LEDGER, linux_sockets
from test_tcp import OK, Client, framed

UDP = {"address": "udp://127.0.0.1:0", "schema": "riemann"}
PORT, = free_ports(1)


def more_listeners(_, config):
    config["listeners"].append({**UDP, "address": f"udp://127.0.0.1:{PORT}"})
    return config


def more_sinks(test, config):
    config["sinks"].append(f"file:{test.folder}/more")
    return config


def listens(test):
    return test.comes_to(lambda: PORT in {port for port, *_ in linux_sockets()})


def writes_more(test):
    """Returns true if new records are written to another file, too."""
    more = test.folder / "more"
    size = more.stat().st_size if more.exists() else 0
    test.lines(metric(1))
    return test.soon(lambda: more.exists() and more.stat().st_size > size)


def ledger_is_json(test):
    before = len(test.program.stderr.lines())
    test.program.ask_for_ledger()
    found = []

    def printed(lines):
        found[:] = [line.decode() for line in lines[before:] if b"received" in line]
        return found
    test.program.stderr.wait_for(printed)
    return found[0].startswith(LEDGER)


def log_is_json(test):
    test.read_again()
    return [line for line in test.program.said() if CHANGED in line][-1].startswith("{")


def repeats(test):
    """Returns true if a repeated message is logged again."""
    def logged():
        return sum("malformed" in line for line in test.program.said())
    before = logged()
    sender = test.sender(test.program)

    def twice():
        sender.send(b"\xff")
        return logged() > before + 1
    return test.soon(twice)


def is_taken(test):
    """Reads the configuration again. The option affects only checks."""
    test.read_again()
    return True


def closes_soon(test):
    """Returns true if a removed listener stops waiting for the rest of a frame."""
    config = test.current
    client = Client(test.program, 1)
    client.send(framed(metric(1), metric(1))[:-3])
    test.assertEqual(client.answer(), OK)
    test.change({**config, "listeners": config["listeners"][:1]})
    soon = test.soon(lambda: test.has_ended(client))
    if not soon:
        client.send(framed(metric(1))[-3:])
        test.assertEqual(client.answer(), OK)
        test.assertTrue(client.ends())
    client.socket.close()
    test.change(config)
    return soon


def refuses(test):
    """Returns true if the second of two series is refused."""
    def refused():
        sinks = test.program.ledger_now()["sinks"]
        return sum(sink["series_refused"] for sink in sinks)
    before = refused()
    test.outcome(metric(1, "first"), metric(1, "second"))
    return test.soon(lambda: refused() > before)


PLAIN = [
    Row("reloaded", "listen", more_listeners, listens, False, True),
    Row("reloaded", "sink", more_sinks, writes_more, False, True),
    Row("reloaded", "log-format", "json", log_is_json, False, True, place=()),
    Row("reloaded", "check-timeout", "1s", is_taken, True, True, place=()),
    Row("reloaded", "ledger", "text", ledger_is_json, True, False, place=()),
    Row("reloaded", "max-series", "1", refuses, False, True, place=()),
    Row("reloaded", "max-series-per-sender", "1", refuses, False, True, place=(),
        beside={"max-series": "9"}),
    Row("reloaded", "log-repeats", "100ms", repeats, False, True, place=(),
        beside={"log-repeats": "1h"}),
]

STOPS = [Row("reloaded", "stop-timeout", "100ms", closes_soon, False, True, place=(),
             beside={"stop-timeout": "20s"})]

LETTERS = ("dead-letter",)
FIXED = [
    *(Fixed("fixed", key, value, place=(), named=key) for key, value in (
        ("duration", "1h"), ("max-datagrams", "1000000"),
        ("min-free", "1MiB"), ("stall-timeout", "20s"), ("notifier", "epoll"), ("threads", "1"),
        ("receiver-cpus", "0"), ("control", "unix:/tmp/other"), ("metrics", "127.0.0.1:0"),
        ("metrics-host", "a.example"), ("metrics-token-file", "/tmp/token"), ("user", "nobody"),
        ("sandbox", "off"))),
    # The log would merge two equal refusals in a row, so other rows are between them.
    Fixed("dead-letter", "max_size", "1MiB", place=LETTERS, named="dead-letter"),
    *map(Absent, ("config", "check", "print-config")),
    Fixed("dead-letter", "rate", "5", place=LETTERS, named="dead-letter"),
    *map(Absent, ("print-schema", "version", "help")),
    Fixed("fixed", "dead-letter", "file:elsewhere", place=(), named="dead-letter"),
]

MODES = [Fixed("dead-letter", "mode", "0600", place=LETTERS, named="dead-letter")]


class OptionRows(ReloadRows):
    def begin_with(self, *listeners, **more):
        self.begin([*listeners], ledger="json", **more,
                   start=lambda file: self.start("--config", file, ledger=None,
                                                 listeners=len(listeners)))

    def read_again(self):
        """Reads the same configuration again."""
        before = self.count(CHANGED)
        self.write(self.current)
        self.reload()
        self.program.wait_for_log(CHANGED, before + 1)


class Options(OptionRows):
    def test_options_that_follow(self):
        self.begin_with(UDP)
        self.check_rows(PLAIN)

    def test_options_that_do_not(self):
        self.begin_with(UDP, **{"dead-letter": {"to": f"file:{self.folder}/letters"}})
        self.check_rows(FIXED)

    @unittest.skipIf(WINDOWS, "files there have no modes")
    def test_modes_of_dead_letters_do_not_follow(self):
        self.begin_with(UDP, **{"dead-letter": {"to": f"file:{self.folder}/letters"}})
        self.check_rows(MODES)

    @staticmethod
    def has_ended(client):
        client.socket.setblocking(False)
        try:
            return client.socket.recv(1) == b""
        except BlockingIOError:
            return False
        finally:
            client.socket.setblocking(True)

    def test_how_long_the_end_of_a_listener_may_take(self):
        self.begin_with(UDP, {**UDP, "address": f"tcp://127.0.0.1:{free_ports(1)[0]}"})
        self.check_rows(STOPS)


def logs_information(test):
    before = test.count(CHANGED)
    test.change(test.current)
    return test.count(CHANGED) > before


LEVELS = [Row("reloaded", "log-level", "error", logs_information, True, False, place=())]


class Levels(OptionRows):
    """The log may not show that the configuration was read; a sink in the ledger does."""

    def change(self, config):
        self.rewrites += 1
        mark = f"file:{self.folder}/mark{self.rewrites}"
        self.write({**config, "sinks": [*config["sinks"], mark]})
        self.reload()
        self.program.wait_for_ledger(
            lambda ledger: any(sink["name"] == mark for sink in ledger["sinks"]), "it is read")
        self.current = config

    def test_the_level_of_the_log(self):
        self.begin_with(UDP)
        self.check_rows(LEVELS)


# --- limits of queues -----------------------------------------------------------------------------

def held(test):
    """Returns true if many records can wait for a stopped sink: a large part of the larger
    memory."""
    return test.fill() > MUCH


def evicts(test):
    """Returns true if the sink drops the oldest records instead of the newest."""
    test.fill()
    return test.sink()["evicted"] > 0


MUCH = 20 << 20
BIG = metric(1, host="h" * 4000)
STUCK = [
    Row("reloaded", "memory", "128MiB", held, False, True, place=()),
    Row("sink", "overflow", "drop_oldest", evicts, False, True, place=("sinks", 1)),
]


class Stuck(OptionRows):
    """A sink writes to a pipe that is read only at the end of each observation."""

    def sink(self):
        return [sink for sink in self.program.ledger_now()["sinks"]
                if sink["name"].endswith("fifo") and not sink["retired"]][-1]

    def lost(self, ledger):
        sink = [sink for sink in ledger["sinks"]
                if sink["name"].endswith("fifo") and not sink["retired"]][-1]
        return (sink["refused"]["ring_full"] + sink["evicted"] +
                ledger["listeners"][0]["reasons"]["no_buffer"])

    def fill(self):
        """Sends until a record is lost. Returns the number of bytes that wait."""
        before = self.lost(self.program.ledger_now())
        sender = self.sender(self.program)
        sent = 0
        while True:
            for _ in range(100):
                sender.send(BIG)
            sent += 100
            self.program.wait_for_received(self.received + sent)
            if self.lost(self.program.ledger_now()) > before:
                break
        self.received += sent
        self.drain()
        return sent * len(BIG)

    def drain(self):
        def is_empty():
            try:
                while os.read(self.pipe, 1 << 20):
                    pass
            except BlockingIOError:
                pass
            sink = self.sink()
            return sink["in_flight"] == 0 and sink["queued"] == (
                sink["written"] + sink["evicted"] + sum(sink["failed"].values()))
        self.assertTrue(self.wait(is_empty))

    def wait(self, reached):
        self.expected = True
        return self.soon(reached)

    def test_what_waits_for_a_sink(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, self.pipe)
        self.received = 0
        self.begin_with({**UDP, "receive_buffer": "8MiB"}, memory="40MiB",
                        sinks=[{"to": f"file:{fifo}", "view": "message"}])
        self.check_rows(STUCK)


ROWS = PLAIN + STOPS + FIXED + MODES + LEVELS + STUCK

if __name__ == "__main__":
    unittest.main()
