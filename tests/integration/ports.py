"""Finds free ports on the loopback interface for programs under test. They are below the system's
range for client connections, because otherwise any client's connection could take one."""
import pathlib
import random
import socket

LOWEST = 1024
CLIENTS = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")


def _is_free(port):
    try:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            with socket.socket(socket.AF_INET, kind) as probe:
                probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


def free_ports(count):
    """`count` different ports that are free in UDP and TCP."""
    end = int(CLIENTS.read_text(encoding="ascii").split()[0])
    found = set()
    while len(found) < count:
        port = random.randrange(LOWEST, end)
        if _is_free(port):
            found.add(port)
    return list(found)


def free_port():
    """A port that is free in UDP and TCP."""
    return free_ports(1)[0]
