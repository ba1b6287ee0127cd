"""Sealed datagrams: the collector accepts a datagram only from a sender that has the key, and only
once. The sender's name in the collector's records is the name of the key.

    from sluice_client import Client
    from sluice_seal import Sealer

    with Sealer.open("/etc/shop.keys") as sealer:
        client = Client("192.0.2.1:5555", "web1/shop", sealer=sealer)

`sluice keygen NAME` makes a key. The collector listens with framing=sealed and the same file.
sealed.md describes the format.

Datagrams are encrypted, which needs PyNaCl (pip install pynacl, apt install python3-nacl), or with
seal="authenticated" only protected against changes, which needs only Python's own hashlib.

A sealer is for one client at a time. Each life of a client has its own session, also after a fork.
Python copies bytes as it works: close() overwrites the keys that the sealer holds, but not every
copy that was made while reading and sealing.
"""
import base64
import datetime
import hashlib
import itertools
import os
import re
import stat
import struct
import threading
import time

__all__ = ["Sealer", "HEADER_SIZE", "TAG_SIZE"]

HEADER_SIZE = 40  # bytes before the content of a datagram
TAG_SIZE = 16     # bytes after it
CONTENT_MOST = 65507 - HEADER_SIZE - TAG_SIZE  # the limit of UDP over IPv4
KEY_SIZE = 32

_MODES = {"authenticated": 1, "encrypted": 2}
_HEADER = struct.Struct(">4sBBHQQQQ")
_FILE_MOST = 16 << 20  # bytes
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,62}", re.ASCII)
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)
_EPOCH = datetime.datetime(1970, 1, 1)


def _subkey(mode, key):
    """Derives a subkey as crypto_kdf_derive_from_key of libsodium does."""
    return hashlib.blake2b(key=key, digest_size=KEY_SIZE, salt=struct.pack("<QQ", mode, 0),
                           person=b"SluiceSD" + bytes(8)).digest()


def _time_ns(text):
    """Returns the nanoseconds since 1970 of an RFC 3339 time."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time such as 2026-01-31T12:00:00Z")
    moment = datetime.datetime.fromisoformat(found[1]) - _EPOCH
    return (moment.days * 86400 + moment.seconds) * 10 ** 9 + int((found[2] or "0").ljust(9, "0"))


class _Key:
    __slots__ = ("id", "bytes", "not_before_ns", "not_after_ns")

    def __init__(self, mode, key_id, key, limits=()):
        if not 1 <= key_id < 1 << 64:
            raise ValueError("a key's id is a number of 64 bits, and not 0")
        if len(key) != KEY_SIZE:
            raise ValueError(f"a key has {KEY_SIZE} bytes")
        self.id = key_id
        self.bytes = bytearray(_subkey(mode, key))
        self.not_before_ns, self.not_after_ns = float("-inf"), float("inf")
        seen = set()
        for limit in limits:
            name, _, text = limit.partition("=")
            if name not in ("not-before", "not-after") or name in seen:
                raise ValueError(f"{limit!r} is not not-before=TIME or not-after=TIME, once")
            seen.add(name)
            setattr(self, name.replace("-", "_") + "_ns", _time_ns(text))
        if self.not_before_ns > self.not_after_ns:
            raise ValueError("not-before= is later than not-after=")

    def is_valid(self, now_ns):
        return self.not_before_ns <= now_ns <= self.not_after_ns


def _bytes_of_key(word):
    if len(word) == 2 * KEY_SIZE:
        return bytes.fromhex(word)
    return base64.b64decode(word, validate=True)


def _lines(path):
    """Yields the words of each key's line, with the line's number. Checks the file's owner and mode
    as the collector does; on Windows neither of them checks."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # opening a pipe must not block
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{path}: not a regular file")
        if os.name == "posix" and status.st_uid not in (0, os.geteuid()):
            raise PermissionError(f"{path}: its owner is neither root nor this user: chown it")
        if os.name == "posix" and status.st_mode & stat.S_IRWXO:
            raise PermissionError(f"{path}: other users may open it: use chmod o=")
        if os.name == "posix" and status.st_mode & stat.S_IWGRP:
            raise PermissionError(f"{path}: users of its group could change it: use chmod g-w")
        if status.st_size > _FILE_MOST:
            raise ValueError(f"{path}: larger than 16 MiB")
        with open(file, "rb", closefd=False) as stream:
            content = stream.read(_FILE_MOST)
        if len(content) < status.st_size:
            raise ValueError(f"{path}: it became shorter while it was read")
        text = content.decode()
    finally:
        os.close(file)
    for number, line in enumerate(text.split("\n"), 1):
        words = re.findall(r"[^ \t]+", line.partition("#")[0].rstrip(" \t\r"))
        if words:
            yield number, words


