"""Reads protobuf's wire format and snappy's block format, based only on their specifications."""
import struct

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


def varint_at(data, at):
    """A varint, and the position after it."""
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: for each number, the raw values in order."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint_at(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = varint_at(data, at)
        elif kind == LENGTH:
            size, at = varint_at(data, at)
            value, at = data[at:at + size], at + size
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
            value, at = data[at:at + size], at + size
        else:
            raise AssertionError(f"field {number} has the wire type {kind}")
        if at > len(data):
            raise AssertionError(f"field {number} is cut")
        found.setdefault(number, []).append(value)
    return found


def the_one(found, number, default=None):
    """The value of a field that occurs at most once."""
    values = found.get(number, [default])
    if len(values) != 1:
        raise AssertionError(f"field {number} is there {len(values)} times")
    return values[0]


def double(data):
    return struct.unpack("<d", data)[0]


def unsigned64(data):
    return struct.unpack("<Q", data)[0]


def signed64(data):
    return struct.unpack("<q", data)[0]


def packed(data, read=None):
    """All values of a packed field: by `read`, eight bytes each, or as varints if it is None."""
    if read is not None:
        return [read(data[at:at + 8]) for at in range(0, len(data), 8)]
    values, at = [], 0
    while at < len(data):
        value, at = varint_at(data, at)
        values.append(value)
    return values


def zigzag(value):
    return value >> 1 ^ -(value & 1)


def int64(value):
    """A varint as an int64."""
    return value - (1 << 64) if value >> 63 else value


def unsnappy(data):
    """The data of a block in snappy's format."""
    size, at = varint_at(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        kind, upper = tag & 3, tag >> 2
        at += 1
        if kind == 0:
            if upper >= 60:
                more = upper - 59
                upper, at = int.from_bytes(data[at:at + more], "little"), at + more
            out += data[at:at + upper + 1]
            at += upper + 1
            continue
        if kind == 1:
            length, offset, at = 4 + (upper & 7), tag >> 5 << 8 | data[at], at + 1
        else:
            more = 2 if kind == 2 else 4
            length, offset = upper + 1, int.from_bytes(data[at:at + more], "little")
            at += more
        for _ in range(length):
            out.append(out[-offset])
    if len(out) != size:
        raise AssertionError(f"{len(out)} bytes, not {size}")
    return bytes(out)
