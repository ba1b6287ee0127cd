"""BIND, Knot and unbound of Debian send dnstap over a unix socket: every query that dig sends, and
every answer that it gets, is a record."""
import base64
import collections
import grp
import os
import subprocess

from built import nothing_on_windows
from dns_asking import ADDRESS, NameServer
from ports import free_port
from readme import SOURCE
from shell import main
from sluice_program import DEADLINE, ProgramTest, parse_lines

nothing_on_windows("there is no unix listener")

SCHEMA = SOURCE / "tools/packaging/examples/dnstap.proto"
COUNT = 500
NAMES = [f"n{number}.example.test" for number in range(COUNT)]
IDENTITY = "ns1"

ZONE = f"""$TTL 300
@ IN SOA ns1 admin 1 3600 900 604800 300
@ IN NS ns1
ns1 IN A 192.0.2.1
* IN A {ADDRESS}
"""

NAMED = """
options {{
    directory "{folder}/run"; pid-file none; session-keyfile none; recursion no; version none;
    listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};
    dnstap {{ auth; }}; dnstap-output unix "{socket}"; dnstap-identity "{identity}";
}};
controls {{ }};
zone "example.test" {{ type primary; file "{folder}/zone"; }};
"""

KNOT = """
server:
    rundir: "{folder}"
    listen: 127.0.0.1@{port}
database:
    storage: "{folder}"
mod-dnstap:
  - id: all
    sink: "unix:{socket}"
    identity: "{identity}"
template:
  - id: default
    storage: "{folder}"
    global-module: mod-dnstap/all
zone:
  - domain: example.test
    file: zone
"""

UNBOUND = """
server:
  directory: "{folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  logfile: ""
  do-daemonize: no
  interface: 127.0.0.1
  port: {port}
  module-config: "iterator"
  local-zone: "example.test." redirect
  local-data: "example.test. 300 IN A {address}"
remote-control:
  control-enable: no
dnstap:
  dnstap-enable: yes
  dnstap-bidirectional: yes
  dnstap-socket-path: "{socket}"
  dnstap-send-identity: yes
  dnstap-identity: "{identity}"
  dnstap-log-client-query-messages: yes
  dnstap-log-client-response-messages: yes
"""


def name_in(message):
    """The name that is queried in a DNS message."""
    data, labels, at = base64.b64decode(message), [], 12
    while data[at]:
        labels.append(data[at + 1:at + 1 + data[at]].decode())
        at += 1 + data[at]
    return ".".join(labels)


class Dnstap(ProgramTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.socket = self.folder / "dnstap.sock"
        self.messages, self.samples = self.folder / "messages", self.folder / "samples"
        (self.folder / "zone").write_text(ZONE, encoding="ascii")

    def begin(self, keys=""):
        return self.start(
            "--listen", f"unix:{self.socket}?schema={SCHEMA}&message=dnstap.Dnstap&value=*"
            f"&framing=frame-streams&content_type=protobuf:dnstap.Dnstap{keys}",
            "--sink", f"file:{self.messages}?view=message",
            "--sink", f"file:{self.samples}?format=json")

    def serve(self, configuration, command):
        port = free_port()
        path = self.folder / "server.conf"
        path.write_text(configuration.format(folder=self.folder, port=port, socket=self.socket,
                                             identity=IDENTITY, address=ADDRESS), encoding="ascii")
        server = NameServer(self.folder, [*command, path], port)
        self.addCleanup(server.close)
        server.ask(1, "first.example.test")  # repeats until it answers
        return server

    def dig(self, server):
        """Sends each query once. Returns the answers."""
        queries = self.folder / "queries"
        queries.write_text("".join(f"{name} A\n" for name in NAMES), encoding="ascii")
        return subprocess.run(
            ["dig", "@127.0.0.1", "-p", str(server.port), "+tries=1", "+noall", "+answer", "+norec",
             "-f", queries], capture_output=True, text=True, check=True,
            timeout=DEADLINE).stdout.splitlines()

    def check(self, program, server, kinds):
        answers = self.dig(server)
        self.assertEqual([line.split()[0] for line in answers], [f"{name}." for name in NAMES])
        self.assertEqual({line.split()[-1] for line in answers}, {ADDRESS})
        program.wait_for_ledger(lambda ledger: ledger["listeners"][0]["decoded"] >= 2 * COUNT,
                                "the server's queue has been sent")
        process = f"uid:{os.stat(f'/proc/{server.process.pid}').st_uid}:{server.process.pid}"
        server.close()
        ledger = program.stop()
        listener = ledger["listeners"][0]
        lines = parse_lines(self.messages.read_bytes())
        self.assertEqual(len(lines), listener["decoded"])
        self.assertEqual((listener["unknown_fields"], listener["connections"], listener["kind"]),
                         (0, 1, "unix"))
        self.assertEqual(listener["received"],
                         listener["decoded"] + listener["reasons"]["control"])
        self.assertEqual({line["source"] for line in lines}, {process})
        names = collections.Counter()
        for line in lines:
            self.assertEqual(base64.b64decode(line["message"]["identity"]).decode(), IDENTITY)
            fields = line["message"]["message"]
            names[fields["type"], name_in(fields.get("queryMessage") or
                                          fields["responseMessage"])] += 1
        for kind in kinds:
            self.assertEqual([names[kind, name] for name in NAMES], [1] * COUNT, kind)
        self.check_samples(lines)

    def check_samples(self, lines):
        """With value=* each number of a message is a sample. One of these is the client's port."""
        ports = collections.Counter(line["message"]["message"]["queryPort"] for line in lines)
        samples = collections.Counter(
            sample["value"] for sample in parse_lines(self.samples.read_bytes())
            if sample["name"].endswith("query_port"))
        self.assertEqual(samples, ports)

    def test_bind(self):
        """Starts BIND as its service does: if the test runs as root, as the user bind. The socket
        belongs to the group bind."""
        root = os.geteuid() == 0
        program = self.begin("&mode=0660&owner=root:bind" if root else "")
        if root:
            status = self.socket.stat()
            self.assertEqual((status.st_mode & 0o777, status.st_gid),
                             (0o660, grp.getgrnam("bind").gr_gid))
        (self.folder / "run").mkdir(mode=0o777)
        (self.folder / "run").chmod(0o777)
        server = self.serve(NAMED, ["named", *(["-u", "bind"] if root else []), "-g", "-c"])
        self.check(program, server, ("AUTH_QUERY", "AUTH_RESPONSE"))

    def test_knot(self):
        program = self.begin()
        self.check(program, self.serve(KNOT, ["knotd", "-c"]), ("AUTH_QUERY", "AUTH_RESPONSE"))

    def test_unbound(self):
        program = self.begin()
        self.check(program, self.serve(UNBOUND, ["unbound", "-d", "-c"]),
                   ("CLIENT_QUERY", "CLIENT_RESPONSE"))


if __name__ == "__main__":
    main("named", "knotd", "unbound", "dig", "protoc")
