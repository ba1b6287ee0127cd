"""Every key of sinks that send, in a running program: a reload applies a new value, and another one
restores the old value."""
import functools
import os
import pathlib
import signal
import ssl
import unittest

from built import STOP_SIGNAL
from certificates import OPENSSL, Authority
from http_store import CLOSE, NO_ANSWER, Store
from kafka_mock import KafkaMock
from nats_server import NatsServer
from otlp_histograms import TIME, Histogram
from otlp_histograms import request as otlp_request
from protobuf import CUMULATIVE, double, fixed64, message, sample, telemetry
from reload_rows import Fixed, Replaced
from sluice_program import is_still, same_with_one_thread, settled
from test_relay import Target
from test_reload_sink_keys import END, SINK, SinkRow, SinkRows, syncs
from tracing import can_trace, signal_traced, start_traced
from wire_reading import unsnappy


def row(scope):
    return functools.partial(SinkRow, scope=scope)


# --- relays ---------------------------------------------------------------------------------------

def targets_of(*datagrams):
    """The number of the two targets that receive all of these datagrams."""
    def seen(test):
        test.send(*datagrams)
        counts = [len(test.received(target, len(datagrams))) for target in test.targets]
        return sum(count == len(datagrams) for count in counts)
    return seen


def passes_bad(test):
    test.outcome(b"\xff")
    test.send(END)
    return b"\xff" in test.received(test.targets[0], 2)


def keeps_source(test):
    """Returns true if a relayed datagram keeps the port of its sender."""
    test.send(END)
    port = test.targets[0].receive(1)[0][1]
    test.targets[1].receive(1)
    return port == test.last_sender.socket.getsockname()[1]


relay = row("relay")
RELAY = [relay("send_to", "turn", targets_of(END, END), 2, 0)]
BAD = [relay("bad", "too", passes_bad, False, True)]
SOURCE = [relay("keep_source", "on", keeps_source, False, True)]


def in_turn(test, config):
    config["sinks"][1] = test.url + "?to=turn"
    return config


IN_URL = [relay("to", in_turn, targets_of(END, END), 2, 0)]


@same_with_one_thread
class Relay(SinkRows):
    def begin_relay(self, url=False):
        self.targets = [Target(), Target()]
        for target in self.targets:
            self.addCleanup(target.socket.close)
        self.url = "udp:" + ",".join(target.url for target in self.targets)
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}],
                   [self.url if url else {"to": self.url}])

    @staticmethod
    def received(target, most):
        """The requests so far. They include a record after it was sent."""
        found = []
        target.socket.setblocking(False)
        try:
            while len(found) <= most:
                found.append(target.socket.recv(70000))
        except BlockingIOError:
            pass
        target.socket.setblocking(True)
        return found

    def udp_sender(self, listener, source):
        self.last_sender = super().udp_sender(listener, source)
        return self.last_sender

    def test_keys_of_relays(self):
        self.begin_relay()
        self.check_rows(RELAY + BAD)

    def test_whom_it_goes_to_in_a_url(self):
        self.begin_relay(url=True)
        self.check_rows(IN_URL)

    @unittest.skipUnless(os.geteuid() == 0, "root may have any sender's address")
    def test_whose_address_it_has(self):
        self.leave_sandbox()
        self.begin_relay()
        self.check_rows(SOURCE)


# --- HTTP -----------------------------------------------------------------------------------------

def request(what):
    """`what` of a request that delivers a record. The request is answered."""
    def seen(test):
        count = len(test.store.requests)
        test.send(END)
        test.store.wait_for_requests(count + 1)
        return what(test.store.requests[-1])
    return seen


def header(name):
    return request(lambda each: each.headers.get(name))


def gives_up(test):
    """Returns true if the sink soon gives up an unanswered request."""
    test.store.otherwise = NO_ANSWER
    before = test.sink()["unknown"]
    test.send(END, finished=False)
    soon = test.soon(lambda: test.sink()["unknown"] > before)
    test.answer_all()
    return soon


def sends_again(test):
    """Returns true if a block that was not answered is sent again."""
    count = len(test.store.requests)
    test.store.script.append(CLOSE)
    test.send(END)
    return len(test.store.requests) - count == 2


HISTOGRAM = telemetry(sample("h", kind=CUMULATIVE, histogram={
    "count": 3, "sum": 1.0, "bounds": [1.0], "counts": [1, 2]}))
EXEMPLAR = otlp_request(Histogram(0, (0, (1,))).metric("h", TIME, exemplars=message(
    11, fixed64(2, TIME) + double(3, 1.5) + message(5, b"trace"))))


def contains(text, datagram, listener=0):
    """Returns true if the request for this datagram has the text."""
    def seen(test):
        count = len(test.store.requests)
        test.send(datagram, listener=listener)
        test.store.wait_for_requests(count + 1)
        return text in unsnappy(test.store.requests[count].body)
    return seen


