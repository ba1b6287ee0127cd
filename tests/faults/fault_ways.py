"""The ways in which each call can fail: those in its manual page that a correct program can meet.

Not included: errors that only an incorrect program gets (EBADF, EFAULT, EINVAL of a constant), and
errors that contradict the kernel's state, such as EAGAIN of an edge-triggered socket that has
datagrams."""
import dataclasses
import errno

# The calls that allocate memory count as one call, because their callers treat a failure alike.
MEMORY = ("malloc", "calloc", "realloc", "aligned_alloc", "strdup")


@dataclasses.dataclass(frozen=True)
class Way:
    """The call fails with `error`. If that is 0, it does only a part of its work: `less` is as in
    plan.h."""
    name: str
    error: int = 0
    less: int = 0


@dataclasses.dataclass(frozen=True)
class Fault:
    """`times` of these calls fail, beginning with number `first`. `place` is the calling code, or 0
    for any."""
    calls: tuple
    way: Way
    first: int
    place: int = 0
    times: int = 1  # 0: all later calls
    spares_streams: bool = False  # only writes to files fail

    def __str__(self):
        which = f"number {self.first}" + {0: " and all after it", 1: ""}.get(
            self.times, f" and {self.times - 1} after it")
        where = f" from {self.place:#x}" if self.place else ""
        return f"{'/'.join(self.calls)}{where}, {which}: {self.way.name}"


LESS = (Way("one byte", less=1), Way("all but one byte", less=2))
LOST = {call: ("ENOMEM",) for call in MEMORY}
DESCRIPTORS = ("EMFILE", "ENFILE")
LOOKED_UP = ("EACCES", "ENOENT", "EIO", "ENOMEM", "ELOOP")
CREATED = ("EACCES", "EROFS", "ENOSPC", "EDQUOT", "EIO", "ENOMEM")
SYNCED = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
STARTED = ("EAGAIN", "ENOMEM")

# Names of errors. LESS means that the call does only a part of its work.
_ERRORS = {
    "accept": (*DESCRIPTORS, "EINTR", "ECONNABORTED", "ENOBUFS", "ENOMEM", "EPERM", "EPROTO"),
    "accept4": (*DESCRIPTORS, "EINTR", "ECONNABORTED", "ENOBUFS", "ENOMEM", "EPERM", "EPROTO"),
    "bind": ("EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOMEM", "EROFS"),
    "chmod": ("EACCES", "EPERM", "EROFS", "EIO", "ENOMEM", "ENOENT"),
    "close": ("EINTR", "EIO", "ENOSPC", "EDQUOT"),
    "connect": ("EINTR", "ECONNREFUSED", "ENETUNREACH", "EAGAIN", "EACCES", "ETIMEDOUT",
                "EADDRNOTAVAIL"),
    "dlopen": ("ENOENT",),
    "epoll_create1": (*DESCRIPTORS, "ENOMEM"),
    "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "epoll_wait": ("EINTR",),
    "eventfd": (*DESCRIPTORS, "ENOMEM", "ENODEV"),
    "faccessat": ("EACCES", "ENOENT", "EIO", "ENOMEM", "EROFS", "ENOSYS"),
    "fchmod": ("EPERM", "EROFS", "EIO"),
    "fchownat": ("EPERM", "EROFS", "EIO", "ENOMEM"),
    "fcntl": ("EMFILE", "EINTR", "EAGAIN", "EPERM", "ENOLCK"),
    "fdatasync": SYNCED,
    "flock": ("EINTR", "ENOLCK", "EWOULDBLOCK"),
    "fopen": (*DESCRIPTORS, *LOOKED_UP),
    "fstat": ("EIO", "ENOMEM", "EOVERFLOW"),
    "fstatat": LOOKED_UP,
    "fsync": SYNCED,
    "ftruncate": ("EINTR", "EIO", "EFBIG", "EPERM", "EROFS"),
    "gethostname": ("ENAMETOOLONG",),
    "getrandom": ("EINTR", "EAGAIN", "ENOSYS"),
    "getsockname": ("ENOBUFS",),
    "getsockopt": ("ENOPROTOOPT", "ENOMEM", "EPERM"),
    "ioctl": ("ENOTTY",),
    "kill": ("ESRCH", "EPERM"),
    "listen": ("EADDRINUSE",),
    "lstat": LOOKED_UP,
    "madvise": ("EAGAIN", "ENOMEM", "EINVAL", "EIO"),
    "mkdir": (*CREATED, "EEXIST"),
    "mmap": ("ENOMEM", "EAGAIN", "EPERM"),
    "open": (*DESCRIPTORS, *LOOKED_UP, "ENOSPC", "EDQUOT", "EROFS", "EINTR", "ENXIO"),
    "openat": (*DESCRIPTORS, *LOOKED_UP, "ENOSPC", "EDQUOT", "EROFS", "EINTR", "ENXIO"),
    "opendir": (*DESCRIPTORS, "EACCES", "ENOENT", "ENOMEM"),
    "pipe2": DESCRIPTORS,
    "poll": ("EINTR", "ENOMEM"),
    "posix_spawn_file_actions_adddup2": ("ENOMEM",),
    "posix_spawn_file_actions_addopen": ("ENOMEM",),
    "posix_spawnp": (*STARTED, "EMFILE", "ENOENT"),
    "pread": ("less", "EINTR", "EIO"),
    "pthread_create": ("EAGAIN", "EPERM"),
    "pwritev": ("less", "full", "EINTR", "EIO", "ENOSPC", "EDQUOT", "EFBIG"),
    "read": ("less", "EINTR", "EIO", "EAGAIN"),
    "readv": ("less", "EINTR", "EIO", "EAGAIN"),
    "recv": ("less", "EINTR", "EAGAIN", "ECONNRESET", "ENOMEM", "ETIMEDOUT"),
    "rename": (*CREATED, "EPERM", "EBUSY"),
    "renameat2": (*CREATED, "EEXIST", "EINVAL", "ENOSYS"),
    "sched_setaffinity": ("EPERM",),
    "send": ("less", "EINTR", "EAGAIN", "ENOBUFS", "ENOMEM", "ECONNRESET", "EPIPE"),
    "sendmmsg": ("EINTR", "EAGAIN", "ENOBUFS", "ENOMEM", "ECONNREFUSED", "EMSGSIZE",
                 "EHOSTUNREACH", "ENETUNREACH", "EPERM", "one"),
    "sendto": ("EINTR", "EAGAIN", "ENOBUFS", "ENOMEM", "ECONNREFUSED", "EPERM"),
    "setsockopt": ("ENOPROTOOPT", "ENOMEM", "EPERM", "ENOBUFS", "EINVAL"),
    "shutdown": ("ENOTCONN",),
    "signalfd": (*DESCRIPTORS, "ENOMEM", "ENODEV"),
    "socket": (*DESCRIPTORS, "ENOBUFS", "ENOMEM", "EACCES", "EAFNOSUPPORT"),
    "stat": LOOKED_UP,
    "syscall": ("EINTR", "ENOMEM", "ECONNREFUSED", "EHOSTUNREACH", "ENOBUFS"),  # recvmmsg
    "unlink": ("EACCES", "EBUSY", "EIO", "ENOENT", "EROFS", "EPERM"),
    "waitpid": ("EINTR", "ECHILD"),
    "write": ("less", "full", "EINTR", "EIO", "ENOSPC", "EDQUOT", "EFBIG", "EPIPE", "EAGAIN"),
    **LOST,
}


