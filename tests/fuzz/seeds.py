"""First inputs of a target that has none: python3 seeds.py TARGET FOLDER.

They are made from the captures and schemas of the tests. Inputs found later by a fuzzer are in
corpora/.
"""

import base64
import gzip
import re
import struct
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
SCHEMAS = ["telemetry", "riemann", "otlp", "otlp_logs", "otlp_traces"]


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def part(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def frames(path):
    """The frames of a little-endian pcap file."""
    data = path.read_bytes()
    at = 24
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        yield data[at + 16 : at + 16 + size]
        at += 16 + size


def payloads(name):
    """UDP payloads of frames over Ethernet that are no fragments."""
    for frame in frames(TESTS / "captures" / f"{name}.pcap"):
        packet = frame[14:] if frame[12:14] == b"\x08\x00" else frame
        if packet[:1] != b"\x45" or packet[9] != 17 or packet[6] & 0x3F or packet[7]:
            continue
        yield packet[28 : 20 + struct.unpack_from(">H", packet, 24)[0]]


def few(items, count):
    items = sorted(set(items), key=lambda item: (len(item), item))
    return items[:: max(1, len(items) // count)][:count]


def telemetry():
    label = part(1, "host") + part(2, "web1")
    histogram = number(1, 5) + double(2, 0.61) + double(3, 0.04)
    for value in (double(3, 42.5), number(4, 7), number(5, 2**64 - 1), part(6, histogram)):
        yield part(6, part(1, "a.b") + number(2, 1) + value + part(10, label))


def datagrams():
    yield "telemetry", few(telemetry(), 4)
    for name in ("riemann_cli_v4", "riemann_lib_odd_v4", "syslogng_riemann_batch10"):
        yield "riemann", few(payloads(name), 12)
    for name in ("otlp_metrics_v4", "otlp_sizes_v4"):
        yield "otlp", few(payloads(name), 8)
    yield "otlp_logs", few(payloads("otlp_logs_v4"), 8)
    yield "otlp_traces", few(payloads("otlp_traces_v4"), 3)


KEYS = [
    "",
    "format=influx&include=a*;host=web?&exclude=b,c&sample=1/2",
    "format=influx&rename=a.b:c&drop_label=host,x*&rename_label=host:h&add_label=n=%{hostname}",
]


def datagram_seeds():
    for i, (schema, all_of_it) in enumerate(datagrams()):
        for j, payload in enumerate(all_of_it):
            yield (
                number(1, SCHEMAS.index(schema))
                + number(2, (i + j) % 32)
                + part(3, payload)
                + part(3, all_of_it[j - 1])
                + part(4, KEYS[j % len(KEYS)])
            )


def descriptor_set(name, folder=TESTS / "proto"):
    """protoc's descriptor set of a .proto file."""
    command = ["protoc", f"--proto_path={folder}", "--include_imports"]
    made = subprocess.run(
        [*command, "--descriptor_set_out=/dev/stdout", name], check=True, capture_output=True
    )
    return made.stdout


MAPPINGS = [
    [],
    [(4, "name"), (5, "value"), (6, "time"), (7, "labels")],
    [(4, "readings.name"), (5, "readings.value"), (7, "place,readings.labels"), (9, "sequence")],
    [(5, "*")],
    [(5, "readings.*,value"), (7, "name,labels:ip,key"), (6, "time:s")],
    [(5, "a.b.c"), (8, "payload:p.M"), (9, "number"), (10, "sender")],
]


def fields_of(message):
    """The fields of a message as protoc writes one: their numbers, and numbers or bytes."""

    def next_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    at = 0
    while at < len(message):
        tag = next_varint()
        value = next_varint()
        if tag & 7 == 2:
            value, at = message[at : at + value], at + value
        yield tag >> 3, value


def types_of(message, above, types):
    """Adds a message of a descriptor, and those in it: their fields by their full names."""
    fields = list(fields_of(message))
    name = f"{above}.{dict(fields)[1].decode()}"
    types[name] = [dict(fields_of(value)) for which, value in fields if which == 2]
    for which, value in fields:
        if which == 3:
            types_of(value, name, types)


def all_types(descriptors):
    """The fields of all messages, and the names of those that are in no other."""
    types, outer = {}, []
    for _, file in fields_of(descriptors):
        package = b"".join(value for which, value in fields_of(file) if which == 2).decode()
        above = f".{package}" if package else ""
        for which, value in fields_of(file):
            if which == 4:
                types_of(value, above, types)
                outer.append(f"{above}.{dict(fields_of(value))[1].decode()}")
    return types, outer


def message_of(types, name, depth):
    """A message of the type that has each field once, with nested messages up to this depth."""
    out = b""
    for field in types[name]:
        which, kind = field[3], field[5]  # as descriptor.proto numbers them
        if kind in (1, 6, 16):
            out += double(which, 1.5)
        elif kind in (2, 7, 15):
            out += varint(which << 3 | 5) + struct.pack("<f", 2.5)
        elif kind in (9, 12):
            out += part(which, f"text {which}")
        elif kind not in (10, 11):
            out += number(which, which % 3)
        elif depth != 0:
            inner = message_of(types, field[6].decode(), depth - 1)
            group = varint(which << 3 | 3) + inner + varint(which << 3 | 4)
            out += group if kind == 10 else part(which, inner)
    return out


def descriptors_seeds():
    for name in ("readings", "defaults", "plant", "envelope", "legacy", "modern", "sets", "shapes", "wildcard"):
        made = descriptor_set(f"{name}.proto")
        types, outer = all_types(made)
        for i, mapping in enumerate(MAPPINGS):
            texts = b"".join(part(field, text) for field, text in mapping)
            message = part(2, message_of(types, outer[-1], 2))
            yield part(1, made) + message + texts + number(11, len(outer) - 1) + number(12, i * 5)
        for i, message in enumerate(outer):
            made_of_it = part(2, message_of(types, message, 1 + i % 3))
            yield part(1, made) + made_of_it + number(11, i) + number(12, i)
            yield part(1, made) + made_of_it + part(5, "*") + number(11, i) + number(12, i)
            for path in (1, 9, 60):
                yield part(1, made) + made_of_it + number(11, i) + number(13, path + i)


def udp_notif(payload, segment=None):
    options = b"" if segment is None else struct.pack(">BBH", 1, 4, segment)
    head = struct.pack(">BBHII", 0x30, 12 + len(options), 12 + len(options) + len(payload), 1, 2)
    return head + options + payload


def framings_seeds():
    few_of = list(telemetry())
    line = b'{"format":"json","version":1}\n'
    framed = {
        0: few_of,
        1: [varint(len(m)) + m for m in few_of],
        2: [struct.pack(">H", len(m)) + m for m in few_of],
        3: [struct.pack(">I", len(m)) + m for m in few_of],
        4: [struct.pack(">I", len(m)) + m for m in few_of],
        5: [struct.pack(">HHHHI", 1, 1, 0, 0, len(m)) + m for m in few_of],
        6: [udp_notif(m) for m in few_of]
        + [udp_notif(few_of[0][:20], 0), udp_notif(few_of[0][20:], 0x8001)],
        7: [line + b"M1" + base64.b64encode(m) for m in few(payloads("otlp_metrics_v4"), 4)],
    }
    control = struct.pack(">III", 0, 34, 2) + struct.pack(">II", 1, 22) + b"protobuf:dnstap.Dnstap"
    stop = struct.pack(">III", 0, 4, 3)
    for framing, all_of_it in framed.items():
        parts = b"".join(part(3, payload) for payload in all_of_it)
        stream = b"".join(all_of_it)
        if framing == 4:
            stream = control + stream + stop
        schema = 2 if framing == 7 else 0
        yield number(1, framing) + number(2, schema) + parts + part(8, stream)
        yield number(1, framing) + number(2, schema) + parts + number(5, 1) + number(7, 300)


def captures_seeds():
    for name in ("riemann_frag_v4_mtu1500", "otlp_traces_v4", "riemann_seq_nano_v4"):
        path = TESTS / "captures" / f"{name}.pcap"
        all_of_it = list(frames(path))[:8]
        link = struct.unpack_from("<I", path.read_bytes(), 20)[0]
        parts = b"".join(part(3, frame) for frame in all_of_it)
        yield number(1, 0) + part(4, path.read_bytes()[:3000])
        for kind in (1, 2, 5, 6):
            yield number(1, kind) + number(2, link) + parts
        for link, head in ((101, b""), (0, b"\2\0\0\0"), (113, bytes(14) + b"\x08\0")):
            parts = b"".join(part(3, head + frame[14:]) for frame in all_of_it)
            yield number(1, 1) + number(2, link) + parts
    six = bytes.fromhex("60000000 0010 2c 40") + bytes(31) + b"\1" + bytes(15) + b"\2"
    fragment = bytes.fromhex("11 00 0001 0000002a 1388 15b3 0010 0000")
    rest = bytes.fromhex("11 00 0008 0000002a") + b"12345678"
    yield number(1, 1) + number(2, 101) + part(3, six[:40] + fragment) + part(3, six[:40] + rest)


LISTENERS = [
    "udp://127.0.0.1:5555?schema=riemann&receive_buffer=64MiB&receivers=2&allow=10.0.0.0/8",
    "udp://[2001:db8::1%3]:5555?max_datagram=1.5KiB&ipv6_only=true&coalesce=1ms",
    "pcap:some/file.pcap?port=5555&schema=telemetry&max_decoded=512KiB",
    "udp://0.0.0.0:1?schema=a.desc&message=a.B&match=source:10.1.0.0/16&header=4&schema=b/c"
    "&message=d&name=x&value=y.z&framing=delimited&match=magic:00&schema=riemann",
    "udp://239.1.2.3:5555?interface=eth0&source=192.0.2.1&gro=on&rate_limit=100",
    "tcp://[::]:5555?schema=riemann&framing=length32&tls=on&cert=a.pem&key=b.pem&idle_timeout=5s",
    "fd:0?schema=otlp&framing=otlp-udp&overflow=drop_oldest",
]
SINKS = [
    "stdout:?format=json&view=message&names=proto&int64=number",
    "stdout:?format=influx&include=a*;b=?,c&exclude=d=e&sample=1/10&rename=f:g&drop_label=h,i*"
    "&rename_label=j:k,l:m&add_label=n=o,p=q",
    "file:/var/log/sluice/%F/%{schema}.ndjson?rotate_size=1MiB&rotate_interval=1h&compress=zstd"
    "&keep=5&fsync=flush",
    "http://127.0.0.1:8428/write?format=influx&header=a:b&retry=at_least_once&spill=/var/spill"
    "&spill_size=1GiB",
    "udp:192.0.2.1:5555,[::1]:5556?format=datagram&to=turn&raw=on",
    "command:cat > x?format=csv&overflow=block&on_epipe=stop",
]
OPTIONS = [
    "--duration 1.5s --max-datagrams 18446744073709551615 --memory 0.5GiB --stop-timeout 500ms",
    "--ledger json --metrics 127.0.0.1:9100 --control unix:/run/s.sock --threads 1",
    "--dead-letter file:dead.pcapng?max_size=1MiB&rate=5 --receiver-cpus 0-1,3 --log-level debug",
]


def yaml_of(listener, sink):
    lines = ["memory: 32MiB", "listeners:"]
    address, _, keys = listener.partition("?")
    lines.append(f"  - address: {address!r}")
    for key in keys.split("&"):
        if not key.startswith(("schema", "message", "match", "name", "value", "framing", "header")):
            lines.append("    {}: {!r}".format(*key.split("=", 1)))
    lines.append("    schemas:\n      - schema: riemann\n        match: 'source:10.0.0.0/8'")
    to, _, keys = sink.partition("?")
    lines += ["sinks:", f"  - to: {to!r}"]
    lines += ["    {}: {!r}".format(*key.split("=", 1)) for key in keys.split("&")]
    return "\n".join(lines) + "\n# a comment\ndead-letter:\n  to: file:d.pcapng\n"


def config_seeds():
    for listener in LISTENERS:
        for sink in SINKS:
            yield part(1, "--listen") + part(1, listener) + part(1, "--sink") + part(1, sink)
            yield part(2, yaml_of(listener, sink))
    for options in OPTIONS:
        yield b"".join(part(1, word) for word in options.split())


def delivery_image(lines, keys=()):
    """An image in the layout of collector/output/delivery_image.c."""
    texts = [b"topic\0", b"1-2\0", b"riemann\0", b"udp://127.0.0.1:5555\0"]
    out = struct.pack("<IIII4HQ", len(lines), 0, sum(map(len, keys)), sum(map(len, lines)),
                      *map(len, texts), 1_700_000_000_000_000_000)  # fmt: skip
    out += b"".join(texts)
    at = 0
    for i, line in enumerate(lines):
        key = keys[i] if i < len(keys) else b""
        out += struct.pack("<IIHHIII", len(line), at, len(key), i % 4, 1, 1, 0)
        at += len(key)
    return out + b"".join(keys) + b"".join(lines)


def block_head(size, position, number=0, count=1, label=0):
    """The head of a block without the number of its spill and the checksums, which the target
    adds."""
    return struct.pack("<4sIQQQQIIIIII", b"SLB2" if label else b"SLB1", size, 0, 1, position,
                       number, count, 2, 0, label, 0, 0)  # fmt: skip


def spill_seeds():
    images = [delivery_image([b"a 1\n", b"b=2 3\n"], [b"k", b"key"]), delivery_image([b"x\n"])]
    images += [bytes([i]) * (90 * i + 1) for i in range(6)]
    blocks = b"".join(part(1, image) for image in images)
    for read, acknowledged in ((0, 0), (3, 0), (5, 3), (8, 8)):
        for killed in (0, 1):
            first = blocks + number(2, read) + number(3, acknowledged) + number(4, killed)
            yield first
            for place in (10, 70, 700, 5000, 9000):
                yield first + number(5, place << 8 | 1) + number(6, place % 80)
    for steps in ((0, 0, 1, 2, 0, 3), (0, 8, 5, 1, 4, 0, 5, 5), (7, 0, 6, 2, 0, 1, 7, 3, 5)):
        yield blocks + number(4, 1) + b"".join(number(8, step) for step in steps)
    torn = block_head(4, 3) + b"abcd" + block_head(40, 4) + b"torn"
    labelled = block_head(4, 3, label=6) + b"json\n\n" + b"abcd"
    cursor = struct.pack("<8sQQQQ20xI", b"SLA1\0\0\0\0", 0, 5, 9, 7, 0)
    for kind, position, data in ((0, 3, torn), (0, 3, labelled), (0, 2**62, torn), (1, 0, torn),
                                 (5, 0, cursor)):
        for sealed in (0, 1):
            file = number(1, kind) + number(2, position) + part(3, data) + number(4, sealed)
            yield blocks + number(2, 2) + part(7, file)
            yield part(7, file)


def control_seeds():
    requests = ["ledger", "report", "senders", "health", "tap *", "reload", "stop", "none", ""]
    for request in requests:
        yield part(1, request + "\n")
        yield part(1, request + "\r\nledger\n") + number(2, 1)
    yield part(1, "led") + part(1, "ger\nstop\nreload\nreload\n") + number(2, 1)
    yield part(1, "x" * 511 + "\n") + part(1, "x" * 600 + "\n")
    yield part(1, "tap " + "*a?[b]" * 30 + "\n")
    for answer in ("done", 'a \\"b\\" \\u001b \\ud83d\\ude00 \\ud83d \\u009b', "\u009b\x1b\x00"):
        yield part(3, '{"report":"' + answer + '"}')


def http_seeds():
    accepts = ["", "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n"]
    accepts.append("Accept-Encoding: gzip;q=0.5, identity\r\n")
    for path in ("/", "/metrics", "/healthz", "/sources", "/events", "/page/page.js", "/none?a=b"):
        for accept in accepts:
            yield part(1, f"GET {path} HTTP/1.1\r\nHost: localhost:9100\r\n{accept}\r\n")
    for host in ("127.0.0.1", "[::1]:80", "a.example", "localhost.", "127.0.0.1.a.example", ""):
        yield part(1, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n") + number(2, 1)
        yield part(1, f"GET /healthz HTTP/1.1\r\nHost: 10.0.0.1\r\nhost:{host}\r\n\r\n")
    yield part(1, "HEAD /metrics HTTP/1.0\r\n") + part(1, "\r\n")
    yield part(1, "POST /metrics HTTP/1.1\r\nHost: 1.2.3.4\r\nContent-Length: 4\r\n\r\nabcd")
    chunks = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    yield part(1, "PUT / HTTP/1.1\r\nHost: localhost\r\n" + chunks)
    two = "GET /sources HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield part(1, two + two) + number(2, 1)


def answers_seeds():
    statuses = [200, 204, 301, 400, 401, 408, 413, 422, 429, 500, 502, 503, 504]
    for format in range(7):
        for i, status in enumerate(statuses):
            more = b"".join(number(4, s * 4 + 1) for s in statuses[i:] + statuses[: i // 2])
            yield number(1, format) + number(2, 3 * i) + number(3, i) + number(4, status * 4) + more
    halves = b"".join(number(4, s * 4 + 1) for s in (400, 400, 200, 400, 200, 400, 200, 413, 413))
    yield number(2, 500) + halves
    yield number(2, 9) + number(4, 2) + number(4, 3)
    partial = part(1, number(1, 2) + part(2, "two points are older than the last"))
    yield part(5, partial) + part(5, b"")
    yield part(5, part(1, number(1, 2**64 - 5)) + number(7, 1))
    for answer in (
        '{"stream":"S","seq":1,"duplicate":true}',
        '{"type":"x","error":{"code":503,"err_code":10077,"description":"maximum messages"}}',
        '{"error":{"code":400,"err_code":10054,"description":"a \\"b\\""}}',
        '{"error":{"code":401}}',
    ):
        yield part(6, answer)
    samples = b""
    for time, value in ((1_700_000_000_000, 1.5), (1_700_000_000_001, 2.5), (3, -1)):
        labels = part(1, part(1, "__name__") + part(2, "a")) + part(1, part(1, "b") + part(2, "c"))
        size = 32 + len(labels) + 2
        head = struct.pack("<qdIIIHH", time, value, size, len(labels), 2, 2, 1)
        samples += head + labels + part(3, b"")
    yield part(7, samples)
    yield part(7, b"".join(varint(len(m)) + m for m in few(payloads("otlp_metrics_v4"), 3)))


def files_seeds():
    schemas = [(schema, all_of_it[:3]) for schema, all_of_it in datagrams()]
    for format in range(8):
        for i, (schema, all_of_it) in enumerate(schemas):
            parts = number(1, format) + number(3, SCHEMAS.index(schema))
            parts += b"".join(part(4, payload) for payload in all_of_it)
            compression = number(2, i % 3)
            yield parts + compression
            yield parts + compression + number(5, 70 * i + 11)
            yield parts + number(6, 20 << 8 | 0x80) + number(2, (i + 1) % 3)
    foreign = ((1, gzip.compress(b"a\n" * 50, mtime=0)), (0, b"a line\nno"), (0, b"x"))
    for compression, data in foreign:
        for format in range(8):
            yield number(1, format) + number(2, compression) + part(7, data)
            yield number(1, format) + number(2, 2) + part(7, data + data[:9])


CASES = [
    """# a configuration
listeners: ['udp://127.0.0.1:5555?schema=riemann']
tests:
  - name: first
    input:
      json: |
        {"events": [
        # no comment
        ]}

    # of what is expected
    expect:
      - sink: stdout
        lines: |
          # a line
          another

  # of the second
  - expect: [{refused: malformed, count: 2}]
    name: "second # \\t"
    input:
    - hex: ff ff
      source: 192.0.2.7:99
      time: 2026-11-21T06:43:36.38Z
    - capture: x.pcap
sinks: [stdout]
""",
    """config: a/../sluice.yaml
tests:
- name: like
  listener: udp://127.0.0.1:5555
  hostname: h
  input: {base64: AAAA}
  expect:
  - sink: "file:a'b\\" c"
    like:
    - '{"a":*,?}'
    - ""
  - {sink: stdout, reason: filtered}
  - sink: 'udp:[::1]:1'
    bytes: |
      00ff
  - refused: schema-mismatch
- {name: braces, input: {hex: ""}}
""",
    """%YAML 1.1
---
tests:
  -
    name: >
      folded
      name
    input:
      json: "{}"
    expect:
      - refused: malformed
      # the end
  - "name": 'it''s'
    ? input
    : - json: '{}'
include: more/*.yaml
...
""",
    "sinks: []\ninclude: [a.yaml]\ntests:\n  - name: a\n    input: {json: '{}', schema: riemann}\n",
]
WRITTEN = [
    b'{"time":"2026-11-21T06:43:36.38Z","service":"cpu"}\n# b\n- c\n',
    b"cpu,host=web1 v=0.5 1\n",
    b"plain\n\n  # - a: 'b' \"c\" \\\n\xc2\x85\xe2\x80\xa8\xef\xbb\xbf\t\r\n\xff\x80\n",
    "\u00e4 \u2028 <&> \U0001f600 \x1b[0m".encode(),
    bytes(range(64)),
]


def config_tests_seeds():
    for i, text in enumerate(CASES):
        for j in range(len(WRITTEN)):
            written = b"".join(part(2, WRITTEN[(i + j + k) % len(WRITTEN)]) for k in range(3))
            yield part(1, text) + written + number(3, 1 << 8 | j) + number(4, 3 << 8 | i)
        yield part(1, text) + number(4, 255)


JSONS = [
    "",
    " \t\r\n",
    "null",
    "[true,false,null]",
    "truefalse",
    "nul",
    "\"",
    '"a',
    "[[[]],[{}],{}]",
    "[1 2]",
    "[1,]",
    "[1}",
    "{1:2}",
    '{"a" 1}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{"a":1,"a":2}',
    "[0,-0,10,-1.50,1e9,0.1E-07,2E+3,123456789012345678901234567890]",
    "[1e400]",
    "01",
    "-",
    "1.",
    "1e+",
    "1 1",
    "1\0",
    r'"\"\\\/\b\f\n\r\t\u0041\u00e4\u20AC\uD83D\uDE00"',
    r'"\x"',
    r'"\u12g4"',
    r'"\u12',
    '"\\',
    r'"\ud83d"',
    r'"\ud83d\u0041"',
    r'"\ude00"',
    r'"\ude00\ud83d"',
    r'{"\u0000":"\u0000a"}',
    '"\n"',
    '"\u00e4\u20ac\U0001f600\x7f\x85"',
    b'"\xc3\xff"',
    '{"format":"json","version":1}',
    '{"stream":"S","domain":"d","seq":12,"duplicate":true}',
    '{"error":{"code":400,"err_code":10054,"description":"\\u003cm\\u003e"},"seq":0}',
    '{"type":"io.nats","total":2,"streams":["ONE","TWO"]}',
    '{"brokers":{"a:1/1":{"state":"UP","tx":10,"rtt":{"avg":1000,"cnt":1}}},"topics":{}}',
    "[" * 250 + "]" * 250,
    "[" * 251 + "]" * 251,
]


def json_seeds():
    for text in JSONS:
        yield part(1, text)


KEYS_FILES = (
    "# a comment\n\ncamera 0123456789abcdef AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= # one\n",
    f"a 00000000000000fF {bytes(range(32)).hex()} not-before=2026-01-01T00:00:00Z\r\n",
    f"b.c-d_e 1000000000000000 {'0' * 64} not-before=1970-01-01T00:00:00Z\tnot-after=2261-12-31T23:59:59.9Z",
    "x", "x 1", "x 0123456789abcdef AAEC", f"x 0123456789abcdef {'0' * 64} y",
)


def sealed_seeds():
    page = (TESTS.parent / "tools/packaging/sealed.md").read_text().replace("\n    ", "")
    for digits in re.findall("^datagram = ([0-9a-f]+)$", page, re.MULTILINE):
        yield part(1, bytes.fromhex(digits))
    for text in KEYS_FILES:
        yield part(2, text)
    session = struct.pack("<QQqq", 7, 9, 1 << 60, 1 << 59) + bytes(range(128))
    for stopped, keys in (0, []), (0, [0]), (1, [1, 8]), (1, [9]), (2, []):
        image = b"SLSEAL1\0" + struct.pack("<IIq", stopped, len(keys), 1 << 58)
        for i, sessions in enumerate(keys):
            image += struct.pack("<QqQ", i + 1, 1 << 57, sessions) + session * sessions
        yield part(3, image + bytes(4))


def dtls_seeds():
    def steps(*made):
        return part(1, bytes(byte for step in made for byte in step))
    flight = [(0, 0)] + [(2, 0)] * 6
    open_ = flight * 4
    send = [(9, 0), (2, 0)]
    yield steps(*open_, *send, *send)
    yield steps(*open_, (9, 0), (6, 8), (6, 8), (7, 60), (8, 8))
    yield steps(*open_, *send, (12, 0), (2, 0))
    yield steps(*open_, *send, (11, 0), *open_, *send)
    yield steps(*flight, (13, 50), (0, 0), (2, 0), (13, 255), (13, 255))
    yield steps(*open_, *((16 + what, value) for what, value in open_),
                *((32 + what, value) for what, value in open_), *send, (25, 0), (18, 0))
    yield steps(*open_, *send, (13, 255))
    for kind in (20, 21, 22, 23):
        for epoch in (0, 1):
            record = struct.pack(">BHHHLH", kind, 0xFEFD, epoch, 0, 1, 40) + bytes(40)
            yield steps(*open_) + part(2, record)
    hello = struct.pack(">B3s", 1, b"\0\0\x2b") + b"\0\1" + bytes(3) + b"\0\0\x2b"
    hello += b"\xfe\xfd" + bytes(32) + b"\0\0\0\2\xc0\x2b\1\0\0"
    yield part(2, struct.pack(">BHHHLH", 22, 0xFEFD, 0, 0, 1, len(hello)) + hello)
    hello = b"\xfe\xfd" + bytes(32) + b"\0\x10" + bytes(16) + b"\0\2\xc0\x2b\1\0"  # with a cookie
    size = len(hello).to_bytes(3, "big")
    hello = b"\1" + size + b"\0\1" + bytes(3) + size + hello
    yield part(2, struct.pack(">BHHHLH", 22, 0xFEFD, 0, 0, 1, len(hello)) + hello)


TARGETS = {
    name.removesuffix("_seeds"): make
    for name, make in list(globals().items())
    if name.endswith("_seeds")
}


def main():
    target, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(TARGETS[target]()):
        (folder / f"seed-{i:03}").write_bytes(seed)


if __name__ == "__main__":
    main()
