"""Every key of listeners and of their schemas, in a running program: a reload applies a new value,
and another one restores the old value."""
import ctypes
import os
import pathlib
import platform
import select
import socket
import ssl
import subprocess
import time
import unittest

import test_reload_delivery_keys
import test_reload_dtls_keys
import test_reload_options
import test_reload_sink_keys
from capture_writing import HEADER
from certificates import OPENSSL, Authority
from live_pipe import LivePipe
from ports import free_ports
from protobuf import delimited, gauge, integer, metric, riemann, text
from reload_rows import Fixed, ReloadRows, Row, line, outcome
from sealing import AUTHENTICATED, SECOND, Key, Session, write_keys
from sluice_program import CONNECTION_ENDS, DEADLINE, ONE_THREAD
from test_tcp import OK, Client, framed, refused

SHORT = "100ms"
SEALED = os.environ.get("TEST_SODIUM") == "1"

# --- datagrams ------------------------------------------------------------------------------------

MANY = riemann(*[{"service": "x"} for _ in range(200)])
LONG = metric(1, host="h" * 5000)
OTHERS = "10.0.0.0/8"


def option(level, name):
    """A socket option of the first listener's socket, read through a duplicate handle."""
    def seen(test):
        process = os.pidfd_open(test.program.number)
        try:
            return test.socket_option(process, level, name)
        finally:
            os.close(process)
    return seen


def may_have_handles():
    """Returns true if a process may duplicate a handle of its child, and is root."""
    return hasattr(os, "pidfd_open") and os.geteuid() == 0


SO_BUSY_POLL = getattr(socket, "SO_BUSY_POLL", 46)
PIDFD_GETFD = 438

UDP = [
    Row("udp", "max_decoded", "1KiB", outcome(MANY), {"decoded"}, {"too_large"}),
    Row("udp", "allow", OTHERS, outcome(metric(1)), {"decoded"}, {"source_denied"}),
    Row("udp", "deny", "127.0.0.1", outcome(metric(1)), {"decoded"}, {"source_denied"}),
    Row("udp", "rate_limit", "1", outcome(*[metric(1)] * 50), {"decoded"},
        {"decoded", "rate_limited"}),
    Row("udp", "max_datagram", "100B", outcome(LONG), {"decoded"}, {"truncated"}),
    Row("udp", "kernel_filter", "on", outcome(metric(1), source="127.0.0.9"), {"source_denied"},
        {"dropped"}, beside={"deny": "127.0.0.9"}),
    Row("schema", "schema", "telemetry", lambda test: len(test.lines(gauge("a", 1))), 0, 1),
    Row("schema", "match", "source:10.0.0.0/8", outcome(metric(1)), {"decoded"}, {"no_match"}),
    Row("schema", "framing", "delimited", outcome(delimited(metric(1))), {"malformed"},
        {"decoded"}),
    Row("schema", "header", "4", outcome(b"\xff" * 4 + metric(1)), {"malformed"}, {"decoded"}),
    Fixed("udp", "receivers", "2"),
    Fixed("udp", "spread", "datagram", place=("listeners", 4)),
    Fixed("udp", "ipv6_only", "true", place=("listeners", 3)),
    Fixed("udp", "gro", "on"),
    Fixed("udp", "interface", "lo"),
    Fixed("udp", "multicast_interface", "lo", named="interface"),
    Fixed("udp", "source", "127.0.0.1", place=("listeners", 2)),
    Fixed("udp", "segment_memory", "1MiB", place=("listeners", 1)),
    Fixed("udp", "segment_timeout", "1s", place=("listeners", 1)),
]

SOCKETS = [
    Row("udp", "receive_buffer", "64KiB", option(socket.SOL_SOCKET, socket.SO_RCVBUF), 65536,
        131072, beside={"receive_buffer": "32KiB"}),
    Row("udp", "busy_poll", "50us", option(socket.SOL_SOCKET, SO_BUSY_POLL), 0, 50),
]


