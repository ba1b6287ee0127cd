"""If a FIFO without a writer is in the place of a file that the program reads at its start, the
program refuses it."""
import os
import subprocess
import unittest

from built import NO_FIFO, command, not_on_windows
from protobuf import metric
from sluice_program import DEADLINE, RIEMANN, SLUICE, ProgramTest, read_lines

HTTP = "http://127.0.0.1:9/?format=influx"
HTTPS = "https://127.0.0.1:9/?format=influx"
NATS = "nats://127.0.0.1:9/a"


@not_on_windows(NO_FIFO)
class Fifos(ProgramTest):
    def setUp(self):
        super().setUp()
        self.fifo = self.folder / "fifo"
        os.mkfifo(self.fifo)
        self.lists = []

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def arguments(self):
        fifo = self.fifo
        proto = self.folder / "fifo.proto"
        os.mkfifo(proto)
        login = self.file("login", f"nkey=UABC\nseed_file={fifo}\n")
        kafka = self.file("kafka", f"security.protocol=ssl\nssl.ca.location={fifo}\n")
        cases = self.file("cases.yaml", f"""
listeners:
  - udp://127.0.0.1:0?schema=riemann
tests:
  - name: a pipe
    input:
      capture: {fifo}
    expect: []
""")
        sinks = [f"{HTTP}&{key}={fifo}" for key in ("header_file", "token_file", "password_file")]
        sinks += [f"{HTTPS}&{key}={fifo}" for key in ("server_ca", "client_cert")]
        sinks += [f"{HTTPS}&client_cert={login}&client_key={fifo}"]
        sinks += [f"{NATS}?credentials_file={fifo}", f"{NATS}?credentials_file={login}",
                  f"{NATS}?tls=on&server_ca={fifo}"]
        sinks += [f"kafka://127.0.0.1:9/a?properties_file={path}" for path in (fifo, kafka)]
        for sink in sinks:
            yield "--listen", RIEMANN, "--sink", sink
        for listener in (f"udp://127.0.0.1:0?schema={proto}&message=a.B",
                         f"udp://127.0.0.1:0?schema={fifo}&message=a.B",
                         f"tcp://127.0.0.1:0?schema=riemann&tls=on&cert={fifo}&key={fifo}"):
            yield "--listen", listener
        yield "--config", fifo
        yield "test", cases
        yield "test", fifo

    def test_a_pipe_without_a_writer_is_refused_in_a_bounded_time(self):
        """All programs run at the same time, because some wait a few seconds for a writer."""
        running = []
        for arguments in self.arguments():
            for check in ((), ("--check",)) if arguments[0] != "test" else ((),):
                program = subprocess.Popen(command(SLUICE, *arguments, *check),
                                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
                self.addCleanup(program.stderr.close)
                self.addCleanup(program.wait)
                self.addCleanup(program.kill)
                running.append(((*arguments, *check), program))
        for arguments, program in running:
            with self.subTest(arguments=" ".join(map(str, arguments))):
                _, said = program.communicate(timeout=DEADLINE)
                self.assertNotEqual(program.returncode, 0, said)
                self.assertRegex(said, b"fifo|kafka|nats|http|built without OpenSSL")

    def test_a_pipe_that_has_a_writer_is_read(self):
        config = self.file("config.yaml", f"listeners: [\"{RIEMANN}\"]\n")
        with subprocess.Popen(["cp", config, self.fifo]):
            self.run_to_end("--check", "--config", self.fifo, ledger=None)

    def test_a_reload_is_refused_and_all_goes_on(self):
        path = self.folder / "lines"
        config = self.file("config.yaml", f"listeners: [\"{RIEMANN}\"]\nsinks: [\"file:{path}\"]\n")
        program = self.start("--config", config)
        sender = self.sender(program)
        config.unlink()
        os.rename(self.fifo, config)
        program.ask_to_reload()
        program.wait_for_log("its end did not come in 3 s")
        sender.send_all([metric(1)])
        program.stop()
        self.assertEqual(len(read_lines(path)), 1)


if __name__ == "__main__":
    unittest.main()
