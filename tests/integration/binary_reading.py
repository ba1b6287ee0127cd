"""Reads program files of Linux (ELF) and of Windows (PE) for properties that make exploits harder.

missing() names the properties that a program does not have. It needs no symbols, so it reads stripped programs,
too. Sources: elf(5), the x86-64 psABI, and "PE Format" of Microsoft.
"""
import pathlib
import struct

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
EXECUTABLE, WRITABLE = 1, 2  # flags of a segment
DT_STRTAB, DT_SYMTAB, DT_RPATH, DT_TEXTREL, DT_FLAGS, DT_RUNPATH, DT_FLAGS_1 = 5, 6, 15, 22, 30, 29, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000
X86_64 = 62

ENDBR64 = b"\xf3\x0f\x1e\xfa"  # where an indirect jump may arrive, and at the begin of most functions
LEAST_ENDBR64 = 100  # a program without CET has only a few, from the C library
CANARY = b"\x64\x48\x8b\x04\x25\x28\x00\x00\x00"  # mov %fs:0x28,%rax: the stack protector reads its value
LEAST_CANARIES = 50
PROBE = b"\x48\x83\x0c\x24\x00"  # orq $0,(%rsp): touches each page of a large stack frame

HIGH_ENTROPY_VA, DYNAMIC_BASE, NX_COMPAT, GUARD_CF = 0x20, 0x40, 0x100, 0x4000
SECTION_EXECUTABLE, SECTION_WRITABLE = 0x20000000, 0x80000000


class Elf:
    """A 64-bit little-endian program of Linux."""

    def __init__(self, content):
        self.content = content
        self.kind, self.machine = struct.unpack_from("<HH", content, 16)
        start, = struct.unpack_from("<Q", content, 32)
        size, count = struct.unpack_from("<HH", content, 54)
        # For each segment: type, flags, file offset, virtual address, physical address, size in the
        # file, size in memory, alignment.
        self.segments = [struct.unpack_from("<IIQQQQQQ", content, start + size * index)
                         for index in range(count)]
        self.dynamic = {}
        for segment in self.segments:
            if segment[0] == PT_DYNAMIC:
                for at in range(segment[2], segment[2] + segment[5], 16):
                    tag, value = struct.unpack_from("<qQ", content, at)
                    self.dynamic.setdefault(tag, value)

    def _offset(self, address):
        for kind, _, offset, virtual, _, size, _, _ in self.segments:
            if kind == PT_LOAD and virtual <= address < virtual + size:
                return offset + address - virtual
        raise ValueError(f"no segment has the address {address:#x}")

    def code(self):
        return b"".join(self.content[offset:offset + size] for kind, flags, offset, _, _, size, _, _
                        in self.segments if kind == PT_LOAD and flags & EXECUTABLE)

    def imports(self):
        """The names of the dynamic symbols. The table of symbols ends where that of their names begins."""
        names, at = self._offset(self.dynamic[DT_STRTAB]), self._offset(self.dynamic[DT_SYMTAB])
        for symbol in range(at, names, 24):
            begin = names + struct.unpack_from("<I", self.content, symbol)[0]
            yield self.content[begin:self.content.index(b"\0", begin)].decode("ascii", "replace")

    def properties(self):
        flags, flags_1 = self.dynamic.get(DT_FLAGS, 0), self.dynamic.get(DT_FLAGS_1, 0)
        kinds = {segment[0] for segment in self.segments}
        imports, code = set(self.imports()), self.code()
        yield "position-independent (PIE)", self.kind == 3 and flags_1 & DF_1_PIE
        yield "read-only relocations (RELRO)", PT_GNU_RELRO in kinds
        yield "immediate binding (BIND_NOW)", flags & DF_BIND_NOW or flags_1 & DF_1_NOW
        yield "a stack without code", any(segment[0] == PT_GNU_STACK and not segment[1] & EXECUTABLE
                                          for segment in self.segments)
        yield "no memory for both code and data", not any(
            segment[0] == PT_LOAD and segment[1] & EXECUTABLE and segment[1] & WRITABLE
            for segment in self.segments)
        yield "no relocations in code", DT_TEXTREL not in self.dynamic and not flags & DF_TEXTREL
        yield "no search path for libraries", not {DT_RPATH, DT_RUNPATH} & set(self.dynamic)
        if PT_INTERP in kinds:
            yield "stack protector", "__stack_chk_fail" in imports
            yield "checked buffers (_FORTIFY_SOURCE)", any(
                name.endswith("_chk") and name.startswith("__") for name in imports)
        elif self.machine == X86_64:  # static: with musl, which has no checked functions
            yield "stack protector", code.count(CANARY) >= LEAST_CANARIES
        if self.machine == X86_64:
            yield "probes of large stack frames", PROBE in code
            yield "targets of indirect jumps (endbr64)", code.count(ENDBR64) >= LEAST_ENDBR64


class Pe:
    """A 64-bit program of Windows."""

    def __init__(self, content):
        self.content = content
        header, = struct.unpack_from("<I", content, 0x3C)
        if content[header:header + 4] != b"PE\0\0":
            raise ValueError("no program of Windows")
        count, = struct.unpack_from("<H", content, header + 6)
        size, = struct.unpack_from("<H", content, header + 20)
        optional = header + 24
        magic, = struct.unpack_from("<H", content, optional)
        if magic != 0x20B:
            raise ValueError("not of 64 bits")
        self.characteristics, = struct.unpack_from("<H", content, optional + 70)
        self.relocations, = struct.unpack_from("<I", content, optional + 112 + 5 * 8 + 4)
        self.sections = [struct.unpack_from("<I", content, optional + size + 40 * index + 36)[0]
                         for index in range(count)]

    def has(self, flag):
        return self.characteristics & flag

    def properties(self):
        # Without relocations the loader cannot move a program, whatever flags it has.
        yield "random addresses (ASLR)", self.has(DYNAMIC_BASE) and self.relocations > 0
        yield "addresses of 64 bits (high-entropy VA)", self.has(HIGH_ENTROPY_VA)
        yield "data without code (DEP)", self.has(NX_COMPAT)
        yield "no section for both code and data", not any(
            flags & SECTION_EXECUTABLE and flags & SECTION_WRITABLE for flags in self.sections)
        if b"mingw" in self.content.lower():
            yield "stack protector", b"stack smashing detected" in self.content
            yield "checked buffers (_FORTIFY_SOURCE)", b"buffer overflow detected" in self.content
        else: # gcc has no control-flow guard
            yield "control-flow guard", self.has(GUARD_CF)


def read(path):
    content = pathlib.Path(path).read_bytes()
    if content.startswith(b"\x7fELF\x02\x01"):
        return Elf(content)
    if content.startswith(b"MZ"):
        return Pe(content)
    raise ValueError(f"{path} is neither a program of Linux nor one of Windows")


def missing(path):
    """The names of the properties that the program at this path does not have."""
    return [name for name, there in read(path).properties() if not there]
