"""The first configuration of a preset may fail because its compiler is not installed yet."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from packaging import SOURCE, need


# These toolchain files search for their libraries first, and stop without them before the search
# for a compiler.
STOP_BEFORE = ("musl.cmake", "linux-cross.cmake")


def presets():
    """The name and build type of each preset that this system can configure."""
    each = {preset["name"]: preset for preset in json.loads(
        (SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]}
    for name, preset in each.items():
        variables, toolchain = {}, ""
        while preset is not None:
            variables = {**preset.get("cacheVariables", {}), **variables}
            toolchain = toolchain or preset.get("toolchainFile", "")
            preset = each.get(preset.get("inherits"))
        if "CMAKE_BUILD_TYPE" in variables and name != "windows-msvc" and not toolchain.endswith(STOP_BEFORE):
            yield name, variables["CMAKE_BUILD_TYPE"].upper()


class Presets(unittest.TestCase):
    def test_a_configuration_without_a_compiler_leaves_the_flags_of_the_next_one(self):
        """CMake keeps the empty flags of a missing compiler, unless the preset sets flags."""
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder, "tools")
            tools.mkdir()
            (tools / "ninja").symlink_to(shutil.which("ninja"))
            for name, kind in presets():
                with self.subTest(preset=name):
                    build = pathlib.Path(folder, name)
                    done = subprocess.run(
                        [os.environ["CMAKE"], "--preset", name, "-B", build], cwd=SOURCE,
                        env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn("CMAKE_C_COMPILER", done.stderr)
                    flags = re.search(rf"^CMAKE_C_FLAGS_{kind}:STRING=(.*)$",
                                      (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
                    self.assertRegex(flags[1], "-O[12]" if kind == "RELWITHDEBINFO" else "-g")


if __name__ == "__main__":
    need("ninja")
    unittest.main()
