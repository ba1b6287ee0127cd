"""Kafka topics, as kcat (librdkafka) reads them."""
import re
import subprocess
import tempfile

from sluice_program import wait_until

LIMIT = 300  # seconds


def _list(places, topic):
    """kcat's description of the topic. The brokers create a topic when its metadata is requested.
    """
    return subprocess.run(["kcat", "-b", ",".join(places), "-L", "-t", topic, "-m", "5"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                          check=False).stdout


def leader_of(places, topic):
    """The number of the node that leads the first partition, or 0 if none does."""
    found = re.search(r"partition 0, leader (\d+)", _list(places, topic))
    return int(found[1]) if found else 0


def make_topic(places, topic):
    wait_until(lambda: leader_of(places, topic) > 0, "a new topic has a leader")


def messages(places, topic):
    """All messages of the topic. Those of one partition are in its order."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            ["kcat", "-q", "-C", "-b", ",".join(places), "-t", topic, "-o", "beginning", "-e"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
        with process:
            yield from process.stdout
        if process.returncode != 0:
            said.seek(0)
            raise AssertionError(f"kcat: {said.read().decode()}")
