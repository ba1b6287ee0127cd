"""Tests the client library, in C or in Python (TEST_CLIENT), with the real collector."""
import errno
import json
import os
import re
import socket
import subprocess
import sys
import unittest

from client_driving import LANGUAGE, ClientTest, address_of, last_by_name
from sluice_program import SANITIZED
from tracing import can_trace

NOBODY = "127.0.0.1:9"
THREADS = 10
ROUNDS = 2000 if SANITIZED or LANGUAGE == "python" else 300000  # rounds of each thread


OWN_NETWORK = ("unshare", "-rn", "sh", "-c", 'ip link set lo mtu 1500 up && exec "$@"', "sh")


def can_have_own_network():
    try:
        return subprocess.run([*OWN_NETWORK, "true"], capture_output=True,
                              check=False).returncode == 0
    except FileNotFoundError:
        return False


class Receiver:
    """A UDP socket in the collector's place."""

    def __init__(self, test, family=socket.AF_INET, host="127.0.0.1"):
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        test.addCleanup(self.socket.close)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((host, 0))
        self.socket.setblocking(False)
        port = self.socket.getsockname()[1]
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def sizes(self):
        """The sizes of the datagrams that have arrived. On loopback a datagram arrives during the
        call that sends it."""
        found = []
        while True:
            try:
                found.append(len(self.socket.recv(65536)))
            except BlockingIOError:
                return found


