#!/usr/bin/env python3
"""Converts manual pages to Markdown: tools/manual/markdown.py PAGE FOLDER.

Supports the macros of man(7) that these pages use, and fails for any other. Writes FOLDER/PAGE.md. Bold text in a
page is literal and becomes code; a reference to a page with a template in pages/ becomes a link.
"""
import pathlib
import re
import shlex
import sys
import textwrap

WIDTH = 118
PAGES = {template.name for template in (pathlib.Path(__file__).parent / "pages").iterdir()}
ESCAPES = {"-": "-", "&": "", ":": "", "e": "\\", " ": " ", "~": " ", "(aq": "'", "(dq": '"', "(bu": "\u2022",
           "(co": "\u00a9", "(en": "\u2013", "(em": "\u2014", "(ha": "^", "(ti": "~", "(rs": "\\", "(ga": "`"}
FONTS = {"B": "bold", "I": "italic", "R": "plain", "P": "plain"}
MACRO_FONTS = ("B", "I", "BR", "RB", "BI", "IB", "IR", "RI")
SILENT = ("ad", "na", "hy", "nh", "TH")


def pieces(text, font="plain"):
    """Yields pairs of a font and text, with escapes replaced."""
    for match in re.finditer(r"\\f([BIRP])|\\(\(..|.)|[^\\]+", text):
        if match[1]:
            font = FONTS[match[1]]
        elif match[2]:
            yield font, ESCAPES[match[2]]
        else:
            yield font, match[0]


def in_fonts(macro, words):
    """Yields the words of a font macro, alternately in its two fonts."""
    for i, word in enumerate([" ".join(words)] if len(macro) == 1 else words):
        yield from pieces(word, FONTS[macro[i % len(macro)]])


def words_of(text):
    return shlex.split(text.replace("\\", "\\\\").replace("'", "\\'"))


def joined(parts):
    """Joins adjacent parts that have the same font."""
    found = []
    for font, text in parts:
        if found and found[-1][0] == font:
            found[-1][1] += text
        elif text:
            found.append([font, text])
    return found


def markdown(parts):
    """Returns the Markdown of the parts. Spaces stay outside of markup."""
    text = ""
    for font, part in joined(parts):
        before, inner, after = re.match(r"(\s*)(.*?)(\s*)\Z", part, re.DOTALL).groups()
        if font == "plain" or not inner:
            text += before + re.sub(r"([*_`\[\]<|])", r"\\\1", inner) + after
        elif font == "bold":
            fence = "``" if "`" in inner else "`"
            text += f"{before}{fence}{inner}{fence}{after}"
        else:
            text += f"{before}*{inner}*{after}"
    return text


def linked(text):
    """Makes `sluice`(1) a link if there is such a page."""
    def link(match):
        name = f"{match[1]}.{match[2]}"
        return f"[{match[1]}({match[2]})]({name}.md)" if name in PAGES else f"{match[1]}({match[2]})"

    return re.sub(r"[`*]([\w.-]+)[`*]\((\d)\)", link, text)


class Page:
    def __init__(self):
        self.lines = []      # lines of the document
        self.depth = 0       # depth of lists
        self.in_item = False  # the text belongs to an item
        self.text = []       # parts of the current paragraph
        self.tag = None      # tag of the current item; None: no tag
        self.awaits_tag = False
        self.code = None     # lines of the current code block

    def indent(self):
        return "  " * (self.depth + self.in_item)

    def end_paragraph(self):
        text = linked(markdown(self.text)).strip()
        self.text = []
        self.lines += self.filled(text)

    def filled(self, text):
        """Returns the lines of a paragraph, after an empty one. Escapes text that would begin a heading or
        an item."""
        lines = textwrap.wrap(text, WIDTH - len(self.indent()), break_long_words=False, break_on_hyphens=False)
        return ["", *(self.indent() + re.sub(r"^([#>+-]|\d+\.)", r"\\\1", line) for line in lines)] if lines else []

    def begin_item(self, tag):
        self.in_item = True
        self.lines += ["", "  " * self.depth + "- " + linked(markdown(tag)).strip()]

    def add(self, parts):
        parts = list(parts)
        if self.awaits_tag:
            self.awaits_tag = False
            self.begin_item(parts)
        else:
            self.text += [*parts, ("plain", " ")]

    def macro(self, name, words, rest):
        if name in MACRO_FONTS:
            self.add(in_fonts(name, words))
            return
        self.end_paragraph()
        if name in ("SH", "SS"):
            self.depth, self.in_item = 0, False
            title = markdown(pieces(rest.strip('"')))
            if name == "SH":
                title = title.capitalize()
            self.lines += ["", ("## " if name == "SH" else "### ") + title]
        elif name == "PP":
            self.in_item = False
        elif name in ("TP", "TQ"):
            self.awaits_tag = True
        elif name == "IP" and words:
            self.begin_item([] if words[0] == "\\(bu" else list(pieces(words[0])))
        elif name == "RS":
            self.depth, self.in_item = self.depth + self.in_item, False
        elif name == "RE":
            self.depth, self.in_item = max(self.depth - 1, 0), self.depth > 0
        elif name == "nf":
            self.code = []
        elif name not in SILENT and name not in ("IP", "br"):
            sys.exit(f"tools/manual/markdown.py: it does not know .{name}")

    def line(self, line):
        """Handles one line. A line that ends with \\c continues on the next."""
        if line.endswith("\\c"):
            self.line(line[:-2])
            self.text.pop()
            return
        macro = re.match(r"\.(\w+)\s*(.*)", line)
        if self.code is not None and macro and macro[1] == "fi":
            self.lines += ["", *(self.indent() + each for each in ("```", *self.code, "```"))]
            self.code = None
        elif self.code is not None:
            parts = in_fonts(macro[1], words_of(macro[2])) if macro else pieces(line)
            self.code.append("".join(text for _, text in parts))
        elif macro and macro[1] != "fi":
            self.macro(macro[1], words_of(macro[2]), macro[2])
        elif not macro:
            self.add(pieces(line))


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    page = Page()
    for line in source.read_text(encoding="utf-8").splitlines():
        if not line.startswith(".\\\""):
            page.line(line)
    page.end_paragraph()
    name, _, section = source.name.rpartition(".")
    text = f"# {name}({section})\n" + "\n".join(page.lines) + "\n"
    (folder / f"{source.name}.md").write_text(re.sub(r"\n{3,}", "\n\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
