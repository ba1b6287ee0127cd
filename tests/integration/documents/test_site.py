"""The website of the documents: each document has a page, each link leads to a page and an existing
anchor, and no page requests data from another machine."""
import html.parser
import json
import pathlib
import tempfile
import unittest

from built import skip
from readme import SOURCE, anchors, documents
from website import CAN_BE_MADE, WHY_NOT, Website, make

if not CAN_BE_MADE:
    skip(WHY_NOT)

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Reader(html.parser.HTMLParser):
    """Collects the links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.current = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.anchors.append(values["id"])
        if "aria-current" in values:
            self.current.append(values["href"])
        for name, value in attrs:
            if (tag, name) in LOADED:
                self.loaded.append(value)
            elif name == "href":
                self.links.append(value)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = Website()
        cls.addClassCleanup(cls.site.close)
        cls.read = {path: Reader(path) for path in cls.site.pages()}

    def page_of(self, document):
        path = self.site.root / document.relative_to(SOURCE)
        return path.with_name("index.html") if path.name == "README.md" else path.with_suffix(".html")

    def test_each_document_has_a_page_with_its_headings(self):
        for document in documents():
            with self.subTest(document=document):
                self.assertLessEqual(anchors(document), set(self.read[self.page_of(document)].anchors))

    def test_each_link_leads_to_a_page_and_its_place(self):
        count = 0
        for path, reader in self.read.items():
            for link in reader.links + reader.loaded:
                if "://" in link:
                    continue
                count += 1
                name, _, anchor = link.partition("#")
                target = (path.parent / name).resolve() if name else path
                with self.subTest(page=path, link=link):
                    self.assertTrue(target.is_file() and target.is_relative_to(self.site.root))
                    if anchor:
                        self.assertIn(anchor, self.read[target].anchors)
        self.assertGreater(count, 1000)

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, reader in self.read.items():
            self.assertEqual([each for each in reader.loaded if ":" in each or each.startswith("/")], [], path)

    def test_no_anchor_is_twice_on_a_page(self):
        for path, reader in self.read.items():
            self.assertEqual(len(reader.anchors), len(set(reader.anchors)), path)

    def test_the_menu_names_each_document_once_and_the_page_itself(self):
        home = self.read[self.site.root / "index.html"]
        pages = [(self.site.root / link).resolve() for link in home.links[2:] if "#" not in link and "://" not in link]
        for document in documents():
            page = self.page_of(document)
            with self.subTest(document=document):
                self.assertIn(page, pages)
                self.assertEqual(self.read[page].current, [page.name])

    def test_the_search_knows_headings_options_and_keys(self):
        script = (self.site.root / "headings.js").read_text(encoding="utf-8")
        lines = json.loads(script.removeprefix("const HEADINGS = ").rstrip(";\n"))
        texts = {text for text, _, _ in lines}
        self.assertLessEqual({"Sluice", "Promises", "--listen", "coalesce"}, texts)
        for text, place, _ in lines:
            name, _, anchor = place.partition("#")
            with self.subTest(text=text):
                self.assertIn(anchor, self.read[self.site.root / name].anchors)

    def test_a_folder_that_is_not_empty_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder) / "mine"
            mine.write_text("text", encoding="utf-8")
            made = make(folder)
            self.assertEqual((made.returncode, list(pathlib.Path(folder).iterdir())), (1, [mine]))
            self.assertIn("is not an empty folder", made.stderr)


if __name__ == "__main__":
    unittest.main()
