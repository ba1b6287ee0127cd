"""The status page in a headless Chromium: what it shows, and what it and its server refuse."""
import os
import re
import socket
import subprocess
import sys
import unittest

import axe
import troubles
from built import WINDOWS, command, not_on_windows, skip
from chromium import PROGRAM, REBOUND, Chromium
from event_client import EventClient
from http_store import CLOSE, NO_ANSWER, Store
from metrics_client import MetricsClient
from protobuf import gauge, metric
from sluice_program import (
    DEADLINE, DISK_FULL, RIEMANN, SLUICE, TELEMETRY, ProgramTest, settled, wait_until)

if PROGRAM is None:
    skip("chromium is not installed")
VERSION = subprocess.run(command(SLUICE, "--version"), capture_output=True, timeout=DEADLINE,
                         check=True).stdout
if b"\nmetrics: none" in VERSION:
    skip("this program was built without metrics")

needs_http = unittest.skipIf(b"\nhttp: none" in VERSION,
                             "this program was built without http: sinks")
NO_SLEEP = "no command there waits without reading its input"
SIZES = tuple(troubles.HEIGHTS.items())
VIEWS = ("#/", "#/listener/0", "#/sink/1", "#/program", "#/senders", "#/word/ring_full")
VIEWERS = 8  # maximum
HISTORIES = 64  # most listeners with histories; also the most sinks
RATE, FEW = 20000, 500  # datagrams a second
NO_NUMBER = r"NaN|undefined|null|Infinity|\{\}"  # text that may appear in place of a missing number
SHOWN = "document.documentElement?.dataset.at"
STATE = "document.getElementById('state-word')?.textContent"

# The tables of the first view: for each row, its name and its cells with numbers.
TABLES = """[...document.querySelectorAll('section > .card table.rows')].map(table =>
    [...table.tBodies[0].rows].map(row => Object.fromEntries([...row.cells].map((cell, at) =>
        [at === 0 ? 'name' : cell.dataset.label, cell.textContent]))))"""
TERMS = """Object.fromEntries([...document.querySelectorAll('[data-term]')].map(cell =>
    [cell.dataset.term, cell.textContent]))"""


def number(text):
    return int(text.replace(",", ""))


def lost_before(listener, words):
    """A listener's losses as the page defines them: reasons without a remedy are not losses."""
    return (listener["kernel_drops"] or 0) + sum(
        count for reason, count in listener["reasons"].items() if words[reason]["remedy"])


def lost_after(sink):
    return (sum(sink["refused"].values()) + sink["evicted"] + sum(sink["failed"].values()) +
            sink["unknown"])


class PageTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def serve(self, *arguments, at="0", listeners=1):
        program = self.start(*arguments, "--metrics", at, listeners=listeners)
        return program, MetricsClient(program)

    def open(self, client, view="#/", **how):
        page = self.browser.open(f"http://127.0.0.1:{client.port}/{view}", **how)
        self.addCleanup(page.close)
        page.wait_for(SHOWN, "the page shows something")
        return page

    def load(self, program, listener, rate, *arguments):
        """Sends while the test runs. Returns a function that stops sending."""
        process = subprocess.Popen(
            command(os.environ["TEST_SEND"], "--to", f"udp://127.0.0.1:{program.port(listener)}",
                    "--rate", str(rate // 2), "--duration", "10m", *arguments),
            stderr=subprocess.DEVNULL)

        def end():
            process.terminate()
            process.wait()
        self.addCleanup(end)
        return end

    def lossy(self, rate=RATE):
        """A collector at a rate at which it loses records before and, except on Windows, after it
        decodes them."""
        program, client = self.serve(
            "--listen", RIEMANN + "&receive_buffer=16KiB", "--listen", TELEMETRY,
            "--sink", f"file:{self.folder / 'out.json'}",
            *(() if WINDOWS else ("--sink", "command:exec sleep 1000?format=csv")),
            "--stop-timeout", "100ms", listeners=2)
        self.addCleanup(program.process.wait, DEADLINE)
        self.addCleanup(program.ask_to_stop)  # the stop also ends the command
        ends = [self.load(program, 0, rate, "--schema", "riemann", "--malformed", "3%"),
                self.load(program, 1, rate, "--schema", "telemetry", "--sources", "4")]
        return program, client, ends


class Numbers(PageTest):
    def assert_shown(self, tables, ledger):
        """Asserts that the tables of the first view have the ledger's numbers."""
        listeners, sinks = ({row["name"]: row for row in table} for table in tables[:2])
        self.assertEqual((len(listeners), len(sinks)),
                         (len(ledger["listeners"]), len(ledger["sinks"])))
        for counted in ledger["listeners"]:
            shown = listeners[counted["name"]]
            self.assertEqual((shown["name"], shown["Schema"], number(shown["Received"]),
                              number(shown["Decoded"]), number(shown["Lost"])),
                             (counted["name"], counted["schema"], counted["received"],
                              counted["decoded"], lost_before(counted, self.words)))
        for counted in ledger["sinks"]:
            shown = sinks[counted["name"]]
            self.assertEqual((shown["name"], number(shown["Offered"]), number(shown["Written"]),
                              number(shown["Lost"])),
                             (counted["name"], counted["offered"], counted["written"],
                              lost_after(counted)))

    def listen(self, page):
        """Makes the page keep the events in `window.last`."""
        page.evaluate("""window.last = window.words = null;
            const extra = new EventSource('/events');
            extra.addEventListener('first', event => {
                window.words = JSON.parse(event.data).words;
            });
            extra.addEventListener('now', event => {
                window.last = JSON.parse(event.data);
            });""")
        self.words = page.wait_for("window.words", "the words come")["reasons"]

    @staticmethod
    def still(program):
        """The ledger that the program prints when its counts do not change any more."""
        ledgers = [None]

        def same():
            ledgers.append(program.ledger_now())
            return ledgers[-2] is not None and all(
                ledgers[-2][part] == ledgers[-1][part] for part in ("listeners", "sinks"))
        wait_until(same, "nothing moves")
        return ledgers[-1]

    def same_second(self, page, condition, what):
        """The event and the page's content in one second in which the condition is met."""
        return page.wait_for(f"window.last?.at === Number({SHOWN}) && ({condition}) && "
                             f"[window.last.ledger, {TABLES}, window.seen = window.last.at]", what)

    @not_on_windows(NO_SLEEP)
    def test_it_shows_the_ledger_while_much_comes_and_some_is_lost(self):
        program, client, ends = self.lossy()
        page = self.open(client)
        self.listen(page)
        for _ in range(5):
            ledger, tables, _ = self.same_second(page, "window.last.at !== window.seen",
                                                 "a second is shown")
            self.assert_shown(tables, ledger)
        page.wait_for("window.last.ledger.listeners[0].reasons.malformed > 0 && "
                      "Object.values(window.last.ledger.sinks[1].refused).some(count => count > 0)",
                      "some is lost before and some after it is decoded")
        for end in ends:
            end()
        # When the counts do not change any more, the page must have the ledger that the program
        # prints.
        ledger = self.still(program)
        self.assertGreater(sum(each["received"] for each in ledger["listeners"]), RATE)
        sent, tables, _ = self.same_second(
            page, "window.last.ledger.listeners[0].kernel_drops === "
            f"{ledger['listeners'][0]['kernel_drops']} && window.last.ledger.sinks[0].written === "
            f"{ledger['sinks'][0]['written']}", "the page has the last of it")
        for part in ("listeners", "sinks"):
            self.assertEqual(sent[part], ledger[part])
        self.assert_shown(tables, ledger)
        self.assertEqual(page.complaints(), [])
        print(f"shown as counted: {[each['received'] for each in ledger['listeners']]} received, "
              f"{[lost_before(each, self.words) for each in ledger['listeners']]} and "
              f"{[lost_after(each) for each in ledger['sinks']]} lost", file=sys.stderr)

    def test_what_has_no_history_has_its_rates_and_its_losses(self):
        """There are more listeners than histories. Each sink has one."""
        listeners, sinks = HISTORIES + 2, 12
        program, client = self.serve(
            *["--listen", TELEMETRY] * (listeners - 1), "--listen", RIEMANN,
            *[word for index in range(sinks)
              for word in ("--sink", f"file:{self.folder / f'{index}.json'}")],
            listeners=listeners)
        page = self.open(client)
        self.load(program, listeners - 1, FEW, "--schema", "riemann", "--malformed", "50%")
        row = f"{TABLES}[0][0]"
        page.wait_for(f"{row}.name === '{program.names[-1]}' && {row}['Received/s'] > 100 && "
                      f"{row}['State'].startsWith('losing ')",
                      "the last listener is the first row, has its rate and is losing")
        page.wait_for(f"{TABLES}[1].every(row => row['Written/s'] > 50)", "each sink has its rate")
        self.assertEqual(page.evaluate(f"{TABLES}[0][1]['State']"), "ok")
        texts = "[...document.querySelectorAll('.graph .none')].map(text => text.textContent)"
        for view, has_history in ((f"listener/{listeners - 1}", False), ("listener/0", True),
                                  (f"sink/{sinks - 1}", True)):
            page.evaluate(f"location.hash = '#/{view}'")
            page.wait_for(f"document.querySelector('.head') && ({texts}).includes("
                          f"'no room for its history') === {str(not has_history).lower()}",
                          f"{view}: whether there is a history")

    def test_a_listener_and_a_sink_have_a_view_with_every_term(self):
        out = self.folder / "out.json"
        program, client = self.serve("--listen", RIEMANN + "&receivers=2", "--sink", f"file:{out}")
        self.sender(program).send_all([metric(1)] * 123 + [b"\xff"] * 4)
        program.wait_for_settled(123)
        page = self.open(client)
        page.evaluate("document.querySelector('table.rows a').click()")
        page.wait_for("document.querySelector('[data-term=received]')?.textContent === '127'",
                      "all are counted")
        terms = page.evaluate(TERMS)
        ledger = program.ledger_now()
        for term, shown in terms.items():
            group, _, reason = term.partition(".")
            counted = ledger["listeners"][0][group]
            if term == "kernel_drops" and WINDOWS:  # Windows does not count kernel drops
                self.assertEqual(shown, "unknown")
            else:
                self.assertEqual(number(shown), counted[reason] if reason else counted, term)
        self.assertEqual(terms["reasons.malformed"], "4")
        text = page.evaluate("document.getElementById('view').innerText")
        self.assertIn("received 127 = decoded 123 + malformed 4", text)
        self.assertRegex(text, r"receivers\s+2\s+command line")
        self.assertRegex(text, r"gro\s+off\s+default")
        page.evaluate("location.hash = '#/sink/0'")
        page.wait_for("document.querySelector('[data-term=written]')?.textContent === '123'",
                      "all are written")
        text = page.evaluate("document.getElementById('view').innerText")
        self.assertIn("queued 123 = written 123 + in flight 0", text)
        self.assertRegex(text, r"format\s+json\s+default")
        self.assertEqual(page.complaints(), [])

    def assert_delivery(self, page, view, sink, terms):
        """Asserts that the view of a sink has the ledger's numbers of these terms, and their sum.
        """
        page.evaluate(f"location.hash = '{view}'")
        shown = "window.shown = [" + ",".join(
            f"document.querySelector('[data-term={term}]')?.textContent" for term in terms) + "]"
        page.wait_for(f"({shown})[0] === '{sink[terms[0]]:,}'", f"{terms[0]} is shown")
        self.assertEqual([number(text) for text in page.evaluate("window.shown")],
                         [sink[term] for term in terms])
        text = page.evaluate("document.getElementById('view').innerText")
        for term in terms:
            self.assertIn(f"{term.replace('_', ' ')} {sink[term]:,}", text)

    @needs_http
    def test_a_delivery_shows_what_is_in_flight_unknown_and_spilled(self):
        stores = Store(), Store(CLOSE)  # the first event of that second is not displayed
        for store in stores:
            self.addCleanup(store.close)
            store.otherwise = NO_ANSWER
        keys = "format=json&in_flight=1&timeout=10m"
        program, client = self.serve(
            "--listen", TELEMETRY, "--stop-timeout", "100ms",
            "--sink", f"http:{stores[0].place}?{keys}&spill={self.folder / 'spill'}",
            "--sink", f"http:{stores[1].place}?{keys}&retry=at_most_once")
        self.addCleanup(program.process.wait, DEADLINE)
        self.addCleanup(program.ask_to_stop)
        sender = self.sender(program)
        sender.send(gauge("v", 0.0))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][1]["unknown"] == 1, "one is unknown")
        sender.send_all([gauge("v", float(value)) for value in range(1, 5001)], before=1)
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["spilled"] > 0, "some spill")
        page = self.open(client)
        spilling, other = self.still(program)["sinks"]
        self.assertEqual((other["unknown"], other["written"], spilling["written"]), (1, 0, 0))
        for sink in (spilling, other):
            self.assertGreater(sink["in_flight"], 0)
            self.assertEqual(sink["queued"], sink["unknown"] + sink["spilled"] + sink["in_flight"])
        self.assert_delivery(page, "#/sink/0", spilling, ("spilled", "in_flight", "queued"))
        self.assert_delivery(page, "#/sink/1", other, ("unknown", "in_flight", "queued"))
        page.evaluate("location.hash = '#/'")
        for title in ("Output", "In flight"):
            page.wait_for("[...document.querySelectorAll('h3')].some(title => "
                          f"title.textContent.includes('{title}'))", f"{title} has a graph")
        self.assertEqual(page.complaints(), [])

    @needs_http
    def test_the_error_of_an_outage_stays_when_it_is_over(self):
        store = Store(503, 503)
        self.addCleanup(store.close)
        program, client = self.serve("--listen", RIEMANN, "--sink", f"http:{store.place}?format=json")
        page = self.open(client, "#/sink/0")
        facts = "document.getElementById('view').innerText"
        self.assertNotIn("last error", page.evaluate(facts))
        self.sender(program).send(metric(1))
        program.wait_for_ledger(lambda ledger: ledger["sinks"][0]["written"] == 1, "it is written")
        page.wait_for(f"/last error\\s.*503.*; over since \\d\\d:\\d\\d:\\d\\d, after \\d+ s/"
                      f".test({facts})", "it is over")

    def test_senders_are_ordered_by_their_losses(self):
        program, client = self.serve("--listen", TELEMETRY)
        # each larger than the window in which late numbers may arrive
        gaps = {"some": 4000, "most": 5000, "few": 3000, "none": 0}
        addresses = {}  # the last one is also the busiest
        for at, (name, gap) in enumerate(gaps.items()):
            addresses[name] = f"127.0.0.{at + 2}"
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((addresses[name], 0))
                for number in (1, 2 + gap) if gap != 0 else range(1, 101):
                    sender.sendto(gauge("v", 1.0, sender=name, boot=1, sequence=number),
                                  ("127.0.0.1", program.port(0)))
        program.wait_for_received(2 * 3 + 100)
        page = self.open(client, "#/senders")
        shown = """[...document.querySelectorAll('.card table.rows')].map(table =>
            [...table.tBodies[0].rows].map(row => row.cells[0].textContent))"""
        page.wait_for(f"{shown}[0]?.length === 4 && {shown}[1]?.length === 3", "all are known")
        everyone, losers = page.evaluate(shown)
        worst = ["most", "some", "few"]
        self.assertEqual(losers, worst)
        self.assertEqual(everyone[:3], [addresses[name] for name in worst])
        page.evaluate("location.hash = '#/'")
        page.wait_for(f"{shown}.at(-1)?.length === 3", "the first view has them, too")
        self.assertEqual(page.evaluate(shown)[-1], worst)

    def test_health_is_shown_with_its_reasons(self):
        program, client = self.serve("--listen", RIEMANN, "--sink", "file:/dev/full",
                                     "--stop-timeout", "100ms")
        page = self.open(client)
        page.wait_for(f"{STATE} === 'ready'", "it is ready")
        host = socket.gethostname()
        self.assertEqual(page.evaluate("document.title"), f"Sluice: overview · {host}")
        self.sender(program).send(metric(1))
        page.wait_for(f"{STATE} === 'degraded'", "it is degraded")
        text = page.evaluate("document.querySelector('.reasons').innerText")
        self.assertIn("sink_fails", text)
        self.assertIn("file:/dev/full", text)
        self.assertRegex(text, DISK_FULL)
        page.wait_for(f"document.title === 'degraded · Sluice: overview · {host}'", "the title too")
        icon = page.evaluate("document.getElementById('icon').getAttribute('href')")
        self.assertEqual(icon, "/page/icon-warn.svg")
        self.assertEqual(client.ask(icon).status, 200)
        page.evaluate("document.querySelector('.reasons a.word').click()")
        page.wait_for("document.querySelectorAll('#view .card p').length >= 2", "a word's meaning")
        explained = subprocess.run(command(SLUICE, "explain", "sink_fails"), capture_output=True,
                                   timeout=DEADLINE, check=True).stdout.decode()
        for sentence in page.evaluate(
                "[...document.querySelectorAll('#view .card p')].map(each => each.textContent)"):
            self.assertIn(sentence, " ".join(explained.split()))
        program.stop(code=74)


