"""JetStream with three nodes, of which one or all are killed: the ledger must agree with the
records in the log."""
from jetstream_reading import Stream
from load import Found
from log_tests import LogTests
from server_group import ServerGroup, main
from sluice_program import ProgramTest

NAME = "records"


class JetStream(LogTests, ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "nats", 3)
        self.stream = Stream(self.group.places, NAME)

    def sink_url(self):
        return f"nats://{self.group.address}/{NAME}.%{{schema}}?format=json"

    def leader(self):
        return self.stream.leader()

    def found(self):
        found = Found()
        for message in self.stream.messages():
            for line in message.splitlines():
                found.add_line(line)
        return found


if __name__ == "__main__":
    main()
