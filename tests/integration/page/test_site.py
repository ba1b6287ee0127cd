"""The website of the documents in a headless Chromium: readable on a phone and on a large screen,
light and dark, and searched without a server."""
import unittest

import axe
from built import skip
from chromium import PROGRAM, Chromium
from website import CAN_BE_MADE, WHY_NOT, Website

if PROGRAM is None:
    skip("chromium is not installed")
if not CAN_BE_MADE:
    skip(WHY_NOT)

PAGES = ("index.html", "tools/manual/sluice.yaml.5.html", "sinks/index.html", "tools/packaging/threats.html",
         "tools/comparison/index.html", "tools/packaging/sluice.yaml.html")
READ_CLOSELY = PAGES[0], PAGES[3]  # checked by axe-core, which takes seconds for a long page
WIDTHS = (360, 800, 1600)
READY = "document.readyState === 'complete'"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = Website()
        cls.addClassCleanup(cls.site.close)
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def opened(self, name, **how):
        page = self.browser.open(self.site.url(name), **how)
        self.addCleanup(page.close)
        page.wait_for(READY, "the page")
        return page

    def test_no_page_is_wider_than_the_screen(self):
        for name in PAGES:
            page = self.opened(name)
            for width in WIDTHS:
                page.resize(width, 800)
                with self.subTest(page=name, width=width):
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            self.assertEqual(page.complaints(), [])

    def test_nothing_keeps_readers_from_it(self):
        script, why = axe.source()
        if script is None:
            self.skipTest(why)
        for name in READ_CLOSELY:
            for scheme in "light", "dark":
                page = self.opened(name, scheme=scheme, width=360)
                with self.subTest(page=name, scheme=scheme):
                    self.assertEqual(axe.violations(page, script), [])

    def typed(self, page, text):
        page.evaluate(f"input.focus(); input.value = {text!r}; input.dispatchEvent(new Event('input'))")

    def test_a_key_is_found_and_opened_from_any_page(self):
        page = self.opened("tools/packaging/threats.html")
        self.typed(page, "coalesce=")
        self.assertIn("coalesce", page.evaluate("list.querySelector('a').textContent"))
        page.press("Enter")
        page.wait_for("location.hash === '#option-coalesce' && !!document.querySelector(':target')",
                      "the key's place")
        self.assertIn("sluice.yaml.5.html", page.evaluate("location.pathname"))
        shown = page.evaluate("document.querySelector(':target').getBoundingClientRect().top")
        self.assertTrue(0 <= shown < 1000, shown)

    def test_a_search_without_a_result_says_so(self):
        page = self.opened("index.html")
        self.typed(page, "no such words")
        self.assertEqual(page.evaluate("list.textContent"), "No heading has these words.")

    def test_the_menu_is_closed_on_a_phone_and_open_on_a_screen(self):
        for width, is_open in (360, False), (1600, True):
            page = self.opened("index.html", width=width)
            self.assertEqual(page.evaluate("document.getElementById('menu').open"), is_open)


if __name__ == "__main__":
    unittest.main()
