"""Tests the Python client when system calls fail, and the features that only this client has."""
import ast
import errno
import os
import pathlib
import sys
import threading
import unittest

CLIENT = pathlib.Path(__file__).resolve().parents[3] / "tools" / "client"
sys.path.insert(0, str(CLIENT))

import sluice_client  # noqa: E402
from sluice_client import BUSY, FAILED, FULL, OFF, SENT, Client  # noqa: E402


class Socket:
    """A socket that keeps datagrams, or fails with the errors in `failures`."""

    def __init__(self):
        self.sent = []
        self.failures = []  # the errno of each attempt in their order; 0: success
        self.attempts = 0

    def send(self, datagram, _):
        self.attempts += 1
        error = self.failures.pop(0) if self.failures else 0
        if error:
            # Python selects the subclass of OSError by the number.
            raise OSError(error, os.strerror(error))
        self.sent.append(datagram)

    def getsockopt(self, *_):
        raise OSError(errno.ENOPROTOOPT, "no such option")

    def close(self):
        pass


class Sending(unittest.TestCase):
    def opened(self, counters, **settings):
        client = Client("127.0.0.1:9", "web1", **settings)
        client._socket.close()
        client._socket = Socket()
        for i in range(counters):
            client.counter(f"{i:03}" + "x" * 197)
        return client, client._socket

    def counters_in(self, datagram):
        return [i for i in range(100) if f"{i:03}xxxxx".encode() in datagram]

    def sequence_of(self, datagram):
        return datagram[6 + 9 + 1]  # the name ends after the sender "web1", boot_id and a tag

    def test_what_a_full_socket_does_not_take_is_sent_first_by_the_next_flush(self):
        for error in (errno.EAGAIN, errno.EWOULDBLOCK, errno.ENOBUFS):
            client, socket = self.opened(6, datagram=512)
            socket.failures = [0, error]
            self.assertEqual(client.flush(), FULL)
            self.assertEqual(client.flush(), SENT)
            self.assertEqual([self.counters_in(each) for each in socket.sent],
                             [[0, 1], [2, 3], [4, 5], [0, 1]])
            self.assertEqual([self.sequence_of(each) for each in socket.sent], [1, 2, 3, 4])
            counts = client.counts()
            self.assertEqual((counts["full"], counts["failed"], counts["samples"]), (1, 0, 8))

    def test_the_last_datagram_of_a_flush_may_find_the_socket_full(self):
        client, socket = self.opened(4, datagram=512)
        socket.failures = [0, errno.EAGAIN]
        self.assertEqual((client.flush(), client.flush()), (FULL, SENT))
        self.assertEqual([self.counters_in(each) for each in socket.sent],
                         [[0, 1], [2, 3], [0, 1]])

    def test_what_the_system_refuses_to_send_does_not_keep_back_the_rest(self):
        client, socket = self.opened(6, datagram=512)
        socket.failures = [errno.EMSGSIZE]
        self.assertEqual((client.flush(), client.flush()), (FAILED, SENT))
        self.assertEqual([self.counters_in(each) for each in socket.sent],
                         [[2, 3], [4, 5], [0, 1]])
        self.assertEqual(self.sequence_of(socket.sent[0]), 1)
        counts = client.counts()
        self.assertEqual((counts["failed"], counts["last_error"]), (1, errno.EMSGSIZE))

    def test_reports_of_earlier_datagrams_do_not_end_a_flush_unless_they_have_no_end(self):
        client, socket = self.opened(2)
        socket.failures = [errno.ECONNREFUSED] * 2
        self.assertEqual(client.flush(), SENT)
        self.assertEqual(client.counts()["refused"], 2)
        socket.failures = [errno.ECONNREFUSED] * 20
        self.assertEqual(client.flush(), FAILED)
        self.assertLess(socket.attempts, 10)

    def test_no_datagram_exceeds_the_limit_by_a_byte(self):
        for limit in range(512, 700):
            client, socket = self.opened(0, datagram=limit)
            for i in range(60):
                client.counter(str(i))
            client.flush()
            for datagram in socket.sent[:-1]:
                self.assertLessEqual(len(datagram), limit)
                self.assertGreater(len(datagram), limit - 20)

    def test_without_an_mtu_the_usual_one_is_taken(self):
        client, _ = self.opened(1)
        client.flush()
        self.assertEqual(client.counts()["datagram"], 1472)

    def test_a_flush_beside_another_does_nothing(self):
        client, socket = self.opened(1)
        client._flushing.acquire()
        self.assertEqual(client.flush(), BUSY)
        self.assertEqual((client.counts()["busy"], socket.sent), (1, []))


class Metrics(unittest.TestCase):
    def setUp(self):
        self.client = Client("127.0.0.1:9", "web1")
        self.addCleanup(self.client.close)

    def test_a_counter_takes_integers_that_are_not_negative(self):
        counter = self.client.counter("total")
        with self.assertRaises(ValueError):
            counter.add(-1)
        with self.assertRaises(TypeError):
            counter.add(0.5)
        self.assertEqual(self.client.flush(), SENT)

    def test_a_text_that_is_not_utf8_is_refused(self):
        for metric in (self.client.counter("\ud800"), self.client.counter("c", "\udfff"),
                       self.client.counter("c", None, {"\ud800": "v"}),
                       self.client.counter("c", None, {"k": "\ud800"}),
                       self.client.counter("c", None, {"k": None}),
                       self.client.counter(None), self.client.counter("")):
            self.assertFalse(metric.registered)
            metric.add(1)
        self.assertFalse(self.client.histogram("h", []).registered)
        self.assertEqual(self.client.counts()["metrics_refused"], 8)
        self.assertEqual(self.client.counts()["metrics"], 0)

    def test_threads_that_end_leave_what_they_counted(self):
        """Many threads, one after the other, need few slots, because the slots of ended threads are
        reused."""
        counter = self.client.counter("total")
        for _ in range(300):
            thread = threading.Thread(target=counter.add, args=(2,))
            thread.start()
            thread.join()
        self.assertEqual(counter._tally.total(), 600)
        self.assertLess(len(counter._places), 100)

    def test_a_closed_client_is_off(self):
        with Client("127.0.0.1:9", "web1") as client:
            counter = client.counter("total")
        counter.add(1)
        self.assertEqual(client.flush(), OFF)


class Module(unittest.TestCase):
    def test_it_needs_the_standard_library_alone(self):
        tree = ast.parse((CLIENT / "sluice_client.py").read_text(encoding="utf-8"),
                         feature_version=(3, 9))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                 for alias in node.names}
        self.assertFalse([node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)])
        if sys.version_info >= (3, 10):  # Python 3.9 has no list of them
            self.assertLessEqual(names, set(sys.stdlib_module_names))

    def test_its_limits_are_those_of_the_library_in_c(self):
        header = (CLIENT / "sluice_client.h").read_text(encoding="utf-8")
        for name in ("DATAGRAM_MOST", "BOUNDS_MOST"):
            self.assertIn(f"#define SLUICE_{name} {getattr(sluice_client, name)}\n", header)


if __name__ == "__main__":
    unittest.main()
