"""A strict reader of OpenMetrics 1.0, based on the specification's ABNF and the rules in its text.

It raises AssertionError for any text that a writer may not produce."""
import re
from decimal import Decimal

from format_reading import LABEL, NAME, UNESCAPED

END = "# EOF\n"
DESCRIPTOR = re.compile(r"# (TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) ([a-zA-Z0-9_:]+)")
NUMBER = r"NaN|[+-]Inf|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?"
TAIL = re.compile(rf" ({NUMBER}) (-?(?:0|[1-9]\d*)(?:\.\d{{1,9}})?)")
CANONICAL = re.compile(r"[+-]Inf|-?\d+\.\d+|-?\d(?:\.\d+)?e[+-]\d\d+")

# The suffixes of a type's samples, and the label that the type requires.
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "unknown": ("",),
            "summary": ("", "_count", "_sum"), "histogram": ("_bucket", "_count", "_sum"),
            "gaugehistogram": ("_bucket", "_gcount", "_gsum")}
OWN_LABELS = {"summary": "quantile", "histogram": "le", "gaugehistogram": "le"}


def _check(condition, what, where):
    if not condition:
        raise AssertionError(f"{what}: {where!r}")


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit = name, None, None
        self.lines = []  # suffix, own label's value or None, labels, value as text, time

    def lines_of(self, suffix):
        return [line for line in self.lines if line[0] == suffix]


# --- lines --------------------------------------------------------------------------------------

def _labels(line, at):
    labels = {}
    while True:
        found = LABEL.match(line, at)
        _check(found and found[1] not in labels, "no label, or one that comes twice", line)
        labels[found[1]] = re.sub(r"\\.", lambda escape: UNESCAPED[escape[0]], found[2])
        at = found.end()
        if line[at:at + 1] == "}":
            return labels, at + 1
        _check(line[at:at + 1] == ",", "labels without an end", line)
        at += 1


def _sample(line):
    """The sample's name, labels, value as text, and time as an exact Decimal of seconds."""
    found = NAME.match(line)
    _check(found, "no name", line)
    at, labels = found.end(), {}
    if line[at:at + 1] == "{":
        labels, at = _labels(line, at + 1)
    tail = TAIL.fullmatch(line, at)
    _check(tail, "no value and time", line)
    return found[0], labels, tail[1], Decimal(tail[2])


def _descriptor(line, family, families):
    """Reads a comment line. Returns the family that it describes."""
    found = DESCRIPTOR.fullmatch(line)
    _check(found, "a comment that is none of OpenMetrics", line)
    word, name, text = found.groups()
    if word == "TYPE":
        _check(name not in families, "a family comes twice", line)
        _check(text in SUFFIXES, "an unknown type", line)
        family = families[name] = Family(name)
        family.type = text
    else:
        _check(family is not None and family.name == name and not family.lines and
               family.unit is None, "a unit out of its place", line)
        _check(name.endswith("_" + text), "a unit that the name does not end with", line)
        family.unit = text
    return family


def _belongs(line, name, labels, family):
    """The suffix of a sample, and the value of its own label."""
    _check(family is not None, "a sample without a family", line)
    suffix = name[len(family.name):]
    _check(name.startswith(family.name) and suffix in SUFFIXES[family.type],
           f"no sample of a {family.type}", line)
    own = OWN_LABELS.get(family.type)
    _check((own in labels) == (suffix == "_bucket" or (family.type == "summary" and suffix == "")),
           "a label of the format's own", line)
    return suffix, labels.pop(own, None)


# --- points -------------------------------------------------------------------------------------

def _canonical(text):
    """Checks that a bound or a quantile is spelled as all writers should spell it."""
    _check(CANONICAL.fullmatch(text), "no canonical number", text)
    value = float(text)
    if value not in (float("inf"), float("-inf")):
        sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
        first = len(digits) + exponent - 1
        scientific = value != 0 and not -4 <= first < 6
        _check(("e" in text) == scientific and not (sign and value == 0), "no canonical number",
               text)
    return value


def _value(parts, suffix):
    """The one value of a point with that suffix, or None."""
    values = [line[3] for line in parts if line[0] == suffix]
    _check(len(values) < 2, "a value comes twice", parts)
    return values[0] if values else None


