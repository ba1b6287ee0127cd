"""A bill of materials as SPDX 2.3 in JSON (https://spdx.github.io/spdx-spec/v2.3/).

The same components result in the same text: it contains no random number, and the caller passes its
time.
"""
import hashlib
import json
import re
import time
from urllib.parse import quote

UNKNOWN = "NOASSERTION"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def debian_url(source, version):
    """Returns the package URL of a Debian source package
    (https://github.com/package-url/purl-spec)."""
    return f"pkg:deb/debian/{quote(source)}@{quote(version, safe='.~')}?arch=source"


class Document:
    """Packages and their relations. text() returns the document."""

    def __init__(self, name, version, moment):
        self.name, self.version, self.moment = name, version, moment
        self.packages, self.relations = {}, set()
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name))

    @classmethod
    def read(cls, text, moment):
        """Reads a document that text() has written, to add more to it."""
        found = json.loads(text)
        name, _, version = found["name"].partition("-")
        made = cls(name, version, moment)
        made.packages = {package["SPDXID"]: package for package in found["packages"]}
        made.relations = {(each["spdxElementId"], each["relationshipType"], each["relatedSpdxElement"])
                          for each in found["relationships"]}
        return made

    def replace(self, name, *described, **more):
        """Adds a package. Removes an earlier one with the same name."""
        self.packages.pop(identifier(name), None)
        return self.add(name, *described, **more)

    def add(self, name, version=None, licence=UNKNOWN, supplier=UNKNOWN, url=None, sha256=None, comment=None,
            purpose="LIBRARY"):
        """Adds a package, unless it exists. Returns its identifier."""
        made = identifier(name)
        package = {"SPDXID": made, "name": name, "downloadLocation": UNKNOWN, "filesAnalyzed": False,
                   "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": UNKNOWN,
                   "supplier": supplier, "primaryPackagePurpose": purpose}
        if version:
            package["versionInfo"] = version
        if url:
            package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                        "referenceLocator": url}]
        if sha256:
            package["checksums"] = [{"algorithm": "SHA256", "checksumValue": value}
                                    for value in sorted(sha256)]
        if comment:
            package["comment"] = comment
        self.packages.setdefault(made, package)
        return made

    def relate(self, subject, kind, to):
        self.relations.add((subject, kind, to))

    def text(self):
        body = {
            "packages": [self.packages[made] for made in sorted(self.packages)],
            "relationships": [
                {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": to}
                for subject, kind, to in sorted(self.relations)]}
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        return json.dumps({
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"{self.name}-{self.version}",
            "documentNamespace": f"https://sluice.example/spdx/{self.name}-{quote(self.version)}-{digest}",
            "creationInfo": {
                "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.moment)),
                "creators": ["Organization: The Sluice maintainers", "Tool: tools/packaging/sbom"]},
            **body}, indent=1) + "\n"
