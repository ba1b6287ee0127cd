"""Debian's PowerDNS recursor logs in protobuf, each message after two bytes; they are records."""
import base64
import socket
import subprocess

from dns_asking import ADDRESS, NAME, NameServer
from ports import free_port
from readme import SOURCE
from shell import main
from sluice_program import ProgramTest

SCHEMA = SOURCE / "tools/packaging/examples/powerdns.proto"
LISTENER = f"tcp://127.0.0.1:0?schema={SCHEMA}&message=PBDNSMessage&framing=length16"

CONFIGURATION = """
daemon=no
disable-syslog=yes
write-pid=no
threads=1
socket-dir={folder}
local-address=127.0.0.1
local-port={port}
lua-config-file={folder}/recursor.lua
auth-zones=example.test={folder}/zone
hint-file=no
security-poll-suffix=
dnssec=off
"""
ZONE = """$TTL 300
@ IN SOA ns.example.test. root.example.test. 1 3600 600 86400 300
@ IN NS ns.example.test.
ns IN A 127.0.0.1
www IN A {address}
"""
LUA = 'protobufServer("127.0.0.1:{collector}", {{logQueries=true, logResponses=true}})\n'


def command(folder):
    """Later versions of the program accept these settings only with an option, which earlier ones
    refuse."""
    known = subprocess.run(["pdns_recursor", "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, check=False).stdout
    option = "--enable-old-settings"
    return ["pdns_recursor", f"--config-dir={folder}", *([option] if option in known else [])]


class PowerDns(ProgramTest):
    def recursor(self, program):
        port = free_port()
        for name, text in (("recursor.conf", CONFIGURATION), ("zone", ZONE), ("recursor.lua", LUA)):
            (self.folder / name).write_text(text.format(
                folder=self.folder, port=port, address=ADDRESS, collector=program.port()),
                encoding="ascii")
        server = NameServer(self.folder, command(self.folder), port)
        self.addCleanup(server.close)
        return server

    def test_a_query_and_its_response_are_records(self):
        program = self.start("--listen", LISTENER)
        server = self.recursor(program)
        query, answer, port = server.ask(4711)
        lines = [line["message"] for line in program.wait_for_output(2)
                 if line["message"].get("fromPort") == port]
        server.close()
        (listener,) = program.stop()["listeners"]
        self.assertEqual(listener["received"], listener["decoded"])
        asked, answered = lines[-2:]
        self.assertEqual((asked["type"], answered["type"]), ("DNSQueryType", "DNSResponseType"))
        self.assertEqual(asked["messageId"], answered["messageId"])
        for message, size in ((asked, len(query)), (answered, len(answer))):
            self.assertEqual((message["socketFamily"], message["socketProtocol"], message["id"]),
                             ("INET", "UDP", 4711))
            self.assertEqual(base64.b64decode(message["from"]), socket.inet_aton("127.0.0.1"))
            self.assertEqual(int(message["inBytes"]), size)
            self.assertEqual(message["question"], {"qName": NAME + ".", "qType": 1, "qClass": 1})
        (record,) = answered["response"]["rrs"]
        self.assertEqual(answered["response"].get("rcode", 0), 0)
        self.assertEqual((record["name"], record["type"], record["class"]), (NAME + ".", 1, 1))
        self.assertEqual(base64.b64decode(record["rdata"]), socket.inet_aton(ADDRESS))


if __name__ == "__main__":
    main("pdns_recursor", "protoc")