@not_on_windows(NO_SLEEP)
class Troubles(PageTest):
    """Twenty listeners and ten sinks, of which five lose records, fail or wait."""

    LINES = "[...document.querySelectorAll('.need li')]"

    def setUp(self):
        super().setUp()
        listeners = troubles.QUIET_LISTENERS + len(troubles.LISTENERS)
        self.program, self.client = self.serve(*troubles.arguments(self.folder),
                                               listeners=listeners)
        self.addCleanup(self.program.process.wait, DEADLINE)
        self.addCleanup(self.program.ask_to_stop)
        for arguments in troubles.senders([self.program.port(at) for at in range(listeners)]):
            process = subprocess.Popen([os.environ["TEST_SEND"], *arguments],
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.terminate)
        ledger = self.program.ledger_now()
        self.sinks = [sink["name"] for sink in ledger["sinks"][troubles.QUIET_SINKS:]]
        self.losing = set(self.program.names[troubles.QUIET_LISTENERS:] + self.sinks)

    def assert_first(self, page, width):
        """Asserts that all listeners and sinks with losses are on the first screen: above the
        tables, and in their first rows."""
        shown = page.evaluate(f"""{self.LINES}.map(line => {{
            const box = line.firstChild.getBoundingClientRect();
            return [line.firstChild.textContent, box.top >= 0 && box.bottom <= innerHeight];
        }})""")
        self.assertEqual({name for name, is_visible in shown if is_visible}, self.losing, width)
        listeners, sinks = page.evaluate(TABLES)[:2]
        self.assertEqual({row["name"] for row in (*listeners[:2], *sinks[:3])}, self.losing)
        tops = page.evaluate("""['.reasons', '.need', 'table.rows', '.graphs'].map(each =>
            document.querySelector(each).getBoundingClientRect().top)""")
        self.assertEqual(tops, sorted(tops), width)

    def assert_legends(self, page, width):
        """Asserts that the graphs by sink have the worst ones, and that the end of each name is
        visible."""
        legends = page.evaluate("""['Written', 'Queue fill'].map(title => {
            const graph = [...document.querySelectorAll('.graph')].find(each =>
                each.querySelector('h3').textContent.startsWith(title));
            return [...graph.querySelectorAll('dt')].map(each => [each.textContent,
                each.getBoundingClientRect().right -
                each.firstChild.lastChild.getBoundingClientRect().right]);
        })""")
        for legend in legends:
            self.assertEqual({name for name, _ in legend[:3]}, set(self.sinks), width)
            self.assertEqual(len(legend), 5)
            for name, room in legend:
                self.assertGreater(room, -2, (name, width))

    def test_what_loses_is_first_and_axe_core_finds_nothing_at_each_width(self):
        script, why = axe.source()
        for width, height in SIZES:
            page = self.open(self.client, width=width, height=height)
            page.wait_for(f"{self.LINES}.length === {len(self.losing)}", "all losses are known")
            page.wait_for(f"{TABLES}[1].find(row => row.name === '{self.sinks[2]}')['Queue fill'] "
                          "=== '100 %'", "the queue of a command that reads no input is full")
            self.assert_first(page, width)
            self.assert_legends(page, width)
            self.assertNotRegex(page.evaluate("document.body.innerText"), NO_NUMBER)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            for scheme in ("light", "dark") if script is not None else ():
                page.scheme(scheme)
                self.assertEqual(axe.violations(page, script), [], (width, scheme))
        if script is None:
            self.skipTest(why)

    def test_a_delivery_has_its_error_its_oldest_record_and_its_spill(self):
        page = self.open(self.client, f"#/sink/{troubles.QUIET_SINKS}")
        text = "document.getElementById('view').innerText"
        page.wait_for(f"/oldest record\\s+waits for its answer for \\d/.test({text}) && "
                      f"/spill\\s+[\\d.]+ .?i?B of 64 MiB/.test({text})", "it waits and spills")
        self.assertRegex(page.evaluate(text),
                         r"destination\s+failing for \d+ s, since \d\d:\d\d:\d\d: .*connect")
        self.assertEqual(page.evaluate("""import('/page/model.js').then(({Model}) => {
            const model = new Model();
            const left = (at, bytes) => {
                model.now = {at, levels: {sinks: [{name: 'a', spill_bytes: bytes}]}};
                model.noteSpills(model.now);
                return model.secondsUntilFull({name: 'a', spill_bytes: bytes,
                    spill_limit_bytes: 10000});
            };
            return [left(0, 1000), left(9000, 2000), left(20000, 3000), left(30000, 1000)];
        })"""), [None, None, 70, None])

    def test_senders_are_a_table_with_the_worst_first_and_a_filter(self):
        page = self.open(self.client)
        page.evaluate("document.querySelector('footer a[href=\"#/senders\"]').click()")
        rows = "[...document.querySelectorAll('.card table.rows')].map(each => " \
            "[...each.tBodies[0].rows].map(row => row.innerText))"
        page.wait_for(f"location.hash === '#/senders' && {rows}[0]?.length === 3 && "
                      f"{rows}[0][0].includes('{self.program.names[-1]}')", "the worst is first")
        page.evaluate("""document.querySelector('.filter input').value = 'SLUICE-send/';
            document.querySelector('.filter input').dispatchEvent(new Event('input'))""")
        first, second = page.evaluate(rows)
        self.assertEqual((len(first), len(second) > 0), (0, True))
        self.assertEqual(page.evaluate("document.querySelector('a[href=\"/sources\"]')?.textContent"),
                         "/sources")
        self.assertEqual(page.complaints(), [])


