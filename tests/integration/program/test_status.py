"""Tests the server of the status page: its files, and its answers to requests and event streams."""
import gzip
import os
import re
import socket
import subprocess
import unittest

from built import WINDOWS, command, not_on_windows, skip
from event_client import EventClient
from metrics_client import MetricsClient
from protobuf import gauge, metric
from sluice_program import (
    DEADLINE, RIEMANN, SANITIZED, SLUICE, TELEMETRY, ProgramTest, wait_until)

VERSION = subprocess.run(command(SLUICE, "--version"), capture_output=True, timeout=DEADLINE,
                         check=True).stdout
if b"\nmetrics: none" in VERSION:
    skip("this program was built without metrics")

EVENT_CLIENTS = 8
STALL_TIMEOUT = 12 if SANITIZED else 1  # seconds; with a sanitizer readers are slow as well
POLICY = {"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
          "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"}


class StatusTest(ProgramTest):
    def serve(self, *arguments, listeners=1, **more):
        program = self.start(*arguments, "--metrics", "0", listeners=listeners, **more)
        return program, MetricsClient(program)

    def watch(self, client, **more):
        watcher = EventClient(client.host, client.port, **more)
        self.addCleanup(watcher.close)
        return watcher

    def watch_well(self, client):
        """Opens an event stream, which must be accepted. Returns it, and its first event."""
        watcher = self.watch(client)
        status, headers = watcher.begin()
        self.assertEqual((status, headers["content-type"]), (200, "text/event-stream"))
        name, first = watcher.next()
        self.assertEqual(name, "first")
        return watcher, first


class Files(StatusTest):
    def test_the_page_asks_for_its_own_files_alone_and_all_are_there(self):
        _, client = self.serve("--listen", RIEMANN)
        page = client.ask("/")
        self.assertEqual((page.status, page.headers["content-type"]),
                         (200, "text/html; charset=utf-8"))
        asked = re.findall(r'(?:href|src)="(/[^"]*)"', page.text())
        self.assertIn("/page/main.js", asked)
        scripts = ["/page/main.js"]
        for script in scripts:
            source = client.ask(script)
            self.assertEqual(source.headers["content-type"], "text/javascript; charset=utf-8")
            scripts += [f"/page/{name}" for name in
                        re.findall(r'from "\./(\w+\.js)"', source.text())
                        if f"/page/{name}" not in scripts]
        self.assertGreater(len(scripts), 5)
        for path in asked:
            self.assertEqual(client.ask(path).status, 200, path)
        self.assertNotRegex(page.text(), r"https?://|<style|style=|<script>|onclick")

    def test_gzip_is_for_those_who_take_it(self):
        _, client = self.serve("--listen", RIEMANN)
        plain = client.ask("/page/style.css")
        packed = client.ask("/page/style.css", **{"Accept-Encoding": "br, gzip"})
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        self.assertLess(len(packed.body), len(plain.body) / 2)
        for answer in (plain, packed):
            self.assertEqual(answer.headers["vary"], "Accept-Encoding")

    def test_every_answer_has_the_security_policy(self):
        _, client = self.serve("--listen", RIEMANN)
        for path in ("/", "/page/main.js", "/metrics", "/healthz", "/sources", "/events/once",
                     "/glossary", "/nothing"):
            headers = client.ask(path).headers
            self.assertEqual(set(headers["content-security-policy"].split("; ")), POLICY, path)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
            self.assertNotIn("access-control-allow-origin", headers)


