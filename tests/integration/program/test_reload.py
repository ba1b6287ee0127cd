"""Reloads of a running program: unchanged parts miss no record, and invalid configurations are
refused."""
import json
import os
import socket
import subprocess
import sys
import unittest

from built import NO_FIFO, STOP_SIGNAL, WINDOWS, command, not_on_windows
from ports import free_port
from protobuf import metric
from sluice_program import (CHANGED, DEADLINE, SANITIZED, ProgramTest, dropped,
                            parse_lines, read_lines, wait_until)
from test_config import READS_FILES

# Number of reloads while datagrams arrive, and datagrams a second.
RELOADS, RATE = (40, "10000") if SANITIZED or WINDOWS else (200, "50000")
SHELL = "the command is of POSIX' shell"
REFUSED = "reload refused, the present configuration stays: "


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Reload(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "sluice.yaml"
        self.kept = self.folder / "kept"

    def write(self, listeners, sinks, **options):
        """Replaces the file by renaming, as editors and packages do, because the program may read
        it at any time."""
        new = self.folder / "new.yaml"
        new.write_text(json.dumps({**options, "listeners": listeners, "sinks": sinks}),
                       encoding="utf-8")
        new.replace(self.file)

    def begin(self, *listeners, sinks=(), **options):
        self.write(listeners or ["udp://127.0.0.1:0?schema=riemann"],
                   [f"file:{self.kept}", *sinks], **options)
        return self.start("--config", self.file)

    def change(self, program, listeners, sinks, **options):
        before = len(self.said(program, CHANGED))
        self.write(listeners, sinks, **options)
        program.ask_to_reload()
        program.wait_for_log(CHANGED, before + 1)

    @staticmethod
    def said(program, text):
        return [line for line in program.said() if text in line]

    def test_what_holds_segments_is_changed_by_a_new_start_alone(self):
        plain = "udp://127.0.0.1:0?schema=riemann"
        notif = plain + "&framing=udp-notif"
        for began, others in (
                (plain, ((notif, "framing"),)),
                (notif, ((plain, "framing"), (notif + "&segment_timeout=1s", "segment_timeout"),
                         (notif + "&segment_memory=1MiB", "segment_memory")))):
            program = self.begin(began)
            for number, (listener, key) in enumerate(others):
                self.write([listener], [f"file:{self.kept}"])
                program.ask_to_reload()
                program.wait_for_log(REFUSED + f".*{key}= can only be changed by a restart",
                                     1 if key != "framing" else number + 1)
            program.stop()

    def test_the_log_says_what_changed(self):
        one, other = "udp://127.0.0.1:0?schema=riemann", "udp://127.0.0.2:0?schema=riemann"
        program = self.begin(one, other, sinks=[f"file:{self.folder}/two?flush_interval=1ms"])
        for listeners, interval, options, says in (
                ([one + "&receive_buffer=1MiB&allow=127.0.0.0/8", other], "1ms", {},
                 "listeners: 2 kept (1 changed: receive_buffer, allow), 0 added, 0 removed; "
                 "sinks: 2 kept, 0 added, 0 removed"),
                ([one + "&allow=127.0.0.0/8", other + "&max_datagram=1KiB"], "2ms", {},
                 "listeners: 2 kept (2 changed: receive_buffer, max_datagram), 0 added, 0 removed; "
                 "sinks: 1 kept, 1 added, 1 removed (1 changed: flush_interval)"),
                ([one + "&allow=127.0.0.0/8"], "2ms", {"log-level": "info"},
                 "listeners: 1 kept, 0 added, 1 removed; sinks: 2 kept, 0 added, 0 removed"),
                ([one + "&allow=127.0.0.0/8"], "2ms", {"stop-timeout": "3s"},
                 "listeners: 1 kept, 0 added, 0 removed; sinks: 2 kept, 0 added, 0 removed; "
                 "options changed: stop-timeout")):
            self.change(program, listeners,
                        [f"file:{self.kept}", f"file:{self.folder}/two?flush_interval={interval}"],
                        **options)
            said = self.said(program, CHANGED)[-1]
            self.assertTrue(said.endswith(says), said)
        program.stop()

    def test_a_sink_is_added_and_another_taken_away(self):
        one, two = self.folder / "one", self.folder / "two"
        program = self.begin(sinks=[f"file:{one}"])
        sender = self.sender(program)
        sender.send(metric(1))
        program.wait_for_settled(1)
        self.change(program, ["udp://127.0.0.1:0?schema=riemann"],
                    [f"file:{self.kept}", {"to": f"file:{two}", "format": "csv"}])
        sender.send(metric(2))
        program.wait_for_settled(2)
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [1, 2])
        self.assertEqual([line["value"] for line in read_lines(one)], [1])
        self.assertEqual(len(two.read_bytes().splitlines()), 2)
        self.assertEqual([(sink["retired"], sink["messages"]) for sink in ledger["sinks"]],
                         [(False, 2), (True, 1), (False, 1)])

    def test_a_listener_is_added_and_taken_away_and_the_last_datagram_is_received(self):
        first = f"udp://127.0.0.1:{free_port()}?schema=riemann"
        second = f"udp://127.0.0.1:{free_port()}?schema=riemann&rate_limit=1000"
        program = self.begin(first)
        for value in range(20):
            self.change(program, [first, second], [f"file:{self.kept}"])
            program.wait_for_listeners(value + 2)
            self.sender(program, value + 1).send(metric(value))
            self.change(program, [first], [f"file:{self.kept}"])
        ledger = program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)], list(range(20)))
        self.assertEqual([(listener["retired"], listener["decoded"])
                          for listener in ledger["listeners"]], [(False, 0), (True, 20)])

    def test_what_is_wrong_is_reported_with_its_place_and_nothing_changes(self):
        program = self.begin()
        sender = self.sender(program)
        listener = {"address": "udp://127.0.0.1:0", "schema": "riemann"}
        for listeners, sinks, why in (
                ([{**listener, "recieve_buffer": "1MiB"}], [f"file:{self.kept}"],
                 "sluice.yaml:1:70: unknown key"),
                ([listener], [f"file:{self.folder}/none/file"], "none/file"),
                ([{**listener, "schema": "otlp-logs"}],
                 [{"to": f"file:{self.kept}", "format": "csv"}], "needs samples"),
                ([{**listener, "receivers": 2}], [f"file:{self.kept}"], "receivers=")):
            before = len(self.said(program, REFUSED))
            self.write(listeners, sinks)
            program.ask_to_reload()
            program.wait_for_log(REFUSED, before + 1)
            self.assertIn(why, self.said(program, REFUSED)[-1])
        self.file.write_text("listeners: [", encoding="utf-8")
        program.ask_to_reload()
        program.wait_for_log(REFUSED, 5)
        self.file.unlink()
        program.ask_to_reload()
        program.wait_for_log(REFUSED, 6)
        sender.send(metric(7))
        program.wait_for_settled(1)
        program.stop()
        self.assertEqual(self.said(program, CHANGED), [])
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [7])

    def test_a_refused_reload_gives_listeners_their_old_settings_back(self):
        program = self.begin()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            self.write([{"address": "udp://127.0.0.1:0", "schema": "riemann",
                         "max_datagram": "100B"},
                        f"udp://127.0.0.1:{taken.getsockname()[1]}?schema=riemann"],
                       [f"file:{self.kept}"])
            program.ask_to_reload()
            program.wait_for_log(REFUSED)
        self.sender(program).send(metric(1, host="x" * 500))
        program.wait_for_received(1)
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["decoded"], 1, listener)

    @not_on_windows("the filter is Linux's")
    @unittest.skipUnless(sys.platform.startswith("linux"), "the filter is Linux's")
    def test_a_kernel_filter_goes_with_its_key(self):
        denied = {"address": "udp://127.0.0.1:0", "schema": "riemann", "deny": "127.0.0.9",
                  "kernel_filter": "on"}
        program = self.begin(denied)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("127.0.0.9", 0))
            to = ("127.0.0.1", program.port(0))
            sender.sendto(metric(0), to)
            self.change(program, ["udp://127.0.0.1:0?schema=riemann"], [f"file:{self.kept}"])
            sender.sendto(metric(1), to)
            program.wait_for_received(1)
        listener = program.stop()["listeners"][0]
        # The filtered datagram must not be counted as a loss after the filter was removed.
        self.assertNotIn("kernel_drops", listener)
        self.assertEqual((listener["received"], listener["kernel_drops_and_filtered"]), (1, 1))

    @not_on_windows("the filter is Linux's")
    @unittest.skipUnless(sys.platform.startswith("linux"), "the filter is Linux's")
    def test_the_log_tells_of_a_kernel_filter_that_a_reload_has_set(self):
        program = self.begin("udp://127.0.0.1:0?schema=riemann")
        self.change(program, [{"address": "udp://127.0.0.1:0", "schema": "riemann",
                               "deny": "127.0.0.9", "kernel_filter": "on"}], [f"file:{self.kept}"])
        for host in ("127.0.0.9", "127.0.0.1"):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((host, 0))
                sender.sendto(metric(1), ("127.0.0.1", program.port(0)))
        program.wait_for_log("the kernel dropped or filtered 1 datagrams: ")
        program.stop()

    def test_files_are_reopened_even_where_the_configuration_is_wrong(self):
        program = self.begin()
        sender = self.sender(program)
        sender.send(metric(1))
        program.wait_for_settled(1)
        self.kept.rename(self.folder / "kept.1")
        self.file.write_text("no: configuration", encoding="utf-8")
        program.ask_to_reload()
        program.wait_for_log(REFUSED)
        sender.send(metric(2))
        program.wait_for_settled(2)
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [2])
        self.assertEqual([line["value"] for line in read_lines(self.folder / "kept.1")], [1])

    def sink_of_each_kind(self):
        """Two of the three kinds of sinks: files that rotate, and a command that records its
        process id. The third is the plain file `kept`."""
        return [{"to": f"file:{self.folder}/rotated", "rotate_size": "1GiB"},
                f"command:echo $$ >>'{self.folder}/started'; exec cat >>'{self.folder}/read'"]

    def started(self):
        return (self.folder / "started").read_text(encoding="ascii").split()

    @not_on_windows(SHELL)
    def test_what_is_refused_cuts_no_file_that_rotates_and_starts_no_command_anew(self):
        sinks = self.sink_of_each_kind()
        program = self.begin(sinks=sinks)
        sender = self.sender(program)
        sender.send(metric(0))
        for sink in range(3):
            program.wait_for_settled(1, sink)
        command = self.started()
        listener = "udp://127.0.0.1:0?schema=riemann"
        for number, (listeners, more) in enumerate((
                (["udp://nowhere"], []),  # cannot be read
                ([listener], [f"file:{self.folder}/none/file"]),  # cannot be opened
                ([listener, program.names[0] + "?schema=riemann"], []))):  # cannot be bound
            self.kept.rename(self.folder / f"moved.{number}")
            self.write(listeners, [f"file:{self.kept}", *sinks, *more])
            program.ask_to_reload()
            program.wait_for_log(REFUSED, number + 1)
            program.wait_for_log("kept: reopened", number + 1)
            # The reopening is complete before the second record.
            for value in (2 * number + 1, 2 * number + 2):
                sender.send(metric(value))
                for sink in range(3):
                    program.wait_for_settled(value + 1, sink)
        ledger = program.stop()
        values = [[line["value"] for line in read_lines(self.folder / name)]
                  for name in ("moved.0", "moved.1", "moved.2", "kept", "rotated", "read")]
        self.assertEqual(values, [[0], [1, 2], [3, 4], [5, 6], list(range(7)), list(range(7))])
        self.assertEqual([ledger["sinks"][1]["files"], ledger["sinks"][2]["restarts"]], [1, 0])
        self.assertEqual(self.started(), command)

    @not_on_windows(SHELL)
    def test_what_is_refused_starts_no_command_that_would_come(self):
        program = self.begin(sandbox="off")  # a sandbox would refuse the command
        came = self.folder / "came"
        comes = f"command:echo $$ >>'{came}'; exec cat >/dev/null"
        listener = "udp://127.0.0.1:0?schema=riemann"
        for number, (listeners, more) in enumerate((
                ([listener], [f"file:{self.folder}/none/file"]),  # cannot be opened
                ([listener, program.names[0] + "?schema=riemann"], []))):  # cannot be bound
            self.write(listeners, [f"file:{self.kept}", comes, *more], sandbox="off")
            program.ask_to_reload()
            program.wait_for_log(REFUSED, number + 1)
        program.stop()
        self.assertEqual(self.said(program, "the command has ended"), [])
        self.assertFalse(came.exists())

    @not_on_windows(SHELL)
    def test_what_is_taken_cuts_and_starts_anew_what_stays_and_not_what_comes(self):
        sinks = self.sink_of_each_kind()
        program = self.begin(sinks=sinks)
        sender = self.sender(program)
        sender.send(metric(0))
        for sink in range(3):
            program.wait_for_settled(1, sink)
        comes = f"command:echo $$ >>'{self.folder}/came'; exec cat >/dev/null"
        self.change(program, ["udp://127.0.0.1:0?schema=riemann"],
                    [f"file:{self.kept}", *sinks, comes])
        wait_until(lambda: len(self.started()) == 2, "the command that stays is restarted")
        sender.send(metric(1))
        for sink in range(3):
            program.wait_for_settled(2, sink)
        program.wait_for_settled(1, sink=3)
        ledger = program.stop()
        self.assertEqual(ledger["sinks"][1]["files"], 2)
        self.assertEqual(len((self.folder / "came").read_text(encoding="ascii").split()), 1)

    def test_the_log_takes_another_form(self):
        listener, kept = "udp://127.0.0.1:0?schema=riemann", f"file:{self.kept}"
        program = self.begin(listener)
        self.change(program, [listener], [kept], **{"log-format": "json", "ledger": "json"})
        self.file.write_text("no: configuration", encoding="utf-8")
        program.ask_to_reload()
        program.wait_for_log(REFUSED)
        self.assertEqual(json.loads(self.said(program, REFUSED)[-1])["level"], "error")
        program.stop()

    def test_a_sink_that_changes_goes_on_in_the_same_stdout(self):
        self.write(["udp://127.0.0.1:0?schema=riemann"], ["stdout:"])
        program = self.start("--config", self.file)
        sender = self.sender(program)
        for value, form in enumerate(("csv?", "influx", "json", "influx")):
            sender.send(metric(value))
            program.wait_for_received(value + 1)
            self.change(program, ["udp://127.0.0.1:0?schema=riemann"],
                        ["stdout:?format=" + form.rstrip("?") + f"&flush_interval={value + 1}ms"])
        sender.send(metric(4))
        program.wait_for_received(5)
        ledger = program.stop()
        lines = b"".join(program.stdout.lines())
        self.assertEqual(parse_lines(lines.splitlines(True)[0])[0]["value"], 0)
        self.assertEqual(sum(sink["written"] for sink in ledger["sinks"]), 5)
        self.assertEqual(len(ledger["sinks"]), 2)

    def check_torn_line(self, sink, reading, writing=None, kept=None):
        """A sink that stopped in the middle of a line of a pipe leaves the line to its successor,
        which must end it first. `reading` is the other end of the pipe. `writing` is the program's
        standard output, if that is the sink. `kept` is an end that stays open during the test."""
        listener = "udp://127.0.0.1:0?schema=riemann&receive_buffer=8MiB"
        self.write([listener], [sink], **{"stop-timeout": "200ms"})
        program = self.start("--config", self.file, stdout=writing)
        if writing is not None:
            os.close(writing)
        sender = self.sender(program)
        for value in range(2):  # the pipe holds 64 KiB: the first line and a part of the second
            sender.send(metric(value, service="x" * 60000))
        program.wait_for_received(2)
        self.change(program, [listener], [f"{sink}?flush_interval=0s"],
                    **{"stop-timeout": "200ms"})
        program.wait_for_log("the last line is cut")
        with os.fdopen(reading, "rb") as pipe:
            os.set_blocking(reading, True)
            sender.send(metric(5000))
            lines = []
            while not lines or b"5000" not in lines[-1]:
                lines.append(pipe.readline())
            ledger = program.stop()
            if kept is not None:
                os.close(kept)
            lines += pipe.readlines()
        torn = [line for line in lines if not line.endswith(b"}\n")]
        self.assertEqual(len(torn), 1)
        self.assertEqual(json.loads(lines[-1])["value"], 5000)
        self.assertEqual(sum(sink["written"] for sink in ledger["sinks"]), len(lines) - 1)

    @not_on_windows("its pipes say how much they hold in another way")
    def test_a_sink_that_had_to_stop_within_a_line_leaves_a_line_of_its_own(self):
        self.check_torn_line("stdout:", *os.pipe())

    @not_on_windows(NO_FIFO)
    def test_so_does_one_that_writes_to_a_pipe_with_a_name(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        kept = os.open(fifo, os.O_WRONLY)  # keeps a writer between the two sinks
        self.check_torn_line(f"file:{fifo}", reading, kept=kept)

    def test_of_sinks_that_write_the_same_each_has_all_of_its_time(self):
        listener = "udp://127.0.0.1:0?schema=riemann&receive_buffer=8MiB"
        program = self.begin(listener)
        flood = self.flood(program, metric)
        for count in (3, 2, 6, 1, 4, 2):
            self.change(program, [listener], [f"file:{self.kept}", *(
                f"file:{self.folder}/more.{number}" for number in range(count))])
            for number, sink in enumerate(program.ledger_now()["sinks"]):
                if not sink["retired"]:
                    program.wait_for_settled(sink["offered"] + 50, number)
        flood.end()
        ledger = program.stop()
        for sink in ledger["sinks"]:
            values = [line["value"] for line in read_lines(sink["name"].removeprefix("file:"))]
            self.assertEqual(len(values), sink["written"])
            self.assertEqual(values, sorted(set(values)))

    def check_stalled(self, stalled, memory):
        """Reloads replace a stalled sink four times; `stalled` makes its text from a number. The
        removed sinks and their successors must not hold all batches."""
        listener = "udp://127.0.0.1:0?schema=riemann&receive_buffer=8MiB"
        options = {"stop-timeout": "60s", "memory": memory}
        program = self.begin(listener, sinks=[stalled(1)], **options)
        sender = self.sender(program)
        sent = 0
        for number in range(2, 7):
            for _ in range(8):
                ledger = sender.send_all(
                    [metric(sent + value, service="x" * 8000) for value in range(40)], before=sent)
                self.assertEqual(ledger["listeners"][0]["reasons"]["no_buffer"], 0)
                sent += 40
                program.wait_for_settled(sent)
            if number < 6:
                self.change(program, [listener], [f"file:{self.kept}", stalled(number)], **options)
        self.assertEqual(self.said(program, REFUSED), [])
        self.change(program, [listener + "&max_datagram=60KiB"],
                    [f"file:{self.kept}", stalled(5)], **{**options, "stop-timeout": "200ms"})
        ledger = program.stop()
        kept, replaced = ledger["sinks"][0], ledger["sinks"][1:]
        self.assertEqual(ledger["listeners"][0]["reasons"]["no_buffer"], 0)
        self.assertEqual(kept["written"], sent)
        self.assertGreater(sum(sink["refused"]["ring_full"] for sink in replaced), 0)
        # At least 16 batches waited in the queue of each of the five sinks. Of the 40 records of a
        # call of send_all, each batch has seven, and the sixth and last one has five.
        self.assertGreaterEqual(sum(sink["queued"] for sink in replaced), 5 * (16 * 40 // 6))

    @not_on_windows(NO_FIFO)
    def test_a_stalled_pipe_that_reloads_replace_costs_the_others_nothing(self):
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        self.addCleanup(os.close, os.open(fifo, os.O_RDWR | os.O_NONBLOCK))
        self.check_stalled(lambda number: f"file:{fifo}?flush_interval={number}ms", "28MiB")

    def test_nor_does_a_store_that_does_not_answer(self):
        store = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.addCleanup(store.close)
        url = f"http://127.0.0.1:{store.getsockname()[1]}/write?format=influx"
        self.check_stalled(lambda number: f"{url}&timeout={20 + number}s", "52MiB")

    def test_who_stays_misses_nothing_of_many_reloads_under_load(self):
        stays = "udp://127.0.0.1:0?schema=telemetry&receive_buffer=64MiB"
        comes = f"udp://127.0.0.1:{free_port()}?schema=telemetry"
        one, two = (f"file:{self.folder / name}" for name in ("one", "two"))
        kept = f"file:{self.kept}"
        sets = [([stays], [kept]),
                ([stays, comes], [kept, one]),
                ([stays], [kept, one + "?format=influx", two]),
                ([stays + "&max_datagram=2KiB", comes], [kept, two + "?format=csv"])]
        # The queues can hold all records, because the speed of the sinks is not tested.
        self.write(*sets[0], memory="256MiB")
        program = self.start("--config", self.file)
        sent = 0
        for first in range(0, RELOADS, 20):
            # At most the datagrams that fit in the buffers, because the speed of the machine is not
            # tested.
            load = subprocess.Popen(
                command(os.environ["TEST_SEND"], "--to", program.names[0], "--schema",
                        "telemetry", "--rate", RATE, "--count", "100000", "--report", "json"),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(load.stdout.close)
            for number in range(first, first + 20):
                self.change(program, *sets[(number + 1) % 4], memory="256MiB")
            load.send_signal(STOP_SIGNAL)
            sent += json.loads(load.communicate(timeout=DEADLINE)[0])["sent"]
            program.wait_for_received(sent)
        ledger = program.stop()
        stayed, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(stayed["received"] + dropped(stayed), sent)
        self.assertEqual(stayed["decoded"], stayed["received"])
        # A drop is counted as a gap only when a later datagram arrives.
        self.assertLessEqual(stayed["lost"], dropped(stayed))
        if os.geteuid() == 0 and not WINDOWS:  # without root the buffer may be too small for 4 ms
            self.assertEqual(dropped(stayed), 0)
        self.assertEqual(sink["written"] + sum(sink["refused"].values()), sink["offered"])
        self.assertEqual(sum(sink["refused"].values()), 0)
        self.assertEqual(sink["offered"], ledger["listeners"][0]["messages"])
        with open(self.kept, "rb") as lines:
            self.assertEqual(sum(1 for _ in lines), sink["lines"])
        self.assertEqual(self.said(program, REFUSED), [])


if __name__ == "__main__":
    unittest.main()
