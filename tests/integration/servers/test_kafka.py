"""Kafka with three nodes, of which one or all are killed: the ledger must agree with the records in
the log."""
from kafka_reading import leader_of, make_topic, messages
from load import Found
from log_tests import LogTests
from server_group import ServerGroup, main
from sluice_program import ProgramTest

TOPIC = "records"


class Kafka(LogTests, ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "kafka", 3)
        make_topic(self.group.places, TOPIC)

    def sink_url(self):
        return f"kafka://{self.group.address}/{TOPIC}?key=label:host"

    def leader(self):
        return f"n{leader_of(self.group.places, TOPIC)}"

    def found(self):
        found = Found()
        for line in messages(self.group.places, TOPIC):
            found.add_line(line)
        return found


if __name__ == "__main__":
    main()
