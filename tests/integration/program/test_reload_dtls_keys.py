"""The keys of dtls listeners only, in a running program: a reload applies a new value, and another
one restores the old value."""
import os
import unittest

from certificates import OPENSSL, Authority
from ports import free_port
from reload_rows import Fixed, ReloadRows, Row

PRESENT = OPENSSL is not None and os.environ.get("TEST_TLS") == "1"


def rows(other, its_key, authority):
    """`other` is a different certificate, `its_key` its key."""
    def accepted(test):
        return test.connects() is not None

    def name(test):
        return test.connects().dtls.peer_name()

    def ends_soon(test):
        client = test.connects()
        client.socket.settimeout(1)
        return client.receive() is not None and client.dtls.has_ended()
    return [
        Row("dtls", "cert key", (other, its_key), name, "one", "two"),
        Row("dtls", "client_ca", authority, accepted, True, False),
        Row("dtls", "idle_timeout", "100ms", ends_soon, False, True),
        Fixed("dtls", "sessions", "5"),
        Fixed("dtls", "sessions_per_address", "5"),
    ]


ROWS = rows("", "", "")


@unittest.skipUnless(PRESENT, "no openssl, or a program without TLS")
class Encrypted(ReloadRows):
    def connects(self):
        """A client with a session, or None if it is refused."""
        from dtls_client import DtlsClient, Settings  # pylint: disable=import-outside-toplevel
        client = DtlsClient(self.program.port(), Settings())
        self.addCleanup(client.close)
        try:
            return client.open()
        except ConnectionError:
            return None

    def test_keys_of_dtls(self):
        authority = Authority(self.folder)
        (cert, key), (other, its_key) = authority.issue("one"), authority.issue("two")
        self.begin([{"address": f"dtls://127.0.0.1:{free_port()}", "schema": "riemann",
                     "cert": str(cert), "key": str(key)}])
        self.check_rows(rows(str(other), str(its_key), str(authority.cert)))


if __name__ == "__main__":
    unittest.main()
