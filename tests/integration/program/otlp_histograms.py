"""Makes histograms as OTLP data points, and computes the buckets that they contain."""
import collections
import math

from protobuf import double, fixed64, integer, message, text, zigzag

MS = 10 ** 6
TIME = 1700000000 * 10 ** 9
CUMULATIVE = 2  # of AggregationTemporality
DEFAULT_THRESHOLD = 1e-128  # OpenTelemetry's default


HOST = text(1, "host") + message(2, text(1, "web1"))


def request(*metrics):
    return message(1, message(2, b"".join(message(2, metric) for metric in metrics)))


def packed(number, write, values):
    return message(number, b"".join(write(0, value)[1:] for value in values))


class Histogram(collections.namedtuple("Histogram", "scale positive negative zeros threshold sum",
                                       defaults=((0, ()), (0, ()), 0, 0.0, 1.5))):
    """`positive` and `negative` are pairs of an offset and counts."""

    @property
    def count(self):
        return sum(self.positive[1]) + sum(self.negative[1]) + self.zeros

    def point(self, at, flags=0, exemplars=b""):
        return (message(1, HOST) + fixed64(2, at - 5000 * MS) + fixed64(3, at) +
                fixed64(4, self.count) + double(5, self.sum) + zigzag(6, self.scale) +
                fixed64(7, self.zeros) + integer(10, flags) + double(14, self.threshold) +
                b"".join(message(number, zigzag(1, offset) + packed(2, integer, counts))
                         for number, (offset, counts) in ((8, self.positive), (9, self.negative))) +
                exemplars)

    def metric(self, name, at, temporality=CUMULATIVE, **more):
        return (text(1, name) + text(2, f"help of {name}") + text(3, "s") +
                message(10, message(1, self.point(at, **more)) + integer(2, temporality)))

    def buckets(self):
        """The non-empty buckets: bounds and counts in Prometheus' highest schema."""
        shift = max(self.scale - 8, 0)
        found = collections.Counter()
        for sign, (offset, counts) in ((1, self.positive), (-1, self.negative)):
            for number, count in enumerate(counts):
                found[sign, (offset + number) >> shift] += count
        base = 2.0 ** 2.0 ** -(self.scale - shift)
        sides = {(min(sign * base ** at, sign * base ** (at + 1)),
                  max(sign * base ** at, sign * base ** (at + 1))): count
                 for (sign, at), count in found.items() if count != 0}
        if self.zeros != 0:
            threshold = self.threshold or DEFAULT_THRESHOLD
            sides[-threshold, threshold] = self.zeros
        return sides


class Explicit(collections.namedtuple("Explicit", "bounds counts sum")):
    @property
    def count(self):
        return sum(self.counts)

    def metric(self, name, at, temporality=CUMULATIVE):
        point = (fixed64(2, at - 5000 * MS) + fixed64(3, at) + fixed64(4, self.count) +
                 double(5, self.sum) + packed(6, fixed64, self.counts) +
                 packed(7, double, self.bounds) + message(9, HOST))
        return (text(1, name) + message(9, message(1, point) + integer(2, temporality)))

    def buckets(self):
        bounds = [-math.inf, *self.bounds, math.inf]
        return {(bounds[at], bounds[at + 1]): count
                for at, count in enumerate(self.counts) if count != 0}
