"""The website of the documents, built once per test."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

from readme import SOURCE

CAN_BE_MADE = importlib.util.find_spec("markdown_it") is not None
WHY_NOT = "python3-markdown-it is not installed"


def make(folder):
    return subprocess.run([sys.executable, SOURCE / "tools" / "site", folder], capture_output=True, text=True,
                          timeout=120, check=False)


class Website:
    """The website in a temporary folder, which close() removes."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="sluice-website-")
        self.root = pathlib.Path(self._folder.name) / "website"
        made = make(self.root)
        if made.returncode != 0:
            raise AssertionError(made.stderr)

    def close(self):
        self._folder.cleanup()

    def pages(self):
        return sorted(self.root.rglob("*.html"))

    def url(self, name):
        return (self.root / name).as_uri()
