"""Configurations of the program for fault injection, and the traffic for each."""
import contextlib
import json
import os
import pathlib
import socket
import struct

from fault_outputs import Fed, Files, Relayed, count_letters, of_gzip, of_lines, of_packets, of_table
from protobuf import gauge, metric
from sealing import AUTHENTICATED, Key, Session, write_keys


class World:
    """A configuration, a second one that a reload applies, and the environment of the program.

    It serves one run after the other, each with its own folder, until it is closed."""
    name = None
    listeners = 1
    ends_itself = False
    NEEDS = ()  # programs that must be installed
    codes = ()  # allowed exit codes in addition to those of fault_checks
    secured = None  # what clients of tcp: listeners trust, if these use TLS

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._cleanup = contextlib.ExitStack()
        self.addCleanup = self._cleanup.callback  # as tests call it; pylint: disable=invalid-name

    def close(self):
        self._cleanup.close()

    def prepare(self, run):
        """Prepares a run. The folder may be that of an earlier run."""
        self._write(run, 0)

    def change(self, run):
        self._write(run, 1)

    def _write(self, run, number):
        config = {"ledger": "json", "stop-timeout": "3s", "memory": "20MiB",
                  **self.config(run, number)}
        new = run.folder / "new.yaml"
        new.write_text(json.dumps(config), encoding="utf-8")
        new.replace(run.folder / "sluice.yaml")

    def arguments(self, run):
        return ["--config", run.folder / "sluice.yaml"]

    def config(self, run, number):
        """The configuration file with this number, 0 or 1."""
        raise NotImplementedError

    def listens(self, run, address):
        """Returns true if a listener on this address exists now."""
        return True

    def send(self, run):
        """Sends a few records to each listener, and data that is not a record."""
        for name, place, schema in run.listeners():
            if name.startswith(("tcp:", "unix:")):
                run.ask_frame(place, name, metric, self.secured)
                continue
            for _ in range(3):
                run.send_datagram(place, name, (metric if schema == "riemann" else gauge_of)
                                  (run.next_number()))
            run.send_datagram(place, name, b"\xff")

    def outputs(self, run):
        """The run's output, as objects of fault_outputs."""
        raise NotImplementedError

    def letters(self, run):
        """The number of dead letters in their file, or None if there is no file."""
        return None


def gauge_of(number):
    return gauge("cpu", number)


# The incomplete line that a killed run has left in a file. It begins like a line of the json
# encoder; the program would not remove any other text.
BEGUN = '{"time":"2026-01-01T00:00:00.000000000Z","name":"c'
TORN = BEGUN.encode()


class Plain(World):
    """A socket, and a file that already has content."""
    name = "plain"

    def prepare(self, run):
        super().prepare(run)
        if run.before is None:
            line = f'{BEGUN}","value":{run.next_number()}}}\n'.encode()
            (run.folder / "out/lines").write_bytes(line + TORN)

    def config(self, run, number):
        return {"listeners": [f"udp://127.0.0.1:0?schema=riemann&rate_limit={1000 + number}"],
                "sinks": [f"file:{run.folder}/out/lines"]}

    def outputs(self, run):
        def read(data):
            """Ignores the incomplete line: a start removes or completes it, and a refused start may
            leave it."""
            data = data.replace(TORN + b"\n", b"")
            return of_lines(data.removesuffix(TORN) if run.ledger() is None else data)

        return [Files(run.folder / "out", "lines", read, there=1)]


class Capture(World):
    """A capture that is read to its end, and a file."""
    name = "capture"
    listeners = 0
    ends_itself = True
    codes = (65,)  # bad input data

    def prepare(self, run):
        super().prepare(run)
        if run.before is None:
            messages = [metric(run.next_number()) for _ in range(30)]
            (run.folder / "in.pcap").write_bytes(capture_of([*messages, b"\xff"]))

    def config(self, run, number):
        return {"listeners": [f"pcap:{run.folder}/in.pcap?port=5555&schema=riemann"],
                "sinks": [f"file:{run.folder}/out/{self._output(run)}?fsync=interval"]}

    @staticmethod
    def _output(run):
        return "lines" if run.before is None else "again"

    def outputs(self, run):
        return [Files(run.folder / "out", self._output(run))]


