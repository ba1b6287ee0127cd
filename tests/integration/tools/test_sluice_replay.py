"""sluice-replay sends the datagrams that other programs found in the captures."""
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from built import NO_CLOSED_STREAM, NO_FIFO, WINDOWS, not_on_windows
from programs import CAPTURES, DEADLINE, Receiver, command, run, truth

RIEMANN = sorted(path.stem for path in CAPTURES.glob("*riemann*.pcap"))
REPORT = re.compile(r"sluice-replay: sent (\d+) datagrams? \((\d+) bytes\) in (\d+\.\d+) s; "
                    r"failed (\d+), retried (\d+), refused (\d+); of (\d+) frames: cut (\d+), "
                    r"other (\d+); incomplete datagrams (\d+)\n")


def report_of(process):
    found = REPORT.match(process.stderr.decode())
    names = ("sent", "bytes", "seconds", "failed", "retried", "refused", "frames", "cut", "other",
             "incomplete")
    return {name: float(value) for name, value in zip(names, found.groups())}


def replay(capture, *arguments):
    """Replays a file to a receiver. Returns its datagrams, the report and the process."""
    with Receiver() as receiver:
        process = receiver.receive_from("sluice-replay", capture, "--to", receiver.url, *arguments,
                                        sent=lambda ended: report_of(ended)["sent"])
        return receiver.datagrams, report_of(process), process