def replaced(test):
    """The suffixes "#ID" in the names of the current listeners, which a new id= changes."""
    names = [each["name"] for each in test.program.ledger_now()["listeners"] if not each["retired"]]
    return [name.partition("#")[2] for name in names if "#" in name]


IDS = [Row("udp", "id", "b", replaced, ["a"], ["b"], beside={"id": "a"})]


class Datagrams(ReloadRows):
    def begin_with_udp(self):
        plain = {"address": "udp://127.0.0.1:0", "schema": "riemann"}
        self.begin([plain, {**plain, "framing": "udp-notif"},
                    {**plain, "address": f"udp://239.1.2.3:{free_ports(1)[0]}", "interface": "lo"},
                    {**plain, "address": "udp://[::1]:0"}, {**plain, "receivers": "2"}])

    def test_keys_of_udp_and_of_schemas(self):
        self.begin_with_udp()
        self.check_rows(UDP)

    def test_ids_of_a_group(self):
        self.begin([{"address": f"udp://239.1.2.3:{free_ports(1)[0]}", "interface": "lo",
                     "schema": "riemann"}])
        self.check_rows(IDS)

    @unittest.skipUnless(may_have_handles(), "root may have its handles, and any buffer")
    def test_options_of_its_sockets(self):
        self.begin_with_udp()
        self.check_rows(SOCKETS)

    def socket_option(self, process, level, name):
        """The value for that process's socket of the first listener."""
        system = ctypes.CDLL(None, use_errno=True)
        for number in os.listdir(f"/proc/{self.program.number}/fd"):
            handle = system.syscall(PIDFD_GETFD, process, int(number), 0)
            if handle < 0:
                self.skipTest(os.strerror(ctypes.get_errno()))
            with open(handle, "rb", buffering=0):
                if not os.readlink(f"/proc/self/fd/{handle}").startswith("socket:"):
                    continue
                with socket.socket(fileno=os.dup(handle)) as found:
                    if (found.family == socket.AF_INET and found.type == socket.SOCK_DGRAM and
                            found.getsockname()[1] == self.program.port()):
                        return found.getsockopt(level, name)
        self.fail("it has no such socket")


# --- schemas from a file --------------------------------------------------------------------------

PROTO = """syntax = "proto3";
message Other { string text = 20; }
message Inner { uint64 number = 1; }
message M {
  uint64 count = 1; string host = 2; double first = 3; double second = 4; uint64 at = 5;
  bytes inner = 6; Pair pair = 7;
}
message Pair { string name = 1; oneof value { uint64 whole = 2; double real = 3; string text = 4; } }
"""


def message(number=1, host="a"):
    return (integer(1, number) + text(2, host) + b"\x19" + bytes(6) + b"\xf0\x3f" +
            integer(5, 7) + text(6, integer(1, 9)) + text(7, text(1, "state") + text(4, "up")))


def sample_key(key):
    return line(lambda each: each.get(key), message())


def senders(*datagrams):
    """The number of senders whose sequence numbers are counted in these datagrams."""
    def seen(test):
        before = test.ledger_of(0)["senders"]
        test.outcome(*datagrams)
        return test.ledger_of(0)["senders"] - before
    return seen


VALUE = {"value": "first"}
FILES = [
    Row("schema-file", "message", "Other", line(lambda each: each["schema"], message()),
        "M", "Other"),
    Row("schema-file", "nested", "inner:message=Inner",
        line(lambda each: each["message"]["inner"], message()), "CAk=", {"number": "9"}),
    Row("schema-file", "sequence", "count", senders(message()), 0, 1),
    Row("schema-file", "sequence_key", "host", senders(message(), message(2, "b")), 1, 2,
        beside={"sequence": "count"}),
    Row("schema-file", "value", "first", sample_key("name"), None, "first"),
    Row("schema-file", "name", "host", sample_key("name"), "first", "a", beside=VALUE),
    Row("schema-file", "time", "at:s",
        line(lambda each: each["time"].startswith("1970-01-01T00:00:07"), message()), False, True,
        beside=VALUE),
    Row("schema-file", "labels", "host", sample_key("labels"), {}, {"host": "a"}, beside=VALUE),
    Row("schema-file", "texts", "info",
        lambda test: [each["labels"]["state"] for each in test.lines(message())
                      if each["name"] == "info"], [], ["up"], beside={"value": "*"}),
]


