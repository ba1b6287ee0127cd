"""Installs Python packages that Debian does not have, in a virtual environment of the build folder.

The environment is made once for each list of packages, by pip. Where that is not possible the test
is skipped."""
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

from built import skip

PACKAGES = pathlib.Path(os.environ["TEST_PYTHON_PACKAGES"])
LONGEST = 150  # seconds for all of it


def pips_wheel():
    """The wheel that has the pip of new virtual environments, or None."""
    folders = (sysconfig.get_config_var("WHEEL_PKG_DIR"), "/usr/share/python-wheels",
               pathlib.Path(sysconfig.get_path("stdlib")) / "ensurepip/_bundled")
    return next((wheel for folder in folders if folder
                 for wheel in pathlib.Path(folder).glob("pip-*.whl")), None)


def python_with(*packages):
    """A Python with exactly these packages, each as NAME==VERSION, and without their
    dependencies."""
    listed = "\n".join(packages) + "\n"
    complete = PACKAGES / "complete"
    python = PACKAGES / "bin" / "python"
    if complete.exists() and complete.read_text(encoding="ascii") == listed:
        return python
    shutil.rmtree(PACKAGES, ignore_errors=True)
    # Installing pip, and compiling all modules of the packages, would take longer than the test. So
    # pip runs from its wheel, and Python compiles only what it imports.
    wheel = pips_wheel()
    venv, pip = ([], ["-m", "pip"]) if wheel is None else (["--without-pip"], [wheel / "pip"])
    try:
        for command in ([sys.executable, "-m", "venv", *venv, PACKAGES],
                        [python, *pip, "install", "--quiet", "--no-input", "--no-compile",
                         "--disable-pip-version-check", "--no-deps", *packages]):
            subprocess.run(command, check=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        skip(f"these Python packages cannot be had: {error}")
    complete.write_text(listed, encoding="ascii")
    return python
