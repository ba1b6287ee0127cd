"""Tests the outcomes of records in `http:` sinks: acknowledged, refused with a reason, unknown, or
certainly not delivered."""
import json
import os
import ssl
import time
import unittest

from built import not_on_windows
from certificates import OPENSSL, Authority
from http_store import CLOSE, NO_ANSWER, Store
from metrics_client import SERVES, MetricsClient, labels
from protobuf import metric
from sluice_program import NO_FILE, RIEMANN, ProgramTest

SOON = "flush_interval=20ms"


class Delivering(ProgramTest):
    def store(self, *script, **more):
        store = Store(*script, **more)
        self.addCleanup(store.close)
        return store

    def deliver(self, store, keys="", scheme="http"):
        """A program with a sink to this store."""
        return self.start("--listen", RIEMANN, "--sink",
                          f"{scheme}:{store.place}?{SOON}&in_flight=1{keys}")

    def send_apart(self, program, count):
        """Sends records so that each is in a separate block."""
        sender = self.sender(program)
        for number in range(count):
            sender.send(metric(number))
            program.wait_for_settled(number + 1)

    def counts(self, sink):
        """The counts that are not zero."""
        terms = {term: sink[term] for term in ("written", "unknown", "possible_duplicates")}
        return {term: count for term, count in {**terms, **sink["failed"]}.items() if count != 0}


class Answers(Delivering):
    def check_counts(self, script, keys, records, expected, requests=None):
        store = self.store(*script)
        program = self.deliver(store, keys)
        self.send_apart(program, records)
        sink = program.stop()["sinks"][0]
        self.assertEqual(self.counts(sink), expected)
        self.assertEqual(len(store.lines()), expected.get("written", 0))
        if requests is not None:
            self.assertEqual(len(store.requests), requests)
        return program, store

    def test_what_is_acknowledged_is_written(self):
        _, store = self.check_counts([200, 204], "&format=json", 3, {"written": 3}, 3)
        self.assertEqual(store.requests[0].headers["content-type"], "application/x-ndjson")
        for line in store.lines():
            json.loads(line)

    def test_a_proxy_of_the_environment_is_not_asked(self):
        store = self.store()
        program = self.start("--listen", RIEMANN, "--sink", f"http:{store.place}?{SOON}",
                             env={**os.environ, "http_proxy": "http://127.0.0.1:1",
                                  "all_proxy": "http://127.0.0.1:1"})
        self.send_apart(program, 1)
        self.assertEqual(self.counts(program.stop()["sinks"][0]), {"written": 1})

    def test_each_refusal_has_its_reason(self):
        script = [400, 401, 403, 413, 404, 302]
        program, _ = self.check_counts(script, "&format=json", 7, {
            "written": 1, "rejected": 3, "denied": 2, "too_large": 1}, 7)
        self.assertRegex("\n".join(program.log()), "1 record was not delivered.*answered 400")

    def test_what_the_server_cannot_take_now_is_sent_again(self):
        self.check_counts([503, 500, 408, 204], "&format=json", 1, {"written": 1}, 4)

    def test_it_waits_as_long_as_the_server_wants(self):
        begin = time.monotonic()
        self.check_counts([(429, {"Retry-After": "1"})], "&format=json", 1, {"written": 1}, 2)
        self.assertGreaterEqual(time.monotonic() - begin, 1)

    def test_what_is_answered_by_nothing_is_unknown_and_not_sent_again(self):
        self.check_counts([CLOSE], "&format=json", 2, {"written": 1, "unknown": 1}, 2)

    def test_also_on_a_connection_that_was_used_before(self):
        self.check_counts([204, CLOSE], "&format=json", 3, {"written": 2, "unknown": 1}, 3)

    def test_a_server_that_never_answers_makes_it_unknown(self):
        self.check_counts([NO_ANSWER], "&format=json&timeout=600ms", 2,
                          {"written": 1, "unknown": 1}, 2)

    def test_samples_that_overwrite_themselves_are_sent_again(self):
        for encoder in ("influx", "prometheus"):
            with self.subTest(encoder):
                self.check_counts([CLOSE], f"&format={encoder}", 1,
                                  {"written": 1, "possible_duplicates": 1}, 2)

    def test_so_are_others_where_that_was_asked_for(self):
        self.check_counts([CLOSE], "&format=json&retry=at_least_once", 1,
                          {"written": 1, "possible_duplicates": 1}, 2)

    def test_and_these_are_not_where_that_was_asked_for(self):
        self.check_counts([CLOSE], "&format=influx&retry=at_most_once", 1, {"unknown": 1}, 1)

    def test_what_is_never_taken_has_failed_when_its_time_is_over(self):
        self.check_counts([503] * 50, "&format=json&timeout=500ms", 1, {"timeout_unsent": 1})


