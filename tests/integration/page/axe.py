"""Runs axe-core, which finds accessibility problems of pages. npm fetches it into the build folder.
"""
import os
import pathlib
import shutil
import subprocess
import tarfile

VERSION = "4.10.3"
FOLDER = pathlib.Path(os.environ["TEST_NODE_PACKAGES"])
LONGEST = 60  # seconds


def violations(page, script):
    """The findings of the script in a page: each rule, and up to three elements that violate it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{script};0")
    return page.evaluate("axe.run({resultTypes: ['violations']}).then(({violations}) => "
                         "violations.map(each => [each.id, each.nodes.map(node => "
                         "node.html + ' ' + node.failureSummary).slice(0, 3)]))")


def source():
    """The script, or None and the reason why it is missing."""
    script = FOLDER / f"axe-{VERSION}.js"
    if script.exists():
        return script.read_text(encoding="utf-8"), None
    if shutil.which("npm") is None:
        return None, "npm is not installed, which fetches axe-core"
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(["npm", "pack", "--silent", f"axe-core@{VERSION}"], cwd=FOLDER, check=True,
                       timeout=LONGEST, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        return None, f"axe-core cannot be had: {error}"
    archive = FOLDER / f"axe-core-{VERSION}.tgz"
    with tarfile.open(archive) as packed:
        text = packed.extractfile("package/axe.min.js").read()
    archive.unlink()
    script.write_bytes(text)
    return text.decode("utf-8"), None
