"""Starts a program in which a chosen allocation fails; tests/support/platform/failing_memory.h
is linked to it."""
import mmap
import os
import struct

from sluice_program import ProgramTest

NEVER = 1 << 40


class FailingMemoryTest(ProgramTest):
    """The program has to be started with `environment`."""

    def setUp(self):
        super().setUp()
        path = self.folder / "failing"
        path.write_bytes(bytes(16))
        with path.open("r+b") as shared:
            self.shared = mmap.mmap(shared.fileno(), 16)
        self.addCleanup(self.shared.close)
        self.environment = {**os.environ, "FAILING_MEMORY": str(path)}

    def fail_at(self, number):
        """Lets the allocation of this number, counted from now on, fail; 0: none."""
        struct.pack_into("=Q", self.shared, 0, number)

    def left(self):
        """Allocations left until one fails; 0: it has failed."""
        return struct.unpack_from("=Q", self.shared)[0]
