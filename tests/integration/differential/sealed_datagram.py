"""A second implementation of sealed datagrams, by tools/packaging/sealed.md, on PyNaCl and hashlib."""
import base64
import dataclasses
import hashlib
import hmac
import struct

from nacl import bindings, exceptions

HEADER = struct.Struct(">4sBBHQQQQ")
TAG_SIZE = 16


@dataclasses.dataclass
class Header:
    mode: int
    key_id: int
    session: int
    counter: int
    time_ns: int

    def pack(self):
        return HEADER.pack(b"SLSD", 1, self.mode, 0, self.key_id, self.session, self.counter,
                           self.time_ns)


def read_keys(text):
    """The keys of a keys file, by id: (name, key)."""
    keys = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words:
            name, key_id, key = words[:3]
            keys[int(key_id, 16)] = name, (
                bytes.fromhex(key) if len(key) == 64 else base64.b64decode(key, validate=True))
    return keys


def derive(key, mode):
    return hashlib.blake2b(digest_size=32, key=key, salt=struct.pack("<QQ", mode, 0),
                           person=b"SluiceSD".ljust(16, b"\0")).digest()


def _tag(key, covered):
    return hashlib.blake2b(covered, digest_size=TAG_SIZE, key=derive(key, 1)).digest()


def seal(key, header, payload):
    head = header.pack()
    if header.mode == 1:
        return head + payload + _tag(key, head + payload)
    return head + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        payload, head, head[16:40], derive(key, 2))


def open_sealed(keys, datagram):
    """("accepted", header, payload), or the reason, None, None."""
    if len(datagram) < HEADER.size + TAG_SIZE:
        return "malformed", None, None
    head, rest = datagram[:HEADER.size], datagram[HEADER.size:]
    magic, version, mode, reserved, *numbers = HEADER.unpack(head)
    header = Header(mode, *numbers)
    if ((magic, version, reserved) != (b"SLSD", 1, 0) or mode not in (1, 2)
            or 0 in (header.key_id, header.counter) or header.time_ns >= 1 << 63):
        return "malformed", None, None
    if header.key_id not in keys:
        return "no_key", None, None
    key = keys[header.key_id][1]
    if mode == 1:
        payload, tag = rest[:-TAG_SIZE], rest[-TAG_SIZE:]
        if not hmac.compare_digest(tag, _tag(key, head + payload)):
            return "forged", None, None
        return "accepted", header, payload
    try:
        return "accepted", header, bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            rest, head, head[16:40], derive(key, 2))
    except exceptions.CryptoError:
        return "forged", None, None
