"""Makes random texts that formats must change, and computes the results expected according to
sinks/README.md."""
import random
import re

PIECES = ["a", "b", "_", ".", ":", "7", " ", ",", "=", "\\", '"', "\n", "\r", "\t", "#", "{", "}",
          "é", "\U0001f525", "\x01", "\x7f", "\x9b", b"\xff", b"\xe2\x82", b"\xed\xa0\x80"]


def random_text(source):
    pieces = (source.choice(PIECES) for _ in range(source.randrange(7)))
    return b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)


def random_events(seed, count):
    """Events of few different keys, so that some come twice."""
    source = random.Random(seed)
    for _ in range(count):
        yield {"service": random_text(source), "metric_sint64": source.randrange(-5, 5),
               "attributes": [(random_text(source), random_text(source))
                              for _ in range(source.randrange(6))]}


def as_utf8(data):
    return data.decode("utf-8", "replace")


CONTROLS = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}


def without_controls(text):
    return "".join(CONTROLS.get(c, "\ufffd" if c < " " or "\x7f" <= c < "\xa0" else c)
                   for c in text)


def influx_text(data):
    """The text that readers return: without backslashes in front of an escaped character and at the
    end."""
    return without_controls(re.sub(r"\\+(?=[ ,=\x00-\x1f\x7f]|\Z)", "", as_utf8(data)))


def first_of_each(pairs):
    labels = {}
    for key, text in pairs:
        labels.setdefault(key, text)
    return labels


def alphabet_text(data, colon):
    out = "".join(c if c.isascii() and (c.isalnum() or c == "_" or (c == ":" and colon)) else "_"
                  for c in as_utf8(data))
    return "_" + out if out == "" or out[0].isdigit() else out


def joined_labels(pairs):
    """The Prometheus labels for keys and texts in bytes. Labels whose names become equal are joined
    in the order of their keys."""
    named = {}
    for key, text in first_of_each((key, text) for key, text in pairs if key and text).items():
        named.setdefault(alphabet_text(key, False), []).append((key, as_utf8(text)))
    return {name: ";".join(text for _, text in sorted(found)) for name, found in named.items()}
