"""One life of the collector: its configuration, its far ends, and the conditions at its end.

It runs in a network namespace, so no other program uses its ports and interface, and with a small
disk at `small`. The folder is kept between lives, so a life finds the files of the last one.
"""
import mmap
import os
import pathlib
import re
import resource
import signal
import socket
import struct
import threading

from http_store import Store
from rotating import unpacked
from sluice_program import Sluice, parse_json, wait_until

TELEMETRY, RIEMANN, OTLP, DELIMITED, STREAM, GROUP = range(5001, 5007)
HTTP, RELAY, METRICS, OPTIONAL = 5100, 5200, 5300, 5400
INTERFACE = "soak0"
CLOCK = os.environ["TEST_CLOCK"]
IO_ERROR = 74  # exit code if a disk, or a command that ended, caused a loss of records
SMALL_DISK = 16 * 1024 * 1024

BASE = """\
listeners:
  - {{address: "udp://127.0.0.1:{TELEMETRY}", schema: telemetry, receivers: 2}}
  - {{address: "udp://127.0.0.1:{RIEMANN}", schema: riemann}}
  - {{address: "udp://127.0.0.1:{OTLP}", schema: otlp}}
  - {{address: "udp://127.0.0.1:{DELIMITED}", schema: riemann, framing: delimited}}
  - {{address: "udp://239.1.2.3:{GROUP}", schema: telemetry, interface: {INTERFACE}}}
  - {{address: "tcp://127.0.0.1:{STREAM}", schema: riemann, receivers: 2, idle_timeout: 4s,
     frame_timeout: 2s}}
{listener}sinks:
  - {{to: "stdout"}}
  - {{to: "file:{folder}/out/all.ndjson", rotate_size: 2MiB, compress: zstd}}
  - {{to: "file:{folder}/small/full.lp", format: influx, rotate_size: 512KiB, keep_size: 4MiB}}
  - {{to: "command:exec cat >/dev/null", format: csv, overflow: drop_oldest}}
  - {{to: "http://127.0.0.1:{HTTP}/write", format: json, spill: "{folder}/spill", spill_size: 64MiB,
     timeout: 2s}}
  - {{to: "udp:127.0.0.1:{RELAY}"}}
{sink}dead-letter: {{to: "file:{folder}/out/dead.pcapng", max_size: 4MiB}}
"""


def configuration(folder, listener="", sink=""):
    return BASE.format(**globals(), folder=folder, listener=listener, sink=sink)


class CountingStore(Store):
    """Counts lines, and does not keep them."""

    def __init__(self):
        self.lines_stored = 0
        super().__init__(port=HTTP)

    def keep(self, request, taken):
        if taken:
            self.lines_stored += request.body.count(b"\n")


class Reader(threading.Thread):
    """Reads the program's standard output, except while it is held, and checks each line."""

    def __init__(self, descriptor):
        super().__init__(daemon=True)
        self.descriptor, self.lines, self.torn = descriptor, 0, None
        self.go_on = threading.Event()
        self.go_on.set()

    def run(self):
        rest = b""
        while part := os.read(self.descriptor, 1 << 16):
            self.go_on.wait()
            *lines, rest = (rest + part).split(b"\n")
            self.lines += len(lines)
            self.look_at(lines)
        self.look_at([rest] if rest else [])

    def look_at(self, lines):
        for line in lines[::50] + lines[-1:]:
            try:
                parse_json(line.decode())
            except (AssertionError, UnicodeDecodeError):
                self.torn = self.torn or line