class SchemasFromFiles(ReloadRows):
    def test_keys_of_a_schema_from_a_file(self):
        proto = self.folder / "m.proto"
        proto.write_text(PROTO, encoding="ascii")
        self.begin([{"address": "udp://127.0.0.1:0", "schema": str(proto), "message": "M"}])
        self.check_rows(FILES)


# --- pauses of threads ----------------------------------------------------------------------------

CLOCK_NANOSLEEP = {"x86_64": "230", "aarch64": "115"}.get(platform.machine())


def rests(test):
    """Returns true if one of the program's threads pauses soon while it receives many datagrams."""
    threads = [pathlib.Path(f"/proc/{test.program.number}/task", number, "syscall")
               for number in os.listdir(f"/proc/{test.program.number}/task")]
    senders = [test.steady() for _ in range(2)]

    def rest():
        for send in senders * 20:
            send()
        return any(thread.read_text(encoding="ascii").split()[0] == CLOCK_NANOSLEEP
                   for thread in threads)
    if test.expected:
        return test.soon(rest)
    end = time.monotonic() + DEADLINE
    while test.soon(rest):  # a pause that began before the reload may end after it
        if time.monotonic() > end:
            return True
    return False


RESTS = [Row(scope, "coalesce", "0s", rests, True, False, beside={"coalesce": "10ms"})
         for scope in ("udp", "tcp", "unix")]


def may_see_calls():
    try:
        return (CLOCK_NANOSLEEP is not None and
                pathlib.Path("/proc/self/syscall").read_text(encoding="ascii") != "")
    except OSError:
        return False


@unittest.skipUnless(may_see_calls(), "this system does not say what a thread waits in")
class Rests(ReloadRows):
    def test_of_udp(self):
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "riemann"}])
        self.steady = lambda sender=None: (
            lambda to=self.sender(self.program): to.send(metric(1)))
        self.check_rows(RESTS[:1])

    def check_stream(self, address, rows):
        self.begin([{"address": address, "schema": "telemetry", "framing": "length32",
                     "receivers": 2}])

        def steady():
            client = Client(self.program)
            self.addCleanup(client.socket.close)
            return lambda: client.send(framed(gauge("a", 1)))
        self.steady = steady
        self.check_rows(rows)

    @unittest.skipIf(ONE_THREAD, "there is no tcp listener")
    def test_of_tcp(self):
        self.check_stream("tcp://127.0.0.1:0", RESTS[1:2])

    @unittest.skipIf(ONE_THREAD, "there is no unix listener")
    def test_of_unix(self):
        self.check_stream(f"unix:{self.folder}/socket", RESTS[2:])


# --- streams --------------------------------------------------------------------------------------

def answer(sent):
    def seen(test):
        with test.connect() as client:
            client.send(framed(sent))
            return client.answer()
    return seen


def served(test):
    """Returns true if a connection is served."""
    with test.connect() as client:
        return client.is_served()


def second_served(test):
    """Returns true if a second connection is served at the same time."""
    with test.connect() as first, Connection(test.program) as second:
        return first.is_served() and second.is_served()


def closed_soon(begun):
    """Returns true if a connection ends on which only this data comes."""
    def seen(test):
        with test.connect() as client:
            test.assertTrue(client.is_served())
            client.send(begun)
            return (test.soon(lambda: select.select([client.socket], [], [], 0)[0]) and
                    client.ends())
    return seen


def answers(test):
    """The answers to many messages at once."""
    with test.connect() as client:
        client.send(framed(*[metric(1)] * 50))
        return set(client.answers(50))


