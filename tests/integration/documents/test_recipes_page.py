"""Each recipe in tools/packaging/recipes.md works as written. Its command runs with free ports and
the test's folder, and receives messages that are built here from the public field numbers. The line
on the page must be among the lines that it writes."""
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import unittest

from built import nothing_on_windows
from ports import free_port
from protobuf import (
    double, fixed32, float32, integer, message, text)
from readme import BLOCK, SOURCE
from sending import WEATHER
from shell import ConsumerTest
from sluice_program import CAPTURES, DEADLINE, SLUICE
from test_frame_streams import START, STOP, control, frame
from test_udp_notif import segments

nothing_on_windows("there is no tcp listener")

PAGE = SOURCE / "tools" / "packaging" / "recipes.md"
EXAMPLES = WEATHER.parent
SCHEMAS = CAPTURES.parent / "proto"  # the tests' own, in place of the vendors'

TIME = 1795176000  # 2026-11-20T12:00:00Z
ARRIVAL = re.compile(r"\d{19}$")
COUNTERS = "Cisco-IOS-XR-infra-statsd-oper:infra-statistics/interfaces/interface/generic-counters"
INTERFACE = "Gi0/0/0/1"
CLIENT = socket.inet_aton("192.0.2.7")


def sections():
    """The title of each recipe, and its pairs of a command and the line below it."""
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        blocks = BLOCK.findall(part)
        yield part.partition("\n")[0], [
            (command.strip(), shown.strip())
            for (language, command), (_, shown) in zip(blocks, blocks[1:]) if language == "sh"]


# --- the senders' messages ------------------------------------------------------------------------

def junos():
    interface = text(1, "ge-0/0/0") + message(7, integer(2, 1000))
    return (text(1, "r1") + text(4, "if") + integer(5, 1) + integer(6, TIME * 1000) +
            message(101, message(2636, message(3, message(1, interface)))))


def mdt(body):
    """A message of Cisco after its header."""
    return struct.pack("!HHHHI", 1, 1, 1, 0, len(body)) + body


def named(name, *values):
    """A field of GPB-KV."""
    return message(15, text(2, name) + b"".join(values))


def kv_row(interface, counters):
    return message(11, integer(1, 1700000000000) +
                   named("keys", named("interface-name", text(5, interface))) +
                   named("content", *(named(name, integer(8, value))
                                      for name, value in counters.items())))


def kv(*rows):
    return text(1, "r1") + text(6, COUNTERS) + b"".join(rows)


def compact():
    row = (integer(1, 1700000000000) + message(10, text(1, INTERFACE)) +
           message(11, integer(51, 7) + integer(53, 8)))
    return text(1, "r1") + text(6, COUNTERS) + message(12, message(1, row))


def huawei():
    interface = text(25, "Eth-Trunk1") + message(35, integer(7, 1000) + integer(10, 2000))
    row = integer(1, TIME * 1000 + 419) + message(11, message(5, message(1, interface)))
    return (text(1, "ne1") + text(3, "huawei-ifm:ifm/interfaces/interface/ifStatistics") +
            integer(6, TIME * 1000 + 514) + message(7, message(1, row)) +
            text(13, "huawei_ifm.Ifm"))


def dnstap(kind):
    asked = (integer(1, kind) + integer(2, 1) + integer(3, 1) + message(4, CLIENT) +
             integer(6, 4000) + integer(8, TIME) + fixed32(9, 250000000) + message(10, b"\0" * 12))
    one = text(1, "ns1") + message(14, asked) + integer(15, 1)
    return control(START, b"protobuf:dnstap.Dnstap") + frame(one) + control(STOP)


def powerdns():
    answer = integer(1, 3) + integer(5, TIME - 1) + integer(6, 900000) + integer(11, 3)
    one = (integer(1, 2) + message(3, b"rec1") + integer(4, 1) + integer(5, 1) +
           message(6, CLIENT) + integer(8, 60) + integer(9, TIME) + integer(10, 250000) +
           message(12, text(1, "www.example.test.") + integer(2, 1) + integer(3, 1)) +
           message(13, answer) + message(22, text(1, "pool") + message(2, text(1, "a"))) +
           message(23, integer(1, 12000) + integer(2, 1) + integer(3, 1)))
    return struct.pack("!H", len(one)) + one


def robot(number, x, y):
    return float32(1, 0.95) + integer(2, number) + float32(3, x) + float32(4, y)


def robocup():
    return message(1, integer(1, 71) + double(2, TIME + 0.25) + double(3, TIME + 0.26) +
                   integer(4, 2) + message(5, float32(1, 0.9) + float32(3, 12) + float32(4, -7)) +
                   message(6, robot(3, -900, 30)) + message(7, robot(3, 1520.5, -310)))


