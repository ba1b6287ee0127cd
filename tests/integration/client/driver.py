"""Lets a test call the Python client, with the commands of driver.c."""
import json
import os
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "client"))
sys.dont_write_bytecode = True

from sluice_client import Client  # noqa: E402
from sluice_seal import Sealer  # noqa: E402


def labels_of(words):
    return dict(word.split(":", 1) for word in words)


def unit_of(word):
    return None if word == "-" else word


class Driver:
    def __init__(self):
        self.client = None
        self.sealer = None
        self.metrics = []

    def answered(self, call, *arguments, **more):
        """Returns "ok", or the name that the C library has for this error."""
        try:
            self.client = call(*arguments, **more) or self.client
        except ValueError as error:
            return "EBUSY" if "another client" in str(error) else "EINVAL"
        except socket.gaierror:
            return "EADDRNOTAVAIL"
        except OSError as error:
            return str(error)
        return "ok"

    def seal(self, keys, name, mode):
        try:
            self.sealer = Sealer.open(keys, unit_of(name), mode)
        except PermissionError as error:
            print(error, file=sys.stderr)
            return "EACCES"
        except ValueError as error:
            print(error, file=sys.stderr)
            return "EINVAL"
        return "ok"

    def open(self, to, sender, *words):
        settings = {} if self.sealer is None else {"sealer": self.sealer}
        while words and words[0].startswith(("memory=", "datagram=")):
            name, _, value = words[0].partition("=")
            settings[name] = int(value)
            words = words[1:]
        if "memory" in settings:  # about as many metrics as fit in the memory: a few hundred bytes each
            settings["metrics"] = settings.pop("memory") // 128
        return self.answered(Client, to, sender, labels=labels_of(words), **settings)

    def keep(self, metric):
        if not metric.registered:
            return "none"
        self.metrics.append(metric)
        return str(len(self.metrics) - 1)

    def counter(self, name, unit, *words):
        return self.keep(self.client.counter(name, unit_of(unit), labels_of(words)))

    def gauge(self, name, unit, *words):
        return self.keep(self.client.gauge(name, unit_of(unit), labels_of(words)))

    def histogram(self, name, unit, bounds, *words):
        return self.keep(self.client.histogram(name, map(float, bounds.split(",")), unit_of(unit),
                                               labels_of(words)))

    def add(self, number, value):
        self.metrics[int(number)].add(int(value))
        return "ok"

    def set(self, number, value):
        self.metrics[int(number)].set(float(value))
        return "ok"

    def record(self, number, value):
        self.metrics[int(number)].record(float(value))
        return "ok"

    def flush(self):
        return self.client.flush()

    def flush_every(self, milliseconds):
        return self.client.flush_every(int(milliseconds) / 1000)

    def run_rounds(self, begin, rounds, metrics):
        counter, gauge, histogram = metrics
        begin.wait()
        for i in range(rounds):
            counter.add(i % 7)
            gauge.set(i)
            histogram.record(i % 100)
            if i % 64 == 0:
                self.client.flush_every(0.002)

    def threads(self, count, rounds, *numbers):
        metrics = [self.metrics[int(number)] for number in numbers]
        begin = threading.Barrier(int(count))
        threads = [threading.Thread(target=self.run_rounds, args=(begin, int(rounds), metrics))
                   for _ in range(int(count))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "ok"

    def run_paced(self, start, end, rate, metrics, done):
        counter, gauge, histogram = metrics
        updates = added = recorded = 0
        while (now := time.monotonic()) < end:
            for number in range(updates, int((now - start) * rate)):
                if number % 3 == 0:
                    counter.add(number % 7)
                    added += number % 7
                elif number % 3 == 1:
                    gauge.set(number)
                else:
                    histogram.record(number % 100)
                    recorded += 1
                updates += 1
            self.client.flush_every(0.1)
            time.sleep(0.001)
        done.append((updates, added, recorded))

    def pace(self, count, rate, milliseconds, *numbers):
        metrics = [self.metrics[int(number)] for number in numbers]
        start, done = time.monotonic(), []
        end = start + int(milliseconds) / 1000
        threads = [threading.Thread(target=self.run_paced,
                                    args=(start, end, int(rate) / int(count), metrics, done))
                   for _ in range(int(count))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return json.dumps(dict(zip(("updates", "added", "recorded"), map(sum, zip(*done)))))

    def fork(self):
        child = os.fork()
        if child == 0:
            return "ok"
        if os.waitpid(child, 0)[1] != 0:
            raise AssertionError("the child failed")
        return None

    def renew(self, sender):
        return self.answered(self.client.renew, unit_of(sender))

    def close(self):
        self.client.close()
        return "ok"

    def counts(self):
        return json.dumps(self.client.counts())


def read_line():
    """Reads a line without a buffer, so that a forked child has not read its parent's commands."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return "exit"
        line += byte
    return line.decode()


def main():
    driver = Driver()
    while (words := read_line().split()) != ["exit"]:
        answer = getattr(driver, words[0])(*words[1:])
        if answer is not None:
            os.write(1, answer.encode() + b"\n")
    if driver.client is not None:
        driver.client.close()
    if driver.sealer is not None:
        driver.sealer.close()


main()
