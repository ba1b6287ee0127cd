"""Starts the built sluice, sends to it, and reads its output and its counts.

The environment selects the program under test: SLUICE is the program, TEST_SANITIZE its sanitizers,
or empty, TEST_THREADS is 1 to use one thread wherever possible, TEST_NOTIFIER the notifier, and the
variables of ../built.py.

No wait is longer than DEADLINE. A wait that fails is reported together with all output of the
program.
"""
import ctypes
import functools
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import unittest.mock

from built import STOP_SIGNAL, WINDOWS, command, skip
from orders import Orders

SLUICE = os.environ["SLUICE"]
SANITIZED = os.environ.get("TEST_SANITIZE", "") != ""
ONE_THREAD = os.environ.get("TEST_THREADS") == "1"
NO_TCP_LISTENER = "a tcp: listener has threads of its own"
ORDERS = Orders()
CAPTURES = pathlib.Path(__file__).resolve().parents[2] / "captures"

LOG_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (?=sluice: )"
DEADLINE = 90 if WINDOWS else 45  # seconds that any one step may take
SHORTEST_PAUSE, LONGEST_PAUSE = 0.001, 0.05  # seconds between two ledger requests
FLOOD_GROUP = 20  # datagrams per group of a Flood
# Seconds between two groups. Under Wine a receive takes a tenth of a millisecond.
FLOOD_REST = 0.005 if WINDOWS else 0.001
STOP_LIMIT = 10 if SANITIZED else 2  # time limit in seconds of a stop that does not have to wait for anything

ANY_PORT = "udp://127.0.0.1:0"
RIEMANN = ANY_PORT + "?schema=riemann"
TELEMETRY = ANY_PORT + "?schema=telemetry"

if "TEST_NOTIFIER" in os.environ:
    os.environ["SLUICE_NOTIFIER"] = os.environ["TEST_NOTIFIER"]
    if os.environ["TEST_NOTIFIER"] + " (not on this system)" in subprocess.run(
            command(SLUICE, "--version"), capture_output=True, text=True, timeout=DEADLINE,
            check=True).stdout:
        skip("this system does not have that notifier")


@functools.cache
def built_with(what):
    """Returns true if the program has that, as a line of --version says: "tls", "nats"."""
    said = subprocess.run(command(SLUICE, "--version"), capture_output=True, text=True,
                          timeout=DEADLINE, check=True).stdout
    return f"\n{what}: none" not in said


LEDGER = '{"final":'

# Log lines at the start of the program.
START = re.compile(r"sluice: (version \S+, process \d+, |sandbox: |reading pcap:|writing to |dead letters to |"
                   r"control at )")

# The system's message for a full disk, as a regular expression. Windows' messages are localised.
DISK_FULL = r"\(error 112\)" if WINDOWS else "No space left on device"

# The system's message for a missing file.
NO_FILE = "File not found" if WINDOWS else "No such file"

# The number of datagrams that fit in a socket's buffer even if the system grants only its default
# size.
BURST = 100


def _no_constant(name):
    raise AssertionError(f"{name} is no JSON")


def _no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise AssertionError(f"a key comes twice: {keys}")
    return dict(pairs)


def parse_json(text):
    """Parses strictly: no NaN, and no object with the same key twice."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise AssertionError(f"no JSON ({error}): {text!r}") from None


def parse_lines(data):
    """The JSON lines that `data` (bytes) consists of, each of them whole."""
    if data and not data.endswith(b"\n"):
        raise AssertionError(f"the last line is torn: {data[-200:]!r}")
    return [parse_json(line.decode("utf-8")) for line in data.split(b"\n")[:-1]]


def read_lines(path):
    return parse_lines(pathlib.Path(path).read_bytes())


def lines_so_far(path):
    """The complete JSON lines of a file that may not exist yet, or may be written at this moment.
    """
    path = pathlib.Path(path)
    data = path.read_bytes() if path.exists() else b""
    return parse_lines(data[:data.rfind(b"\n") + 1])


def wait_until(condition, what, seen=None):
    """Waits until `condition()` is true.

    `seen` returns the current state for the error message."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            there = "" if seen is None else f"; there is: {seen()}"
            raise AssertionError(f"waited {DEADLINE} s without success: {what}{there}")
        time.sleep(0.005)


