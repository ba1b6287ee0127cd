"""max_series= and max_age= of sinks: a sender that makes new series all the time, or that has a
wrong clock, must not affect other senders. All samples are written or counted."""
import json
import os
import socket
import unittest

from built import WINDOWS
from capture_writing import FIRST_CAPTURED, HEADER, record
from control_client import ControlClient
from format_reading import read_influx
from http_store import Store
from metrics_client import MetricsClient
from protobuf import gauge, sample, telemetry
from sluice_program import (BURST, TELEMETRY, ProgramTest, parse_lines, same_with_one_thread,
                            settled)
from test_config import READS_FILES, SENDS_HTTP
from test_resident import SERVES, resident

GOOD, BAD = 1, 2  # hosts of a capture


def named(name, **labels):
    return telemetry(sample(name, double=1.0, labels=list(labels.items())))


def bad(number):
    """A new series of a sender that puts a number into a label."""
    return named("requests", host="bad", id=f"{number}")


def good(number, series=10):
    """A sample of another sender, which has a few series."""
    return named("cpu", host="good", core=f"{number % series}")


class SeriesTest(ProgramTest):
    def capture(self, *datagrams):
        """A capture with these datagrams: (second, host, datagram)."""
        path = self.folder / "sent.pcap"
        with open(path, "wb") as file:
            file.write(HEADER)
            for second, host, data in datagrams:
                file.write(record(second, data, host=host))
        return f"pcap:{path}?schema=telemetry"

    def written(self, keys, *datagrams, form="json"):
        """The output of a sink with these keys for a capture, and its counts."""
        path = self.folder / "out"
        path.unlink(missing_ok=True)
        program, ledger = self.run_to_end("--listen", self.capture(*datagrams), "--sink",
                                          f"file:{path}?format={form}&{keys}")
        self.said = program.log()
        data = path.read_bytes()
        return (parse_lines(data) if form == "json" else data), ledger["sinks"][0]

    def assert_counts(self, sink, **expected):
        self.assertEqual({name: sink[name] for name in expected}, expected)


# --- series ---------------------------------------------------------------------------------------

class Limited(SeriesTest):
    MIXED = [(0, host, data) for number in range(1000)
             for host, data in ((GOOD, good(number)), (BAD, bad(number)))]

    def test_known_series_go_on_and_new_ones_are_left_out(self):
        lines, sink = self.written("max_series=50", *self.MIXED)
        self.assert_counts(sink, queued=2000, written=1040, filtered=960, samples=1040,
                           series_refused=960)
        of_good = [line for line in lines if line["labels"]["host"] == "good"]
        self.assertEqual([line["labels"]["core"] for line in of_good],
                         [f"{number % 10}" for number in range(1000)])
        self.assertEqual([line["labels"]["id"] for line in lines if line not in of_good],
                         [f"{number}" for number in range(40)])

    def test_a_sender_has_its_share_however_many_series_another_one_makes_before(self):
        flood = [(0, BAD, bad(number)) for number in range(1000)]
        after = [(0, GOOD, good(number)) for number in range(100)]
        _, without = self.written("max_series=50", *flood, *after)
        lines, sink = self.written("max_series=50&max_series_per_sender=25", *flood, *after)
        self.assert_counts(without, samples=50, series_refused=1050)
        self.assert_counts(sink, samples=125, series_refused=975)
        self.assertEqual(sum(line["labels"]["host"] == "good" for line in lines), 100)

    def test_the_samples_of_a_record_are_taken_one_by_one(self):
        both = telemetry(sample("known", double=1.0), sample("new", double=2.0),
                         sample("known", double=3.0))
        lines, sink = self.written("max_series=1", (0, GOOD, gauge("known", 0)), (0, GOOD, both),
                                   (0, GOOD, gauge("new", 4)))
        self.assertEqual([line["value"] for line in lines], [0, 1, 3])
        self.assert_counts(sink, written=2, filtered=1, samples=3, series_refused=2)

    def test_an_idle_series_makes_room(self):
        keys = "max_series=1&series_timeout=60s"
        lines, sink = self.written(keys, (0, GOOD, gauge("a", 0)), (60, GOOD, gauge("b", 1)),
                                   (61, GOOD, gauge("b", 2)), (62, GOOD, gauge("a", 3)))
        self.assertEqual([line["value"] for line in lines], [0, 2])
        self.assert_counts(sink, series_refused=2)

    def test_files_that_are_split_by_a_value_have_one_limit(self):
        folder = self.folder / "split"
        folder.mkdir()
        _, ledger = self.run_to_end(
            "--listen", self.capture(*[(0, host, gauge(f"s{host}", 1)) for host in range(1, 9)]),
            "--sink", f"file:{folder}/%{{source}}.ndjson?max_series=5")
        self.assertEqual(len(list(folder.iterdir())), 5)
        self.assert_counts(ledger["sinks"][0], samples=5, series_refused=3)

    def test_each_sink_has_its_own_series(self):
        paths = [self.folder / "one", self.folder / "two", self.folder / "all"]
        _, ledger = self.run_to_end(
            "--listen", self.capture(*[(0, GOOD, gauge(f"s{number}", 1)) for number in range(9)]),
            "--sink", f"file:{paths[0]}?max_series=3", "--sink", f"file:{paths[1]}?max_series=4",
            "--sink", f"file:{paths[2]}")
        self.assertEqual([sink["series_refused"] for sink in ledger["sinks"]], [6, 5, 0])
        self.assertEqual([len(path.read_bytes().splitlines()) for path in paths], [3, 4, 9])

    def test_the_log_names_the_sender_and_the_label(self):
        self.written("max_series=50", *self.MIXED)
        self.assertRegex("\n".join(self.said), r"warning: file:\S+/out: samples of new series were "
                         r"left out: 1 so far; 50 of 50 series \(max_series=\) are known; most are "
                         r"from 10\.0\.0\.2 \(1\); the label with the most values is id \(\d+\); see "
                         r"sluice explain series_refused")

    def test_a_record_of_which_nothing_is_left_is_not_called_a_wrong_schema(self):
        self.written("max_series=1", *[(0, GOOD, gauge(f"s{number}", 1)) for number in range(50)])
        self.assertEqual(len(self.said), 1, self.said)


