"""Sealed datagrams for tests of senders: a key, its file, and the datagrams sealed with it."""
import time

from built import skip
from sealed_datagram import (AUTHENTICATED, ENCRYPTED, HEADER, TAG_SIZE, Header, bindings, open_sealed,
                             seal)

if bindings is None:
    skip("needs python3-nacl")

OVERHEAD = HEADER.size + TAG_SIZE
MODES = {"authenticated": AUTHENTICATED, "encrypted": ENCRYPTED}

KEY = bytes(range(7, 39))
KEY_ID = 0x0123456789ABCDEF


def sealed(content, mode, key=KEY, key_id=KEY_ID, session=1, counter=1, time_ns=None):
    """A sealed datagram."""
    time_ns = time.time_ns() if time_ns is None else time_ns
    return seal(key, Header(MODES[mode], key_id, session, counter, time_ns).pack(), content)


class Opened:
    """The header and the content of a sealed datagram."""

    def __init__(self, datagram, key=KEY):
        self.key_id = HEADER.unpack_from(datagram)[4]
        result, header, self.content = open_sealed({self.key_id: ("any", key)}, datagram)
        if header is None:
            raise ValueError(f"{result}: {datagram[:HEADER.size].hex()}")
        self.mode, self.session = header.mode, header.session
        self.counter, self.time_ns = header.counter, header.time_ns


def keys_line(name="web1", key_id=KEY_ID, key=KEY, limits=""):
    return f"{name} {key_id:016x} {key.hex()} {limits}".rstrip() + "\n"


def write_keys(path, *lines, mode=0o600):
    """Writes a keys file and returns its path."""
    path.write_text("".join(lines) or keys_line(), encoding="utf-8")
    path.chmod(mode)
    return path
