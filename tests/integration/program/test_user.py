"""--user: the program does what needs root, and then gives up root's rights permanently."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import unittest

from built import WINDOWS, command, not_on_windows
from protobuf import metric
from sluice_program import (DEADLINE, RIEMANN, SLUICE, ProgramTest, built_with, read_lines,
                            wait_until)
from test_config import READS_FILES

if not WINDOWS:
    import grp
    import pwd

ROOT = not WINDOWS and os.geteuid() == 0
USER = "nobody"
ACCOUNTS = "a service has an account there"

needs_root = unittest.skipUnless(ROOT, "only root can become another user")


def statuses(process):
    """The content of /proc/PID/task/*/status for each thread: words by name."""
    for path in sorted(pathlib.Path(f"/proc/{process}/task").glob("*/status")):
        yield {name: rest.split() for name, _, rest in
               (line.partition(":") for line in path.read_text().splitlines())}


@not_on_windows(ACCOUNTS)
@needs_root
class Root(ProgramTest):
    def setUp(self):
        super().setUp()
        self.user = pwd.getpwnam(USER)

    def privileged_port(self):
        """A free port that only root can bind."""
        for port in range(1023, 511, -1):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    continue
                return port
        self.skipTest("no port is free below 1024")

    def assert_runs_as(self, program, user, group):
        found = list(statuses(program.process.pid))
        self.assertGreaterEqual(len(found), 3)  # main thread, receiver, sink
        for status in found:
            self.assertEqual(status["Uid"], [str(user)] * 4)
            self.assertEqual(status["Gid"], [str(group)] * 4)
            self.assertEqual({int(each) for each in status["Groups"]},
                             set(os.getgrouplist(USER, group)))
            for kind in ("Inh", "Prm", "Eff", "Amb"):
                self.assertEqual(int(status[f"Cap{kind}"][0], 16), 0, kind)

    def test_every_thread_gives_root_up_and_what_is_open_stays_open(self):
        self.folder.chmod(0o700)
        program = self.start("--listen", f"udp://127.0.0.1:{self.privileged_port()}?schema=riemann",
                             "--sink", f"file:{self.folder / 'a'}", "--sink", "stdout:",
                             "--user", USER)
        self.assert_runs_as(program, self.user.pw_uid, self.user.pw_gid)
        self.sender(program).send_all([metric(number) for number in range(300)])
        program.stop()
        self.assertEqual([line["value"] for line in read_lines(self.folder / "a")],
                         list(range(300)))
        self.assertEqual(program.output(), read_lines(self.folder / "a"))

    def test_a_group_may_be_named(self):
        group = next(each for each in grp.getgrall()
                     if each.gr_gid not in os.getgrouplist(USER, self.user.pw_gid))
        program = self.start("--listen", RIEMANN, "--user", f"{USER}:{group.gr_name}")
        self.assert_runs_as(program, self.user.pw_uid, group.gr_gid)
        program.stop()

    def test_a_check_asks_whether_the_user_may_write_what_is_opened_later(self):
        self.folder.chmod(0o755)
        closed = self.folder / "closed"
        closed.mkdir(mode=0o755)
        opened = self.folder / "opened"
        opened.mkdir()
        opened.chmod(0o777)
        for path in ("a.%Y", "%{source}/a", "a.ndjson?rotate_size=1MiB", "a?compress=gzip"):
            with self.subTest(path=path):
                said = self.refused("--check", "--listen", RIEMANN, "--user", USER, "--sink",
                                    f"file:{closed}/{path}", code=73)
                self.assertIn(f"--user {USER}: cannot write to {closed}: Permission denied", said)
                self.run_to_end("--check", "--listen", RIEMANN, "--user", USER, "--sink",
                                f"file:{opened}/{path}", ledger=None)
        if READS_FILES:
            config = self.folder / "c.yaml"
            config.write_text(f"sinks:\n- to: 'stdout:'\n- to: 'file:{closed}/a.%Y'\n",
                              encoding="utf-8")
            said = self.refused("--check", "--config", config, "--listen", RIEMANN, "--user", USER,
                                code=73)
            self.assertRegex(said, f"{re.escape(str(config))}:3:[0-9]+: cannot write to {closed}")
        self.assertEqual([*closed.iterdir(), *opened.iterdir()], [])
        # A start opens files as root, so --check accepts the folder.
        self.run_to_end("--check", "--listen", RIEMANN, "--user", USER, "--sink",
                        f"file:{closed}/a", ledger=None)

    def test_the_control_socket_is_the_users(self):
        self.folder.chmod(0o755)
        path = self.folder / "control"
        program = self.start("--listen", RIEMANN, "--control", f"unix:{path}", "--user", USER)
        wait_until(path.exists, "the control socket")
        status = path.stat()
        self.assertEqual((status.st_uid, status.st_gid, status.st_mode & 0o777),
                         (self.user.pw_uid, self.user.pw_gid, 0o600))
        # In a folder that the user can enter, because only root may be able to enter the folders
        # above the build.
        program_of_all = shutil.copy(SLUICE, self.folder / "sluice")
        for user in (0, self.user.pw_uid):
            for request in ("ledger", "reload"):  # a request and an order
                done = subprocess.run([program_of_all, "ctl", request, f"unix:{path}"], user=user,
                                      check=False, capture_output=True, timeout=DEADLINE)
                self.assertEqual((done.returncode, done.stderr), (0, b""), request)
        program.stop()

    def test_root_cannot_be_had_again_by_a_command(self):
        program = self.start("--listen", RIEMANN, "--user", USER, "--sink",
                             "command:id -u >&2; exec cat >/dev/null")
        program.wait_for_log(rf"^{self.user.pw_uid}$")
        program.stop()

    def write_and_move(self, path, moved):
        """Writes the first record to `path`, renames the file to `moved`, and requests a reopen."""
        program = self.start("--listen", RIEMANN, "--sink", f"file:{path}", "--user", USER)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        path.rename(moved)
        program.ask_to_reload()
        return program, sender

    def test_what_the_user_may_not_create_is_not_opened_anew(self):
        """No record is lost: the program continues to write to the open file."""
        path, moved = self.folder / "a", self.folder / "b"
        program, sender = self.write_and_move(path, moved)
        program.wait_for_log("error: .*/a: Permission denied")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertFalse(path.exists())
        self.assertEqual([line["value"] for line in read_lines(moved)], [1, 2])

    def test_a_file_of_the_users_is_opened_anew(self):
        path, moved = self.folder / "a", self.folder / "b"
        os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        program, sender = self.write_and_move(path, moved)
        wait_until(path.exists, "the file is there again")
        sender.send_all([metric(2)], before=1)
        program.stop()
        self.assertEqual(path.stat().st_uid, self.user.pw_uid)
        self.assertEqual([line["value"] for line in read_lines(moved)], [1])
        self.assertEqual([line["value"] for line in read_lines(path)], [2])

    def assert_reload_is_refused(self, before, after, said):
        """Asserts that the reload is refused, and that the sink that root has opened continues to
        write."""
        config = self.folder / "config.yaml"
        text = "listeners: [\"{}\"]\nsinks: [\"{}\"]\n"
        config.write_text(text.format(RIEMANN, before), encoding="ascii")
        self.folder.chmod(0o755)
        config.chmod(0o644)
        program = self.start("--config", config, "--user", USER)
        sender = self.sender(program)
        sender.send_all([metric(1)])
        program.wait_for_settled(1)
        config.write_text(text.format(RIEMANN, after), encoding="ascii")
        program.ask_to_reload()
        program.wait_for_log(said)
        sender.send_all([metric(2)], before=1)
        program.wait_for_settled(2)
        ledger = program.stop()
        self.assertEqual([(sink["written"], sink["offered"]) for sink in ledger["sinks"]], [(2, 2)])

    def test_a_reload_that_the_user_has_no_rights_for_is_refused(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o755)
        path = closed / "a"
        self.assert_reload_is_refused(f"file:{path}", f"file:{path}?view=message",
                                      "cannot write to .*closed/a: Permission denied")
        self.assertEqual(len(read_lines(path)), 2)

    def test_a_reload_of_a_relay_that_only_root_can_open_is_refused(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taker:
            taker.bind(("127.0.0.1", 0))
            relay = f"udp:127.0.0.1:{taker.getsockname()[1]}?keep_source=on"
            self.assert_reload_is_refused(relay, f"{relay}&bad=too", "not permitted|CAP_NET_RAW")

    def test_root_follows_no_link_of_the_users(self):
        """Links to a file of root, to a file that does not exist, and through a folder."""
        self.folder.chmod(0o755)
        own, closed = self.folder / "own", self.folder / "closed"
        own.mkdir()
        closed.mkdir(mode=0o700)
        secret = closed / "secret"
        secret.write_text("", encoding="ascii")
        (own / "file").symlink_to(secret)
        (own / "new").symlink_to(closed / "new")
        (own / "folder").symlink_to(closed)
        os.link(secret, own / "hard")
        for path in (own, *own.iterdir()):
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        os.chown(secret, 0, 0)
        for name in ("file", "new", "folder/new", "hard"):
            for arguments in (("--sink", f"file:{own}/{name}"),
                              ("--dead-letter", f"file:{own}/{name}")):
                with self.subTest(name=name, arguments=arguments):
                    for check in ((), ("--check",)):
                        self.assertIn("a link that is not root's",
                                      self.refused("--listen", RIEMANN, "--user", USER, *arguments,
                                                   *check, code=73))
        self.assertEqual([path.name for path in closed.iterdir()], ["secret"])
        self.assertEqual(secret.read_bytes(), b"")

    def test_root_makes_nothing_in_a_folder_that_one_leads_to(self):
        self.folder.chmod(0o755)
        own, closed = self.folder / "own", self.folder / "closed"
        own.mkdir()
        closed.mkdir(mode=0o700)
        (own / "folder").symlink_to(closed)
        for path in (own, own / "folder"):
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        for arguments in (("--control", f"unix:{own}/folder/socket"),
                          ("--sink", f"file:{own}/folder/a?compress=gzip"),
                          ("--sink", f"file:{own}/folder/a?rotate_size=1MiB")):
            with self.subTest(arguments=arguments):
                self.assertIn("a link that is not root's",
                              self.refused("--listen", RIEMANN, "--user", USER, *arguments,
                                           code=73))
        self.assertEqual(list(closed.iterdir()), [])

    def test_root_has_no_library_follow_one(self):
        self.folder.chmod(0o755)
        (self.folder / "key").write_text("secret", encoding="ascii")
        own = self.folder / "own"
        own.mkdir()
        (own / "key").symlink_to(self.folder / "key")
        for path in (own, own / "key"):
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        for library, *arguments in (
                ("tls", "--listen", f"tcp://127.0.0.1:0?schema=riemann&tls=on&key={own}/key&cert={own}/key"),
                ("nats", "--listen", RIEMANN, "--sink", f"nats://127.0.0.1:1/a?tls=on&server_ca={own}/key"),
                ("kafka", "--listen", RIEMANN, "--sink", "kafka://127.0.0.1:1/a?"
                 f"kafka.security.protocol=ssl&kafka.ssl.ca.location={own}/key")):
            with self.subTest(arguments=arguments):
                if not built_with(library):
                    self.skipTest(f"a program without {library}")
                self.assertIn("a link that is not root's",
                              self.refused("--user", USER, *arguments, code=78))

    def test_root_follows_links_of_roots(self):
        (self.folder / "folder").mkdir()
        (self.folder / "name").symlink_to("folder")
        (self.folder / "folder" / "a").symlink_to("../b")
        program = self.start("--listen", RIEMANN, "--user", USER, "--sink",
                             f"file:{self.folder}/name/./a", "--sink", "file:/dev/stdout")
        self.sender(program).send_all([metric(1)])
        program.stop()
        self.assertEqual(len(read_lines(self.folder / "b")), 1)
        self.assertEqual(program.output(), read_lines(self.folder / "b"))

    def test_root_is_nobody_to_become(self):
        self.assertIn("--user root: root cannot give up its rights to root",
                      self.refused("--listen", RIEMANN, "--user", "root", "--check", code=78))

    def test_the_user_cannot_read_what_root_has_read(self):
        """Keys and passwords are in the process's memory, so other processes must not read it."""
        program = self.start("--listen", RIEMANN, "--user", USER)
        script = f"open('/proc/{program.process.pid}/mem', 'rb').close()"
        seen = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, check=False,
                              timeout=DEADLINE, **self.as_user())
        self.assertIn(b"PermissionError", seen.stderr)
        program.stop()

    # Tests as a user other than root.

    def as_user(self):
        """The options of subprocess that run a program as this user. Skips the test if the user
        cannot reach the program."""
        more = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        try:
            subprocess.run(command(SLUICE, "--version"), check=True, stdout=subprocess.DEVNULL,
                           timeout=DEADLINE, **more)
        except PermissionError:
            self.skipTest(f"{USER} may not start {SLUICE}")
        return more

    def test_only_root_can_become_another(self):
        more = self.as_user()
        for check in ((), ("--check",)):
            said = self.refused("--listen", RIEMANN, "--user", "daemon", *check, code=78, **more)
            self.assertIn("--user daemon: only root can become another user, and this process runs "
                          f"as user {self.user.pw_uid} and group {self.user.pw_gid}", said)
            said = self.refused("--listen", RIEMANN, "--user", f"{USER}:daemon", *check, code=78,
                                **more)
            self.assertIn(f"--user {USER}:daemon: only root can", said)

    def test_a_port_that_only_root_may_bind_is_refused_with_the_ways_to_get_it(self):
        more = self.as_user()
        port = self.privileged_port()
        for listener, says in ((f"udp://127.0.0.1:{port}", "cannot bind"),
                               (f"tcp://127.0.0.1:{port}", "cannot listen on")):
            said = self.refused("--listen", f"{listener}?schema=riemann", code=69, **more)
            self.assertIn(f"{says} {listener}: Permission denied; use a port above 1023, or start as root "
                          "with --user NAME, or let systemd bind it (sluice.socket), or allow it: "
                          "setcap cap_net_bind_service+ep /", said)

    def test_who_is_that_user_already_may_say_so(self):
        more = self.as_user()
        group = grp.getgrgid(self.user.pw_gid).gr_name
        for user in (USER, f"{USER}:{group}"):
            program = self.start("--listen", RIEMANN, "--user", user, **more)
            self.sender(program).send_all([metric(1)])
            program.stop()
            self.assertEqual(len(program.output()), 1)


@not_on_windows(ACCOUNTS)
class Names(ProgramTest):
    def test_an_unknown_user_or_group_is_refused(self):
        for check in ((), ("--check",)):
            for user, why in (("no-such-user", "user"), ("no-such-user:daemon", "user"),
                              (":daemon", "user"), ("x" * 5000, "user"),
                              (f"{USER}:no-such-group", "group"), (f"{USER}:", "group")):
                with self.subTest(user=user[:30]):
                    said = self.refused("--listen", RIEMANN, "--user", user, *check, code=78)
                    if len(user) < 100:
                        self.assertIn(f"--user {user}: there is no such {why}", said)

    @unittest.skipIf(ROOT, "this is root")
    def test_only_root_can_become_another(self):
        self.assertIn("--user nobody: only root can become another user",
                      self.refused("--listen", RIEMANN, "--user", USER, "--check", code=78))


class Windows(ProgramTest):
    @unittest.skipUnless(WINDOWS, "only on Windows")
    def test_a_service_has_an_account(self):
        for check in ((), ("--check",)):
            self.assertIn("--user: not on Windows; give the service an account: sluice service install",
                          self.refused("--listen", RIEMANN, "--user", USER, *check, code=78))


if __name__ == "__main__":
    unittest.main()
