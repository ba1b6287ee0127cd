"""Drives a client library through driver.c or driver.py; the head of driver.c lists the
commands."""
import json
import os
import pathlib
import subprocess
import sys

from sluice_program import TELEMETRY, ProgramTest

HERE = pathlib.Path(__file__).resolve().parent

# The library under test: "c" or "python". The interpreter for Python is TEST_PYTHON, if it is set.
LANGUAGE = os.environ["TEST_CLIENT"]
PYTHON = os.environ.get("TEST_PYTHON", sys.executable)
COMMAND = {"c": [os.environ["TEST_DRIVER"]],
           "python": [PYTHON, str(HERE / "driver.py")]}[LANGUAGE]


class Client:
    def __init__(self, *prefix):
        self.process = subprocess.Popen([*prefix, *COMMAND], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def tell(self, *words):
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, *words):
        self.tell(*words)
        answer = self.process.stdout.readline()
        if not answer.endswith(b"\n"):
            raise AssertionError(f"the client has ended at {words}")
        return answer.decode().rstrip("\n")

    def do(self, *words, answer="ok"):
        said = self.ask(*words)
        if said != answer:
            raise AssertionError(f"{words}: {said}, not {answer}")

    def metric(self, *words):
        """Registers a metric and returns its number."""
        said = self.ask(*words)
        if not said.isdigit():
            raise AssertionError(f"{words}: {said}")
        return int(said)

    def counts(self):
        return json.loads(self.ask("counts"))

    def exit(self):
        self.tell("exit")
        code = self.process.wait(30)
        if code != 0:
            raise AssertionError(f"the client exits with {code}")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class ClientTest(ProgramTest):
    def client(self, *prefix):
        client = Client(*prefix)
        self.addCleanup(client.close)
        return client

    def opened(self, to, *more, sender="web1/shop"):
        client = self.client()
        client.do("open", to, sender, *more)
        return client

    def collector(self, listen=TELEMETRY):
        return self.start("--listen", listen)

    def lines_after(self, program, datagrams):
        """Waits until the collector has this number of datagrams, stops it, and returns its output.
        Asserts that all datagrams were decoded and no sequence number is missing."""
        program.wait_for_received(datagrams)
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual((listener["received"], listener["decoded"]), (datagrams, datagrams))
        for what in ("lost", "duplicated", "reordered", "late"):
            self.assertEqual(listener[what], 0, what)
        return program.output(), listener


def last_by_name(lines):
    """The last line for each name."""
    return {line["name"]: line for line in lines}


def address_of(program):
    return program.names[0].removeprefix("udp://")
