"""Reads requests, each preceded by its length as a varint, with OpenTelemetry's own classes.

Usage: otlp_reading.py FILE. Prints each request on a line as protobuf JSON with the field names of
the .proto files. Numbers that are not finite are strings."""
import json
import sys

from google.protobuf.json_format import MessageToDict
from google.protobuf.proto import parse_length_prefixed
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

with open(sys.argv[1], "rb") as requests:
    while (request := parse_length_prefixed(ExportMetricsServiceRequest, requests)) is not None:
        print(json.dumps(MessageToDict(request, preserving_proto_field_name=True)))
