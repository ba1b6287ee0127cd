"""Sends datagrams for each schema of the documents and examples, like those of the usual senders.
"""
import subprocess

from built import beside, command
from protobuf import double, fixed64, integer, message, text
from sluice_program import CAPTURES, DEADLINE, SLUICE

WEATHER = CAPTURES.parents[1] / "tools" / "packaging" / "examples" / "weather.proto"

# A report of two readings.
REPORT = (text(1, "north") + integer(2, 7) +
          message(3, text(1, "roof") + double(2, -3.25) + fixed64(3, 1795176000250)) +
          message(3, text(1, "cellar") + double(2, 11.5) + fixed64(3, 1795176000250)))

# Captures of third-party senders.
REPLAYED = {"otlp": "otlp_metrics_v4", "riemann": "riemann_cli_v4"}


def run_tool(name, *arguments):
    """Runs a tool to its end. Its exit code must be 0."""
    done = subprocess.run(command(beside(SLUICE, name), *arguments), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE,
                          check=False, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{name} {arguments} ended with {done.returncode}: {done.stdout}")


def send(schema, sender):
    """Sends datagrams of this schema. Returns their number."""
    if schema == "weather.proto":
        sender.send(REPORT)
        return 1
    to = "udp://127.0.0.1:%d" % sender.socket.getpeername()[1]
    if schema in REPLAYED:
        capture = CAPTURES / REPLAYED[schema]
        run_tool("sluice-replay", f"{capture}.pcap", "--to", to, "--speed", "max")
        return len(capture.with_suffix(".ndjson").read_text(encoding="utf-8").splitlines())
    run_tool("sluice-send", "--schema", schema, "--count", 10, "--rate", "max", "--to", to)
    return 10
