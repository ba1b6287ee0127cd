"""Makes metrics for the tests in this folder: every kind of sample, with labels that formats must
escape."""
import otlp_writing as otlp
from protobuf import CUMULATIVE, DELTA, INT64_MIN, UINT64_MAX, sample, telemetry

SECONDS = 1700000000
TIME = SECONDS * 10 ** 9 + 123456789  # 2023-11-14T22:13:20.123456789Z
TIME_MS = TIME // 10 ** 6

LABELS = {
    "plain": "web1",
    "spaces": " two  words ",
    "comma": "a,b",
    "equals": "a=b,c==d",
    "quotes": 'say "hi", \'you\'',
    "backslash": "c:\\dir\\file",
    "newline": "first\nsecond",
    "tab": "a\tb",
    "braces": "{a=\"b\"} 1 2",
    "emoji": "\U0001f525 naïve 温度 \U0001f469\u200d\U0001f680",
    "key, of = \"all\"": "x",
    "empty": "",
}

# The values of telemetry samples by name. The histogram is in HISTOGRAM.
NUMBERS = {
    "sent.double": 42.5,
    "sent.fraction": -0.30000000000000004,
    "sent.large": 1.7976931348623157e308,
    "sent.int": -7,
    "sent.int_min": INT64_MIN,
    "sent.uint": 3000000000,
    "sent.uint_max": UINT64_MAX,
    "sent.counter": 4711,
    "sent.delta": 12,
}
HISTOGRAM = "sent.latency"

# The same for OTLP.
OTLP_NUMBERS = {"otlp.gauge": 0.25, "otlp.gauge_int": -3, "otlp.requests": 81,
                "otlp.open": -2, "otlp.joules": 1.5}
OTLP_HISTOGRAM, EXPONENTIAL, SUMMARY = "otlp.duration", "otlp.size", "otlp.wait"

# The content of histograms and summaries: totals; for histograms the cumulative count up to each
# bound, for summaries the value of each quantile.
TOTALS = {
    HISTOGRAM: {"count": 5, "sum": 0.61, "min": 0.04, "max": 0.3},
    OTLP_HISTOGRAM: {"count": 10, "sum": 98.5},
    EXPONENTIAL: {"count": 12, "sum": 16.75},
    SUMMARY: {"count": 100, "sum": 51200},
}
BUCKETS = {
    HISTOGRAM: {"0.1": 3, "0.5": 5, "+Inf": 5},
    OTLP_HISTOGRAM: {"1": 4, "10": 9, "+Inf": 10},
    # Scale 0: bounds are powers of 2. Two values are in [-2, -1), one is 0, one is up to 0.5, none
    # up to 1, 4 up to 2, and 4 up to 4.
    EXPONENTIAL: {"-2": 0, "-1": 2, "0": 3, "0.25": 3, "0.5": 4, "1": 4, "2": 8, "4": 12,
                  "+Inf": 12},
}
QUANTILES = {SUMMARY: {"0.5": 256, "0.99": 4096.5}}


def telemetry_datagrams():
    """One datagram, whose labels are those of all its samples."""
    number = iter(NUMBERS.items())

    def made(field, **more):
        name, value = next(number)
        return sample(name, **{field: value}, time=TIME, **more)

    return [telemetry(
        made("double"), made("double"), made("double"), made("int"), made("int"), made("uint"),
        made("uint"), made("uint", kind=CUMULATIVE, start_time=TIME - 10 ** 9, unit="{request}"),
        made("int", kind=DELTA),
        sample(HISTOGRAM, kind=DELTA, time=TIME, unit="s", histogram={
            **TOTALS[HISTOGRAM], "bounds": [0.1, 0.5], "counts": [3, 2, 0]}),
        sender="sent", boot=1, sequence=1, labels=list(LABELS.items()))]


def otlp_datagrams():
    """One request with every kind of sample. Half of the labels are attributes of points, half
    of the resource."""
    labels = list(LABELS.items())
    own, shared = dict(labels[:6]), dict(labels[6:])
    values = OTLP_NUMBERS
    return [otlp.request(
        otlp.gauge("otlp.gauge", values["otlp.gauge"], TIME, own),
        otlp.gauge("otlp.gauge_int", values["otlp.gauge_int"], TIME, own),
        otlp.counter("otlp.requests", values["otlp.requests"], TIME, own),
        otlp.counter("otlp.open", values["otlp.open"], TIME, own, monotonic=False),
        otlp.counter("otlp.joules", values["otlp.joules"], TIME, own),
        otlp.histogram(OTLP_HISTOGRAM, 10, 98.5, [1, 10], [4, 5, 1], TIME, own),
        otlp.exponential_histogram(EXPONENTIAL, 12, 16.75, 0, 1, (-2, [1, 0, 4, 4]), (0, [2]), TIME,
                                   own),
        otlp.summary(SUMMARY, 100, 51200, [(0.5, 256), (0.99, 4096.5)], TIME, own),
        resource=shared)]
