"""Three collectors behind one address, in the network of tools/packaging/fleet.md.

The script's own namespace is the router. It has a link to the host of the senders, and a bridge to
those of the collectors."""
import ctypes
import os
import pathlib
import re
import socket
import subprocess
import threading

from built import command
from control_client import ControlClient
from readme import SOURCE, blocks
from sluice_program import SLUICE, ProgramTest, Sluice, wait_until

PAGE = SOURCE / "tools" / "packaging" / "fleet.md"
SERVICE, PORT = "192.0.2.1", 5555
ROUTER = "198.51.100.1"
COLLECTORS = ("198.51.100.11", "198.51.100.12", "198.51.100.13")
SENDERS = "203.0.113.2"
CLONE_NEWNET = 0x40000000

# A command that succeeds only if this network can be set up, for namespaces.run_tests.
PROBE = ["bash", "-c", "ip link add probe type bridge && nft add table ip probe"]


def of_page(language, *words):
    """The only code block of the page in this language that contains these words."""
    found = [text for kind, text in blocks(PAGE) if kind == language and
             all(word in text for word in words)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} blocks of {language} with {words} in {PAGE}")
    return found[0]


def shell(text, folder=None):
    """Runs commands of the page on the router. Returns their output."""
    done = subprocess.run(["bash", "-ec", text], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{text}\n{done.stderr}")
    return done.stdout


class Host:
    """A host with a network and a host name in namespaces, which exist as long as a sleeping
    process."""

    def __init__(self, test, name):
        self._links = []
        self._process = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "infinity"])
        test.addCleanup(self._close)
        number = self._process.pid
        self.enter = ["nsenter", "--target", str(number), "--net", "--uts", "--"]
        wait_until(lambda: pathlib.Path(f"/proc/{number}/comm").read_text() == "sleep\n",
                   "a namespace is there")
        self.run("hostname", name)
        self.run("ip", "link", "set", "lo", "up")

    def _close(self):
        """Deletes the links. They would disappear with the namespace as well, but only some time
        after the process has ended."""
        for name in self._links:
            shell(f"ip link delete {name}")
        self._process.kill()
        self._process.wait()

    def run(self, *words):
        shell(" ".join([*self.enter, *words]))

    def link(self, there, address, gateway):
        """Creates a link to the router. The router's end is named `there`."""
        shell(f"ip link add {there} type veth peer name eth0 netns {self._process.pid}")
        self._links.append(there)
        shell(f"ip link set {there} up")
        self.run("ip", "address", "add", f"{address}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")
        self.run("ip", "route", "add", "default", "via", gateway)

    def sockets(self, count):
        """Opens UDP sockets on this host, each with another port."""
        made = []

        def make():
            libc = ctypes.CDLL(None, use_errno=True)
            with open(f"/proc/{self._process.pid}/ns/net", "rb") as namespace:
                if libc.setns(namespace.fileno(), CLONE_NEWNET) == 0:  # only the namespace of this thread
                    made.extend(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                                for _ in range(count))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if len(made) != count:
            raise AssertionError("no socket in a namespace")
        return made


class Collector(Sluice):
    """A collector on a host. Its folder has its control socket."""

    def __init__(self, host, folder, *arguments):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.watch(subprocess.Popen(
            [*host.enter, *command(SLUICE, *arguments, "--ledger", "json")], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def snapshots(self):
        """A control client, which only requests the ledger."""
        return ControlClient(f"unix:{self.folder / 'control'}")


class FleetTest(ProgramTest):
    def setUp(self):
        super().setUp()
        shell(f"ip link set lo up; sysctl -qw net.ipv4.ip_forward=1; "
              f"ip link add collectors type bridge; ip address add {ROUTER}/24 dev collectors; "
              f"ip link set collectors up")
        self.addCleanup(shell, "ip link delete collectors; nft flush ruleset")
        self.senders = Host(self, "senders")
        self.senders.link("senders", SENDERS, "203.0.113.1")
        shell("ip address add 203.0.113.1/24 dev senders")
        self.hosts = []
        for number, address in enumerate(COLLECTORS, 1):
            host = Host(self, f"collector{number}")
            host.link(f"collector{number}", address, ROUTER)
            shell(f"ip link set collector{number} master collectors")
            self.hosts.append(host)
        self.rules = of_page("nft", "delete table ip fleet")

    def start_collectors(self, arguments):
        """Starts one collector on each host, with these arguments."""
        self.collectors = [self.start_collector(number, arguments) for number in (1, 2, 3)]

    def start_collector(self, number, arguments):
        collector = Collector(self.hosts[number - 1], self.folder / f"collector{number}",
                              *arguments)
        self.addCleanup(collector.close)
        return collector.wait_for_listeners(1)

    def spread(self):
        """Configures the router with fleet.nft and the commands of the page."""
        (self.folder / "count.nft").write_text(of_page("nft", "fleet_count"), encoding="ascii")
        (self.folder / "fleet.nft").write_text(self.rules, encoding="ascii")
        shell(of_page("sh", "nft -f"), self.folder)

    def spread_otherwise(self, rules):
        """Loads fleet.nft again with other rules."""
        (self.folder / "fleet.nft").write_text(rules, encoding="ascii")
        shell("nft -f fleet.nft", self.folder)

    def without_second(self):
        """The rules of the page, without collector 2."""
        buckets = of_page("nft", "1 : 198.51.100.11")
        return re.sub(r"(?m)^ *0 : .*\n.*\n", lambda _: buckets, self.rules, count=1)

    def counted(self):
        """The number of datagrams that the router sent to each collector."""
        listed = shell("nft list table ip fleet_count")
        return [int(re.search(rf"{re.escape(address)} .*counter packets (\d+)", listed)[1])
                for address in COLLECTORS]
