"""Senders of sealed datagrams, by the format's page and not by the program's code."""
import base64
import hashlib
import os
import struct
import time

try:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt
except ImportError:  # then only what is not encrypted can be sealed
    encrypt = None

AUTHENTICATED, ENCRYPTED = 1, 2
SECOND = 1_000_000_000
HEADER = 40
TAG = 16


def subkey(key, mode):
    """crypto_kdf_derive_from_key(32 bytes, mode, "SluiceSD", key)."""
    return hashlib.blake2b(digest_size=32, key=key, salt=struct.pack("<Q8x", mode),
                           person=b"SluiceSD".ljust(16, b"\0")).digest()


def seal(key, head, payload):
    """The datagram with this header, whose sixth byte is the mode."""
    mode = head[5]
    if mode == ENCRYPTED:
        return head + encrypt(payload, head, head[16:], subkey(key, mode))
    return head + payload + hashlib.blake2b(head + payload, digest_size=TAG,
                                            key=subkey(key, mode)).digest()


class Key:
    """A key of the keys file."""

    def __init__(self, name, more=""):
        self.name = name
        self.id = int.from_bytes(os.urandom(8), "big") | 1
        self.key = os.urandom(32)
        self.more = more

    def line(self):
        return f"{self.name} {self.id:016x} {base64.b64encode(self.key).decode()} {self.more}\n"


class Session:
    """The datagrams of one run of a sender. Counter and time go on by themselves, or are given."""

    def __init__(self, key, mode=ENCRYPTED):
        self.key = key
        self.mode = mode
        self.session = int.from_bytes(os.urandom(8), "big")
        self.counter = 0

    def head(self, counter=None, at=None):
        if counter is None:
            self.counter += 1
            counter = self.counter
        return b"SLSD" + struct.pack(">BBHQQQQ", 1, self.mode, 0, self.key.id, self.session, counter,
                                     time.time_ns() if at is None else at)

    def seal(self, payload, **more):
        return seal(self.key.key, self.head(**more), payload)


def write_keys(path, *keys):
    """Renames it into place, with the permissions that the program requires."""
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w",
              encoding="ascii") as file:
        file.write("# keys of senders\n\n" + "".join(key.line() for key in keys))
    os.replace(new, path)