class Strangers(PageTest):
    def test_what_senders_chose_is_text(self):
        program, client = self.serve("--listen", TELEMETRY)
        name = '<img src=x onerror="window.harm=1">'
        sender = self.sender(program)
        for sequence in (1, 5000):
            sender.send(gauge("a", 1, sender=name, boot=1, sequence=sequence))
        page = self.open(client)
        page.wait_for("document.body.innerText.includes('onerror=')", "the sender is shown")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('td, th')].filter(cell => "
                                       f"cell.textContent === {name!r}).length"), 1)
        self.assertEqual(page.evaluate("document.querySelectorAll('#view img, #view b:empty, "
                                       "#view script').length"), 0)
        self.assertIsNone(page.evaluate("window.harm ?? null"))
        self.assertEqual(page.complaints(), [])

    def test_it_asks_nobody_else_and_runs_nothing_else(self):
        _, client = self.serve("--listen", RIEMANN)
        page = self.open(client)
        for url in page.asked_for():
            self.assertTrue(url.startswith(f"http://127.0.0.1:{client.port}/"), url)
        page.evaluate("""document.body.append(Object.assign(document.createElement('script'),
            {textContent: 'window.harm = 1'}))""")
        self.assertIsNone(page.evaluate("window.harm ?? null"))

    def test_a_name_that_was_rebound_gets_nothing(self):
        _, client = self.serve("--listen", RIEMANN)
        page = self.browser.open(f"http://localhost:{client.port}/")
        self.addCleanup(page.close)
        page.wait_for(SHOWN, "localhost is allowed")
        page = self.browser.open(f"http://{REBOUND}:{client.port}/")
        self.addCleanup(page.close)
        page.wait_for("document.body?.innerText.includes('--metrics-host NAME')", "it is refused")


