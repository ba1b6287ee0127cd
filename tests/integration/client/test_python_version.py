"""Runs the tests of the Python client with another interpreter: test_python_version.py 3.9

The interpreter is python3.9 in PATH, or one that pyenv has built. Only the client runs in it; the
rest of the tests runs in the interpreter of this script."""
import os
import pathlib
import shutil
import subprocess
import sys

from built import skip

HERE = pathlib.Path(__file__).resolve().parent


def interpreter(version):
    """The path of a working interpreter of this version, or None. Each candidate is started once,
    because pyenv's scripts in PATH fail for versions that are not selected."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = [shutil.which(f"python{version}"),
             *sorted(root.glob(f"versions/{version}.*/bin/python{version}"))]
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in filter(None, found):
        done = subprocess.run([path, "-c", code], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        if done.stdout.strip() == version:
            return str(path)
    return None


def main(version):
    python = interpreter(version)
    if python is None:
        skip(f"there is no python{version}")
    environment = {**os.environ, "TEST_PYTHON": python}
    failed = []
    for runner, test in ((python, "test_python_client.py"), (python, "test_python_sealer.py"),
                         (sys.executable, "test_client.py")):
        print(test, "with", python, flush=True)
        done = subprocess.run([runner, HERE / test], env=environment, stdin=subprocess.DEVNULL,
                              check=False)
        if done.returncode != 0:
            failed.append(test)
    if failed:
        sys.exit(f"python{version} fails: {', '.join(failed)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