@unittest.skipUnless(SERVES, "this program was built without metrics")
class Figures(Delivering):
    """The figures of requests and connections in --metrics and the control socket."""

    def deliver_watched(self, *script):
        store = self.store(*script)
        program = self.start("--metrics", "127.0.0.1:0", "--listen", RIEMANN, "--sink",
                             f"http:{store.place}?{SOON}&in_flight=1&format=json")
        self.label = labels(sink=f"http:{store.place}")
        return store, program, MetricsClient(program)

    def figures(self, client):
        """The sink's metrics by name, and the number of answers by class."""
        numbers = client.numbers()
        return {name.removeprefix("sluice_sink_"): int(value)
                for (name, label), value in numbers.items()
                if label == self.label and not name.endswith("_seconds")}, {
                    dict(label)["class"]: int(value)
                    for (name, label), value in numbers.items()
                    if name == "sluice_sink_answers_total" and value != 0}

    def test_requests_are_counted_by_their_answers(self):
        _, program, client = self.deliver_watched(200, 503, 200, 400, 302, CLOSE)
        self.send_apart(program, 5)
        figures, answers = self.figures(client)
        self.assertEqual(answers, {"2xx": 2, "3xx": 1, "4xx": 1, "5xx": 1})
        self.assertEqual({name: figures[f"{name}_total"] for name in (
            "requests", "request_retries", "request_errors")},
            {"requests": 6, "request_retries": 1, "request_errors": 1})
        self.assertEqual(figures["requests_in_flight"], 0)
        self.assertEqual(figures["request_seconds_count"], 5)
        self.assertGreaterEqual(figures["connects_total"], 1)

    def test_a_request_without_an_answer_is_in_flight(self):
        store, program, client = self.deliver_watched(NO_ANSWER)
        self.sender(program).send(metric(1))
        store.wait_for_requests(1)
        self.assertEqual(self.figures(client)[0]["requests_in_flight"], 1)

    def test_a_file_has_none(self):
        program = self.start("--metrics", "127.0.0.1:0", "--listen", RIEMANN)
        self.assertNotIn("sluice_sink_requests", MetricsClient(program).page())


class Away(Delivering):
    def test_a_server_that_comes_later_gets_everything(self):
        store = self.store()
        port = store.port
        store.close()
        program = self.deliver(store, "&format=json")
        self.sender(program).send_all([metric(number) for number in range(50)])
        program.wait_for_received(50)
        program.wait_for_log("trying again")
        later = self.store(port=port)
        program.wait_for_settled(50)
        sink = program.stop()["sinks"][0]
        self.assertEqual(self.counts(sink), {"written": 50})
        self.assertEqual(len(later.lines()), 50)
        self.assertGreater(sink["write_errors"], 0)
        program.wait_for_log("writing again")

    def test_a_stop_gives_up_what_nobody_answers(self):
        store = self.store(NO_ANSWER)
        program = self.start("--listen", RIEMANN, "--stop-timeout", "300ms", "--sink",
                             f"http:{store.place}?{SOON}&in_flight=1&format=influx")
        sender = self.sender(program)
        sender.send(metric(1))
        store.wait_for_requests(1)
        sender.send(metric(2))
        program.wait_for_received(2)
        sink = program.stop()["sinks"][0]
        self.assertEqual(self.counts(sink), {"unknown": 1, "stop_timeout": 1})

    def test_a_stop_waits_for_the_answer(self):
        store = self.store((503, {}), 204)
        program = self.deliver(store, "&format=json")
        self.sender(program).send(metric(1))
        store.wait_for_requests(1)
        self.assertEqual(self.counts(program.stop()["sinks"][0]), {"written": 1})


