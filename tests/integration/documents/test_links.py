"""Links in documents have targets, and README.md leads to important subjects within a few links."""
import re
import unittest

from readme import README, SOURCE, anchors, documents, links, name_of

MOST_LINES = 200
MOST_LINKS = 2

# Subjects that a reader may search, and the pattern that finds each.
LOOKED_FOR = {
    "a key's default": r"receive_buffer=SIZE\b[^=]*\bdefault 4MiB",
    "how long datagrams are gathered": r"^- coalesce=TIME$[^=]*\(default 5ms, 0s to 10ms\)",
    "the meaning of listener_share": r"listener_share\b[\s\S]{0,200}\b(behind|queue|ring)\b",
    "a CSV column": r"\| temporality \| cumulative or delta \|",
    "the CSV column of the unit": r"^\| unit \| unit of the value \|$",
    "how to run under systemd": r"^## Under systemd$",
    "a socket that systemd binds": r"^ListenDatagram=",
    "how to add an encoder": r"^## How to add an encoder$",
    "where too_deep is decided": r"^\| too_deep \|.*\(.*message/",
    "what kill -9 loses of a compressed file": r"kill -9.*compress=zstd",
    "multicast": r"Join a multicast group",
    "a gauge from C": r"sluice_client_gauge\(",
    "dependencies": r"^## Dependencies$",
}


def target_of(document, link):
    """The path and the anchor of a link. For a folder with a README.md, that page."""
    place, _, anchor = link.partition("#")
    path = (document.parent / place).resolve() if place else document
    page = path / "README.md"
    return (page if page.exists() else path), anchor


def text_of(path):
    """A document without Markdown's markup."""
    return re.sub(r"\\(?=\W|_)|[`*]", "", path.read_text(encoding="utf-8"))


def reached():
    """The documents that README.md links to."""
    found, last = {README}, {README}
    for _ in range(MOST_LINKS):
        targets = {target_of(document, link)[0] for document in last
                   for link in links(document) if "://" not in link}
        last = {path for path in targets - found if path.suffix == ".md"}
        found |= last
    return found


class Links(unittest.TestCase):
    def test_every_link_names_what_is_there(self):
        count = 0
        for document in documents():
            for link in links(document):
                count += 1
                with self.subTest(document=name_of(document), link=link):
                    if "://" in link:
                        self.assertRegex(link, r"\Ahttps?://[a-z0-9.-]+\.[a-z]+(/\S*)?\Z")
                        continue
                    path, anchor = target_of(document, link)
                    self.assertTrue(path.exists())
                    self.assertTrue(path.is_relative_to(SOURCE))
                    if anchor:
                        self.assertIn(anchor, anchors(path))
        self.assertGreater(count, 100)

    def test_every_document_is_reached(self):
        known = {README}
        last = {README}
        while last:
            last = {target_of(document, link)[0] for document in last if document.suffix == ".md"
                    for link in links(document) if "://" not in link} - known
            known |= last
        self.assertEqual([name_of(each) for each in documents() if each not in known], [])


class FirstPage(unittest.TestCase):
    def test_is_short(self):
        lines = README.read_text(encoding="utf-8").count("\n")
        self.assertLessEqual(lines, MOST_LINES)

    def test_two_links_lead_to_what_people_look_for(self):
        texts = {path: text_of(path) for path in reached()}
        for what, pattern in LOOKED_FOR.items():
            with self.subTest(what=what):
                self.assertTrue(any(re.search(pattern, text, re.MULTILINE)
                                    for text in texts.values()))


if __name__ == "__main__":
    unittest.main()
