"""The workflows in .github: actionlint finds no problem, and they run the documented commands.

actionlint is built from its Go module into the build folder. The test is skipped without Go, or if
the module cannot be downloaded."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from built import skip
from readme import SOURCE

WORKFLOWS = SOURCE / ".github" / "workflows"
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
# Without optimisation, debug information and C, because that builds faster and it reads only two
# files.
QUICKLY = ("-gcflags=all=-N -l", "-ldflags=-s -w")
BIN = pathlib.Path(os.environ["TEST_GO_BIN"])
LONGEST = 200  # seconds for download and build

try:
    import yaml
except ImportError:
    skip("needs python3-yaml")


def workflow(name):
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8"))


def steps(document):
    return [step for job in document["jobs"].values() for step in job.get("steps", [])]


def presets(kind):
    document = json.loads((SOURCE / "CMakePresets.json").read_text(encoding="utf-8"))
    return {preset["name"] for preset in document[f"{kind}Presets"]}


def actionlint():
    """The path of actionlint. Skips the test if it cannot be built."""
    program = BIN / "actionlint"
    if program.exists():
        return program
    if not shutil.which("go"):
        raise unittest.SkipTest("needs Go, to build actionlint")
    try:
        subprocess.run(["go", "install", *QUICKLY, ACTIONLINT],
                       env={**os.environ, "GOBIN": str(BIN), "CGO_ENABLED": "0"}, check=True,
                       timeout=LONGEST, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise unittest.SkipTest(f"actionlint cannot be built: {error}") from error
    return program


class Workflows(unittest.TestCase):
    def test_actionlint_finds_nothing(self):
        done = subprocess.run([actionlint(), "-no-color", *sorted(WORKFLOWS.iterdir())], cwd=SOURCE,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_actions_of_others_are_pinned_to_a_commit(self):
        for path in WORKFLOWS.iterdir():
            for used in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8")):
                if not used.startswith("./"):
                    self.assertRegex(used, r"^actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_only_the_job_that_publishes_may_write(self):
        self.assertEqual(workflow("test")["permissions"], {"contents": "read"})
        release = workflow("release")
        self.assertEqual(release["permissions"], {})
        granted = {name: job["permissions"] for name, job in release["jobs"].items()}
        self.assertEqual(granted.pop("publish"), {"contents": "write"})
        for permissions in granted.values():
            self.assertEqual(permissions, {"contents": "read"})

    def test_all_presets_of_the_suite_are_tested_by_the_script(self):
        linux = workflow("test")["jobs"]["linux"]
        script = (SOURCE / "tools" / "test").read_text(encoding="utf-8")
        of_all = re.search(r"all\) presets=\((.*?)\)", script)[1].split()
        self.assertEqual(linux["strategy"]["matrix"]["preset"], of_all)
        self.assertEqual(linux["steps"][-1]["run"], './tools/test "$PRESET"')
        self.assertEqual([job["runner"] for job in linux["strategy"]["matrix"]["include"]],
                         ["ubuntu-24.04-arm"])

    def test_on_windows_the_documented_commands_run(self):
        lines = workflow("test")["jobs"]["windows"]["steps"][-1]["run"].splitlines()
        document = (SOURCE / "tests" / "README.md").read_text(encoding="utf-8")
        documented = re.search(r"^cmake --preset windows-msvc.*", document, re.MULTILINE)[0].split(" && ")
        self.assertEqual([line.removesuffix(" || exit /b 1") for line in lines[-3:]], documented)

    def test_each_package_is_made_and_published(self):
        jobs = workflow("release")["jobs"]
        rows = jobs["packages"]["strategy"]["matrix"]["include"]
        made = {preset for row in rows for preset in row["presets"].split()}
        # An arm64 machine makes the packages for arm64. These presets are for developers without
        # such a machine.
        crossed = {preset for preset in presets("workflow") if preset.endswith("-arm64")}
        self.assertLessEqual({preset.removesuffix("-arm64") for preset in crossed}, made)
        self.assertEqual(made, presets("workflow") - crossed)
        self.assertEqual(made, presets("package") - crossed)
        kept = [path.rpartition(".")[2] for step in steps(workflow("release"))
                for path in step.get("with", {}).get("path", "").splitlines() if "*" in path]
        self.assertEqual(kept, ["deb", "rpm", "gz", "gz", "zip", "msi"])
        self.assertEqual(jobs["packages"]["needs"], "test")
        self.assertIn("./tools/distributions ", str(jobs["source"]["steps"]))
        self.assertEqual(jobs["source"]["needs"], "test")
        self.assertEqual(jobs["publish"]["needs"], ["packages", "source"])
        self.assertEqual(workflow("release")[True]["push"], {"tags": ["v[0-9]*"]})  # YAML reads "on" as True

    def test_scripts_that_they_call_exist(self):
        for path in WORKFLOWS.iterdir():
            for script in re.findall(r"\./tools/[a-z]+", path.read_text(encoding="utf-8")):
                self.assertTrue(os.access(SOURCE / script, os.X_OK), script)


if __name__ == "__main__":
    unittest.main()
