"""Kafka and NATS with logins and certificates: each error is reported on one clear line, counted
and retried, and does not affect other sinks. Records that wait on disk are delivered after it is
corrected."""
import base64
import json
import re
import ssl
import sys
import time

from certificates import Authority
from connecting import ConnectTest
from kafka_reading import make_topic, messages
from nats_server import NatsClient
from protobuf import metric
from server_group import ROOT, ServerGroup, main
from sluice_program import RIEMANN, settled

sys.path.insert(0, str(ROOT / "tools" / "serving"))
import identity  # noqa: E402

COUNT = 1000
WRONG = "not-the-password"
SECONDS = 120  # seconds until a broker must be back
PAUSE = 0.2


def wait_until(condition, what):
    """The function for other tests, with a longer limit."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {SECONDS} s without success: {what}")
        time.sleep(PAUSE)


class Secure(ConnectTest):
    """A subclass defines `sink_url`, which adds keys to the URL of a sink."""

    kind = None

    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, self.kind, secure=True)
        self.tls = self.group.folder / "tls"
        self.password = (self.group.folder / "login").read_text().split("password=")[1].strip()

    def edit(self, name, before, after):
        """Changes a file of a node, and restarts the node with it."""
        file = self.group.folder / "n1" / name
        text = file.read_text()
        self.assertIn(before, text)
        self.group.kill()
        file.write_text(text.replace(before, after))
        self.group.resume()

    def deliver(self, *sinks):
        """Sends to these sinks, and to a file that is not affected by them."""
        self.lines = self.folder / "lines"
        words = [word for sink in (*sinks, f"file:{self.lines}?flush_interval=20ms")
                 for word in ("--sink", sink)]
        program = self.start("--listen", RIEMANN, *words)
        self.sender(program).send_all([metric(number) for number in range(COUNT)])
        program.wait_for_ledger(lambda ledger: ledger["sinks"][-1]["written"] == COUNT,
                                "the file has all of them")
        return program

    def finish(self, program, settled_by, what):
        wait_until(lambda: settled_by(program.ledger_now()["sinks"][0]), what)
        ledger = program.stop()
        for sink in ledger["sinks"]:
            self.assertEqual(sink["queued"], settled(sink) + sink["spilled"] - sink["recovered"])
        self.assertEqual(ledger["sinks"][-1]["written"], COUNT)
        return ledger["sinks"][0]

    def assert_told(self, program, what):
        """Asserts that the log has this error, about once a second."""
        told = [line for line in program.log() if what in line]
        self.assertGreater(len(told), 0, program.log())
        self.assertLess(len(program.log()), 200)
        self.assertNotIn(WRONG, "\n".join(program.log()))

    def assert_refused_and_harmless(self, sink, check, told, reason="timeout_unsent"):
        """Asserts that all records of the sink fail for this reason, and that the other sink writes
        all."""
        self.assert_refused(sink, check)
        program = self.deliver(sink + "&timeout=3s")
        sink = self.finish(program, lambda sink: sum(sink["failed"].values()) == COUNT,
                           "all have failed")
        self.assertEqual((sink["failed"][reason], sink["unknown"]), (COUNT, 0), sink)
        self.assert_told(program, told)

    def assert_delivered_later(self, sink, told, mend):
        """Asserts that a sink with a spill retries without a limit, and delivers all records after
        `mend` was called."""
        program = self.deliver(f"{sink}&spill={self.folder / 'spill'}")
        wait_until(lambda: told in "\n".join(program.log()), "the sink has tried")
        self.assertEqual(program.ledger_now()["sinks"][0]["written"], 0)
        mend()
        sink = self.finish(program, lambda sink: sink["written"] == COUNT, "all is written")
        self.assert_told(program, told)
        self.assertEqual(sum(sink["failed"].values()) + sink["unknown"], 0)
        self.assertEqual(sorted(self.found()), list(range(COUNT)))


class Kafka(Secure):
    kind = "kafka"

    def setUp(self):
        super().setUp()
        make_topic(self.group.places, "t")

    def found(self):
        return [json.loads(line)["value"] for line in messages(self.group.places, "t")]

    def sink(self, port, password=None, topic="t", host="127.0.0.1", ca=None, keys=""):
        """The sink's URL. `port` is the name of the broker's listener."""
        login = self.folder / "properties"
        protocol = {"sasl": "SASL_PLAINTEXT", "tls": "SASL_SSL"}[port]
        login.write_text(f"security.protocol={protocol}\nsasl.mechanism=PLAIN\n"
                         f"sasl.username={identity.USER}\nsasl.password={password or self.password}\n"
                         f"ssl.ca.location={ca or self.tls / 'ca.crt'}\n")
        place = self.group.place(port).replace("127.0.0.1", host)
        return (f"kafka://{place}/{topic}?format=json&flush_interval=20ms&properties_file={login}"
                f"{keys}")

    def test_a_topic_that_is_asked_for_is_not_made(self):
        for _ in range(2):
            self.assert_refused(self.sink("sasl", topic="asked"), 'have no topic "asked"; create it')

    def test_the_right_login_is_let_in_with_tls_and_without(self):
        for port in ("sasl", "tls"):
            sink = self.sink(port)
            self.assert_reached(sink, "reached 1 broker; the topic has 6 partitions")
            result = self.finish(self.deliver(sink), lambda sink: sink["written"] == COUNT,
                                 "all is written")
            self.assertEqual(sum(result["failed"].values()), 0)
            self.lines.unlink()
        self.assertEqual(sorted(self.found()), sorted([*range(COUNT)] * 2))

    def test_a_wrong_password(self):
        sink = self.sink("sasl", WRONG)
        self.assert_refused_and_harmless(sink, "no broker answers: .*Authentication failed",
                                         "Authentication failed")
        self.lines.unlink()
        self.assert_delivered_later(sink, "Authentication failed", lambda: self.edit(
            "server.properties", f'="{self.password}"', f'="{WRONG}"'))

    def test_an_unknown_authority_and_another_name(self):
        other = Authority(self.folder, "other")
        self.assert_refused_and_harmless(self.sink("tls", ca=other.cert), "certificate verify failed",
                                         "certificate verify failed")
        self.lines.unlink()
        self.assert_refused_and_harmless(self.sink("tls", host="localhost"),
                                         "certificate verify failed", "certificate verify failed")

    def test_an_expired_certificate_until_there_is_a_new_one(self):
        self.group.kill()
        identity.issue(self.tls, "127.0.0.1", -1)
        self.group.resume()
        sink = self.sink("tls")
        self.assert_refused(sink, "certificate verify failed")

        def renew():
            self.group.kill()
            identity.issue(self.tls, "127.0.0.1", 2)
            self.group.resume()
        self.assert_delivered_later(sink, "certificate verify failed", renew)

    def test_a_topic_that_is_not_there_and_is_not_made(self):
        self.edit("server.properties", "num.partitions", "auto.create.topics.enable=false\n"
                  "num.partitions")
        sink = self.sink("sasl", topic="missing", keys="&kafka.topic.metadata.propagation.max.ms=1000")
        self.assert_refused(sink, 'have no topic "missing"; create it')
        program = self.deliver(sink)
        sink = self.finish(program, lambda sink: sum(sink["failed"].values()) == COUNT,
                           "all have failed")
        self.assertEqual(sink["failed"]["rejected"], COUNT, sink)

    def test_a_message_that_is_too_large_harms_no_other(self):
        limit, large = 20000, 7
        self.edit("server.properties", "num.partitions",
                  f"message.max.bytes={limit}\nnum.partitions")
        # The limit applies to batches, so a batch must have few messages.
        sink = self.sink("sasl", keys="&kafka.batch.num.messages=10")
        program = self.start("--listen", RIEMANN, "--sink", sink)
        sender = self.sender(program)
        for number in range(COUNT):
            more = {"host": "x" * 2 * limit} if number % (COUNT // large) == 0 else {}
            sender.send_all([metric(number, **more)])
        wait_until(lambda: settled(program.ledger_now()["sinks"][0]) == COUNT, "all outcomes are known")
        sink = program.stop()["sinks"][0]
        count = sink["failed"]["too_large"]
        self.assertEqual(sink["written"] + count, COUNT, sink)
        self.assertGreaterEqual(count, large)
        self.assertEqual(len(self.found()), sink["written"])
        self.assert_told(program, "too large")


class Nats(Secure):
    kind = "nats"

    def setUp(self):
        super().setUp()
        self.ask("STREAM.CREATE.S", {"name": "S", "subjects": ["t.>"], "storage": "file"})

    def ask(self, subject, request):
        context = ssl.create_default_context(cafile=self.tls / "ca.crt")
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        client = NatsClient(int(self.group.address.rpartition(":")[2]),
                            {"user": identity.USER, "pass": self.password}, context)
        try:
            return client.ask(f"$JS.API.{subject}", request)
        finally:
            client.close()

    def found(self):
        values = []
        last = self.ask("STREAM.INFO.S", None)["state"]["last_seq"]
        for number in range(1, last + 1):
            message = self.ask("STREAM.MSG.GET.S", {"seq": number})["message"]
            lines = base64.b64decode(message["data"]).decode().splitlines()
            values += [json.loads(line)["value"] for line in lines]
        return values

    def refusals(self):
        """The times of refused logins, in seconds of the day."""
        found = re.findall(r"(\d+):(\d+):(\d+\.\d+) \[ERR\].*authentication error",
                           self.group.log())
        return [int(hours) * 3600 + int(minutes) * 60 + float(seconds)
                for hours, minutes, seconds in found]

    def sink(self, password=None, host="127.0.0.1", ca=None):
        login = self.folder / "login"
        login.write_text(f"user={identity.USER}\npassword={password or self.password}\n")
        place = self.group.address.replace("127.0.0.1", host)
        return (f"nats://{place}/t.x?format=json&flush_interval=20ms&credentials_file={login}"
                f"&tls=on&server_ca={ca or self.tls / 'ca.crt'}")

    def test_a_wrong_password(self):
        sink = self.sink(WRONG)
        self.assert_refused_and_harmless(sink, "cannot connect: .*Auth", "Auth")
        self.lines.unlink()
        before = len(self.refusals())

        def mend():
            wait_until(lambda: len(self.refusals()) >= before + 7, "it has tried seven times")
            times = self.refusals()[before:]
            waits = [after - this for this, after in zip(times, times[1:])]
            self.assertGreater(waits[-1], 2 * waits[0], waits)
            self.edit("nats.conf", f'"{self.password}"', f'"{WRONG}"')
            self.password = WRONG
        self.assert_delivered_later(sink, "Auth", mend)

    def test_wrong_certificates(self):
        other = Authority(self.folder, "other")
        for sink in (self.sink(ca=other.cert), self.sink(host="localhost")):
            self.assert_refused_and_harmless(sink, "SSL", "SSL")
            self.lines.unlink()
        self.assert_reached(self.sink(), "reached; the stream S takes t.x")
        self.finish(self.deliver(self.sink()), lambda sink: sink["written"] == COUNT, "all is there")


if __name__ == "__main__":
    main()
