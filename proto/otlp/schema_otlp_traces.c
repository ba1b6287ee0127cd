/* OTLP's traces: one ExportTraceServiceRequest a datagram. They hold no samples. */
#include "proto/generated/otlp_trace_service.pb-c.h"
#include "proto/message_schema.h"
#include "proto/schemas.h"

extern const unsigned char otlp_trace_service_set[];
extern const size_t otlp_trace_service_set_size;

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has none but its name */
    static const struct compiled_proto from = {
        otlp_trace_service_set, &otlp_trace_service_set_size,
        &opentelemetry__proto__collector__trace__v1__export_trace_service_request__descriptor};
    return message_schema_create(&schema_otlp_traces, &from, out, error);
}

const struct schema_ops schema_otlp_traces = {
    .name = "otlp-traces",
    .accepts_empty = false,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = message_schema_decode,
    .write_json = message_schema_write_json,
    .count_fields = message_schema_count_fields,
    .write_protobuf = message_schema_write_protobuf,
};