def _is_count(text):
    return re.fullmatch(r"\d+", text) is not None


def _buckets(parts, kind):
    bounds = [_canonical(line[1]) for line in parts if line[0] == "_bucket"]
    counts = [line[3] for line in parts if line[0] == "_bucket"]
    _check(all(map(_is_count, counts)), "a count that is not an integer", counts)
    _check(all(a < b for a, b in zip(bounds, bounds[1:])), "bounds do not rise", bounds)
    _check(bounds and bounds[-1] == float("inf"), "no bucket of all values", bounds)
    _check(all(int(a) <= int(b) for a, b in zip(counts, counts[1:])), "counts fall", counts)
    prefix = "_g" if kind == "gaugehistogram" else "_"
    count, total = _value(parts, prefix + "count"), _value(parts, prefix + "sum")
    _check((count is None) == (total is None), "a count without a sum, or a sum without one", parts)
    if total is None:
        return
    _check(count == counts[-1], "another count than that of all values", parts)
    _check(total != "NaN", "a sum that is not a number", parts)
    if bounds[0] < 0:
        _check(kind == "gaugehistogram", "a sum with bounds below zero", parts)
    else:
        _check(float(total) >= 0, "a sum below zero", parts)


def _summary(parts):
    quantiles = [(_canonical(line[1]), line[3]) for line in parts if line[0] == ""]
    _check(len({share for share, _ in quantiles}) == len(quantiles), "a quantile twice", parts)
    for share, value in quantiles:
        _check(0 <= share <= 1 and not float(value) < 0, "no quantile", parts)
    count, total = _value(parts, "_count"), _value(parts, "_sum")
    _check(count is None or _is_count(count), "a count that is not an integer", parts)
    _check(total is None or float(total) >= 0, "a sum that is not a counter", parts)


def _point(family, parts):
    if family.type in ("histogram", "gaugehistogram"):
        _buckets(parts, family.type)
    elif family.type == "summary":
        _summary(parts)
    else:
        value = _value(parts, SUFFIXES[family.type][0])
        _check(family.type != "counter" or float(value) >= 0, "no counter", parts)


def _runs(lines, key):
    """Groups consecutive lines with the same key. A key must not occur in two groups."""
    runs, seen = [], set()
    for line in lines:
        if not runs or key(runs[-1][0]) != key(line):
            _check(key(line) not in seen, "interleaved", line)
            seen.add(key(line))
            runs.append([])
        runs[-1].append(line)
    return runs


def _family(family):
    for metric in _runs(family.lines, lambda line: frozenset(line[2].items())):
        points = _runs(metric, lambda line: line[4])
        times = [point[0][4] for point in points]
        _check(all(a < b for a, b in zip(times, times[1:])), "times do not rise", times)
        for point in points:
            _point(family, point)


# --- files --------------------------------------------------------------------------------------

def read_openmetrics(data):
    """The families of an exposition (bytes), by their names, in their order."""
    text = data.decode("utf-8")
    _check(text.endswith(END), "no end", text[-200:])
    families, owners, family = {}, {}, None
    for line in text[:-len(END)].split("\n")[:-1]:
        if line[:1] == "#":
            family = _descriptor(line, family, families)
            continue
        name, labels, value, time = _sample(line)
        suffix, own = _belongs(line, name, labels, family)
        _check(owners.setdefault(name, family) is family, "two families have one sample", line)
        family.lines.append((suffix, own, labels, value, time))
    _check(text == END or text[-len(END) - 1] == "\n", "no line before the end", text[-200:])
    for family in families.values():
        _family(family)
    return families


def samples_of(data):
    """The lines of an exposition: (name, labels as a frozen set of pairs, time) to value as text."""
    found = {}
    for family in read_openmetrics(data).values():
        for suffix, own, labels, value, time in family.lines:
            if own is not None:
                labels = {**labels, OWN_LABELS[family.type]: own}
            key = (family.name + suffix, frozenset(labels.items()), time)
            _check(key not in found, "a value comes twice", key)
            found[key] = value
    return found