class Values(ClientTest):
    def test_a_first_metric_arrives(self):
        program = self.collector()
        client = self.opened(address_of(program))
        orders = client.metric("counter", "shop.orders", "1")
        client.do("add", orders, 1)
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 1)
        self.assertEqual(len(lines), 1)
        line = lines[0]
        self.assertEqual((line["name"], line["kind"], line["temporality"], line["value"],
                          line["unit"], line["labels"]),
                         ("shop.orders", "counter", "cumulative", 1, "1", {}))
        self.assertLess(line["start_time"], line["time"])

    def test_kinds_units_and_labels(self):
        program = self.collector()
        client = self.opened(address_of(program), "host:web1", "zone:\u00e9u")
        total = client.metric("counter", "total", "By", "host:own", "path:/")
        level = client.metric("gauge", "level", "-")
        times = client.metric("histogram", "times", "s", "0.5,1,2.5", "route:a")
        for value in (18446744073709551610, 4):
            client.do("add", total, value)
        for value in (-1, 2.5):
            client.do("set", level, value)
        for value in (0.25, 0.5, 0.75, 3, -4, "inf"):
            client.do("record", times, value)
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 1)
        found = last_by_name(lines)
        self.assertEqual(found["total"]["value"], 18446744073709551614)
        self.assertEqual(found["total"]["labels"],
                         {"host": "own", "path": "/", "zone": "\u00e9u"})
        self.assertEqual((found["level"]["value"], found["level"]["kind"]), (2.5, "gauge"))
        self.assertNotIn("unit", found["level"])
        self.assertNotIn("start_time", found["level"])
        self.assertEqual(found["times"]["value"],
                         {"count": 6, "sum": "Infinity", "bounds": [0.5, 1, 2.5],
                          "counts": [3, 1, 0, 2]})
        self.assertEqual((found["times"]["kind"], found["times"]["temporality"]),
                         ("histogram", "cumulative"))
        self.assertEqual(found["times"]["labels"],
                         {"host": "web1", "route": "a", "zone": "\u00e9u"})

    def test_a_gauge_is_sent_from_its_first_value_on(self):
        program = self.collector()
        client = self.opened(address_of(program))
        level = client.metric("gauge", "level", "1")
        client.metric("counter", "other", "1")
        client.do("flush", answer="sent")
        client.do("set", level, "nan")
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 2)
        self.assertEqual([line["value"] for line in lines if line["name"] == "level"], ["NaN"])
        self.assertEqual([line["value"] for line in lines if line["name"] == "other"], [0, 0])

    def test_a_counter_begins_again_after_64_bits(self):
        program = self.collector()
        client = self.opened(address_of(program))
        total = client.metric("counter", "total", "1")
        client.do("add", total, 2 ** 64 - 1)
        client.do("add", total, 3)
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 1)
        self.assertEqual(lines[0]["value"], 2)

    def test_what_is_not_a_number_is_not_recorded(self):
        program = self.collector()
        client = self.opened(address_of(program))
        times = client.metric("histogram", "times", "s", "1")
        client.do("record", times, "nan")
        client.do("record", times, 2)
        client.do("flush", answer="sent")
        self.assertEqual(client.counts()["not_recorded"], 1)
        lines, _ = self.lines_after(program, 1)
        self.assertEqual(lines[0]["value"], {"count": 1, "sum": 2, "bounds": [1], "counts": [0, 1]})

    def test_the_sums_of_many_threads_are_exact(self):
        """Ten threads update the same metrics and flush at the same time."""
        program = self.collector()
        client = self.opened(address_of(program))
        metrics = [client.metric("counter", "total", "1"), client.metric("gauge", "last", "1"),
                   client.metric("histogram", "values", "1", "9,49,98")]
        client.do("threads", THREADS, ROUNDS, *metrics)
        client.do("flush", answer="sent")
        counts = client.counts()
        self.assertGreater(counts["flushes"], 1)
        lines, _ = self.lines_after(program, counts["datagrams"])
        found = last_by_name(lines)
        self.assertEqual(found["total"]["value"],
                         THREADS * sum(i % 7 for i in range(ROUNDS)))
        self.assertEqual(found["last"]["value"], ROUNDS - 1)
        cycles = THREADS * ROUNDS // 100
        self.assertEqual(found["values"]["value"],
                         {"count": THREADS * ROUNDS, "sum": cycles * sum(range(100)),
                          "bounds": [9, 49, 98],
                          "counts": [10 * cycles, 40 * cycles, 49 * cycles, cycles]})
        totals = [line["value"] for line in lines if line["name"] == "total"]
        self.assertEqual(totals, sorted(totals))
        self.assertEqual(sum(line["name"] in found for line in lines), counts["samples"])


    def test_the_sums_at_a_steady_rate_are_exact(self):
        """TEST_PACE sets the updates a second and the seconds. The test prints what it measures."""
        rate, seconds = map(float, os.environ.get("TEST_PACE", "20000 0.5").split())
        program = self.collector()
        client = self.opened(address_of(program))
        metrics = [client.metric("counter", "total", "1"), client.metric("gauge", "last", "1"),
                   client.metric("histogram", "values", "1", "9,49,98")]
        did = json.loads(client.ask("pace", THREADS, int(rate), int(1000 * seconds), *metrics))
        client.do("flush", answer="sent")
        counts = client.counts()
        lines, _ = self.lines_after(program, counts["datagrams"])
        if "TEST_PACE" in os.environ:
            print(json.dumps({**did, **counts}), file=sys.stderr)
        found = last_by_name(lines)
        self.assertGreater(did["updates"], 0)
        self.assertEqual(found["total"]["value"], did["added"])
        self.assertEqual(found["values"]["value"]["count"], did["recorded"])


