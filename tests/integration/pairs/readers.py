"""Finds the records in the output of a sink in any format.

The value of a record is VALUE_BASE plus its number. It has the same digits in every text format,
and eight unique bytes in every binary format."""
import base64
import re
import struct

from wire_reading import unsnappy

VALUE_BASE = 7700000.5
NUMBERS = 1000  # numbers of records are smaller

_IN_TEXT = re.compile(rb"(?<![\d.])7700(\d{3})\.5(?!\d)")
# Only whole groups of four digits, because the first byte of the next packet in a capture may look
# like a further digit.
_BASE64 = re.compile(rb'\{"format":"json","version":1\}\nM1'
                     rb"((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)")
_PATTERNS = [struct.pack("<d", VALUE_BASE + number) for number in range(NUMBERS)]
_IN_BYTES = re.compile(b"|".join(map(re.escape, _PATTERNS)))
_NUMBER_OF = {pattern: number for number, pattern in enumerate(_PATTERNS)}


def value_of(number):
    return VALUE_BASE + number


def _numbers_in_text(data):
    return [int(digits) for digits in _IN_TEXT.findall(data)]


def _numbers_in_bytes(data):
    return [_NUMBER_OF[found] for found in _IN_BYTES.findall(data)]


def _numbers_in_packets(data):
    """The numbers in binary formats, including base64."""
    found = _numbers_in_bytes(data)
    for text in _BASE64.findall(data):
        found += _numbers_in_bytes(base64.b64decode(text))
    return found


def numbers_on_disk(folder):
    """The numbers of the records in the segments of a spill, in any format."""
    found = set()
    for path in folder.glob("*.seg"):
        data = path.read_bytes()
        found |= set(_numbers_in_text(data)) | set(_numbers_in_packets(data))
    return found


def numbers_in(form, pieces):
    """The sorted numbers of the records in all pieces (requests, messages, datagrams, files)."""
    found = []
    for piece in pieces:
        if form in ("otlp", "protobuf"):
            found += _numbers_in_bytes(piece)
        elif form == "remote-write":
            found += _numbers_in_bytes(unsnappy(piece))
        elif form in ("pcap", "datagram"):
            found += _numbers_in_packets(piece)
        else:
            found += _numbers_in_text(piece)
    return sorted(found)