class Replay(unittest.TestCase):
    def assert_datagrams(self, datagrams, expected):
        self.assertEqual([hashlib.sha256(data).hexdigest() for data in datagrams],
                         [line["payload_sha256"] for line in expected])

    def test_there_are_captures(self):
        self.assertEqual(len(RIEMANN), 6)

    def test_payloads_arrive_as_they_were_in_order(self):
        for capture in RIEMANN:
            with self.subTest(capture=capture):
                expected = truth(capture)
                datagrams, report, process = replay(CAPTURES / f"{capture}.pcap", "--speed=max")
                self.assertEqual(process.returncode, 0, process.stderr)
                self.assertEqual(process.stdout, b"")
                self.assert_datagrams(datagrams, expected)
                self.assertEqual(report["sent"], len(expected))
                self.assertEqual(report["bytes"], sum(line["payload_len"] for line in expected))
                self.assertEqual(report["failed"] + report["cut"] + report["other"] +
                                 report["incomplete"] + report["refused"], 0)

    def test_port_selects(self):
        path = CAPTURES / "riemann_cli_v4.pcap"
        datagrams, report, _ = replay(path, "--speed=max", "--port", 5555)
        self.assertEqual((len(datagrams), report["other"]), (30, 0))
        datagrams, report, process = replay(path, "--speed=max", "--port=5556")
        self.assertEqual((len(datagrams), report["other"], process.returncode), (0, 30, 0))

    def test_where_nobody_listens_all_are_refused(self):
        with Receiver() as receiver:
            url = receiver.url
        process = run("sluice-replay", CAPTURES / "riemann_cli_v4.pcap", "--to", url,
                      "--speed=max")
        report = report_of(process)
        if WINDOWS:  # Windows may report several refusals as one
            self.assertGreater(report["refused"], 20)
            return
        self.assertEqual((report["sent"], report["refused"], report["retried"]), (30, 30, 0))
        self.assertEqual(process.returncode, 69)
        self.assertIn(f"all 30 datagrams were refused: no program listens at {url}\n".encode(),
                      process.stderr)

    def test_the_time_is_that_of_the_capture_divided_by_the_speed(self):
        expected = truth("riemann_cli_v4")
        seconds = float(expected[-1]["ts"]) - float(expected[0]["ts"])
        _, report, _ = replay(CAPTURES / "riemann_cli_v4.pcap", "--speed", "4x")
        self.assertGreaterEqual(report["seconds"], round(seconds / 4, 3) - 0.001)
        _, report, _ = replay(CAPTURES / "riemann_seq_nano_v4.pcap")
        self.assertGreaterEqual(report["seconds"], 0.092)

    def test_a_damaged_capture_is_sent_as_far_as_it_goes(self):
        expected = truth("riemann_cli_v4")
        whole = (CAPTURES / "riemann_cli_v4.pcap").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.pcap"
            path.write_bytes(whole[:-10])
            datagrams, _, process = replay(path, "--speed=max")
        self.assertEqual(process.returncode, 65)
        self.assert_datagrams(datagrams, expected[:-1])
        self.assertRegex(process.stderr.decode().splitlines()[-1], r"\Asluice-replay: .*cut\.pcap")

    def test_missing_fragments_are_counted(self):
        whole = (CAPTURES / "riemann_frag_v4_mtu1500.pcap").read_bytes()
        end = 24  # after the file's header
        records = []
        while end < len(whole):
            size = int.from_bytes(whole[end + 8:end + 12], "little")
            records.append(whole[end:end + 16 + size])
            end += 16 + size
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "short.pcap"
            path.write_bytes(whole[:24] + b"".join(records[:-1]))
            datagrams, report, process = replay(path, "--speed=max")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((len(datagrams), report["incomplete"]), (9, 1))

    @not_on_windows(NO_CLOSED_STREAM)
    def test_a_closed_stderr_is_not_mistaken_for_the_socket(self):
        path = CAPTURES / "riemann_cli_v4.pcap"
        with Receiver() as receiver:
            process = run("sluice-replay", path, "--to", receiver.url, "--speed=max", stdout=None,
                          stderr=None, preexec_fn=lambda: (os.close(1), os.close(2)))
            receiver.wait_for(lambda: len(receiver.datagrams) >= 30)
            receiver.drain()
        self.assertEqual(process.returncode, 0)
        self.assert_datagrams(receiver.datagrams, truth("riemann_cli_v4"))

    def start_on_a_fifo(self, receiver):
        """Starts a replay of a pipe. Returns the process and the pipe."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "fifo"
        os.mkfifo(path)
        process = subprocess.Popen(command("sluice-replay", path, "--to", receiver.url),
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        pipe = open(path, "wb", buffering=0)
        self.addCleanup(pipe.close)
        return process, pipe

    @not_on_windows(NO_FIFO)
    def test_a_pipe_is_replayed_as_it_is_written_and_a_signal_ends_the_wait(self):
        capture = (CAPTURES / "riemann_cli_v4.pcap").read_bytes()
        first = 24 + 16 + int.from_bytes(capture[32:36], "little")
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number), Receiver() as receiver:
                process, pipe = self.start_on_a_fifo(receiver)
                pipe.write(capture[:first + 20])
                receiver.wait_for(lambda: len(receiver.datagrams) == 1)
                process.send_signal(number)
                _, said = process.communicate(timeout=DEADLINE)
                self.assertEqual(process.returncode, 0)
                self.assertEqual(REPORT.match(said.decode())[1], "1")

    @not_on_windows(NO_FIFO)
    def test_the_time_of_a_pipe_begins_with_its_first_datagram(self):
        """If the writer is late, the datagrams have the usual intervals."""
        capture = (CAPTURES / "riemann_cli_v4.pcap").read_bytes()
        first = 24 + 16 + int.from_bytes(capture[32:36], "little")
        moment = int.from_bytes(capture[24:28], "little")
        second = (moment + 1).to_bytes(4, "little") + capture[28:first]
        with Receiver() as receiver:
            process, pipe = self.start_on_a_fifo(receiver)
            time.sleep(0.6)  # a pause before the first datagram must not change the intervals
            pipe.write(capture[:first])
            receiver.wait_for(lambda: len(receiver.datagrams) == 1)
            began = time.monotonic()
            pipe.write(second)
            pipe.close()
            receiver.wait_for(lambda: len(receiver.datagrams) == 2)
            self.assertGreater(time.monotonic() - began, 0.7)
            process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, 0)

    def test_what_is_no_capture_is_65(self):
        for path in ("/nonexistent/x.pcap", __file__):
            process = run("sluice-replay", path, "--to", "udp://127.0.0.1:9")
            self.assertEqual(process.returncode, 65)
            self.assertRegex(process.stderr.decode(), r"\Asluice-replay: [^\n]+\n\Z")

    def test_wrong_options_are_one_line_and_64(self):
        path = CAPTURES / "riemann_cli_v4.pcap"
        to = "--to=udp://127.0.0.1:9"
        for arguments in ([], [path], [to], [path, path, to], [path, to, "--speed=2"],
                          [path, to, "--speed", "0x"], [path, to, "--port=0"],
                          [path, to, "--port=65536"], [path, to, "--loop"],
                          [path, "--to=udp://[::1]:0"]):
            with self.subTest(arguments=arguments):
                process = run("sluice-replay", *arguments)
                self.assertEqual((process.returncode, process.stdout), (64, b""))
                self.assertRegex(process.stderr.decode(), r"\Asluice-replay: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
