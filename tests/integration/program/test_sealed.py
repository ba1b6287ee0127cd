"""Sealed datagrams: each valid one is written once, with the name of its key. Any other one is
refused with its reason."""
import csv
import json
import os
import random
import socket
import struct
import time
import unittest

import sealing
from built import WINDOWS, skip
from capture_writing import HEADER, record
from packet_reading import read_packets
from ports import free_port
from protobuf import metric
from sealing import (AUTHENTICATED, ENCRYPTED, SECOND, Key, Session, seal, write_keys)
from sluice_program import ANY_PORT, ProgramTest, read_lines

if sealing.bindings is None:
    skip("no PyNaCl here")

MANY = int(os.environ.get("TEST_SEALED", "20000"))
WINDOW = 1024
UDP_SEGMENT = 103


def refused(listener):
    return {reason: count for reason, count in listener["reasons"].items() if count}


def altered(datagram, at):
    changed = bytearray(datagram)
    changed[at] ^= 1
    return bytes(changed)


class SealedTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.web, self.db = Key("web"), Key("db.1")
        self.keys = self.folder / "keys"
        write_keys(self.keys, self.web, self.db)
        self.out = self.folder / "out" / "lines"  # a separate folder, for the sandbox
        self.out.parent.mkdir()

    def listener(self, more="", address=ANY_PORT):
        return f"{address}?schema=riemann&framing=sealed&keys={self.keys}{more}"

    def begin(self, more="", *arguments, **options):
        return self.start("--listen", self.listener(more), "--sink", f"file:{self.out}", *arguments,
                          **options)

    def written(self):
        """(sender, value) of each line that a reader finds in the file."""
        return sorted((line["sender"], line["value"]) for line in read_lines(self.out))

    def check_end(self, program, good, **reasons):
        """Stops the program. Asserts that these records are in the file, each once, and that the
        ledger agrees."""
        ledger = program.stop()
        (listener,) = ledger["listeners"]
        self.assertEqual(refused(listener), reasons)
        self.assertEqual(listener["decoded"], len(good))
        self.assertEqual(listener["received"], len(good) + sum(reasons.values()))
        self.assertEqual(self.written(), sorted(good))
        return ledger


class Good(SealedTest):
    def test_each_is_written_once_with_the_name_of_its_key(self):
        for more in ("", "&receivers=3", *(() if WINDOWS else ("&receivers=2&spread=datagram",))):
            with self.subTest(more):
                self.out.unlink(missing_ok=True)
                program = self.begin(more)
                good = []
                for number, (key, mode) in enumerate((key, mode) for key in (self.web, self.db)
                                                     for mode in (AUTHENTICATED, ENCRYPTED)):
                    session = Session(key, mode)
                    values = range(1000 * number, 1000 * number + 300)
                    self.sender(program).send_all([session.seal(metric(value)) for value in values],
                                                  len(good))
                    good += [(key.name, value) for value in values]
                self.check_end(program, good)

    def test_one_of_any_size_is_opened(self):
        program = self.begin()
        session = Session(self.web)
        sizes = [1, 1900, 1993, 1994, 2048, 2049, 30000, 65507 - 56 - 60]
        self.sender(program).send_all([session.seal(metric(size, host="h" * size)) for size in sizes])
        self.check_end(program, [("web", size) for size in sizes])

    def test_an_empty_payload_is_an_empty_datagram(self):
        path = self.out
        program = self.start("--listen", f"{ANY_PORT}?schema=telemetry&framing=sealed&"
                             f"keys={self.keys}", "--sink", f"file:{path}")
        self.sender(program).send_all([Session(self.web, mode).seal(b"")
                                       for mode in (AUTHENTICATED, ENCRYPTED)])
        self.check_end(program, [], empty=2)

    @unittest.skipIf(WINDOWS, "only Linux combines datagrams")
    def test_those_in_one_buffer_are_opened_one_by_one(self):
        program = self.begin("&gro=on")
        session = Session(self.db)
        datagrams = [session.seal(metric(1000 + number)) for number in range(20)]
        size = len(datagrams[0])
        self.assertEqual({len(each) for each in datagrams}, {size})
        datagrams[7] = altered(datagrams[7], 60)
        sender = self.sender(program)
        sender.socket.sendmsg([b"".join(datagrams)], [(socket.IPPROTO_UDP, UDP_SEGMENT,
                                                       struct.pack("@H", size))])
        program.wait_for_received(20)
        self.check_end(program, [("db.1", 1000 + number) for number in range(20) if number != 7],
                       forged=1)

    def test_order_may_change_within_the_window(self):
        program = self.begin()
        session = Session(self.web)
        ahead = session.seal(metric(WINDOW), counter=WINDOW)
        late = [session.seal(metric(counter), counter=counter) for counter in range(1, WINDOW)]
        self.sender(program).send_all([ahead, *reversed(late)])
        self.check_end(program, [("web", value) for value in range(1, WINDOW + 1)])


