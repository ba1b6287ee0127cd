"""The third-party components whose code may be in a program, with their versions and licences.

If a linked file belongs to none of these, it becomes a component with the file's name and without a
licence, which the tests of packages do not accept.
"""
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from spdx import UNKNOWN

# For each component, its name in tools/packaging/copyright, and the names of its archives in Debian
# and in the builds from sources (for Windows, and static).
LINKED = {
    "jansson": ("libjansson.a",),
    "libcurl": ("libcurl.a",),
    "librdkafka": ("librdkafka.a",),
    "libsodium": ("libsodium.a",),
    "libyaml": ("libyaml.a",),
    "nats.c": ("libnats.a",),
    "ncurses": ("libncurses.a", "libncursesw.a", "libtinfo.a"),
    "nghttp2": ("libnghttp2.a",),
    "openssl": ("libssl.a", "libcrypto.a"),
    "protobuf-c": ("libprotobuf-c.a", "libprotobuf_c.a"),
    "zlib": ("libz.a", "libzlib.a"),
    "zstd": ("libzstd.a",),
}

# The components that the compiler links into each program: their names, patterns of their files'
# paths, and their licences.
ADDED = (
    ("gcc", r"/gcc/[^/]+/[^/]+/[^/]+$", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    ("mingw-w64", r"/x86_64-w64-mingw32/lib/[^/]+$", "ZPL-2.1"),
    ("musl", r"/[^/]+-linux-musl/[^/]+$", "MIT"), # before glibc, whose files have the same names
    ("glibc", r"/(S?crt1|[gr]crt1|Mcrt1|crti|crtn)\.o$|/lib(c_nonshared|c|m|mvec|pthread)\.a$",
     "LGPL-2.1-or-later"),
)

# Debian's names of licences that differ from those of SPDX.
SPDX = {"Expat": "MIT", "MIT/X11": "X11-distribute-modifications-variant"}


def licences(copyright_file):
    """Returns the licence of each component, by SPDX's name."""
    paragraphs = re.split(r"\n\n", copyright_file.read_text(encoding="utf-8"))
    found = {}
    for paragraph in paragraphs:
        files = re.match(r"Files: (\S+)/\*\n", paragraph)
        licence = re.search(r"^License: (\S+)", paragraph, re.MULTILINE)
        if files and licence:
            found[files[1]] = SPDX.get(licence[1], licence[1])
    return found


def linked_files(text):
    """Returns the archives and object files that were linked, from a link map of GNU ld. Omits
    files that do not exist any more: they were temporary files of link-time optimisation."""
    members = text.partition("\nDiscarded input sections")[0].partition("\nMemory Configuration")[0]
    found = {path for path in re.findall(r"^(\S+\.a)\(\S+\)", members, re.MULTILINE)}
    found |= {path for path in re.findall(r"^LOAD (/\S+\.o)$", text, re.MULTILINE) if os.path.exists(path)}
    return {os.path.normpath(path) for path in found}


def component_of(path):
    """Returns the name and the licence of a file's component. The licence is None if it is in the
    copyright file. Returns (None, None) for an archive of our own build."""
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
    """Returns the Debian source package of an installed file, and its version, or (None, None)."""
    if shutil.which("dpkg-query") is None:
        return None, None
    for name in (path, os.path.realpath(path), path.removeprefix("/usr")):
        owner = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        owners = [line for line in owner.stdout.splitlines() if not line.startswith("diversion by ")]
        if owner.returncode == 0 and owners:
            package = owners[0].partition(": ")[0].split(",")[0]
            shown = subprocess.run(
                ["dpkg-query", "--show", "--showformat=${source:Package} ${source:Version}", package],
                capture_output=True, text=True, check=True)
            return tuple(shown.stdout.split())
    return None, None


def debian_source(folder):
    """Returns the name and the version of the Debian source package that is unpacked in the folder,
    or (None, None)."""
    path = pathlib.Path(folder, "debian", "changelog")
    if not path.exists():
        return None, None
    with path.open(encoding="utf-8") as file:
        found = re.match(r"(\S+) \((?:\d+:)?([^)]+)\)", file.readline())
    return found[1], found[2]


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
