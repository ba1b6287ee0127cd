"""Folders include only what tools/cmake/layers.txt allows, and there are no circular includes
between folders."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["TEST_BUILD"])
NM = os.environ["TEST_NM"]
TABLE = "tools/cmake/layers.txt"
PLACES = ("collector", "proto", "sinks", "tools")
LINES_MOST = 600
LONG = ("collector/text/pow10_table.c", "tools/client/sluice_client.c")  # a table; one file for users


def rows(root):
    """The folders that each folder may include, in the order of the table."""
    table = {}
    for line in (root / TABLE).read_text().splitlines():
        if line and not line.startswith("#"):
            folder, *allowed = line.split()
            table[folder] = allowed
    return table


def folder_of(table, path):
    """The row of a file, or None if it has none. The path is relative to the root."""
    parts = pathlib.PurePosixPath(path).parts[:-1]
    if parts[:1] == ("collector",):
        parts = parts[1:] or ("program",)
    for size in range(len(parts), 0, -1):
        if "/".join(parts[:size]) in table:
            return "/".join(parts[:size])
    return None


def sources(root):
    """The files that the rules apply to, relative to the root."""
    for place in PLACES:
        for path in sorted((root / place).rglob("*")):
            if path.suffix in (".c", ".h", ".in"):
                yield path.relative_to(root).as_posix()


def includes(root, path):
    """The lines of a file that include one of the project's headers: line numbers and names."""
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if found:
            yield number, found.group(1)


def violations(root):
    """Every include that the table does not allow, as FILE:LINE: the rule."""
    table = rows(root)
    for path in sources(root):
        folder = folder_of(table, path)
        for number, name in includes(root, path):
            other = folder_of(table, name)
            if other in (None, folder) or other in table[folder]:
                continue
            if re.sub("^collector/", "", name) not in table[folder]:
                yield f"{path}:{number}: {folder} may not include {name}"


def circles(uses):
    """The sets of names that use each other, from {name: the names it uses} (Tarjan, 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(uses.get(name, ())):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for name in sorted(uses):
        if name not in index:
            visit(name)
    return found


def objects():
    """The object files of the folders' sources: {a source without its suffix: the path of its
    object}."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        path = path.relative_to(BUILD if path.is_relative_to(BUILD) else ROOT)
        generated = path.name.endswith(".pb-c.c") or path.suffix != ".c"
        if path.parts[0] in PLACES[:-1] and not generated:
            words = shlex.split(entry["command"])
            found[path.with_suffix("").as_posix()] = BUILD / words[words.index("-o") + 1]
    return found


def calls():
    """{file: the files whose functions and data it uses}."""
    names = {path.as_posix(): name for name, path in objects().items()}
    defined, used = {}, {name: set() for name in names.values()}
    text = subprocess.run([NM, "-A", *names], check=True, capture_output=True, text=True).stdout
    for path, kind, symbol in re.findall(r"^(.*?):[0-9a-f ]* ([A-Za-z]) (\S+)$", text, re.M):
        if kind == "U":
            used[names[path]].add(symbol)
        elif kind.isupper():
            defined[symbol] = names[path]
    return {name: {defined[symbol] for symbol in symbols if symbol in defined} - {name}
            for name, symbols in used.items()}


class Layers(unittest.TestCase):
    def test_a_folder_is_allowed_only_those_above_its_row(self):
        before = set()
        for folder, allowed in rows(ROOT).items():
            for name in allowed:
                self.assertTrue(name in before or name.endswith(".h"), f"{folder}: {name}")
            before.add(folder)

    def test_every_file_belongs_to_a_row(self):
        table = rows(ROOT)
        self.assertEqual([p for p in sources(ROOT) if folder_of(table, p) is None], [])

    def test_the_page_of_a_folder_says_what_it_may_include(self):
        for folder, allowed in rows(ROOT).items():
            page = ROOT / "collector" / folder / "README.md"
            if not page.parent.is_dir():
                page = ROOT / folder / "README.md"
            if page.parent in (ROOT / place for place in PLACES):
                continue  # these pages are about more than one folder
            with self.subTest(folder):
                line = next(line for line in page.read_text().splitlines()
                            if line.startswith("May include"))
                self.assertEqual(re.findall("`([^`]+)`", line), [*allowed, TABLE])

    def test_no_file_is_too_long(self):
        lines = {path: (ROOT / path).read_text().count("\n") for path in sources(ROOT)}
        self.assertEqual([path for path, count in lines.items() if count > LINES_MOST],
                         sorted(LONG))

    def test_files_include_only_what_their_folder_may(self):
        self.assertEqual(list(violations(ROOT)), [])

    def test_headers_do_not_include_each_other_in_a_circle(self):
        uses = {path: {name for _, name in includes(ROOT, path)} for path in sources(ROOT)}
        self.assertEqual(circles(uses), [])

    def test_an_upward_include_is_reported_with_file_line_and_rule(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path in (TABLE, *sources(ROOT)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, root / path)
            for path in ("collector/text/copy.c", "collector/platform/linux/random.c",
                         "proto/schema_riemann.c", "sinks/encoders/encoder_csv.c"):
                with self.subTest(path):
                    text = (ROOT / path).read_text()
                    (root / path).write_text('#include "collector/pipeline/pipeline.h"\n' + text)
                    folder = folder_of(rows(root), path)
                    self.assertEqual(
                        list(violations(root)),
                        [f"{path}:1: {folder} may not include collector/pipeline/pipeline.h"])
                    (root / path).write_text(text)


class Calls(unittest.TestCase):
    """Checks the layers with the object files, because a declaration can be written without an
    include."""

    @classmethod
    def setUpClass(cls):
        cls.calls = calls()

    def test_the_build_has_objects(self):
        self.assertGreater(len(self.calls), 100)

    def test_no_files_call_each_other_in_a_circle(self):
        self.assertEqual(circles(self.calls), [])

    def test_no_file_calls_into_a_folder_that_it_may_not_include(self):
        table = rows(ROOT)
        wrong = []
        for name, used in self.calls.items():
            if name.endswith("/entry"):
                continue  # the entry calls the main function of each program
            folder = folder_of(table, name)
            for other in used:
                to = folder_of(table, other)
                allowed = (folder, *table[folder], *(str(pathlib.PurePosixPath(word).parent)
                                                     for word in table[folder] if "." in word))
                if to not in allowed:
                    wrong.append(f"{name} ({folder}) calls {other} ({to})")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