class Hosts(StatusTest):
    PATHS = ("/", "/page/main.js", "/metrics", "/healthz", "/sources", "/events",
             "/events/once", "/glossary", "/nothing")

    def status(self, client, path, *hosts, version="1.1"):
        """The status of the answer to a request with these Host headers."""
        with socket.create_connection((client.host, client.port), DEADLINE) as connection:
            lines = [f"GET {path} HTTP/{version}", *(f"Host: {host}" for host in hosts),
                     "Connection: close", "", ""]
            connection.sendall("\r\n".join(lines).encode())
            answer = b""
            while b"\r\n\r\n" not in answer or b"421" in answer[:12]:
                more = connection.recv(1 << 16)
                if not more:
                    break
                answer += more
        return int(answer.split()[1]), answer.decode()

    def test_a_name_that_is_not_allowed_is_misdirected_everywhere(self):
        program, client = self.serve("--listen", RIEMANN)
        for path in self.PATHS:
            status, text = self.status(client, path, "rebound.example")
            self.assertEqual(status, 421, path)
            self.assertIn("--metrics-host NAME", text)
            self.assertNotIn("rebound.example", text)
        self.assertEqual(len(program.wait_for_log("metrics: refused a request")), 1)

    def test_addresses_and_localhost_are_allowed_as_browsers_and_prometheus_send_them(self):
        _, client = self.serve("--listen", RIEMANN)
        for host in (f"127.0.0.1:{client.port}", "[::1]:9126", "localhost", "LOCALHOST:1",
                     "192.0.2.1"):
            self.assertEqual(self.status(client, "/healthz", host)[0], 200, host)

    def test_names_are_allowed_by_metrics_host(self):
        _, client = self.serve("--listen", RIEMANN, "--metrics-host", "Collector.example,sluice")
        for host in ("collector.EXAMPLE:9126", "sluice", "127.0.0.1"):
            self.assertEqual(self.status(client, "/metrics", host)[0], 200, host)
        self.assertEqual(self.status(client, "/metrics", "other.example")[0], 421)

    def test_one_of_two_names_is_not_enough(self):
        _, client = self.serve("--listen", RIEMANN)
        for hosts in (("localhost", "rebound.example"), ("rebound.example", "localhost"),
                      ("localhost", "localhost")):
            self.assertIn(self.status(client, "/metrics", *hosts)[0], (400, 421), hosts)

    def test_http_1_0_does_not_have_to_say_a_name(self):
        _, client = self.serve("--listen", RIEMANN)
        self.assertEqual(self.status(client, "/healthz", version="1.0")[0], 200)

    def test_http_1_1_without_a_name_is_a_bad_request(self):
        """Also with a name whose header has a continuation line, where the HTTP library reads
        another header."""
        _, client = self.serve("--listen", RIEMANN)
        self.assertEqual(self.status(client, "/metrics")[0], 400)
        self.assertEqual(self.status(client, "/metrics", "rebound.example\r\n x")[0], 400)

    def test_what_is_no_name_is_an_error(self):
        for written, why in (("a:80", '--metrics-host: "a:80" is not a host name'),
                             ("::1", '--metrics-host: "::1" is not a host name'),
                             ("10.0.0.1", '"10.0.0.1" is an address, which is always allowed')):
            self.assertIn(why, self.refused("--check", "--metrics-host", written, code=64))