def wait_for_bytes(descriptor):
    """Waits until a pipe has something to read."""
    if not select.select([descriptor], [], [], DEADLINE)[0]:
        raise AssertionError(f"waited {DEADLINE} s without success for the first bytes in a pipe")


def read_line(descriptor):
    """Reads the next line with its end. A terminal may return a line in several parts."""
    line = b""
    while not line.endswith(b"\n"):
        wait_for_bytes(descriptor)
        line += os.read(descriptor, 1)
    return line


# --- the ledger ---------------------------------------------------------------------------------

def _equal(what, left, right):
    if left != right:
        raise AssertionError(f"the ledger does not balance: {what}: {left} != {right}")


def _not_above(what, left, right):
    if left > right:
        raise AssertionError(f"the running ledger is ahead of itself: {what}: {left} > {right}")


def settled(sink):
    """Number of records whose outcome is known."""
    return (sink["written"] + sink["filtered"] + sink["evicted"] + sink["unknown"] +
            sink["spilled"] - sink["recovered"] + sum(sink["failed"].values()))


def is_still(sink):
    """Returns true if each of the sink's records is counted exactly once. For a moment, a record
    may be between two counters."""
    return sink["queued"] == settled(sink) + sink["in_flight"]


def has_done_with_all(sink):
    """Returns true if every decoded message has a known outcome."""
    return settled(sink) + sum(sink["refused"].values()) == sink["messages"]


CONNECTION_ENDS = ("closed", "frame_cut", "reset", "idle", "frame_timeout", "bad_frame",
                   "content_type", "tls_failed", "denied", "over_limit", "over_address_limit",
                   "unwatched", "stopped")
SESSION_ENDS = ("sessions_closed", "sessions_broken", "sessions_idle", "sessions_replaced",
                "sessions_stopped")
_LETTERS = ("truncated", "no_key", "forged", "stale", "replayed", "no_match", "segments_missing", "empty",
            "too_deep", "too_large", "malformed")


# The log line of a successful reload.
CHANGED = "configuration reloaded"


def with_letters(ledger):
    """Datagrams that were refused for a reason with dead letters."""
    return sum(listener["reasons"][reason] for listener in ledger["listeners"]
               for reason in _LETTERS)


def dropped(listener):
    """A listener's kernel drops, including filtered datagrams if it has a filter."""
    return listener.get("kernel_drops_and_filtered", listener.get("kernel_drops"))


def _letters_settled(letters):
    return letters["kept"] + sum(letters["dropped"].values())


def check_final_ledger(ledger, changed=False, segments=False):
    """Checks all sums of a ledger after the stop.

    `changed`: reloads have changed the configuration, so that a sink existed for only some of the
    messages; the sink's own count is used. `segments`: a message may come in several datagrams, so
    a datagram need not contain one."""
    _equal("final", ledger["final"], True)
    messages = 0
    for listener in ledger["listeners"]:
        name = listener["name"]
        _equal(f"{name}: received", listener["received"],
               listener["decoded"] + sum(listener["reasons"].values()))
        _equal(f"{name}: in assembly", listener["in_assembly"], 0)
        if listener["kind"] == "capture":
            _equal(f"{name}: frames", listener["frames"],
                   listener["received"] - listener["reassembled"] + listener["fragments"] +
                   listener["other"] + listener["cut"])
        if listener["kind"] in ("tcp", "unix"):
            _equal(f"{name}: connections", listener["connections"],
                   sum(listener[end] for end in CONNECTION_ENDS))
        if listener["kind"] == "dtls":
            _equal(f"{name}: sessions", listener["sessions"],
                   sum(listener[end] for end in SESSION_ENDS))
            _equal(f"{name}: handshakes", listener["handshakes"],
                   listener["sessions"] + listener["handshakes_failed"])
        if not segments:
            _not_above("decoded", listener["decoded"], listener["messages"])
        messages += listener["messages"]
    for sink in ledger["sinks"]:
        name = sink["name"]
        _equal(f"{name}: offered and decoded", sink["offered"], sink["messages"])
        if changed:
            _not_above(f"{name}: messages", sink["messages"], messages)
        else:
            _equal(f"{name}: messages", sink["messages"], messages)
        _equal(f"{name}: offered", sink["offered"],
               sink["queued"] + sum(sink["refused"].values()))
        _equal(f"{name}: queued", sink["queued"], settled(sink))
        _equal(f"{name}: in flight", sink["in_flight"], 0)
        _equal(f"{name}: raw", sink["raw_offered"], sink["raw_sent"] + sink["raw_refused"])
    if "dead_letters" in ledger:
        letters = ledger["dead_letters"]
        _equal("dead letters: offered and refused", letters["offered"], with_letters(ledger))
        _equal("dead letters: offered", letters["offered"], _letters_settled(letters))
    _equal("what the program itself says", ledger["balances"], True)


