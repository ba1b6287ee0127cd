"""The collector under bad conditions for hours: soak.py [--minutes N] [--seed N] [--keep
FOLDER].

The collector is started again and again in one folder. Each run (a life) has traffic, and hardships
that the seed chooses, one after the other or some together. During a life its ledger must balance
each second, and its memory and descriptors must not grow. A life ends by SIGTERM or SIGKILL; the
files must then be complete, and after SIGTERM contain what the ledger says. If a condition does not
hold, the script exits with 1 and prints the seed; FOLDER/events has the events until then.
"""
import argparse
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from built import skip

LIFE = (30, 60, 240)  # seconds
WARM = 10  # seconds after which memory must not grow by more than GROWTH
GROWTH = 48 * 1024  # KiB: other batches of the budget than before come into use
MOST = 400 * 1024  # KiB in total: the budget, and other memory


def enter():
    """Restarts the script with its own network and mounts."""
    if os.environ.get("SOAK_NAMESPACE") == "1":
        return
    for words in (["unshare", "-n", "-m"], ["unshare", "-r", "-n", "-m"]):
        probe = [*words, "sh", "-c", "ip link add soak0 type veth && mount -t tmpfs none /mnt"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            os.environ["SOAK_NAMESPACE"] = "1"
            os.execvp(words[0], [*words, sys.executable, __file__, *sys.argv[1:]])
    skip("no namespace can be had here")


class Pulse(threading.Thread):
    """Notices when this script itself was stopped: then the awaited event may still come."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stood_still = -math.inf  # until when
        self.start()

    def run(self):
        last = time.monotonic()
        while True:
            time.sleep(0.1)
            now = time.monotonic()
            if now - last > 10:
                self.stood_still = now
            last = now

    def patiently(self, look):
        """A failed check is repeated if the script was stopped during it."""
        begun = time.monotonic()
        try:
            return look()
        except AssertionError:
            time.sleep(0.5)
            if self.stood_still < begun:
                raise
            return look()


class Soak:
    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.folder = folder
        self.begun = time.monotonic()
        self.pulse = Pulse()
        self.events = (folder / "events").open("w", encoding="utf-8", buffering=1)
        self.count = {"lives": 0, "kills": 0, "snapshots": 0, "hardships": 0}
        self.received = self.most_memory = 0

    def note(self, text):
        self.events.write(f"{time.monotonic() - self.begun:10.3f} {text}\n")

    def run(self, seconds):
        end = self.begun + seconds
        while (left := end - time.monotonic()) > 5:
            kill = self.random.random() < 0.3
            length = min(self.random.choice(LIFE), left)
            self.note(f"life {self.count['lives'] + 1}: {length:.0f} s, then {'SIGKILL' if kill else 'SIGTERM'}")
            self.live(length, kill)
            self.count["lives"] += 1
            self.count["kills"] += kill

    def live(self, seconds, kill):
        life = lives.Life(self.folder, self.note)
        senders = traffic.Senders(random.Random(self.random.random()), life)
        client = traffic.Client(random.Random(self.random.random()), life)
        trouble = Trouble(random.Random(self.random.random()), life, self)
        try:
            base = life.descriptors()
            client.start()
            trouble.start()
            self.watch(life, senders, trouble, time.monotonic() + seconds)
            trouble.end()
            client.end()
            senders.end()
            if kill:
                life.kill()
            else:
                self.end_well(life, base)
        finally:
            client.done.set()
            trouble.done.set()
            life.clean()

    def watch(self, life, senders, trouble, end):
        """Until the end of the life: a ledger each second, and the memory that the program
        takes."""
        warm, begun = 0, time.monotonic()
        while time.monotonic() < end:
            senders.keep_going()
            if trouble.failed:
                raise trouble.failed
            ledger, memory, descriptors = self.pulse.patiently(life.snapshot)
            self.count["snapshots"] += 1
            self.most_memory = max(self.most_memory, memory)
            self.note(f"received {sum(l['received'] for l in ledger['listeners'])}, "
                      f"{memory // 1024} MiB, {descriptors} descriptors")  # fmt: skip
            if time.monotonic() - begun < WARM:
                warm = max(warm, memory)
            life.expect(memory <= MOST, f"it takes {memory} KiB of memory")
            life.expect(not warm or memory <= warm + GROWTH or memory <= MOST // 2,
                        f"its memory grew from {warm} KiB to {memory} KiB")
            time.sleep(0.5)

    def end_well(self, life, base):
        self.pulse.patiently(life.calm)
        allowed = {"socket:": 4, f"{self.folder}/spill/": 2}  # connections that are kept
        sluice_program.wait_until(lambda: not self.too_many(life, base, allowed),
                                  "its descriptors are as many as at its start: "
                                  f"{self.too_many(life, base, allowed)}")
        ledger = life.stop()
        self.received += sum(listener["received"] for listener in ledger["listeners"])
        self.note(f"ended well, {self.received} received in all")

    def too_many(self, life, base, allowed):
        now = life.descriptors()
        return {kind: (base.get(kind, 0), n) for kind, n in now.items()
                if n > base.get(kind, 0) + allowed.get(kind, 0)}  # fmt: skip


class Trouble(threading.Thread):
    """Causes one hardship after the other, and sometimes two at a time."""

    def __init__(self, chance, life, soak):
        super().__init__(daemon=True)
        self.random, self.life, self.soak = chance, life, soak
        self.done = threading.Event()
        self.failed = None

    def run(self):
        while not self.done.wait(self.random.uniform(0, 1.5)):
            both = [self.start_one(one) for one in
                    self.random.sample(hardships.ALL, self.random.choice((1, 1, 2)))]  # fmt: skip
            for one in both:
                one.join()

    def start_one(self, hardship):
        chance = random.Random(self.random.random())
        thread = threading.Thread(target=self.do, args=(hardship, chance), daemon=True)
        thread.start()
        return thread

    def do(self, hardship, chance):
        self.soak.note(hardship.__name__.replace("_", " "))
        self.soak.count["hardships"] += 1
        try:
            hardship(self.life, chance)
        except BaseException as error:  # set by the watching thread
            if not self.done.is_set():
                self.failed = error

    def end(self):
        self.done.set()
        self.join(60)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder that stays, for what is written")
    options = parser.parse_args()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    hardships.add_interface()
    with tempfile.TemporaryDirectory(prefix="sluice-soak-") as name:
        folder = options.keep or pathlib.Path(name)
        (folder / "small").mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={lives.SMALL_DISK}", "none",
                        folder / "small"], check=True)  # fmt: skip
        soak = Soak(options.seed, folder)
        try:
            soak.run(60 * options.minutes)
        except BaseException as error:
            soak.note("".join(traceback.format_exception(error)))
            kept = pathlib.Path(tempfile.gettempdir()) / f"sluice-soak-{options.seed}.events"
            kept.write_text((folder / "events").read_text())
            print("\n".join(str(error).splitlines()[-40:]))
            print(f"tools/soak: seed {options.seed} does not hold: {str(error).splitlines()[0]}")
            print(f"tools/soak: what happened is in {kept}")
            sys.stdout.flush()
            os._exit(1)
        finally:
            subprocess.run(["umount", "-l", folder / "small"], check=False)
        print(f"tools/soak: seed {options.seed}, {options.minutes:.0f} minutes: "
              + ", ".join(f"{n} {what}" for what, n in soak.count.items())
              + f", {soak.received} received, at most {soak.most_memory // 1024} MiB; all held")  # fmt: skip


if __name__ == "__main__":
    enter()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration/program"))
    import hardships
    import life as lives
    import sluice_program
    import traffic

    main()
