"""Notifications to systemd by sd_notify(3). The test acts as systemd."""
import os
import socket
import time
import unittest

from built import nothing_on_windows
from ports import free_port
from protobuf import metric
from service_manager import Manager, launch
from sluice_program import RIEMANN, ProgramTest, linux_sockets, lines_so_far, wait_until
from test_config import READS_FILES

nothing_on_windows("there is no systemd")


class ServiceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "lines"
        self.manager = self.new_manager(self.folder)

    def new_manager(self, *arguments, **more):
        manager = Manager(*arguments, **more)
        self.addCleanup(manager.close)
        return manager

    def service(self, *arguments, manager=None, **more):
        return launch(self, manager or self.manager, *arguments, **more)

    def start_service(self, **variables):
        """Starts the program and waits for its notification that it is ready."""
        program = self.service("--listen", RIEMANN, "--sink", f"file:{self.path}",
                               variables=variables)
        self.assertEqual(self.manager.next(), {"READY": "1"})
        return program.wait_for_listeners()


class Telling(ServiceTest):
    def test_ready_when_its_sockets_are_bound(self):
        port = free_port()
        self.service("--listen", f"udp://127.0.0.1:{port}?schema=riemann", "--sink",
                     f"file:{self.path}")
        self.assertEqual(self.manager.next(), {"READY": "1"})
        self.assertIn(port, [each for each, _, _ in linux_sockets()])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(metric(1), ("127.0.0.1", port))
        wait_until(lambda: len(lines_so_far(self.path)) == 1, "it is written")

    def test_not_ready_where_it_cannot_bind(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            program = self.service("--listen", f"udp://127.0.0.1:{taken.getsockname()[1]}")
            program.finish(69)
        self.assertEqual(self.manager.rest(), [])

    def test_by_an_abstract_name(self):
        manager = self.new_manager(self.folder, abstract=True)
        program = self.service("--listen", RIEMANN, manager=manager)
        self.assertEqual(manager.next(), {"READY": "1"})
        program.stop()

    def test_a_status_follows_what_comes(self):
        program = self.start_service()
        self.manager.wait_for("STATUS", lambda line: line.startswith(
            "0 datagrams/s, 0 received, 0 dropped"))
        self.sender(program).send_all([metric(value) for value in range(3)])
        self.manager.wait_for("STATUS", lambda line: " 3 received" in line)
        program.stop()

    def test_a_reload_begins_and_ends(self):
        program = self.start_service()
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        program.ask_to_reload()
        told = self.manager.wait_for("RELOADING")
        after = time.clock_gettime(time.CLOCK_MONOTONIC)
        self.assertEqual(told["RELOADING"], "1")
        self.assertLessEqual(before, int(told["MONOTONIC_USEC"]) / 1e6 + 1e-6)
        self.assertLessEqual(int(told["MONOTONIC_USEC"]) / 1e6, after)
        self.assertEqual(self.manager.wait_for("READY"), {"READY": "1"})
        program.stop()

    @unittest.skipUnless(READS_FILES, "this program was built without YAML")
    def test_a_reload_that_is_refused_ends_too(self):
        path = self.folder / "sluice.yaml"
        path.write_text(f"listeners: ['{RIEMANN}']\nsinks: ['file:{self.path}']\n",
                        encoding="utf-8")
        program = self.service("--config", path)
        self.assertEqual(self.manager.next(), {"READY": "1"})
        path.write_text("nonsense: 1\n", encoding="utf-8")
        program.ask_to_reload()
        self.manager.wait_for("RELOADING")
        self.assertEqual(self.manager.wait_for("READY"), {"READY": "1"})
        program.stop()

    def test_a_stop_is_reported_with_its_time(self):
        program = self.service("--listen", RIEMANN, "--stop-timeout", "100s")
        self.manager.wait_for("READY")
        program.stop()
        told = self.manager.wait_for("STOPPING")
        self.assertEqual(told["STOPPING"], "1")
        self.assertGreater(int(told["EXTEND_TIMEOUT_USEC"]), 99e6)

    def test_a_stop_of_its_own_is_reported_as_well(self):
        program = self.service("--listen", RIEMANN, "--duration", "10ms")
        self.manager.wait_for("READY")
        self.manager.wait_for("STOPPING")
        program.finish()

    def test_commands_do_not_see_whom_it_speaks_to(self):
        variables = {"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "own", "LISTEN_FDS": "0",
                     "LISTEN_PID": "own", "LISTEN_FDNAMES": "a:b", "KEPT": "1"}
        program = self.service("--listen", RIEMANN, "--sink", f"command:env >{self.path}; cat",
                               variables=variables)
        self.manager.wait_for("READY")
        program.stop()
        names = [line.partition("=")[0] for line in self.path.read_text().splitlines()]
        self.assertIn("KEPT", names)
        for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
                     "LISTEN_FDNAMES"):
            self.assertNotIn(name, names)

    def test_a_manager_that_is_gone_is_no_reason_to_end(self):
        self.manager.close()
        os.unlink(self.manager.name)
        program = self.service("--listen", RIEMANN).wait_for_listeners()
        program.wait_for_log("warning: cannot report to systemd: ")
        program.stop()

    def test_a_name_that_is_none_is_reported(self):
        program = self.service("--listen", RIEMANN, variables={"NOTIFY_SOCKET": "notify"})
        program.wait_for_listeners()
        program.wait_for_log("NOTIFY_SOCKET is neither a path nor an abstract name")
        program.stop()


class Watchdog(ServiceTest):
    def test_is_fed_again_and_again(self):
        program = self.start_service(WATCHDOG_USEC="300000", WATCHDOG_PID="own")
        for _ in range(4):
            self.manager.wait_for("WATCHDOG", lambda value: value == "1")
        program.stop()

    def test_is_not_fed_for_another_process(self):
        program = self.start_service(WATCHDOG_USEC="1000", WATCHDOG_PID="1")
        self.sender(program).send_all([metric(0)])
        self.manager.wait_for("STATUS", lambda line: " 1 received" in line)
        program.stop()
        self.assertFalse([told for told in self.manager.rest() if "WATCHDOG" in told])

    def test_is_fed_while_a_pipe_is_stalled(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        program = self.service("--listen", RIEMANN, "--stop-timeout", "100ms", stdout=writer,
                               variables={"WATCHDOG_USEC": "300000"})
        os.close(writer)
        program.wait_for_listeners()
        sender = self.sender(program)
        for start in range(0, 1500, 100):  # the pipe cannot hold all lines
            sender.send_all([metric(start + value) for value in range(100)], before=start)
        self.manager.rest()
        for _ in range(6):
            self.manager.wait_for("WATCHDOG")
        ledger = program.stop()
        self.assertGreater(ledger["sinks"][0]["failed"]["stop_timeout"], 0)

    def test_is_fed_under_load(self):
        program = self.start_service(WATCHDOG_USEC="300000")
        flood = self.flood(program, metric)
        self.manager.rest()
        for _ in range(6):
            self.manager.wait_for("WATCHDOG")
        flood.end()
        program.stop()


if __name__ == "__main__":
    unittest.main()
