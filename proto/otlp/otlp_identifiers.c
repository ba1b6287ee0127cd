#include "proto/otlp/otlp_identifiers.h"

#define LOG_RECORD "opentelemetry.proto.logs.v1.LogRecord"
#define SPAN       "opentelemetry.proto.trace.v1.Span"
#define LINK       "opentelemetry.proto.trace.v1.Span.Link"
#define EXEMPLAR   "opentelemetry.proto.metrics.v1.Exemplar"

const struct field_change otlp_identifiers[OTLP_IDENTIFIERS] = {
    {.message = LOG_RECORD, .field = "trace_id", .hex = true},
    {.message = LOG_RECORD, .field = "span_id", .hex = true},
    {.message = SPAN, .field = "trace_id", .hex = true},
    {.message = SPAN, .field = "span_id", .hex = true},
    {.message = SPAN, .field = "parent_span_id", .hex = true},
    {.message = LINK, .field = "trace_id", .hex = true},
    {.message = LINK, .field = "span_id", .hex = true},
    {.message = EXEMPLAR, .field = "trace_id", .hex = true},
    {.message = EXEMPLAR, .field = "span_id", .hex = true},
};
