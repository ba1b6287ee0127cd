"""The documents of the repository: their blocks of code, headings and links."""
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]
README = SOURCE / "README.md"
MANUAL = SOURCE / "tools" / "manual"

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Every document in Markdown, README.md first."""
    folders = (".github", "collector", "proto", "sinks", "tests", "tools")
    return [README, *sorted(path for folder in folders
                            for path in (SOURCE / folder).rglob("*.md"))]


def name_of(document):
    return str(document.relative_to(SOURCE))


def blocks(document):
    """Language and text of each block of code."""
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def commands():
    """The document and text of each command in a block of sh, without comments, with continuation
    lines joined."""
    for document in documents():
        for language, text in blocks(document):
            if language != "sh":
                continue
            text = re.sub(r"(^|\s{2,})#.*", "", text, flags=re.MULTILINE)
            text = re.sub(r"\\\n\s*", "", text)
            text = re.sub(r"\|\n\s*", "| ", text)
            text = re.sub(r"^for .*?^done$", lambda loop: loop[0].replace("\n", " "), text,
                          flags=re.MULTILINE | re.DOTALL)
            for line in filter(None, map(str.strip, text.splitlines())):
                yield name_of(document), line


def _prose(document):
    return BLOCK.sub("", document.read_text(encoding="utf-8"))


def links(document):
    """The targets of a document's links, in their order."""
    text = re.sub(r"`[^`\n]*`", "", _prose(document))
    return re.findall(r"\]\(([^()\s]+)\)", text)


def anchors(document):
    """The anchors of a document, as GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.+)$", _prose(document), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def from_readme(*words):
    """The only code block in all documents except manual pages that contains all of these words. So
    tests run the commands that users copy; each test inserts its own ports and paths."""
    found = [text for document in documents() if document.parent != MANUAL
             for _, text in blocks(document) if all(word in text for word in words)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} blocks of code with {words} in the documents")
    return found[0]
