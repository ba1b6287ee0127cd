"""The lists of small faults quote code as it is now, also those that this preset does not build."""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLANTED = re.compile(r"^ *(?:planted|model_mutant|planted_fault|planted_program)\((?!name\b)(\S+)"
                     r"[^\"]*?\bFILE\s+(\S+)[^\"]*?\bFROM\s+(?:\"((?:\\.|[^\"\\])*)\"|\[\[(.*?)\]\])",
                     re.MULTILINE | re.DOTALL)


def module(path):
    """Loads a Python file of the tree, which may be without the suffix .py."""
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.stem, loader))
    loader.exec_module(loaded)
    return loaded


class FaultLists(unittest.TestCase):
    def test_each_mutant_without_effect_is_a_mutant_of_its_file(self):
        mutate = module(ROOT / "tools/mutate")
        made = {}
        for path, was, becomes in mutate.known_same():
            with self.subTest(path=path, was=was):
                if path not in made:
                    made[path] = {(mutant.was, mutant.becomes.strip())
                                  for mutant in mutate.mutants_of(path)}
                self.assertIn((was, becomes), made[path])

    def test_each_planted_fault_of_the_fuzz_targets_has_one_place(self):
        faults = module(ROOT / "tests/fuzz/planted.py").FAULTS
        self.assertGreater(len(faults), 0)
        for fault in faults:
            with self.subTest(fault.name):
                self.assertEqual((ROOT / fault.file).read_text().count(fault.sound), 1)
                self.assertTrue((ROOT / f"tests/fuzz/fuzz_{fault.target}.c").exists())

    def test_each_fault_that_cmake_plants_has_one_place(self):
        for path in sorted([*ROOT.glob("tests/**/CMakeLists.txt"), *ROOT.glob("tests/**/*.cmake")]):
            text = path.read_text()
            found = PLANTED.findall(text)
            begun = re.findall(r"^ *(?:planted|model_mutant|planted_fault|planted_program)\((?!name\b)",
                               text, re.MULTILINE)
            self.assertEqual(len(found), len(begun), path)
            for name, file, quoted, bracketed in found:
                with self.subTest(name):
                    sound = bracketed.removeprefix("\n") or re.sub(r"\\(.)", self.escaped, quoted)
                    self.assertEqual((ROOT / file).read_text().count(sound), 1)

    @staticmethod
    def escaped(match):
        return {"n": "\n", "t": "\t"}.get(match[1], match[1])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
