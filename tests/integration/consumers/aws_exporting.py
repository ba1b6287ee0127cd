"""Runs in a Python that has AWS's exporter: sends spans and a metric, as an application would.

Its argument is ADDRESS:PORT. It prints what the tracer sent, as JSON.
"""
import json
import sys

from amazon.opentelemetry.distro.otlp_udp_exporter import (OTLPUdpMetricExporter,
                                                           OTLPUdpSpanExporter)
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import SpanKind, StatusCode

ENDPOINT = sys.argv[1]
RESOURCE = Resource({"service.name": "checkout", "host.cpus": 8})


def send_spans(sampled):
    provider = TracerProvider(resource=RESOURCE)
    provider.add_span_processor(SimpleSpanProcessor(
        OTLPUdpSpanExporter(endpoint=ENDPOINT, sampled=sampled)))
    tracer = provider.get_tracer("shop", "1.2")
    with tracer.start_as_current_span("GET /pay", kind=SpanKind.SERVER) as outer:
        outer.set_attribute("http.status", 500)
        outer.set_attribute("user", "Zoë")
        outer.set_attribute("ratio", 0.25)
        outer.set_attribute("cached", False)
        outer.set_attribute("tags", ["a", "b"])
        outer.add_event("retry", {"attempt": 2})
        with tracer.start_as_current_span("SELECT", kind=SpanKind.CLIENT) as inner:
            inner.set_status(StatusCode.ERROR, "timed out")
    provider.shutdown()
    return [as_sent(span) for span in (inner, outer)]


def as_sent(span):
    return {
        "trace_id": f"{span.context.trace_id:032x}", "span_id": f"{span.context.span_id:016x}",
        "parent_id": f"{span.parent.span_id:016x}" if span.parent else None,
        "name": span.name, "start": span.start_time, "end": span.end_time,
        "events": [event.timestamp for event in span.events],
    }


def send_metric():
    provider = MeterProvider(resource=RESOURCE, metric_readers=[PeriodicExportingMetricReader(
        OTLPUdpMetricExporter(endpoint=ENDPOINT), export_interval_millis=3600 * 1000)])
    provider.get_meter("shop").create_counter("orders", unit="1").add(3, {"kind": "new"})
    provider.shutdown()


SENT = {"sampled": send_spans(True), "unsampled": send_spans(False)}
send_metric()
print(json.dumps(SENT))
