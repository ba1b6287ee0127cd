"""The file that tells the shim which calls must fail (plan.h), and the rows of calls.h."""
import mmap
import os
import pathlib
import re
import struct
import subprocess

CALLS_MAX, FRAMES, SEEN, LEFT_SIZE, STACKS = 128, 16, 4096, 1024, 16384
_HEAD = struct.Struct(f"={CALLS_MAX}sQQQIIQQQQ")  # the members of struct plan up to `longest`
_FRAMES = struct.Struct(f"={FRAMES}Q")
_AFTER = struct.Struct("=QQ")  # the members `watching` and `left_count`
_AT_FRAMES = _HEAD.size
_AT_AFTER = _AT_FRAMES + _FRAMES.size
_AT_LEFT = _AT_AFTER + _AFTER.size
_AT_SEEN = _AT_LEFT + LEFT_SIZE
LONGEST_PROGRAM = 1 << 32  # upper bound of the program's size in bytes
_AT_STACKS = _AT_SEEN + 16 * SEEN
SIZE = _AT_STACKS + 24 * STACKS

_ROW = re.compile(r"^(?:CALL|POINTER)\([^,]*, (\w+)|^(?:BYTES|CODE|BY_HAND)\((\w+)",
                  re.MULTILINE)


def rows():
    """The names of the calls, in the order of the rows."""
    text = (pathlib.Path(__file__).parent / "calls.h").read_text(encoding="utf-8")
    return [first or second for first, second in _ROW.findall(text)]


ROWS = rows()


def _call_and_place(key):
    return ROWS[(key >> 48) - 1], key & (1 << 48) - 1


class Plan:
    """A plan file. The program uses it if it is started with `environment`."""

    def __init__(self, path):
        with open(path, "w+b") as file:
            file.truncate(SIZE)
            self._shared = mmap.mmap(file.fileno(), SIZE)
        self.environment = {**os.environ, "FAULT_PLAN": str(path)}

    def close(self):
        self._shared.close()

    def clear(self, watching=False):
        if watching:
            self._shared[:] = bytes(SIZE)
            _AFTER.pack_into(self._shared, _AT_AFTER, 1, 0)
        else:
            self._shared[:_AT_SEEN] = bytes(_AT_SEEN)

    def fail(self, fault):
        """Makes the calls of a fault_ways.Fault fail."""
        self.clear()
        wanted = bytearray(CALLS_MAX)
        for name in fault.calls:
            wanted[ROWS.index(name)] = 1
        _HEAD.pack_into(self._shared, 0, bytes(wanted), fault.place, fault.first, fault.times,
                        fault.way.error, fault.way.less, fault.spares_streams, 0, 0, 0)

    def failed(self):
        """The number of calls that have failed."""
        return _HEAD.unpack_from(self._shared, 0)[8]

    def longest(self):
        """The most failures of one thread in a row, without a success or a wait in between."""
        return _HEAD.unpack_from(self._shared, 0)[9]

    def frames(self):
        """The callers of the first failing call, as offsets in the program."""
        return [place for place in _FRAMES.unpack_from(self._shared, _AT_FRAMES) if place]

    def left(self):
        """The descriptors that were open at the end, or None if the program did not reach its end.
        """
        count = _AFTER.unpack_from(self._shared, _AT_AFTER)[1]
        text = self._shared[_AT_LEFT:_AT_LEFT + LEFT_SIZE].split(b"\0")[0].decode()
        return None if count == 0 else text.splitlines()

    def seen(self):
        """For each call and place, how often the call was made."""
        found = {}
        for key, count in struct.iter_unpack("=QQ", self._shared[_AT_SEEN:_AT_STACKS]):
            if key:
                found[_call_and_place(key)] = count
        return found

    def stacks(self):
        """For each call and place, the numbers of the calls that had a new stack."""
        found = {}
        for _, key, number in struct.iter_unpack("=QQQ", self._shared[_AT_STACKS:]):
            if key:
                found.setdefault(_call_and_place(key), []).append(number)
        return found


class Places:
    """Names of code offsets in a program, by addr2line(1)."""

    def __init__(self, program):
        self._program = program
        self._known = {}
        elf = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True)
        self._base = min(int(each, 16) for each in
                         re.findall(r"^\s+LOAD\s+\S+\s+(\S+)", elf.stdout, re.MULTILINE))

    def names(self, places):
        """For each place, "FUNCTION (FILE:LINE)" and the functions it is inlined into. Functions of
        system headers are omitted: with _FORTIFY_SOURCE they wrap calls of the C library."""
        new = [place for place in places if place not in self._known]
        for place in new:
            self._known[place] = "??"  # stays so for libraries, which addr2line does not know
        new = [place for place in new if place < LONGEST_PROGRAM]
        if new:
            told = subprocess.run(
                ["addr2line", "-a", "-f", "-i", "-e", self._program,
                 *(hex(self._base + place - 1) for place in new)],
                capture_output=True, text=True, check=True).stdout
            for place, one in zip(new, re.split(r"^0x\w+\n", told, flags=re.MULTILINE)[1:]):
                lines = one.splitlines()
                self._known[place] = " in ".join(
                    f"{function} ({os.path.basename(line.split(' ')[0])})"
                    for function, line in zip(lines[::2], lines[1::2])
                    if not line.startswith("/usr/include/"))
        return [self._known[place] for place in places]
