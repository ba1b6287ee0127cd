"""Compares our decoder, encoder and JSON mapping with Google's Python runtime and protoc for random
schemas and random messages.

    test_differential.py [--messages N] [--seed S] [--first I] [--schema I [--message J]]

DECODE_SERVER is our program, PROTOC the compiler. MESSAGES is the default of --messages,
FIRST_SCHEMA that of --first, the first schema. A seed always makes the same schemas and messages. A
failure prints their numbers, so that they can be run separately. EXCEPTIONS in oracle.py lists the
results that are not compared directly."""
import argparse
import collections
import concurrent.futures
import contextlib
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import time

from built import command, skip

try:
    from google.protobuf.internal import api_implementation
    if api_implementation.Type() != "cpp":
        raise ImportError("google.protobuf is not the one that parses in C++")
    import compiler
    import messages
    import oracle
    import schemas
except ImportError as missing:
    skip(f"needs python3-protobuf: {missing}")

sys.setrecursionlimit(10000)

SEED = 20261121
PER_SCHEMA = 1700  # messages
BATCH = 200  # messages in one request
LEVELS = 100  # maximum nesting of messages
PROTOC_SHOWN = 40  # messages of each schema that protoc checks
REFUSED_SHOWN = 3  # refused messages that protoc checks, in one process each
FAILURES_SHOWN = 5

PROTO_NAMES, SHOW_UNKNOWN = 1, 2  # style bits of a request
STYLES = (0, 0, PROTO_NAMES, 0, SHOW_UNKNOWN)  # used in this order
OK, TOO_DEEP, TOO_LARGE, MALFORMED = range(4)
VERDICTS = ("ok", "too_deep", "too_large", "malformed")


class Failure(Exception):
    """Two implementations disagree."""


class Server:
    """Our side: the program that decodes on request."""

    def __init__(self, stderr):
        self.process = subprocess.Popen(command(os.environ["DECODE_SERVER"]), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=stderr)

    def close(self):
        """Returns whether the program ended without an error."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60) == 0

    def ask(self, letter, body):
        self.process.stdin.write(letter + struct.pack("<I", len(body)) + body)
        self.process.stdin.flush()
        head = self.process.stdout.read(5)
        if len(head) != 5:
            raise Failure("decode_server is gone")
        return head[:1], self.process.stdout.read(struct.unpack("<I", head[1:])[0])

    def use(self, schema):
        descriptor_set = b"".join(b"\x0a" + messages.prefixed(file.SerializeToString())
                                  for file in schema.files())
        letter, answer = self.ask(b"T", schema.root.encode() + b"\0" + descriptor_set)
        if letter != b"T":
            raise Failure(f"the schema is refused: {answer.decode()}")

    def decode(self, batch):
        """Sends pairs of style and bytes. Yields the result for each and, if it is OK, the number
        of values without a JSON form and of unknown fields, the JSON, and the bytes encoded again.
        """
        _, answer = self.ask(b"M", b"".join(struct.pack("<BI", style, len(data)) + data
                                            for style, data in batch))
        at = 0
        for _ in batch:
            verdict = answer[at]
            at += 1
            if verdict != OK:
                yield verdict, None
                continue
            fallbacks, unknown, json_size, size = struct.unpack_from("<IIII", answer, at)
            at += 16
            text = answer[at:at + json_size]
            at += json_size
            yield verdict, (fallbacks, unknown, text, answer[at:at + size])
            at += size


# --- comparing with Python ----------------------------------------------------------------------

def same(ours, theirs):
    """Returns true if two JSON values are the same, including types. 1 and 1.0 are the same
    number."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and \
            all(same(ours[key], value) for key, value in theirs.items())
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, (bool, str)) or theirs is None:
        return type(ours) is type(theirs) and ours == theirs
    if isinstance(ours, bool) or not isinstance(ours, (int, float)):
        return False
    return theirs == (float(ours) if isinstance(theirs, float) else ours)


def without_unknown(value):
    """A JSON value without the members for unknown fields."""
    if isinstance(value, dict):
        return {key: without_unknown(part) for key, part in value.items() if key != "@unknown"}
    return [without_unknown(part) for part in value] if isinstance(value, list) else value


def meaning(message):
    """Bytes that are equal for messages that mean the same."""
    return None if message is None else message.SerializeToString(deterministic=True)


