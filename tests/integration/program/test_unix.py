"""unix: listeners: their files, permissions and connections, which are served like those of tcp."""
import os
import socket
import stat
import struct
import subprocess
import unittest

from built import nothing_on_windows, skip
from protobuf import delimited, metric
from sluice_program import CHANGED, NO_TCP_LISTENER, ONE_THREAD, ProgramTest, read_lines
from test_config import READS_FILES
from test_reload import REFUSED
from test_tcp import OK, Client, framed, refused

nothing_on_windows("there is no unix listener")

MOST = 107  # the longest path in bytes
NOBODY = 65534
ROOT = os.geteuid() == 0


def little(size):
    """A function that makes frames: each message is preceded by its length in this format."""
    return lambda *messages: b"".join(struct.pack(size, len(one)) + one for one in messages)


class Unix(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "socket"

    def listener(self, keys="", path=None):
        return f"unix:{path or self.path}?schema=riemann{keys}"

    def client(self, program, listener=0):
        client = Client(program, listener)
        self.addCleanup(client.socket.close)
        return client

    def exchange(self, client, *numbers):
        client.send(framed(*[metric(number) for number in numbers]))
        self.assertEqual(client.answers(len(numbers)), [OK] * len(numbers))

    def left_over(self, path=None):
        """Leaves a socket file behind, like a process that was killed."""
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path or self.path))

    def mode(self):
        return stat.S_IMODE(self.path.stat().st_mode)


class Serving(Unix):
    def test_each_message_is_written_and_answered_and_its_process_is_the_source(self):
        program = self.start("--listen", self.listener("&receivers=2"))
        client = self.client(program)
        self.exchange(client, *range(1000))
        ledger = program.stop()
        listener = ledger["listeners"][0]
        self.assertEqual((listener["name"], listener["kind"]), (f"unix:{self.path}", "unix"))
        self.assertEqual((listener["received"], listener["answers"], listener["connections"],
                          listener["stopped"]), (1000, 1000, 1, 1))
        lines = program.output()
        self.assertEqual([line["value"] for line in lines], list(range(1000)))
        self.assertEqual({line["source"] for line in lines}, {f"uid:{os.geteuid()}:{os.getpid()}"})

    def test_every_framing_of_streams(self):
        framings = {"delimited": lambda *messages: b"".join(map(delimited, messages)),
                    "length16": little(">H"), "length32": little(">I"),
                    "length16-le": little("<H"), "length32-le": little("<I"),
                    "cisco-mdt": lambda *messages: b"".join(
                        struct.pack(">HHHHI", 1, 1, 1, 0, len(one)) + one for one in messages)}
        program = self.start(*[argument for number, framing in enumerate(framings) for argument in (
            "--listen", self.listener(f"&framing={framing}", f"{self.path}{number}"))],
                             listeners=len(framings))
        for number, frame in enumerate(framings.values()):
            client = self.client(program, number)
            client.send(frame(*[metric(number * 100 + each) for each in range(50)]))
        program.wait_for_settled(50 * len(framings))
        ledger = program.stop()
        for number, listener in enumerate(ledger["listeners"]):
            self.assertEqual((listener["received"], listener["decoded"]), (50, 50), listener["name"])
        self.assertEqual(sorted(line["value"] for line in program.output()),
                         sorted(number * 100 + each for number in range(len(framings))
                                for each in range(50)))

    def test_the_answer_has_the_length_of_its_framing(self):
        program = self.start("--listen", self.listener("&framing=length16-le"))
        client = self.client(program)
        client.send(little("<H")(metric(1)))
        self.assertEqual(client.socket.recv(100), b"\x02\x00" + OK)
        program.stop()

    def test_an_abstract_name_has_no_file(self):
        name = f"@sluice-test-{os.getpid()}"
        program = self.start("--listen", self.listener(path=name))
        self.exchange(self.client(program), 1, 2, 3)
        said = self.refused("--listen", self.listener(path=name), code=69)
        self.assertIn(f"cannot listen on unix:{name}: another program listens there", said)
        self.assertEqual(program.stop()["listeners"][0]["received"], 3)
        self.assertEqual([each for each in os.listdir(self.folder) if "sluice-test" in each], [])

    def test_a_malformed_frame_is_answered_and_a_too_long_one_ends_the_connection(self):
        program = self.start("--listen", self.listener("&max_frame=1KiB"))
        client = self.client(program)
        client.send(framed(b"\xff"))
        self.assertEqual(client.answer(), refused("malformed"))
        client.send(framed(bytes(2000)))
        self.assertEqual(client.answer(), refused("too_large"))
        self.assertTrue(client.ends())
        program.wait_for_log(f"connection from uid:{os.geteuid()}:{os.getpid()}: closed: ")
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["bad_frame"], listener["reasons"]["malformed"]), (1, 1))

    def test_limits_are_of_the_user(self):
        program = self.start("--listen", self.listener("&max_connections_per_address=1"))
        first = self.client(program)
        self.exchange(first, 1)
        script = ("import socket, sys; c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1]); "
                  "sys.exit(len(c.recv(1)))")
        subprocess.run(["python3", "-c", script, self.path], check=True)
        program.wait_for_log("refused: its user has max_connections_per_address= open already")
        listener = program.stop()["listeners"][0]
        self.assertEqual((listener["over_address_limit"], listener["stopped"]), (1, 1))

    def test_packets_and_dead_letters_have_no_address(self):
        packets, letters = self.folder / "packets", self.folder / "letters"
        program = self.start("--listen", self.listener(), "--sink", f"file:{packets}?format=pcap",
                             "--dead-letter", f"file:{letters}")
        client = self.client(program)
        self.exchange(client, 7)
        client.send(framed(b"\xff"))
        client.answer()
        program.stop()
        head = packets.read_bytes()[40:40 + 28]
        self.assertEqual(head[12:20], bytes(8))  # both addresses
        self.assertEqual(head[20:24], bytes(4))  # and both ports
        replayed, _ = self.run_to_end("--listen", f"pcap:{packets}?schema=riemann&framing=length32")
        self.assertEqual([line["value"] for line in replayed.output()], [7])
        self.assertTrue(letters.exists())