class Clock:
    """The difference of the program's wall clock, in seconds."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(mmap.PAGESIZE))

    def step(self, seconds):
        with self.path.open("r+b") as file:
            file.write(struct.pack("=q", int(seconds * 1e9)))


class Life:
    def __init__(self, folder, log):
        self.folder, self.log = folder, log
        for name in ("out", "small", "spill"):
            (folder / name).mkdir(exist_ok=True)
        self.file = folder / "sluice.yaml"
        self.file.write_text(configuration(folder))
        self.clock = Clock(folder / "clock")
        self.store = CountingStore()
        self.relay = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.relay.bind(("127.0.0.1", RELAY))
        reading, writing = os.pipe()
        self.program = Sluice(
            "--config", self.file, "--memory", "256MiB", "--metrics", METRICS,
            "--control", f"unix:{folder}/control", "--stop-timeout", "30s", "--log-repeats", "1s",
            "--stall-timeout", "2s", stdout=writing,
            env={**os.environ, "LD_PRELOAD": CLOCK, "SOAK_CLOCK": str(self.clock.path)},
        )
        os.close(writing)
        self.reader = Reader(reading)
        self.reader.start()
        self.program.wait_for_listeners(6)
        self.pid = self.program.process.pid
        self.lines_before = self.lines_in_files()
        self.sent = {}  # datagrams that finished senders have sent, by port

    # Opens the clients that watch the collector.

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.search(rf"^{name}:\s*(\d+)", text, re.M)[1])

    def descriptors(self):
        """The number of open descriptors of each kind, without numbers and file names."""
        kinds = {}
        folder = f"/proc/{self.pid}/fd"
        for number in os.listdir(folder):
            try:
                what = os.readlink(f"{folder}/{number}")
            except FileNotFoundError:
                continue
            kind = re.sub(r"\[\d+\]|\d+\.seg|all\.[^/]*|full\.[^/]*", "", what)
            kinds[kind] = kinds.get(kind, 0) + 1
        return kinds

    def children(self):
        found = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
        return found

    def snapshot(self):
        """A ledger at this moment, which the program's test helper has added up."""
        ledger = self.program.ledger_now()
        return ledger, self.status("VmRSS"), sum(self.descriptors().values())

    # The disturbances.

    def reload(self, listener="", sink="", broken=False):
        text = configuration(self.folder, listener, sink)
        self.file.write_text("listeners: [" if broken else text)
        self.program.ask_to_reload()

    def limit_descriptors(self, more):
        """Lets the program open `more` more files. Without `more` there is no limit."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        soft = hard if more is None else max(map(int, os.listdir(f"/proc/{self.pid}/fd"))) + 1 + more
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (soft, hard))

    def calm(self):
        """Ends all disturbances and waits until its records are being delivered."""
        self.limit_descriptors(None)
        self.reader.go_on.set()
        self.store.otherwise = 204
        self.reload()

        def quiet(ledger):
            return all(sink["in_flight"] == 0 and sink["spilled"] == sink["recovered"]
                       for sink in ledger["sinks"] if not sink.get("retired"))
        wait_until(lambda: quiet(self.program.ledger_now()), "the sinks are done after the last fault")

    # The end of a life.

    def kill(self):
        self.program.process.kill()
        self.program.process.wait()
        self.close()

    def stop(self):
        """Stops the collector by SIGTERM. The ledger must balance, and agree with the far ends."""
        self.program.send_signal(signal.SIGTERM)
        self.program.process.wait(60)
        code = self.program.process.returncode
        ledger = self.program.finish(code)
        lost = [sink["name"] for sink in ledger["sinks"] if sink["unnamed_files"]
                or sink["failed"]["io_error"] or sink["failed"]["command_ended"]]
        self.equal(f"the exit code, where {lost} had failures", code, IO_ERROR if lost else 0)
        self.reader.join(10)
        self.close()
        sinks = {sink["name"].split(":")[0] + pathlib.Path(sink["name"]).suffix: sink
                 for sink in ledger["sinks"]}
        self.expect(self.reader.torn is None, f"stdout has a torn line: {self.reader.torn!r}")
        self.equal("lines on stdout", self.reader.lines, sinks["stdout"]["lines"])
        self.equal("lines in files", self.lines_in_files() - self.lines_before,
                   sinks["file.ndjson"]["lines"])
        for listener in ledger["listeners"]:
            port = int(listener["name"].rpartition(":")[2])
            if port in self.sent and port != GROUP and not listener["retired"]:
                self.equal(f"datagrams of {listener['name']}",
                           listener["received"] + listener["kernel_drops"], self.sent[port])
        self.remove_files()
        return ledger

    def remove_files(self):
        """Removes the checked files. The files of hours would fill a disk."""
        for path in (self.folder / "out").glob("all*"):
            path.unlink()

    def close(self):
        self.store.close()
        self.relay.close()
        self.program.close()

    def clean(self):
        """Cleans up after any failure. A second call has no effect."""
        self.reader.go_on.set()
        self.close()
        self.reader.join(10)
        (self.folder / "small/ballast").unlink(missing_ok=True)

    def lines_in_files(self):
        """All files of the rotating sink contain only whole lines."""
        count = 0
        for path in sorted((self.folder / "out").glob("all*")):
            data = unpacked(path)
            self.expect(not data or data.endswith(b"\n"), f"{path} ends in a torn line")
            for line in data.split(b"\n")[:-1:20]:
                parse_json(line.decode())
            count += data.count(b"\n")
        return count

    def expect(self, holds, what):
        if not holds:
            self.program.fail(what)

    def equal(self, what, left, right):
        self.expect(left == right, f"{what}: {left} != {right}")
