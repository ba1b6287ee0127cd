"""Writes the bill of materials of the programs: make_sbom.py --out FILE ... PROGRAM...

Static libraries are in each program's link map (PROGRAM.map), shared libraries in the program's
header. The names of optional libraries, which the program may open at run time, are in the program
file.
"""
import argparse
import os
import pathlib
import re
import subprocess

import components
import spdx

MAINTAINERS = "Organization: The Sluice maintainers"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--moment", default="0")
    parser.add_argument("--copyright", required=True, type=pathlib.Path)
    parser.add_argument("--objdump", required=True)
    # --known NAME=VERSION is for systems without Debian's packages. --source NAME=FOLDER names an
    # unpacked source.
    parser.add_argument("--known", action="append", default=[])
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def pairs(words):
    return dict(word.split("=", 1) for word in words if not word.endswith("="))


def shared(program, objdump):
    """Returns the libraries that the system's loader needs to start the program."""
    text = subprocess.run([objdump, "--private-headers", program], capture_output=True, text=True,
                          check=True).stdout
    return sorted(set(re.findall(r"^\s*(?:NEEDED|DLL Name:)\s+(\S+)$", text, re.MULTILINE)))


def opened(program, needed):
    """Returns the shared libraries that the program may open at run time. Their names are in its
    file."""
    names = re.findall(rb"lib[a-z_+-]+\.so\.[0-9.]+(?=\0)", program.read_bytes())
    return sorted({name.decode() for name in names} - set(needed))


class Materials:
    def __init__(self, options):
        self.licences = components.licences(options.copyright)
        self.known, self.sources = pairs(options.known), pairs(options.source)
        moment = int(os.environ.get("SOURCE_DATE_EPOCH", options.moment or 0))
        self.document = spdx.Document("sluice", options.version, moment)
        self.version, self.objdump = options.version, options.objdump
        self.digests = {}

    def find(self, path):
        """Adds a linked file's component. Returns its identifier, or None for a file of our build.
        """
        name, licence = components.component_of(path)
        if name is None:
            return None
        licence = licence or self.licences[name]
        if name in self.sources:
            source, version = components.debian_source(self.sources[name])
        else:
            source, version = components.debian_package(path)
        version = version or self.known.get(name)
        sha256 = {components.digest(path)} if name in components.LINKED and os.path.isabs(path) else None
        made = self.document.add(
            name, version, licence, "Organization: Debian" if source else spdx.UNKNOWN,
            spdx.debian_url(source, version) if source else None, sha256,
            "The checksum is that of the static library." if sha256 else None)
        if sha256: # a component may have several archives
            checksums = self.document.packages[made]["checksums"]
            value = {"algorithm": "SHA256", "checksumValue": sha256.pop()}
            if value not in checksums:
                checksums.append(value)
                checksums.sort(key=lambda each: each["checksumValue"])
        return made

    def add(self, program):
        name = program.name.removesuffix(".exe")
        main = self.document.add("sluice", self.version, "Apache-2.0", MAINTAINERS, purpose="APPLICATION")
        made = self.document.add(f"program {name}", self.version, "Apache-2.0", MAINTAINERS,
                                 purpose="APPLICATION")
        self.document.relate(main, "CONTAINS", made)
        for path in sorted(components.linked_files(program.with_name(f"{name}.map").read_text())):
            component = self.find(path)
            if component:
                self.document.relate(made, "STATIC_LINK", component)
        needed = shared(program, self.objdump)
        for library in needed:
            self.document.relate(made, "DYNAMIC_LINK", self.document.add(
                library, comment="A library of the system that the program runs on."))
        for library in opened(program, needed):
            self.document.relate(self.document.add(
                library, comment="Opened when a setting needs it; a library of the system that the program runs on."),
                "OPTIONAL_DEPENDENCY_OF", made)


def main():
    options = arguments()
    materials = Materials(options)
    for program in options.programs:
        materials.add(program)
    pathlib.Path(options.out).write_text(materials.document.text(), encoding="utf-8")


if __name__ == "__main__":
    main()