class Files(Unix):
    def test_only_the_owner_may_connect_by_default_and_the_file_is_removed_at_the_end(self):
        program = self.start("--listen", self.listener())
        self.assertTrue(self.path.is_socket())
        self.assertEqual(self.mode(), 0o600)
        self.assertEqual([each for each in os.listdir(self.folder) if "socket" in each], ["socket"])
        program.stop()
        self.assertFalse(os.path.lexists(self.path))

    def test_the_mode_is_as_it_was_given_whatever_the_umask(self):
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        program = self.start("--listen", self.listener("&mode=0662"))
        self.assertEqual(self.mode(), 0o662)
        program.stop()

    @unittest.skipUnless(ROOT, "only root may give its socket to another user")
    def test_the_owner_by_name_and_by_number(self):
        for owner, expected in (("nobody", NOBODY), ("1:nogroup", 1), ("12345:54321", 12345)):
            with self.subTest(owner=owner):
                program = self.start("--listen", self.listener(f"&owner={owner}"))
                self.assertEqual(self.path.stat().st_uid, expected)
                program.stop()
                self.assertFalse(self.path.exists())

    @unittest.skipUnless(ROOT, "only root may become another user")
    def test_without_an_owner_it_is_of_the_user_that_the_program_becomes(self):
        os.chmod(self.folder, 0o777)
        program = self.start("--listen", self.listener(), "--user", "nobody")
        self.assertEqual(self.path.stat().st_uid, NOBODY)
        self.exchange(self.client(program), 1)
        program.stop()
        self.assertFalse(self.path.exists())

    @unittest.skipUnless(ROOT, "only root may become another user")
    def test_a_file_that_cannot_be_removed_is_reported_and_taken_over(self):
        os.chmod(self.folder, 0o755)
        place = self.folder / "place"
        place.mkdir()
        self.path = place / "socket"
        program = self.start("--listen", self.listener(), "--user", "nobody")
        program.stop()
        program.wait_for_log("cannot remove the socket's file: Permission denied")
        self.assertTrue(self.path.is_socket())
        program = self.start("--listen", self.listener())
        self.exchange(self.client(program), 1)
        program.stop()

    def test_one_that_a_killed_program_left_is_taken_over(self):
        program = self.start("--listen", self.listener())
        program.process.kill()
        program.process.wait()
        self.assertTrue(self.path.is_socket())
        program = self.start("--listen", self.listener())
        self.exchange(self.client(program), 1)
        program.stop()
        self.assertFalse(self.path.exists())

    def test_one_that_a_program_listens_on_is_not(self):
        first = self.start("--listen", self.listener())
        said = self.refused("--listen", self.listener(), code=69)
        self.assertIn(f"cannot listen on unix:{self.path}: another program listens there", said)
        self.exchange(self.client(first), 1)
        first.stop()
        self.assertFalse(self.path.exists())

    def test_of_many_that_start_at_once_one_listens(self):
        self.left_over()
        programs = [self.launch("--listen", self.listener()) for _ in range(6)]
        codes = []
        for program in programs:
            program.stderr.wait_for(
                lambda lines: any(b"listening on" in line or b"error" in line for line in lines))
            codes.append(b"listening on" in b"".join(program.stderr.lines()))
        self.assertEqual(codes.count(True), 1)
        self.assertEqual([each for each in os.listdir(self.folder) if "socket" in each], ["socket"])
        for program, listens in zip(programs, codes):
            if listens:
                program.wait_for_listeners()
                self.exchange(self.client(program), 1)
                program.stop()
            else:
                program.finish(69)

    def test_a_path_that_is_not_a_socket_is_never_removed(self):
        target = self.folder / "target"
        self.left_over(target)
        for make in (lambda: self.path.write_text("kept", encoding="ascii"), self.path.mkdir,
                     lambda: self.path.symlink_to(target)):
            with self.subTest():
                make()
                before = os.lstat(self.path)
                said = self.refused("--listen", self.listener(), code=69)
                self.assertIn("a file is there, and it is not a socket", said)
                self.assertEqual(os.lstat(self.path).st_ino, before.st_ino)
                self.path.rmdir() if self.path.is_dir() else self.path.unlink()

    def test_a_file_that_was_replaced_is_not_removed(self):
        program = self.start("--listen", self.listener())
        self.path.unlink()
        self.left_over()
        program.stop()
        self.assertTrue(self.path.is_socket())


