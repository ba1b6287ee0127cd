"""The two notifiers: which of them there are, and which is taken."""
import os
import unittest

from sluice_program import RIEMANN, SLUICE, ProgramTest

EMULATED = os.environ["TEST_EMULATED"]


class Notifiers(ProgramTest):
    def said_by(self, program, *arguments, code=0):
        """Its output on standard output and standard error."""
        running = self.launch(*arguments, ledger=None, program=program)
        running.finish(code)
        return b"".join(running.stdout.lines()).decode(), "\n".join(running.said())

    def test_the_version_says_which_there_are_and_which_the_system_has(self):
        for program, notifiers in ((EMULATED, "psn wsaeventselect"),
                                   (SLUICE, "psn (not on this system) wsaeventselect")):
            text, _ = self.said_by(program, "--version")
            self.assertIn(f"\nnotifiers: {notifiers}\n", text)
            self.assertRegex(text, r"\ncompressions: zstd \(.*\) gzip \(.*\)\n")

    def test_the_one_that_the_system_has_not_is_refused(self):
        for more in ((), ("--check",)):
            output, said = self.said_by(SLUICE, "--notifier", "psn", "--listen",
                                        RIEMANN, *more, code=78)
            self.assertEqual((output, said), (
                "", "sluice: error: --notifier psn: this system does not have it"))

    def test_another_systems_is_no_notifier(self):
        _, said = self.said_by(SLUICE, "--notifier", "epoll", code=64)
        self.assertIn('"epoll" is not one of auto, psn, wsaeventselect', said)

    def test_the_log_says_which_was_taken(self):
        for program, arguments, taken in (
                (SLUICE, (), "wsaeventselect"),
                (EMULATED, (), "psn"),
                (EMULATED, ("--notifier", "wsaeventselect"), "wsaeventselect"),
                (EMULATED, ("--notifier", "psn"), "psn")):
            with self.subTest(arguments=arguments, taken=taken):
                running = self.start("--listen", RIEMANN, *arguments, program=program)
                running.wait_for_log(f"listening on .*, by {taken}, process")
                running.stop()


if __name__ == "__main__":
    unittest.main()