def of_streams(scope):
    return [
        Row(scope, "max_decoded", "1KiB", answer(MANY), OK, refused("too_large")),
        Row(scope, "rate_limit", "1", answers, {OK}, {OK, refused("rate_limited")}),
        Row(scope, "max_frame", "2KiB", answer(LONG), OK, refused("too_large")),
        Row(scope, "max_connections", "1", second_served, True, False),
        Row(scope, "max_connections_per_address", "1", second_served, True, False),
        Row(scope, "idle_timeout", SHORT, closed_soon(b""), False, True),
        Row(scope, "frame_timeout", SHORT, closed_soon(b"\0\0"), False, True),
        Fixed(scope, "receivers", "2"),
        Fixed(scope, "content_type", "protobuf:a.B", place=("listeners", 1)),
    ]


def of_file(what):
    """A fact about the file of the first listener's socket, by its status."""
    def seen(test):
        return what(os.stat(test.program.names[0].removeprefix("unix:")))
    return seen


TCP = [
    *of_streams("tcp"),
    Row("tcp", "allow", OTHERS, served, True, False),
    Row("tcp", "deny", "127.0.0.1", served, True, False),
    Fixed("tcp", "ipv6_only", "true", place=("listeners", 2)),
]
UNIX = [
    *of_streams("unix"),
    Row("unix", "mode", "0666", of_file(lambda status: oct(status.st_mode & 0o777)), "0o600",
        "0o666"),
]
OWNED = [
    Row("unix", "owner", "1:2", of_file(lambda status: (status.st_uid, status.st_gid)), (0, 0),
        (1, 2)),
]


class Connection(Client):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def is_served(self):
        try:
            self.send(framed(metric(1)))
            return self.answer() == OK
        except (EOFError, ConnectionError):
            return False


@unittest.skipIf(ONE_THREAD, "tcp listeners have threads of their own")
class Streams(ReloadRows):
    def connect(self):
        """Opens a connection after the program has seen the ends of earlier ones."""
        self.program.wait_for_ledger(self.has_seen_ends, "connections of before have ended")
        return Connection(self.program)

    @staticmethod
    def has_seen_ends(ledger):
        counts = ledger["listeners"][0]
        return counts["connections"] == sum(counts[end] for end in CONNECTION_ENDS)

    def test_keys_of_tcp(self):
        plain = {"address": "tcp://127.0.0.1:0", "schema": "riemann"}
        self.begin([plain, {**plain, "framing": "frame-streams"},
                    {**plain, "address": "tcp://[::1]:0"}])
        self.check_rows(TCP)

    def begin_with_unix(self):
        plain = {"address": f"unix:{self.folder}/first", "schema": "riemann"}
        self.begin([plain, {**plain, "address": f"unix:{self.folder}/second",
                            "framing": "frame-streams"}])

    def test_keys_of_unix(self):
        self.begin_with_unix()
        self.check_rows(UNIX)

    @unittest.skipUnless(os.geteuid() == 0, "only root may give its socket to another user")
    def test_the_owner_of_a_socket(self):
        self.begin_with_unix()
        self.check_rows(OWNED)


# --- streams with TLS -----------------------------------------------------------------------------

def certificate(authority):
    """The name in the server's certificate, or None if the client is refused."""
    def seen(test):
        settings = ssl.create_default_context(cafile=authority.cert)
        settings.maximum_version = ssl.TLSVersion.TLSv1_2  # so that a refusal closes it at once
        with socket.create_connection(("127.0.0.1", test.program.port())) as plain:
            try:
                with settings.wrap_socket(plain, server_hostname="127.0.0.1") as client:
                    return client.getpeercert()["subject"][0][0][1]
            except ssl.SSLError:
                return None
    return seen


@unittest.skipIf(OPENSSL is None or os.environ.get("TEST_TLS") != "1",
                 "no openssl, or a program without TLS")
class Secured(ReloadRows):
    def test_keys_of_tls(self):
        authority = Authority(self.folder)
        (cert, key), (other, its_key) = authority.issue("one"), authority.issue("two")
        plain = {"address": "tcp://127.0.0.1:0", "schema": "riemann"}
        self.begin([{**plain, "tls": "on", "cert": str(cert), "key": str(key)}, plain])
        self.check_rows(secured(authority, str(cert), str(key), str(other), str(its_key)))