class Refused(SealedTest):
    def test_each_has_its_reason_and_its_dead_letter_the_bytes_as_they_came(self):
        old, later = (Key("old", "not-after=2001-01-01T00:00:00Z"),
                      Key("later", "not-before=2101-01-01T00:00:00Z"))
        write_keys(self.keys, self.web, self.db, old, later)
        letters = self.folder / "letters.pcapng"
        program = self.begin("&max_age=5s", "--dead-letter", f"file:{letters}")
        session, other = Session(self.web), Session(self.db, AUTHENTICATED)
        good = [session.seal(metric(1)), other.seal(metric(2))]
        now = time.time_ns()
        bad = {
            "malformed": [b"", b"SLSD", good[0][:55], altered(good[0], 0), altered(good[0], 4),
                          altered(good[1], 7), good[0][:5] + b"\3" + good[0][6:],
                          seal(self.web.key, session.head(counter=0), metric(3)),
                          session.seal(b"\xff\xff")],
            "no_key": [altered(good[0], 15), Session(Key("foreign")).seal(metric(3)),
                       Session(old).seal(metric(3)), Session(later).seal(metric(3))],
            "forged": [altered(each, at) for each in good
                       for at in (16, 24, 32, 40, len(each) - 17, len(each) - 16, len(each) - 1)] +
                      [good[0][:-1], good[1] + b"\0", good[0][:56],
                       seal(self.db.key, Session(self.web).head(), metric(3)),
                       good[0][:5] + b"\1" + good[0][6:], good[1][:5] + b"\2" + good[1][6:]],
            "stale": [session.seal(metric(3), at=now - 6 * SECOND),
                      session.seal(metric(3), at=now + 60 * SECOND),
                      Session(self.web).seal(metric(3), at=0)],
            "replayed": [good[0], good[1], good[0]],
        }
        sent = good + [each for some in bad.values() for each in some]
        self.sender(program).send_all(sent)
        ledger = self.check_end(program, [("web", 1), ("db.1", 2)],
                                **{reason: len(some) for reason, some in bad.items()})
        kept = [packet["payload"] for packet in read_packets(letters)]
        self.assertEqual(kept, sent[2:])
        self.assertEqual(ledger["dead_letters"]["kept"], len(sent) - 2)
        for reason in ("no_key", "forged", "stale", "replayed"):
            self.check_refusals_are_reported(program, ledger, reason, r"\d+ bytes from 127\S+")

    def test_below_the_window_is_replayed_though_it_never_came(self):
        program = self.begin()
        session = Session(self.web)
        self.sender(program).send_all([
            session.seal(metric(1), counter=5), session.seal(metric(2), counter=5 + WINDOW),
            session.seal(metric(3), counter=5), session.seal(metric(4), counter=4),
            session.seal(metric(5), counter=6)])
        self.check_end(program, [("web", 1), ("web", 2), ("web", 5)], replayed=2)

    def test_a_session_that_gave_way_to_others_does_not_come_back(self):
        program = self.begin()
        sessions = [Session(self.web) for _ in range(20)]
        sent = [session.seal(metric(number)) for number, session in enumerate(sessions)]
        self.sender(program).send_all(sent + sent)
        ledger = program.stop()
        self.assertEqual(self.written(), [("web", number) for number in range(20)])
        reasons = refused(ledger["listeners"][0])
        self.assertEqual(sum(reasons.values()), 20)
        self.assertEqual(reasons["stale"] + reasons["replayed"], 20)

    def test_listeners_with_one_file_accept_a_datagram_once(self):
        program = self.start("--listen", self.listener(), "--listen", self.listener(),
                             "--sink", f"file:{self.out}", listeners=2)
        datagram = Session(self.web).seal(metric(1))
        self.sender(program, 0).send_all([datagram])
        self.sender(program, 1).send_all([datagram])
        ledger = program.stop()
        self.assertEqual([refused(each) for each in ledger["listeners"]], [{}, {"replayed": 1}])
        self.assertEqual(self.written(), [("web", 1)])


