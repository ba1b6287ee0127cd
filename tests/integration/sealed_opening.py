"""Opens sealed datagrams by PyNaCl and hashlib, without our code: the reference for every sender."""
import hashlib
import hmac
import struct

from built import skip

try:
    from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
except ImportError:
    skip("needs python3-nacl")

MAGIC, VERSION = b"SLSD", 1
HEADER = struct.Struct(">4sBBHQQQQ")
TAG_SIZE = 16
OVERHEAD = HEADER.size + TAG_SIZE
MODES = {"authenticated": 1, "encrypted": 2}

KEY = bytes(range(7, 39))
KEY_ID = 0x0123456789ABCDEF


class Opened:
    """What a sealed datagram says, and its content."""

    def __init__(self, datagram, key=KEY):
        (self.magic, self.version, self.mode, self.reserved, self.key_id, self.session,
         self.counter, self.time_ns) = HEADER.unpack_from(datagram)
        if (self.magic, self.version, self.reserved) != (MAGIC, VERSION, 0):
            raise ValueError(f"no header: {datagram[:HEADER.size].hex()}")
        header, rest = datagram[:HEADER.size], datagram[HEADER.size:]
        subkey = hashlib.blake2b(key=key, digest_size=32, salt=struct.pack("<QQ", self.mode, 0),
                                 person=b"SluiceSD".ljust(16, b"\0")).digest()
        if self.mode == MODES["encrypted"]:
            self.content = decrypt(rest, header, header[16:], subkey)
        else:
            tag = hashlib.blake2b(datagram[:-TAG_SIZE], key=subkey, digest_size=TAG_SIZE).digest()
            if self.mode != MODES["authenticated"] or not hmac.compare_digest(tag,
                                                                             datagram[-TAG_SIZE:]):
                raise ValueError("forged")
            self.content = rest[:-TAG_SIZE]


def keys_line(name="web1", key_id=KEY_ID, key=KEY, limits=""):
    return f"{name} {key_id:016x} {key.hex()} {limits}".rstrip() + "\n"


def write_keys(path, *lines, mode=0o600):
    """A file of keys; returns its path."""
    path.write_text("".join(lines) or keys_line(), encoding="utf-8")
    path.chmod(mode)
    return path