class Registering(ClientTest):
    def test_the_same_metric_is_registered_once(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address, "memory=65536")
        for _ in range(2000):
            client.metric("counter", "total", "1", "path:/")
            client.metric("histogram", "times", "1", "1,2")
        self.assertEqual(client.counts()["metrics"], 2)
        client.metric("counter", "total", "By", "path:/")
        client.metric("counter", "total", "1", "path:/a")
        client.metric("gauge", "total", "1", "path:/")
        client.metric("histogram", "times", "1", "1,3")
        client.metric("histogram", "times", "1", "1")
        self.assertEqual(client.counts()["metrics"], 7)
        self.assertEqual(client.counts()["metrics_refused"], 0)

    def test_a_definition_that_is_none_is_refused_and_counted(self):
        client = self.opened(NOBODY)
        definitions = [
            ("histogram", "h", "1", "2,1"), ("histogram", "h", "1", "1,1"),
            ("histogram", "h", "1", "inf"), ("histogram", "h", "1", "1,nan"),
            ("histogram", "h", "1", ",".join(map(str, range(129)))),
            ("counter", "c" * 9000, "1"), ("counter", "c", "1", "k:" + "v" * 9000)]
        for definition in definitions:
            client.do(*definition, answer="none")
        self.assertEqual(client.counts()["metrics_refused"], len(definitions))
        client.metric("histogram", "h", "1", ",".join(map(str, range(128))))

    def test_memory_has_an_end(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address, "memory=65536")
        answers = [client.ask("counter", f"name.{i}", "1") for i in range(2000)]
        self.assertEqual(answers[0], "0")
        self.assertEqual(answers[-1], "none")
        made = 2000 - answers.count("none")
        self.assertGreater(made, 200)
        counts = client.counts()
        self.assertEqual((counts["metrics"], counts["metrics_refused"]), (made, 2000 - made))
        client.do("flush", answer="sent")
        self.assertEqual(client.counts()["samples"], made)

    def test_what_cannot_be_opened(self):
        client = self.client()
        for to in ("127.0.0.1", "127.0.0.1:", ":5555", "127.0.0.1:0", "127.0.0.1:65536",
                   "127.0.0.1:5555x", "::1:5555", "[::1:5555", "[127.0.0.1]:5555", "[]:5555"):
            with self.subTest(to):
                client.do("open", to, "web1", answer="EINVAL")
        client.do("open", NOBODY, "x" * 201, answer="EINVAL")
        client.do("open", NOBODY, "web1", "datagram=511", answer="EINVAL")
        client.do("open", NOBODY, "web1", "datagram=8973", answer="EINVAL")
        client.do("open", NOBODY, "web1", "k:" + "v" * 1024,
                  answer="EMSGSIZE" if LANGUAGE == "c" else "EINVAL")
        client.do("open", NOBODY, "x" * 200, "datagram=512", "memory=65536")


class Datagrams(ClientTest):
    def filled(self, receiver, *more, count=300):
        client = self.opened(receiver.address, *more)
        for i in range(count):
            client.metric("counter", f"a.name.of.some.length.{i:03}", "1")
        client.do("flush", answer="sent")
        return receiver.sizes(), client.counts()

    def check_filled(self, sizes, counts, limit):
        """Asserts that each datagram except the last is filled up to the limit. A sample has at
        most 48 bytes."""
        self.assertEqual(counts["datagram"], limit)
        self.assertEqual((len(sizes), sum(sizes)), (counts["datagrams"], counts["bytes"]))
        self.assertGreater(len(sizes), 1)
        for size in sizes[:-1]:
            self.assertGreater(size, limit - 48)
        self.assertLessEqual(max(sizes), limit)
        self.assertEqual((counts["samples"], counts["oversized"]), (300, 0))

    def test_they_are_filled_up_to_the_setting(self):
        sizes, counts = self.filled(Receiver(self), "datagram=1000")
        self.check_filled(sizes, counts, 1000)

    def test_on_loopback_they_are_as_large_as_they_may_be(self):
        sizes, counts = self.filled(Receiver(self))
        self.check_filled(sizes, counts, 8972)

    def test_ipv6(self):
        program = self.collector("udp://[::1]:0?schema=telemetry")
        client = self.opened(address_of(program))
        client.metric("counter", "total", "1")
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 1)
        self.assertEqual(lines[0]["name"], "total")

    def test_no_datagram_is_larger_than_the_setting(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address, "datagram=842", "k:" + "v" * 300)
        bounds = ",".join(map(str, range(20)))
        times = client.metric("histogram", "times", "s", bounds, "text:" + "x" * 8)
        client.do("counter", "large", "1", "text:" + "x" * 500, answer="none")
        client.do("histogram", "many", "s", ",".join(map(str, range(128))), answer="none")
        for value in range(20):
            client.do("record", times, value)
        client.metric("counter", "small", "1", "text:" + "x" * 420)
        client.do("flush", answer="sent")
        self.assertEqual([size <= 842 for size in receiver.sizes()], [True, True])
        counts = client.counts()
        self.assertEqual((counts["metrics"], counts["metrics_refused"], counts["oversized"]),
                         (2, 2, 0))

    @unittest.skipUnless(can_have_own_network(), "needs a network namespace, and ip(8)")
    def test_a_metric_that_exceeds_the_mtu_has_a_datagram_of_its_own(self):
        client = self.client(*OWN_NETWORK)
        client.do("open", NOBODY, "web1")
        client.metric("counter", "small", "1")
        client.metric("counter", "large", "1", "text:" + "x" * 2000)
        client.do("flush", answer="sent")
        counts = client.counts()
        self.assertEqual((counts["datagram"], counts["datagrams"], counts["oversized"]),
                         (1472, 2, 1))

    def test_numbers_go_on_over_datagrams_and_flushes(self):
        program = self.collector()
        client = self.opened(address_of(program), "datagram=512")
        for i in range(100):
            client.metric("counter", f"name.{i}", "1")
        for _ in range(3):
            client.do("flush", answer="sent")
        datagrams = client.counts()["datagrams"]
        self.assertGreater(datagrams, 10)
        lines, listener = self.lines_after(program, datagrams)
        self.assertEqual(len(lines), 300)
        self.assertEqual((listener["senders"], listener["restarted"]), (1, 0))

    def test_without_metrics_nothing_is_sent(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address)
        client.do("flush", answer="sent")
        self.assertEqual(receiver.sizes(), [])
        self.assertEqual((client.counts()["flushes"], client.counts()["datagrams"]), (1, 0))

    def test_closing_flushes(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address)
        client.metric("counter", "total", "1")
        client.do("close")
        self.assertEqual(len(receiver.sizes()), 1)
        client.do("flush", answer="off")

    def test_a_flush_that_is_not_due_sends_nothing(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address)
        client.metric("counter", "total", "1")
        client.do("flush_every", 3600000, answer="not_due")
        self.assertEqual(receiver.sizes(), [])
        client.do("flush_every", 0, answer="sent")
        client.do("flush_every", 3600000, answer="not_due")
        self.assertEqual(len(receiver.sizes()), 1)


