"""logrotate renames files under load, as sinks/README.md describes: every record is in exactly
one file."""
import gzip
import itertools
import os
import pathlib
import subprocess

from built import nothing_on_windows
from protobuf import metric
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import DEADLINE, RIEMANN, parse_lines, wait_until

nothing_on_windows("logrotate tells by SIGHUP")

PACKAGED = pathlib.Path(__file__).resolve().parents[3] / "tools" / "packaging" / "logrotate"
PACKAGED_PATH = "/var/log/sluice/metrics.ndjson"
PACKAGED_LETTERS = "/var/lib/sluice/dead.pcapng"
PACKAGED_TELLING = ("[ ! -d /run/systemd/system ] || "
                    "systemctl try-reload-or-restart sluice.service")

PATH_OF_README = "/var/log/sluice/metrics.ndjson"
TELLING_OF_README = "pkill -HUP -x sluice || true"  # it would signal other processes, too
EACH = 200000  # least bytes between two rotations: a thousand records
ROTATIONS = 5

PLAIN = """
{path} {{
    rotate 100
    {create}
    postrotate
        kill -HUP {pid}
    endscript
}}
"""


class Rotation(ConsumerTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "logs" / "metrics.ndjson"
        # logrotate refuses folders that other users can write to
        self.path.parent.mkdir(mode=0o755)
        self.program = self.start("--listen", RIEMANN, "--sink", f"file:{self.path}")

    def rotate(self, configuration):
        """Makes logrotate rotate now, and waits until the program has its new file."""
        file = self.folder / "logrotate.conf"
        file.write_text(configuration, encoding="utf-8")
        file.chmod(0o644)  # and configuration files that other users can write to
        before = sum("reopened" in line for line in self.program.log())
        done = subprocess.run(
            ["logrotate", "-f", "-s", self.folder / "state", file], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE, check=False,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.program.wait_for_log("metrics.ndjson: reopened", before + 1)

    def contents(self):
        """The content of each file, the oldest first."""
        def age(path):
            return next((-int(part) for part in path.name.split(".") if part.isdigit()), 0)

        paths = sorted(self.path.parent.iterdir(), key=age)
        return {path.name: gzip.decompress(path.read_bytes()) if path.suffix == ".gz"
                else path.read_bytes() for path in paths}

    def rotate_under_load(self, configuration):
        """Rotates several times, and checks all files. Returns the content of each one."""
        flood = self.flood(self.program, metric)
        for _ in range(ROTATIONS):
            wait_until(lambda: self.path.exists() and self.path.stat().st_size > EACH,
                       "the file has grown")
            self.rotate(configuration)
        flood.end()
        self.program.wait_for_received(flood.sent)
        ledger = self.program.stop()
        listener, sink = ledger["listeners"][0], ledger["sinks"][0]
        self.assertEqual(listener["received"] + listener["kernel_drops"], flood.sent)
        self.assertEqual(sink["written"] + sum(sink["refused"].values()), listener["decoded"])

        contents = self.contents()
        self.assertEqual(len(contents), ROTATIONS + 1)
        for name, data in list(contents.items())[:-1]:
            self.assertGreater(len(data), EACH, name)
        files = {name: parse_lines(data) for name, data in contents.items()}
        values = [line["value"] for line in itertools.chain(*files.values())]
        self.assertEqual(values, sorted(set(values)), "each once, in order over all files")
        self.assertEqual(len(values), sink["written"])
        return files

    def test_under_load(self):
        self.rotate_under_load(PLAIN.format(path=self.path, pid=self.program.process.pid,
                                            create="nocreate"))

    def test_a_new_file_that_logrotate_makes_is_written_to(self):
        """Sends no load, because otherwise the program would sometimes create the file first, and
        logrotate would report that."""
        configuration = PLAIN.format(path=self.path, pid=self.program.process.pid,
                                     create="create 0640")
        sender = self.sender(self.program)
        for value in range(3):
            sender.send_all([metric(value)], before=value)
            self.program.wait_for_settled(value + 1)
            if value < 2:
                self.rotate(configuration)
        self.program.stop()
        self.assertEqual({name: [line["value"] for line in parse_lines(data)]
                          for name, data in self.contents().items()},
                         {"metrics.ndjson.2": [0], "metrics.ndjson.1": [1], "metrics.ndjson": [2]})
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o640)

    def test_under_load_with_what_the_readme_says(self):
        configuration = from_readme("delaycompress", "postrotate")
        for what, by in ((PATH_OF_README, str(self.path)),
                         (TELLING_OF_README, f"kill -HUP {self.program.process.pid}")):
            self.assertIn(what, configuration)
            configuration = configuration.replace(what, by)
        files = self.rotate_under_load(configuration)
        self.assertEqual(list(files), [
            *(f"metrics.ndjson.{age}.gz" for age in range(ROTATIONS, 1, -1)),
            "metrics.ndjson.1", "metrics.ndjson"])

    def test_under_load_with_what_the_package_has(self):
        """As with systemd, the folder belongs to another user and is reached through a symbolic
        link."""
        kept = self.path.parent
        hidden = self.folder / "private"
        hidden.mkdir(mode=0o700)
        kept.rename(hidden / "logs")
        kept.symlink_to(hidden / "logs")
        if os.geteuid() == 0:
            os.chown(hidden / "logs", 64123, 64123)
        configuration = PACKAGED.read_text(encoding="utf-8")
        for what, by in ((PACKAGED_PATH, str(self.path)),
                         (PACKAGED_LETTERS, str(self.folder / "none.pcapng")),
                         (PACKAGED_TELLING, f"kill -HUP {self.program.process.pid}")):
            self.assertIn(what, configuration)
            configuration = configuration.replace(what, by)
        files = self.rotate_under_load(configuration)
        self.assertEqual(list(files), [
            *(f"metrics.ndjson.{age}.gz" for age in range(ROTATIONS, 1, -1)),
            "metrics.ndjson.1", "metrics.ndjson"])


if __name__ == "__main__":
    main("logrotate", "gzip")
