"""A Kafka cluster for tests: tests/support/programs/kafka_mock.c."""
import os
import subprocess

from built import command


class KafkaMock:
    """A cluster of `count` brokers; `brokers` is the HOST:PORT of the first one."""

    def __init__(self, test, count=1):
        self.process = subprocess.Popen(command(os.environ["TEST_KAFKA_MOCK"], count),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        test.addCleanup(self.close)
        self.brokers = self.process.stdout.readline().strip()

    def order(self, line):
        """Sends a command. Returns the lines of output before "done"."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        while (answer := self.process.stdout.readline()) != "done\n":
            if answer == "":
                raise AssertionError(f"kafka_mock ended at {line!r}")
            lines.append(answer.rstrip("\n"))
        return lines

    def read(self, topic):
        """The messages of the topic's partition 0: their keys and values."""
        messages = []
        for line in self.order(f"read {topic}"):
            key, value = line.split(" ")
            messages.append((bytes.fromhex(key), bytes.fromhex(value)))
        return messages

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