def check_running_ledger(ledger):
    """Checks relations that hold at any time, because the program reads the counts of sinks before
    those of listeners."""
    _equal("final", ledger["final"], False)
    for listener in ledger["listeners"]:
        _not_above("received", listener["decoded"] + sum(listener["reasons"].values()) +
                   listener["in_assembly"], listener["received"])
    messages = sum(listener["messages"] for listener in ledger["listeners"])
    for sink in ledger["sinks"]:
        _not_above("queued", settled(sink), sink["queued"])
        _not_above("offered", sink["queued"] + sum(sink["refused"].values()), sink["offered"])
        _not_above("decoded", sink["offered"], messages)
        _not_above("raw", sink["raw_sent"] + sink["raw_refused"], sink["raw_offered"])
    if "dead_letters" in ledger:
        letters = ledger["dead_letters"]
        _not_above("offered", _letters_settled(letters), letters["offered"])
        _not_above("refused", letters["offered"], with_letters(ledger))


# --- the kernel's data ----------------------------------------------------------------------------

def linux_sockets():
    """For each open UDP socket its port, queued bytes and dropped datagrams."""
    for table in ("udp", "udp6"):
        path = pathlib.Path("/proc/net", table)
        rows = path.read_text(encoding="ascii").splitlines()[1:] if path.exists() else []
        for row in map(str.split, rows):
            yield (int(row[1].rpartition(":")[2], 16), int(row[4].rpartition(":")[2], 16),
                   int(row[-1]))


def linux_drops(port):
    """Datagrams that Linux dropped at the open sockets of a port."""
    return sum(drops for each, _, drops in linux_sockets() if each == port)


