"""Strict readers of line protocol, the Prometheus text format and CSV. They accept only text that
the documents of the formats allow, and raise AssertionError for any other. Numbers are kept as
text, together with their values."""
import csv
import io
import re


def _wrong(what, line):
    raise AssertionError(f"{what}: {line!r}")


def _lines(data, end):
    """The lines of `data` (bytes) as text. Each must be complete."""
    text = data.decode("utf-8")
    if text and not text.endswith(end):
        _wrong("the last line is torn", text[-200:])
    return text.split(end)[:-1]


# --- line protocol ------------------------------------------------------------------------------

ESCAPED = ", ="


def _word(line, at, stops, counted):
    """Reads unquoted text from `at` to one of the `stops`. Returns it unescaped, and its end. There
    are two kinds of readers: to VictoriaMetrics two backslashes are one (`counted`), to InfluxDB
    they are two. The text must have the same structure for both."""
    out = []
    while at < len(line) and line[at] not in stops:
        if line[at] == "\\":
            following = line[at + 1:at + 2]
            if following == "" or (following in stops and following not in ESCAPED):
                _wrong("a backslash at the end of a word", line)
            if following in ESCAPED or (counted and following == "\\"):
                at += 1
        elif ord(line[at]) < 0x20 or 0x7F <= ord(line[at]) < 0xA0 or line[at] in " ,":
            _wrong("a character that must be escaped", line)
        out.append(line[at])
        at += 1
    if not out:
        _wrong("an empty word", line)
    return "".join(out), at


def _pairs(line, at, value):
    """Reads key=value,key=value up to a space. Returns a dict, and the position of the end."""
    pairs = {}
    while True:
        key, at = _word(line, at, "=, ", value.counted)
        if line[at:at + 1] != "=":
            _wrong("a key without a value", line)
        content, at = value(line, at + 1)
        if key in pairs:
            _wrong(f"a key comes twice: {key}", line)
        pairs[key] = content
        if line[at:at + 1] != ",":
            return pairs, at
        at += 1


class _Tag:
    def __init__(self, counted):
        self.counted = counted

    def __call__(self, line, at):
        return _word(line, at, ", ", self.counted)


class _Field(_Tag):
    INTEGER = re.compile(r"(-?(?:0|[1-9]\d*))i|((?:0|[1-9]\d*))u")
    DOUBLE = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?")

    def __call__(self, line, at):
        found = self.INTEGER.match(line, at)
        if found:
            number = int(found[1] or found[2])
            signed = -(1 << 63) <= number < 1 << 63
            if not (signed if found[1] else 0 <= number < 1 << 64):
                _wrong("an integer out of range", line)
            return number, found.end()
        found = self.DOUBLE.match(line, at)
        if not found:
            _wrong("no number", line)
        return float(found[0]), found.end()


def read_influx_line(line, counted):
    if line[:1] in ("#", ""):
        _wrong("a comment or nothing", line)
    at = 0
    name, at = _word(line, at, ", ", counted)
    tags = {}
    if line[at:at + 1] == ",":
        tags, at = _pairs(line, at + 1, _Tag(counted))
    if line[at:at + 1] != " ":
        _wrong("no fields", line)
    fields, at = _pairs(line, at + 1, _Field(counted))
    if not re.fullmatch(r" (?:0|-?[1-9]\d*)", line[at:]):
        _wrong("no time", line)
    return name, tags, fields, int(line[at + 1:])


def read_influx(data):
    """A list of (measurement, tags, fields, time in nanoseconds), as InfluxDB reads the lines."""
    found = []
    for line in _lines(data, "\n"):
        found.append(read_influx_line(line, counted=False))
        other = read_influx_line(line, counted=True)
        if [len(part) for part in other[1:3]] != [len(part) for part in found[-1][1:3]]:
            _wrong("two readers disagree", line)
    return found


# --- the Prometheus text format -----------------------------------------------------------------

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[n"\\])*)"')
TAIL = re.compile(r" (NaN|[+-]Inf|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?) (0|-?[1-9]\d*)")
UNESCAPED = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


def _labels(line, at):
    labels = {}
    while True:
        found = LABEL.match(line, at)
        if not found:
            _wrong("no label", line)
        if found[1] in labels:
            _wrong(f"a label comes twice: {found[1]}", line)
        labels[found[1]] = re.sub(r"\\.", lambda escape: UNESCAPED[escape[0]], found[2])
        at = found.end()
        if line[at:at + 1] == "}":
            return labels, at + 1
        if line[at:at + 1] != ",":
            _wrong("labels without an end", line)
        at += 1


def read_prometheus(data):
    """A list of (name, labels, value as text, time in milliseconds)."""
    lines = []
    for line in _lines(data, "\n"):
        found = NAME.match(line)
        if not found:
            _wrong("no name", line)
        at, labels = found.end(), {}
        if line[at:at + 1] == "{":
            labels, at = _labels(line, at + 1)
        tail = TAIL.fullmatch(line, at)
        if not tail:
            _wrong("no value and time", line)
        lines.append((found[0], labels, tail[1], int(tail[2])))
    return lines


# --- CSV ----------------------------------------------------------------------------------------

COLUMNS = ["time", "name", "kind", "temporality", "value", "start_time", "unit", "labels",
           "exemplars", "received", "source", "listener"]


def read_csv(data):
    """A list of rows, each a dict. The first line is the header, and no value has a line break."""
    lines = _lines(data, "\r\n")
    for line in lines:
        if "\n" in line or "\r" in line:
            _wrong("a row of several lines", line)
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
    if header != COLUMNS or len(rows) != len(lines) - 1:
        _wrong("no header", header)
    for row in rows:
        if len(row) != len(COLUMNS):
            _wrong("a row of another length", row)
    return [dict(zip(COLUMNS, row)) for row in rows]
