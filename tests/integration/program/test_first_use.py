"""A connection by TLS, before the tests that need one: the first programs in a new prefix of Wine that
check a certificate find its signature invalid, or wait for a minute, and those after them do not."""
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
ATTEMPTS = 5

if __name__ == "__main__":
    connect = [sys.executable, str(TESTS / "test_check_http.py"),
               "Tls.test_a_server_with_the_right_certificate_is_reached"]
    sys.exit(all(subprocess.run(connect, check=False).returncode != 0 for _ in range(ATTEMPTS)))
