"""Deltas in Prometheus 3, with the command of the README: it adds up deltas that arrive as OTLP."""
import time

from otlp_writing import CUMULATIVE, DELTA, attributes, request
from protobuf import double, fixed64, integer, message, text
from readme import from_readme
from server_group import ServerGroup, main
from sluice_program import ProgramTest
from store_reading import ask

MS = 10 ** 6
OTLP = "udp://127.0.0.1:0?schema=otlp"
PLACE = "127.0.0.1:9090"


def total(name, value, start, at, temporality):
    point = (fixed64(2, start) + fixed64(3, at) + double(4, value) +
             attributes(7, {"host": "web1"}))
    return text(1, name) + message(7, message(1, point) + integer(2, temporality) + integer(3, 1))


class Deltas(ProgramTest):
    def setUp(self):
        super().setUp()
        self.group = ServerGroup(self, "prometheus3")
        command = from_readme("sluice ", "format=otlp", "/api/v1/otlp")
        self.sink = command.split("--sink '")[1].rstrip("'\n").replace(PLACE, self.group.address)

    def values(self, name, at):
        """The values of the series of that name in the last minutes."""
        answer, = ask(f"http://{self.group.address}/api/v1/query", query=f"{name}[10m]",
                      time=at / 1000 / MS)
        return [float(value) for one in answer["data"]["result"] for _, value in one["values"]]

    def test_they_are_added_up_and_cumulative_sums_are_kept(self):
        now = int(time.time()) * 1000 * MS
        times = [now + (number - 6) * 10_000 * MS for number in range(6)]
        program = self.start("--listen", OTLP, "--sink", self.sink)
        sender = self.sender(program)
        for number in range(1, 6):
            sender.send(request(
                total("requests", number, times[number - 1], times[number], DELTA),
                total("bytes", 100.0 * number, times[0], times[number], CUMULATIVE)))
            program.wait_for_settled(number)
        sink = program.stop()["sinks"][0]
        self.assertEqual((sink["written"], sink["points_rejected"]), (5, 0))
        self.assertEqual(self.values("requests_total", now), [1, 3, 6, 10, 15])
        self.assertEqual(self.values("bytes_total", now), [100, 200, 300, 400, 500])

    def test_one_that_is_older_than_the_newest_of_its_series_is_left_out(self):
        now = int(time.time()) * 1000 * MS
        times = [now + (number - 6) * 10_000 * MS for number in range(6)]
        program = self.start("--listen", OTLP, "--sink", self.sink)
        sender = self.sender(program)
        for settled, number in enumerate((1, 3, 2, 4)):
            sender.send(request(total("late", number, times[number - 1], times[number], DELTA)))
            program.wait_for_settled(settled + 1)
        program.stop()
        self.assertEqual(self.values("late_total", now), [1, 4, 8])


if __name__ == "__main__":
    main()
