"""Computes the OpenMetrics file for samples in JSON form, as sinks/README.md describes the mapping.
"""
import math
from decimal import Decimal

from format_texts import alphabet_text

TYPES = ["counter", "gauge", "histogram", "gaugehistogram", "summary", "unknown"]
SUFFIXES = {"counter": ["_total"], "gauge": [], "unknown": [],
            "histogram": ["_bucket", "_count", "_sum"], "summary": ["_count", "_sum"],
            "gaugehistogram": ["_bucket", "_gcount", "_gsum"]}


def type_of(sample):
    cumulative = sample.get("temporality") == "cumulative"
    if "histogram" in sample["kind"]:
        return "histogram" if cumulative else "gaugehistogram"
    if sample["kind"] == "counter" and cumulative and sample["value"] >= 0:
        return "counter"
    if sample["kind"] == "gauge" or (sample["kind"] == "updown_counter" and cumulative):
        return "gauge"
    return "summary" if sample["kind"] == "summary" else "unknown"


def name_of(sample):
    name = alphabet_text(sample["name"].encode(), True)
    total = type_of(sample) == "counter" and name.endswith("_total") and name != "_total"
    return name.removesuffix("_total") if total else name


def _families(samples):
    """The name of each family, by the sample's name and type."""
    kinds = {(name_of(sample), type_of(sample)) for sample in samples}
    suffixed = {name + suffix for name, kind in kinds for suffix in SUFFIXES[kind]}
    names = {}
    for name, kind in kinds:
        first = min((other for own, other in kinds if own == name), key=TYPES.index)
        plain = kind in ("gauge", "unknown", "summary")
        fits = kind == first and not (plain and name in suffixed)
        names[name, kind] = name if fits else f"{name}_{kind}"
    return names


def canonical(value):
    """The number as Go's shortest %g prints it, with a fraction."""
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    text = "".join(map(str, digits))
    first = len(digits) + exponent - 1
    if value == 0:
        return "0.0"
    if not -4 <= first < 6:
        fraction = "." + text[1:] if text[1:] else ""
        out = f"{text[0]}{fraction}e{'-' if first < 0 else '+'}{abs(first):02}"
    else:
        out = format(Decimal((0, digits, exponent)), "f")
        out += "" if "." in out else ".0"
    return "-" * sign + out


def _parts(sample, kind, buckets_of):
    """Suffix, own labels and value of each line."""
    value = sample["value"]
    if "histogram" in kind:
        buckets = list(buckets_of(value))
        prefix = "_g" if kind == "gaugehistogram" else "_"
        for bound, count in buckets:
            yield "_bucket", {"le": canonical(bound)}, count
        below = buckets[0][0] < 0
        total = value.get("sum")
        allowed = (total is not None and not math.isnan(total) and
                   (below if total < 0 else True) and (kind == "gaugehistogram" or not below))
        if allowed and not (kind == "histogram" and total < 0):
            yield prefix + "count", {}, value["count"]
            yield prefix + "sum", {}, total
    elif kind == "summary":
        for quantile in value["quantiles"]:
            yield "", {"quantile": canonical(quantile["quantile"])}, quantile["value"]
        yield "_count", {}, value["count"]
        yield "_sum", {}, value["sum"]
    else:
        yield "_total" if kind == "counter" else "", {}, value


def expected(samples, buckets_of):
    """The lines of one file: values by (name, labels as a frozen set of pairs, nanoseconds).

    No two samples may be of the same series in the same millisecond. `buckets_of` returns the
    bounds and counts of a histogram's value; the last bound is infinite."""
    samples = list(samples)
    names, lines = _families(samples), {}
    for sample in samples:
        kind = type_of(sample)
        labels = {alphabet_text(key.encode(), False): text
                  for key, text in sample["labels"].items() if text}
        for suffix, own, value in _parts(sample, kind, buckets_of):
            key = (names[name_of(sample), kind] + suffix, frozenset({**labels, **own}.items()),
                   sample["time"])
            assert key not in lines, key
            lines[key] = value
    return lines