class Nobody(ClientTest):
    """No program listens on the port, which belonged to a closed socket."""

    def setUp(self):
        super().setUp()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{taken.getsockname()[1]}"

    def test_sending_goes_on_and_is_counted(self):
        client = self.opened(self.address)
        client.metric("counter", "total", "1")
        for _ in range(10):
            client.do("flush", answer="sent")
        counts = client.counts()
        self.assertEqual((counts["datagrams"], counts["refused"], counts["failed"]), (10, 9, 0))

    def test_a_collector_that_comes_later_has_everything(self):
        client = self.opened(self.address)
        total = client.metric("counter", "total", "1")
        client.do("add", total, 5)
        client.do("flush", answer="sent")
        client.do("add", total, 6)
        program = self.collector(f"udp://{self.address}?schema=telemetry")
        client.do("flush", answer="sent")
        lines, _ = self.lines_after(program, 1)
        self.assertEqual(lines[0]["value"], 11)

    def test_what_the_system_does_not_send_is_counted(self):
        """Sends to a broadcast address, for which the socket has no permission."""
        client = self.client()
        said = client.ask("open", "255.255.255.255:5555", "web1")
        if said != "ok":  # connect(2) already refuses it
            self.assertIn("ermission", said)
            return
        client.metric("counter", "total", "1")
        client.do("flush", answer="failed")
        self.assertIn(client.counts()["last_error"], (errno.EACCES, errno.ENETUNREACH))

    @unittest.skipUnless(can_trace(), "needs strace, which may trace")
    @unittest.skipIf(SANITIZED, "sanitizers do not work under ptrace")
    def test_no_call_waits(self):
        """All sends of the socket are non-blocking, and its other calls only read its state."""
        path = self.folder / "calls"
        client = self.client("strace", "-f", "-y", "-e", "trace=network,desc", "-o", str(path))
        client.do("open", self.address, "web1/shop")
        metrics = [client.metric("counter", "total", "1"), client.metric("gauge", "last", "1"),
                   client.metric("histogram", "values", "1", "9,49,98")]
        client.do("threads", 4, 2000, *metrics)
        for _ in range(20):
            client.do("flush", answer="sent")
        client.exit()
        calls = path.read_text(encoding="utf-8").splitlines()
        opened = next(i for i, call in enumerate(calls) if re.search(r" connect\(\d+<", call))
        on_socket = [call for call in calls[opened + 1:]
                     if re.search(r"\w+\(\d+<(UDP|socket)", call)]
        kinds = {re.search(r" (\w+)\(", call)[1] for call in on_socket}
        self.assertIn("sendto", kinds)
        self.assertEqual(kinds - {"sendto", "getsockopt", "close"}, set())
        sends = [call for call in on_socket if " sendto(" in call]
        self.assertGreater(len([call for call in sends if "ECONNREFUSED" in call]), 10)
        for call in sends:
            self.assertIn("MSG_DONTWAIT", call)


