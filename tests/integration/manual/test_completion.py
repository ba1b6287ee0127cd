"""Tests the completions in their shells, as if a user typed and pressed Tab.

bash and zsh run on a terminal of the test and show the completed line; fish lists its completions.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

MADE = pathlib.Path(os.environ["TEST_MANUAL"])
TOOLS = ["sluice-send", "sluice-replay", "sluice-decode", "sluice-top"]
DEADLINE = 30
PATH = f"{pathlib.Path(os.environ['SLUICE']).parent}:{os.environ['PATH']}"

BASHRC = """
for program in {programs}; do source {made}/bash/$program; done
PS1='ready> '
bind 'set bell-style none'
bind -x '"\\C-o": printf "LINE<%s>\\n" "$READLINE_LINE"; READLINE_LINE='
"""

ZSHRC = """
fpath=({made}/zsh $fpath)
autoload -U compinit
compinit -D -u
PS1='ready> '
unsetopt beep list_beep auto_menu
show() {{ zle -I; print -r -- "LINE<$BUFFER>"; BUFFER= }}
zle -N show
bindkey -e
bindkey '^O' show
"""


class Typed:
    """A shell on a terminal."""

    def __init__(self, case, arguments, environment):
        self.case = case
        self.seen = b""
        pid, self.terminal = pty.fork()
        if pid == 0:
            try:
                os.execvpe(arguments[0], arguments,
                           {**os.environ, "TERM": "xterm", "PATH": PATH, **environment})
            finally:
                os._exit(127)
        case.addCleanup(self.end, pid)
        self.wait_for(rb"ready> ")

    def end(self, pid):
        os.close(self.terminal)  # hangs up the terminal
        end = time.monotonic() + DEADLINE
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(pid, 9)
            time.sleep(0.01)

    def wait_for(self, pattern):
        end = time.monotonic() + DEADLINE
        while True:
            found = re.search(pattern, self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.case.fail(f"timed out waiting for {pattern}; there is {self.seen!r}")
            self.seen += os.read(self.terminal, 65536)

    def complete(self, line):
        """The line as it is after Tab."""
        os.write(self.terminal, line.encode() + b"\t\x0f")
        return self.wait_for(rb"LINE<([^>]*)>")[1].decode()


class Shell:
    """The typed text and its completion, without a space or quotation mark that the shell appends.
    """

    # An option, its value, a scheme, keys, and values of keys.
    LINES = {
        "sluice --max-d": "sluice --max-datagrams",
        "sluice --ledger j": "sluice --ledger json",
        "sluice --listen pc": "sluice --listen pcap:",
        "sluice --sink com": "sluice --sink command:",
        "sluice --listen 'udp://127.0.0.1:5555?schema=ri":
            "sluice --listen 'udp://127.0.0.1:5555?schema=riemann",
        "sluice --listen 'udp://127.0.0.1:5555?schema=riemann&busy":
            "sluice --listen 'udp://127.0.0.1:5555?schema=riemann&busy_poll=",
        "sluice --sink 'file:/tmp/lines?rotate_s": "sluice --sink 'file:/tmp/lines?rotate_size=",
        "sluice --sink 'stdout:?format=infl": "sluice --sink 'stdout:?format=influx",
        "sluice ctl rel": "sluice ctl reload",
        "sluice ctl reload uni": "sluice ctl reload unix:",
        "sluice exp": "sluice explain",
        "sluice explain listener_sh": "sluice explain listener_share",
        "sluice spi": "sluice spill",
        "sluice spill exp": "sluice spill export",
        "sluice tes": "sluice test",
        "sluice test --reco": "sluice test --record",
        "sluice test --report ju": "sluice test --report junit",
        "sluice-send --schema rie": "sluice-send --schema riemann",
        "sluice-replay --spe": "sluice-replay --speed",
        "sluice-decode --descr": "sluice-decode --descriptor-set",
        "sluice-top --on": "sluice-top --once",
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_what_is_typed_is_completed(self):
        for line, whole in self.LINES.items():
            with self.subTest(line=line):
                self.assertEqual(self.complete(line)[:len(whole)], whole)

    def test_what_does_not_belong_there_is_not_offered(self):
        for line in ("sluice --sink 'stdout:?rotate_s", "sluice --listen 'pcap:x?receive_b"):
            self.assertEqual(self.complete(line), line)

    def test_a_file_is_completed_after_its_scheme(self):
        (self.folder / "capture-of-a-day.pcap").touch()
        for line in (f"sluice --listen pcap:{self.folder}/capt",
                     f"sluice ctl stop unix:{self.folder}/capt",
                     f"sluice test {self.folder}/capt"):
            self.assertTrue(self.complete(line).startswith(f"{line}ure-of-a-day.pcap"), line)


@unittest.skipUnless(shutil.which("bash"), "needs bash")
class Bash(Shell, unittest.TestCase):
    def setUp(self):
        super().setUp()
        file = self.folder / "bashrc"
        file.write_text(BASHRC.format(made=MADE, programs=" ".join(["sluice", *TOOLS])),
                        encoding="utf-8")
        self.shell = Typed(self, ["bash", "--noprofile", "--rcfile", str(file), "-i"], {})

    def complete(self, line):
        return self.shell.complete(line)

    def test_without_quotes_too(self):
        self.assertEqual(self.complete("sluice --listen udp://127.0.0.1:5555?schema=ri").rstrip(),
                         "sluice --listen udp://127.0.0.1:5555?schema=riemann")
        self.assertEqual(self.complete("sluice --ledger=js").rstrip(), "sluice --ledger=json")

    def test_a_key_that_is_the_only_one_left_stays_open_for_its_value(self):
        self.assertEqual(self.complete("sluice --sink 'stdout:?form"),
                         "sluice --sink 'stdout:?format=")


@unittest.skipUnless(shutil.which("zsh"), "needs zsh")
class Zsh(Shell, unittest.TestCase):
    def setUp(self):
        super().setUp()
        (self.folder / ".zshrc").write_text(ZSHRC.format(made=MADE), encoding="utf-8")
        self.shell = Typed(self, ["zsh", "-i"], {"ZDOTDIR": str(self.folder)})

    def complete(self, line):
        return self.shell.complete(line)


@unittest.skipUnless(shutil.which("fish"), "needs fish")
class Fish(Shell, unittest.TestCase):
    def offered(self, line):
        sources = "; ".join(f"source {MADE}/fish/{each}.fish" for each in ["sluice", *TOOLS])
        done = subprocess.run(
            ["fish", "--no-config", "-c", f'{sources}; complete -C "{line}"'],
            env={**os.environ, "HOME": str(self.folder), "PATH": PATH}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE, check=True)
        self.assertEqual(done.stderr, b"")
        return [each.split("\t")[0] for each in done.stdout.decode().splitlines()]

    def complete(self, line):
        """Completes an option as fish does if there is one offer. fish 4 also lists offers with the
        letters at other positions; on a terminal it prefers those that begin with the word."""
        before, _, word = line.rpartition(" ")
        offered = self.offered(line)
        offered = [each for each in offered if each.startswith(word.lstrip("'"))] or offered
        if len(offered) != 1:
            return line
        return f"{before} {chr(39) if word[0] == chr(39) else ''}{offered[0]}"


if __name__ == "__main__":
    unittest.main()
