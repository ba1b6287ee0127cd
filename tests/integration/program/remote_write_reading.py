"""Reads the series of a Prometheus remote-write request, 1.0 or 2.0, as a store does.

The field numbers of prometheus.WriteRequest and io.prometheus.write.v2.Request are repeated here.
"""
from wire_reading import double, fields, int64, packed, the_one, unsnappy


def checked(pairs):
    """Names and values of labels. Fails if a store would refuse them."""
    names = [name.encode() for name, _ in pairs]
    if names != sorted(set(names)):
        raise AssertionError(f"not in order, or twice: {pairs}")
    if not all(name and value for name, value in pairs):
        raise AssertionError(f"an empty one: {pairs}")
    return dict(pairs)


def labels_1(values):
    return checked([(the_one(label, 1).decode(), the_one(label, 2).decode())
                    for label in map(fields, values)])


def labels_2(references, symbols):
    numbers = packed(references)
    texts = [symbols[number].decode() for number in numbers]
    return checked(list(zip(texts[::2], texts[1::2])))


def samples(body, shape=1):
    """Values by name, labels (a frozen set of pairs) and time in ms."""
    found, known = {}, set()
    request = fields(unsnappy(body))
    if set(request) - ({1} if shape == 1 else {4, 5}):
        raise AssertionError(f"fields that a request does not have: {set(request)}")
    for series in map(fields, request.get(1 if shape == 1 else 5, [])):
        labels = (labels_1(series[1]) if shape == 1 else
                  labels_2(the_one(series, 1), request[4]))
        name = labels.pop("__name__")
        key = (name, frozenset(labels.items()))
        if key in known:
            raise AssertionError(f"a series is there twice: {key}")
        known.add(key)
        last = None
        for sample in map(fields, series[2]):
            moment = int64(the_one(sample, 2))
            if last is not None and moment <= last:
                raise AssertionError(f"{key}: {moment} comes after {last}")
            last = moment
            found[(*key, moment)] = double(the_one(sample, 1))
    return found
