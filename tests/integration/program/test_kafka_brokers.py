"""Tests a `kafka:` sink whose brokers name many other brokers. librdkafka opens descriptors for
each of them."""
import unittest

from built import nothing_on_windows
from descriptor_use import limited, open_files, soft_limit, threads
from kafka_mock import KafkaMock
from metrics_client import MetricsClient
from protobuf import metric
from sluice_program import RIEMANN, lines_so_far, wait_until
from test_tcp import OK, TCP, Client, Tcp, framed

nothing_on_windows("a process has no limit of descriptors there")

BROKERS = 150
MOST = 256  # limit of open files; with two for each broker the library uses all of them
CLIENTS = 20


class Brokers(Tcp):
    def test_all_descriptors_are_used_up_by_the_library_and_everything_else_goes_on(self):
        cluster = KafkaMock(self, BROKERS)
        cluster.order("create t 1")
        lines = self.folder / "lines"
        program = self.start(
            "--listen", RIEMANN, "--listen", TCP, "--sink", f"file:{lines}", "--sink",
            f"kafka://{cluster.brokers}/t?timeout=5s&flush_interval=10ms", "--metrics",
            "127.0.0.1:0", listeners=2, preexec_fn=limited(MOST))
        metrics = MetricsClient(program)
        sender = self.sender(program)
        sender.send_all([metric(number) for number in range(50)])
        # librdkafka opens two descriptors for a broker before it starts the broker's thread, and
        # MOST is too small for those of all brokers.
        wait_until(lambda: threads(program) > BROKERS, "the library knows all brokers",
                   lambda: threads(program))
        self.assertLess(soft_limit(program) - open_files(program), CLIENTS)
        clients = [self.connect(program) for _ in range(CLIENTS)]
        self.assertIn(metrics.health()[0], (200, 503))
        wait_until(lambda: len(lines_so_far(lines)) == 50 + CLIENTS, "they are written")
        lines.rename(self.folder / "moved")
        program.ask_to_reload()
        wait_until(lines.exists, "the file was opened again")
        for client in clients:
            client.send(framed(metric(1)))
            self.assertEqual(client.answer(), OK)
        sender.send_all([metric(2)], before=50)
        wait_until(lambda: len(lines_so_far(lines)) == CLIENTS + 1, "all of it is written")
        file = program.stop()["sinks"][0]
        self.assertEqual(file["written"], 50 + 2 * CLIENTS + 1)

    def connect(self, program):
        client = Client(program, listener=1)
        self.addCleanup(client.socket.close)
        client.send(framed(metric(0)))
        self.assertEqual(client.answer(), OK)
        return client


if __name__ == "__main__":
    unittest.main()
