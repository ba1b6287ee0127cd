"""clang compiles the project without a warning, its sanitizers find no error in the unit and contract
tests, and its check of locks finds a planted fault.

The build is kept in the folder `clang`, next to that of the preset, so a second run compiles only what
has changed.
"""
import os
import pathlib
import shutil
import subprocess
import unittest

from built import skip

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
FOLDER = pathlib.Path(os.environ["TEST_BUILD"]).with_name("clang")
TESTS = ("unit", "contract")
JOBS = str(len(os.sched_getaffinity(0)))


def run(*command):
    """Runs the command. If it fails, the error has the last lines of its output."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}:\n{done.stdout[-8000:]}")
    return done.stdout


class Clang(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run(os.environ["CMAKE"], "--preset", "asan", "-S", SOURCE, "-B", FOLDER,
            "-DCMAKE_C_COMPILER=clang", "-DSLUICE_TESTS=ON", "-DSLUICE_WERROR=ON")

    def test_sanitizers_find_no_error(self):
        targets = [f"tests/{name}/all" for name in TESTS]
        run(os.environ["CMAKE"], "--build", FOLDER, "--parallel", JOBS, "--target", *targets)
        for name in TESTS:
            said = run(*self.fixed_addresses(), os.environ["CTEST"], "--test-dir",
                       FOLDER / "tests" / name, "--parallel", JOBS, "--output-on-failure")
            print(name, *said.strip().splitlines()[-3:], sep="\n")

    @staticmethod
    def fixed_addresses():
        """A command prefix that fixes addresses, as in tools/test. Older sanitizers need it."""
        command = ["setarch", os.uname().machine, "--addr-no-randomize"]
        allowed = subprocess.run([*command, "true"], check=False, capture_output=True)
        return command if allowed.returncode == 0 else []

    def test_a_lock_that_is_held_at_the_end_is_found(self):
        file = SOURCE / "collector/output/fan_out.c"
        text = file.read_text(encoding="utf-8")
        command = ["clang", "-std=c11", "-fsyntax-only", "-Wthread-safety", "-Werror",
                   f"-I{SOURCE}", f"-I{FOLDER}", "-x", "c", "-"]
        for fault, source in ((False, text), (True, text.replace("    end_offer(fan_out);\n", ""))):
            done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
            self.assertEqual("still held at the end of function" in done.stderr, fault, done.stderr)


if __name__ == "__main__":
    if shutil.which("clang") is None:
        skip("clang is not installed")
    probe = subprocess.run(["clang", "-fsanitize=address", "-x", "c", "-o", os.devnull, "-"],
                           input="int main(void) { return 0; }", text=True, capture_output=True,
                           check=False)
    if probe.returncode != 0:
        skip("clang's sanitizers are not installed")
    unittest.main()
