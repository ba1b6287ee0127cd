"""Starts a program in which a chosen allocation fails; tests/support/platform/failing_memory.h
is linked to it."""
import mmap
import os
import struct

from sluice_program import ProgramTest

NEVER = 1 << 40


class FailingMemoryTest(ProgramTest):
    """Tests must start the program with `environment`."""

    def setUp(self):
        super().setUp()
        path = self.folder / "failing"
        path.write_bytes(bytes(16))
        with path.open("r+b") as shared:
            self.shared = mmap.mmap(shared.fileno(), 16)
        self.addCleanup(self.shared.close)
        self.environment = {**os.environ, "FAILING_MEMORY": str(path)}

    def fail_at(self, number):
        """Makes an allocation fail. 1 is the next one. 0 means that none fails."""
        struct.pack_into("=Q", self.shared, 0, number)

    def left(self):
        """The number of allocations until the failing one. 0 if that one has failed."""
        return struct.unpack_from("=Q", self.shared)[0]