# --- options --------------------------------------------------------------------------------------

class Defaults(SeriesTest):
    def test_a_default_is_for_the_sinks_that_write_samples_and_have_no_limit(self):
        paths = [self.folder / name for name in ("default", "own", "messages")]
        _, ledger = self.run_to_end(
            "--listen", self.capture(*[(0, GOOD, gauge(f"s{number}", 1)) for number in range(9)]),
            "--sink", f"file:{paths[0]}", "--sink", f"file:{paths[1]}?max_series=7",
            "--sink", f"file:{paths[2]}?view=message", "--max-series", "4")
        self.assertEqual([sink["series_refused"] for sink in ledger["sinks"]], [5, 2, 0])
        self.assertEqual([len(path.read_bytes().splitlines()) for path in paths], [4, 7, 9])

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_file_has_them_too(self):
        file = self.folder / "sluice.yaml"
        file.write_text(json.dumps({
            "max_series": "8", "max_series_per_sender": "2",
            "listeners": [self.capture(*[(0, host, gauge(f"s{host}.{number}", 1))
                                         for number in range(4) for host in (1, 2, 3)])],
            "sinks": [f"file:{self.folder}/out"]}), encoding="utf-8")
        _, ledger = self.run_to_end("--config", str(file))
        self.assert_counts(ledger["sinks"][0], samples=6, series_refused=6)

    def test_wrong_ones_are_refused(self):
        sink = f"file:{self.folder}/out"
        for arguments, why in (
                (["--sink", f"{sink}?max_series_per_sender=5"],
                 "max_series_per_sender= needs max_series="),
                (["--sink", f"{sink}?series_timeout=5s"], "series_timeout= needs max_series="),
                (["--sink", f"{sink}?max_series=5&max_series_per_sender=6"],
                 "max_series_per_sender=6 is more than max_series=5"),
                (["--max-series-per-sender", "5"],
                 "--max-series-per-sender needs --max-series, or max_series= on a sink"),
                (["--sink", f"{sink}?time=arrival"],
                 "time=arrival requires max_age= or max_ahead="),
                (["--sink", f"{sink}?max_series=0"], "max_series"),
                (["--sink", f"{sink}?max_series=5&view=message"],
                 "max_series= is about samples, but view=message writes none"),
                (["--sink", f"{sink}?max_age=5s&format=protobuf"],
                 "max_age= is about samples, but format=protobuf writes none"),
                (["--sink", "udp:127.0.0.1:9?max_series=5"],
                 "max_series= is about samples, but format=datagram writes none")):
            with self.subTest(why=why):
                said = self.refused("--listen", TELEMETRY, *arguments, "--check",
                                    code=64 if "--sink" in arguments and "needs" not in why and
                                    "more than" not in why else 78)
                self.assertIn(why, said)

    def test_a_schema_without_samples_is_refused(self):
        said = self.refused("--listen", "udp://127.0.0.1:0?schema=otlp-logs", "--sink",
                            f"file:{self.folder}/out?max_ahead=5s", "--check", code=78)
        self.assertIn("max_ahead= needs samples, but schema otlp-logs", said)

    def test_the_table_is_part_of_the_memory(self):
        def least(keys):
            said = self.least_memory("--listen", TELEMETRY, "--sink", f"file:{self.folder}/o?{keys}")
            return int(said[:-3]) * 1024
        plain = least("format=json")
        many = least("max_series=1000000")
        shared = least("max_series=1000000&max_series_per_sender=10")
        self.assertTrue(21_300_000 < many - plain < 21_400_000, many - plain)
        self.assertTrue(19_998_000 < shared - many < 20_002_000, shared - many)