class Names(SealedTest):
    def test_the_name_chooses_schema_path_and_label(self):
        by_name = self.folder / "by-%{sender}.ndjson"
        program = self.start(
            "--listen", f"{ANY_PORT}?keys={self.keys}&schema=riemann&framing=sealed&match=key:web&"
            "schema=telemetry&framing=sealed&match=key:other",
            "--sink", f"file:{by_name}?add_label=from=%{{sender}}")
        self.sender(program).send_all([Session(key).seal(metric(number))
                                       for number, key in enumerate((self.web, self.db))])
        (listener,) = program.stop()["listeners"]
        self.assertEqual(refused(listener), {"no_match": 1})
        (line,) = read_lines(self.folder / "by-web.ndjson")
        self.assertEqual((line["sender"], line["labels"]["from"], line["value"]), ("web", "web", 0))

    def test_rows_and_lines_have_the_name(self):
        rows, lines = self.folder / "rows", self.folder / "lines"
        program = self.start("--listen", self.listener(), "--listen", ANY_PORT + "?schema=riemann",
                             "--sink", f"file:{rows}?format=csv&columns=sender",
                             "--sink", f"file:{lines}?format=text", listeners=2)
        self.sender(program, 0).send_all([Session(self.web).seal(metric(1, service="sealed"))])
        self.sender(program, 1).send_all([metric(2, service="open")])
        program.stop()
        table = list(csv.DictReader(rows.read_text(encoding="utf-8").splitlines()))
        self.assertEqual({row["name"]: row["sender"] for row in table}, {"sealed": "web", "open": ""})
        self.assertEqual(list(table[0])[-2:], ["listener", "sender"])
        self.assertEqual({line.split()[2]: "sender=web" in line
                          for line in lines.read_text(encoding="utf-8").splitlines()},
                         {"sealed": True, "open": False})

    def test_a_rate_limit_counts_by_name(self):
        program = self.begin("&rate_limit=50")
        sessions = [Session(self.web), Session(self.web), Session(self.db)]
        forged = [altered(Session(self.web).seal(metric(0)), 50)] * 100
        sent = forged + [session.seal(metric(1)) for _ in range(200) for session in sessions]
        self.sender(program).send_all(sent)
        (listener,) = program.stop()["listeners"]
        counts = {name: sum(sender == name for sender, _ in self.written())
                  for name in ("web", "db.1")}
        self.assertEqual(listener["reasons"]["forged"], 100)
        self.assertGreaterEqual(min(counts.values()), 50)
        self.assertLess(counts["web"], counts["db.1"] + 50)
        self.assertEqual(listener["reasons"]["rate_limited"], 600 - sum(counts.values()))

    def test_series_are_limited_by_name(self):
        program = self.start("--listen", self.listener(), "--sink",
                             f"file:{self.out}?max_series=100&max_series_per_sender=3")
        for key in (self.web, self.db):
            session = Session(key)
            self.sender(program).send_all([session.seal(metric(1, service=f"{key.name}-{number}"))
                                           for number in range(5)], 5 * (key is self.db))
        ledger = program.stop()
        self.assertEqual(self.written(), [("db.1", 1)] * 3 + [("web", 1)] * 3)
        self.assertEqual(ledger["sinks"][0]["series_refused"], 4)

    def test_records_that_were_not_sealed_have_no_sender(self):
        program = self.start("--listen", self.listener(), "--listen", ANY_PORT + "?schema=riemann",
                             "--sink", f"file:{self.out}", listeners=2)
        self.sender(program, 0).send_all([Session(self.web).seal(metric(1))])
        self.sender(program, 1).send_all([metric(2)])
        self.sender(program, 0).send_all([Session(self.db).seal(metric(3))], 1)
        program.stop()
        lines = sorted(read_lines(self.out), key=lambda line: line["value"])
        self.assertEqual([line.get("sender") for line in lines], ["web", None, "db.1"])


