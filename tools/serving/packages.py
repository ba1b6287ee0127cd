"""Sources of programs: Debian's packages, Maven and Go, with their own clients and defaults."""
import os
import pathlib
import shutil
import subprocess

from failure import CANNOT_FETCH, Failure

LONGEST = 1200  # time limit of one client, in seconds
SYSTEM_PATH = "/usr/sbin:/sbin"  # Debian's folder of daemons, which is not in a user's PATH


def find(program):
    """Returns the path of an installed program, or None."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":" + SYSTEM_PATH)


def go_environment(cache, **more):
    """Returns the environment for Go's client. Downloads and objects are in `cache`, which can be
    removed."""
    return {**os.environ, "GOPATH": str(cache), "GOCACHE": str(cache / "built"),
            "GOFLAGS": "-modcacherw -buildvcs=false", **more}


class Packages:
    """Downloads are stored in `folder`, so that a second fetch needs no network."""

    def __init__(self, root, folder):
        self.root = root
        self.folder = pathlib.Path(folder).absolute()

    def path(self, *names):
        """Returns a path in the folder of packages."""
        return self.folder.joinpath(*names)

    def need(self, *programs):
        """Installs Debian's packages for servers if one of these programs is missing."""
        if all(map(find, programs)):
            return
        self.run("installs the packages", [self.root / "tools" / "packages", "servers"])
        missing = [program for program in programs if find(program) is None]
        if missing:
            raise Failure("not installed: " + ", ".join(missing), CANNOT_FETCH)

    def run(self, what, words, **more):
        """Runs a client to its end. On failure the error contains its output."""
        try:
            done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=LONGEST, check=False, **more)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{what}: {error}", CANNOT_FETCH) from None
        if done.returncode != 0:
            said = [line for line in done.stdout.splitlines() if line.strip()]
            raise Failure(f"{what}: " + "\n  ".join(said[-8:]), CANNOT_FETCH)

    def once(self, name, make):
        """Calls make(folder, cache) if there is no folder with this name.

        The folder gets its name only when it is complete; an interrupted one is made again. `cache`
        is a folder for intermediate downloads, which is removed afterwards.
        """
        if self.path(name).exists():
            return
        begun, cache = self.path(name + ".begun"), self.path(name + ".cache")
        for folder in (begun, cache):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        make(begun, cache)
        begun.rename(self.path(name))
        shutil.rmtree(cache, ignore_errors=True)
