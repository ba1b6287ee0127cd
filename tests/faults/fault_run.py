"""One run of the program in a world: it starts, receives data, reloads, receives data again and
stops."""
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import time

from sluice_program import CHANGED, LEDGER, LOG_TIME, parse_json

HANGS = 30  # seconds after which a step of a run counts as hung
SLICE = 0.25
LISTENS = re.compile(r"listening on ((?:udp|tcp)://(\S+):(\d+)|unix:(\S+)) for (\w+)")
METRICS = re.compile(r"metrics at http://(\S+):(\d+)/metrics$")
OK = b"\x10\x01"  # an answer of Riemann: Msg with ok = true
ANSWERED = re.compile(rf"{CHANGED}|reload refused")


def _queues():
    """The port of each UDP socket, and the bytes in its receive queue."""
    for line in pathlib.Path("/proc/net/udp").read_text(encoding="ascii").splitlines()[1:]:
        _, local, _, _, queues, *_ = line.split()
        yield int(local.split(":")[1], 16), int(queues.split(":")[1], 16)


class Hangs(Exception):
    """A step of the run did not end."""


class Patience:
    """Waits until data can be read, up to a limit after which none will come.

    Time in which the whole test was stopped, as by a debugger, counts as one slice."""

    def __init__(self, seconds=HANGS):
        self._left = round(seconds / SLICE)

    def wait(self, file, meanwhile=lambda: None):
        while not select.select([file], [], [], SLICE)[0]:
            meanwhile()
            self._left -= 1
            if self._left == 0:
                raise Hangs


class Blind(Exception):
    """The failing call is one that writes the log, so the log does not show later events."""


