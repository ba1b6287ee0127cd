"""Metrics from an application to Sluice, over UDP, in Sluice's own schema (telemetry).

    from sluice_client import Client

    client = Client("127.0.0.1:5555", "web1/shop")
    orders = client.counter("shop.orders", "1")
    orders.add(1)
    client.flush()
    client.close()

The collector listens with --listen 'udp://127.0.0.1:5555?schema=telemetry'.

Updates are aggregated in the client: an update adds to a number in memory, and a flush sends the
numbers. Counters and histograms are cumulative (the sum since the client was opened), so the next
flush repeats the content of a lost datagram. A flush sends every metric, also unchanged ones.

Lifecycle: open a client, register metrics, update them, flush, close. A metric lives as long as
its client.

Threads: every method may be called by any thread at any time, except Client.close and
Client.renew, during which no other method may use the client. Each thread adds to its own number,
and a flush sums these up, so updates take no lock. (An update in a signal handler may be lost with
the update that it interrupts.) The module starts no thread: the application calls Client.flush, or
Client.flush_every, which costs little until it is due. No method waits for a lock or for a full
socket.

fork: a child does not send the values of its parent. In a child the client is off, and a flush
returns OFF, until Client.renew starts a new life of the client there.

Needs only Python 3.9; it may be copied into an application.
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

# Results of a flush.
SENT = "sent"        # every metric was accepted by the system
BUSY = "busy"        # another thread is flushing; this call had no effect
FULL = "full"        # the socket is full: the next flush sends the rest first
FAILED = "failed"    # the system refused a datagram (last_error); the next flush continues after it
NOT_DUE = "not_due"  # Client.flush_every: the next flush is not due yet
OFF = "off"          # the client is closed, or was opened by the process that forked this one

# This limit fits an MTU of 9000 with IPv4. It also holds for larger ones, such as that of a
# loopback interface.
DATAGRAM_MOST = 8972
DATAGRAM_LEAST = 512
BOUNDS_MOST = 128  # maximum number of a histogram's upper bounds
SENDER_MOST = 200  # bytes
HEADER_MOST = 1024
_SEALING = 56  # bytes that sealing adds to a datagram

_UINT64_MAX = (1 << 64) - 1
_VARINT_MOST = 10

# The number of attempts to send a datagram. An attempt may fail with the ICMP error of an earlier
# datagram.
_SEND_ATTEMPTS = 4
_DONT_WAIT = getattr(socket, "MSG_DONTWAIT", 0)
_IP_MTU, _IPV6_MTU = 14, 24  # Linux's values (linux/in.h, linux/in6.h)

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
    """Raises UnicodeEncodeError if a text cannot be encoded, AttributeError if it is not a string.
    """
    return b"".join(_bytes(field, _bytes(1, key.encode()) + _bytes(2, value.encode()))
                    for key, value in (labels or {}).items())


_CUMULATIVE = _number(2, 1)  # Sample.kind


# --- metrics --------------------------------------------------------------------------------------

class _Tally:
    """A sum to which each thread adds in its own slot, identified by the thread's ident. A new
    thread may get the ident of a thread that has ended, and then continues its slot. So there are
    never more slots than there were threads at one time.
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
    """A sum that only grows, made by Client.counter."""

    __slots__ = ("registered", "_head", "_tail", "_tally", "_places")

    def __init__(self, head, tail):
        self.registered = True
        self._head = head + _CUMULATIVE
        self._tail = tail
        self._reset()

    def add(self, value=1):
        """Adds an integer that is not negative. After 2**64 - 1 the sum continues at 0."""
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
    """A current value, made by Client.gauge."""

    __slots__ = ("registered", "_head", "_tail", "_value")

    def __init__(self, head, tail):
        self.registered = True
        self._head = head
        self._tail = tail
        self._value = None

    def set(self, value):
        """Sets the value. A flush sends the last one."""
        self._value = float(value)

    def _reset(self):
        self._value = None

    def _sample(self, _):
        value = self._value
        return b"" if value is None else self._head + _double(3, value) + self._tail

    def _most(self):
        return len(self._head) + 9 + len(self._tail)