# --- times ----------------------------------------------------------------------------------------

NOW = FIRST_CAPTURED * 10 ** 9
HOUR = 3600 * 10 ** 9


class Times(SeriesTest):
    SENT = [(0, GOOD, gauge("now", 1)), (0, GOOD, gauge("past", 2, time=NOW - 2 * HOUR)),
            (0, BAD, gauge("future", 3, time=NOW + 50 * 8766 * HOUR)),
            (0, GOOD, gauge("near", 4, time=NOW - HOUR))]

    def test_samples_out_of_time_are_left_out_and_counted(self):
        lines, sink = self.written("max_age=1h&max_ahead=5m", *self.SENT)
        self.assertEqual([line["name"] for line in lines], ["now", "near"])
        self.assert_counts(sink, samples=2, out_of_time=2, time_replaced=0, filtered=2)
        self.assertRegex(self.said[0], r"outside max_age= and max_ahead= were left out: 1 so far; "
                         r"most are from 10\.0\.0\.1 \(1\); see sluice explain out_of_time")

    def test_or_they_are_written_with_their_arrival(self):
        data, sink = self.written("max_age=1h&max_ahead=5m&time=arrival", *self.SENT, form="influx")
        self.assertEqual({name: time for name, _, _, time in read_influx(data)},
                         {"now": NOW, "past": NOW, "future": NOW, "near": NOW - HOUR})
        self.assert_counts(sink, samples=4, out_of_time=0, time_replaced=2, filtered=0)

    def test_a_sample_out_of_time_is_not_a_series(self):
        lines, sink = self.written("max_ahead=5m&max_series=2",
                                   *[(0, BAD, gauge(f"s{number}", 1, time=NOW + HOUR))
                                     for number in range(10)],
                                   (0, GOOD, gauge("a", 1)), (0, GOOD, gauge("b", 1)))
        self.assertEqual([line["name"] for line in lines], ["a", "b"])
        self.assert_counts(sink, out_of_time=10, series_refused=0)


# --- a running program ----------------------------------------------------------------------------