def at_a_time(test):
    """The number of requests that wait for answers while there is more to send."""
    test.store.otherwise = NO_ANSWER
    count = len(test.store.requests)
    test.outcome(*[BIG] * 300)  # enough records for several requests
    test.soon(lambda: len(test.store.requests) - count >= test.expected)
    found = len(test.store.requests) - count
    test.answer_all()
    return found


def spills(test):
    """Returns true if the sink has files of a spill."""
    return test.comes_to(lambda: any("/spill/" in path for path in test.open_files()))


BIG = telemetry(sample("big", double=1.0, labels=[("host", "h" * 15000)]))


delivery, http = row("delivery"), row("http")


class Plain(Fixed):
    """A secret that is sent by http: to another machine, which a reload refuses."""

    def __init__(self):
        super().__init__("http", "insecure", "no", place=SINK, beside=self.elsewhere)
        self.named = "would be sent without encryption"

    @staticmethod
    def elsewhere(test, config):
        config["sinks"][1].update(to=f"http://0.0.0.0:{test.store.port}/write", query="token=x",
                                  insecure="yes")
        return config


def secrets(folder):
    """The files that rows need, created when the folder is known."""
    if folder is not None:
        for name, content in (("header", "X-Scope-OrgID: a\n"), ("token", "t\n"),
                              ("password", "u:p\n")):
            (folder / name).write_text(content, encoding="ascii")
    return [
        http("query", "db=x", request(lambda each: each.path), "/write", "/write?db=x"),
        http("header_file", f"{folder}/header", header("x-scope-orgid"), None, "a"),
        http("token_file", f"{folder}/token", header("authorization"), None, "Bearer t"),
        http("password_file", f"{folder}/password", header("authorization"), None,
             "Basic dTpw"),
        Plain(),
        http("compress", "gzip", header("content-encoding"), None, "gzip"),
        http("in_flight", "3", at_a_time, 1, 3, in_flight="1"),
        SinkRow("native_histograms", "all", contains(b"h_bucket", HISTOGRAM), True, False,
                format="remote-write"),
        SinkRow("exemplars", "on", contains(b"trace_id", EXEMPLAR, listener=1), False, True,
                format="remote-write"),
        delivery("timeout", "300ms", gives_up, False, True),
        delivery("retry", "at_least_once", sends_again, False, True, format="json"),
        delivery("spill", f"{folder}/spill", spills, False, True),
        Replaced("delivery", "spill_size", "16MiB", place=SINK,
                 beside={"spill": f"{folder}/spill"}),
    ]


@same_with_one_thread
@unittest.skipUnless(os.environ.get("TEST_CURL") == "1", "a program without HTTP")
class Http(SinkRows):
    def begin_with_store(self, **more):
        self.store = Store(**more)
        self.addCleanup(self.store.close)
        scheme = "https" if more else "http"
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"},
                    {"address": "udp://127.0.0.1:0", "schema": "otlp"}],
                   [{"to": f"{scheme}:{self.store.place}", "flush_interval": "0s",
                     "format": "json"}])

    def open_files(self):
        folder = f"/proc/{self.program.number}/fd"
        for number in os.listdir(folder):
            try:
                yield os.readlink(f"{folder}/{number}")
            except FileNotFoundError:
                pass  # closed by now

    def answer_all(self):
        """The far end answers again, and connections that it did not answer end."""
        self.store.otherwise = 204
        self.store.cut()
        self.patiently(lambda: self.is_done(self.sink()))

    def patiently(self, reached):
        self.program.wait_for_ledger(lambda _: reached(), "it goes on")

    @staticmethod
    def is_done(sink):
        return sink["in_flight"] == 0 and sink["spilled"] == sink["recovered"] and (
            is_still(sink) and settled(sink) == sink["queued"])

    def test_keys_of_deliveries_by_http(self):
        self.begin_with_store()
        self.check_rows(secrets(self.folder))


def is_delivered(test):
    """Returns true if a record reaches a store that requires certificates."""
    count = len(test.store.requests)
    test.send(END, finished=False)
    return test.soon(lambda: len(test.store.requests) > count)


def secured(authority, cert, key):
    trusted = {"server_ca": str(authority)}
    return [
        SinkRow("server_ca", str(authority), is_delivered, False, True, scope="http",
                client_cert=cert, client_key=key),
        SinkRow("client_cert client_key", (cert, key), is_delivered, False, True, scope="http",
                **trusted),
    ]


@same_with_one_thread
@unittest.skipIf(OPENSSL is None or os.environ.get("TEST_CURL") != "1",
                 "no openssl, or a program without HTTP")
class Https(Http):
    def test_keys_of_deliveries_by_http(self):
        authority = Authority(self.folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("server"))
        context.load_verify_locations(authority.cert)
        context.verify_mode = ssl.CERT_REQUIRED
        self.begin_with_store(context=context)
        self.check_rows(secured(authority.cert, *map(str, authority.issue("client"))))


