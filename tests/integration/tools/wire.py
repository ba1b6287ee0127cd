"""The part of protobuf's wire format that is necessary to read datagrams without the tested code.
"""
import struct


class Malformed(Exception):
    """Not a protobuf message."""


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def put_varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def fields(data):
    """A dictionary from field numbers to lists of values: integers, 8 or 4 bytes little endian, or
    byte strings."""
    found = {}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise Malformed
        if at > len(data):
            raise Malformed
        found.setdefault(tag >> 3, []).append(value)
    return found


def fixed64(data):
    return struct.unpack("<Q", data)[0]


def double(data):
    return struct.unpack("<d", data)[0]
