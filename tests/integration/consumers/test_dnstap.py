"""Debian's unbound sends dnstap over TCP, in both forms of Frame Streams; queries are records."""
import base64
import socket

from dns_asking import ADDRESS, NAME, NameServer
from ports import free_port
from readme import SOURCE
from shell import main
from sluice_program import ProgramTest, wait_until

SCHEMA = SOURCE / "tools/packaging/examples/dnstap.proto"
LISTENER = (f"tcp://127.0.0.1:0?schema={SCHEMA}&message=dnstap.Dnstap&framing=frame-streams"
            "&content_type=protobuf:dnstap.Dnstap")

CONFIGURATION = """
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
  local-zone: "example.test." static
  local-data: "{name}. 300 IN A {address}"
remote-control:
  control-enable: no
dnstap:
  dnstap-enable: yes
  dnstap-bidirectional: {two_way}
  dnstap-ip: "127.0.0.1@{collector}"
  dnstap-tls: no
  dnstap-send-identity: yes
  dnstap-identity: "{identity}"
  dnstap-log-client-query-messages: yes
  dnstap-log-client-response-messages: yes
"""
IDENTITY = "the one that is tested"


class Dnstap(ProgramTest):
    def unbound(self, program, two_way):
        port = free_port()
        path = self.folder / "unbound.conf"
        path.write_text(CONFIGURATION.format(
            folder=self.folder, port=port, name=NAME, address=ADDRESS, collector=program.port(),
            two_way=two_way, identity=IDENTITY), encoding="ascii")
        server = NameServer(self.folder, ["unbound", "-d", "-c", path], port)
        self.addCleanup(server.close)
        return server

    def check(self, line, kind, asked_from, query, answer):
        message = line["message"]
        self.assertEqual(line["schema"], "dnstap.Dnstap")
        self.assertEqual(base64.b64decode(message["identity"]).decode(), IDENTITY)
        self.assertEqual(message["type"], "MESSAGE")
        fields = message["message"]
        self.assertEqual((fields["type"], fields["socketFamily"], fields["socketProtocol"]),
                         (kind, "INET", "UDP"))
        self.assertEqual(base64.b64decode(fields["queryAddress"]), socket.inet_aton("127.0.0.1"))
        self.assertEqual(fields["queryPort"], asked_from)
        if kind == "CLIENT_QUERY":
            self.assertEqual(base64.b64decode(fields["queryMessage"]), query)
            self.assertGreater(int(fields["queryTimeSec"]), 1600000000)
        else:
            self.assertEqual(base64.b64decode(fields["responseMessage"]), answer)
            self.assertTrue(answer.endswith(socket.inet_aton(ADDRESS)))

    def answered(self, two_way):
        program = self.start("--listen", LISTENER)
        server = self.unbound(program, two_way)
        query, answer, port = server.ask(77)
        kinds = ("CLIENT_QUERY", "CLIENT_RESPONSE")

        def first(kind):  # the first one, because the query may have been repeated
            return next((line for line in program.output()
                         if line["message"]["message"].get("queryPort") == port
                         and line["message"]["message"]["type"] == kind), None)
        wait_until(lambda: all(map(first, kinds)), "a query and its answer are records")
        server.close()
        # unbound does not always wait for the answer to its STOP. Then the unread answer resets the
        # connection.
        program.wait_for_ledger(
            lambda ledger: sum(ledger["listeners"][0][end] for end in ("closed", "reset")) == 1,
            "unbound's connection has ended")
        (listener,) = program.stop()["listeners"]
        for kind in kinds:
            self.check(first(kind), kind, port, query, answer)
        self.assertEqual(listener["received"],
                         listener["decoded"] + listener["reasons"]["control"])
        self.assertEqual((listener["connections"], listener["unknown_fields"]), (1, 0))
        return listener

    def test_a_query_to_unbound_is_a_record_and_so_is_its_answer(self):
        """The connection has a handshake: READY, START and STOP are counted, READY and STOP are
        answered."""
        listener = self.answered("yes")
        self.assertEqual((listener["reasons"]["control"], listener["answers"]), (3, 2))

    def test_and_without_the_handshake(self):
        listener = self.answered("no")
        self.assertEqual((listener["reasons"]["control"], listener["answers"]), (2, 0))


if __name__ == "__main__":
    main("unbound", "protoc")