class Refusing(Unix):
    def check(self, listener, says, code=64):
        self.assertIn(says, self.refused("--listen", listener, "--check", code=code))

    def test_what_is_of_addresses(self):
        self.check(self.listener("&allow=127.0.0.1"),
                   "whose senders have no addresses; mode= and owner= say which users may connect")
        self.check(self.listener("&ipv6_only=true"), 'key "ipv6_only" is for')
        self.check(self.listener("&tls=on"), 'key "tls" is for')
        self.check("tcp://127.0.0.1:1?schema=riemann&mode=0660",
                   'key "mode" is for a file: sink, dead letters and a unix listener, not for a tcp '
                   'listener')

    def test_a_path_that_is_too_long(self):
        room = MOST - len(str(self.folder)) - 1
        longest = self.folder / ("x" * room)
        program = self.start("--listen", self.listener(path=longest))
        self.assertTrue(longest.is_socket())
        program.stop()
        self.check(self.listener(path=f"{longest}x"),
                   "the path is too long: that of a socket has at most 107 bytes")

    def test_modes_and_owners(self):
        for mode in ("0", "1777", "rw", "0688"):
            self.check(self.listener(f"&mode={mode}"), "is not an octal number from 1 to 0777")
        self.check(self.listener("&owner=no-such-user"), "there is no such user", code=78)
        self.check(self.listener("&owner=root:no-such-group"), "there is no such group", code=78)
        self.check(self.listener("&mode=0600", "@x"), "an abstract name has none")
        self.check(self.listener(path="@"), 'a name is missing after "@"')

    def test_places(self):
        self.check("unix:?schema=riemann", "the path is missing; write unix:PATH")
        self.check("unix:///run/x?schema=riemann", "write unix:/PATH")
        self.check(self.listener(path=self.folder / "missing" / "socket"),
                   f"create the folder: mkdir -p {self.folder}/missing", code=69)
        self.path.write_text("kept", encoding="ascii")
        self.check(self.listener(), "a file is there, and it is not a socket", code=69)
        self.assertIn("has this address already",
                      self.refused("--listen", self.listener(), "--listen", self.listener(),
                                   code=64))

    def test_a_check_makes_no_file(self):
        self.run_to_end("--listen", self.listener(), "--check")
        self.assertFalse(self.path.exists())


