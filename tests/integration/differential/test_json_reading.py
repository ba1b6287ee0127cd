"""Compares how sluice-send and Google's Python runtime read JSON, for random schemas and messages.
Google's runtime writes each message as JSON; both must read the same message from it.

    test_json_reading.py [--messages N] [--seed S] [--schema I]

JSON_SERVER is our program. MESSAGES is the default of --messages."""
import argparse
import collections
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile

from built import command, skip

try:
    import messages
    import oracle
    import test_differential as differential
    from google.protobuf import json_format
except ImportError as missing:
    skip(f"needs python3-protobuf: {missing}")

PER_SCHEMA = 300
FAILURES_SHOWN = 5
READ, REFUSED = 0, 1


class Server:
    def __init__(self, schema, folder):
        path = os.path.join(folder, "set.desc")
        with open(path, "wb") as out:
            for file in schema.files():
                out.write(b"\x0a" + messages.prefixed(file.SerializeToString()))
        self.process = subprocess.Popen(command(os.environ["JSON_SERVER"], path, schema.root),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, text):
        """The result, and the message's bytes or the reason of a refusal."""
        data = text.encode()
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()
        head = self.process.stdout.read(5)
        if len(head) != 5:
            raise differential.Failure("json_server is gone")
        return head[0], self.process.stdout.read(struct.unpack("<I", head[1:])[0])

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait(timeout=60) != 0:
            raise differential.Failure("json_server did not end well")


def read_by_google(schema_oracle, value):
    """Reads Google's JSON with Google's own reader. None if it refuses that."""
    message = schema_oracle.message_class()
    try:
        json_format.ParseDict(value, message, descriptor_pool=schema_oracle.pool)
    except json_format.ParseError:
        return None
    return message if message.IsInitialized() else None


def check(schema_oracle, server, value, counts):
    text = json.dumps(value)
    theirs = read_by_google(schema_oracle, json.loads(text))
    verdict, made = server.read(text)
    if theirs is None:
        counts["not read by Google's"] += 1
        return
    if verdict != READ:
        raise differential.Failure(f"{made.decode()}\n--- JSON: {text}")
    ours = schema_oracle.parse(made)
    # In the bytes of an Any, the entries of a map may have any order.
    if differential.meaning(ours) != differential.meaning(theirs) and (
            ours is None or schema_oracle.json(ours, False) != schema_oracle.json(theirs, False)):
        raise differential.Failure(f"it is another message\n--- JSON: {text}\n--- ours:\n{ours}\n"
                                   f"--- theirs:\n{theirs}")
    counts["the same"] += 1


def compare(seed, index, counts):
    """Compares both readers with messages of one schema. Returns the failures."""
    schema, schema_oracle, pairs = differential.stream(seed, index)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(schema, folder)
        for number, (_, data) in itertools.islice(enumerate(pairs), PER_SCHEMA):
            message = schema_oracle.parse(data)
            if message is None or schema_oracle.sealed or schema_oracle.has_closed_map(data) or \
                    schema_oracle.depth(message) > differential.LEVELS - 8:
                continue
            try:
                check(schema_oracle, server, schema_oracle.json(message, number % 2 == 0), counts)
            except (oracle.NotText, oracle.NoForm):
                counts["no JSON form"] += 1
            except differential.Failure as reason:
                failures.append(f"FAILED: --seed {seed} --schema {index}, message {number}: "
                                f"{reason}")
        server.close()
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=int(os.environ.get("MESSAGES", "9000")))
    parser.add_argument("--seed", type=int, default=differential.SEED)
    parser.add_argument("--schema", type=int)
    args = parser.parse_args()
    counts, failures = collections.Counter(), []
    indices = [args.schema] if args.schema is not None else range(-(-args.messages // PER_SCHEMA))
    with differential.quiet():
        for index in indices:
            failures += compare(args.seed, index, counts)
    for failure in failures[:FAILURES_SHOWN]:
        print(failure)
    print(f"seed {args.seed}: {dict(counts)}; {len(failures)} failed")
    return 1 if failures or not counts["the same"] else 0


if __name__ == "__main__":
    sys.exit(main())
