"""Metrics from an application to Sluice, over UDP, in Sluice's own schema (telemetry).

    from sluice_client import Client

    client = Client("127.0.0.1:5555", "web1/shop")
    orders = client.counter("shop.orders", "1")
    orders.add(1)
    client.flush()
    client.close()

The collector listens with --listen 'udp://127.0.0.1:5555?schema=telemetry'.

Updates are aggregated in the client: an update adds to a number in memory, and a flush sends the
numbers. Counters and histograms are cumulative (the sum since the client was opened), so a
datagram that is lost loses nothing that the next flush does not bring. A flush sends every
metric, also those that did not change.

Lifecycle: open a client, register metrics, update them, flush, close. A metric lives as long as
its client.

Threads: every method may be called by any thread at any time, except Client.close and
Client.renew, which need the client for themselves. Each thread adds to a number of its own, which
a flush sums up, so updates take no lock. (An update in a signal handler may be lost with the
update that it interrupts.) The module starts no thread: the application calls Client.flush where
it has time, or Client.flush_every, which costs little until it is due. Nothing here waits for a
lock, or for a socket that is full.

fork: a child does not send what its parent counted. In a child the client is off, and a flush
returns OFF, until Client.renew begins a new life for it there.

Needs Python 3.9 and nothing else; it may be copied into an application.
"""
import bisect
import errno
import operator
import os
import socket
import struct
import sys
import threading
import time

__all__ = ["Client", "Counter", "Gauge", "Histogram", "SENT", "BUSY", "FULL", "FAILED", "NOT_DUE",
           "OFF"]

# What a flush returns.
SENT = "sent"        # every metric was handed to the system
BUSY = "busy"        # another thread is flushing; this call did nothing
FULL = "full"        # the socket is full: the rest is sent first by the next flush
FAILED = "failed"    # the system would not send; see last_error. The next flush goes on after it
NOT_DUE = "not_due"  # Client.flush_every: not yet
OFF = "off"          # the client is closed, or was opened by the process that forked this one

# What an MTU of 9000 leaves with IPv4. Of a larger MTU, as a loopback interface has, no more.
DATAGRAM_MOST = 8972
DATAGRAM_LEAST = 512
BOUNDS_MOST = 128  # upper bounds that a histogram may have
SENDER_MOST = 200  # bytes
HEADER_MOST = 1024

_UINT64_MAX = (1 << 64) - 1
_VARINT_MOST = 10

# Attempts to send a datagram: each of them may report an earlier datagram's ICMP error.
_SEND_ATTEMPTS = 4
_DONT_WAIT = getattr(socket, "MSG_DONTWAIT", 0)
_IP_MTU, _IPV6_MTU = 14, 24  # of Linux: linux/in.h, linux/in6.h

_get_ident = threading.get_ident
_index = operator.index


# --- the wire format (protobuf.dev, "Encoding"); the field numbers are those of telemetry.proto -

_VARINT, _FIXED64, _BYTES = range(3)


def _varint(value):
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return _varint(field << 3 | _VARINT) + _varint(value)


def _fixed64(field, value):
    return _varint(field << 3 | _FIXED64) + struct.pack("<Q", value)


def _double(field, value):
    return _varint(field << 3 | _FIXED64) + struct.pack("<d", value)


def _bytes(field, value):
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value


def _labels(field, labels):
    """Raises UnicodeEncodeError where a text is no UTF-8, AttributeError where it is no text."""
    return b"".join(_bytes(field, _bytes(1, key.encode()) + _bytes(2, value.encode()))
                    for key, value in (labels or {}).items())


_CUMULATIVE = _number(2, 1)  # Sample.kind


# --- metrics --------------------------------------------------------------------------------------

class _Tally:
    """A sum to which every thread adds in a place of its own.

    The number of a thread that has ended is given to a thread that begins, and that one goes on
    where the first stopped; so there are as many places as threads at a time.
    """

    __slots__ = ("_places",)

    def __init__(self):
        self._places = {}

    def add(self, value):
        ident = _get_ident()
        try:
            self._places[ident] += value
        except KeyError:
            self._places[ident] = value

    def total(self):
        return sum(self._places.copy().values())

    def reset(self):
        self._places = {}


class Counter:
    """A sum that only grows. Client.counter makes it."""

    __slots__ = ("registered", "_head", "_tail", "_tally", "_places")

    def __init__(self, head, tail):
        self.registered = True
        self._head = head + _CUMULATIVE
        self._tail = tail
        self._reset()

    def add(self, value=1):
        """Adds an integer, which is not negative. After 2**64 - 1 the sum begins again at 0."""
        value = _index(value)
        if value < 0:
            raise ValueError("a counter only grows")
        ident = _get_ident()
        try:
            self._places[ident] += value
        except KeyError:
            self._places[ident] = value

    def _reset(self):
        self._tally = _Tally()
        self._places = self._tally._places

    def _sample(self, start):
        return (self._head + _number(5, self._tally.total() & _UINT64_MAX) + _fixed64(9, start) +
                self._tail)

    def _most(self):
        return len(self._head) + 1 + _VARINT_MOST + 9 + len(self._tail)


