"""The lists of small faults quote code as it is now. CMake checks those that are in CMake files."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


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


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
