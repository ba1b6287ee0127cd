"""Makes the .msi of a folder with staged files: make_msi.py FOLDER PACKAGE VERSION N.N.N

wixl makes the package from sluice.wxs, then msibuild adds tables.sql. The same files with the same
time (SOURCE_DATE_EPOCH, or now) result in the same package: its product codes are hashes, and its
times are all that time.
"""
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = uuid.UUID("2b1d7e0c-55f4-4f7f-8a3c-7d0e5b8d9c33")
SECONDS_TO_1970 = 11644473600  # Windows counts from 1601


def run(*command, **more):
    done = subprocess.run(command, **more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}, check=False)
    # Both programs report some errors only in their output, with exit code 0.
    if done.returncode != 0 or done.stdout:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")


def identity(path):
    """Returns an identifier of Windows Installer for a path, the same in each version."""
    return "f" + hashlib.sha1(path.encode()).hexdigest()


def folder_lines(folder, top, group):
    """Yields the files and folders in a folder, as lines of XML. Adds its components to the group.
    """
    for path in sorted(folder.iterdir()):
        name = identity(str(path.relative_to(top)))
        if path.is_dir():
            yield f'<Directory Id="{name}" Name={quoteattr(path.name)}>'
            yield from folder_lines(path, top, group)
            yield "</Directory>"
        elif path != top / "sluice.exe":
            group.append(name)
            yield (f'<Component Id="{name}" Guid="*" Win64="yes"><File Id="{name}" KeyPath="yes" '
                   f"Source={quoteattr(str(path.relative_to(top)))}/></Component>")


def fragment(stage):
    """Returns the XML of the group "files" for sluice.wxs."""
    group = []
    lines = list(folder_lines(stage, stage, group))
    return "\n".join([
        '<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">',
        '<Fragment><DirectoryRef Id="INSTALLDIR">', *lines, "</DirectoryRef></Fragment>",
        '<Fragment><ComponentGroup Id="files">',
        *(f'<ComponentRef Id="{name}"/>' for name in group), "</ComponentGroup></Fragment></Wix>"])


def code(stage, *more):
    """Returns a GUID made of the names and contents of all files, and of additional texts."""
    digest = hashlib.sha256("\0".join(more).encode())
    for path in sorted(stage.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(stage)}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return str(uuid.uuid5(NAMESPACE, digest.hexdigest())).upper()


def statements():
    text = re.sub(r"^--.*\n", "", (HERE / "tables.sql").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [statement.strip() for statement in text.split("\n\n") if statement.strip()]


def set_times(package, moment, begin, end):
    """Replaces the current time, which wixl stores twice, as time of creation and of the last
    change."""
    content = package.read_bytes()
    new = struct.pack("<Q", (moment + SECONDS_TO_1970) * 10**7)
    found = 0
    for second in range(begin, end + 1):
        old = struct.pack("<Q", (second + SECONDS_TO_1970) * 10**7)
        found += content.count(old)
        content = content.replace(old, new)
    if found != 2:
        sys.exit(f"{package} has its time in {found} places, not in 2")
    package.write_bytes(content)


def main(folder, package, version, numbers):
    stage, package = pathlib.Path(folder).resolve(), pathlib.Path(package).resolve()
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    for path in stage.rglob("*"):
        os.utime(path, (moment, moment))
    more = [str(moment), *(path.read_text(encoding="utf-8") for path in sorted(HERE.iterdir())
                           if path.suffix in (".wxs", ".sql", ".py"))]
    major, minor, patch = map(int, numbers.split("."))
    variables = {"FullVersion": version, "Version": numbers,
                 "NextVersion": f"{major}.{minor}.{patch + 1}",
                 "ProductCode": code(stage, version, *more)}
    begin = int(time.time())
    with tempfile.TemporaryDirectory() as scratch:
        files = pathlib.Path(scratch) / "files.wxs"
        files.write_text(fragment(stage), encoding="utf-8")
        run("wixl", "--arch", "x64", "--output", package,
            *(f"--define={name}={value}" for name, value in variables.items()),
            HERE / "sluice.wxs", files, cwd=stage)
    run("msibuild", package, *(word for each in statements() for word in ("-q", each)),
        "-s", f"Sluice {version}", "The Sluice maintainers", "x64;1033",
        "{" + code(stage, "package", version, *more) + "}")
    set_times(package, moment, begin, int(time.time()))


if __name__ == "__main__":
    main(*sys.argv[1:])