@unittest.skipUnless(READS_FILES, "this program was built without YAML")
class Reload(Unix):
    def setUp(self):
        super().setUp()
        self.file, self.kept = self.folder / "sluice.yaml", self.folder / "kept"
        self.other = self.folder / "other"

    def write(self, *listeners):
        self.file.write_text("\n".join(["listeners:", *[f"  - {each}" for each in listeners],
                                        "sinks:", f"  - file:{self.kept}", ""]), encoding="ascii")

    def begin(self, *listeners):
        self.write(*listeners)
        return self.start("--config", self.file, listeners=len(listeners))

    def change(self, program, *listeners, says=CHANGED):
        self.write(*listeners)
        before = len([line for line in program.said() if says in line])
        program.ask_to_reload()
        program.wait_for_log(says, before + 1)

    def test_one_that_stays_keeps_its_socket_and_its_connections(self):
        program = self.begin(self.listener())
        client = self.client(program)
        self.exchange(client, 1)
        before = self.path.stat().st_ino
        self.change(program, self.listener("&mode=0666&idle_timeout=1h"), self.listener(
            path=self.other))
        self.assertEqual((self.path.stat().st_ino, self.mode()), (before, 0o666))
        self.exchange(client, 2)
        self.assertTrue(self.other.is_socket())
        self.change(program, self.listener())
        program.wait_for_ledger(lambda ledger: not self.other.exists(), "its file is removed")
        self.assertEqual(self.mode(), 0o600)
        self.exchange(client, 3)
        ledger = program.stop()
        self.assertEqual(ledger["listeners"][0]["received"], 3)
        self.assertEqual([line["value"] for line in read_lines(self.kept)], [1, 2, 3])

    def test_a_reload_that_is_refused_leaves_all_as_it_was(self):
        program = self.begin(self.listener())
        self.other.write_text("kept", encoding="ascii")
        third = self.folder / "third"
        self.change(program, self.listener("&mode=0666"), self.listener(path=third),
                    self.listener(path=self.other), says=REFUSED)
        self.assertFalse(third.exists())
        self.assertEqual(self.mode(), 0o600)
        self.exchange(self.client(program), 1)
        program.stop()

    def test_a_file_that_is_gone_refuses_another_mode(self):
        program = self.begin(self.listener())
        self.path.unlink()
        self.change(program, self.listener("&idle_timeout=1h"))
        self.change(program, self.listener("&mode=0666"), says=REFUSED)
        program.wait_for_log("cannot change its mode or owner: the socket's file was removed or "
                             "replaced")
        program.stop()


if __name__ == "__main__":
    if ONE_THREAD:
        skip(NO_TCP_LISTENER)
    unittest.main()