class Connection(PageTest):
    def test_it_goes_on_after_a_restart(self):
        program, client = self.serve("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)] * 50)
        page = self.open(client)
        page.wait_for("document.querySelector('td[data-label=Received]')?.textContent === '50'",
                      "all are counted")
        program.stop()
        page.wait_for(f"{STATE} === 'no connection'", "it is missed")
        program, _ = self.serve("--listen", RIEMANN, at=str(client.port))
        self.sender(program).send_all([metric(1)] * 7)
        page.wait_for("document.querySelector('td[data-label=Received]')?.textContent === '7'",
                      "the new one is shown")
        page.wait_for(f"{STATE} === 'ready'", "it is ready")
        program.stop()


    def test_the_ninth_viewer_gets_numbers_less_often(self):
        program, client = self.serve("--listen", RIEMANN)
        watchers = [EventClient(client.host, client.port) for _ in range(VIEWERS)]
        for watcher in watchers:
            self.addCleanup(watcher.close)
            self.assertEqual(watcher.begin()[0], 200)
        self.sender(program).send_all([metric(1)] * 9)
        program.wait_for_settled(9)
        # The page waits for 10 s, which is shortened to 1 s here.
        page = self.open(client, script="const later = setTimeout; window.setTimeout = "
                         "(what, pause) => later(what, pause === 10000 ? 1000 : pause);")
        notice = "document.getElementById('notice').checkVisibility()"
        self.assertTrue(page.evaluate(notice))
        self.assertIn("Too many viewers (8).",
                      page.evaluate("document.getElementById('notice').textContent"))
        page.wait_for("document.querySelector('td[data-label=Received]')?.textContent === '9'",
                      "it has the numbers")
        self.assertEqual(page.evaluate(STATE), "ready")
        before = page.evaluate(SHOWN)
        page.wait_for(f"{SHOWN} !== '{before}'", "it has later numbers")
        watchers[0].close()
        page.wait_for(f"!{notice}", "it gets the place that is free")


class Readers(PageTest):
    # Legitimate causes of a movement: more reasons than before, or other rows in front.
    ROOM = """['.reasons', ':has(> .need)'].map(each =>
        document.querySelector(each).style.minHeight) + ' ' +
        [...document.querySelectorAll('tbody th')].map(each => each.textContent)"""

    def is_still(self, page):
        """Returns true if the page keeps its height for three seconds, and no element moves."""
        before = page.evaluate(self.ROOM)
        page.evaluate("""window.moved = 0; window.observer?.disconnect();
            window.observer = new PerformanceObserver(list => {
                for (const entry of list.getEntries()) window.moved += entry.value;
            });
            window.observer.observe({type: 'layout-shift'})""")
        at = int(page.evaluate(SHOWN))
        page.wait_for(f"Number({SHOWN}) >= {at + 3000}", "three seconds pass")
        moved = page.evaluate("window.moved")
        if page.evaluate(self.ROOM) != before:
            return False
        self.assertLess(moved, 0.02)
        return True

    def test_it_fits_each_width_and_does_not_move(self):
        program, client, _ = self.lossy(FEW)
        for view in VIEWS:
            for width, height in SIZES:
                page = self.browser.open(f"http://127.0.0.1:{client.port}/{view}", width=width,
                                         height=height)
                page.wait_for(SHOWN, "the page shows something")
                self.assertEqual(page.evaluate("innerWidth"), width, view)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width,
                                     (view, width))
                if view == "#/":
                    wait_until(lambda page=page: self.is_still(page),
                               f"three seconds without a movement, at a width of {width}")
                page.close()
        self.assertGreater(settled(program.ledger_now()["sinks"][0]), 0)

    def test_the_keyboard_reaches_all_and_reads_graphs(self):
        program, client = self.serve("--listen", RIEMANN)
        self.sender(program).send_all([metric(1)] * 20)
        page = self.open(client)
        page.wait_for("document.querySelector('td[data-label=Received]')?.textContent === '20'",
                      "all are counted")
        reached = []
        for _ in range(20):
            page.press("Tab")
            reached.append(page.evaluate(
                "document.activeElement.getAttribute('aria-label') ?? "
                "document.activeElement.textContent ?? ''"))
        self.assertIn("Skip to the numbers", reached[0])
        self.assertTrue(any("Received, datagrams/s" in each for each in reached), reached)
        self.assertIn(program.names[0], reached)
        page.evaluate("document.querySelector('.plot').focus()")
        before = page.evaluate("document.activeElement.getAttribute('aria-valuenow')")
        page.press("ArrowLeft")
        now, said = page.evaluate("['aria-valuenow', 'aria-valuetext'].map(name => "
                                  "document.activeElement.getAttribute(name))")
        self.assertLess(int(now), int(before) + 1)
        self.assertRegex(said, r"^\d\d:\d\d:\d\d: received [\d.]+( k)?, decoded ")

    def test_axe_core_finds_nothing(self):
        script, why = axe.source()
        if script is None:
            self.skipTest(why)
        _, client, _ = self.lossy(FEW)
        for view in VIEWS:
            for scheme, (width, height) in (("light", SIZES[0]), ("dark", SIZES[2])):
                page = self.browser.open(f"http://127.0.0.1:{client.port}/{view}", width=width,
                                         height=height, scheme=scheme)
                page.wait_for(SHOWN, "the page shows something")
                found = axe.violations(page, script)
                self.assertNotRegex(page.evaluate("document.body.innerText"), NO_NUMBER)
                page.close()
                self.assertEqual(found, [], (view, scheme, width))

    def test_it_weighs_little(self):
        _, client = self.serve("--listen", RIEMANN)
        page = client.ask("/", **{"Accept-Encoding": "gzip"})
        weight = len(page.body) + sum(
            len(client.ask(f"/page/{name}", **{"Accept-Encoding": "gzip"}).body) for name in
            ("style.css", "icon.svg", *self.scripts(client, "main.js", set())))
        self.assertLess(weight, 100 * 1024)
        print(f"the page weighs {weight} bytes, compressed", file=sys.stderr)

    def scripts(self, client, name, found):
        if name not in found:
            found.add(name)
            for other in re.findall(r'from "\./(\w+\.js)"', client.ask(f"/page/{name}").text()):
                self.scripts(client, other, found)
        return found


if __name__ == "__main__":
    unittest.main()