class Forked(ClientTest):
    def test_a_child_sends_nothing_of_its_parent(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address)
        total = client.metric("counter", "total", "1")
        client.do("fork")
        client.do("add", total, 5)
        client.do("flush", answer="off")
        client.do("flush_every", 0, answer="off")
        client.tell("exit")
        client.do("flush", answer="sent")
        self.assertEqual(len(receiver.sizes()), 1)
        self.assertEqual(client.counts()["datagrams"], 1)

    def test_a_child_that_renews_the_client_has_a_life_of_its_own(self):
        program = self.collector()
        client = self.opened(address_of(program))
        total = client.metric("counter", "total", "1")
        level = client.metric("gauge", "level", "1")
        times = client.metric("histogram", "times", "s", "1")
        client.do("add", total, 100)
        client.do("set", level, 1)
        client.do("record", times, 1)
        client.do("flush", answer="sent")
        client.do("flush", answer="sent")
        client.do("fork")
        client.do("renew", "web1/shop/child")
        client.do("add", total, 7)
        client.do("record", times, 3)
        client.do("flush", answer="sent")
        self.assertEqual(client.counts()["datagrams"], 1)
        client.do("close")
        client.tell("exit")
        client.do("add", total, 1)
        client.do("flush", answer="sent")
        lines, listener = self.lines_after(program, 5)  # the child flushed again when it closed its client
        self.assertEqual((listener["senders"], listener["restarted"]), (2, 0))
        self.assertEqual([line["value"] for line in lines if line["name"] == "total"],
                         [100, 100, 7, 7, 101])
        self.assertEqual(len([line for line in lines if line["name"] == "level"]), 3)
        self.assertEqual([line["value"]["counts"] for line in lines if line["name"] == "times"],
                         [[1, 0], [1, 0], [0, 1], [0, 1], [1, 0]])

    def test_a_daemon_keeps_its_name_and_begins_a_new_life(self):
        program = self.collector()
        client = self.opened(address_of(program))
        client.metric("counter", "total", "1")
        client.do("flush", answer="sent")
        client.do("renew", "-")
        client.do("flush", answer="sent")
        _, listener = self.lines_after(program, 2)
        self.assertEqual((listener["senders"], listener["restarted"]), (1, 1))

    def test_a_longer_name_makes_no_datagram_too_large(self):
        receiver = Receiver(self)
        client = self.opened(receiver.address, sender="w")
        total = client.metric("counter", "total", "1", "k:" + "v" * 8870)
        client.do("renew", "x" * 200, answer="EMSGSIZE" if LANGUAGE == "c" else "EINVAL")
        client.do("flush", answer="off")
        client.do("renew", "y")
        client.do("add", total, 2 ** 64 - 1)
        client.do("flush", answer="sent")
        self.assertLessEqual(max(receiver.sizes()), 8972)

    def test_a_name_that_is_none_leaves_the_client_off(self):
        client = self.opened(NOBODY)
        client.do("renew", "x" * 201, answer="EINVAL")
        client.do("flush", answer="off")
        client.do("renew", "other")
        client.do("flush", answer="sent")


if __name__ == "__main__":
    unittest.main()