class Gauge:
    """A value at a time. Client.gauge makes it."""

    __slots__ = ("registered", "_head", "_tail", "_value")

    def __init__(self, head, tail):
        self.registered = True
        self._head = head
        self._tail = tail
        self._value = None

    def set(self, value):
        """Sets it; the last value before a flush is the one that is sent."""
        self._value = float(value)

    def _reset(self):
        self._value = None

    def _sample(self, _):
        value = self._value
        return b"" if value is None else self._head + _double(3, value) + self._tail

    def _most(self):
        return len(self._head) + 9 + len(self._tail)


class Histogram:
    """Counts of values by size, and their sum. Client.histogram makes it."""

    __slots__ = ("registered", "_head", "_tail", "_bounds", "_packed", "_places", "_not_recorded")

    def __init__(self, head, tail, bounds, not_recorded):
        self.registered = True
        self._head = head + _CUMULATIVE
        self._tail = tail
        self._bounds = bounds
        self._packed = struct.pack(f"<{len(bounds)}d", *bounds)
        self._not_recorded = not_recorded
        self._reset()

    def record(self, value):
        """Records a value. A NaN is not recorded, which counts in not_recorded."""
        value = float(value)
        if value != value:
            self._not_recorded.add(1)
            return
        ident = _get_ident()
        place = self._places.get(ident)
        if place is None:  # the counts, and the sum
            place = self._places[ident] = [0] * (len(self._bounds) + 1) + [0.0]
        place[bisect.bisect_left(self._bounds, value)] += 1
        place[-1] += value

    def _reset(self):
        self._places = {}

    def _sample(self, start):
        places = [place.copy() for place in self._places.copy().values()]
        counts = [sum(place[i] for place in places) for i in range(len(self._bounds) + 1)]
        value = (_number(1, sum(counts)) + _double(2, sum(place[-1] for place in places)) +
                 _bytes(3, self._packed) + _bytes(4, b"".join(map(_varint, counts))))
        return self._head + _bytes(6, value) + _fixed64(9, start) + self._tail

    def _most(self):
        counts = _VARINT_MOST * (len(self._bounds) + 1)
        return (len(self._head) + 1 + 2 + 1 + _VARINT_MOST + 9 + 1 + 2 + len(self._packed) + 1 + 2 +
                counts + 9 + len(self._tail))


# --- the client -----------------------------------------------------------------------------------

def _resolve(to):
    """The family and the address of "HOST:PORT" or "[IPV6]:PORT"."""
    host, colon, port = to.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if bracketed:
        host = host[1:-1]
    if not colon or not host or (":" in host) != bracketed or "[" in host:
        raise ValueError(f"{to!r} is not of the form HOST:PORT or [IPV6]:PORT")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise ValueError(f"{to!r} has no port from 1 to 65535")
    family, _, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)[0]
    return family, address


def _encoded_sender(sender):
    encoded = sender.encode()
    if not 1 <= len(encoded) <= SENDER_MOST:
        raise ValueError(f"a sender's name has 1 to {SENDER_MOST} bytes")
    return _bytes(1, encoded)


