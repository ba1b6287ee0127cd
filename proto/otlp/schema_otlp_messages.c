/*
 * OTLP's logs and traces: one ExportLogsServiceRequest or ExportTraceServiceRequest a datagram.
 * They hold no samples.
 */
#include "proto/generated/otlp_logs_service.pb-c.h"
#include "proto/generated/otlp_trace_service.pb-c.h"
#include "proto/message_schema.h"
#include "proto/schemas.h"

/*
 * ROW(SCHEMA, NAME, SIGNAL, FILE, DESCRIPTOR): schema_SCHEMA, called NAME, of FILE.proto; SIGNAL is
 * what it is in OTLP over UDP.
 */
#define SCHEMAS(ROW)                                                                               \
    ROW(otlp_logs, "otlp-logs", OTLP_UDP_NONE, otlp_logs_service,                                  \
        opentelemetry__proto__collector__logs__v1__export_logs_service_request__descriptor)        \
    ROW(otlp_traces, "otlp-traces", OTLP_UDP_TRACES, otlp_trace_service,                           \
        opentelemetry__proto__collector__trace__v1__export_trace_service_request__descriptor)

#define SCHEMA(id, given_name, signal, file, descriptor)                                           \
    extern const unsigned char file##_set[];                                                       \
    extern const size_t file##_set_size;                                                           \
                                                                                                   \
    static int create_##id(const struct schema_options *options, struct schema **out,              \
                           struct error *error)                                                    \
    {                                                                                              \
        (void)options; /* a built-in schema has none but its name */                               \
        static const struct compiled_proto from = {file##_set, &file##_set_size, &(descriptor)};   \
        return message_schema_create(&schema_##id, &from, out, error);                             \
    }                                                                                              \
                                                                                                   \
    const struct schema_ops schema_##id = {                                                        \
        .name = given_name,                                                                        \
        .accepts_empty = false,                                                                    \
        .otlp_udp = (signal),                                                                      \
        .create = create_##id,                                                                     \
        .destroy = message_schema_destroy,                                                         \
        .decode = message_schema_decode,                                                           \
        .write_json = message_schema_write_json,                                                   \
        .count_fields = message_schema_count_fields,                                               \
        .write_protobuf = message_schema_write_protobuf,                                           \
    };

SCHEMAS(SCHEMA)
