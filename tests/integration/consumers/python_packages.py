"""Python packages that Debian does not have, in a virtual environment of the build folder.

It is made once for each list, by pip; where that is not possible the test is skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from built import skip

PACKAGES = pathlib.Path(os.environ["TEST_PYTHON_PACKAGES"])
LONGEST = 150  # seconds for all of it


def python_with(*packages):
    """A Python with exactly these packages, each as NAME==VERSION, and without their
    dependencies."""
    listed = "\n".join(packages) + "\n"
    complete = PACKAGES / "complete"
    python = PACKAGES / "bin" / "python"
    if complete.exists() and complete.read_text(encoding="ascii") == listed:
        return python
    shutil.rmtree(PACKAGES, ignore_errors=True)
    try:
        for command in ([sys.executable, "-m", "venv", PACKAGES],
                        [python, "-m", "pip", "install", "--quiet", "--no-input",
                         "--disable-pip-version-check", "--no-deps", *packages]):
            subprocess.run(command, check=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        skip(f"these Python packages cannot be had: {error}")
    complete.write_text(listed, encoding="ascii")
    return python