class Reloads(SealedTest):
    def reload(self, program, *keys):
        write_keys(self.keys, *keys)
        self.reloads = getattr(self, "reloads", 0) + 1
        program.ask_to_reload()
        program.wait_for_log("senders' keys reloaded", self.reloads)

    def test_kept_keys_keep_their_windows_and_revoked_ones_end(self):
        program = self.begin()
        web, db, new = Session(self.web), Session(self.db), Key("new")
        first = [web.seal(metric(1)), db.seal(metric(2))]
        sender = self.sender(program)
        sender.send_all(first)
        self.reload(program, self.web, new)
        later = [web.seal(metric(3)), Session(new).seal(metric(4)), *first, db.seal(metric(5))]
        sender.send_all(later, 2)
        self.check_end(program, [("web", 1), ("db.1", 2), ("web", 3), ("new", 4)], replayed=1,
                       no_key=2)

    def test_a_key_that_returns_accepts_nothing_that_was_sent_before(self):
        program = self.begin()
        datagram = Session(self.db).seal(metric(1))
        sender = self.sender(program)
        sender.send_all([datagram])
        self.reload(program, self.web)
        self.reload(program, self.web, self.db)
        sender.send_all([datagram, Session(self.db).seal(metric(2))], 1)
        self.check_end(program, [("db.1", 1), ("db.1", 2)], stale=1)

    def test_two_keys_of_one_name_are_valid_at_a_time(self):
        program = self.begin()
        new = Key("web")
        self.reload(program, self.web, new)
        self.sender(program).send_all([Session(self.web).seal(metric(1)),
                                       Session(new).seal(metric(2))])
        self.check_end(program, [("web", 1), ("web", 2)])

    def test_a_bad_file_leaves_the_keys_as_they_were(self):
        program = self.begin()
        self.keys.write_text("web 12 not-a-key\n")
        program.ask_to_reload()
        program.wait_for_log(f"{self.keys}: line 1: ")
        self.sender(program).send_all([Session(self.web).seal(metric(1))])
        self.check_end(program, [("web", 1)])

    def test_a_file_that_fails_in_the_middle_leaves_all_keys_as_they_were(self):
        program = self.begin()
        web, db, new = Session(self.web), Session(self.db), Key("new")
        first = web.seal(metric(1))
        sender = self.sender(program)
        sender.send_all([first])
        self.keys.write_text(new.line() + self.web.line() + "db.1 12 not-a-key\n")
        program.ask_to_reload()
        program.wait_for_log(f"{self.keys}: line 3: ")
        sender.send_all([first, web.seal(metric(2)), db.seal(metric(3)),
                         Session(new).seal(metric(4))], 1)
        self.check_end(program, [("web", 1), ("web", 2), ("db.1", 3)], replayed=1, no_key=1)

    def test_of_two_files_one_that_fails_leaves_the_other_as_it_was(self):
        others, third = self.folder / "others", Key("third")
        write_keys(others, third)
        program = self.start(
            "--listen", self.listener(), "--listen",
            f"{ANY_PORT}?schema=riemann&framing=sealed&keys={others}", "--sink", f"file:{self.out}",
            listeners=2)
        write_keys(self.keys, self.db)
        others.write_text("third\n")
        program.ask_to_reload()
        program.wait_for_log(f"{others}: line 1: ")
        self.sender(program, 0).send_all([Session(self.web).seal(metric(1))])
        self.sender(program, 1).send_all([Session(third).seal(metric(2))])
        ledger = program.stop()
        self.assertEqual([refused(each) for each in ledger["listeners"]], [{}, {}])
        self.assertEqual(self.written(), [("third", 2), ("web", 1)])

    @unittest.skipIf(WINDOWS, "Windows has no such permissions")
    def test_a_file_that_others_may_open_since_then_is_not_read_again(self):
        program = self.begin()
        write_keys(self.keys, self.db)
        self.keys.chmod(0o644)
        program.ask_to_reload()
        program.wait_for_log("other users may open it")
        self.sender(program).send_all([Session(self.web).seal(metric(1))])
        self.check_end(program, [("web", 1)])

    def test_nothing_is_lost_or_refused_while_keys_are_read_again(self):
        program = self.begin()
        session = Session(self.web)
        flood = self.flood(program, lambda number: session.seal(metric(number)))
        for _ in range(5):
            self.reload(program, self.web, self.db, Key("more"))
        flood.end()
        program.wait_for_received(flood.sent)
        (listener,) = program.stop()["listeners"]
        self.assertEqual(refused(listener), {})
        self.assertEqual(listener["decoded"] + listener["kernel_drops"], flood.sent)

    def test_a_changed_configuration_reads_them_too(self):
        file = self.folder / "sluice.yaml"

        def write(more, *keys):
            write_keys(self.keys, *keys)
            file.write_text(f"listeners:\n  - {{address: 'udp://127.0.0.1:0', schema: riemann, "
                            f"framing: sealed, keys: {self.keys}{more}}}\n"
                            f"sinks:\n  - to: file:{self.out}\n")
        write("", self.web)
        program = self.start("--config", file)
        web = Session(self.web)
        sender = self.sender(program)
        first = web.seal(metric(1))
        sender.send_all([first, web.seal(metric(2), at=time.time_ns() - 20 * SECOND)])
        write(", max_age: 10s", self.web, self.db)
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        sender.send_all([first, Session(self.db).seal(metric(3)),
                         web.seal(metric(4), at=time.time_ns() - 20 * SECOND)], 2)
        (listener,) = program.stop()["listeners"]
        self.assertEqual(refused(listener), {"replayed": 1, "stale": 2})
        self.assertEqual(self.written(), [("db.1", 3), ("web", 1)])