def text_or_error(path):
    """The text of a file, or the reason that it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        return str(error)


def threads_of(process):
    """A line for each thread of a process: its name, state and signals, and the kernel function and
    the system call that it waits in."""
    lines = []
    for task in sorted(pathlib.Path(f"/proc/{process}/task").glob("*")):
        status = re.findall(r"^(?:Name|State|SigPnd|ShdPnd|SigBlk):.*",
                            text_or_error(task / "status"), re.MULTILINE)
        lines.append(" ".join([f"thread {task.name}:", *status, text_or_error(task / "wchan"),
                               text_or_error(task / "syscall")]))
    return lines


# --- a running program --------------------------------------------------------------------------

class Stream:
    """The lines of a stream so far, which a thread reads."""

    def __init__(self, stream):
        self._stream = stream
        self._changed = threading.Condition()
        self._lines = []
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._stream:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def lines(self, first=0):
        with self._changed:
            return self._lines[first:]

    def wait_for(self, found):
        """Waits until found(lines) is true or the stream has ended. Returns the last result of
        found()."""
        with self._changed:
            self._changed.wait_for(lambda: found(self._lines) or self._ended, DEADLINE)
            return bool(found(self._lines))

    def wait_for_end(self):
        self._thread.join(DEADLINE)
        with self._changed:
            return self._ended


def can_have_one_thread(arguments):
    """Returns true if --threads 1 changes only the number of threads of a command line."""
    return (arguments.count("--sink") < 2 and "--threads" not in arguments and
            not any("pcap:" in word or "receivers=" in word or word.startswith("http")
                    for word in map(str, arguments)))


# Skips a test if all of its command lines have several sinks, several receivers or a capture. With
# TEST_THREADS=1 it would start the same programs as without it.
same_with_one_thread = unittest.skipIf(
    ONE_THREAD, "its programs cannot have one thread: the run without TEST_THREADS is the same")


class Sluice:
    """One run of the program, or of `program`. `stdin` and `stdout` are descriptors or files; by
    default it has no input, and its output is collected. A test must close it."""

    def __init__(self, *arguments, program=SLUICE, ledger="json", stdin=subprocess.DEVNULL,
                 stdout=subprocess.PIPE, **more):
        if ledger is not None:
            arguments += ("--ledger", ledger)
        if ONE_THREAD and program == SLUICE and can_have_one_thread(arguments):
            arguments += ("--threads", "1")
        self.watch(subprocess.Popen(command(program, *arguments), stdin=stdin, stdout=stdout,
                                    stderr=subprocess.PIPE, **more))

    def watch(self, process):
        self.process = process
        self.stdout = Stream(self.process.stdout) if self.process.stdout else None
        self.stderr = Stream(self.process.stderr)
        self.segments = False  # messages may come in several datagrams
        self.names = []  # names of the UDP listeners that are open
        self.number = None  # process id according to the program; under Wine not that of Linux
        self._read = 0  # number of stderr lines that were searched for ledgers
        self._ledgers = []
        self._drops = {}  # datagrams that Linux has dropped at each listener, by name

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream, reader in ((self.process.stdout, self.stdout),
                               (self.process.stderr, self.stderr)):
            if stream is not None:
                reader.wait_for_end()
                stream.close()

    # The log.

    def log(self):
        """The program's stderr without ledgers and without the report of its start."""
        return [line for line in self.said() if LEDGER not in line and not START.match(line)]

    def said(self):
        """The same as log, without the time at the beginning of each line of text."""
        return [re.sub(LOG_TIME, "", line.decode().rstrip("\n")) for line in self.stderr.lines()]

    def ledgers(self):
        """Finds new ledgers on stderr. Commands share it, so a ledger may follow the beginning of
        another line."""
        new = self.stderr.lines(self._read)
        self._read += len(new)
        for line in map(bytes.decode, new):
            if LEDGER in line:
                self._ledgers.append(parse_json(line[line.index(LEDGER):]))
        return [self.with_drops(ledger) for ledger in self._ledgers]

    def look_at_drops(self):
        """Reads the dropped datagrams from Linux while the sockets are open. Windows does not count
        them."""
        if WINDOWS:
            for listener, name in enumerate(self.names):
                self._drops[name] = linux_drops(self.port(listener))

    def with_drops(self, ledger):
        """Adds these counts to a ledger if the system does not count drops (Windows, qemu)."""
        for listener in ledger["listeners"]:
            if WINDOWS or listener.get("kernel_drops", 0) is None:
                listener["kernel_drops"] = self._drops.get(listener["name"], 0)
        return ledger

    def fail(self, text):
        code = self.process.poll()
        state = (threads_of(self.process.pid) if code is None else
                 [f"it has ended, with exit code {code}"])
        raise AssertionError("\n".join([text, *state, "stderr was:", *self.said()]))

    def wait_for_log(self, pattern, count=1):
        """Waits until `count` lines of stderr contain `pattern`. Returns their matches."""
        expression = re.compile(pattern.encode())

        def matches(lines):
            return [found for found in map(expression.search, lines) if found]

        if not self.stderr.wait_for(lambda lines: len(matches(lines)) >= count):
            self.fail(f"timed out waiting for {count} lines with {pattern!r}")
        return matches(self.stderr.lines())

    def wait_for_listeners(self, count=1):
        """Waits until `count` sockets are bound and notes their names, udp://ADDRESS:PORT."""
        found = self.wait_for_log(r"listening on ((?:udp://|dtls://|tcp://|unix:)\S+) for .*, process (\d+)$", count)
        self.names = [each[1].decode() for each in found]
        self.number = next((int(each[2]) for each in found), None)
        return self

    def port(self, listener=0):
        return int(self.names[listener].rpartition(":")[2])

    def wait_for_lines(self, count):
        """Waits until it has written `count` lines to its stdout."""
        if not self.stdout.wait_for(lambda lines: len(lines) >= count):
            self.fail(f"timed out waiting for {count} lines, got {len(self.stdout.lines())}")

    def wait_for_output(self, count):
        """The same as wait_for_lines. Returns the parsed lines."""
        self.wait_for_lines(count)
        return self.output()

    def output(self):
        return parse_lines(b"".join(self.stdout.lines()))

    # The counts.

    def ledger_now(self):
        """The ledger that it prints when it is asked."""
        before = len(self.ledgers())
        self.ask_for_ledger()
        if not self.stderr.wait_for(lambda _: len(self.ledgers()) > before):
            self.fail("no ledger though it was asked for one")
        self.look_at_drops()
        ledger = self.ledgers()[before]
        check_running_ledger(ledger)
        return ledger

    def wait_for_ledger(self, reached, what):
        """Requests the ledger, less and less often, until reached(ledger) is true."""
        end = time.monotonic() + DEADLINE
        pause = SHORTEST_PAUSE
        while True:
            ledger = self.ledger_now()
            if reached(ledger):
                return ledger
            if time.monotonic() > end:
                self.fail(f"timed out waiting until {what}")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def wait_for_received(self, count, listener=0):
        """Waits until a listener has counted `count` datagrams, including kernel drops. The last
        one may have been received and not yet decoded."""
        def reached(ledger):
            counts = ledger["listeners"][listener]
            return (counts["decoded"] + sum(counts["reasons"].values()) + counts["in_assembly"] +
                    dropped(counts)) >= count
        return self.wait_for_ledger(reached, f"{count} datagrams were received")

    def wait_for_settled(self, count, sink=0):
        """Waits until the outcome of `count` records of a sink is known."""
        return self.wait_for_ledger(lambda ledger: settled(ledger["sinks"][sink]) >= count,
                                    f"{count} records have their outcome")

    # Signals. On Windows there are only two: Ctrl-C from the console, and the end of a process.
    # Other orders are sent by a command.

    def send_signal(self, number):
        """Sends a signal. Under Wine only the main thread may get it: Wine's handler allocates
        memory, and in a thread that is forking it would wait for malloc's lock for ever."""
        if not WINDOWS:
            self.process.send_signal(number)
        elif self.process.poll() is None:
            ctypes.CDLL(None).tgkill(self.process.pid, self.process.pid, int(number))

    def freeze(self):
        freeze(self.process)

    def ask_to_stop(self):
        self.send_signal(STOP_SIGNAL)

    def ask_for_ledger(self):
        self._ask("ledger", signal.SIGUSR1)

    def ask_to_reload(self):
        self._ask("reload", signal.SIGHUP)

    def _ask(self, request, number):
        if not WINDOWS:
            self.send_signal(number)
            return
        if self.number is None:
            self.fail("a program without a listener does not report its process id")
        ORDERS.give(request, self.number)

    # The end of the program.

    def finish(self, code=0, limit=DEADLINE):
        """Waits for the end of the program. Returns its last ledger, and checks each sum of it."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.fail(f"still running after {limit} s")
        for stream in (self.stderr, self.stdout):
            if stream is not None and not stream.wait_for_end():
                self.fail("it has ended and something holds its streams open")
        if self.process.returncode != code:
            self.fail(f"exit code {self.process.returncode}, not {code}")
        ledgers = self.ledgers()
        if not ledgers:
            return None
        check_final_ledger(ledgers[-1], any(CHANGED in line for line in self.said()),
                           self.segments)
        return ledgers[-1]

    def stop(self, number=None, code=0, limit=DEADLINE):
        """Stops the program, with this signal if it is given."""
        self.look_at_drops()
        if number is None:
            self.ask_to_stop()
        else:
            self.send_signal(number)
        return self.finish(code, limit)


def freeze(process):
    """Stops a child until SIGCONT. Returns when none of its threads runs any more, which may be
    later than the signal on a busy machine."""
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


class Sender:
    """A UDP socket that sends to one listener."""

    def __init__(self, program, listener=0, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.connect((host, program.port(listener)))
        self.program = program
        self.listener = listener
        host, port = self.socket.getsockname()[:2]
        self.source = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def send(self, datagram):
        self.socket.send(datagram)

    def send_all(self, datagrams, before=0):
        """Sends all datagrams without loss, at most BURST at a time.

        `before` is the number that the listener has already received. Returns the ledger after the
        last one."""
        ledger = None
        for start in range(0, len(datagrams), BURST):
            part = datagrams[start:start + BURST]
            for datagram in part:
                self.send(datagram)
            ledger = self.program.wait_for_received(before + start + len(part), self.listener)
        return ledger

    def close(self):
        self.socket.close()


class Flood:
    """Sends datagrams made from the numbers 1, 2, ... until it is ended: FLOOD_GROUP datagrams, a
    pause of FLOOD_REST, and so on. This keeps all threads busy, and leaves processor time to other
    tests."""

    def __init__(self, program, make, listener=0):
        self.sender = Sender(program, listener)
        self.make = make
        self.sent = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ended.is_set():
            for _ in range(FLOOD_GROUP):
                try:
                    self.sender.send(self.make(self.sent + 1))
                    self.sent += 1
                except ConnectionRefusedError:
                    pass  # the program has closed its socket
            time.sleep(FLOOD_REST)

    def end(self):
        self._ended.set()
        self._thread.join(DEADLINE)
        self.sender.close()


class ProgramTest(unittest.TestCase):
    """A test with a temporary folder. Kills its programs at its end."""

    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def control_address(self, name="control"):
        """The value of --control for this socket of the folder, or this pipe."""
        return f"pipe:{self.folder.name}-{name}" if WINDOWS else f"unix:{self.folder / name}"

    def leave_sandbox(self):
        """Disables the sandbox, for tests whose reloads add a folder, a port or a right that it
        would refuse."""
        variables = unittest.mock.patch.dict(os.environ, SLUICE_SANDBOX="off")
        variables.start()
        self.addCleanup(variables.stop)

    def launch(self, *arguments, **more):
        program = Sluice(*arguments, **more)
        self.addCleanup(program.close)
        return program

    def start(self, *arguments, listeners=1, **more):
        """Starts it and waits until it listens."""
        return self.launch(*arguments, **more).wait_for_listeners(listeners)

    def run_to_end(self, *arguments, code=0, **more):
        """Runs the program until it ends without a stop. Returns the program and its ledger."""
        program = self.launch(*arguments, **more)
        return program, program.finish(code)

    def sender(self, program, listener=0, host="127.0.0.1"):
        sender = Sender(program, listener, host)
        self.addCleanup(sender.close)
        return sender

    def flood(self, program, make, listener=0):
        flood = Flood(program, make, listener)
        self.addCleanup(flood.end)
        return flood

    def refused(self, *arguments, code, **more):
        """Runs the program, which must refuse to start: one line on stderr, which is returned, and
        no output."""
        program, _ = self.run_to_end(*arguments, code=code, ledger=None, **more)
        if program.stdout is not None:
            self.assertEqual(program.stdout.lines(), [])
        said = program.said()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], r"\Asluice: error: \S")
        return said[0]

    def check_refusals_are_reported(self, program, ledger, reason, what):
        """Asserts that refused Riemann datagrams are logged at most once a second, and that the
        first line contains `what`."""
        told = [line for line in program.log() if reason in line]
        self.assertLessEqual(len(told), 1 + ledger["uptime_seconds"])
        self.assertRegex(told[0], rf"{program.names[0]}: {reason}: datagram of {what} "
                         r"\(schema=riemann\)")

    def least_memory(self, *arguments):
        """The smallest --memory that these listeners and sinks accept."""
        said = self.refused("--check", *arguments, "--memory", "1MiB", code=78)
        least = said.rpartition("at least ")[2]
        self.assertRegex(least, r"\A\d+KiB\Z")
        return least
