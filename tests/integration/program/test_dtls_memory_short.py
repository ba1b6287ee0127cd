"""Tests dtls: listeners while an allocation fails, in the program or in OpenSSL, at the start or
while a client is served.

SLUICE is a program that is linked with ../../support/platform/failing_memory.h."""
import pathlib
import tempfile
import time
import unittest

from built import skip
from certificates import OPENSSL, Authority
from dtls_client import DtlsClient, Settings
from failing_memory import NEVER, FailingMemoryTest
from protobuf import metric
from sluice_program import DEADLINE, SANITIZED, check_final_ledger

TRIED = 15 if SANITIZED else 40  # number of failing allocations that are tried in each phase
PATIENCE = 0.3  # seconds to wait for an answer


def setUpModule():
    global LISTEN, CLIENT  # pylint: disable=global-variable-undefined
    folder = tempfile.TemporaryDirectory(prefix="sluice-test-certificates-")
    unittest.addModuleCleanup(folder.cleanup)
    authority = Authority(pathlib.Path(folder.name))
    cert, key = authority.issue("server")
    LISTEN = (f"dtls://127.0.0.1:0?schema=riemann&cert={cert}&key={key}&"
              f"client_ca={authority.cert}")
    CLIENT = authority.issue("client")


class MemoryShort(FailingMemoryTest):
    def setUp(self):
        super().setUp()
        # If it cannot allocate a name, OpenSSL leaks the rest of the object.
        suppressions = self.folder / "suppressions"
        suppressions.write_text("leak:libcrypto.so\nleak:libssl.so\n", encoding="ascii")
        self.environment["LSAN_OPTIONS"] = (
            f"suppressions={suppressions}:print_suppressions=0")
        self.settings = Settings(CLIENT)

    def counted(self, call):
        """The number of allocations that the call makes."""
        self.fail_at(NEVER)
        call()
        count = NEVER - self.left()
        self.fail_at(0)
        return count

    def run_once(self):
        program = self.launch("--listen", LISTEN, "--duration", "1ms", env=self.environment)
        self.assertIn(program.process.wait(DEADLINE), (0, 70, 78), "\n".join(program.said()))
        program.stderr.wait_for_end()
        if program.process.returncode == 0:
            check_final_ledger(program.ledgers()[-1])
        else:
            self.assertIn("sluice: error: ", program.log()[-1])
        program.close()

    def test_at_a_start(self):
        count = self.counted(self.run_once)
        for number in range(1, count + 1, max(1, count // TRIED)):
            with self.subTest(number=number):
                self.fail_at(number)
                self.run_once()

    @staticmethod
    def decoded(program):
        return program.ledger_now()["listeners"][0]["decoded"]

    def is_served(self, program):
        """Returns true if a client is served in a new session."""
        client = DtlsClient(program.port(0), self.settings)
        client.socket.settimeout(PATIENCE)
        try:
            client.open(patience=2).put(metric(1))
        except (ConnectionError, TimeoutError):
            return False
        finally:
            client.close()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.decoded(program) > self.served:
                self.served += 1
                return True
        return False

    def test_while_a_client_is_served(self):
        program = self.start("--listen", LISTEN, env=self.environment)
        self.served = 0
        self.assertTrue(self.is_served(program))
        count = self.counted(lambda: self.is_served(program))
        self.assertGreater(count, 100)
        failed = 0
        for number in range(1, count + 1, max(1, count // TRIED)):
            self.fail_at(number)
            failed += not self.is_served(program)
            self.fail_at(0)
            self.served = self.decoded(program)
            self.assertTrue(self.is_served(program), f"after allocation {number} had failed")
        self.assertGreater(failed, 0)
        listener = program.stop()["listeners"][0]
        self.assertEqual(listener["decoded"], self.served)


if __name__ == "__main__":
    if OPENSSL is None:
        skip("openssl is not installed")
    unittest.main()