class Run:
    """One run and its output. A world controls it, and checks examine it."""

    def __init__(self, program, world, folder, environment, is_blind=lambda: False,
                 may_be_silent=False, may_wait=False, settles=False, before=None):
        self.world = world
        self.is_blind = is_blind  # returns True if writes of the log fail, so that lines are lost
        self.may_be_silent = may_be_silent  # clients need not get an answer
        self.may_wait = may_wait  # the program may wait for ever; then the test stops it
        self.settles = settles  # the reload waits until all sent data was received
        self.folder = pathlib.Path(folder)
        self.sent = {}  # number of sent datagrams or frames, by the listener's name
        self.before = before  # the run that used the folder before this one
        self.numbers = [] if before is None else list(before.numbers)  # numbers of the sent records
        self.found = {}  # numbers of the found records, by the output's name
        self.letters = 0  # number of dead letters found
        self.answered = []  # numbers of the records that a listener has acknowledged
        self.changed = False
        self.hung = None
        self.code = None
        self._text = b""
        self._sockets = {}
        if before is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            (self.folder / "out").mkdir(parents=True)
        world.prepare(self)
        self._process = subprocess.Popen([program, *map(str, world.arguments(self))],
                                         env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._stderr = self._process.stderr.fileno()
        os.set_blocking(self._stderr, False)

    # The log.

    def _look_blind(self):
        """Ends a wait that cannot succeed any more."""
        if self.is_blind():
            raise Blind

    def lines(self):
        """All complete lines so far."""
        said = self._text.decode(errors="replace").split("\n")[:-1]
        return [re.sub(LOG_TIME, "", line) for line in said]

    def wait_for(self, reached, what, meanwhile=lambda: None):
        """Waits until reached(lines), or until the program ends. Returns whether it was reached."""
        patience = Patience()
        try:
            while not reached(self.lines()):
                patience.wait(self._stderr, meanwhile)
                part = os.read(self._stderr, 1 << 16)
                self._text += part
                if part == b"":
                    break
            return bool(reached(self.lines()))
        except Hangs:
            raise Hangs(f"waits for {HANGS} s until {what}") from None

    # The actions of the world.

    def drive(self):
        """The whole run. If it hangs, notes that and kills the program."""
        try:
            try:
                self._live()
            except Blind:
                pass
            if not self.world.ends_itself or self.may_wait:
                self._process.send_signal(signal.SIGTERM)
            self.wait_for(lambda lines: False, "it ends")
            self.code = self._process.wait(HANGS)
        except (Hangs, subprocess.TimeoutExpired) as error:
            self.hung = str(error)
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stderr.close()
            for one in self._sockets.values():
                one.close()
        return self

    def _live(self):
        if self.world.ends_itself and self.may_wait:
            self.wait_for(lambda lines: any("trying again" in line for line in lines),
                          "it ends, or waits for a file", self._look_blind)
        if not self.world.ends_itself and \
                self.wait_for(lambda lines: len(self._listening(lines)) >= self.world.listeners,
                         "it listens", self._look_blind):
            self.world.send(self)
            if self.settles:
                self._wait_received()
            self._reload()
            self.world.send(self)

    def _wait_received(self):
        """Waits until the sockets of the listeners are empty (proc(5), /proc/net/udp)."""
        ports = {place[1] for _, place, _ in self.listeners() if isinstance(place, tuple)}
        until = time.monotonic() + HANGS
        while any(received != 0 and port in ports for port, received in _queues()):
            if time.monotonic() > until:
                raise Hangs("does not receive what was sent")
            time.sleep(0.001)

    def _reload(self):
        self.world.change(self)
        self._process.send_signal(signal.SIGHUP)
        self.wait_for(lambda lines: any(map(ANSWERED.search, lines)), "it has reloaded it",
                      self._look_blind)
        self.changed = any(CHANGED in line for line in self.lines())

    @staticmethod
    def _listening(lines):
        return [found for found in map(LISTENS.search, lines) if found]

    def listeners(self):
        """The name, place and schema of each listener that has been reported so far."""
        return [(found[1], found[4] or (found[2], int(found[3])), found[5])
                for found in self._listening(self.lines())
                if self.world.listens(self, found[2] or found[4])]

    def next_number(self):
        """A new number for a record."""
        self.numbers.append(len(self.numbers) + 1)
        return self.numbers[-1]

    def send_datagram(self, place, name, datagram):
        if "datagrams" not in self._sockets:
            self._sockets["datagrams"] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sockets["datagrams"].sendto(datagram, place)
        self.sent[name] = self.sent.get(name, 0) + 1

    def _asked(self, family, place, question, enough, secured=None):
        """Sends a request and returns the answer, up to its end or to the expected length."""
        answer = b""
        try:
            if place not in self._sockets:
                self._sockets[place] = socket.socket(family, socket.SOCK_STREAM)
                self._sockets[place].settimeout(1 if self.may_be_silent else HANGS)
                self._sockets[place].connect(place)
                if secured is not None:
                    self._sockets[place] = secured.wrap_socket(self._sockets[place],
                                                               server_hostname="127.0.0.1")
            self._sockets[place].sendall(question)
            patience = Patience(SLICE if self.may_be_silent else HANGS)
            while not enough(answer):
                if secured is None:  # a TLS connection may hold bytes that were already read
                    patience.wait(self._sockets[place])
                part = self._sockets[place].recv(1 << 16)
                if not part:
                    raise ConnectionError
                answer += part
        except (Hangs, TimeoutError):
            if self.may_be_silent:
                self._sockets.pop(place).close()
                return answer
            raise Hangs(f"{place} does not answer to {question[:20]}") from None
        except OSError:
            self._sockets.pop(place).close()
        return answer

    def ask_frame(self, place, name, make, secured=None):
        """Sends a frame. The listener must answer it or end the connection."""
        number = self.next_number()
        body = make(number)
        family = socket.AF_INET if isinstance(place, tuple) else socket.AF_UNIX
        answer = self._asked(family, place, struct.pack(">I", len(body)) + body,
                             lambda answer: len(answer) > 4 and len(answer) >= 4 + answer[3],
                             secured)
        if answer[4:] == OK:
            self.answered.append(number)

    def ask_control(self, question):
        self._asked(socket.AF_UNIX, f"{self.folder}/control", question.encode() + b"\n",
                    lambda answer: answer.endswith(b"\n"))

    def ask_metrics(self, path):
        for found in filter(None, map(METRICS.search, self.lines())):
            self._asked(socket.AF_INET, (found[1], int(found[2])),
                        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                        .encode(), lambda answer: False)

    # The results of the run.

    def errors(self):
        return [line for line in self.lines() if "sluice: error: " in line]

    def started(self):
        """Returns true if the program has started to listen, or to read a capture."""
        return any("listening on " in line or "reading pcap:" in line for line in self.lines())

    def ledger(self):
        """The last ledger if it is the final one, otherwise None."""
        told = [line for line in self.lines() if LEDGER in line]
        if not told:
            return None
        try:
            last = parse_json(told[-1][told[-1].index(LEDGER):])
        except AssertionError:
            if self.is_blind():  # the ledger's line is incomplete
                return None
            raise
        return last if last["final"] else None
