/*
 * Common code of OTLP's log records and spans: they are in lists of a resource and a scope, and
 * each is a line of view=record with both. Pure functions over a decoded request.
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_ITEMS_H
#define SLUICE_PROTO_OTLP_OTLP_ITEMS_H

#include "proto/generated/otlp_resource.pb-c.h"
#include "proto/otlp/otlp_value.h"

/* The items of a request, by the indexes of their resource and their scope. */
struct otlp_lists {
    size_t (*resources)(const void *request);
    size_t (*scopes)(const void *request, size_t resource);
    size_t (*items)(const void *request, size_t resource, size_t scope);
};

/* The item of a cursor, found by otlp_next_item. */
struct otlp_place {
    size_t resource, scope, item;
};
struct otlp_place otlp_place_of(const struct schema_cursor *cursor);

/* Advances to the next item. Returns false at the end. */
bool otlp_next_item(const struct otlp_lists *lists, const void *request,
                    struct schema_cursor *cursor);

/* The owners of an item; NULL if absent. */
struct otlp_owner {
    const Opentelemetry__Proto__Resource__V1__Resource *resource;
    ProtobufCBinaryData resource_url; /* of its schema */
    const Opentelemetry__Proto__Common__V1__InstrumentationScope *scope;
    ProtobufCBinaryData scope_url;
};

/*
 * Each of these appends members of a JSON object and omits fields that were not sent, are empty or
 * are 0. `steps` is that of otlp_write_attributes.
 */
void otlp_put_owner(struct output *out, const struct otlp_owner *owner, size_t *steps);
void otlp_put_attributes(struct output *out, struct otlp_attributes attributes, uint32_t dropped,
                         size_t *steps);

/* Includes the quotes and a colon: `"name":`. */
void otlp_put_text(struct output *out, const char *key, ProtobufCBinaryData text);
void otlp_put_hex(struct output *out, const char *key, ProtobufCBinaryData bytes);
void otlp_put_number(struct output *out, const char *key, uint32_t number);
void otlp_put_time(struct output *out, const char *key, uint64_t nanoseconds);

#endif