class Requests(Delivering):
    def test_many_records_make_few_requests_and_each_comes_once(self):
        store = self.store()
        program = self.start("--listen", RIEMANN, "--sink",
                             f"http:{store.place}?format=json&flush_interval=100ms")
        sent = 20000
        self.sender(program).send_all([metric(number) for number in range(sent)])
        program.wait_for_settled(sent)
        sink = program.stop()["sinks"][0]
        self.assertEqual(self.counts(sink), {"written": sent})
        self.assertEqual(sink["bytes"], len(store.stored))
        self.assertEqual(sorted(json.loads(line)["value"] for line in store.lines()),
                         list(range(sent)))
        self.assertLess(len(store.requests), sent / 10)

    def test_a_query_and_headers_go_with_each_and_are_not_shown(self):
        secret = "Bearer a-secret"
        file = self.folder / "headers"
        file.write_text(f"Authorization: {secret}\n\nX-Scope: b\n")
        store = self.store()
        keys = f"&format=json&query=db=a b%26precision=ns&header_file={file}"
        program = self.deliver(store, keys)
        self.send_apart(program, 1)
        program.stop()
        request = store.requests[0]
        self.assertEqual(request.path, "/write?db=a%20b&precision=ns")
        self.assertEqual(request.headers["authorization"], secret)
        self.assertEqual(request.headers["x-scope"], "b")
        printed, _ = self.run_to_end("--print-config", "--sink", f"http:{store.place}?{keys[1:]}",
                                     ledger=None)
        self.assertNotIn("a-secret", "\n".join(program.said()) +
                         b"".join(printed.stdout.lines()).decode())

    def secure_store(self):
        if OPENSSL is None:
            self.skipTest("needs openssl")
        authority = Authority(self.folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue("server"))
        return authority, self.store(context=context)

    @not_on_windows("Wine refuses a good certificate now and then while its prefix is new")
    def test_https_trusts_whom_it_is_to_trust(self):
        authority, store = self.secure_store()
        program = self.deliver(store, f"&format=json&server_ca={authority.cert}", "https")
        self.send_apart(program, 2)
        self.assertEqual(self.counts(program.stop()["sinks"][0]), {"written": 2})
        self.assertEqual(len(store.lines()), 2)

    @not_on_windows("Wine's Schannel leaves it to the program to check certificates")
    def test_https_trusts_no_other(self):
        _, store = self.secure_store()
        program = self.deliver(store, "&format=json&timeout=300ms", "https")
        self.send_apart(program, 1)
        self.assertEqual(self.counts(program.stop()["sinks"][0]), {"timeout_unsent": 1})
        self.assertEqual(store.requests, [])

    def test_https_trusts_no_authority_but_the_one_that_is_named(self):
        _, store = self.secure_store()
        other = Authority(self.folder, "other")
        program = self.deliver(store, f"&format=json&timeout=300ms&server_ca={other.cert}", "https")
        self.send_apart(program, 1)
        self.assertEqual(self.counts(program.stop()["sinks"][0]), {"timeout_unsent": 1})
        self.assertEqual(store.requests, [])


class Refused(Delivering):
    def test_what_is_wrong_is_reported_before_anything_begins(self):
        missing = self.folder / "missing"
        wrong = self.folder / "wrong"
        wrong.write_text("Authorization: x\nno header\n")
        for url, code, said in (
                ("http:x", 78, "there is no host"), ("http://", 78, "there is no host"),
                ("http://:8086/", 78, "there is no host"),
                ("http://me:secret@127.0.0.1/", 78, "a user name is not allowed"),
                (f"http://127.0.0.1/?header_file={missing}", 78, f"missing: cannot be opened: {NO_FILE}"),
                (f"http://127.0.0.1/?header_file={wrong}", 78, "line 2 is no"),
                ("http://127.0.0.1/?format=openmetrics", 64, "writes only complete files"),
                ("file:x?timeout=1s", 64, "is for an http:, kafka: or nats: sink, not for a file: sink"),
                ("stdout:?query=x", 64, "is for an http: sink, not for a stdout: or command: sink")):
            with self.subTest(url):
                self.assertIn(said, self.refused("--sink", url, "--check", code=code))

    def test_one_thread_is_not_enough(self):
        line = self.refused("--threads", "1", "--sink", "http://127.0.0.1/", code=78)
        self.assertIn("a thread of its own", line)


if __name__ == "__main__":
    unittest.main()
