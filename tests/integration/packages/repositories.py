"""Creates repositories for the tests: keys, older versions of the packages, a web server on
loopback."""
import functools
import http.server
import os
import re
import subprocess
import sys
import threading

from packaging import BUILD, SOURCE, packs, run
from readme import commands

TOOL = SOURCE / "tools" / "repository"
DOCUMENT = "tools/packaging/repository.md"
WHO, SERVED = "packages@example.org", "https://packages.example.org"
OLD = "0.1.0"


class Key:
    """A secret key of gpg in a separate folder."""

    def __init__(self, folder):
        folder.mkdir(mode=0o700)
        self.environment = {**os.environ, "GNUPGHOME": str(folder)}
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", f"Sluice <{WHO}>",
            "rsa3072", "sign", "1d", env=self.environment)

    def end(self):
        """Stops the agent that gpg has started."""
        run("gpgconf", "--kill", "all", env=self.environment)

    def publish(self, folder, *packages, url=None, key=WHO):
        """Runs tools/repository. Returns the result."""
        words = ["--url", url] if url else []
        return subprocess.run([sys.executable, TOOL, "--key", key, *words, folder, *packages], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):  # the base class names the parameter
        pass


class Server:
    """Serves a folder on loopback."""

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def end(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def documented(section, url):
    """The commands in one section of the document, by their first word after sudo, for this server.
    """
    text = (SOURCE / DOCUMENT).read_text(encoding="utf-8")
    part = text.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line.removeprefix("sudo ") for document, line in commands() if document == DOCUMENT and line in part]
    if not lines:
        raise AssertionError(f"no commands in {section}")
    return [line.replace(SERVED, url) for line in lines]


def with_version(folder, build=BUILD):
    """The packages of a build with an older version and another configuration file, so that in an
    upgrade both the administrator and the package have changed it."""
    made = packs(build, "DEB", folder, definitions=[f"CPACK_DEBIAN_PACKAGE_VERSION={OLD}"])
    changed(folder, made["sluice-collector"])
    return made


def rpms_with_version(folder):
    """The same as with_version, for .rpm files. These conflict with the single package of 0.1.0."""
    return packs(BUILD, "RPM", folder, definitions=[
        f"CPACK_RPM_PACKAGE_VERSION={OLD}", "CPACK_RPM_TOOLS_PACKAGE_CONFLICTS=",
        "CPACK_RPM_DEVELOPMENT_PACKAGE_CONFLICTS="])


def system_rpm(folder, packages):
    """A package in place of the system: it provides everything that these packages require."""
    needs = {line for package in packages
             for line in run("rpm", "--query", "--requires", "--package", package).splitlines()
             if not line.startswith(("rpmlib(", "config("))}
    spec = folder / "system.spec"
    spec.write_text("Name: system\nVersion: 1\nRelease: 1\nSummary: system\nLicense: none\nBuildArch: noarch\n" +
                    "".join(f"Provides: {need}\n" for need in sorted(needs)) +
                    "%description\nsystem\n%files\n", encoding="ascii")
    run("rpmbuild", "--define", f"_topdir {folder}/rpmbuild", "-bb", spec)
    package, = (folder / "rpmbuild/RPMS/noarch").iterdir()
    return package


def changed(folder, package):
    root = folder / package.stem
    run("dpkg-deb", "--raw-extract", package, root)
    with open(root / "etc/sluice/sluice.yaml", "a", encoding="utf-8") as configuration:
        configuration.write(f"\n# The last line of {OLD}.\n")
    (root / "DEBIAN" / "md5sums").unlink()
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, package)


def undivided(folder, parts):
    """The single package of 0.1.0: named sluice, with the tools and the client library in it."""
    root = folder / "undivided"
    run("dpkg-deb", "--raw-extract", parts["sluice-collector"], root)
    for name in ("sluice-tools", "libsluice-client-dev"):
        run("dpkg-deb", "--extract", parts[name], root)
    needs = run("dpkg-deb", "--field", parts["sluice-tools"], "Depends").strip()
    control = root / "DEBIAN" / "control"
    text = re.sub(r"^(Recommends|Conflicts|Replaces|Source): .*\n", "", control.read_text(encoding="utf-8"), flags=re.M)
    text = text.replace("Package: sluice-collector\n", "Package: sluice\n")
    control.write_text(re.sub(r"^(Depends: .*)$", rf"\1, {needs}", text, flags=re.M), encoding="utf-8")
    package = folder / f"undivided_{OLD}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, package)
    return package
