"""OTLP's JSON writes the identifiers of traces and spans in hexadecimal, unlike protobuf's JSON
mapping."""
import base64

NAMES = ("trace_id", "span_id", "parent_span_id")


def with_hex(value, name=""):
    """Converts a message that Google's runtime has written with the names of the .proto file to
    OTLP's form."""
    if isinstance(value, dict):
        return {name: with_hex(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [with_hex(each, name) for each in value]
    return base64.b64decode(value).hex() if name in NAMES else value