class Client:
    """Sends to `to`, "HOST:PORT" or "[IPV6]:PORT". A name is looked up here, once, which may wait
    for a name server; an address does not wait.

    sender    names the sender, e.g. "web1/shop": at most 200 bytes, the same after a restart, and
              of one process of its host at a time. The collector finds lost datagrams by the
              sender's sequence numbers.
    labels    a dict of labels of every metric. A metric's own label of the same key wins.
    datagram  the largest datagram in bytes, without the headers of IP and UDP, from 512 to 8972. No
              datagram is larger: a metric that could need more is not registered. By default what
              the path's MTU leaves, which is looked up before each flush (on Linux; elsewhere the
              MTU is taken as 1500 for IPv4, 1280 for IPv6); a metric that needs more then has a
              datagram of its own, which counts in oversized.
    metrics   how many metrics can be registered.

    Raises ValueError where an argument is not as above, and OSError.
    """

    def __init__(self, to, sender, labels=None, datagram=None, metrics=10000):
        if datagram is not None and not DATAGRAM_LEAST <= datagram <= DATAGRAM_MOST:
            raise ValueError(f"a datagram has {DATAGRAM_LEAST} to {DATAGRAM_MOST} bytes")
        self._sender = _encoded_sender(sender)
        self._labels = _labels(5, labels)
        if len(self._sender) + len(self._labels) > HEADER_MOST:
            raise ValueError(f"the sender's name and the labels take more than {HEADER_MOST} bytes")
        self._datagram = datagram
        self._metrics_most = metrics
        self._metrics = {}
        self._not_recorded = _Tally()
        self._refused_metrics = _Tally()
        self._busy = _Tally()
        self._socket = None
        self._owner = None
        self._boot_id = 0
        self._family, self._to = _resolve(to)
        self._connect()
        self._begin_life()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Flushes once more and closes the socket. Metrics may be updated, and are not sent."""
        self.flush()
        self._close_socket()
        self._owner = None

    def renew(self, sender=None):
        """In a child of os.fork: begins a new life of the client, with a socket, a boot_id and a
        sequence of its own.

        All values begin at 0 again, gauges are unset, and the counts are 0; metrics stay
        registered. `sender` names this process, as for a new client. None keeps the name, which is
        right where the parent ends (a daemon). Raises as a new client does; the client is then off.
        """
        self._owner = None
        encoded = self._sender if sender is None else _encoded_sender(sender)
        if len(encoded) + len(self._labels) > HEADER_MOST:
            raise ValueError(f"the sender's name and the labels take more than {HEADER_MOST} bytes")
        if not all(self._fits(metric, encoded) for metric in self._metrics.copy().values()):
            raise ValueError("with this sender a registered metric may fit no datagram")
        self._sender = encoded
        self._close_socket()
        self._connect()
        for metric in self._metrics.copy().values():
            metric._reset()
        for tally in (self._not_recorded, self._refused_metrics, self._busy):
            tally.reset()
        self._begin_life()

    def _connect(self):
        made = socket.socket(self._family, socket.SOCK_DGRAM)
        try:
            made.setblocking(False)
            made.connect(self._to)
        except OSError:
            made.close()
            raise
        self._socket = made

    def _close_socket(self):
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _begin_life(self):
        """A boot_id is the time in nanoseconds, and never the one before."""
        now = time.time_ns()
        self._boot_id = now if now != self._boot_id else now + 1
        self._sequence = 0
        self._resume = 0  # the place of the metric that the next flush begins with
        self._last_flush = time.monotonic()
        self._flushing = threading.Lock()  # never waited for
        self._counts = dict.fromkeys(("flushes", "datagrams", "bytes", "samples", "oversized",
                                      "full", "refused", "failed", "last_error", "datagram"), 0)
        self._owner = os.getpid()

    # Registering metrics. Each method returns the metric that is registered with the same texts and
    # bounds, where there is one. `unit` is a UCUM code ("1", "By", "s") or None, `labels` a dict or
    # None. What cannot be registered is counted in metrics_refused, and a metric is returned that
    # takes updates and is not sent (its `registered` is False): a text is not UTF-8, the name is
    # empty, there are too many metrics, the metric with its largest values fits no datagram, or the
    # bounds are none.

    def counter(self, name, unit=None, labels=None):
        """A Counter."""
        return self._registered(Counter, name, unit, labels)

    def gauge(self, name, unit=None, labels=None):
        """A Gauge; it is sent from its first value on."""
        return self._registered(Gauge, name, unit, labels)

    def histogram(self, name, bounds, unit=None, labels=None):
        """A Histogram of 1 to 128 upper bounds: finite, ascending, each inclusive. One bucket more,
        for what is above the last bound, is there without a bound."""
        bounds = tuple(map(float, bounds))
        good = 1 <= len(bounds) <= BOUNDS_MOST and all(each - each == 0 for each in bounds)
        good = good and all(one < next_ for one, next_ in zip(bounds, bounds[1:]))
        return self._registered(Histogram, name, unit, labels, bounds, good=good)

    def _registered(self, kind, name, unit, labels, bounds=(), good=True):
        more = (bounds, self._not_recorded) if kind is Histogram else ()
        try:
            head = _bytes(1, name.encode())
            tail = (b"" if unit is None else _bytes(7, unit.encode())) + _labels(10, labels)
        except (UnicodeEncodeError, AttributeError):
            return self._refused(kind, more)
        key = (kind, head, tail, bounds)
        found = self._metrics.get(key)
        if found is not None:
            return found
        made = kind(head, tail, *more)
        if (not good or not name or not self._fits(made, self._sender) or
                len(self._metrics) >= self._metrics_most):
            return self._refused(kind, more)
        return self._metrics.setdefault(key, made)

    def _fits(self, metric, sender):
        """Whether a datagram has room for the metric, whatever its values are."""
        header = len(sender) + 9 + 1 + _VARINT_MOST + 9 + len(self._labels)
        size = metric._most()
        limit = DATAGRAM_MOST if self._datagram is None else self._datagram
        return header + 1 + len(_varint(size)) + size <= limit

    def _refused(self, kind, more):
        self._refused_metrics.add(1)
        made = kind(b"", b"", *more)
        made.registered = False
        return made

    # Flushing.

    def flush(self):
        """Sends every metric in as few datagrams as hold them. Returns SENT, BUSY, FULL, FAILED or
        OFF.

        Never waits, and never raises what the system reports. Values that could not be sent stay
        for the next flush. A datagram gets its sequence number when the system takes it, so what
        the collector reports as lost was lost on its way. Where nobody listens, an ICMP error
        reports it for an earlier datagram; it counts in refused, and sending goes on.
        """
        if self._owner != os.getpid():
            return OFF
        flushing = self._flushing
        if not flushing.acquire(blocking=False):
            self._busy.add(1)
            return BUSY
        try:
            self._last_flush = time.monotonic()
            self._counts["flushes"] += 1
            return self._flush_all()
        finally:
            flushing.release()

    def flush_every(self, seconds):
        """Flushes if the last flush began at least that long ago. Made to be called often and by
        many threads, for example after each request; one of them flushes."""
        if time.monotonic() - self._last_flush < seconds:
            return NOT_DUE
        return self.flush()

    def counts(self):
        """What the client did since it was opened or renewed, as a dict:

        metrics          registered now
        metrics_refused  not registered
        not_recorded     values that were NaN, of histograms
        flushes          that did not end as BUSY or OFF
        busy             that did, because another thread was flushing
        datagrams        that the system took, with the bytes and samples in them
        oversized        of them with one metric that exceeds the MTU: IP fragments these
        full             times that the socket was full
        refused          ICMP errors: nobody listens at the port
        failed           datagrams that the system would not send
        last_error       errno of the last of these; 0: there was none
        datagram         the largest datagram of the last flush; 0 before the first
        """
        return {"metrics": len(self._metrics), "metrics_refused": self._refused_metrics.total(),
                "not_recorded": self._not_recorded.total(), "busy": self._busy.total(),
                **self._counts}

    def _limit(self):
        """What the path's MTU leaves for a datagram, or what was set."""
        if self._datagram is not None:
            return self._datagram
        ipv6 = self._family == socket.AF_INET6
        mtu = 1280 if ipv6 else 1500
        if sys.platform.startswith("linux"):
            try:
                mtu = self._socket.getsockopt(socket.IPPROTO_IPV6 if ipv6 else socket.IPPROTO_IP,
                                              _IPV6_MTU if ipv6 else _IP_MTU)
            except OSError:
                pass
        return min(max(mtu - (40 if ipv6 else 20) - 8, DATAGRAM_LEAST), DATAGRAM_MOST)

    def _send(self, datagram, samples, limit):
        counts = self._counts
        error = 0
        for _ in range(_SEND_ATTEMPTS):
            try:
                self._socket.send(datagram, _DONT_WAIT)
            except BlockingIOError:
                counts["full"] += 1
                return FULL
            except (ConnectionRefusedError, ConnectionResetError) as why:
                counts["refused"] += 1  # of an earlier datagram; this one was not sent
                error = why.errno
                continue
            except OSError as why:
                if why.errno == errno.ENOBUFS:
                    counts["full"] += 1
                    return FULL
                error = why.errno
                break
            self._sequence += 1
            counts["datagrams"] += 1
            counts["bytes"] += len(datagram)
            counts["samples"] += samples
            counts["oversized"] += len(datagram) > limit
            return SENT
        counts["failed"] += 1
        counts["last_error"] = error
        return FAILED

    def _flush_all(self):
        """Where a full socket does not take a datagram, the next flush begins with it; where the
        system would not send it, after it: one that never goes out must not keep back the rest."""
        limit = self._counts["datagram"] = self._limit()
        before = self._sender + _fixed64(2, self._boot_id)
        after = _fixed64(4, time.time_ns()) + self._labels
        metrics = list(self._metrics.copy().values())
        first = self._resume
        self._resume = 0
        header = before + _number(3, self._sequence + 1) + after
        samples, size, begun = [], len(header), first
        for step in range(len(metrics)):
            place = (first + step) % len(metrics)
            sample = metrics[place]._sample(self._boot_id)
            if not sample:
                continue
            sample = _bytes(6, sample)
            if samples and size + len(sample) > limit:
                result = self._send(header + b"".join(samples), len(samples), limit)
                if result is not SENT:
                    self._resume = begun if result is FULL else place
                    return result
                header = before + _number(3, self._sequence + 1) + after
                samples, size, begun = [], len(header), place
            samples.append(sample)
            size += len(sample)
        if not samples:
            return SENT
        result = self._send(header + b"".join(samples), len(samples), limit)
        if result is FULL:
            self._resume = begun
        return result