class Comparison:
    """Compares the implementations with one schema."""

    def __init__(self, schema_oracle):
        self.oracle = schema_oracle
        self.counts = collections.Counter(dict.fromkeys((*VERDICTS, "as JSON", "no JSON form"), 0))

    def check(self, style, data, verdict, made):
        """Raises Failure if the implementations do not agree on the message."""
        message = self.oracle.parse(data)
        self.counts[VERDICTS[verdict]] += 1
        if self.oracle.sealed:
            return
        if message is not None and verdict == MALFORMED and self.oracle.has_item_0(data):
            self.oracle.apply("item 0")
            return
        if (message is not None) != (verdict == OK):
            raise Failure(f"we say {VERDICTS[verdict]}, Python "
                          f"{'accepts' if message is not None else 'refuses'} it")
        if message is None:
            return
        fallbacks, unknown, text, again = made
        try:
            self.check_bytes(message, data, again)
            if unknown == 0 and len(again) != len(meaning(message)):
                raise Failure(f"what we encoded is not as long as what Python encodes: "
                              f"{again.hex()}\n--- theirs: {meaning(message).hex()}")
            self.check_json(message, style, fallbacks, text)
        except Failure:
            if not self.oracle.has_closed_map(data):
                raise
            self.oracle.apply("closed in map")

    def check_bytes(self, message, data, again):
        parsed = self.oracle.parse(again)
        if meaning(parsed) == meaning(message):
            return
        if meaning(parsed) == meaning(self.oracle.parse_again(message)):
            self.oracle.apply("deepest" if parsed is None else "wide enum")
            return
        if parsed is None and self.oracle.depth(message) > LEVELS - 8 and \
                (self.oracle.has_unknown_in_set(data) or self.oracle.has_unknown_in_map(data)):
            self.oracle.apply("deepest")  # because of fields that Python's JSON omits
            return
        if parsed is None:
            raise Failure(f"Python refuses what we encoded: {again.hex()}")
        raise Failure(f"what we encoded means something else: {again.hex()}\n"
                      f"--- ours:\n{parsed}\n--- theirs:\n{message}")

    def check_json(self, message, style, fallbacks, text):
        try:
            ours = json.loads(text)
        except ValueError as error:
            raise Failure(f"no JSON: {error}: {text}") from None
        if style & SHOW_UNKNOWN:
            ours = without_unknown(ours)
        try:
            theirs = self.oracle.json(message, bool(style & PROTO_NAMES))
        except oracle.NotText:
            return
        except oracle.NoForm as reason:
            self.counts["no JSON form"] += 1
            if fallbacks != 0:
                return
            raise Failure(f"Python has no JSON form: {reason.__cause__!r} {reason}\n"
                          f"--- ours: {ours}") from None
        # Not exactly LEVELS, because earlier content of a oneof, which is not visible any more,
        # also used levels.
        if fallbacks != 0 and self.oracle.depth(message) > LEVELS - 8:
            self.oracle.apply("Any depth")
            return
        if fallbacks != 0:
            raise Failure(f"{fallbacks} values have no JSON form: {ours}\n--- theirs: {theirs}")
        if not same(ours, theirs):
            raise Failure(f"JSON differs\n--- ours: {ours}\n--- theirs: {theirs}")
        self.counts["as JSON"] += 1


# --- comparing with protoc ----------------------------------------------------------------------

def check_with_protoc(schema, schema_oracle, server, sample):
    """Compares messages that both accept with protoc. Returns their number."""
    refused = [data for data in sample if schema_oracle.parse(data) is None and
               not schema_oracle.lacks_required][:REFUSED_SHOWN]
    accepted = [data for data in sample if schema_oracle.suits_protoc(data)]
    answers = [made for _, made in server.decode([(0, data) for data in accepted])]
    for data, made in zip(accepted, answers):
        if made is None:
            raise Failure(f"we refuse a message that Python accepts: {data.hex()}")
    theirs = [meaning(schema_oracle.parse(data)) for data in accepted]
    with compiler.Compiler(schema) as protoc:
        for data in refused:
            if protoc.text([data]) is not None:
                raise Failure(f"protoc accepts a message: {data.hex()}")
        if protoc.text(accepted) is None:
            raise Failure("protoc refuses one of the messages that were accepted")
        if protoc.text([again for *_, again in answers]) != protoc.text(theirs):
            raise Failure("protoc reads something else from what we encoded than from what Python "
                          "encoded")
        check_encoded_by_protoc(protoc, server, answers)
    return len(refused) + len(accepted)