def _keys(path, name, mode):
    """Returns the keys with the name; None: the only name in the file."""
    keys = []
    given = name is not None
    for number, words in _lines(path):
        try:
            if (len(words) < 3 or not _NAME.fullmatch(words[0]) or
                    not re.fullmatch("[0-9a-fA-F]{16}", words[1])):
                raise ValueError("it has no NAME KEYID KEY")
            key = _Key(mode, int(words[1], 16), _bytes_of_key(words[2]), words[3:])
        except ValueError as why:  # also for errors of base64, which do not contain the key
            raise ValueError(f"{path}: line {number}: {why}") from None
        name = name or words[0]
        if words[0] == name:
            keys.append(key)
        elif not given:
            raise ValueError(f"{path}: it has several names: choose one")
    if not keys:
        raise ValueError(f"{path}: it has no key" + (f" of the name {name}" if given else ""))
    return keys


class Sealer:
    """Seals datagrams with one key, which is always valid.

    key_id  the number of the key (16 hexadecimal digits in the collector's file).
    key     32 bytes.
    seal    "encrypted" (needs PyNaCl), or "authenticated".

    Raises ValueError, and ImportError if PyNaCl is needed and missing.
    """

    def __init__(self, key_id, key, seal="encrypted"):
        self._prepare(seal)
        self._keys = [_Key(self._mode, key_id, key)]

    @classmethod
    def open(cls, path, name=None, seal="encrypted"):
        """Returns a sealer with the keys of a file, each a line as `sluice keygen` prints it.

        Comments follow #. `name` may be None if the file has only one name. Each datagram is sealed
        with a key of that name that is valid at the time: the one with the latest not-before, or
        the last of these in the file. The file is read once. Raises ValueError (a line is wrong, no
        such name, or a name is needed), PermissionError (users other than its owner and group may
        open it, its group may change it, or its owner is neither root nor this user), other
        OSErrors of open, and ImportError.
        """
        made = cls.__new__(cls)
        made._prepare(seal)
        made._keys = _keys(path, name, made._mode)
        return made

    def _prepare(self, seal):
        if seal not in _MODES:
            raise ValueError(f"{seal!r} is neither 'encrypted' nor 'authenticated'")
        self._mode = _MODES[seal]
        self._encrypt = None
        if seal == "encrypted":
            try:
                from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt
            except ImportError:
                raise ImportError("encrypted datagrams need PyNaCl (pip install pynacl); "
                                  "seal='authenticated' does not") from None
            self._encrypt = crypto_aead_xchacha20poly1305_ietf_encrypt
        self._taken = threading.Lock()  # acquired without waiting
        self._life = (None, 0, None)  # the process, its session, and the numbers of its datagrams

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Overwrites the keys. The sealer cannot be used afterwards."""
        for key in self._keys:
            key.bytes[:] = bytes(KEY_SIZE)
        self._keys = []

    def begin(self):
        """Begins a session, when a client is opened or renewed. Raises ValueError if another client
        uses the sealer."""
        if not self._taken.acquire(blocking=False):
            raise ValueError("another client has the sealer")
        self._begin_life()

    def end(self):
        """Ends the session. Then another client may use the sealer."""
        self._taken.release()

    def _begin_life(self):
        self._life = (os.getpid(), int.from_bytes(os.urandom(8), "big"), itertools.count(1))
        return self._life

    def seal(self, content):
        """Returns the sealed datagram with this content. May be called without a client, by any
        thread, and waits for no lock. Raises ValueError if no key is valid now, or if the content
        is too large for a datagram."""
        if len(content) > CONTENT_MOST:
            raise ValueError(f"a datagram has room for {CONTENT_MOST} bytes")
        life = self._life
        if life[0] != os.getpid():  # the first call, or the first one in a child of fork
            life = self._begin_life()
        _, session, counter = life
        now = time.time_ns()
        key = max((key for key in reversed(self._keys) if key.is_valid(now)), default=None,
                  key=lambda key: key.not_before_ns)
        if key is None:
            raise ValueError("no key is valid now")
        header = _HEADER.pack(b"SLSD", 1, self._mode, 0, key.id, session, next(counter), now)
        if self._encrypt is not None:
            return header + self._encrypt(bytes(content), header, header[16:], bytes(key.bytes))
        tag = hashlib.blake2b(header + content, key=key.bytes, digest_size=TAG_SIZE).digest()
        return header + content + tag
