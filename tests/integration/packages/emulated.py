"""Runs a command so that the kernel starts programs of another machine with qemu: emulated.py
MACHINE COMMAND...

It runs as root in a user namespace, which has its own table of program formats (binfmt_misc) since
Linux 6.7. The system's table does not change. Users and groups keep the numbers that they have
outside."""
import ctypes
import os
import pathlib
import subprocess
import sys

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # flags of unshare(2)
FORMATS = pathlib.Path("/proc/sys/fs/binfmt_misc")
USERS = "0 0 65536\n"


def words(machine):
    """The words in front of a command that must run under emulation."""
    return [sys.executable, __file__, machine]


def lacking(machine):
    """The reason why such commands cannot run, or an empty string."""
    if not format_of(machine).exists():
        return f"needs {format_of(machine)} (Debian's qemu-user-static)"
    done = subprocess.run([*words(machine), "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2]


def format_of(machine):
    """The file of Debian's qemu for systemd: the magic number of the programs, and the path of
    qemu."""
    return pathlib.Path(f"/usr/lib/binfmt.d/qemu-{machine}.conf")


def call(function, *arguments):
    if getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{function}: {os.strerror(ctypes.get_errno())}")


def map_users_of(process, ready, done):
    """Maps the users of a process when it is in its namespace. Another process must do that,
    because it needs rights outside."""
    os.read(ready, 1)
    for kind in ("uid", "gid"):
        pathlib.Path(f"/proc/{process}/{kind}_map").write_text(USERS, encoding="ascii")
    os.write(done, b"x")


def enter(machine):
    """Moves this process into such a namespace."""
    process = os.getpid()
    (ready, tell_ready), (done, tell_done) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(tell_ready)
        map_users_of(process, ready, tell_done)
        os._exit(0)
    os.close(tell_done)
    call("unshare", NEW_USERS | NEW_MOUNTS)
    os.write(tell_ready, b"x")
    os.read(done, 1)
    os.waitpid(child, 0)
    call("mount", b"binfmt_misc", bytes(FORMATS), b"binfmt_misc", 0, None)
    (FORMATS / "register").write_bytes(format_of(machine).read_bytes().strip())


if __name__ == "__main__":
    try:
        enter(sys.argv[1])
    except OSError as error:
        sys.exit(f"no emulation of {sys.argv[1]}: {error}")
    os.execvp(sys.argv[2], sys.argv[2:])
