"""Runs a nats-server with JetStream for tests. A small client creates and reads its streams."""
import base64
import json
import os
import pathlib
import socket
import subprocess

from ports import free_port
from sluice_program import freeze, wait_until

DEADLINE = 30  # seconds


class NatsClient:
    """A minimal client of the NATS protocol: one request at a time."""

    def __init__(self, port, login, tls):
        self.socket = socket.create_connection(("127.0.0.1", port), DEADLINE)
        info = b""
        while not info.endswith(b"\n"):
            info += self.socket.recv(1)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket)
        self.file = self.socket.makefile("rb")
        self.inbox = f"_INBOX.test{self.socket.getsockname()[1]}"  # there may be other clients
        options = json.dumps({"verbose": False, "headers": True, **login})
        self.socket.sendall(f"CONNECT {options}\r\nSUB {self.inbox} 1\r\n".encode())

    def ask(self, subject, request):
        data = json.dumps(request).encode() if request is not None else b""
        head = f"PUB {subject} {self.inbox} {len(data)}\r\n"
        self.socket.sendall(head.encode() + data + b"\r\n")
        while True:
            line = self.file.readline().split()
            if not line:
                raise ConnectionError("the server has gone")
            if line[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif line[0] == b"MSG":
                answer = json.loads(self.file.read(int(line[-1])))
                self.file.readline()
                return answer

    def close(self):
        self.file.close()
        self.socket.close()


class NatsServer:
    def __init__(self, test, config="", login=None, tls=None):
        """`config` is added to the configuration file. The small client connects with `login` and
        `tls`."""
        self.config = config
        self.login, self.tls = login or {}, tls
        self.folder = pathlib.Path(test.folder) / "nats"
        self.folder.mkdir()
        self.port = free_port()  # a restarted server uses the same port
        self.process = None
        test.addCleanup(self.kill)
        self.start()

    def start(self):
        log = self.folder / "log"
        file = self.folder / "nats.conf"
        file.write_text(f'jetstream {{ store_dir: "{self.folder}" }}\n{self.config}')
        with log.open("w") as written:
            self.process = subprocess.Popen(
                [os.environ["TEST_NATS_SERVER"], "-a", "127.0.0.1", "-p", str(self.port), "-c", file],
                stdout=written, stderr=written)
        wait_until(lambda: "Server is ready" in log.read_text(), "the server is ready")

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(DEADLINE)
            self.process = None

    def freeze(self):
        freeze(self.process)

    def ask(self, subject, request):
        client = NatsClient(self.port, self.login, self.tls)
        try:
            return client.ask(f"$JS.API.{subject}", request)
        finally:
            client.close()

    def add_stream(self, name, subject, **more):
        answer = self.ask(f"STREAM.CREATE.{name}",
                          {"name": name, "subjects": [subject], "storage": "file",
                           "retention": "limits", "num_replicas": 1, **more})
        if "error" in answer:
            raise AssertionError(answer)

    def read(self, name):
        """The messages of the stream, in their order."""
        state = self.ask(f"STREAM.INFO.{name}", None)["state"]
        if state["messages"] == 0:
            return []
        return [base64.b64decode(
                    self.ask(f"STREAM.MSG.GET.{name}", {"seq": number})["message"]["data"])
                for number in range(state["first_seq"], state["last_seq"] + 1)]
