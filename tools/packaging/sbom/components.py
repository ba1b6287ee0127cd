"""The third-party components whose code may be in a program, and where their versions and licences are.

A file that a program was linked from and that belongs to none of these is a component by its name, without a
licence. The tests of packages do not accept that.
"""
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from spdx import UNKNOWN

# Name in tools/packaging/copyright, and the names of its archives: Debian's, and those of the build for Windows.
LINKED = {
    "jansson": ("libjansson.a",),
    "libcurl": ("libcurl.a",),
    "librdkafka": ("librdkafka.a",),
    "libsodium": ("libsodium.a",),
    "libyaml": ("libyaml.a",),
    "ncurses": ("libncurses.a", "libncursesw.a", "libtinfo.a"),
    "protobuf-c": ("libprotobuf-c.a", "libprotobuf_c.a"),
    "zlib": ("libz.a", "libzlib.a"),
    "zstd": ("libzstd.a",),
}

# Parts that the compiler adds to each program: the folder or the name of its files, and its licence.
ADDED = (
    ("gcc", r"/gcc/[^/]+/[^/]+/[^/]+$", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    ("mingw-w64", r"/x86_64-w64-mingw32/lib/[^/]+$", "ZPL-2.1"),
    ("glibc", r"/(S?crt1|[gr]crt1|Mcrt1|crti|crtn)\.o$|/lib(c_nonshared|c|m|mvec|pthread)\.a$",
     "LGPL-2.1-or-later"),
)

# The names that Debian gives to licences, where SPDX has others.
SPDX = {"Expat": "MIT", "MIT/X11": "X11-distribute-modifications-variant"}


def licences(copyright_file):
    """The licence of each component, by SPDX's name."""
    paragraphs = re.split(r"\n\n", copyright_file.read_text(encoding="utf-8"))
    found = {}
    for paragraph in paragraphs:
        files = re.match(r"Files: (\S+)/\*\n", paragraph)
        licence = re.search(r"^License: (\S+)", paragraph, re.MULTILINE)
        if files and licence:
            found[files[1]] = SPDX.get(licence[1], licence[1])
    return found


def linked_files(text):
    """The files of others in a link map of GNU ld: members of archives, and object files of the compiler. Files
    that the map names, but that do not exist any more, are temporary ones of link-time optimisation."""
    members = text.partition("\nDiscarded input sections")[0].partition("\nMemory Configuration")[0]
    found = {path for path in re.findall(r"^(\S+\.a)\(\S+\)", members, re.MULTILINE)}
    found |= {path for path in re.findall(r"^LOAD (/\S+\.o)$", text, re.MULTILINE) if os.path.exists(path)}
    return {os.path.normpath(path) for path in found}


def component_of(path):
    """The component that a file belongs to: its name and its licence, or None for that in the copyright file.
    (None, None) is for the archives of the build itself."""
    name = os.path.basename(path)
    for component, archives in LINKED.items():
        if name in archives:
            return component, None
    if os.path.isabs(path):
        for component, pattern, licence in ADDED:
            if re.search(pattern, path):
                return component, licence
    elif name.startswith("libsluice"):
        return None, None
    return name, UNKNOWN


@functools.cache
def debian_package(path):
    """Debian's source package that a file of this machine is from, and its version; or (None, None)."""
    if shutil.which("dpkg-query") is None:
        return None, None
    for name in (path, os.path.realpath(path), path.removeprefix("/usr")):
        owner = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        if owner.returncode == 0:
            package = owner.stdout.partition(": ")[0].split(",")[0]
            shown = subprocess.run(
                ["dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}", package],
                capture_output=True, text=True, check=True)
            return tuple(shown.stdout.split())
    return None, None


def debian_source(folder):
    """The same of a folder with the source of a package of Debian."""
    path = pathlib.Path(folder, "debian", "changelog")
    if not path.exists():
        return None, None
    with path.open(encoding="utf-8") as file:
        found = re.match(r"(\S+) \((?:\d+:)?([^)]+)\)", file.readline())
    return found[1], found[2]


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
