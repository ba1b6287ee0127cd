"""tools/servers: servers that it starts run until it ends them, and it does not end other
processes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from built import SKIPPED
from readme import SOURCE, from_readme
from server_group import TOOL, tools_servers
from sluice_program import wait_until

KINDS = ("influxdb", "kafka", "nats", "otelcol", "prometheus", "prometheus3",
         "victoria-metrics")
USAGE = 2


def process_runs(number):
    try:
        stat = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


class ServersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "group"

    def run_tool(self, *words):
        """Runs tools/servers, which must succeed. Returns its standard output."""
        done = tools_servers(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    def refused(self, *words, code=1):
        """Runs tools/servers, which must fail. Returns its error message."""
        done = tools_servers(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def start(self, kind, *more):
        """Starts servers. Returns their addresses."""
        program = {"nats": "nats-server"}.get(kind, kind)
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin") is None:
            self.skipTest(f"{program} is not installed")
        self.addCleanup(tools_servers, "kill", self.folder)
        return self.run_tool("start", kind, self.folder, *more).split(",")

    def nodes(self):
        """The process id (0: none) and the state of each node."""
        rows = map(str.split, self.run_tool("list", self.folder).splitlines())
        return {row[0]: (int(row[2].replace("-", "0")), row[3]) for row in rows}


class Usage(ServersTest):
    def test_help_names_each_kind_and_each_job(self):
        text = self.run_tool("--help")
        for word in (*KINDS, "fetch", "start", "stop", "kill", "resume", "list"):
            self.assertRegex(text, rf"(?m)^ +{word} ")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_what_it_does_not_know_is_refused(self):
        start = ("start", "nats", self.folder)
        self.assertIn("JOB", self.refused("begin", code=USAGE))
        self.assertIn("invalid choice", self.refused("start", "kafkaesque", "x", code=USAGE))
        self.assertIn("has 1 or 3 nodes", self.refused(*start, "--nodes", "2"))
        self.assertIn("is for otelcol", self.refused(*start, "--forward", "x"))
        self.assertIn("is not for prometheus",
                      self.refused("start", "prometheus", self.folder, "--secure"))
        self.assertFalse(self.folder.exists())

    def test_a_folder_with_something_in_it_is_no_place_for_a_new_group(self):
        self.folder.mkdir()
        (self.folder / "mine").write_text("")
        self.assertIn("is not empty", self.refused("start", "nats", self.folder))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine"])

    def test_a_folder_without_a_group_has_nothing_to_end(self):
        for job in ("stop", "kill", "resume", "list"):
            self.assertIn("no servers were started there", self.refused(job, self.folder))

    def test_a_list_that_is_damaged_is_reported(self):
        self.folder.mkdir()
        unknown = json.dumps({"kind": "telegraph", "host": "", "forward": None, "secure": False, "nodes": []})
        for text in ("", "{", "{}", unknown):
            (self.folder / "servers.json").write_text(text, encoding="utf-8")
            self.assertIn("servers.json", self.refused("stop", self.folder))

    def test_what_cannot_be_fetched_is_a_reason_to_skip(self):
        for kind, missing in (("otelcol", "go"), ("prometheus3", "go"), ("kafka", "java, mvn, kcat")):
            done = subprocess.run([sys.executable, TOOL, "--packages", self.folder, "fetch", kind],
                                  env={"PATH": "/nowhere"}, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, SKIPPED, done.stderr)
            self.assertRegex(done.stderr, r"\Atools/servers: "
                             rf"(not installed: {missing}|installs the packages: )")


class Running(ServersTest):
    def test_a_server_outlives_the_program_that_started_it_until_it_is_stopped(self):
        place, = self.start("victoria-metrics")
        (number, state), = self.nodes().values()
        self.assertEqual(state, "runs")
        with urllib.request.urlopen(f"http://{place}/health", timeout=10) as answer:
            self.assertEqual(answer.read(), b"OK")
        self.run_tool("stop", self.folder)
        self.assertFalse(process_runs(number))
        self.assertEqual(self.nodes(), {"n1": (0, "stopped")})

    def test_its_port_is_below_those_of_clients_and_stays(self):
        place, = self.start("victoria-metrics")
        clients = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
        self.assertLess(int(place.rpartition(":")[2]), max(int(clients.split()[0]), 32768))
        self.run_tool("kill", self.folder)
        self.run_tool("resume", self.folder)
        self.assertEqual(self.run_tool("list", self.folder).split()[-1], f"http={place}")

    def test_it_ends_no_process_that_has_the_number_of_one_of_its_own(self):
        self.start("victoria-metrics")
        (server, _), = self.nodes().values()
        with subprocess.Popen(["sleep", "600"]) as other:
            known = self.folder / "servers.json"
            right = known.read_text(encoding="utf-8")
            try:
                state = json.loads(right)
                state["nodes"][0]["process"]["pid"] = other.pid
                known.write_text(json.dumps(state), encoding="utf-8")
                self.assertEqual(self.nodes(), {"n1": (other.pid, "ended")})
                self.run_tool("kill", self.folder)
                self.assertIsNone(other.poll())
                self.assertTrue(process_runs(server))
            finally:
                other.kill()
                known.write_text(right, encoding="utf-8")

    def test_one_that_does_not_start_says_why_and_leaves_nothing_running(self):
        self.start("victoria-metrics")
        self.run_tool("kill", self.folder)
        data = self.folder / "n1" / "data"
        shutil.rmtree(data)
        data.write_text("no folder")
        self.assertIn("n1 has ended", self.refused("resume", self.folder))
        self.assertEqual(self.nodes(), {"n1": (0, "stopped")})

    def test_a_secure_server_has_certificates_and_a_login_of_its_own(self):
        self.start("nats", "--secure")
        self.assertRegex((self.folder / "login").read_text(), r"\Auser=sluice\npassword=.{20,}\n\Z")
        config = (self.folder / "n1" / "nats.conf").read_text()
        self.assertIn(str(self.folder / "tls" / "server.crt"), config)
        self.assertIn("authorization", config)

    def test_prometheus_takes_remote_write(self):
        place, = self.start("prometheus")
        request = urllib.request.Request(f"http://{place}/api/v1/write", data=b"no snappy")
        # Without a receiver the answer would be 404.
        with self.assertRaisesRegex(urllib.error.HTTPError, "400"):
            urllib.request.urlopen(request, timeout=10)


class Cluster(ServersTest):
    def test_the_commands_of_the_readme_do_what_it_says(self):
        self.start("nats")  # skips the test if NATS cannot be fetched
        self.run_tool("kill", self.folder)
        folder = self.folder.with_name("readme")
        self.addCleanup(tools_servers, "kill", folder)
        written = []
        for line in from_readme("./tools/servers ", " resume ").splitlines():
            self.assertIn("/tmp/nats" if "fetch" not in line else "nats", line)
            line = line.replace("/tmp/nats", str(folder))
            done = subprocess.run(["bash", "-c", line], cwd=SOURCE, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            written += done.stdout.splitlines()
        self.assertRegex(written[0], r"\A127\.0\.0\.1:\d+(,127\.0\.0\.1:\d+){2}\Z")
        self.assertEqual([line.split()[3] for line in written[1:]], ["runs"] * 3)

    def test_a_node_of_three_is_killed_and_resumed_alone(self):
        places = self.start("nats", "--nodes", "3")
        self.assertEqual(len(set(places)), 3)
        before = self.nodes()
        self.assertEqual([state for _, state in before.values()], ["runs"] * 3)
        self.run_tool("kill", self.folder, "n2")
        wait_until(lambda: not process_runs(before["n2"][0]), "n2 has ended")
        after = self.nodes()
        self.assertEqual((after["n1"], after["n3"]), (before["n1"], before["n3"]))
        self.assertEqual(after["n2"], (0, "stopped"))
        self.run_tool("resume", self.folder, "n2")
        self.assertEqual([state for _, state in self.nodes().values()], ["runs"] * 3)
        self.assertIn("has no node n4", self.refused("kill", self.folder, "n4"))
        self.run_tool("stop", self.folder)
        self.assertFalse(any(process_runs(number) for number, _ in after.values() if number))


if __name__ == "__main__":
    unittest.main()
