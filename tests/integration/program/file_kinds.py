"""Every kind of file, folder and socket that the program creates: its mode, and the code that
creates it.

New code that creates files must be added here, with the kinds of these files, and `Everything` must
create each new kind. Otherwise test_modes.py fails."""
import os
import pathlib
import re
import subprocess

from built import command
from ports import free_port
from protobuf import metric
from sluice_program import ANY_PORT, SLUICE, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
SODIUM = "TEST_SODIUM" in os.environ


class Kind:
    """Files whose path in the test's folder matches `pattern`. `open`: the mode with umask 0.
    `private`: the umask must not change the mode. `kept`: whether the file remains after a stop."""

    def __init__(self, pattern, mode, private=False, folder=False, kept=True):
        self.pattern = re.compile(pattern)
        self.mode, self.private, self.folder, self.kept = mode, private, folder, kept

    def mode_with(self, umask):
        return self.mode if self.private else self.mode & ~umask


KINDS = {
    "file": Kind(r"plain", 0o640),
    "folder of a file set": Kind(r"riemann", 0o750, folder=True),
    "file in the making": Kind(r"riemann/rotated.*\.part", 0o640, kept=False),
    "file of a file set": Kind(r"riemann/rotated", 0o640),
    "compressed file in the making": Kind(r"packed\.gz\.part", 0o640, kept=False),
    "compressed file": Kind(r"packed\.gz", 0o640),
    "packets in the making": Kind(r"packets\.pcap\.part", 0o640, kept=False),
    "packets": Kind(r"packets\.pcap", 0o640),
    "dead letters": Kind(r"dead\.pcap", 0o640),
    "control socket": Kind(r"control", 0o600, private=True, kept=False),
    "unix listener": Kind(r"listener", 0o600, private=True, kept=False),
    "spill folder": Kind(r"spill", 0o700, private=True, folder=True),
    "segment": Kind(r"spill/.*\.seg", 0o600, private=True),
    "lock of a spill": Kind(r"spill/lock", 0o600, private=True),
    "cursor of a spill": Kind(r"spill/ack", 0o600, private=True),
}
if SODIUM:
    KINDS["state of sealed datagrams"] = Kind(r"state", 0o600, private=True)
    KINDS["lock of a state"] = Kind(r"state\.lock", 0o600, private=True, kept=False)

# Kinds that exist only for a moment, so that a test cannot rely on seeing them.
MOMENTARY = {"lock of a socket", "next state", "reserved name"}

# Source files that create files with system calls, and the number of these calls.
SYSTEM_CALLS = {
    "collector/platform/posix/data_file.c": 1,
    "collector/platform/posix/file_mode.c": 1,
    "collector/platform/posix/local_bind.c": 2,
    "collector/platform/posix/output_file.c": 1,
    "collector/platform/posix/part_file.c": 2,
}
SYSTEM_CALL = re.compile(
    r"\bO_CREAT\b|\bO_TMPFILE\b|\b(?:mkdir|mkdirat|mkdtemp|mkstemp|mkostemp|tmpfile|mknod|mknodat|"
    r"mkfifo|mkfifoat|symlink|symlinkat|shm_open|creat)\(|\bbind\(made->fd|\bfopen\([^)]*\"[wa]")

# Source files that call the functions above, and the kinds of files that they create.
MAKERS = {
    "collector/platform/posix/control_socket.c": {"control socket", "lock of a socket"},
    "collector/platform/posix/local_listener.c": {"unix listener", "lock of a socket"},
    "collector/receive/dead_letter_file.c": {"dead letters"},
    "collector/senders/seal_file.c": {"state of sealed datagrams", "lock of a state", "next state"},
    "collector/spill/cursor.c": {"cursor of a spill"},
    "collector/spill/spill_append.c": {"segment"},
    "collector/spill/spill_state.c": {"spill folder", "lock of a spill"},
    "sinks/destinations/destination_file.c": {"file"},
    "sinks/files/live_file.c": {
        "folder of a file set", "file in the making", "file of a file set", "packets",
        "packets in the making", "compressed file", "compressed file in the making"},
}
MAKER = re.compile(r"\b(?:output_file_open_append|part_file_open_new|part_file_open_private|"
                   r"data_file_make|local_bind_open)\(")


def sources():
    """The path and the text of each file of the program's code."""
    for folder in ("collector", "sinks", "proto"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            if "windows" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


class Everything:
    """Runs the program with every feature that creates files, in the folder of a ProgramTest."""

    def __init__(self, test, umask, keys=""):
        self.folder = test.folder
        self.program = test.start(*self.arguments(keys), listeners=2 + SODIUM,
                                  preexec_fn=lambda: os.umask(umask))
        test.sender(self.program, self.datagrams()).send_all([metric(1), b"\xff"])
        spill = self.folder / "spill"
        wait_until(lambda: list(spill.glob("*.seg")), "a segment is there")
        wait_until(lambda: (self.folder / "packed.gz.part").exists(), "a file is in the making")

    def datagrams(self):
        """The number of the listener for plain datagrams."""
        return next(number for number, name in enumerate(self.program.names)
                    if name == f"udp://127.0.0.1:{self.port}")

    def arguments(self, keys):
        folder = self.folder
        self.port = free_port()
        arguments = ["--listen", f"udp://127.0.0.1:{self.port}?schema=riemann",
                     "--listen", f"unix:{folder}/listener?schema=riemann",
                     "--sink", f"file:{folder}/plain?format=json{keys}",
                     "--sink", f"file:{folder}/%{{schema}}/rotated?rotate_size=1MiB{keys}",
                     "--sink", f"file:{folder}/packed.gz?compress=gzip&flush_interval=1ms{keys}",
                     "--sink", f"file:{folder}/packets.pcap?format=pcap&rotate_size=1MiB{keys}",
                     "--sink", f"http://127.0.0.1:{free_port()}/?flush_interval=20ms&spill={folder}/spill",
                     "--dead-letter", f"file:{folder}/dead.pcap?rate=100{keys}",
                     "--control", f"unix:{folder}/control"]
        if SODIUM:
            line = subprocess.run(command(SLUICE, "keygen", "one"), capture_output=True, check=True)
            with open(os.open(folder / "keys", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(line.stdout)
            arguments += ["--listen", f"{ANY_PORT}?schema=riemann&framing=sealed&keys={folder}/keys"
                          f"&state={folder}/state"]
        return arguments

    def found(self):
        """The path and status of every file in the folder that the program has created."""
        found = {}
        for path in self.folder.rglob("*"):
            try:
                if path.name != "keys":
                    found[str(path.relative_to(self.folder))] = path.lstat()
            except FileNotFoundError:
                pass  # renamed or removed since
        return found
