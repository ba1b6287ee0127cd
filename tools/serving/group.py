"""One or several servers of one kind, with their folder, ports and processes.

FOLDER/servers.json contains their whole state, so that every call of tools/servers has it, even
after an interrupted one.
"""
import json
import os
import time

import processes
from failure import Failure
from kinds import KINDS
from ports import free_ports

PATIENCE = 15  # time limit for the stop of a node, in seconds
READY = 120  # time limit for the start of a group, in seconds
PAUSE = 0.05  # seconds between two checks


class Node:
    """`name`, `number` from 1, `folder`, `ports` by name, and the process."""

    def __init__(self, folder, number, ports, process=None):
        self.name = f"n{number}"
        self.number = number
        self.folder = folder / self.name
        self.ports = ports
        self.process = process

    def runs(self):
        return processes.runs(self.process)

    def log(self):
        return self.folder / "log"


class Group:
    """`kind` is a module of kinds.py, `host` the address of all nodes. `secure`: they have
    certificates and require a login (identity.py).
    """

    def __init__(self, folder, name, host, forward, secure, nodes):
        self.folder = folder
        self.name = name
        self.kind = KINDS[name]
        self.host = host
        self.forward = forward
        self.secure = secure
        self.nodes = nodes

    @classmethod
    def create(cls, folder, name, count, host, forward, secure):
        folder = folder.absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise Failure(f"{folder} is not empty; resume starts what is in it")
            names = KINDS[name].PORTS
            ports = free_ports(host, count * len(names))
        except OSError as error:
            raise Failure(str(error)) from None
        nodes = [Node(folder, number + 1, dict(zip(names, ports[number * len(names):])))
                 for number in range(count)]
        group = cls(folder, name, host, forward, secure, nodes)
        for node in nodes:
            node.folder.mkdir()
        group.save()
        return group

    @classmethod
    def load(cls, folder):
        folder = folder.absolute()
        try:
            known = json.loads((folder / "servers.json").read_text(encoding="utf-8"))
            return cls(folder, known["kind"], known["host"], known["forward"], known["secure"],
                       [Node(folder, each["number"], each["ports"], each["process"])
                        for each in known["nodes"]])
        except FileNotFoundError:
            raise Failure(f"{folder}: no servers were started there") from None
        except (OSError, ValueError, LookupError) as error:
            raise Failure(f"{folder / 'servers.json'}: {error}") from None

    def save(self):
        """Replaces servers.json atomically, so that it is never missing or incomplete."""
        new = self.folder / "servers.json.new"
        new.write_text(json.dumps({
            "kind": self.name, "host": self.host, "forward": self.forward,
            "secure": self.secure,
            "nodes": [{"number": node.number, "ports": node.ports, "process": node.process}
                      for node in self.nodes]}, indent=1) + "\n", encoding="utf-8")
        os.replace(new, self.folder / "servers.json")

    def place(self, node, port=None):
        """Returns ADDRESS:PORT of the named port, by default the port for clients."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{node.ports[port or self.kind.PORTS[0]]}"

    def address(self):
        """Returns the addresses for clients: ADDRESS:PORT of each node, separated by commas."""
        return ",".join(map(self.place, self.nodes))

    def running(self):
        return [node for node in self.nodes if node.runs()]

    def start(self, packages):
        """Starts all nodes for the first time. If one does not start, stops all."""
        self.kind.prepare(self, packages)
        self._begin(packages, self.nodes)

    def resume(self, packages, names):
        self._begin(packages, [node for node in self.named(names) if not node.runs()])

    def _begin(self, packages, nodes):
        try:
            for node in nodes:
                node.process = processes.begin(self.kind.command(self, node, packages), node.log(),
                                               node.folder)
                self.save()
            self._wait(nodes)
        except (Failure, OSError, KeyboardInterrupt) as error:
            self.end([node.name for node in nodes], at_once=True)
            if isinstance(error, Failure):
                raise
            raise Failure(f"{self.name}: {error}") from None

    def _wait(self, nodes):
        end = time.monotonic() + READY
        while True:
            ready = self.kind.is_ready(self)  # first, as it ignores nodes that have ended
            for node in nodes:
                if not node.runs():
                    raise Failure(f"{node.name} has ended:\n{self._last_words(node)}")
            if ready:
                return
            if time.monotonic() > end:
                raise Failure(f"not ready after {READY} s:\n" +
                              "\n".join(map(self._last_words, nodes)))
            time.sleep(PAUSE)

    @staticmethod
    def _last_words(node):
        lines = node.log().read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"  {node.name}: {line}" for line in lines[-8:])

    def end(self, names, at_once):
        nodes = self.named(names)
        processes.end([node.process for node in nodes], at_once, PATIENCE)
        for node in nodes:
            node.process = None
        self.save()

    def named(self, names):
        """Returns the nodes with these names, by default all."""
        known = {node.name: node for node in self.nodes}
        for name in names:
            if name not in known:
                raise Failure(f"{self.folder} has no node {name}; it has {', '.join(known)}")
        return [known[name] for name in names] if names else self.nodes

    def lines(self):
        """Yields a line for each node, in columns."""
        for node in self.nodes:
            places = " ".join(f"{port}={self.place(node, port)}" for port in node.ports)
            process = node.process["pid"] if node.process else "-"
            state = "runs" if node.runs() else "stopped" if node.process is None else "ended"
            yield f"{node.name}  {self.name}  {process}  {state}  {places}"
