/*
 * The schema for OTLP's logs: a datagram contains an ExportLogsServiceRequest, whose log records
 * are items (otlp_items.h). There are no samples.
 */
#include "collector/text/json_writer.h"
#include "proto/generated/otlp_logs_service.pb-c.h"
#include "proto/message_schema.h"
#include "proto/otlp/otlp_identifiers.h"
#include "proto/otlp/otlp_items.h"
#include "proto/sample_time.h"
#include "proto/schemas.h"

typedef Opentelemetry__Proto__Collector__Logs__V1__ExportLogsServiceRequest Request;
typedef Opentelemetry__Proto__Logs__V1__ResourceLogs ResourceLogs;
typedef Opentelemetry__Proto__Logs__V1__ScopeLogs ScopeLogs;
typedef Opentelemetry__Proto__Logs__V1__LogRecord LogRecord;

extern const unsigned char otlp_logs_service_set[];
extern const size_t otlp_logs_service_set_size;

static size_t resources(const void *request)
{
    return ((const Request *)request)->n_resource_logs;
}

static size_t scopes(const void *request, size_t resource)
{
    return ((const Request *)request)->resource_logs[resource]->n_scope_logs;
}

static size_t items(const void *request, size_t resource, size_t scope)
{
    return ((const Request *)request)->resource_logs[resource]->scope_logs[scope]->n_log_records;
}

static const struct otlp_lists lists = {resources, scopes, items};

static const LogRecord *item_of(const void *request, const struct schema_cursor *cursor,
                                struct otlp_owner *owner)
{
    struct otlp_place place = otlp_place_of(cursor);
    const ResourceLogs *resource = ((const Request *)request)->resource_logs[place.resource];
    const ScopeLogs *scope = resource->scope_logs[place.scope];
    *owner = (struct otlp_owner){resource->resource, resource->schema_url, scope->scope,
                                 scope->schema_url};
    return scope->log_records[place.item];
}

/*
 * Returns the time of the event or, if it was not sent, the time when it was observed, as
 * OpenTelemetry's data model of logs recommends.
 */
static int64_t time_of(const LogRecord *record)
{
    int64_t time = sample_time_unsigned(record->time_unix_nano);
    return time != 0 ? time : sample_time_unsigned(record->observed_time_unix_nano);
}

static bool next_item(const struct schema *schema, const void *message,
                      struct schema_cursor *cursor, int64_t *time_ns)
{
    (void)schema;
    struct otlp_owner owner;
    if (!otlp_next_item(&lists, message, cursor))
        return false;
    *time_ns = time_of(item_of(message, cursor, &owner));
    return true;
}

static void write_item(const struct schema *schema, const void *message,
                       struct schema_cursor *cursor, struct output *out)
{
    (void)schema;
    struct otlp_owner owner;
    const LogRecord *record = item_of(message, cursor, &owner);
    size_t *steps = &cursor->stage;
    otlp_put_time(out, "\"observed_time\":", record->observed_time_unix_nano);
    otlp_put_text(out, "\"event_name\":", record->event_name);
    if (record->severity_number != 0) {
        json_key_literal(out, "severity_number");
        json_int64(out, (int32_t)record->severity_number);
    }
    otlp_put_text(out, "\"severity_text\":", record->severity_text);
    if (record->body != NULL) {
        json_key_literal(out, "body");
        otlp_write_value(out, record->body, steps);
    }
    otlp_put_attributes(out, (struct otlp_attributes){record->attributes, record->n_attributes},
                        record->dropped_attributes_count, steps);
    otlp_put_hex(out, "\"trace_id\":", record->trace_id);
    otlp_put_hex(out, "\"span_id\":", record->span_id);
    otlp_put_number(out, "\"flags\":", record->flags);
    otlp_put_owner(out, &owner, steps);
}

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has no options except its name */
    static const struct compiled_proto from = {
        otlp_logs_service_set, &otlp_logs_service_set_size,
        &opentelemetry__proto__collector__logs__v1__export_logs_service_request__descriptor,
        otlp_identifiers, OTLP_IDENTIFIERS};
    return message_schema_create(&schema_otlp_logs, &from, out, error);
}

const struct schema_ops schema_otlp_logs = {
    .name = "otlp-logs",
    .accepts_empty = false,
    .is_otlp = true,
    .otlp_path = "/v1/logs",
    .otlp_udp = OTLP_UDP_NONE,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = message_schema_decode,
    .next_item = next_item,
    .write_item = write_item,
    .write_json = message_schema_write_json,
    .count_fields = message_schema_count_fields,
    .write_protobuf = message_schema_write_protobuf,
};
