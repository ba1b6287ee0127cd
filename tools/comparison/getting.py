"""Gets the programs without installing them: Debian's packages are downloaded and unpacked in a
folder, and programs in Go are built there. No service is started. Outside of the folder only Go's
module cache changes."""
import os
import re
import shutil
import subprocess

from peers import LIBRARIES

GO_LIMIT = 1200  # seconds for one program in Go, including downloads
APT_LIMIT = 300


class NotHere(Exception):
    """A program is not available on this machine; the text is the reason."""


def run(command, limit, **more):
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=limit, check=False, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotHere(str(error)) from error
    if done.returncode != 0:
        last = done.stdout.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise NotHere(f"{command[0]}: {last[0]}")
    return done.stdout


def get_package(peer, folder):
    """Unpacks the package and the missing libraries that apt would install."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise NotHere("no apt here")
    archives = folder / "archives"
    (archives / "partial").mkdir(parents=True, exist_ok=True)
    run(["apt-get", "-qq", "-y", "--reinstall", "--download-only", "--no-install-recommends",
         "-o", "Debug::NoLocking=1", "-o", f"Dir::Cache::archives={archives}/", "install",
         peer.package], APT_LIMIT)
    for archive in sorted(archives.glob("*.deb")):
        run(["dpkg", "-x", archive, folder], APT_LIMIT)
    shutil.rmtree(archives)


def get_program(peer, folder):
    """Builds a program in Go, with the versions that its module pins."""
    if not shutil.which("go"):
        raise NotHere("no Go here")
    (folder / "go.mod").write_text("module comparison\n", encoding="ascii")
    path, version = peer.module.split("@")
    run(["go", "get", f"{path}/{peer.program}@{version}"], GO_LIMIT, cwd=folder)
    run(["go", "build", "-tags", peer.tags, "-ldflags", "-s -w", "-o", folder / peer.name,
         f"{path}/{peer.program}"], GO_LIMIT, cwd=folder)


def environment(peer, root):
    """Returns an environment with the libraries that were unpacked with the program."""
    paths = [root / LIBRARIES, root / LIBRARIES.removeprefix("usr/"), root / "usr/lib/syslog-ng",
             root / "usr/lib"]
    found = ":".join(str(path) for path in paths if path.is_dir())
    return {**os.environ, "LD_LIBRARY_PATH": found} if peer.package else dict(os.environ)


def version_of(peer, root):
    """Returns the first version number in the program's output."""
    program = peer.command(root, None)[0]
    done = subprocess.run([str(program), *peer.version], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=environment(peer, root), timeout=30, check=False)
    found = re.search(r"\d+\.\d+(\.\d+)*", done.stdout)
    if found is None and peer.module:
        return peer.module.partition("@v")[2]
    return found[0] if found else "?"


def get(peer, programs, folder):
    """Returns the folder from which to start the program. Raises NotHere if it is not available."""
    if not peer.package and not peer.module:
        return programs
    root = folder / peer.name
    done = root / ".complete"
    if not done.exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        (get_package if peer.package else get_program)(peer, root)
        done.touch()
    return root