SYNCED = [delivery("fsync", "always", syncs("/spill/"), False, True)]


@unittest.skipUnless(can_trace(), "no strace here that may trace")
class SyncedSpill(Http):
    def reload(self):
        signal_traced(self.program, signal.SIGHUP)

    def test_keys_of_deliveries_by_http(self):
        self.store = Store()
        self.addCleanup(self.store.close)
        self.calls = self.folder / "calls"
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}],
                   [{"to": f"http:{self.store.place}", "flush_interval": "0s",
                     "spill": f"{self.folder}/spill"}],
                   start=lambda file: start_traced(self, "fsync,fdatasync", self.calls,
                                                   "--config", file))
        self.program.ask_for_ledger = lambda: signal_traced(self.program, signal.SIGUSR1)
        self.check_rows(SYNCED)
        signal_traced(self.program, STOP_SIGNAL)
        self.program.finish()


# --- brokers --------------------------------------------------------------------------------------

def messages(test):
    """The number of messages for many records."""
    before = len(test.read())
    test.send(*[END] * 20)
    return len(test.read()) - before


def in_one_each(test):
    return messages(test) == 20


def has_key(test):
    test.send(END)
    return test.read()[-1][0] == b"127.0.0.1"


def fails(test):
    """Returns true if a record is too large for the producer's own limit."""
    test.send(BIG)
    return test.sink()["failed"]["too_large"] > 0


def has_schema(test):
    """Returns true if a message begins with the number of its schema."""
    test.send(END)
    return test.read()[-1][1].startswith(bytes((0, 0, 0, 0, 7)))


kafka = row("kafka")


def of_kafka(folder):
    if folder is not None:
        (folder / "properties").write_text("message.max.bytes=1000\n", encoding="ascii")
    return [
        kafka("per", "block", in_one_each, True, False, flush_interval="200ms"),
        kafka("schema_id", "7", has_schema, False, True, format="protobuf"),
        kafka("key", "source", has_key, False, True),
        kafka("properties_file", f"{folder}/properties", fails, False, True),
        kafka("kafka.NAME", "1000", fails, False, True, written="kafka.message.max.bytes"),
        *(Replaced("kafka", key, value, place=SINK) for key, value in (
            ("in_flight", "2"), ("headers", "schema"), ("max_topics", "5"), ("compress", "gzip"))),
    ]


@same_with_one_thread
@unittest.skipUnless("TEST_KAFKA_MOCK" in os.environ, "a program without Kafka")
class Kafka(SinkRows):
    def read(self):
        return self.cluster.read("t")

    def test_keys_of_kafka(self):
        self.cluster = KafkaMock(self)
        self.cluster.order("create t 1")
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}],
                   [{"to": f"kafka://{self.cluster.brokers}/t", "flush_interval": "0s"}])
        self.check_rows(of_kafka(self.folder))


def of_nats(cert, key, login):
    secure = {"tls": "on", "server_ca": cert}
    return [
        SinkRow("per", "record", in_one_each, False, True, scope="nats", flush_interval="200ms"),
        *(Replaced("nats", name, value, place=SINK, beside=beside) for name, value, beside in (
            ("in_flight", "2", {}), ("headers", "schema", {}), ("credentials_file", login, {}))),
        Replaced("nats", "tls", "on", place=SINK, more={"server_ca": cert}),
        Replaced("nats", "server_ca", key + ".other", place=SINK, beside=secure),
        Replaced("nats", "client_cert", cert, place=SINK, beside=secure, more={"client_key": key}),
        Replaced("nats", "client_key", key, place=SINK,
                 beside={**secure, "client_cert": key + ".both"}),
    ]


@same_with_one_thread
@unittest.skipUnless("TEST_NATS_SERVER" in os.environ and OPENSSL, "a program without NATS")
class Nats(SinkRows):
    def read(self):
        return self.server.read("S")

    def test_keys_of_nats(self):
        authority = Authority(self.folder)
        cert, key = authority.issue("us")
        login = self.folder / "login"
        login.write_text("user=a\npassword=b\n", encoding="ascii")
        pathlib.Path(f"{key}.other").write_bytes(cert.read_bytes())
        pathlib.Path(f"{key}.both").write_bytes(cert.read_bytes() + key.read_bytes())
        self.server = NatsServer(self)
        self.server.add_stream("S", "t")
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "telemetry"}],
                   [{"to": f"nats://127.0.0.1:{self.server.port}/t", "flush_interval": "0s"}])
        self.check_rows(of_nats(str(cert), str(key), str(login)))


ROWS = (RELAY + BAD + SOURCE + IN_URL + secrets(None) + secured("", "", "") + SYNCED +
        of_kafka(None) + of_nats("", "", ""))

if __name__ == "__main__":
    unittest.main()
