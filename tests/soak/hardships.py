"""Disturbances of the running collector. Each has ended when its function returns."""
import os
import signal
import socket
import subprocess
import time

import life as lives

LISTENER = f'  - {{{{address: "udp://127.0.0.1:{lives.OPTIONAL}", schema: riemann}}}}\n'
SINK = '  - {{to: "file:{folder}/out/more.csv", format: csv, rotate_interval: 1s, keep: 2}}\n'


def sink_text(life):
    return SINK.format(folder=life.folder).replace("{{", "{").replace("}}", "}")


def nobody_reads_stdout(life, random):
    life.reader.go_on.clear()
    time.sleep(random.uniform(0.2, 4))
    life.reader.go_on.set()


def command_stands_still(life, random):
    children = life.children()
    for child in children:
        os.kill(child, signal.SIGSTOP)
    time.sleep(random.uniform(0.2, 4))
    for child in children:
        try:
            os.kill(child, signal.SIGCONT)
        except ProcessLookupError:
            pass  # given up, and ended


def command_is_killed(life, random):
    for child in life.children():
        os.kill(child, signal.SIGKILL)


def stands_still(life, random):
    os.kill(life.pid, signal.SIGSTOP)
    time.sleep(random.uniform(0.1, 2))
    os.kill(life.pid, signal.SIGCONT)


def clock_steps(life, random):
    life.clock.step(random.choice((-86400, -3600, -10, -0.5, 0, 0.5, 10, 3600, 86400, 400 * 86400)))


def disk_is_full(life, random):
    ballast = life.folder / "small/ballast"
    try:
        with ballast.open("wb") as file:
            while file.write(bytes(4096)):
                file.flush()
    except OSError:
        pass  # the disk is full, as intended
    time.sleep(random.uniform(0.2, 3))
    ballast.unlink()


def descriptors_run_out(life, random):
    life.limit_descriptors(random.choice((0, 1, 3)))
    clients = []
    for _ in range(8):
        try:
            clients.append(socket.create_connection(("127.0.0.1", lives.STREAM), timeout=1))
        except OSError:
            break
    if random.random() < 0.3:
        life.reload(sink=sink_text(life))
    time.sleep(random.uniform(0.2, 2))
    for client in clients:
        client.close()
    life.limit_descriptors(None)


def interface_goes(life, random):
    remove_interface()
    time.sleep(random.uniform(0.1, 2))
    add_interface()


def server_goes(life, random):
    life.store.close()
    time.sleep(random.uniform(0.2, 4))
    stored = life.store.lines_stored
    life.store = lives.CountingStore()
    life.store.lines_stored = stored


def server_answers_badly(life, random):
    life.store.otherwise = random.choice((500, 503, (429, {"Retry-After": "1"}), 400, 413, "close",
                                          "close early", b"HTTP/1.1 2\r\n", b"\xff" * 100))
    time.sleep(random.uniform(0.2, 3))
    life.store.otherwise = 204


def another_configuration(life, random):
    life.reload(listener=random.choice(("", LISTENER.replace("{{", "{").replace("}}", "}"))),
                sink=random.choice(("", sink_text(life))))  # fmt: skip


def no_configuration(life, random):
    life.reload(broken=True)


def many_reloads(life, random):
    for _ in range(20):
        another_configuration(life, random)
        time.sleep(random.uniform(0, 0.05))


def files_are_reopened(life, random):
    life.program.ask_to_reload()


def relay_goes(life, random):
    life.relay.close()
    time.sleep(random.uniform(0.1, 1))
    life.relay = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    life.relay.bind(("127.0.0.1", lives.RELAY))


ALL = [nobody_reads_stdout, command_stands_still, command_is_killed, stands_still, clock_steps,
       disk_is_full, descriptors_run_out, interface_goes, server_goes, server_answers_badly,
       another_configuration, no_configuration, many_reloads, files_are_reopened, relay_goes]  # fmt: skip


def add_interface():
    """Two ends of a virtual cable, one of which is in this namespace."""
    far = f"{lives.INTERFACE}-far"
    for words in (f"link add {lives.INTERFACE} type veth peer name {far}",
                  f"address add 192.0.2.1/24 dev {lives.INTERFACE}",
                  f"link set {lives.INTERFACE} up", f"link set {far} up"):  # fmt: skip
        subprocess.run(["ip", *words.split()], check=True)


def remove_interface():
    subprocess.run(["ip", "link", "del", lives.INTERFACE], check=True)