class Events(StatusTest):
    def test_they_have_the_ledger_the_history_and_the_settings(self):
        out = self.folder / "out.json"
        program, client = self.serve("--listen", RIEMANN + "&receivers=2", "--sink", f"file:{out}")
        self.sender(program).send_all([metric(1)] * 40 + [b"\xff"] * 2)
        program.wait_for_settled(40)
        watcher, first = self.watch_well(client)
        self.assertIn("ring_full", first["words"]["refused"])
        listener, = first["settings"]["listeners"]
        self.assertEqual(listener["name"], program.names[0])
        found = {each["key"]: (each["value"], each["from"]) for each in listener["settings"]}
        self.assertEqual(found["receivers"], ("2", "command line"))
        self.assertEqual(found["gro"], ("off", "default"))
        self.assertEqual(found["schema"], ("riemann", "command line"))
        self.assertEqual(first["settings"]["sinks"][0]["name"], f"file:{out}")
        now = watcher.wait_for(lambda event: event["ledger"]["sinks"][0]["written"] == 40,
                               "all are written")
        ledger = program.ledger_now()
        for listener in ledger["listeners"] if WINDOWS else ():  # Windows does not count drops
            listener["kernel_drops"] = None
        for part in ("listeners", "sinks"):
            self.assertEqual(now["ledger"][part], ledger[part])
        self.assertEqual(now["health"]["status"], "ready")
        self.assertEqual(now["levels"]["listeners"][0]["sockets"], 1 if WINDOWS else 2)
        sender, = now["senders"]["listeners"][0]["senders"]
        self.assertEqual((sender["address"], sender["datagrams"]), ("127.0.0.1", 42))
        program.stop()

    def test_the_seconds_add_up_to_the_ledger(self):
        program, client = self.serve("--listen", RIEMANN)
        watcher, first = self.watch_well(client)
        self.sender(program).send_all([metric(1)] * 250)
        program.wait_for_settled(250)
        seconds = {}

        def note(block):
            for index, at in enumerate(block["at"]):
                seconds[at] = block["listeners"][1].get("received", [0] * len(block["at"]))[index]
        note(first["seconds"])

        def reached(event):
            note(event["second"])
            return event["ledger"]["sinks"][0]["written"] == 250
        now = watcher.wait_for(reached, "all are counted")
        self.assertEqual(sum(seconds.values()), 250)
        self.assertEqual(sum(now["minute"]["sinks"][1]["written"]), 250)
        # Later clients get the history, too.
        _, first = self.watch_well(client)
        self.assertEqual(sum(first["seconds"]["listeners"][1]["received"]), 250)
        program.stop()

    def test_what_senders_chose_is_a_string(self):
        program, client = self.serve("--listen", TELEMETRY)
        name = '</script><b onclick="x">\n\ndata: \u2028'
        watcher, _ = self.watch_well(client)
        sender = self.sender(program)
        for number in (1, 5000):  # the gap makes it a sender with losses
            sender.send(gauge("a", 1, sender=name, boot=1, sequence=number))
        now = watcher.wait_for(lambda event: event["senders"]["losers"], "it lost something")
        self.assertEqual(now["senders"]["losers"][0]["sender"], name)
        program.stop()

    @unittest.skipIf(b"\nhttp: none" in VERSION, "this program was built without http: sinks")
    def test_secrets_are_not_shown(self):
        program, client = self.serve("--listen", RIEMANN, "--sink",
                                     "http://127.0.0.1:9/x?format=influx&query=token=hush")
        _, first = self.watch_well(client)
        found = {each["key"]: each["value"]
                 for each in first["settings"]["sinks"][0]["settings"]}
        self.assertIsNone(found["query"])
        self.assertEqual(found["format"], "influx")
        self.assertNotIn("hush", str(first))
        program.ask_to_stop()

    @not_on_windows("its commands are those of a POSIX shell")
    def test_command_lines_are_shown_nowhere(self):
        """Commands may contain secrets: log, ledger, metrics and events must contain only the
        program's name."""
        file = self.folder / "c.yaml"

        def write(*lines):
            file.write_text("ledger: json\nmetrics: 0\n"
                            "listeners: ['udp://127.0.0.1:0?schema=riemann']\nsinks:\n" +
                            "".join(f"  - command:{line}\n" for line in lines), encoding="utf-8")
        first = "TOKEN=hush exec cat >/dev/null"
        second = "exec /bin/cat >/dev/null # hush"
        other = "sh -c 'exit 3' hush"  # its failure makes the log name this command
        write(first, second, other)
        program = self.start("--config", file)
        client = MetricsClient(program)
        watcher, first_event = self.watch_well(client)
        self.sender(program).send_all([metric(1)] * 10)
        program.wait_for_log("command:sh: ")
        names = ["command:cat", "command:cat#2", "command:sh"]
        _, now = watcher.next()
        self.assertEqual([each["name"] for each in now["ledger"]["sinks"]], names)
        self.assertEqual([each["name"] for each in now["levels"]["sinks"]], names)
        self.assertEqual([each["name"] for each in first_event["settings"]["sinks"]], names)
        for each in first_event["settings"]["sinks"]:
            self.assertEqual({"key": "to", "value": None},
                             {name: each["settings"][0][name] for name in ("key", "value")})
        # When one of two sinks with similar names is removed, the name of the other becomes that of
        # its program only.
        write(second)
        program.ask_to_reload()
        program.wait_for_log("reloaded")
        now = watcher.wait_for(lambda event: len(event["levels"]["sinks"]) == 1, "two go")
        self.assertEqual(now["levels"]["sinks"][0]["name"], "command:cat")
        said = [str(first_event), str(now), client.page(), client.ask("/healthz").text()]
        program.stop(code=74)  # 74, because one command read no input
        for text in [*said, *program.log()]:
            self.assertNotIn("hush", text)

    def test_a_reload_sends_the_settings_again(self):
        file = self.folder / "c.yaml"

        def write(window):
            file.write_text("metrics: 0\nlisteners:\n  - address: udp://127.0.0.1:0\n"
                            f"    schema: riemann\n    allow: {window}\n", encoding="utf-8")
        write("127.0.0.1")
        program = self.start("--config", file)
        client = MetricsClient(program)
        watcher, first = self.watch_well(client)

        def allowed(event):
            return next(each for each in event["settings"]["listeners"][0]["settings"]
                        if each["key"] == "allow")
        self.assertEqual(allowed(first), {"key": "allow", "value": "127.0.0.1",
                                          "from": f"{file}:5"})
        write("127.0.0.0/8")
        program.ask_to_reload()
        now = watcher.wait_for(lambda event: "settings" in event, "the settings come again")
        self.assertEqual(allowed(now)["value"], "127.0.0.0/8")
        program.stop()

    def test_who_comes_right_after_a_reload_gets_the_names_as_they_are(self):
        """A client that connects after a reload gets the new names of sinks and listeners, because
        the reload freed the previous ledger's names."""
        file = self.folder / "c.yaml"

        def write(interval):
            file.write_text("metrics: 0\nlisteners:\n  - udp://127.0.0.1:0?schema=telemetry\n"
                            "sinks:\n  - \"file:/dev/null?view=message\"\n"
                            f"  - \"file:{self.folder}/out.ndjson?flush_interval={interval}ms\"\n",
                            encoding="utf-8")
        write(1)
        program = self.start("--config", file)
        client = MetricsClient(program)
        self.watch_well(client)[0].next()  # then the server has read the ledger
        sinks = ["file:/dev/null", f"file:{self.folder}/out.ndjson"]
        for number in range(3):
            write(number + 2)
            program.ask_to_reload()
            program.wait_for_log("reloaded", number + 1)
            name, now = self.watch_well(client)[0].next()
            self.assertEqual(name, "now")
            self.assertEqual([(each["name"], each["schema"]) for each in now["ledger"]["listeners"]],
                             [(program.names[0], "telemetry")])
            for part in ("ledger", "levels"):
                names = [each["name"] for each in now[part]["sinks"]]
                self.assertEqual(list(dict.fromkeys(names)), sinks, part)
        program.stop()

    def test_a_stop_is_reported_and_ends_the_streams(self):
        program, client = self.serve("--listen", RIEMANN)
        watchers = [self.watch_well(client)[0] for _ in range(EVENT_CLIENTS)]
        program.stop()
        for watcher in watchers:
            self.assertTrue(watcher.ends())

    def test_they_begin_anew_with_another_start(self):
        program, client = self.serve("--listen", RIEMANN)
        _, first = self.watch_well(client)
        program.stop()
        program = self.start("--listen", RIEMANN, "--metrics", str(client.port))
        _, again = self.watch_well(MetricsClient(program))
        self.assertGreater(again["began"], first["began"])
        program.stop()


