"""Counts the datagrams in a program's output, and finds the probes.

A reader has `watched`, the path of a file whose size shows the program's progress, and `read`,
which returns the number of datagrams in the output, and for each probe the size of that file up to
the probe's end.
"""
import base64
import json
import re

import traffic

PROBE = re.compile(traffic.PROBE_NAME % rb"(\d{6})")


class Text:
    """Reads text that contains the label "region" of each datagram unchanged."""

    def __init__(self, output):
        self.output = output

    def watched(self):
        return self.output

    def read(self):
        data = self.output.read_bytes() if self.output.exists() else b""
        probes = {}
        for match in self.probes_in(data):
            end = data.find(b"\n", match.end()) + 1
            probes.setdefault(int(match[1]), end or len(data))
        return self.count(data) + len(probes), probes

    def count(self, data):
        return data.count(traffic.LOAD_NAME)

    def probes_in(self, data):
        return PROBE.finditer(data)


class Hex(Text):
    """Reads the same text in hexadecimal digits."""

    HEX_PROBE = re.compile((traffic.PROBE_NAME % b"").hex().encode() + rb"((?:3\d){6})")

    def count(self, data):
        return data.count(traffic.LOAD_NAME.hex().encode())

    def read(self):
        data = self.output.read_bytes() if self.output.exists() else b""
        probes = {int(bytes.fromhex(match[1].decode())): data.find(b"\n", match.end()) + 1
                  for match in self.HEX_PROBE.finditer(data)}
        return self.count(data) + len(probes), probes


class Lines(Text):
    """Reads one line for each datagram; the line shows whether the datagram is a probe."""

    def read(self):
        written, at, probes = 0, 0, {}
        if self.output.exists():
            with open(self.output, "rb") as lines:
                for line in lines:
                    at += len(line)
                    kind, number = self.kind_of(line)
                    written += kind
                    if number is not None:
                        probes.setdefault(number, at)
        return written, probes

    def kind_of(self, line):
        """Returns whether the line is a datagram, and the number of its probe or None."""
        raise NotImplementedError


class Base64(Lines):
    """Reads JSON objects with the datagram in base64."""

    DATA = re.compile(rb'"telemetry_data": "([A-Za-z0-9+/=\\]+)"')

    def kind_of(self, line):
        found = self.DATA.search(line)
        if not found:
            return False, None
        probe = PROBE.search(base64.b64decode(found[1].replace(b"\\n", b"")))
        return True, int(probe[1]) if probe else None


class Flows(Lines):
    """Reads JSON objects of goflow2. A probe is a flow with one packet more than the others."""

    def kind_of(self, line):
        try:
            flow = json.loads(line)
        except ValueError:
            return False, None
        is_probe = flow.get("packets") == traffic.PROBE_PACKETS
        return "bytes" in flow, flow["bytes"] if is_probe else None


class Values:
    """Reads collectd's folders: one for each host, with a file for each metric and a line for each
    value.
    """

    def __init__(self, output):
        self.output = output
        self.probes = output / traffic.PROBE_HOST / "comparison"

    def watched(self):
        return next(self.probes.glob("*"), None)

    def read(self):
        written, probes = 0, {}
        for path in self.output.glob("*/*/*"):
            at = 0
            with open(path, "rb") as lines:
                for line in lines:
                    at += len(line)
                    value = line.strip().split(b",")
                    if len(value) != 2 or not value[1][:1].isdigit():
                        continue  # column names
                    written += 1
                    if path.parent == self.probes:
                        probes.setdefault(int(float(value[1])), at)
        return written, probes