class Histogram:
    """Counts of values by size, and their sum, made by Client.histogram."""

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
        """Records a value. NaN is not recorded, and is counted in not_recorded."""
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
    """Returns the family and the address of "HOST:PORT" or "[IPV6]:PORT"."""
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
    """Sends to `to`, "HOST:PORT" or "[IPV6]:PORT". A host name is resolved once, in the constructor,
    which may wait for a name server. An address is used without waiting.

    sender    the sender's name, e.g. "web1/shop": at most 200 bytes, the same after a restart, and
              used by only one process of its host at a time. The collector finds lost datagrams
              by the sender's sequence numbers.
    labels    a dict of labels of all metrics. A metric's own label takes precedence.
    datagram  the maximum size of a datagram in bytes, without IP and UDP headers, from 512 to 8972.
              A metric that could need more is not registered. The default follows the path's MTU,
              which is read before each flush (on Linux; on other systems 1500 for IPv4, 1280 for
              IPv6); a metric that needs more then gets a datagram of its own, which is counted in
              oversized.
    metrics   the maximum number of metrics.
    sealer    seals each datagram, which then has 56 bytes less for metrics (sluice_seal.Sealer).

    Raises ValueError for an invalid argument, and OSError.
    """

    def __init__(self, to, sender, labels=None, datagram=None, metrics=10000,
                 sealer=None):
        if datagram is not None and not DATAGRAM_LEAST <= datagram <= DATAGRAM_MOST:
            raise ValueError(f"a datagram has {DATAGRAM_LEAST} to {DATAGRAM_MOST} bytes")
        self._sender = _encoded_sender(sender)
        self._labels = _labels(5, labels)
        if len(self._sender) + len(self._labels) > HEADER_MOST:
            raise ValueError(f"the sender's name and the labels take more than {HEADER_MOST} bytes")
        self._datagram = datagram
        self._sealer = sealer
        self._sealing = 0 if sealer is None else _SEALING
        self._has_session = False
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
        self._begin_session()
        self._begin_life()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Flushes once more and closes the socket. Metrics may still be updated but are not sent."""
        self.flush()
        self._close_socket()
        self._end_session()
        self._owner = None

    def renew(self, sender=None):
        """In a child of os.fork: starts a new life of the client, with its own socket, boot_id and
        sequence.

        All values begin at 0, gauges are unset, and the counts are 0. Metrics stay registered.
        `sender` is the name of this process, as for a new client; the default keeps the name, for a
        child whose parent ends (a daemon). Raises the errors of a new client; the client is then
        off.
        """
        self._owner = None
        encoded = self._sender if sender is None else _encoded_sender(sender)
        if len(encoded) + len(self._labels) > HEADER_MOST:
            raise ValueError(f"the sender's name and the labels take more than {HEADER_MOST} bytes")
        if not all(self._fits(metric, encoded) for metric in self._metrics.copy().values()):
            raise ValueError("with this sender a registered metric may fit no datagram")
        self._sender = encoded
        self._close_socket()
        self._end_session()
        self._connect()
        self._begin_session()
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

    def _begin_session(self):
        if self._sealer is None:
            return
        try:
            self._sealer.begin()
        except ValueError:
            self._close_socket()
            raise
        self._has_session = True

    def _end_session(self):
        if self._has_session:
            self._sealer.end()
        self._has_session = False

    def _begin_life(self):
        """Begins a new life of the client. Its boot_id is the time in nanoseconds, and always a new
        number."""
        now = time.time_ns()
        self._boot_id = now if now != self._boot_id else now + 1
        self._sequence = 0
        self._resume = 0  # index of the first metric of the next flush
        self._last_flush = time.monotonic()
        self._flushing = threading.Lock()  # acquired without waiting
        self._counts = dict.fromkeys(("flushes", "datagrams", "bytes", "samples", "oversized",
                                      "full", "refused", "failed", "last_error", "datagram"), 0)
        self._owner = os.getpid()

    # Registering metrics. Each method returns the registered metric with the same texts and bounds,
    # if there is one. `unit` is a UCUM code ("1", "By", "s") or None, `labels` a dict or None. If a
    # metric cannot be registered, the method counts it in metrics_refused and returns a metric that
    # accepts updates but is not sent (`registered` is False). Reasons: a text is not UTF-8, the name
    # is empty, there are too many metrics, the metric with its maximum values does not fit in a
    # datagram, or the bounds are invalid.

    def counter(self, name, unit=None, labels=None):
        """Registers a Counter."""
        return self._registered(Counter, name, unit, labels)

    def gauge(self, name, unit=None, labels=None):
        """Registers a Gauge, which is sent after its first value."""
        return self._registered(Gauge, name, unit, labels)

    def histogram(self, name, bounds, unit=None, labels=None):
        """Registers a Histogram with 1 to 128 upper bounds: finite, ascending, inclusive. One more
        bucket without a bound counts larger values."""
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
        """Returns True if the metric fits in a datagram with any values."""
        header = len(sender) + 9 + 1 + _VARINT_MOST + 9 + len(self._labels)
        size = metric._most()
        limit = DATAGRAM_MOST if self._datagram is None else self._datagram
        return header + 1 + len(_varint(size)) + size + self._sealing <= limit

    def _refused(self, kind, more):
        self._refused_metrics.add(1)
        made = kind(b"", b"", *more)
        made.registered = False
        return made

    def flush(self):
        """Sends every metric, in as few datagrams as possible. Returns SENT, BUSY, FULL, FAILED or
        OFF.

        Never waits, and never raises errors of the system. Values that could not be sent remain for
        the next flush. A datagram gets its sequence number when the system accepts it, so datagrams
        that the collector reports as lost were lost on the network. If the port is closed, an ICMP
        error reports this for an earlier datagram: it is counted in refused, and sending continues.
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
        """Flushes if the last flush began at least `seconds` ago. Call it often and from any
        thread, for example after each request; one of the threads flushes."""
        if time.monotonic() - self._last_flush < seconds:
            return NOT_DUE
        return self.flush()

    def counts(self):
        """Returns the counts since the client was opened or renewed, as a dict:

        metrics          registered metrics
        metrics_refused  metrics that could not be registered
        not_recorded     NaN values of histograms
        flushes          without those that returned BUSY or OFF
        busy             flushes without effect because another thread was flushing
        datagrams        accepted by the system; bytes and samples are those in them
        oversized        datagrams with one metric that exceeds the MTU, which IP fragments
        full             number of times that the socket was full
        refused          ICMP errors that report a closed port
        failed           datagrams that the system refused, or that could not be sealed because no key
                         is valid now
        last_error       errno of the last failed datagram, or 0; EACCES: not sealed
        datagram         maximum size of a datagram in the last flush; 0 before the first
        """
        return {"metrics": len(self._metrics), "metrics_refused": self._refused_metrics.total(),
                "not_recorded": self._not_recorded.total(), "busy": self._busy.total(),
                **self._counts}

    def _limit(self):
        """Returns the maximum size of a datagram: as configured, or by the path's MTU."""
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
        if self._sealer is not None:
            try:
                datagram = self._sealer.seal(datagram)
            except ValueError:  # no key is valid now
                counts["failed"] += 1
                counts["last_error"] = errno.EACCES
                return FAILED
        for _ in range(_SEND_ATTEMPTS):
            try:
                self._socket.send(datagram, _DONT_WAIT)
            except BlockingIOError:
                counts["full"] += 1
                return FULL
            except (ConnectionRefusedError, ConnectionResetError) as why:
                counts["refused"] += 1  # the error of an earlier datagram; this one was not sent
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
            counts["oversized"] += len(datagram) > limit + self._sealing
            return SENT
        counts["failed"] += 1
        counts["last_error"] = error
        return FAILED

    def _flush_all(self):
        """Sends all metrics. If the socket is full, the next flush begins with the datagram that
        was not accepted. If the system refuses a datagram, the next flush begins after it: a
        datagram that can never be sent must not block the others."""
        self._counts["datagram"] = self._limit()
        limit = self._counts["datagram"] - self._sealing
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
