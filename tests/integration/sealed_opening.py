"""Opens and makes sealed datagrams by PyNaCl and hashlib, without our code: the reference for every
sender."""
import hashlib
import hmac
import struct
import time

from built import skip

try:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt
except ImportError:
    skip("needs python3-nacl")

MAGIC, VERSION = b"SLSD", 1
HEADER = struct.Struct(">4sBBHQQQQ")
TAG_SIZE = 16
OVERHEAD = HEADER.size + TAG_SIZE
MODES = {"authenticated": 1, "encrypted": 2}

KEY = bytes(range(7, 39))
KEY_ID = 0x0123456789ABCDEF


def subkey_of(key, mode):
    """crypto_kdf_derive_from_key, which PyNaCl lacks."""
    return hashlib.blake2b(key=key, digest_size=32, salt=struct.pack("<QQ", mode, 0),
                           person=b"SluiceSD".ljust(16, b"\0")).digest()


def tag_of(data, subkey):
    return hashlib.blake2b(data, key=subkey, digest_size=TAG_SIZE).digest()


def sealed(content, seal, key=KEY, key_id=KEY_ID, session=1, counter=1, time_ns=None):
    """A sealed datagram."""
    mode = MODES[seal]
    header = HEADER.pack(MAGIC, VERSION, mode, 0, key_id, session, counter,
                         time.time_ns() if time_ns is None else time_ns)
    if seal == "encrypted":
        return header + encrypt(content, header, header[16:], subkey_of(key, mode))
    return header + content + tag_of(header + content, subkey_of(key, mode))


class Opened:
    """The header and the content of a sealed datagram."""

    def __init__(self, datagram, key=KEY):
        (self.magic, self.version, self.mode, self.reserved, self.key_id, self.session,
         self.counter, self.time_ns) = HEADER.unpack_from(datagram)
        if (self.magic, self.version, self.reserved) != (MAGIC, VERSION, 0):
            raise ValueError(f"no header: {datagram[:HEADER.size].hex()}")
        header, rest = datagram[:HEADER.size], datagram[HEADER.size:]
        subkey = subkey_of(key, self.mode)
        if self.mode == MODES["encrypted"]:
            self.content = decrypt(rest, header, header[16:], subkey)
        else:
            tag = tag_of(datagram[:-TAG_SIZE], subkey)
            if self.mode != MODES["authenticated"] or not hmac.compare_digest(
                    tag, datagram[-TAG_SIZE:]):
                raise ValueError("forged")
            self.content = rest[:-TAG_SIZE]


def keys_line(name="web1", key_id=KEY_ID, key=KEY, limits=""):
    return f"{name} {key_id:016x} {key.hex()} {limits}".rstrip() + "\n"


def write_keys(path, *lines, mode=0o600):
    """A file of keys; returns its path."""
    path.write_text("".join(lines) or keys_line(), encoding="utf-8")
    path.chmod(mode)
    return path
