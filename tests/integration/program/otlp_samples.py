"""Computes the expected lines for an ExportMetricsServiceRequest from its content only.

The content is given in the protobuf JSON mapping with the names of the .proto file: 64-bit integers
are strings, and default values are omitted. The rules here cover the captures; the unit tests cover
the rest (summaries, exemplars, maps, bytes)."""
import json

KINDS = ("gauge", "histogram", "exponential_histogram")  # and two kinds of sums
TEMPORALITIES = {"AGGREGATION_TEMPORALITY_DELTA": "delta",
                 "AGGREGATION_TEMPORALITY_CUMULATIVE": "cumulative"}


# --- attributes as text -------------------------------------------------------------------------

def double_text(value):
    """A double of the captures as text. These do not need an exponent, and whole numbers have no
    fraction."""
    return str(int(value)) if value == int(value) else repr(value)


def nested_text(value):
    """A value inside a list, as JSON."""
    if "string_value" in value:
        return json.dumps(value["string_value"], ensure_ascii=False)
    return value_text(value)


def value_text(value):
    (kind, content), = value.items()
    if kind == "array_value":
        return "[" + ",".join(map(nested_text, content["values"])) + "]"
    if kind == "bool_value":
        return "true" if content else "false"
    if kind == "double_value":
        return double_text(content)
    if kind in ("string_value", "int_value"):
        return content
    raise AssertionError(f"a kind of attribute that there is no rule for: {kind}")


def attributes_of(holder):
    return [(attribute["key"], value_text(attribute["value"]))
            for attribute in holder.get("attributes", [])]


def labels_of(point, scope, resource):
    """The labels of a point. If keys are equal, the point's own has priority, then the scope's,
    then the resource's."""
    facts = [("otel.scope." + key, scope[key]) for key in ("name", "version") if scope.get(key)]
    labels = {}
    for key, text in (attributes_of(point) + facts + attributes_of(scope) +
                      attributes_of(resource)):
        labels.setdefault(key, text)
    return labels


# --- values -------------------------------------------------------------------------------------

def totals_of(point):
    return {"count": int(point.get("count", 0)),
            **{key: point[key] for key in ("sum", "min", "max") if key in point}}


def buckets_of(buckets):
    return {"offset": buckets.get("offset", 0),
            "counts": [int(count) for count in buckets.get("bucket_counts", [])]}


def value_of(kind, point):
    if kind == "histogram":
        return {**totals_of(point), "bounds": point.get("explicit_bounds", []),
                "counts": [int(count) for count in point.get("bucket_counts", [])]}
    if kind == "exponential_histogram":
        return {**totals_of(point), "scale": point.get("scale", 0),
                "zero_count": int(point.get("zero_count", 0)),
                "zero_threshold": point.get("zero_threshold", 0),
                "positive": buckets_of(point.get("positive", {})),
                "negative": buckets_of(point.get("negative", {}))}
    return int(point["as_int"]) if "as_int" in point else point["as_double"]


# --- lines --------------------------------------------------------------------------------------

def kind_of(metric):
    """The kind of the metric's lines, and the object with its points."""
    if "sum" in metric:
        kind = "counter" if metric["sum"].get("is_monotonic") else "updown_counter"
        return kind, metric["sum"]
    return next((key, metric[key]) for key in KINDS if key in metric)


def points_of(message):
    """Every data point with its metric, its scope and its resource."""
    for resource in message.get("resource_metrics", []):
        for scope in resource.get("scope_metrics", []):
            for metric in scope.get("metrics", []):
                for point in kind_of(metric)[1].get("data_points", []):
                    yield point, metric, scope.get("scope", {}), resource.get("resource", {})


def samples(message, to_time):
    """The content of the lines, except facts about the datagram."""
    for point, metric, scope, resource in points_of(message):
        kind, data = kind_of(metric)
        line = {"time": to_time(int(point["time_unix_nano"])), "name": metric["name"],
                "kind": kind, "value": value_of(kind, point),
                "labels": labels_of(point, scope, resource),
                "start_time": to_time(int(point["start_time_unix_nano"]))}
        if data.get("aggregation_temporality") in TEMPORALITIES:
            line["temporality"] = TEMPORALITIES[data["aggregation_temporality"]]
        if metric.get("unit"):
            line["unit"] = metric["unit"]
        yield line
