"""jq reads JSON lines from standard output: every field of each sample, and each line as soon as
it is written."""
import sent
from protobuf import riemann
from readme import from_readme
from shell import ConsumerTest, main
from sluice_program import RIEMANN, TELEMETRY, parse_lines

LISTEN_OF_README = "udp://[::]:5555?schema=riemann"
OTLP = "udp://127.0.0.1:0?schema=otlp"


def as_doubles(tree):
    """The tree with each number as a double, because jq 1.6 reads integers as doubles."""
    if isinstance(tree, dict):
        return {key: as_doubles(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [as_doubles(value) for value in tree]
    return float(tree) if isinstance(tree, int) and not isinstance(tree, bool) else tree


class EveryKind(ConsumerTest):
    def lines_of(self, listen, datagrams, program):
        """The output of jq's program for these datagrams, and the lines that the sink wrote."""
        plain = self.folder / "plain"
        sluice = self.shell(f"sluice --listen '{listen}' --sink stdout: --sink 'file:{plain}' | "
                            f"jq -c '{program}'")
        self.sender(sluice).send_all(datagrams)
        ledger = sluice.stop()
        self.assertEqual(len(sluice.log()), 1, sluice.log())
        lines = parse_lines(plain.read_bytes())
        self.assertEqual(ledger["sinks"][0]["lines"], len(lines))
        return sluice.output(), lines

    def test_each_line_of_telemetry_is_read_whole(self):
        found, lines = self.lines_of(TELEMETRY, sent.telemetry_datagrams(), ".")
        self.assertEqual(len(found), len(sent.NUMBERS) + 1)
        self.assertEqual(as_doubles(found), as_doubles(lines))

    def test_each_line_of_otlp_is_read_whole(self):
        found, lines = self.lines_of(OTLP, sent.otlp_datagrams(), ".")
        self.assertEqual(len(found), len(sent.OTLP_NUMBERS) + 3)
        self.assertEqual(as_doubles(found), as_doubles(lines))

    def test_what_is_sent_can_be_picked(self):
        found, _ = self.lines_of(TELEMETRY, sent.telemetry_datagrams(),
                                 "[.name, .kind, .temporality, .value, .unit, .labels]")
        self.assertEqual({name: float(value) for name, _, _, value, _, _ in found[:-1]},
                         {name: float(value) for name, value in sent.NUMBERS.items()})
        for _, _, _, _, _, labels in found:
            self.assertEqual(labels, sent.LABELS)
        by_name = {line[0]: line[1:] for line in found}
        self.assertEqual(by_name["sent.counter"][:4],
                         ["counter", "cumulative", 4711, "{request}"])
        self.assertEqual(by_name["sent.delta"][:2], ["counter", "delta"])
        kind, temporality, value, unit, _ = by_name[sent.HISTOGRAM]
        self.assertEqual((kind, temporality, unit), ("histogram", "delta", "s"))
        self.assertEqual(value, {**sent.TOTALS[sent.HISTOGRAM], "bounds": [0.1, 0.5],
                                 "counts": [3, 2, 0]})

    def test_messages(self):
        sluice = self.shell(f"sluice --listen '{TELEMETRY}' --sink 'stdout:?view=message' | "
                            "jq -c '.message | [.senderId, .sequence, .samples[].name]'")
        self.sender(sluice).send_all(sent.telemetry_datagrams())
        sluice.stop()
        self.assertEqual(sluice.output(), [["sent", "1", *sent.NUMBERS, sent.HISTOGRAM]])


class Live(ConsumerTest):
    def test_the_command_of_the_readme_shows_each_sample_as_it_comes(self):
        line = from_readme("sluice ", "jq --unbuffered")
        self.assertIn(LISTEN_OF_README, line)
        sluice = self.shell(line.replace(LISTEN_OF_README, RIEMANN))
        sender = self.sender(sluice)
        for number in range(1, 4):
            sender.send(riemann({"service": 'a "b", c', "host": "web1", "metric_d": number + 0.5,
                                 "time": sent.SECONDS}))
            self.assertTrue(sluice.stdout.wait_for(lambda lines: len(lines) >= number))
        sluice.stop()
        self.assertEqual(b"".join(sluice.stdout.lines()).decode(), "".join(
            f'"2023-11-14T22:13:20.000000000Z","web1","a ""b"", c",{number}.5\n'
            for number in range(1, 4)))


if __name__ == "__main__":
    main("jq", "bash")
