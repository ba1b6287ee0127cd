"""Tests the client library, in C or in Python (TEST_CLIENT), with a sealer. PyNaCl opens its
datagrams."""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

from built import beside, command
from client_driving import LANGUAGE, ClientTest, address_of
from readme import from_readme
from sealed_opening import KEY_ID, MODES, OVERHEAD, Opened, keys_line, write_keys
from sluice_program import DEADLINE, SLUICE, TELEMETRY
from test_client import NOBODY, Receiver


TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools" / "client"


class SealedReceiver(Receiver):
    def datagrams(self):
        """The datagrams that have arrived, opened, each with its sealed size."""
        found = []
        while True:
            try:
                datagram = self.socket.recv(65536)
            except BlockingIOError:
                return found
            opened = Opened(datagram)
            opened.size = len(datagram)
            found.append(opened)


class SealingTest(ClientTest):
    def keys(self, *lines, mode=0o600):
        return write_keys(self.folder / "keys", *lines, mode=mode)

    def sealing(self, receiver, *more, seal="encrypted", sender="web1/shop"):
        client = self.client()
        client.do("seal", self.keys(), "-", seal)
        client.do("open", receiver.address, sender, *more)
        return client


class Sealing(SealingTest):
    def test_each_datagram_is_sealed_with_the_key_of_the_file(self):
        for seal, mode in MODES.items():
            with self.subTest(seal):
                receiver = SealedReceiver(self)
                client = self.sealing(receiver, seal=seal)
                total = client.metric("counter", "shop.orders", "1")
                begin = time.time_ns()
                for _ in range(3):
                    client.do("add", total, 1)
                    client.do("flush", answer="sent")
                end = time.time_ns()
                got = receiver.datagrams()
                self.assertEqual([(each.mode, each.key_id, each.counter) for each in got],
                                 [(mode, KEY_ID, counter) for counter in (1, 2, 3)])
                self.assertEqual(len({each.session for each in got}), 1)
                for each in got:
                    self.assertIn(b"shop.orders", each.content)
                    self.assertTrue(begin <= each.time_ns <= end)
                counts = client.counts()
                self.assertEqual((counts["datagrams"], counts["bytes"]),
                                 (3, sum(each.size for each in got)))

    def test_our_own_programs_open_them(self):
        receiver = Receiver(self)
        client = self.sealing(receiver)
        client.do("add", client.metric("counter", "shop.orders", "1"), 7)
        client.do("flush", answer="sent")
        done = subprocess.run(
            command(beside(SLUICE, "sluice-decode"), "--schema", "telemetry", "--keys",
                    self.folder / "keys"), input=receiver.socket.recv(65536), check=True,
            stdout=subprocess.PIPE, timeout=DEADLINE)
        sample, = json.loads(done.stdout)["samples"]
        self.assertEqual((sample["name"], sample["uintValue"]), ("shop.orders", "7"))

    def test_each_life_has_a_session_of_its_own(self):
        receiver = SealedReceiver(self)
        sessions = []
        for _ in range(2):
            client = self.sealing(receiver)
            client.metric("counter", "total", "1")
            client.do("flush", answer="sent")
            client.exit()
            got = receiver.datagrams()
            sessions.append({each.session for each in got})
        self.assertEqual([len(each) for each in sessions], [1, 1])
        self.assertNotEqual(*sessions)

    def test_a_child_that_renews_the_client_begins_a_session(self):
        receiver = SealedReceiver(self)
        client = self.sealing(receiver)
        client.metric("counter", "total", "1")
        client.do("flush", answer="sent")
        client.do("fork")
        client.do("flush", answer="off")
        client.do("renew", "web1/shop/child")
        client.do("flush", answer="sent")
        client.tell("exit")
        client.do("flush", answer="sent")
        first, child, *others = receiver.datagrams()  # the child flushes again when it closes its client
        self.assertEqual((first.counter, child.counter, others[-1].counter), (1, 1, 2))
        self.assertNotEqual(first.session, child.session)
        self.assertEqual(first.session, others[-1].session)

    def test_no_datagram_is_larger_than_the_setting(self):
        receiver = SealedReceiver(self)
        client = self.sealing(receiver, "datagram=1000")
        for i in range(300):
            client.metric("counter", f"a.name.of.some.length.{i:03}", "1")
        client.do("flush", answer="sent")
        got = receiver.datagrams()
        counts = client.counts()
        self.assertEqual((counts["datagram"], counts["samples"], counts["oversized"]),
                         (1000, 300, 0))
        self.assertGreater(len(got), 1)
        self.assertTrue(all(1000 - 48 < each.size <= 1000 for each in got[:-1]))
        self.assertEqual({each.size - len(each.content) for each in got}, {OVERHEAD})

    def test_a_metric_that_no_sealed_datagram_could_hold_is_refused(self):
        sizes = {}
        for name in ("open", "sealed"):
            client = self.client()
            if name == "sealed":
                client.do("seal", self.keys(), "-", "encrypted")
            client.do("open", NOBODY, "web1", "datagram=512")
            sizes[name] = max(size for size in range(300, 500)
                              if client.ask("counter", "x" * size, "1") != "none")
        self.assertEqual(sizes["open"] - sizes["sealed"], OVERHEAD)

    def test_threads_that_flush_at_once_use_no_counter_twice(self):
        receiver = SealedReceiver(self)
        client = self.sealing(receiver)
        metrics = [client.metric("counter", "total", "1"), client.metric("gauge", "last", "1"),
                   client.metric("histogram", "values", "1", "9,49,98")]
        client.do("threads", 8, 1000, *metrics)
        client.do("flush", answer="sent")
        counters = [each.counter for each in receiver.datagrams()]
        self.assertEqual(counters, list(range(1, client.counts()["datagrams"] + 1)))


