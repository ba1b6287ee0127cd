"""The files for Kubernetes: they are valid by Kubernetes' own schemas, and match each other.

Two checkers read these schemas: kubernetes-validate, whose package contains them, and kubeconform,
which is built from its Go module into the build folder."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import yaml

from packaging import SOURCE, PackageTest
from python_packages import python_with

FOLDER = SOURCE / "tools/packaging/container"
OLDEST, NEWEST = "1.25", "1.37"  # versions of Kubernetes whose schemas the checker has
CHECKER = ("kubernetes-validate==1.37.0", "jsonschema==4.26.0", "jsonschema-specifications==2025.9.1", "attrs==26.1.0",
           "referencing==0.37.0", "rpds-py==2026.9.1", "PyYAML==6.0.4", "importlib_resources==7.1.0",
           "packaging==26.4", "typing_extensions==4.16.0")
KUBECONFORM = "github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0"
BIN = pathlib.Path(os.environ["TEST_GO_BIN"])
LONGEST = 900  # seconds for download and build
# Text of a valid file, and a wrong replacement.
MISTAKES = (("hostNetwork: true", "hostNetwork: often"), ("hostNetwork", "hostNetworks"),
            ("periodSeconds: 10", "periodSeconds: ten"), ("selector:", "selectors:"))


def kubeconform():
    """The path of kubeconform. Skips the test if it cannot be built."""
    program = BIN / "kubeconform"
    if program.exists():
        return program
    if not shutil.which("go"):
        raise unittest.SkipTest("needs Go, to build kubeconform")
    try:
        subprocess.run(["go", "install", KUBECONFORM], env={**os.environ, "GOBIN": str(BIN)}, check=True,
                       timeout=LONGEST, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise unittest.SkipTest(f"kubeconform cannot be built: {error}") from error
    return program


def local_schemas(version, folder):
    """Copies the strict schemas of a version, and replaces the addresses with which they refer to
    each other by file names."""
    package, = PYTHON.parents[1].glob("lib/*/site-packages/kubernetes_validate/kubernetes-json-schema")
    for name in ("_definitions", "configmap-v1", "daemonset-apps-v1"):
        text = (package / f"v{version}.0-local-strict/{name}.json").read_text(encoding="utf-8")
        schema = json.loads(text.replace('"/api/_definitions.json', '"_definitions.json'))
        for key in ("$id", "$schema"):
            schema.pop(key)
        (folder / f"{name}.json").write_text(json.dumps(schema), encoding="utf-8")


def check(path, version):
    """Runs the checker. Returns whether the file is valid, and the checker's output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([PYTHON.with_name("kubernetes-validate"), "--kubernetes-version", version, "--strict", path],
                          env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode == 0, done.stdout


def loaded(name):
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


class Kubernetes(PackageTest):
    def test_the_file_is_valid_in_old_and_new_versions(self):
        for version in (OLDEST, NEWEST):
            valid, said = check(FOLDER / "kubernetes.yaml", version)
            self.assertTrue(valid, said)

    def test_the_checker_finds_mistakes(self):
        text = (FOLDER / "kubernetes.yaml").read_text(encoding="utf-8")
        for was, becomes in MISTAKES:
            self.assertIn(was, text)
            wrong = self.folder / "wrong.yaml"
            wrong.write_text(text.replace(was, becomes), encoding="utf-8")
            self.assertFalse(check(wrong, NEWEST)[0], becomes)

    def test_kubeconform_finds_the_same(self):
        text = (FOLDER / "kubernetes.yaml").read_text(encoding="utf-8")
        program = kubeconform()
        for version in (OLDEST, NEWEST):
            local_schemas(version, self.folder)
            for was, becomes in (("", ""), *MISTAKES):
                done = subprocess.run(
                    [program, "-strict", "-summary", "-schema-location",
                     f"{self.folder}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json", "-"],
                    input=text.replace(was, becomes) if was else text, capture_output=True, text=True, check=False)
                expected = "Valid: 1, Invalid: 1" if was else "Valid: 2, Invalid: 0"
                self.assertIn(f"2 resources found parsing stdin - {expected}, Errors: 0", done.stdout)

    def test_a_pod_has_no_rights(self):
        pod = loaded("kubernetes.yaml")[1]["spec"]["template"]["spec"]
        container, = pod["containers"]
        self.assertEqual(container["securityContext"], {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertFalse(pod["automountServiceAccountToken"])

    def test_the_ports_are_those_of_the_configuration(self):
        configuration, collectors = loaded("kubernetes.yaml")
        pod = collectors["spec"]["template"]["spec"]
        container, = pod["containers"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        self.assertTrue(pod["hostNetwork"])
        self.assertEqual(ports, {port["name"]: port["hostPort"] for port in container["ports"]})
        listener, = yaml.safe_load(configuration["data"]["sluice.yaml"])["listeners"]
        self.assertEqual(listener["address"], f"udp://[::]:{ports['riemann']}")
        self.assertEqual(container["args"][-1], f"0.0.0.0:{ports['metrics']}")

    def test_the_monitor_finds_the_pods_and_their_port(self):
        monitor, = loaded("podmonitor.yaml")
        template = loaded("kubernetes.yaml")[1]["spec"]["template"]
        self.assertEqual((monitor["apiVersion"], monitor["kind"]), ("monitoring.coreos.com/v1", "PodMonitor"))
        self.assertEqual(monitor["spec"]["selector"]["matchLabels"], template["metadata"]["labels"])
        endpoint, = monitor["spec"]["podMetricsEndpoints"]
        self.assertIn(endpoint["port"], [port["name"] for port in template["spec"]["containers"][0]["ports"]])


if __name__ == "__main__":
    PYTHON = python_with(*CHECKER)
    unittest.main()