def check_encoded_by_protoc(protoc, server, answers):
    """Asserts that protoc's encoding of messages is read as the same messages. Only for messages
    without unknown fields, which protoc cannot encode from text. (An Any may contain some.)"""
    plain = [made for made in answers if made[1] == 0 and b'"@type"' not in made[2]]
    encoded = protoc.encode(protoc.text([again for *_, again in plain]))
    if encoded is None or len(encoded) != len(plain):
        raise Failure("protoc does not encode its own text")
    for (fallbacks, _, text, _), (verdict, made) in zip(
            plain, server.decode([(0, data) for data in encoded])):
        if verdict != OK or made[0] != fallbacks or json.loads(made[2]) != json.loads(text):
            raise Failure(f"we read something else from what protoc encoded: {text.decode()}")


# --- schema by schema ---------------------------------------------------------------------------

@contextlib.contextmanager
def quiet():
    """Suppresses standard error, where Google's runtime reports every string that is not UTF-8.
    Yields the original one for other messages."""
    stderr = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield stderr
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def stream(seed, index):
    """The schema with this index, its oracle, and an endless series of its messages, each with a
    style."""
    rng = random.Random(f"{seed}/{index}")
    schema = schemas.random_schema(rng, proto3=index % 2 == 1)
    schema_oracle = oracle.Oracle(schema)
    names = [name for name, _ in schema.messages] + list(schemas.WELL_KNOWN)
    made = messages.random_messages(rng, schema_oracle.pool, schema_oracle.root, names)
    return schema, schema_oracle, zip(itertools.cycle(STYLES), made)


def explain(seed, index, number, schema, data, reason):
    return (f"FAILED: --seed {seed} --schema {index}{number}: {reason}\n"
            f"--- root {schema.root}{', message: ' + data.hex() if data is not None else ''}\n"
            f"--- schema:\n{schema.file}")


def compare(seed, index, first, count, server):
    """Compares `count` messages of a schema from `first` on. Returns counts, the uses of each
    exception, and failures."""
    schema, schema_oracle, pairs = stream(seed, index)
    comparison = Comparison(schema_oracle)
    failures = []
    try:
        server.use(schema)
    except Failure as reason:
        failures.append(explain(seed, index, "", schema, None, reason))
        return comparison.counts, schema_oracle.applied, failures
    numbered = itertools.islice(enumerate(pairs), first, first + count)
    while batch := list(itertools.islice(numbered, BATCH)):
        answers = server.decode([pair for _, pair in batch])
        for (number, (style, data)), answer in zip(batch, answers):
            try:
                comparison.check(style, data, *answer)
            except Failure as reason:
                failures.append(explain(seed, index, f" --message {number}", schema, data, reason))
    if count > 1:
        try:
            sample = [data for _, data in itertools.islice(pairs, PROTOC_SHOWN)]
            comparison.counts["by protoc"] = check_with_protoc(schema, schema_oracle, server, sample)
        except Failure as reason:
            failures.append(explain(seed, index, "", schema, None, reason))
    return comparison.counts, schema_oracle.applied, failures


def run_schema(seed, index, first=0, count=PER_SCHEMA):
    with quiet() as stderr:
        server = Server(stderr)
        name = f"FAILED: --seed {seed} --schema {index}"
        try:
            result = compare(seed, index, first, count, server)
        except (Failure, BrokenPipeError) as reason:
            result = {}, {}, [f"{name}: {reason}"]
        if not server.close():
            result[2].append(f"{name}: decode_server did not end well")
    return result


def run(args):
    if args.message is not None:
        return [run_schema(args.seed, args.schema, args.message, 1)]
    if args.schema is not None:
        return [run_schema(args.seed, args.schema)]
    schema_count = max(2, -(-args.messages // PER_SCHEMA))
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(run_schema, itertools.repeat(args.seed),
                             range(args.first, args.first + schema_count)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=int(os.environ.get("MESSAGES", "102000")))
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=int(os.environ.get("FIRST_SCHEMA", "0")))
    parser.add_argument("--schema", type=int)
    parser.add_argument("--message", type=int)
    args = parser.parse_args()
    begin = time.monotonic()
    counts, applied, failures = collections.Counter(), collections.Counter(), []
    for one in run(args):
        counts += one[0]
        applied += one[1]
        failures += one[2]
    for failure in failures[:FAILURES_SHOWN]:
        print(failure)
    total = sum(counts[verdict] for verdict in VERDICTS)
    print(f"seed {args.seed}: {total} messages in {time.monotonic() - begin:.1f} s; {dict(counts)}; "
          f"exceptions {dict(applied)}; {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
