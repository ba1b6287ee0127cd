"""Ports that stay free while their server does not run.

They are below the range that the system assigns to clients. Otherwise a connection of any program
could use the port of a server that will be restarted.
"""
import contextlib
import pathlib
import random
import socket

LOWEST = 15000
CLIENTS = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")


def _end():
    with contextlib.suppress(OSError):
        first = int(CLIENTS.read_text(encoding="ascii").split()[0])
        if first > LOWEST + 1000:
            return first
    return 32768


def free_ports(host, count):
    """Returns `count` free ports of this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = []
    with contextlib.ExitStack() as probes:
        while len(found) < count:
            port = random.randrange(LOWEST, _end())
            probe = probes.enter_context(socket.socket(family, socket.SOCK_STREAM))
            with contextlib.suppress(OSError):
                probe.bind((host, port))
                found.append(port)
    return found
