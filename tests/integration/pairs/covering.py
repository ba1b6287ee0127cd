"""Selects rows of features, so that each possible pair of features occurs in at least one row.

A row is one run of the program: a listener (its kind, framing and TLS), a sink, whether it has a
spill, a format, and how the run ends. The computation is not random: the rows are the same in every
run of the test."""
import collections
import itertools

Row = collections.namedtuple("Row", "listener sink spill format ending")
Listener = collections.namedtuple("Listener", "kind framing tls")

DATAGRAM_FRAMINGS = ("datagram", "delimited", "length16", "length32", "length16-le", "length32-le",
                     "cisco-mdt", "udp-notif", "otlp-udp")
STREAM_FRAMINGS = ("delimited", "length16", "length32", "length16-le", "length32-le",
                   "frame-streams", "cisco-mdt")
FRAMINGS = tuple(dict.fromkeys(DATAGRAM_FRAMINGS + STREAM_FRAMINGS))
KINDS = ("udp", "tcp", "unix", "pcap")

# "fd" is a socket that the program inherits: UDP, and TCP with and without TLS.
INHERITED = (Listener("fd", "datagram", False), Listener("fd", "length32", False),
             Listener("fd", "length32", True))
LISTENERS = (*(Listener("udp", framing, False) for framing in DATAGRAM_FRAMINGS),
             *(Listener("tcp", framing, tls) for framing in STREAM_FRAMINGS
               for tls in (False, True)),
             *(Listener("unix", framing, False) for framing in STREAM_FRAMINGS),
             *(Listener("pcap", framing, False) for framing in DATAGRAM_FRAMINGS),
             *INHERITED)

STREAMS = frozenset(one for one in LISTENERS
                    if one.kind in ("tcp", "unix") or one in INHERITED and one.framing != "datagram")

DELIVERIES = ("http", "https", "kafka", "nats")
SINKS = ("stdout", "file", "command", "udp", *DELIVERIES)
FORMATS = ("json", "text", "influx", "prometheus", "openmetrics", "csv", "otlp", "remote-write",
           "protobuf", "pcap", "datagram")
ENDINGS = ("reload", "stop", "kill")


def sink_has_spill(sink, spill):
    """Returns true if the combination is valid: only deliveries may have a spill."""
    return not spill or sink in DELIVERIES


def sink_takes(sink, form):
    """Returns true if the sink supports the format: three formats are for some sinks only, and udp:
    relays datagrams."""
    if form == "datagram" or sink == "udp":
        return form == "datagram" and sink == "udp"
    if form == "openmetrics":
        return sink == "file"
    return form != "remote-write" or sink in ("http", "https")


def listener_has_datagrams(listener, form):
    """Returns true if records are datagrams, if the format needs that. A message of UDP-Notif may
    be in segments."""
    return form not in ("pcap", "datagram") or listener.framing != "udp-notif"


def is_valid(row):
    return (listener_has_datagrams(row.listener, row.format) and
            sink_has_spill(row.sink, row.spill) and sink_takes(row.sink, row.format))


def valid_rows(listeners=LISTENERS, sinks=SINKS):
    rows = itertools.product(listeners, sinks, (False, True), FORMATS, ENDINGS)
    return [row for row in itertools.starmap(Row, rows) if is_valid(row)]


def pairs_in_order(row):
    """All pairs of a row. A pair is two factors, as (index, value)."""
    return itertools.combinations(enumerate(row), 2)


def pairs_of(rows):
    """All pairs that occur in any of the rows."""
    return set(itertools.chain.from_iterable(map(pairs_in_order, rows)))


def cover(rows):
    """Some of the rows, which together contain every pair of all rows.

    The next row is always one with the most pairs that no selected row has. Among these it is the
    one whose values were selected least often, and among these the first."""
    bits = {pair: 1 << number for number, pair in enumerate(
        dict.fromkeys(itertools.chain.from_iterable(map(pairs_in_order, rows))))}
    pairs = [sum(bits[pair] for pair in pairs_in_order(row)) for row in rows]
    missing = (1 << len(bits)) - 1
    used = [collections.Counter() for _ in Row._fields]
    taken = []
    while missing:
        counts = [(each & missing).bit_count() for each in pairs]
        most = max(counts)
        best = min((at for at, count in enumerate(counts) if count == most),
                   key=lambda at: sum(map(collections.Counter.__getitem__, used, rows[at])))
        missing &= ~pairs[best]
        for counter, value in zip(used, rows[best]):
            counter[value] += 1
        taken.append(rows[best])
    return taken


def name_of(row):
    listener = row.listener
    return (f"{listener.kind}+{listener.framing}{'+tls' if listener.tls else ''} to {row.sink}"
            f"{'+spill' if row.spill else ''} as {row.format}, {row.ending}")
