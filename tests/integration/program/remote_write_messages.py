"""Reads requests of remote write with Google's protobuf, according to remote.proto, types.proto
(1.0) and io/prometheus/write/v2/types.proto (2.0) of Prometheus."""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from wire_reading import unsnappy

F = descriptor_pb2.FieldDescriptorProto
KINDS = {"double": F.TYPE_DOUBLE, "int64": F.TYPE_INT64, "sint32": F.TYPE_SINT32,
         "sint64": F.TYPE_SINT64, "string": F.TYPE_STRING, "uint32": F.TYPE_UINT32,
         "uint64": F.TYPE_UINT64, "enum": F.TYPE_INT32}

# The fields of both versions of a histogram; * marks a repeated one.
HISTOGRAM = {1: "uint64 count_int", 2: "double count_float", 3: "double sum", 4: "sint32 schema",
             5: "double zero_threshold", 6: "uint64 zero_count_int",
             7: "double zero_count_float", 8: "*BucketSpan negative_spans",
             9: "*sint64 negative_deltas", 10: "*double negative_counts",
             11: "*BucketSpan positive_spans", 12: "*sint64 positive_deltas",
             13: "*double positive_counts", 14: "enum reset_hint", 15: "int64 timestamp",
             16: "*double custom_values"}
SPAN = {1: "sint32 offset", 2: "uint32 length"}
FILES = {
    "first": {
        "WriteRequest": {1: "*TimeSeries timeseries"},
        "TimeSeries": {1: "*Label labels", 2: "*Sample samples", 3: "*Exemplar exemplars",
                       4: "*Histogram histograms"},
        "Label": {1: "string name", 2: "string value"},
        "Sample": {1: "double value", 2: "int64 timestamp"},
        "Exemplar": {1: "*Label labels", 2: "double value", 3: "int64 timestamp"},
        "Histogram": HISTOGRAM, "BucketSpan": SPAN},
    "second": {
        "Request": {4: "*string symbols", 5: "*TimeSeries timeseries"},
        "TimeSeries": {1: "*uint32 labels_refs", 2: "*Sample samples",
                       3: "*Histogram histograms", 4: "*Exemplar exemplars",
                       5: "Metadata metadata"},
        "Sample": {1: "double value", 2: "int64 timestamp", 3: "int64 start_timestamp"},
        "Exemplar": {1: "*uint32 labels_refs", 2: "double value", 3: "int64 timestamp"},
        "Metadata": {1: "enum type", 3: "uint32 help_ref", 4: "uint32 unit_ref"},
        "Histogram": {**HISTOGRAM, 17: "int64 start_timestamp"}, "BucketSpan": SPAN},
}


def _classes():
    pool = descriptor_pool.DescriptorPool()
    for package, messages in FILES.items():
        file = descriptor_pb2.FileDescriptorProto(name=package, package=package, syntax="proto3")
        for name, table in messages.items():
            made = file.message_type.add(name=name)
            for number, words in table.items():
                kind, field = words.lstrip("*").split()
                one = made.field.add(name=field, number=number,
                                     label=F.LABEL_REPEATED if words[0] == "*" else
                                     F.LABEL_OPTIONAL)
                one.type = KINDS.get(kind, F.TYPE_MESSAGE)
                if kind not in KINDS:
                    one.type_name = f".{package}.{kind}"
        pool.Add(file)
    get = message_factory.GetMessageClass if hasattr(message_factory, "GetMessageClass") else (
        message_factory.MessageFactory(pool).GetPrototype)
    return {1: get(pool.FindMessageTypeByName("first.WriteRequest")),
            2: get(pool.FindMessageTypeByName("second.Request"))}


CLASSES = _classes()


def _known(message):
    """Fails if the message, at any level, has a field that its version does not have."""
    again = type(message)()
    again.CopyFrom(message)
    again.DiscardUnknownFields()
    if again.ByteSize() != message.ByteSize():
        raise AssertionError(f"unknown fields in {message}")


def read_request(body, shape):
    """The time series of a request. Each has its `labels`, its `exemplars` as (labels, value,
    time), the message itself, and for 2.0 `unit` and `help`."""
    request = CLASSES[shape]()
    request.ParseFromString(unsnappy(body))
    _known(request)
    found = []
    for series in request.timeseries:
        def labels(one):
            if shape == 1:
                pairs = [(label.name, label.value) for label in one.labels]
            else:
                texts = [request.symbols[number] for number in one.labels_refs]
                pairs = list(zip(texts[::2], texts[1::2]))
            if pairs != sorted(dict(pairs).items()):
                raise AssertionError(f"labels out of order, or twice: {pairs}")
            return dict(pairs)
        entry = {"series": series, "labels": labels(series),
                 "exemplars": [(labels(one), one.value, one.timestamp)
                               for one in series.exemplars]}
        if shape == 2:
            entry["unit"] = request.symbols[series.metadata.unit_ref]
            entry["help"] = request.symbols[series.metadata.help_ref]
        found.append(entry)
    return found
