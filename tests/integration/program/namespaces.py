"""Runs scripts in their own namespaces, with disks and networks that only they see.

Under Wine its server opens files and sockets, so the script runs its own server in these
namespaces."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from built import EMULATOR, WINDOWS, command, skip
from sluice_program import DEADLINE, ORDERS


def _enter(kind, probe):
    """Restarts the script in a namespace of this kind. Returns if none is available."""
    # With a user namespace; as root without one.
    for words in (["unshare", "-r", kind], ["unshare", kind]):
        try:
            works = subprocess.run(words + probe, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            works = False
        if works:
            script = [*words, sys.executable, str(pathlib.Path(sys.argv[0]).resolve())]
            environment = {**os.environ, "TEST_NAMESPACE": "1"}
            os.execvpe(script[0], script + sys.argv[1:], environment)


@contextlib.contextmanager
def _own_wine():
    """Starts a Wine server for this script, which ends soon after its last program. It has a copy
    of the existing prefix's registry, and uses the same folders."""
    tree = pathlib.Path(EMULATOR[0]).parents[1]  # EMULATOR[0] is tools/wine in the source tree
    shared = pathlib.Path(os.environ.get("WINEPREFIX", tree / "build" / "windows" / "wine"))
    with tempfile.TemporaryDirectory(prefix="sluice-test-") as folder:
        for path in (*shared.glob("*.reg"), shared / ".update-timestamp"):
            shutil.copy(path, folder)
        drives = pathlib.Path(folder) / "dosdevices"
        drives.mkdir()
        (drives / "c:").symlink_to(shared / "drive_c")
        (drives / "z:").symlink_to("/")
        os.environ["WINEPREFIX"] = folder
        server = subprocess.Popen(["wineserver", "-f", "-p2"], stderr=subprocess.DEVNULL)
        try:
            # Wine's own services start with the first program and inherit its streams, so that
            # program gets none.
            subprocess.run(command("cmd", "/c", "exit"), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            ORDERS.begin()  # a program that keeps the server and its services running
            yield
        finally:
            ORDERS.close()
            server.wait(DEADLINE)


def run_tests(kind, probe):
    """Runs the script's tests in a namespace of this kind, which is an option of unshare(1).

    `probe` is a command that succeeds if the tests can run there. If it fails everywhere, the
    script is skipped."""
    if os.environ.get("TEST_NAMESPACE") != "1":
        _enter(kind, probe)
        skip("no namespace can be had here")
    with _own_wine() if WINDOWS else contextlib.nullcontext():
        unittest.main()
