"""Runs `sluice --check=connect`, and returns the line that it prints for each sink."""
from sluice_program import RIEMANN, ProgramTest

NOT_REACHED, CONFIGURATION = 69, 78


class ConnectTest(ProgramTest):
    def tried(self, *sinks, code=0, keys=()):
        """Runs --check=connect. Returns one line for each sink, without the sink's name."""
        arguments = [word for sink in sinks for word in ("--sink", sink)]
        program, _ = self.run_to_end("--check=connect", *keys, "--listen", RIEMANN, *arguments,
                                     code=code, ledger=None)
        lines = program.said()
        if code == 0:
            self.assertEqual(lines.pop(), "sluice: the configuration is valid")
        self.assertEqual(len(lines), len(sinks), lines)
        said = []
        for sink, line in zip(sinks, lines):
            name = sink.partition("?")[0]
            self.assertIn(f" {name}: ", line)
            said.append(line.replace(f" {name}:", ""))
        return said

    def assert_reached(self, sink, what):
        line, = self.tried(sink)
        self.assertRegex(line, rf"\Asluice: {what}")

    def assert_refused(self, sink, what):
        """Asserts that the configuration is refused, because a setting is wrong."""
        line, = self.tried(sink, code=CONFIGURATION)
        self.assertRegex(line, rf"\Asluice: error: .*{what}")

    def assert_not_reached(self, sink, what, keys=()):
        line, = self.tried(sink, code=NOT_REACHED, keys=keys)
        self.assertRegex(line, rf"\Asluice: error: .*{what}")