def meshtastic():
    return (fixed32(1, 0xABCDEF01) + fixed32(2, 0xFFFFFFFF) + integer(3, 8) +
            message(5, b"sealed") + fixed32(6, 5) + fixed32(7, TIME) + float32(8, 6.25) +
            integer(9, 2) + integer(12, -92) + integer(15, 3))


def zwift():
    rider = integer(1, 4711) + integer(2, 123456700) + integer(11, 141) + integer(12, 230)
    return integer(1, 1) + integer(4, 5) + message(8, rider)


def pinba():
    return (text(1, "web1") + text(2, "shop") + text(3, "/cart.php") + integer(4, 1) +
            integer(5, 2048) + integer(6, 4096) + float32(7, 0.25) + float32(8, 0.125) +
            float32(9, 0.5) + integer(16, 200))


# --- the recipes ----------------------------------------------------------------------------------

class Recipe(ConsumerTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCHEMAS / "recipes", self.folder, dirs_exist_ok=True)
        shutil.copytree(SCHEMAS / "junos", self.folder / "junos")
        for name in ("dnstap", "mdt", "pinba", "powerdns"):
            shutil.copy(EXAMPLES / f"{name}.proto", self.folder)
        head = (EXAMPLES / "mdt.proto").read_text(encoding="utf-8")
        head = head.replace("package mdt;", "package telemetry;")
        head = head.replace("message Row {", "message Row {\n  bool delete = 2;", 1)
        (self.folder / "cisco" / "telemetry.proto").write_text(head, encoding="utf-8")

    def adapted(self, line):
        """The command with free ports, on loopback, and without options that need root."""
        for word, instead in (
                (r"(udp|tcp)://(?:0\.0\.0\.0|127\.0\.0\.1):\d+", r"\1://127.0.0.1:0"),
                (r"(udp://224\.[\d.]+):\d+", rf"\1:{free_port()}"),
                ("interface=eth0", "interface=lo"),
                ("unix:/run/sluice/", f"unix:{self.folder}/"),
                ("owner=sluice:bind", f"owner={os.getuid()}:{os.getgid()}")):
            line = re.sub(word, instead, line)
        return line

    def run_command(self, line):
        shutil.rmtree(self.folder / "bin", ignore_errors=True)
        return self.shell(self.adapted(line), cwd=self.folder)

    def deliver(self, program, *parts):
        """Sends the parts to the listener, as datagrams or as one stream, depending on its
        address."""
        name = program.names[0]
        if name.startswith("udp://"):
            host, _, port = name.removeprefix("udp://").rpartition(":")
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                                  socket.inet_aton("127.0.0.1"))
                for part in parts:
                    sender.sendto(part, (host, int(port)))
            return
        if name.startswith("unix:"):
            client = socket.socket(socket.AF_UNIX)
            client.connect(name.removeprefix("unix:"))
        else:
            client = socket.create_connection(("127.0.0.1", program.port()), DEADLINE)
        self.addCleanup(client.close)
        for part in parts:
            client.sendall(part)
        client.shutdown(socket.SHUT_WR)

    def outcome(self, line, *parts, control_frames=0):
        """Runs a command and sends it these parts. Returns its lines and its ledger."""
        program = self.run_command(line)
        program.segments = "udp-notif" in line
        self.deliver(program, *parts)
        program.wait_for_received(len(parts) + control_frames)
        program.wait_for_settled(program.ledger_now()["listeners"][0]["messages"])
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual((listener["received"], listener["decoded"]),
                         (len(parts) + control_frames, len(parts)))
        self.assertEqual(listener["unknown_fields"], 0)
        return [each.decode().strip() for each in program.stdout.lines()], ledger

    def check(self, title, *sent, arrival=False, control_frames=0, instead=("", "")):
        """Checks the pairs of a section. `sent` has the parts to send to each command."""
        pairs = dict(sections())[title]
        self.assertEqual(len(pairs), len(sent))
        for (line, shown), parts in zip(pairs, sent):
            lines, _ = self.outcome(line.replace(*instead), *parts, control_frames=control_frames)
            if arrival:
                lines = [ARRIVAL.sub("ARRIVAL", each) for each in lines]
                shown = ARRIVAL.sub("ARRIVAL", shown)
            self.assertIn(shown, lines)


