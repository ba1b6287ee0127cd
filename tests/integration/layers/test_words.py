"""Comments, messages and documents are plain English: the patterns that read badly are refused."""

import io
import pathlib
import re
import subprocess
import sys
import tokenize
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
ENDS = (".c", ".h", ".in", ".md", ".py", ".cmake", ".txt", ".yaml", ".proto", ".js", ".css", ".html")
NOT_OURS = ("tests/captures/", "tests/proto/", "tests/integration/layers/test_words.py")

# What is refused, and what to write instead. A pattern is applied to each sentence; "^" is its begin.
PATTERNS = [
    (r"(?<!user )\b[Nn]o(body|where)\b|\b[Nn]o one\b",
     "no thread, no other file; or turn the sentence"),
    (r"^(None|Nothing)\b(?!:| if\b| for\b)|\bnothing but\b|\bof nothing\b|\bby none\b",
     "name what does not"),
    (r"^What\b[^?]*$", "name the thing"),
    (r"^(Who|Whom|Whose)\b[^?]*$|\b[Ww]ho(m|se)?ever\b", "the caller, the sender, the thread"),
    (r"(?<![Uu]ser )(?<![Uu]sers )(?<![Aa]nyone )(?<![Pp]eople )(?<!hose )(?<!ators )(?<!neers )"
     r"(?<!and )\bwho\b[^?]*$", "that; or name the thread, the caller"),
    (r"^(Of|By|To|For|From|In|With|After|Before) (what|whom?|whatever)\b", "name the thing"),
    (r"^Of (one|those|these|two|all|each|a|an|the) [^.]*\bthat\b", "when a ..., for each ..."),
    (r"\b(stands?|stood)\b(?! for)(?! out)", "is, contains, appears"),
    (r"(?<!eave it )(?<!eft it )(?<!eave them )(?<!eft )(?<!tand-)(?<!IPv4 )\balone\b", "only"),
    (r"\bso (many|long|much|few)\b(?! that)|(?<!half )(?<!wice )\bas many\b(?! as| \w+ as)|\bin as much\b",
     "name the number or the time"),
    (r"(?<!here )(?<!his )(?<!hat )\b(is|are|was|were) no (?!longer|larger|more|less|later|earlier|other|"
     r"room|way|one\b)[a-z]", "is not a"),
    (r"\b(it|this|that|what) is no (?!longer|more|less)", "is not a"),
    (r"\b(anew|wholly|meanwhile|whereof|thereof|beside|whilst|ere)\b",
     "again, fully, during that, next to"),
    (r"\b(has|have|had|is|are|be) (to have )?done with\b", "must finish with, has finished with"),
    (r"\b(fates?|settle[sd]?|settling|doubt(s|ed|ful)?|in vain|deaf)\b",
     "outcome, acknowledge, maybe sent, spurious, peer gone"),
    (r"\b(takes?|makes?|knows?|asks?|says?|gives?) (none|nothing)\b", "does not ... any"),
]
COMPILED = [(re.compile(pattern), instead) for pattern, instead in PATTERNS]


def c_texts(text):
    """The comments and strings of a file in C, each with the number of its first line."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    for found in token.finditer(text):
        part, line = found.group(), text.count("\n", 0, found.start()) + 1
        if part.startswith("/*"):
            yield line, re.sub(r"(?m)^ *\* ?", " ", part[2:-2])
        elif part.startswith("//"):
            yield line, part[2:]
        elif part.startswith('"') and " " in part:
            yield line, part[1:-1]


def python_texts(text):
    """The same as c_texts, for Python. Consecutive comments are one text."""
    comment, begin, last = [], 0, -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            if token.start[0] != last + 1 and comment:
                yield begin, "\n".join(comment)
                comment = []
            begin = begin if comment else token.start[0]
            last = token.start[0]
            comment.append(token.string[1:])
        elif token.type == tokenize.STRING and " " in token.string:
            yield token.start[0], token.string.strip("rbf\"'")
    if comment:
        yield begin, "\n".join(comment)


def hash_texts(text):
    """The comments of files whose comments begin with #."""
    for found in re.finditer(r"(?m)(?:^[ \t]*#(?!!)[^\n]*\n)+|(?<=[ \t])# [^\n]*$", text):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"(?m)^[ \t]*#", "", found.group())


def document_texts(text):
    """The paragraphs of a document, without its code."""
    text = re.sub(r"(?ms)^```.*?^```|<!--.*?-->|`[^`\n]*`", lambda m: "`" + "\n" * m[0].count("\n"), text)
    line = 1
    for part in re.split(r"(\n\s*\n|\n(?=[|*#>-]|\d+\.)|\|)", text):
        if part.strip(" |\n"):
            yield line, part
        line += part.count("\n")


READERS = {".c": c_texts, ".h": c_texts, ".in": c_texts, ".js": c_texts, ".css": c_texts,
           ".proto": c_texts, ".py": python_texts, ".md": document_texts, ".html": document_texts}


def sentences(text):
    """The sentences of a text, each as one line, with the line that it begins on (from 0)."""
    for found in re.finditer(r"(?s)\S.*?(?:[.:;!?](?=\s)|\n\s*\n|\Z)", text):
        yield text.count("\n", 0, found.start()), " ".join(found.group().split()).strip("*#->| ")


def refused(name, text):
    """The sentences in a file that have a refused word, each with NAME:LINE and a suggestion."""
    reader = READERS.get(pathlib.PurePath(name).suffix, hash_texts)
    for line, part in reader(text):
        for offset, sentence in sentences(part):
            for pattern, instead in COMPILED:
                found = pattern.search(sentence)
                if found:
                    yield f'{name}:{line + offset}: "{found[0][:40]}" ({instead}): {sentence}'


def files():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    names = listed.stdout.splitlines() or [path.relative_to(ROOT).as_posix()
                                           for path in ROOT.rglob("*") if path.is_file()]
    for name in names:
        if name.endswith(ENDS) and not name.startswith(NOT_OURS) and (ROOT / name).is_file():
            yield name


class Words(unittest.TestCase):
    def test_each_pattern_refuses_what_it_is_there_for(self):
        for bad in ("Nobody reads it.", "None does.", "What comes in is kept.", "Whoever asks.",
                    "A caller who waits.", "Of what came, half.", "The word stands in a row.",
                    "A caller alone.", "For so many seconds.", "The file is no folder.",
                    "It is read anew.", "It has done with it.", "The fate of a block.",
                    "It takes nothing."):
            with self.subTest(bad):
                self.assertNotEqual(list(refused("a.c", f"/* {bad} */")), [])
                self.assertNotEqual(list(refused("a.md", bad)), [])
                self.assertNotEqual(list(refused("a.py", f'"""{bad}"""')), [])

    def test_plain_sentences_pass(self):
        for good in ("There is no room for it.", "It is no longer read.", "As many as there are.",
                     "Users who read it.", "Leave it alone.", "EOF stands for the end.", "It does nothing."):
            with self.subTest(good):
                self.assertEqual(list(refused("a.c", f"/* {good} */")), [])

    def test_comments_messages_and_documents_are_plain(self):
        wrong = [line for name in files()
                 for line in refused(name, (ROOT / name).read_text(errors="replace"))]
        self.assertEqual(wrong, [], "\n".join(wrong[:50]))


if __name__ == "__main__":
    if sys.argv[1:] and not sys.argv[1].startswith("-"):
        lines = [line for name in files() if name.startswith(tuple(sys.argv[1:]))
                 for line in refused(name, (ROOT / name).read_text(errors="replace"))]
        print("\n".join(lines))
        sys.exit(bool(lines))
    unittest.main()