def secured(authority, cert, key, other, its_key):
    seen = certificate(authority) if authority else None
    return [
        Row("tcp", "cert key", (other, its_key), seen, "one", "two"),
        Row("tcp", "client_ca", cert, seen, "one", None),
        Fixed("tcp", "tls", "on", place=("listeners", 1), more={"cert": cert, "key": key}),
    ]


# --- captures -------------------------------------------------------------------------------------

CAPTURES = [Fixed("capture", key, value, named="capture's keys") for key, value in (
    ("max_decoded", "1MiB"), ("allow", OTHERS), ("deny", OTHERS), ("rate_limit", "5"),
    ("port", "5"), ("segment_memory", "1MiB"), ("segment_timeout", "1s"))]


class Captures(ReloadRows):
    def check_capture(self, rows, **keys):
        live = LivePipe(self.folder)
        self.addCleanup(live.close)
        self.begin([{"address": f"pcap:{live.path}", "schema": "riemann", **keys}],
                   start=lambda file: self.launch("--config", file))
        pipe = live.open()
        pipe.write(HEADER)
        self.check_rows(rows)
        pipe.close()
        self.program.finish()

    def test_keys_of_captures(self):
        self.check_capture(CAPTURES, framing="udp-notif")

    @unittest.skipUnless(SEALED, "this program was built without libsodium")
    def test_keys_of_sealed_captures(self):
        self.leave_sandbox()
        one = keys_in(self.folder / "one", Key("web"))
        self.check_capture(SEALED_CAPTURES, framing="sealed", keys=one)


# --- sealed datagrams -----------------------------------------------------------------------------

SEALED_CAPTURES = [Fixed("capture", "keys", "/other", named="capture's keys"),
                   Fixed("capture", "max_age", "1s", named="capture's keys")]


def keys_in(path, *keys):
    write_keys(path, *keys)
    return str(path)


def sealed_rows(other, session):
    """`other` is a file without the session's key."""
    def seen(ahead=0):
        return lambda test: test.outcome(session.seal(metric(1), at=time.time_ns() + ahead))
    return [
        Row("udp", "keys", other, seen(), {"decoded"}, {"no_key"}),
        Row("udp", "max_age", "1s", seen(10 * SECOND), {"decoded"}, {"stale"}),
        Fixed("udp", "state", "/other"),
    ]


class Sealed(ReloadRows):
    @unittest.skipUnless(SEALED, "this program was built without libsodium")
    def test_keys_of_sealed_datagrams(self):
        self.leave_sandbox()
        key = Key("web")
        one = keys_in(self.folder / "one", key)
        self.begin([{"address": "udp://127.0.0.1:0", "schema": "riemann", "framing": "sealed",
                     "keys": one}])
        self.check_rows(sealed_rows(keys_in(self.folder / "other", Key("other")),
                                    Session(key, AUTHENTICATED)))


# --- the tables -----------------------------------------------------------------------------------

class Tables(unittest.TestCase):
    def test_each_key_and_each_option_has_its_row(self):
        printed = subprocess.run([os.environ["TEST_SETTING_TABLE"]], capture_output=True, text=True,
                                 check=True).stdout
        keys = {tuple(each.split(" ")) for each in printed.splitlines()}
        rows = {name for row in (UDP + IDS + SOCKETS + FILES + RESTS + TCP + UNIX + OWNED + CAPTURES +
                                 secured(None, "", "", "", "") + sealed_rows("", None) +
                                 SEALED_CAPTURES + test_reload_dtls_keys.ROWS +
                                 test_reload_options.ROWS +
                                 test_reload_sink_keys.ROWS + test_reload_delivery_keys.ROWS)
                for name in row.names}
        self.assertEqual(rows, keys)


if __name__ == "__main__":
    unittest.main()
