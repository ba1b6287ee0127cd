"""Faults that have shown an error of the program. Each walk of their world tries them first."""
import errno

from fault_ways import Fault, Way

# World; failing call; the function that makes it; error; number of the first failing call; number
# of failing calls (0: all later ones).
_ROWS = (
    ("plain", "write", "stream_write", "EAGAIN", 1, 0),
    ("wide", "recv", "tcp_connection_receive", "ENOMEM", 1, 0),
    ("wide", "send", "tcp_connection_send", "EAGAIN", 1, 0),
    ("wide", "send", "tcp_connection_send", "ECONNRESET", 1, 1),
    ("wide", "write", "child_write", "EAGAIN", 1, 0),
    ("wide", "write", "child_write", "EPIPE", 1, 0),
    ("wide", "recv", "control_connection_read", "EAGAIN", 1, 0),
    ("wide", "send", "control_connection_write", "EAGAIN", 1, 0),
)


def known(name):
    """The known faults of a world, each with its function. The position of the call is not set."""
    return [(function, Fault((call,), Way(error, getattr(errno, error)), first, times=times))
            for world, call, function, error, first, times in _ROWS if world == name]
