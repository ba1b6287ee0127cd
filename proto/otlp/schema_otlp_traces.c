/*
 * The schema for OTLP's traces: a datagram contains an ExportTraceServiceRequest, whose spans are
 * items (otlp_items.h). There are no samples.
 */
#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/generated/otlp_trace_service.pb-c.h"
#include "proto/message_schema.h"
#include "proto/otlp/otlp_identifiers.h"
#include "proto/otlp/otlp_items.h"
#include "proto/sample_time.h"
#include "proto/schemas.h"

typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest Request;
typedef Opentelemetry__Proto__Trace__V1__ResourceSpans ResourceSpans;
typedef Opentelemetry__Proto__Trace__V1__ScopeSpans ScopeSpans;
typedef Opentelemetry__Proto__Trace__V1__Span Span;
typedef Opentelemetry__Proto__Trace__V1__Span__Event Event;
typedef Opentelemetry__Proto__Trace__V1__Span__Link Link;
typedef Opentelemetry__Proto__Trace__V1__Status Status;

extern const unsigned char otlp_trace_service_set[];
extern const size_t otlp_trace_service_set_size;

static size_t resources(const void *request)
{
    return ((const Request *)request)->n_resource_spans;
}

static size_t scopes(const void *request, size_t resource)
{
    return ((const Request *)request)->resource_spans[resource]->n_scope_spans;
}

static size_t items(const void *request, size_t resource, size_t scope)
{
    return ((const Request *)request)->resource_spans[resource]->scope_spans[scope]->n_spans;
}

static const struct otlp_lists lists = {resources, scopes, items};

static const Span *item_of(const void *request, const struct schema_cursor *cursor,
                           struct otlp_owner *owner)
{
    struct otlp_place place = otlp_place_of(cursor);
    const ResourceSpans *resource = ((const Request *)request)->resource_spans[place.resource];
    const ScopeSpans *scope = resource->scope_spans[place.scope];
    *owner = (struct otlp_owner){resource->resource, resource->schema_url, scope->scope,
                                 scope->schema_url};
    return scope->spans[place.item];
}

/* --- a span ----------------------------------------------------------------------------------- */

/* Appends an enum value by its name, or as a number if it has none. Omits the value 0. */
static void put_named(struct output *out, const char *key, const char *const *names, size_t count,
                      int32_t number)
{
    if (number == 0)
        return;
    json_raw_key(out, key, strlen(key));
    if (number > 0 && (size_t)number < count)
        json_string(out, names[number], strlen(names[number]));
    else
        json_int64(out, number);
}

static void put_kind(struct output *out, int32_t kind)
{
    static const char *const names[] = {NULL,     "internal", "server",
                                        "client", "producer", "consumer"};
    put_named(out, "\"kind\":", names, sizeof names / sizeof names[0], kind);
}

static void put_status(struct output *out, const Status *status)
{
    static const char *const names[] = {NULL, "ok", "error"};
    if (status == NULL)
        return;
    json_key_literal(out, "status");
    json_object_begin(out);
    put_named(out, "\"code\":", names, sizeof names / sizeof names[0], (int32_t)status->code);
    otlp_put_text(out, "\"message\":", status->message);
    json_object_end(out);
}

static void put_events(struct output *out, Event *const *events, size_t count, size_t *steps)
{
    if (count == 0)
        return;
    json_key_literal(out, "events");
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++) {
        const Event *event = events[i];
        json_object_begin(out);
        otlp_put_time(out, "\"time\":", event->time_unix_nano);
        otlp_put_text(out, "\"name\":", event->name);
        otlp_put_attributes(out, (struct otlp_attributes){event->attributes, event->n_attributes},
                            event->dropped_attributes_count, steps);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_links(struct output *out, Link *const *links, size_t count, size_t *steps)
{
    if (count == 0)
        return;
    json_key_literal(out, "links");
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++) {
        const Link *link = links[i];
        json_object_begin(out);
        otlp_put_hex(out, "\"trace_id\":", link->trace_id);
        otlp_put_hex(out, "\"span_id\":", link->span_id);
        otlp_put_text(out, "\"trace_state\":", link->trace_state);
        otlp_put_number(out, "\"flags\":", link->flags);
        otlp_put_attributes(out, (struct otlp_attributes){link->attributes, link->n_attributes},
                            link->dropped_attributes_count, steps);
        json_object_end(out);
    }
    json_array_end(out);
}

/* --- items ------------------------------------------------------------------------------------ */

static bool next_item(const struct schema *schema, const void *message,
                      struct schema_cursor *cursor, int64_t *time_ns)
{
    (void)schema;
    struct otlp_owner owner;
    if (!otlp_next_item(&lists, message, cursor))
        return false;
    *time_ns = sample_time_unsigned(item_of(message, cursor, &owner)->start_time_unix_nano);
    return true;
}

static void write_item(const struct schema *schema, const void *message,
                       struct schema_cursor *cursor, struct output *out)
{
    (void)schema;
    struct otlp_owner owner;
    const Span *span = item_of(message, cursor, &owner);
    size_t *steps = &cursor->stage;
    otlp_put_time(out, "\"end_time\":", span->end_time_unix_nano);
    otlp_put_hex(out, "\"trace_id\":", span->trace_id);
    otlp_put_hex(out, "\"span_id\":", span->span_id);
    otlp_put_hex(out, "\"parent_span_id\":", span->parent_span_id);
    otlp_put_text(out, "\"trace_state\":", span->trace_state);
    otlp_put_number(out, "\"flags\":", span->flags);
    otlp_put_text(out, "\"name\":", span->name);
    put_kind(out, (int32_t)span->kind);
    put_status(out, span->status);
    otlp_put_attributes(out, (struct otlp_attributes){span->attributes, span->n_attributes},
                        span->dropped_attributes_count, steps);
    put_events(out, span->events, span->n_events, steps);
    otlp_put_number(out, "\"dropped_events_count\":", span->dropped_events_count);
    put_links(out, span->links, span->n_links, steps);
    otlp_put_number(out, "\"dropped_links_count\":", span->dropped_links_count);
    otlp_put_owner(out, &owner, steps);
}

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has no options except its name */
    static const struct compiled_proto from = {
        otlp_trace_service_set, &otlp_trace_service_set_size,
        &opentelemetry__proto__collector__trace__v1__export_trace_service_request__descriptor,
        otlp_identifiers, OTLP_IDENTIFIERS};
    return message_schema_create(&schema_otlp_traces, &from, out, error);
}

const struct schema_ops schema_otlp_traces = {
    .name = "otlp-traces",
    .accepts_empty = false,
    .is_otlp = true,
    .otlp_path = "/v1/traces",
    .otlp_udp = OTLP_UDP_TRACES,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = message_schema_decode,
    .next_item = next_item,
    .write_item = write_item,
    .write_json = message_schema_write_json,
    .count_fields = message_schema_count_fields,
    .write_protobuf = message_schema_write_protobuf,
};
