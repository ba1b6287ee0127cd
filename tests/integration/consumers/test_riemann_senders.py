"""Riemann's clients over TCP, configured as in proto/README.md: each event is written, and each
message answered."""
import os
import pathlib
import shlex
import shutil
import subprocess
import unittest

from built import nothing_on_windows, skip
from readme import from_readme
from shell import ConsumerTest
from sluice_program import DEADLINE, lines_so_far, read_lines, wait_until

nothing_on_windows("these senders are not installed there")

LISTEN = "tcp://127.0.0.1:0?schema=riemann"
SEARCHED = os.environ["PATH"] + ":/usr/sbin:/sbin"
CLIENT = shutil.which("riemann-client")
COLLECTD = shutil.which("collectd", path=SEARCHED)
SYSLOG_NG = shutil.which("syslog-ng", path=SEARCHED)
COLLECTD_MODULES = pathlib.Path("/usr/lib/collectd")
NOBODY = 65534  # the user that senders run as if the tests run as root

COLLECTD_CONF = """\
Hostname "web1"
FQDNLookup false
Interval 1
BaseDir "{folder}"
PIDFile "{folder}/collectd.pid"
PluginDir "{modules}"
TypesDB "/usr/share/collectd/types.db"
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File STDERR
</Plugin>
LoadPlugin table
<Plugin table>
  <Table "{folder}/table">
    Instance "t"
    Separator " "
    <Result>
      Type gauge
      InstancesFrom 0
      ValuesFrom 1
    </Result>
  </Table>
</Plugin>
"""

SYSLOG_NG_CONF = """\
@version: current
options {{ keep-hostname(yes); }};
source s_test {{ stdin(); }};
{recipe}
log {{ source(s_test); destination(d_sluice); }};
"""


class Senders(ConsumerTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "lines"
        self.own = self.folder / "sender"  # the sender's own folder
        self.own.mkdir()
        self.account = {}
        if os.geteuid() == 0:
            self.folder.chmod(0o711)
            os.chown(self.own, NOBODY, NOBODY)
            self.account = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def listen(self, sink=""):
        return self.start("--listen", LISTEN, "--sink", f"file:{self.path}{sink}")

    @staticmethod
    def recipe(program, *words):
        """The recipe in the document, with the port of the program."""
        return from_readme(*words).replace("5555", str(program.port()))

    def launch_sender(self, *arguments, **more):
        """Starts a sender in its folder, and kills it at the end of the test. Its output goes to
        the file `log`."""
        with open(self.own / "log", "wb") as log:
            sender = subprocess.Popen([os.fspath(each) for each in arguments], cwd=self.own,
                                      stdout=log, stderr=subprocess.STDOUT, **self.account, **more)
        self.addCleanup(self.end, sender)
        return sender

    @staticmethod
    def end(sender):
        sender.terminate()
        try:
            sender.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            sender.kill()
            sender.wait()

    def log(self):
        return (self.own / "log").read_text(encoding="utf-8", errors="replace")

    def assert_answered(self, program):
        """Each received message was accepted and answered. Returns their number."""
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["decoded"], listener["answers"]), (listener["received"],) * 2)
        return listener["received"]

    @unittest.skipIf(CLIENT is None, "riemann-client is not installed (Debian: riemann-c-client)")
    def test_riemann_client(self):
        program = self.listen()
        order = shlex.split(self.recipe(program, "riemann-client send --tcp"))
        for _ in range(3):
            subprocess.run(order, check=True, timeout=DEADLINE)
        self.assertEqual(self.assert_answered(program), 3)
        lines = read_lines(self.path)
        self.assertEqual([(line["name"], line["value"], line["labels"]["host"])
                          for line in lines], [("cpu", 0.75, "web1")] * 3)

    @unittest.skipIf(COLLECTD is None, "collectd is not installed (Debian: collectd-core)")
    @unittest.skipUnless((COLLECTD_MODULES / "write_riemann.so").exists(),
                         "its write_riemann is not here")
    def test_collectd(self):
        program = self.listen()
        (self.own / "table").write_text(
            "".join(f"g{number} {number + 0.5}\n" for number in range(200)), encoding="ascii")
        conf = self.own / "collectd.conf"
        conf.write_text(COLLECTD_CONF.format(folder=self.own, modules=COLLECTD_MODULES)
                        + self.recipe(program, "LoadPlugin write_riemann"), encoding="utf-8")
        sender = self.launch_sender(COLLECTD, "-f", "-C", conf)

        def values():
            return [(line["labels"]["type_instance"], line["value"])
                    for line in lines_so_far(self.path)]
        # collectd reads its table each second.
        wait_until(lambda: len(set(values())) >= 200 or sender.poll() is not None,
                   "each value is written")
        self.assertNotIn("error", self.log().lower())
        self.assertGreater(self.assert_answered(program), 0)
        sender.kill()  # killed, because version 5.12 may hang when it stops
        sender.wait(DEADLINE)
        self.assertEqual(set(values()), {(f"g{number}", number + 0.5) for number in range(200)})
        for line in read_lines(self.path):
            self.assertEqual((line["name"], line["labels"]["host"]),
                             ("table-t/gauge-" + line["labels"]["type_instance"], "web1"))

    @unittest.skipIf(SYSLOG_NG is None, "syslog-ng is not installed (Debian: syslog-ng-core)")
    def test_syslog_ng(self):
        modules = subprocess.run([SYSLOG_NG, "--version"], stdout=subprocess.PIPE, check=False,
                                 timeout=DEADLINE, stdin=subprocess.DEVNULL).stdout.decode()
        if "riemann" not in modules:
            self.skipTest("it has no module for Riemann (Debian: syslog-ng-mod-riemann)")
        program = self.listen("?view=message&names=proto")
        conf = self.own / "syslog-ng.conf"
        conf.write_text(SYSLOG_NG_CONF.format(recipe=self.recipe(program, "d_sluice")),
                        encoding="utf-8")
        said = "".join(f"<13>Nov 25 03:30:{number % 60:02} web1 cron[17]: job {number}\n"
                       for number in range(300))
        sender = self.launch_sender(SYSLOG_NG, "-F", "-f", conf, "-R", self.own / "persist",
                                    "-p", self.own / "pid", "-c", self.own / "ctl", "--no-caps",
                                    stdin=subprocess.PIPE)
        sender.stdin.write(said.encode("ascii"))
        sender.stdin.flush()  # stays open: at its end syslog-ng exits with messages unsent
        self.addCleanup(sender.stdin.close)
        wait_until(lambda: len(lines_so_far(self.path)) >= 300, "each message is written")
        self.end(sender)
        self.assertGreater(self.assert_answered(program), 0)
        events = [event for line in read_lines(self.path) for event in line["message"]["events"]]
        self.assertEqual([event["description"] for event in events],
                         [f"job {number}" for number in range(300)])
        for event in events:
            self.assertEqual((event["host"], event["service"], event["state"]),
                             ("web1", "cron", "notice"))
            self.assertIn({"key": "PID", "value": "17"}, event["attributes"])


if __name__ == "__main__":
    if (CLIENT, COLLECTD, SYSLOG_NG) == (None, None, None):
        skip("none of these senders is installed (tools/packages test)")
    unittest.main()