# Faults that the program need not survive. Each row has the call, the function that makes it, the
# kind of fault, and the reason. Kinds: "less" (the call does only a part), "for ever" (it never
# ends), "missing" (it reports an absence), "all".
LEFT_OUT = (
    ("read", "control_wait", "less", "a signalfd hands out whole signals"),
    ("read", "control_wait", "for ever", "no process could ask it to stop"),
    ("read", "event_clear", "all", "an eventfd that does not block hands out its number or EAGAIN"),
    ("stat", "torn_line_look_again", "missing", "says that there is nothing to look at"),
    ("open", "torn_line_look_again", "missing", "says that there is nothing to look at"),
    ("write", "event_signal", "all", "an eventfd that does not block takes any number that we add"),
)


def is_left_out(fault, function):
    """Returns true if this fault is left out if `function` makes the call."""
    which = ("all", "less" if fault.way.less else "", "for ever" if fault.times == 0 else "",
             "missing" if fault.way.name in ("ENOENT", "EACCES") else "")
    return any(fault.calls == (call,) and function == maker and kind in which
               for call, maker, kind, _ in LEFT_OUT)

def _ways(names):
    for name in names:
        if name == "less":
            yield from LESS
        elif name == "one":
            yield Way("one message", less=1)
        elif name != "full":
            yield Way(name, getattr(errno, name))


def ways(call):
    """The ways in which a single call can fail."""
    return list(_ways(_ERRORS[call]))


# Faults of many calls at once: from one call on, all calls of a group fail in the same way.
SHORTAGES = (
    (("accept", "accept4", "epoll_create1", "eventfd", "fopen", "open", "openat", "opendir", "pipe2", "signalfd",
      "socket"), "EMFILE"),
    (("write", "pwritev", "mkdir"), "ENOSPC"),
    (("write", "pwritev", "fsync", "fdatasync", "ftruncate", "rename", "renameat2", "unlink",
      "mkdir"), "EIO"),
    (("rename", "renameat2", "unlink", "mkdir"), "EROFS"),
)


def shortages():
    """The groups of SHORTAGES, each with the way in which it fails."""
    return [(calls, Way(name, getattr(errno, name))) for calls, name in SHORTAGES]