class Recipes(Recipe):
    def test_of_junos(self):
        self.check("Junos native sensors", [junos()])

    def test_of_cisco_s_named_values(self):
        sent = [mdt(kv(kv_row(INTERFACE, {"bytes-sent": 8})))]
        self.check("Cisco, GPB-KV", sent)
        self.check("Cisco, GPB-KV", sent, instead=("tcp://", "udp://"))

    def test_of_cisco_s_compact_rows(self):
        self.check("Cisco, compact GPB", [mdt(compact())])
        self.check("Cisco, compact GPB", [mdt(compact())], instead=("udp://", "tcp://"))

    def test_of_both_encodings_of_cisco_on_one_port(self):
        (line, shown), = dict(sections())["Cisco, compact GPB"]
        line = line.replace("value=data_gpb.*", "value=data_gpb.*,data_gpbkv.*")
        lines, _ = self.outcome(line, mdt(compact()),
                                mdt(kv(kv_row(INTERFACE, {"bytes-sent": 8}))))
        self.assertIn(shown, lines)
        self.assertEqual(sorted(each.split(",")[0] for each in lines), [
            "data_gpbkv.content/bytes-sent",
            *("ifstatsbag_generic." + each for each in (
                "bytes_received", "bytes_sent", "packets_received", "packets_sent"))])

    def test_of_huawei(self):
        self.check("Huawei", [b"\0" * 12 + huawei()])

    def test_of_a_message_in_segments(self):
        self.check("UDP-Notif: Huawei, Nokia and others", segments(7, huawei(), 2))

    def test_of_dnstap_by_both_ways(self):
        self.check("dnstap: unbound, BIND, Knot", [dnstap(5)], [dnstap(6)], control_frames=2)

    def test_of_powerdns(self):
        self.check("PowerDNS and dnsdist", [powerdns()])

    def test_of_robocup(self):
        self.check("RoboCup SSL vision", [robocup()], arrival=True)

    def test_of_meshtastic(self):
        self.check("Meshtastic", [meshtastic()])

    def test_of_zwift(self):
        self.check("Zwift", [zwift()], arrival=True)

    def test_of_pinba(self):
        self.check("Pinba", [pinba()], arrival=True)

    def test_of_sealed_datagrams(self):
        """All steps from the creation of a key to a line with the sender's name."""
        part = PAGE.read_text(encoding="utf-8").partition("\n## Sealed datagrams\n")[2]
        (_, make), (_, listen), (_, send), (_, shown) = BLOCK.findall(part)
        environment = {**os.environ, "PATH": f"{pathlib.Path(SLUICE).parent}:{os.environ['PATH']}"}

        def run(line):
            subprocess.run(["bash", "-c", line], cwd=self.folder, env=environment, check=True,
                           timeout=DEADLINE)

        run(make)
        program = self.run_command(listen.strip())
        run(send.replace("udp://127.0.0.1:5555", f"udp://127.0.0.1:{program.port()}"))
        program.wait_for_received(1)
        program.stop()
        line, = program.output()
        page = json.loads(shown)
        self.assertEqual(list(line), list(page))
        for each in (line, page):
            for changes in ("time", "received", "source", "listener"):
                each.pop(changes)
        self.assertEqual(line, page)
        self.assertEqual(line["sender"], "web1")

    def test_each_section_has_a_command_and_is_run_above(self):
        source = pathlib.Path(__file__).read_text(encoding="utf-8")
        for title, pairs in sections():
            with self.subTest(recipe=title):
                self.assertTrue(pairs)
                self.assertTrue(f'self.check("{title}"' in source or title == "Sealed datagrams")


class Large(Recipe):
    """Messages of the largest size that was seen from a router."""

    SIZE = 692000
    NAMES = [f"{way}-{what}" for way in ("input", "output") for what in (
        "packets", "bytes", "drops", "errors", "queue-drops", "multicast-packets",
        "broadcast-packets", "buffer-failures")]

    def large(self, first):
        """A message of about SIZE bytes, and its values."""
        rows, values, size = [], [], 0
        while size < self.SIZE:
            value = first + len(values)
            counters = {name: value + i for i, name in enumerate(self.NAMES)}
            rows.append(kv_row(f"GigabitEthernet0/0/0/{len(rows)}", counters))
            values += counters.values()
            size += len(rows[-1])
        return kv(*rows), values

    def test_pass_with_the_limits_of_the_recipe(self):
        (line, _), = dict(sections())["Cisco, GPB-KV"]
        count = 5
        sent = [self.large(first) for first in range(0, count * 10 ** 6, 10 ** 6)]
        lines, ledger = self.outcome(line, *(mdt(body) for body, _ in sent))
        values = sorted(value for _, some in sent for value in some)
        self.assertGreater(len(sent[0][0]), self.SIZE)
        self.assertEqual(sorted(int(each.split()[1].removeprefix("value=").rstrip("i"))
                                for each in lines), values)
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(listener["bytes"], sum(12 + len(body) for body, _ in sent))
        self.assertEqual((sink["written"], sink["samples"]), (count, len(values)))


if __name__ == "__main__":
    unittest.main()
