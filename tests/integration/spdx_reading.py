"""Reads a bill of materials and checks it strictly against SPDX 2.3 in JSON.

 The rules are those of the specification's JSON schema and of its text, for the parts that such a
document may have. A field that is not listed here is also an error.
https://spdx.github.io/spdx-spec/v2.3/"""
import json
import re

IDENTIFIER = r"SPDXRef-[A-Za-z0-9.-]+"
LICENCES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GPL-3.0-or-later", "ISC", "LGPL-2.1-or-later", "MIT",
            "X11-distribute-modifications-variant", "ZPL-2.1", "Zlib", "curl"}
EXCEPTIONS = {"GCC-exception-3.1"}
RELATIONS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK", "OPTIONAL_DEPENDENCY_OF"}
PURPOSES = {"APPLICATION", "CONTAINER", "LIBRARY"}
AGENT = r"(Organization: .+|NOASSERTION)"

# The fields of each kind of object: if it is required, and the type or pattern of its value.
DOCUMENT = {
    "spdxVersion": (True, r"SPDX-2\.3"), "dataLicense": (True, r"CC0-1\.0"),
    "SPDXID": (True, r"SPDXRef-DOCUMENT"), "name": (True, r".+"),
    "documentNamespace": (True, r"https?://[^\s#]+"), "creationInfo": (True, dict),
    "packages": (True, list), "relationships": (True, list)}
CREATION = {"created": (True, r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ"), "creators": (True, list)}
PACKAGE = {
    "SPDXID": (True, IDENTIFIER), "name": (True, r".+"), "downloadLocation": (True, r"NOASSERTION|NONE|\w+:.+"),
    "filesAnalyzed": (True, bool), "licenseConcluded": (True, r".+"), "licenseDeclared": (True, r".+"),
    "copyrightText": (True, r".+"), "supplier": (False, AGENT), "versionInfo": (False, r"\S+"),
    "primaryPackagePurpose": (False, "|".join(PURPOSES)), "comment": (False, r".+"),
    "checksums": (False, list), "externalRefs": (False, list)}
CHECKSUM = {"algorithm": (True, r"SHA256"), "checksumValue": (True, r"[0-9a-f]{64}")}
REFERENCE = {"referenceCategory": (True, r"PACKAGE-MANAGER"), "referenceType": (True, r"purl"),
             "referenceLocator": (True, r"pkg:deb/debian/[a-z0-9][a-z0-9+.%B-]*@[^\s?@+]+\?arch=source")}
RELATION = {"spdxElementId": (True, IDENTIFIER), "relatedSpdxElement": (True, IDENTIFIER),
            "relationshipType": (True, "|".join(RELATIONS))}


def _object(value, fields, where):
    """Yields the errors in the fields of an object."""
    if not isinstance(value, dict):
        yield f"{where} is not an object"
        return
    for name in sorted(value.keys() - fields.keys()):
        yield f"{where} has a field {name}"
    for name, (required, kind) in fields.items():
        if name not in value:
            if required:
                yield f"{where} has no {name}"
        elif isinstance(kind, type):
            if not isinstance(value[name], kind):
                yield f"{where}: {name} is not of type {kind.__name__}"
        elif not isinstance(value[name], str) or not re.fullmatch(kind, value[name]):
            yield f"{where}: {name} is {value[name]!r}"


def _licence(text, where):
    name, _, exception = text.partition(" WITH ")
    if text not in ("NOASSERTION", "NONE") and (name not in LICENCES or exception and
                                                exception not in EXCEPTIONS):
        yield f"{where} has the licence {text!r}, which is not in SPDX's list"


def _package(package, where):
    yield from _object(package, PACKAGE, where)
    for each in package.get("checksums", []):
        yield from _object(each, CHECKSUM, f"{where}, checksum")
    for each in package.get("externalRefs", []):
        yield from _object(each, REFERENCE, f"{where}, reference")
    for name in ("licenseConcluded", "licenseDeclared"):
        yield from _licence(str(package.get(name)), where)


def _list(value, name):
    found = value.get(name)
    return [each if isinstance(each, dict) else {} for each in found] if isinstance(found, list) else []


def mistakes(text):
    """Yields the errors in the document, one line each."""
    try:
        document = json.loads(text)
    except ValueError as error:
        yield f"not JSON: {error}"
        return
    yield from _object(document, DOCUMENT, "document")
    if not isinstance(document, dict):
        return
    yield from _object(document.get("creationInfo"), CREATION, "creationInfo")
    creation = document.get("creationInfo")
    creators = creation.get("creators") if isinstance(creation, dict) else None
    for creator in creators if isinstance(creators, list) and creators else [""]:
        if not re.fullmatch(r"(Organization|Person|Tool): .+", str(creator)):
            yield f"creator {creator!r}"
    packages, relations = _list(document, "packages"), _list(document, "relationships")
    for index, package in enumerate(packages):
        yield from _package(package, f"package {package.get('name', index)}")
    made = [package.get("SPDXID") for package in packages]
    for each in sorted({str(name) for name in made if made.count(name) > 1}):
        yield f"two packages have the identifier {each}"
    known = {"SPDXRef-DOCUMENT", *made}
    for index, relation in enumerate(relations):
        yield from _object(relation, RELATION, f"relationship {index}")
        for end in ("spdxElementId", "relatedSpdxElement"):
            if relation.get(end) not in known:
                yield f"relationship {index} names {relation.get(end)}, which is not there"
    if not any(relation.get("relationshipType") == "DESCRIBES" and
               relation.get("spdxElementId") == "SPDXRef-DOCUMENT" for relation in relations):
        yield "it describes no package"
    ends = {relation.get(end) for relation in relations for end in ("spdxElementId", "relatedSpdxElement")}
    for each in sorted(known - ends, key=str):
        yield f"{each} is in no relationship"


class Materials:
    """A valid document."""

    def __init__(self, text):
        wrong = list(mistakes(text))
        if wrong:
            raise AssertionError("\n".join(wrong))
        self.document = json.loads(text)
        self.packages = {package["SPDXID"]: package for package in self.document["packages"]}

    def package(self, name):
        found, = (package for package in self.packages.values() if package["name"] == name)
        return found

    def related(self, kind, program=None):
        """The names of the packages to which the programs, or this one, have a relationship of this
        kind."""
        found = set()
        for relation in self.document["relationships"]:
            ends = [relation["spdxElementId"], relation["relatedSpdxElement"]]
            if kind.endswith("_OF"):
                ends.reverse()
            if relation["relationshipType"] == kind and "SPDXRef-DOCUMENT" not in ends:
                subject, to = (self.packages[end]["name"] for end in ends)
                if program is None or subject == f"program {program}":
                    found.add(to)
        return found
