"""The whole comparison: gets the programs, measures them in turn, and saves and reports the
results."""
import argparse
import contextlib
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import signal
import sys
import tempfile
import time

import curve
import getting
import measuring
import table
import traffic
from peers import PEERS, chosen

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("rates", "highest", "buffers")
RATES = (5_000, 20_000, 50_000, 100_000, 200_000, 400_000, 800_000, 0)  # 0: as fast as possible
BUFFERS = (256 << 10, 1 << 20, 4 << 20, 16 << 20)
BUFFER_RATE = 50_000  # for the comparison of receive buffers, in datagrams a second
HIGHEST_STEPS = 5
CLOSE_ENOUGH = 1.05  # precision of the highest rate without loss
HIGHEST_FROM = 1_000  # if even the lowest rate had loss

USAGE = 64
NOT_HERE = 69


def say(words):
    print(f"tools/compare: {words}", file=sys.stderr, flush=True)


# --- settings ---------------------------------------------------------------------------------

def size(text):
    for ending, shift in (("KiB", 10), ("MiB", 20), ("GiB", 30), ("B", 0)):
        if text.endswith(ending):
            return int(text.removesuffix(ending)) << shift
    return int(text)


def folder(text):
    return pathlib.Path(text).resolve()


def listed(of):
    return lambda text: tuple(0 if each == "max" else of(each) for each in text.split(","))


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tools/compare", allow_abbrev=False)
    parser.add_argument("--peers", type=lambda text: text.split(","), metavar="NAME,...",
                        default=[peer.name for peer in PEERS],
                        help="of " + ", ".join(peer.name for peer in PEERS))
    parser.add_argument("--parts", type=lambda text: text.split(","), metavar="PART,...",
                        default=list(PARTS), help="of " + ", ".join(PARTS))
    parser.add_argument("--rates", type=listed(int), default=RATES, metavar="N,...|max",
                        help="datagrams a second; max: all that the sender can send")
    parser.add_argument("--buffers", type=listed(size), default=BUFFERS, metavar="SIZE,...",
                        help="receive buffers that are compared, at %(metavar)s each")
    parser.add_argument("--buffer-rate", type=int, default=BUFFER_RATE, metavar="N",
                        help="the rate at which they are; default %(default)s")
    parser.add_argument("--receive-buffer", type=size, default=4 << 20, metavar="SIZE",
                        help="of all other runs; default 4MiB")
    parser.add_argument("--rounds", type=int, default=3, metavar="N",
                        help="how often each is measured, in turn; default %(default)s")
    parser.add_argument("--time", type=float, default=2, metavar="SECONDS",
                        help="of sending, each; default %(default)s")
    parser.add_argument("--programs", type=folder, default=ROOT / "build/release/bin",
                        metavar="DIR", help="the collector and its senders")
    parser.add_argument("--into", type=folder, default=ROOT / "build/compare", metavar="DIR",
                        help="where the peers and the report are; default build/compare")
    parser.add_argument("--more", action="store_true",
                        help="keep what was measured there before, and add to it")
    parser.add_argument("--report", action="store_true", help="measure nothing; report again")
    parser.add_argument("--get", action="store_true", help="get the peers, and measure nothing")
    settings = parser.parse_args(arguments)
    unknown = set(settings.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    try:
        settings.peers = chosen(settings.peers)
    except KeyError as error:
        parser.error(f"no peer {error.args[0]}")
    return settings


# --- the machine ------------------------------------------------------------------------------

def processor_name():
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def machine():
    return {"processor": processor_name(), "processors": len(os.sched_getaffinity(0)),
            "kernel": platform.release(), "date": datetime.date.today().isoformat()}


class Limits:
    """Sets the kernel's limit and default of receive buffers for one run, and restores them."""

    FOLDER = pathlib.Path("/proc/sys/net/core")

    def __init__(self):
        self.before = {name: (self.FOLDER / name).read_text(encoding="ascii").strip()
                       for name in ("rmem_max", "rmem_default")}
        self.refused = False

    def write(self, name, value):
        path = self.FOLDER / name
        if path.read_text(encoding="ascii").strip() == str(value):
            return
        try:
            path.write_text(f"{value}\n", encoding="ascii")
        except OSError:
            if not self.refused:
                say("needs root to raise net.core.rmem_max: the granted receive buffers differ")
            self.refused = True

    def make_room(self, peer, buffer):
        """Sets the limit and the default so that all programs get the same buffer: the kernel
        grants twice the requested size, but the default size unchanged."""
        self.put_back()
        self.write("rmem_max", max(buffer, int(self.before["rmem_max"])))
        if not peer.sets_buffer:
            self.write("rmem_default", 2 * buffer)

    def put_back(self):
        for name, value in self.before.items():
            self.write(name, value)


# --- measuring --------------------------------------------------------------------------------

class Comparison:
    def __init__(self, settings, roots, scratch, found):
        self.settings, self.roots, self.scratch, self.found = settings, roots, scratch, found
        self.limits = Limits()
        self.sources = traffic.Sources(scratch, {peer.traffic for peer in roots}, settings.time)
        self.processors = sorted(os.sched_getaffinity(0))

    def one(self, part, peer, rate, buffer):
        """Makes a run and saves its result. Returns None if the run failed."""
        self.limits.make_room(peer, buffer)
        try:
            row = measuring.measure(peer, self.roots[peer], self.settings.programs, self.sources,
                                    self.scratch, rate, buffer, self.settings.time,
                                    self.processors)
        except (measuring.Failed, RuntimeError) as error:
            say(error)
            self.found["failed"][peer.name] = str(error)
            return None
        self.found["runs"].append({"part": part, **row})
        cpu = row["cpu_ns"] / max(row["sent"], 1)
        say(f"{part}: {peer.name} at {rate or 'max'}/s with {buffer >> 10} KiB: {row['lost']} of "
            f"{row['sent']} lost (kernel {row['kernel_drops']}), {cpu:.0f} ns, "
            f"{row['latency_ms']['median'] or math.nan:.1f} ms, {row['memory'] / 2**20:.1f} MiB")
        return row

    def rates(self):
        for _ in range(self.settings.rounds):
            for rate in self.settings.rates:
                for peer in self.roots:
                    self.one("rates", peer, rate, self.settings.receive_buffer)

    def buffers(self):
        for _ in range(self.settings.rounds):
            for buffer in self.settings.buffers:
                for peer in self.roots:
                    self.one("buffers", peer, self.settings.buffer_rate, buffer)

    def try_twice(self, peer, rate):
        """Repeats a run with loss once, because a pause of the machine may have caused the loss."""
        for _ in range(2):
            row = self.one("highest", peer, rate, self.settings.receive_buffer)
            if row is None or row["lost"] <= 0:
                return

    def highest(self):
        """Halves the range of the highest rate without loss repeatedly, on a logarithmic scale."""
        for _ in range(HIGHEST_STEPS):
            for peer in self.roots:
                low, high = table.bounds(self.found, peer.name)
                if high is not None and high / (low or HIGHEST_FROM) > CLOSE_ENOUGH:
                    self.try_twice(peer, round(math.sqrt((low or HIGHEST_FROM) * high)))


# --- all of it --------------------------------------------------------------------------------

def get_all(settings, found):
    """Returns the available programs with their folders."""
    roots = {}
    for peer in settings.peers:
        begin = time.monotonic()
        try:
            roots[peer] = getting.get(peer, settings.programs, settings.into / "peers")
            found["versions"][peer.name] = getting.version_of(peer, roots[peer])
            say(f"{peer.name} {found['versions'][peer.name]}, "
                f"had in {time.monotonic() - begin:.0f} s")
        except (getting.NotHere, OSError) as error:
            found["failed"][peer.name] = str(error)
            say(f"without {peer.name}: {error}")
    return roots


def memory_folder():
    """Returns a folder in memory, so that the comparison does not depend on the disk, or None."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def read_results(path):
    with contextlib.suppress(OSError):
        return json.loads(path.read_text(encoding="utf-8"))
    return {"machine": machine(), "versions": {}, "failed": {}, "seconds": 0, "runs": []}


def write_report(into, found):
    into.mkdir(parents=True, exist_ok=True)
    rows = ",\n  ".join(json.dumps(row) for row in found["runs"])
    head = json.dumps({key: value for key, value in found.items() if key != "runs"}, indent=1)
    (into / "results.json").write_text(
        head.rstrip().removesuffix("}").rstrip() + f',\n "runs": [\n  {rows}\n ]\n}}\n',
        encoding="utf-8")
    (into / "table.md").write_text(table.write(found), encoding="utf-8")
    (into / "curve.svg").write_text(curve.draw(found), encoding="utf-8")
    say(f"wrote {into}/table.md, curve.svg and results.json")


def compare(settings):
    path = settings.into / "results.json"
    found = read_results(path if settings.more or settings.report else pathlib.Path())
    if settings.report:
        write_report(settings.into, found)
        return 0
    begin = time.monotonic()
    roots = get_all(settings, found)
    if settings.get:
        return 0 if len(roots) == len(settings.peers) else NOT_HERE
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="sluice-compare.", dir=memory_folder()))
    try:
        measure_all(Comparison(settings, roots, scratch, found))
    finally:
        shutil.rmtree(scratch)
        found["seconds"] = round(found["seconds"] + time.monotonic() - begin)
        write_report(settings.into, found)
    return 0


def measure_all(comparison):
    # The first processor is for the sender and the measuring program, the last one for the measured
    # program.
    os.sched_setaffinity(0, {comparison.processors[0]})
    try:
        for part in PARTS:
            if part in comparison.settings.parts:
                getattr(comparison, part)()
    finally:
        os.sched_setaffinity(0, set(comparison.processors))
        comparison.limits.put_back()


def main(arguments):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # clean up first
    settings = parse(arguments)
    missing = [tool for tool in ("ss",) if not shutil.which(tool)]
    if not settings.report and missing:
        say("needs ss (Debian package iproute2)")
        return NOT_HERE
    if not settings.report and not (settings.programs / "sluice").exists():
        say(f"no {settings.programs}/sluice; tools/build makes it")
        return NOT_HERE
    return compare(settings)
