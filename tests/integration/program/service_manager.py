"""Acts as systemd: provides sockets and variables to a program, and receives its notifications."""
import os
import select
import socket
import sys
import time

from sluice_program import DEADLINE, ONE_THREAD, SLUICE, can_have_one_thread

# A Python script that starts the program in its own process. The sockets get descriptors from 3 on.
# Variables with the value "own" get the process id, which only this process knows.
LAUNCHER = """
import fcntl, os, sys
given = [int(each) for each in sys.argv[1].split(",") if each]
high = [fcntl.fcntl(each, fcntl.F_DUPFD, 64) for each in given]
for at, each in enumerate(high):
    os.dup2(each, 3 + at, inheritable=True)
os.closerange(3 + len(high), 1024)
for variable in ("LISTEN_PID", "WATCHDOG_PID"):
    if os.environ.get(variable) == "own":
        os.environ[variable] = str(os.getpid())
os.execv(sys.argv[2], sys.argv[2:])
"""


class Manager:
    """The socket that a program sends notifications to, in a folder or with an abstract name."""

    def __init__(self, folder, abstract=False):
        name = str(folder / "notify")
        self.name = "@" + name if abstract else name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name if abstract else name)
        self.past = []  # all notifications

    def close(self):
        self.socket.close()

    def environment(self, sockets=(), **variables):
        """The environment of the program: these variables, and NOTIFY_SOCKET."""
        told = {"NOTIFY_SOCKET": self.name, **variables}
        if sockets:
            told = {"LISTEN_FDS": str(len(sockets)), "LISTEN_PID": "own", **told}
        return {**os.environ, **told}

    def next(self):
        """The next notification, as a dictionary of its variables."""
        if not select.select([self.socket], [], [], DEADLINE)[0]:
            raise AssertionError(f"waited {DEADLINE} s for a notification; so far: "
                                 f"{self.past}")
        text = self.socket.recv(4096).decode()
        told = dict(line.split("=", 1) for line in text.split("\n"))
        self.past.append(told)
        return told

    def wait_for(self, name, matches=lambda value: True):
        """Waits for a notification of this variable. Returns all variables of that notification."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            told = self.next()
            if name in told and matches(told[name]):
                return told
        raise AssertionError(f"waited {DEADLINE} s without success for {name}; so far: {self.past}")

    def rest(self):
        """The notifications received since the last call."""
        while select.select([self.socket], [], [], 0)[0]:
            self.next()
        return self.past


def launch(test, manager, *arguments, sockets=(), variables=None, **more):
    """Starts the program as systemd would, with these sockets as its first descriptors."""
    if ONE_THREAD and can_have_one_thread(arguments):
        arguments += ("--threads", "1")
    descriptors = [each.fileno() for each in sockets]
    return test.launch(
        "-c", LAUNCHER, ",".join(map(str, descriptors)), SLUICE, *arguments,
        program=sys.executable, pass_fds=descriptors,
        env=manager.environment(sockets=sockets, **(variables or {})), **more)