@same_with_one_thread
class Running(SeriesTest):
    def from_host(self, program, host):
        """A socket that is bound to this address and connected to the program."""
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.bind((host, 0))
        made.connect(("127.0.0.1", program.port()))
        return made

    def send_mixed(self, program, begin, end):
        """Sends alternately from a good and a bad sender, without loss."""
        senders = self.from_host(program, "127.0.0.1"), self.from_host(program, "127.0.0.9")
        for start in range(begin, end, BURST // 2):
            stop = min(start + BURST // 2, end)
            for number in range(start, stop):
                senders[0].send(good(number))
                senders[1].send(bad(number))
            program.wait_for_settled(2 * (stop - begin))

    def test_the_good_one_is_whole_beside_many_series_and_memory_stays(self):
        """A short form of consumers/test_series_store.py."""
        count = int(os.environ.get("TEST_SERIES", "5000"))
        out = self.folder / "out"
        program = self.start("--listen", TELEMETRY, "--sink",
                             f"file:{out}?max_series=1000&max_series_per_sender=500&"
                             "flush_interval=10ms")
        self.send_mixed(program, 0, 1000)
        before = None if WINDOWS else resident(program)
        self.send_mixed(program, 1000, count)
        if before is not None and not os.environ["TEST_SANITIZE"]:
            self.assertLess(resident(program) - before, 1024)  # KiB
        ledger = program.stop()
        sink = ledger["sinks"][0]
        lines = parse_lines(out.read_bytes())
        of_good = [line for line in lines if line["labels"]["host"] == "good"]
        self.assertEqual(len(of_good), count)
        self.assertEqual(len(lines) - len(of_good), 500)
        self.assert_counts(sink, samples=count + 500, series_refused=count - 500,
                           written=count + 500, filtered=count - 500)

    @unittest.skipUnless(SERVES, "this program serves no metrics")
    def test_metrics_and_the_control_socket_name_senders_and_labels(self):
        control = self.control_address()
        program = self.start("--listen", TELEMETRY, "--sink",
                             f"file:{self.folder}/out?max_series=15", "--metrics", "127.0.0.1:0",
                             "--control", control)
        self.send_mixed(program, 0, 100)
        page = MetricsClient(program).page()
        sink = f'sink="file:{self.folder}/out"'
        for line in (f"sluice_sink_series{{{sink}}} 15", f"sluice_sink_series_limit{{{sink}}} 15",
                     f"sluice_sink_series_refused_total{{{sink}}} 113",
                     f'sluice_sink_sender_series_refused{{{sink},sender="127.0.0.9"}} 93',
                     f'sluice_sink_label_values{{{sink},label="core"}} 10'):
            self.assertIn(line, page.splitlines())
        client = ControlClient(control)
        self.addCleanup(client.socket.close)
        series = client.ask("levels")["sinks"][0]["series"]
        self.assertEqual((series["known"], series["limit"]), (15, 15))
        self.assertEqual(series["senders"][0]["address"], "127.0.0.9")
        self.assertEqual(series["labels"][0]["name"], "id")
        program.stop()

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_sink_that_stays_keeps_its_series_and_a_changed_one_begins_again(self):
        file = self.folder / "sluice.yaml"

        def write(limit):
            file.write_text(json.dumps({"listeners": [TELEMETRY], "sinks": [
                f"file:{self.folder}/out?max_series={limit}"]}), encoding="utf-8")
        write(2)
        program = self.start("--config", str(file))
        sender = self.sender(program)

        def send(*names):
            sender.send_all([gauge(name, 1) for name in names])
            send.count += len(names)
            ledger = program.wait_for_ledger(
                lambda ledger: sum(map(settled, ledger["sinks"])) >= send.count,
                "all records have their outcome")
            return sum(sink["series_refused"] for sink in ledger["sinks"])
        send.count = 0
        self.assertEqual(send("a", "b", "c"), 1)
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded")
        self.assertEqual(send("a", "b", "c"), 2)
        write(3)
        program.ask_to_reload()
        program.wait_for_log("configuration reloaded", 2)
        self.assertEqual(send("c", "d", "e", "a"), 3)
        program.stop()


# --- deliveries -----------------------------------------------------------------------------------

@unittest.skipUnless(SENDS_HTTP, "this program was built without HTTP")
class Delivered(SeriesTest):
    def store(self, *script):
        store = Store(*script)
        self.addCleanup(store.close)
        return store

    def test_a_block_that_is_sent_again_counts_once(self):
        """Refused samples are counted when a block is created. It does not change when it is sent
        again."""
        for form in ("influx", "remote-write"):
            with self.subTest(format=form):
                store = self.store(503, 503, 204)
                _, ledger = self.run_to_end(
                    "--listen", self.capture(*Limited.MIXED), "--sink",
                    f"http:{store.place}?format={form}&max_series=50&flush_interval=50ms&"
                    "retry=at_least_once", "--stop-timeout", "30s")
                self.assert_counts(ledger["sinks"][0], written=1040, filtered=960, samples=1040,
                                   series_refused=960)
                self.assertGreaterEqual(len(store.requests), 3)

    def test_a_spill_has_what_was_let_through(self):
        store = self.store()
        port = store.port
        store.close()
        spill = self.folder / "spill"
        arguments = ("--sink", f"http://127.0.0.1:{port}/write?format=influx&max_series=50&"
                     f"flush_interval=50ms&spill={spill}")
        _, ledger = self.run_to_end("--listen", self.capture(*Limited.MIXED), *arguments,
                                    "--stop-timeout", "300ms")
        self.assert_counts(ledger["sinks"][0], spilled=1040, filtered=960, series_refused=960)
        store = Store(port=port)
        self.addCleanup(store.close)
        # A stop leaves on disk what was not yet read from there, so it waits until all is written.
        program = self.start("--listen", TELEMETRY, *arguments)
        self.sender(program).send(good(0))
        ledger = program.wait_for_ledger(
            lambda ledger: ledger["sinks"][0]["written"] == 1041, "all is written")
        program.stop()
        self.assert_counts(ledger["sinks"][0], recovered=1040, written=1041, series_refused=0)
        self.assertEqual(len(store.lines()), 1041)


if __name__ == "__main__":
    unittest.main()
