"""A second implementation of sealed datagrams, written from tools/packaging/sealed.md with PyNaCl
and hashlib. Tests seal datagrams with it, and open those that the programs have sealed."""
import base64
import dataclasses
import hashlib
import hmac
import struct

try:
    from nacl import bindings, exceptions
except ImportError:  # without PyNaCl no datagram can be encrypted
    bindings = None

MAGIC, VERSION = b"SLSD", 1
AUTHENTICATED, ENCRYPTED = 1, 2
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
        return HEADER.pack(MAGIC, VERSION, self.mode, 0, self.key_id, self.session, self.counter,
                           self.time_ns)


def read_keys(text):
    """The keys of a keys file: {id: (name, key)}."""
    keys = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words:
            name, key_id, key = words[:3]
            keys[int(key_id, 16)] = name, (
                bytes.fromhex(key) if len(key) == 64 else base64.b64decode(key, validate=True))
    return keys


def derive(key, mode):
    """crypto_kdf_derive_from_key(32 bytes, mode, "SluiceSD", key), which PyNaCl lacks."""
    return hashlib.blake2b(digest_size=32, key=key, salt=struct.pack("<QQ", mode, 0),
                           person=b"SluiceSD".ljust(16, b"\0")).digest()


def _tag(key, covered):
    return hashlib.blake2b(covered, digest_size=TAG_SIZE, key=derive(key, AUTHENTICATED)).digest()


def seal(key, head, payload):
    """The datagram with this header of 40 bytes, whose sixth byte is the mode."""
    if head[5] == ENCRYPTED:
        return head + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
            payload, head, head[16:40], derive(key, ENCRYPTED))
    return head + payload + _tag(key, head + payload)


def open_sealed(keys, datagram):
    """("accepted", header, payload), or the reason, None, None."""
    if len(datagram) < HEADER.size + TAG_SIZE:
        return "malformed", None, None
    head, rest = datagram[:HEADER.size], datagram[HEADER.size:]
    magic, version, mode, reserved, *numbers = HEADER.unpack(head)
    header = Header(mode, *numbers)
    if ((magic, version, reserved) != (MAGIC, VERSION, 0) or mode not in (AUTHENTICATED, ENCRYPTED)
            or 0 in (header.key_id, header.counter) or header.time_ns >= 1 << 63):
        return "malformed", None, None
    if header.key_id not in keys:
        return "no_key", None, None
    key = keys[header.key_id][1]
    if mode == AUTHENTICATED:
        payload, tag = rest[:-TAG_SIZE], rest[-TAG_SIZE:]
        if not hmac.compare_digest(tag, _tag(key, head + payload)):
            return "forged", None, None
        return "accepted", header, payload
    try:
        return "accepted", header, bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            rest, head, head[16:40], derive(key, ENCRYPTED))
    except exceptions.CryptoError:
        return "forged", None, None
