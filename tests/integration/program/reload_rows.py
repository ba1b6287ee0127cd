"""Tests keys and options of a running program: each row of a table is changed, its effect is
observed, and it is changed back.

The rows of all scripts together must be those of the program's own tables, which TEST_SETTING_TABLE
prints; test_reload_keys.py compares them."""
import copy
import json
import socket
import time
import unittest

from sluice_program import (CHANGED, DEADLINE, ProgramTest, dropped, has_done_with_all,
                            parse_lines)
from test_config import READS_FILES
from test_reload import REFUSED

QUIET = 0.3  # seconds to wait for an effect that must not happen


class Row:
    """A key that a reload may change. `seen(test)` observes its effect: it must return `before`
    without the key and with the additional keys, and `after` with the key's value. A value may be a
    function of the test and the first configuration that returns the other configuration. `key` may
    be several keys that change together. `written` is the text in the file for "kafka.NAME".
    `place` is the part of the configuration that has the key: a listener, a sink, or the whole."""

    def __init__(self, scope, key, value, seen, before, after, place=("listeners", 0), beside=None,
                 written=None):
        self.names = [(scope, each) for each in key.split()]
        self.keys = {written or key: value}
        if " " in key:
            self.keys = dict(zip(key.split(), value))
        elif callable(value):
            self.keys = value
        self.seen, self.before, self.after = seen, before, after
        self.place, self.beside = place, beside or {}


class Fixed:
    """A key that a reload refuses to change; the error names it as `named`."""

    def __init__(self, scope, key, value, place=("listeners", 0), beside=None, named=None,
                 more=None):
        self.names = [(scope, key)]
        self.keys = {key: value, **(more or {})}
        self.place, self.beside = place, beside or {}
        self.named = rf"\b{named or key}\b.* by a restart"


class Replaced(Fixed):
    """A key of a sink whose change replaces the sink. Only the replacement is checked."""


class Absent(Fixed):
    """A command-line option that a configuration file cannot have."""

    def __init__(self, key):
        super().__init__("command-line", key, "1", place=())
        self.named = rf"\b{key}\b"


def part(config, place):
    for step in place:
        config = config[step]
    return config


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class ReloadRows(ProgramTest):
    """Runs rows on one program. Each row begins with the program's first configuration."""

    def begin(self, listeners, sinks=(), arguments=(), start=None, **options):
        self.file, self.kept = self.folder / "sluice.yaml", self.folder / "kept"
        self.base = {**options, "listeners": listeners, "sinks": [f"file:{self.kept}", *sinks]}
        self.current, self.rewrites = self.base, 0
        self.write(self.base)
        if start is not None:
            self.program = start(self.file)
        else:
            self.program = self.start("--config", self.file, *arguments, listeners=len(listeners))

    def write(self, config):
        """Writes the configuration. Each time it begins on another line, so that a refusal has
        another text and is logged again."""
        new = self.folder / "new.yaml"
        self.rewrites += 1
        new.write_text("\n" * self.rewrites + json.dumps(config), encoding="utf-8")
        new.replace(self.file)

    def count(self, text):
        return sum(text in line for line in self.program.said())

    def reload(self):
        self.program.ask_to_reload()

    def change(self, config):
        if config == self.current:
            return
        before = self.count(CHANGED)
        self.write(config)
        self.reload()
        self.program.wait_for_log(f"{CHANGED}|{REFUSED}", before + self.count(REFUSED) + 1)
        self.assertEqual(self.count(CHANGED), before + 1, self.program.said()[-1])
        self.current = config

    def with_keys(self, config, place, keys):
        if callable(keys):
            return keys(self, copy.deepcopy(config))
        if not keys:
            return config
        changed = copy.deepcopy(config)
        part(changed, place).update(keys)
        return changed

    def soon(self, reached):
        """Waits for reached(): up to DEADLINE if the row expects it, otherwise only for QUIET."""
        end = time.monotonic() + (DEADLINE if self.expected else QUIET)
        while not reached():
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True

    def comes_to(self, holds):
        """Returns true if holds() is as the row expects. Waits for that, since earlier effects may
        end late."""
        expected, self.expected = self.expected, True
        return self.soon(lambda: holds() == expected) == expected

    def check_rows(self, rows):
        for row in rows:
            with self.subTest(key=row.names):
                before = self.with_keys(self.base, row.place, row.beside)
                if isinstance(row, Replaced):
                    self.check_replaced(row, before)
                    continue
                if isinstance(row, Fixed):
                    self.check_refused(row, before)
                    continue
                after = self.with_keys(before, row.place, row.keys)
                for config, expected in ((before, row.before), (after, row.after),
                                         (before, row.before)):
                    self.expected = expected
                    self.change(config)
                    self.assertEqual(row.seen(self), expected)

    def check_replaced(self, row, before):
        self.change(before)
        for config in (self.with_keys(before, row.place, row.keys), before):
            self.change(config)
            said = [line for line in self.program.said() if CHANGED in line][-1]
            self.assertRegex(said, r"sinks: \d+ kept, 1 added, 1 removed")

    def check_refused(self, row, before):
        self.change(before)
        refused = self.count(REFUSED)
        self.write(self.with_keys(before, row.place, row.keys))
        self.reload()
        self.program.wait_for_log(REFUSED, refused + 1)
        why = [line for line in self.program.said() if REFUSED in line][-1]
        self.assertRegex(why, row.named)

    # Observations.

    def ledger_of(self, listener):
        return self.program.ledger_now()["listeners"][listener]

    @staticmethod
    def outcomes(counts):
        return {"decoded": counts["decoded"], "dropped": dropped(counts) or 0, **counts["reasons"]}

    def outcome(self, *datagrams, listener=0, source="127.0.0.1"):
        """The names of the ledger's reasons and terms that count these datagrams."""
        before = self.outcomes(self.ledger_of(listener))
        sender = self.udp_sender(listener, source)
        for datagram in datagrams:
            sender.send(datagram)
        total = sum(before.values()) + len(datagrams)
        ledger = self.program.wait_for_ledger(
            lambda ledger: sum(self.outcomes(ledger["listeners"][listener]).values()) >= total,
            "all datagrams were received")
        after = self.outcomes(ledger["listeners"][listener])
        return {name for name, count in after.items() if count > before.get(name, 0)}

    def udp_sender(self, listener, source):
        sender = self.sender(self.program, listener)
        if source != "127.0.0.1":
            sender.close()
            sender.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.socket.bind((source, 0))
            sender.socket.connect(("127.0.0.1", self.program.port(listener)))
        return sender

    def lines(self, *datagrams, listener=0, path=None):
        """The lines of output for these datagrams only."""
        path = path or self.kept
        self.wait_until_kept()
        size = path.stat().st_size
        self.outcome(*datagrams, listener=listener)
        self.wait_until_kept()
        return parse_lines(path.read_bytes()[size:])

    def wait_until_kept(self):
        self.program.wait_for_ledger(lambda ledger: has_done_with_all(ledger["sinks"][0]),
                                     "what was decoded is written")


def outcome(*datagrams, **more):
    """A function for a row's `seen`: returns the names of the ledger's reasons and terms that count
    the datagrams."""
    return lambda test: test.outcome(*datagrams, **more)


def line(what, *datagrams, **more):
    """A function for a row's `seen`: returns `what` of the first output line for the datagrams."""
    return lambda test: what(test.lines(*datagrams, **more)[0])