class Clocks(SealedTest):
    def test_a_floor_that_is_ahead_of_the_clock_is_reported_with_advice(self):
        program = self.begin("&max_age=2m")
        ahead = time.time_ns() + 60 * SECOND
        sessions = [Session(self.web) for _ in range(9)]  # the program forgets the first of them
        sender = self.sender(program)
        sender.send_all([session.seal(metric(number), at=ahead + number)
                         for number, session in enumerate(sessions)])
        sender.send_all([Session(self.db).seal(metric(10)), Session(self.web).seal(metric(11))], 9)
        program.wait_for_log(r"datagrams of web are refused as stale for [56]\d s more, because .*, "
                             "then restart if this has no state=")
        self.check_end(program, [("web", number) for number in range(9)] + [("db.1", 10)], stale=1)

    def test_datagrams_of_before_the_start_are_not_reported(self):
        before = Session(self.web).seal(metric(1))
        program = self.begin()
        self.sender(program).send_all([before, Session(self.web).seal(metric(2))])
        self.check_end(program, [("web", 2)], stale=1)
        self.assertNotIn("s more, because", "\n".join(program.said()))


class RenamedFiles(SealedTest):
    """Reloads that give a listener another keys file, address or state file."""

    def configure(self, address, keys, **more):
        listener = dict(address=address, schema="riemann", framing="sealed", keys=str(keys), **more)
        self.file = self.folder / "sluice.yaml"
        self.file.write_text(json.dumps({"listeners": [listener],
                                         "sinks": [{"to": f"file:{self.out}"}]}))

    def reload(self, program, count):
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded", count)

    def send(self, program, address, datagrams, sent):
        """Sends the datagrams after `sent` earlier ones, and waits until each was accepted or
        refused."""
        host, port = address.removeprefix("udp://").split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for datagram in datagrams:
                sender.sendto(datagram, (host, int(port)))
        program.wait_for_ledger(lambda ledger: sum(
            listener["decoded"] + sum(refused(listener).values())
            for listener in ledger["listeners"]) == sent + len(datagrams), "all are counted")

    def test_a_keys_file_of_another_name_repeats_nothing(self):
        other = self.folder / "other-keys"
        write_keys(other, self.db, self.web)
        self.configure(ANY_PORT, self.keys)
        program = self.start("--config", self.file)
        web = Session(self.web)
        ahead = web.seal(metric(1), at=time.time_ns() + 3 * SECOND)
        sender = self.sender(program)
        sender.send_all([ahead])
        self.configure(ANY_PORT, other)
        self.reload(program, 1)
        sender.send_all([ahead, web.seal(metric(2))], 1)
        self.check_end(program, [("web", 1), ("web", 2)], replayed=1)

    def test_two_changes_of_the_state_file_repeat_nothing(self):
        first, second = ({"state": str(self.folder / name / "state")} for name in "ab")
        for name in "ab":
            (self.folder / name).mkdir()
        addresses = [f"udp://127.0.0.1:{free_port()}" for _ in range(2)]
        self.configure(addresses[0], self.keys, **first)
        program = self.start("--config", self.file, "--sandbox", "off")
        web = Session(self.web)
        self.send(program, addresses[0], [web.seal(metric(1))], 0)
        self.configure(addresses[1], self.keys, **second)
        self.reload(program, 1)
        between = web.seal(metric(2))
        self.send(program, addresses[1], [between], 1)
        self.configure(addresses[0], self.keys, **first)
        self.reload(program, 2)
        self.send(program, addresses[0], [between, web.seal(metric(3))], 2)
        program.stop()
        self.assertEqual(self.written(), [("web", 1), ("web", 2), ("web", 3)])


