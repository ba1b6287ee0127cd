"""One run: starts a program, sends datagrams for some time, and stops the program when it has
written them.

Lost datagrams are those sent minus those in the output. The kernel's drops are the counter of the
program's socket. The program's own counters are not used.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import time

import getting
import traffic
from peers import CONFIGURATIONS, PROTO

START_LIMIT = 20  # seconds from the start of a program to its open socket
DRAIN_LIMIT = 12  # seconds from the last datagram until the output stops growing
STOP_LIMIT = 15
WARM_UP = 0.3  # seconds from the open socket to the first datagram
STILL = 1.5  # the output has ended after this number of seconds without a new byte; more than any flush interval
PROBE_INTERVAL = 0.01
LOOK_INTERVAL = 0.001  # seconds between two checks of the output's size: the resolution of latencies


class Failed(Exception):
    """The run has no result: the program did not start, or did not listen."""


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def socket_state(port):
    """Returns the waiting bytes, the granted buffer and the drops of the socket at the port, or
    None if there is no socket."""
    listed = subprocess.run(["ss", "-Huanm", f"sport = :{port}"], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    found = re.findall(r"skmem:\(r(\d+),rb(\d+),.*?d(\d+)\)", listed)
    if not found:
        return None
    waiting, buffers, drops = zip(*(tuple(map(int, each)) for each in found))
    return sum(waiting), sum(buffers), sum(drops)


def tree(pid):
    """Returns the IDs of the process and its children."""
    pids = [pid]
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            pids.append(int(path.parent.name))
    return pids


def cpu_ns(pid):
    """Returns the processor time of the process and its children so far, with that of ended
    threads."""
    total = 0
    for each in tree(pid):
        try:
            total += time.clock_gettime_ns(~each << 3 | 2)  # CPUCLOCK_SCHED of a process
        except OSError:
            pass
    return total


def memory(pid, word="VmHWM"):
    """Returns the memory of the process and its children in bytes; VmHWM is the peak."""
    total = 0
    for each in tree(pid):
        try:
            status = pathlib.Path(f"/proc/{each}/status").read_text(encoding="ascii")
        except OSError:
            continue
        found = re.search(rf"{word}:\s+(\d+) kB", status)
        total += int(found[1]) << 10 if found else 0
    return total


class Sizes:
    """Records the size of the output over time."""

    def __init__(self, reader):
        self.reader = reader
        self.size = 0
        self.seen = []  # pairs of time and size

    def look(self):
        """Returns True if the output has grown since the last check."""
        path = self.reader.watched()
        try:
            size = path.stat().st_size if path else 0
        except OSError:
            size = 0
        if size == self.size:
            return False
        self.size = size
        self.seen.append((time.monotonic_ns(), size))
        return True

    def when(self, size):
        """Returns the time at which the output reached the size, or None."""
        low, high = 0, len(self.seen)
        while low < high:
            middle = (low + high) // 2
            if self.seen[middle][1] >= size:
                high = middle
            else:
                low = middle + 1
        return self.seen[low][0] if low < len(self.seen) else None


def write_configuration(peer, root, folder, port, buffer):
    output = folder / "output"
    words = {"PORT": port, "BUFFER": buffer, "OUTPUT": output, "FOLDER": folder, "PROTO": PROTO,
             "HERE": CONFIGURATIONS,
             "PLUGINS": root / "usr/lib/collectd", "TYPES": root / "usr/share/collectd/types.db"}
    path = folder / peer.configuration
    text = peer.text()
    for word, value in words.items():
        text = text.replace(f"@{word}@", str(value))
    path.write_text(text, encoding="utf-8")
    return path, peer.reader(output)


def start(peer, root, config, folder, port, processor):
    """Starts the program and waits for its socket."""
    log = open(folder / "log", "w+", encoding="utf-8")
    process = subprocess.Popen([str(word) for word in peer.command(root, config)], cwd=folder,
                               env=getting.environment(peer, root), stdin=subprocess.DEVNULL,
                               stdout=log, stderr=log,
                               preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
    limit = time.monotonic() + START_LIMIT
    while socket_state(port) is None:
        if process.poll() is not None or time.monotonic() > limit:
            stop(peer, process)
            log.seek(0)
            last = log.read().strip().splitlines()[-3:]
            log.close()
            raise Failed(f"{peer.name} does not listen: {' / '.join(last)}")
        time.sleep(0.02)
    log.close()
    time.sleep(WARM_UP)
    return process


def stop(peer, process):
    """Stops the program. Returns True if it ended by itself."""
    if process.poll() is None:
        process.send_signal(peer.stop_signal)
    try:
        process.wait(STOP_LIMIT)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def send(peer, programs, sources, port, rate, seconds, sizes):
    """Sends for `seconds`. Returns the number of datagrams, the seconds that the sender took, and
    the times of the probes."""
    make = traffic.PROBES[peer.traffic]
    went = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as prober:
        prober.connect(("127.0.0.1", port))
        sender, endless = traffic.start(peer.traffic, programs, sources, port, rate, seconds)
        begin = time.monotonic()
        due = begin
        while sender.poll() is None:
            now = time.monotonic()
            if endless and now > begin + seconds:
                sender.send_signal(signal.SIGINT)
                endless = False
            if now >= due and now < begin + seconds:
                number = len(went)
                went[number] = time.monotonic_ns()
                try:
                    prober.send(make(number, time.time_ns()))
                except ConnectionRefusedError:
                    went.pop(number)
                due += PROBE_INTERVAL
            sizes.look()
            time.sleep(LOOK_INTERVAL)
        output = sender.stderr.read()
    return (*traffic.sent(output), went)


def drain(process, port, sizes):
    """Waits until the socket is empty and the output stops growing."""
    limit = time.monotonic() + DRAIN_LIMIT
    still = time.monotonic()
    while time.monotonic() < limit and process.poll() is None:
        if sizes.look():
            still = time.monotonic()
        if time.monotonic() - still > STILL:
            state = socket_state(port)
            if state is None or state[0] == 0:
                return
            still = time.monotonic()
        time.sleep(LOOK_INTERVAL)


def latencies(went, probes, sizes):
    """Returns the sorted latencies of the received probes in milliseconds."""
    found = []
    for number, sent_at in went.items():
        seen = sizes.when(probes[number]) if number in probes else None
        if seen is not None:
            found.append((seen - sent_at) / 1e6)
    return sorted(found)


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def measure(peer, root, programs, sources, scratch, rate, buffer, seconds, processors):
    """Makes one run. Returns the values of a row of the report."""
    folder = scratch / peer.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = free_port()
    config, reader = write_configuration(peer, root, folder, port, buffer)
    process = start(peer, root, config, folder, port, processors[-1])
    try:
        granted = socket_state(port)[1]
        idle_memory = memory(process.pid, "VmRSS")
        sizes = Sizes(reader)
        begin_cpu, begin = cpu_ns(process.pid), time.monotonic()
        sent, sender_seconds, went = send(peer, programs, sources, port, rate, seconds, sizes)
        drain(process, port, sizes)
        state = socket_state(port)
        died = process.poll() is not None
        cpu, peak = cpu_ns(process.pid) - begin_cpu, memory(process.pid)
        window = time.monotonic() - begin
    finally:
        stopped = stop(peer, process)
    sizes.look()
    written, probes = reader.read()
    shutil.rmtree(folder)
    drops = state[2] if state else None
    total = sent + len(went)
    times = latencies(went, probes, sizes)
    return {
        "peer": peer.name, "rate": rate, "offered": round(total / sender_seconds),
        "receive_buffer": buffer, "granted": granted, "seconds": sender_seconds,
        "sent": total, "written": written, "lost": total - written, "kernel_drops": drops,
        "cpu_ns": cpu, "window": round(window, 3), "memory_idle": idle_memory, "memory": peak,
        "latency_ms": {"median": quantile(times, 0.5), "p99": quantile(times, 0.99),
                       "most": times[-1] if times else None, "probes": len(went),
                       "seen": len(times)},
        **({"died": True} if died else {}), **({} if stopped else {"killed": True}),
    }


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None
