"""tls=on with a failing allocation, in the program or in OpenSSL: at the start, or while a client
is served.

SLUICE is a program that is linked with tests/support/platform/failing_memory.h."""
import pathlib
import ssl
import tempfile
import unittest

from built import skip
from certificates import OPENSSL, Authority
from protobuf import metric
from failing_memory import NEVER, FailingMemoryTest
from sluice_program import DEADLINE, SANITIZED, check_final_ledger
from test_tcp import OK, TCP, Client, framed

TRIED = 25 if SANITIZED else 60  # number of failing allocations that each test tries


def setUpModule():
    global AUTHORITY, LISTEN  # pylint: disable=global-variable-undefined
    folder = tempfile.TemporaryDirectory(prefix="sluice-test-certificates-")
    unittest.addModuleCleanup(folder.cleanup)
    AUTHORITY = Authority(pathlib.Path(folder.name))
    cert, key = AUTHORITY.issue("server")
    LISTEN = f"{TCP}&tls=on&cert={cert}&key={key}&client_ca={AUTHORITY.cert}"


class MemoryShort(FailingMemoryTest):
    def setUp(self):
        super().setUp()
        # If an allocation fails while OpenSSL copies names, OpenSSL leaks what it has allocated
        # before.
        suppressions = self.folder / "suppressions"
        suppressions.write_text("leak:libcrypto.so\n", encoding="ascii")
        self.environment["LSAN_OPTIONS"] = (
            f"suppressions={suppressions}:print_suppressions=0")
        self.settings = ssl.create_default_context(cafile=AUTHORITY.cert)
        self.settings.load_cert_chain(*AUTHORITY.issue("client"))

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

    def is_served(self, program):
        """Returns true if a client, in a connection of its own, gets an answer."""
        client = Client(program)
        try:
            client.socket = self.settings.wrap_socket(client.socket, server_hostname="127.0.0.1")
            client.send(framed(metric(1)))
            return client.answer() == OK
        except (ssl.SSLError, ConnectionError, EOFError):
            return False
        finally:
            client.socket.close()

    def test_while_a_client_is_served(self):
        program = self.start("--listen", LISTEN, env=self.environment)
        self.assertTrue(self.is_served(program))
        count = self.counted(lambda: self.is_served(program))
        self.assertGreater(count, 100)
        failed = 0
        for number in range(1, count + 1, max(1, count // TRIED)):
            self.fail_at(number)
            failed += not self.is_served(program)
            self.fail_at(0)
            self.assertTrue(self.is_served(program), f"after allocation {number} had failed")
        self.assertGreater(failed, 0)
        listener = program.stop()["listeners"][0]
        self.assertGreater(listener["tls_failed"], 0)


if __name__ == "__main__":
    if OPENSSL is None:
        skip("openssl is not installed")
    unittest.main()
