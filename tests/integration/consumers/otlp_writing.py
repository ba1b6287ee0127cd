"""Writes OTLP's ExportMetricsServiceRequest, by the field numbers that OTLP has."""
import struct

from protobuf import double, fixed64, integer, message, text, zigzag

DELTA, CUMULATIVE = 1, 2  # AggregationTemporality

_GAUGE, _SUM, _HISTOGRAM, _EXPONENTIAL_HISTOGRAM, _SUMMARY = 5, 7, 9, 10, 11


def attributes(number, labels):
    """Attributes whose values are texts."""
    return b"".join(message(number, text(1, key) + message(2, text(1, value)))
                    for key, value in labels.items())


def _packed(number, layout, values):
    return message(number, struct.pack(f"<{len(values)}{layout}", *values))


def _metric(number, name, point, rest=b""):
    return text(1, name) + message(number, message(1, point) + rest)


def _number(value):
    return fixed64(6, value & (1 << 64) - 1) if isinstance(value, int) else double(4, value)


def gauge(name, value, time, labels):
    return _metric(_GAUGE, name, fixed64(3, time) + _number(value) + attributes(7, labels))


def counter(name, value, time, labels, monotonic=True):
    return _metric(_SUM, name, fixed64(3, time) + _number(value) + attributes(7, labels),
                   integer(2, CUMULATIVE) + integer(3, int(monotonic)))


def histogram(name, count, total, bounds, counts, time, labels):
    point = (fixed64(3, time) + fixed64(4, count) + double(5, total) + _packed(6, "Q", counts) +
             _packed(7, "d", bounds) + attributes(9, labels))
    return _metric(_HISTOGRAM, name, point, integer(2, CUMULATIVE))


def _buckets(number, offset, counts):
    return message(number, zigzag(1, offset) + b"".join(integer(2, count) for count in counts))


def exponential_histogram(name, count, total, scale, zeros, positive, negative, time, labels):
    """`positive` and `negative` are pairs of an offset and counts."""
    point = (attributes(1, labels) + fixed64(3, time) + fixed64(4, count) + double(5, total) +
             zigzag(6, scale) + fixed64(7, zeros) + _buckets(8, *positive) +
             _buckets(9, *negative))
    return _metric(_EXPONENTIAL_HISTOGRAM, name, point, integer(2, DELTA))


def summary(name, count, total, quantiles, time, labels):
    """`quantiles` are pairs of a share and a value."""
    point = (fixed64(3, time) + fixed64(4, count) + double(5, total) + attributes(7, labels) +
             b"".join(message(6, double(1, share) + double(2, value))
                      for share, value in quantiles))
    return _metric(_SUMMARY, name, point)


def request(*metrics, resource=None):
    """One resource (its attributes in `resource`), one scope without a name."""
    scope = b"".join(message(2, metric) for metric in metrics)
    return message(1, message(1, attributes(1, resource or {})) + message(2, scope))