class Clients(StatusTest):
    def test_the_ninth_is_told_to_come_back_and_a_place_that_is_left_is_free(self):
        program, client = self.serve("--listen", RIEMANN)
        watchers = [self.watch_well(client)[0] for _ in range(EVENT_CLIENTS)]
        ninth = self.watch(client)
        status, headers = ninth.begin()
        self.assertEqual((status, headers["retry-after"]), (503, "5"))
        # The first eight clients, requests for other pages, and a single event are still served.
        once = client.ask("/events/once")
        self.assertEqual((once.status, once.headers["content-type"]), (200, "text/event-stream"))
        self.assertEqual(re.findall("event: ([a-z]+)", once.text())[:1], ["first"])
        self.assertEqual(client.ask("/metrics").status, 200)
        self.assertEqual(client.health()[0], 200)
        for watcher in watchers:
            watcher.wait_for(lambda _: True, "each gets its seconds")
        watchers[0].close()

        def granted():
            watcher = self.watch(client)
            status, _ = watcher.begin()
            if status != 200:
                watcher.close()
            return status == 200
        wait_until(granted, "the place is free again")
        program.stop()

    def test_who_does_not_read_is_given_up_and_holds_up_nobody(self):
        """Many sinks make events long. The unread data of a client must not exceed one or two
        events."""
        sinks = [word for number in range(40) for word in
                 ("--sink", f"file:{self.folder / str(number)}.json")]
        program, client = self.serve("--listen", RIEMANN, *sinks, "--stall-timeout",
                                     f"{STALL_TIMEOUT}s")
        reader, _ = self.watch_well(client)
        before = resident(program)
        deaf = [self.watch(client, receive_buffer=2048) for _ in range(EVENT_CLIENTS - 1)]
        for _ in range(4):
            reader.wait_for(lambda _: True, "a reading client gets each second")
        if not SANITIZED:  # a sanitizer uses memory itself
            self.assertLess(resident(program) - before, 4 << 20)
        self.sender(program).send_all([metric(1)] * 100)
        program.wait_for_settled(100)

        def granted():
            watcher = self.watch(client)
            status, _ = watcher.begin()
            watcher.close()
            return status == 200
        wait_until(granted, "the places of those who do not read are free again")
        for watcher in deaf:
            watcher.close()
        program.stop()

    def test_head_says_what_it_would_be_and_takes_no_place(self):
        _, client = self.serve("--listen", RIEMANN)
        for _ in range(2 * EVENT_CLIENTS):
            answer = client.ask("/events", "HEAD")
            self.assertEqual((answer.status, answer.headers["content-type"]),
                             (200, "text/event-stream"))
        self.watch_well(client)

    def test_nobody_has_to_look_for_the_hour_to_be_kept(self):
        program, client = self.serve("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)] * 10)
        program.wait_for_settled(10)
        program.wait_for_ledger(lambda ledger: ledger["uptime_seconds"] > 3.2, "seconds pass")
        _, first = self.watch_well(client)
        self.assertGreaterEqual(len(first["seconds"]["at"]), 3)
        self.assertEqual(sum(first["seconds"]["listeners"][1]["received"]), 10)
        program.stop()


def resident(program):
    """Bytes that the process holds in memory."""
    with open(f"/proc/{program.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    unittest.main()
