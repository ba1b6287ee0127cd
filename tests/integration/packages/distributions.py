"""Runs tools/distributions for the tests."""
import re
import shlex
import shutil
import subprocess
import sys

from built import skip
from packaging import SOURCE, run
from readme import commands

TOOL = SOURCE / "tools" / "distributions"
DOCUMENT = "tools/packaging/distributions.md"
HOME, PUBLISHED = "https://sluice.example.org", "https://sluice.example.org/v0.2.0"


def need_clone():
    """Skips all tests of a script if the source tree is not a git clone."""
    if not shutil.which("git") or subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True,
                                                 check=False).returncode != 0:
        skip("needs git, and a clone")


def makes(folder, url):
    """Runs the documented command with this folder and address."""
    line, = (line for document, line in commands() if document == DOCUMENT and "tools/distributions" in line)
    words = [folder if word == "build/distributions" else word.replace(PUBLISHED, url) for word in shlex.split(line)]
    run(sys.executable, TOOL, *words[1:])
    return folder


def version():
    said = subprocess.run(["cmake", f"-DFOLDER={SOURCE}", "-P", SOURCE / "tools/cmake/Version.cmake"],
                          capture_output=True, text=True, check=True).stderr
    return re.search(r"^VERSION=(.+)$", said, re.MULTILINE)[1]