class Collected(SealingTest):
    def test_the_collector_knows_the_sender_by_its_key(self):
        program = self.collector(f"{TELEMETRY}&framing=sealed&keys={self.keys()}")
        for number, seal in enumerate(MODES, 1):
            client = self.client()
            client.do("seal", self.keys(), "-", seal)
            client.do("open", address_of(program), f"web1/shop/{number}")
            client.do("add", client.metric("counter", "shop.orders", "1"), number)
            client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 2)
        self.assertEqual([(line["sender"], line["value"]) for line in lines],
                         [("web1", 1), ("web1", 2)])


class Documented(SealingTest):
    """The example of README.md, unchanged except for its port."""

    def opened_after(self, receiver, *example):
        source = from_readme(*example).replace("127.0.0.1:5555", receiver.address)
        if LANGUAGE == "c":
            (self.folder / "shop.c").write_text(source)
            sources = [TOOLS / f"sluice_{name}.c" for name in ("client", "seal")]
            subprocess.run(["cc", "-Wall", "-Werror", f"-I{TOOLS}", "shop.c", *sources, "-lsodium",
                            "-o", "shop"], cwd=self.folder, check=True, timeout=DEADLINE)
            line = [self.folder / "shop"]
        else:
            line = [sys.executable, "-c", source]
        subprocess.run(line, cwd=self.folder, check=True, timeout=DEADLINE,
                       env={**os.environ, "PYTHONPATH": str(TOOLS)})
        return receiver.datagrams()

    def test_an_application_seals(self):
        write_keys(self.folder / "shop.keys")
        datagram, = self.opened_after(SealedReceiver(self), {
            "c": "#include <sluice_seal.h>", "python": "from sluice_seal import Sealer"}[LANGUAGE])
        self.assertIn(b"shop.orders", datagram.content)


