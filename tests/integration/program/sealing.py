"""Makes sealed datagrams (sealed_datagram.py) and keys files for tests."""
import base64
import os
import time

from sealed_datagram import AUTHENTICATED, ENCRYPTED, Header, bindings, seal

SECOND = 1_000_000_000


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
    """The datagrams of one run of a sender. Counter and time increase automatically unless they are
    given."""

    def __init__(self, key, mode=ENCRYPTED):
        self.key = key
        self.mode = mode
        self.session = int.from_bytes(os.urandom(8), "big")
        self.counter = 0

    def head(self, counter=None, at=None):
        if counter is None:
            self.counter += 1
            counter = self.counter
        return Header(self.mode, self.key.id, self.session, counter,
                      time.time_ns() if at is None else at).pack()

    def seal(self, payload, **more):
        return seal(self.key.key, self.head(**more), payload)


def write_keys(path, *keys):
    """Writes the keys file with the permissions that the program requires, and moves it to its
    path."""
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w",
              encoding="ascii") as file:
        file.write("# keys of senders\n\n" + "".join(key.line() for key in keys))
    os.replace(new, path)