def capture_of(datagrams):
    """A pcap file of IPv4 packets with these datagrams, to port 5555."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 101)
    for datagram in datagrams:
        size = 28 + len(datagram)
        data += struct.pack("<IIII", 1700000000, 0, size, size)
        data += struct.pack(">BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, 17, 0, bytes([192, 0, 2, 1]),
                            bytes([192, 0, 2, 2]))
        data += struct.pack(">HHHH", 40000, 5555, 8 + len(datagram), 0) + datagram
    return data


class Local(World):
    """Unix sockets: one that a killed run has left behind, and one whose path a reload gives to
    another listener."""
    name = "local"
    listeners = 2

    def prepare(self, run):
        super().prepare(run)
        if run.before is None:
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(str(run.folder / "left"))

    def config(self, run, number):
        owner = f"&owner={os.geteuid()}:{number if os.geteuid() == 0 else os.getegid()}"
        return {"memory": "100MiB",
                "listeners": [f"unix:{run.folder}/left?schema=riemann&mode=06{number}0{owner}",
                              f"unix:{self._place(run, number)}?schema=riemann"],
                "sinks": [f"file:{run.folder}/out/lines"]}

    @staticmethod
    def _place(run, number):
        return f"{run.folder}/{('first', 'second')[number]}"

    def listens(self, run, address):
        return address != self._place(run, 0 if run.changed else 1)

    def outputs(self, run):
        return [Files(run.folder / "out", "lines")]


class Wide(World):
    """A bit of every feature that needs no server and, except for metrics, no other library."""
    name = "wide"
    listeners = 4

    def __init__(self, folder):
        super().__init__(folder)
        self.relayed = Relayed()
        self.addCleanup(self.relayed.close)

    def prepare(self, run):
        self.relayed.numbers()
        super().prepare(run)

    def config(self, run, number):
        out = run.folder / "out"
        return {
            "memory": "160MiB", "notifier": "epoll",
            "control": f"unix:{run.folder}/control", "metrics": "127.0.0.1:0",
            "dead-letter": f"file:{out}/letters.pcapng?rate=100&mode=0600",
            "listeners": [
                "udp://127.0.0.1:0?schema=riemann&interface=lo",
                f"udp://127.0.0.1:0?schema=telemetry&rate_limit={1000 + number}&allow=127.0.0.0/8",
                f"udp://127.0.0.{2 + number}:0?schema=riemann&receivers=2&spread=datagram",
                f"tcp://127.0.0.1:0?schema=riemann&max_connections={50 + 50 * number}"
                f"&max_frame={64 + 64 * number}KiB&idle_timeout={60 + number}s",
            ],
            "sinks": [
                f"file:{out}/plain?fsync=interval&exclude=none*&mode=0604", f"command:cat >>{out}/command",
                f"file:{out}/by-%{{source}}.csv?format=csv",
                f"file:{out}/rotated.{number}.gz?compress=gzip&rotate_interval=1h&fsync=close&mode=0604",
                f"file:{out}/{number}.pcap?format=pcap",
                f"{self.relayed.name}?format=datagram",
            ]}

    def listens(self, run, address):
        return address != ("127.0.0.2" if run.changed else "127.0.0.3")

    def send(self, run):
        super().send(run)
        run.ask_control("ledger")
        run.ask_control("senders")
        run.ask_metrics("/metrics")
        run.ask_metrics("/healthz")

    def outputs(self, run):
        out = run.folder / "out"
        return [
            Files(out, "plain"), Fed(out, "command", name="command:cat"),
            Files(out, "by-*", of_table, f"file:{out}/by-%{{source}}.csv"),
            Files(out, "rotated.0*", of_gzip, f"file:{out}/rotated.0.gz"),
            Files(out, "rotated.1*", of_gzip, f"file:{out}/rotated.1.gz"),
            Files(out, "0.pcap", of_packets), Files(out, "1.pcap", of_packets), self.relayed]

    def letters(self, run):
        path = run.folder / "out/letters.pcapng"
        return count_letters(path.read_bytes()) if path.exists() else 0


class Sealed(World):
    """Sealed datagrams with a state file. A reload adds a key. Each later start gets the datagrams
    of the previous run again, and must not accept them."""
    name = "sealed"

    def __init__(self, folder):
        super().__init__(folder)
        self.first, self.second = Key("first"), Key("second")
        self.earlier = []

    def prepare(self, run):
        if run.before is None:
            self.earlier.clear()
            (run.folder / "kept").mkdir()
        self.sessions = [Session(key, AUTHENTICATED) for key in (self.first, self.second)]
        super().prepare(run)

    def config(self, run, number):
        keys = run.folder / "keys"
        write_keys(keys, self.first, *([self.second] if number else []))
        return {"memory": "30MiB",
                "listeners": [f"udp://127.0.0.1:0?schema=riemann&framing=sealed&keys={keys}&"
                              f"state={run.folder}/kept/state&rate_limit={1000 + number}"],
                "sinks": [f"file:{run.folder}/out/lines"]}

    def send(self, run):
        again = list(self.earlier) if run.before is not None else []
        for name, place, _ in run.listeners():
            for session in self.sessions:
                datagram = session.seal(metric(run.next_number()))
                self.earlier.append(datagram)
                again += [datagram, datagram, datagram[:-1]]
            for datagram in again:
                run.send_datagram(place, name, datagram)

    def outputs(self, run):
        return [Files(run.folder / "out", "lines")]


WORLDS = {world.name: world for world in (Plain, Capture, Local, Wide, Sealed)}