class Keys(SealingTest):
    def setUp(self):
        super().setUp()
        self.refusing = None

    def said_by_refusing(self):
        return (self.folder / "said").read_text("utf-8")

    def assert_refused(self, path, name, answer, words):
        """Opens all refused keys files with one client. Asserts that the last line of its standard
        error contains `words`."""
        if self.refusing is None:
            self.refusing = self.client("sh", "-c", f'exec "$@" 2>"{self.folder}/said"', "sh")
        self.refusing.do("seal", path, name, "encrypted", answer=answer)
        self.assertIn(words, self.said_by_refusing().splitlines()[-1])

    def test_a_file_that_others_may_read_is_refused(self):
        for mode in (0o644, 0o604, 0o602):
            self.assert_refused(self.keys(mode=mode), "-", "EACCES", "chmod o=")

    def test_a_file_that_its_group_may_change_is_refused(self):
        for mode in (0o660, 0o620, 0o670):
            self.assert_refused(self.keys(mode=mode), "-", "EACCES",
                                "users of its group could change it: use chmod g-w")

    def test_a_file_of_its_owner_and_perhaps_a_group_that_may_read_it_is_used(self):
        client = self.client()
        for mode in (0o600, 0o640, 0o440, 0o400):
            client.do("seal", self.keys(mode=mode), "-", "encrypted")

    @unittest.skipUnless(os.geteuid() == 0, "only root may give a file away")
    def test_a_file_of_another_user_is_refused(self):
        path = self.keys()
        os.chown(path, 12345, 12345)
        self.assert_refused(path, "-", "EACCES", "owner")

    def test_a_name_that_the_file_does_not_have_is_refused(self):
        self.assert_refused(self.keys(), "web2", "EINVAL", "has no key of the name web2")
        self.assert_refused(self.keys("# none\n"), "-", "EINVAL", "has no key")

    def test_of_several_names_one_must_be_chosen(self):
        lines = keys_line("web1", 1, bytes(32)) + keys_line("web2")
        self.assert_refused(self.keys(lines), "-", "EINVAL", "several names")
        receiver = SealedReceiver(self)
        client = self.client()
        client.do("seal", self.keys(lines), "web2", "encrypted")
        client.do("open", receiver.address, "x")
        client.metric("counter", "total", "1")
        client.do("flush", answer="sent")
        self.assertEqual([each.key_id for each in receiver.datagrams()], [KEY_ID])

    def test_a_line_that_is_wrong_is_refused_without_its_key(self):
        good = keys_line().strip()
        for line in ("web1", "web1 0123456789abcdef", good + "00", good[:-1], good[:-1] + "g",
                     keys_line(key_id=0), keys_line("web 1"), keys_line("we\u00e9"),
                     good + " not-after=2026", good + " not-after=2026-02-29T00:00:00Z",
                     good + " not-after=2026-01-01T00:00:00Z not-after=2027-01-01T00:00:00Z",
                     good + " not-after=2026-01-01T00:00:00Z not-before=2027-01-01T00:00:00Z",
                     good + " later=1", good + "\rx"):
            with self.subTest(line):
                path = self.keys(line + "\n")
                self.assert_refused(path, "-", "EINVAL", str(path)[:100])
                self.assertNotIn("0708090a", self.said_by_refusing())

    def test_a_folder_is_no_file_of_keys(self):
        self.assert_refused(self.folder, "-", "EINVAL", "regular file")

    def test_the_key_that_is_valid_since_the_latest_time_seals(self):
        past, future = "2001-02-03T04:05:06Z", "2200-01-01T00:00:00.5Z"
        lines = (keys_line(key_id=1, limits=f"not-before={past}"),
                 keys_line(limits=f"not-before={past} not-after={future} # a comment"),
                 keys_line(key_id=2, limits=f"not-after={past}"), keys_line(key_id=3),
                 keys_line(key_id=4, limits=f"not-before={future}"))
        receiver = SealedReceiver(self)
        client = self.client()
        client.do("seal", self.keys("# keys\n", "\n", "\r\n", *lines), "web1", "authenticated")
        client.do("open", receiver.address, "x")
        client.metric("counter", "total", "1")
        client.do("flush", answer="sent")
        self.assertEqual([each.key_id for each in receiver.datagrams()], [KEY_ID])

    def test_without_a_valid_key_a_flush_fails_and_sends_nothing(self):
        receiver = SealedReceiver(self)
        client = self.client()
        client.do("seal", self.keys(keys_line(limits="not-after=2001-02-03T04:05:06Z")), "-",
                  "encrypted")
        client.do("open", receiver.address, "x")
        client.metric("counter", "total", "1")
        client.do("flush", answer="failed")
        self.assertEqual(receiver.datagrams(), [])
        counts = client.counts()
        self.assertEqual((counts["failed"], counts["last_error"]), (1, 13))

    def test_a_sealer_serves_one_client_at_a_time(self):
        client = self.client()
        client.do("seal", self.keys(), "-", "encrypted")
        client.do("open", NOBODY, "a")
        client.do("open", NOBODY, "b", answer="EBUSY")


if __name__ == "__main__":
    sys.exit(unittest.main())
