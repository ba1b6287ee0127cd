"""Writes protobuf's wire format by hand, and messages of the project's schemas with it.

The field numbers of proto/telemetry.proto and proto/riemann.proto are repeated here, so that an
accidental change there makes tests fail."""
import struct

GAUGE, CUMULATIVE, DELTA = 0, 1, 2  # Kind

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
UINT64_MAX = (1 << 64) - 1

_VARINT, _FIXED64, _LENGTH, _GROUP_START, _GROUP_END, _FIXED32 = range(6)


def varint(value):
    value &= UINT64_MAX
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(*messages):
    """Messages, each preceded by its length."""
    return b"".join(varint(len(body)) + body for body in messages)


def split(data):
    """The length-prefixed messages in `data`. Each must be complete."""
    messages, at = [], 0
    while at < len(data):
        size, shift = 0, 0
        while True:
            size |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                break
        messages.append(data[at:at + size])
        if len(messages[-1]) != size:
            raise AssertionError("the last message is torn")
        at += size
    return messages


def _tag(number, wire_type):
    return varint(number << 3 | wire_type)


def integer(number, value):
    return _tag(number, _VARINT) + varint(value)


def zigzag(number, value):
    return _tag(number, _VARINT) + varint(value << 1 ^ value >> 63)


def fixed64(number, value):
    return _tag(number, _FIXED64) + struct.pack("<Q", value)


def fixed32(number, value):
    return _tag(number, _FIXED32) + struct.pack("<I", value)


def double(number, value):
    return _tag(number, _FIXED64) + struct.pack("<d", value)


def float32(number, value):
    return _tag(number, _FIXED32) + struct.pack("<f", value)


def message(number, body):
    return _tag(number, _LENGTH) + varint(len(body)) + body


def text(number, value):
    return message(number, value.encode() if isinstance(value, str) else value)


def groups(number, depth):
    """Groups within groups, of a field that no schema knows."""
    return _tag(number, _GROUP_START) * depth + _tag(number, _GROUP_END) * depth


def _fields(table, values):
    """Encodes `values` (by name; a list repeats the field) with the field numbers and types of
    `table`."""
    out = b""
    for name, value in values.items():
        number, encode = table[name]
        for item in value if isinstance(value, list) else [value]:
            out += encode(number, item)
    return out


# --- sluice.telemetry ---------------------------------------------------------------------------

def _label(number, pair):
    key, value = pair
    return message(number, text(1, key) + text(2, value))


def _packed(encode):
    return lambda number, values: message(number, b"".join(map(encode, values)))


def _histogram(number, values):
    """A histogram with packed lists: one field has all elements."""
    return message(number, _fields(_HISTOGRAM, {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()}))


_HISTOGRAM = {
    "count": (1, integer), "sum": (2, double),
    "bounds": (3, _packed(lambda value: struct.pack("<d", value))),
    "counts": (4, _packed(varint)),
    "min": (5, double), "max": (6, double),
}

_SAMPLE = {
    "name": (1, text), "kind": (2, integer),
    "double": (3, double), "int": (4, zigzag), "uint": (5, integer), "histogram": (6, _histogram),
    "unit": (7, text), "time": (8, fixed64), "start_time": (9, fixed64), "labels": (10, _label),
}

_TELEMETRY = {
    "sender": (1, text), "boot": (2, fixed64), "sequence": (3, integer), "time": (4, fixed64),
    "labels": (5, _label), "samples": (6, message),
}


def sample(name, **values):
    return _fields(_SAMPLE, {"name": name, **values})


def telemetry(*samples, **values):
    return _fields(_TELEMETRY, {**values, "samples": list(samples)})


def gauge(name, value, **values):
    """A datagram with one gauge."""
    return telemetry(sample(name, double=value), **values)


# --- Riemann's Msg ------------------------------------------------------------------------------

_EVENT = {
    "time": (1, integer), "state": (2, text), "service": (3, text), "host": (4, text),
    "description": (5, text), "tags": (7, text), "ttl": (8, float32), "attributes": (9, _label),
    "time_micros": (10, integer),
    "metric_sint64": (13, zigzag), "metric_d": (14, double), "metric_f": (15, float32),
}


def riemann(*events):
    """A Msg of events, each a dict."""
    return b"".join(message(6, _fields(_EVENT, event)) for event in events)


def metric(value, service="cpu", **values):
    """A Msg of one event with a metric."""
    return riemann({"service": service, "metric_d": value, **values})