class Restarts(SealedTest):
    def test_what_was_sent_before_the_start_is_stale(self):
        before = Session(self.web).seal(metric(1))
        program = self.begin()
        datagram = Session(self.web).seal(metric(2))
        self.sender(program).send_all([before, datagram])
        program.stop()
        program = self.begin()
        again = Session(self.web).seal(metric(3))
        self.sender(program).send_all([before, datagram, again])
        ledger = program.stop()
        self.assertEqual(refused(ledger["listeners"][0]), {"stale": 2})
        self.assertEqual(self.written(), [("web", 2), ("web", 3)])


class Remembered(SealedTest):
    """Sealed datagrams with a state file."""

    def setUp(self):
        super().setUp()
        self.state = self.folder / "remembered" / "state"
        self.state.parent.mkdir()
        self.more = f"&state={self.state}"

    def begin_again(self):
        return self.begin(self.more)

    def until_accepted(self, program, session, values):
        """Sends one datagram after the other until one is accepted. Returns the number of refused
        ones, the accepted one, and the time in seconds."""
        begin = time.monotonic()
        sender = self.sender(program)
        for count, value in enumerate(values):
            datagram = session.seal(metric(value))
            sender.send(datagram)
            ledger = program.wait_for_received(count + 1)
            if ledger["listeners"][0]["decoded"]:
                return count, datagram, time.monotonic() - begin
            time.sleep(0.02)
        self.fail("none was accepted")

    def test_a_clean_stop_remembers_each_datagram(self):
        program = self.begin_again()
        web, db = Session(self.web), Session(self.db)
        sent = [session.seal(metric(number)) for number in range(100) for session in (web, db)]
        missing = sent.pop(50)
        self.sender(program).send_all(sent)
        program.stop()
        meanwhile = [web.seal(metric(1000)), Session(self.web).seal(metric(2000))]
        program = self.begin_again()
        self.sender(program).send_all([*sent, missing, *meanwhile, web.seal(metric(3000))])
        (listener,) = program.stop()["listeners"]
        self.assertEqual(refused(listener), {"replayed": len(sent)})
        self.assertEqual(listener["decoded"], 4)
        self.assertEqual(len(self.written()), len(sent) + 4)
        self.assertEqual(len(set(self.written())), len(sent) + 4)

    def test_a_killed_one_accepts_each_datagram_once(self):
        sent, accepted = [], 0
        for run in range(3):
            program = self.begin_again()
            session = Session(self.web)
            late, first, seconds = self.until_accepted(
                program, session, range(10_000 * run, 10_000 * run + 1000))
            self.assertLess(seconds, 2.5)
            now = [session.seal(metric(10_000 * run + 5000 + number)) for number in range(200)]
            self.sender(program).send_all(sent + now, late + 1)
            listener = program.ledger_now()["listeners"][0]
            self.assertEqual(listener["decoded"], 201)
            self.assertEqual(sum(refused(listener).values()), late + len(sent))
            program.wait_for_settled(listener["messages"])
            program.process.kill()
            program.process.wait()
            accepted += 201
            sent += [first, *now]
        self.assertEqual(len(self.written()), accepted)
        self.assertEqual(len(set(self.written())), accepted)

    def test_a_damaged_file_is_refused(self):
        self.begin_again().stop()
        whole = self.state.read_bytes()
        for content in (whole[:-1], altered(whole, len(whole) // 2), b"x"):
            self.state.write_bytes(content)
            for check in ([], ["--check"]):
                self.refused(*check, "--listen", self.listener(self.more), "--sink",
                             f"file:{self.out}", code=78)
        self.state.unlink()
        self.begin_again().stop()

    def test_another_program_cannot_use_it(self):
        self.begin_again()
        self.refused("--listen", self.listener(self.more), "--sink", f"file:{self.folder}/b", code=78)

    def test_listeners_with_one_keys_file_have_one_state(self):
        for other in ("", f"&state={self.folder}/other"):
            said = self.refused("--check", "--listen", self.listener(self.more), "--listen",
                                self.listener(other), code=78)
            self.assertIn("listeners with the same keys= need the same state=", said)

    def test_a_sink_cannot_write_there(self):
        said = self.refused("--check", "--listen", self.listener(f"&state={self.out}"), "--sink",
                            f"file:{self.out}", code=78)
        self.assertIn("use the same file", said)


class Many(SealedTest):
    """TEST_SEALED datagrams, one in ten of them valid: from 50 runs of 10 senders, in both modes,
    with reloads in between."""
    KINDS = ("good", "replayed", "stale", "no_key", "malformed", "malformed", "forged", "forged",
             "forged", "forged")

    def bad(self, kind, session, good, chance):
        """A datagram that is refused as `kind`. A valid one of this session was sent before."""
        if kind == "replayed":
            return good
        if kind == "stale":
            return session.seal(metric(-1), at=time.time_ns() + chance.choice((-40, 40)) * SECOND)
        if kind == "no_key":
            return altered(good, 8 + chance.randrange(8))
        if kind == "malformed":
            at = chance.choice((0, 1, 2, 3, 4, 6, 7, len(good)))
            return altered(good, at) if at < len(good) else good[:chance.randrange(56)]
        at = chance.choice((*range(16, 31), *range(32, len(good))))  # a counter of 0 would be malformed
        return altered(good, at) if chance.randrange(4) else good[:-1 - chance.randrange(8)]

    def group(self, sessions, first, chance):
        """Ten datagrams for each session in random order. Repetitions are last."""
        front, back = [], []
        for number, session in enumerate(sessions):
            good = session.seal(metric(first + number))
            for kind in self.KINDS:
                if kind == "good":
                    front.append(good)
                else:
                    (back if kind == "replayed" else front).append(
                        self.bad(kind, session, good, chance))
        chance.shuffle(front)
        chance.shuffle(back)
        return front + back

    def test_of_many_exactly_the_good_ones_are_written(self):
        chance = random.Random(20261129)
        keys = [Key(f"sender-{number}") for number in range(10)]
        sessions = [Session(keys[number % 10], 1 + number % 2) for number in range(50)]
        write_keys(self.keys, *keys)
        program = self.begin("&receivers=2")
        sender = self.sender(program)
        turns = MANY // (10 * len(sessions))
        for turn in range(turns):
            self.send_turn(sender, sessions, turn, chance)
            if turn % (turns // 4) == 1:
                write_keys(self.keys, *keys, Key("further"))
                program.ask_to_reload()
        each = turns * len(sessions)
        counted = program.ledger_now()["listeners"][0]
        self.assertEqual(counted["kernel_drops"], 0)
        self.check_end(program, [(sessions[number % 50].key.name, number) for number in range(each)],
                       replayed=each, stale=each, no_key=each, malformed=2 * each,
                       forged=4 * each)

    def send_turn(self, sender, sessions, turn, chance):
        count = 10 * len(sessions)
        sender.send_all(self.group(sessions, turn * len(sessions), chance), turn * count)


class Captures(SealedTest):
    AT = 1700000000 * SECOND

    def play(self, *datagrams, more=""):
        """Plays a capture of the datagrams, one per second."""
        path = self.folder / "sealed.pcap"
        path.write_bytes(HEADER + b"".join(record(number, each)
                                           for number, each in enumerate(datagrams)))
        self.out.unlink(missing_ok=True)
        _, ledger = self.run_to_end("--listen", self.listener(more, f"pcap:{path}"), "--sink",
                                    f"file:{self.out}")
        return refused(ledger["listeners"][0])

    def test_their_age_is_that_at_their_capture(self):
        session = Session(self.web)
        datagrams = [session.seal(metric(1), at=self.AT), session.seal(metric(2), at=self.AT),
                     session.seal(metric(3), at=self.AT - 29 * SECOND)]
        datagrams.append(datagrams[1])
        self.assertEqual(self.play(*datagrams), {"replayed": 1, "stale": 1})
        self.assertEqual(self.written(), [("web", 1), ("web", 2)])
        self.assertEqual(self.play(*datagrams, more="&max_age=1m"), {"replayed": 1})

    def test_a_capture_can_be_read_again(self):
        datagram = Session(self.web).seal(metric(1), at=self.AT)
        for _ in range(2):
            self.assertEqual(self.play(datagram), {})


class Checks(SealedTest):
    def check(self, said, listener=None, code=78):
        self.assertRegex(self.refused("--check", "--listen", listener or self.listener(),
                                      code=code), said)

    def test_keys_of_a_listener_that_do_not_fit(self):
        sealed = "schema=riemann&framing=sealed"
        for listener, said in (
                (f"{ANY_PORT}?{sealed}", "framing=sealed requires keys=FILE"),
                (f"{ANY_PORT}?schema=riemann&keys=x", '"keys" is for framing=sealed'),
                (f"{ANY_PORT}?schema=riemann&max_age=1s", '"max_age" is for framing=sealed'),
                (f"{ANY_PORT}?schema=riemann&match=key:web", "match=key:web requires framing=sealed"),
                (f"{ANY_PORT}?keys=x&{sealed}&match=key:web&schema=telemetry",
                 "framing=sealed must be given for all schemas"),
                (f"tcp://127.0.0.1:0?{sealed}", "framing=sealed is for datagrams"),
                (f"{ANY_PORT}?keys=x&{sealed}&match=key:", "match key is a name")):
            with self.subTest(listener):
                self.check(said, listener, code=64)

    def test_a_keys_file_that_cannot_be_used(self):
        self.check("missing: ", self.listener().replace(str(self.keys), str(self.folder / "missing")))
        self.keys.write_text("# nothing\n")
        self.check(f"{self.keys}: no keys")
        self.keys.write_text(self.web.line() + "\nweb 1234 abc\n")
        self.check(f"{self.keys}: line 3: ")
        self.keys.write_text(self.web.line() + self.web.line())
        self.check("line 2: an earlier line has the same key id")

    @unittest.skipIf(WINDOWS, "Windows has no such permissions")
    def test_a_keys_file_that_others_can_read(self):
        for mode in (0o604, 0o644, 0o602, 0o601):
            self.keys.chmod(mode)
            self.check("chmod")
        self.keys.chmod(0o640)
        program, _ = self.run_to_end("--check", "--listen", self.listener(), ledger=None)
        self.assertEqual(program.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
