/*
 * Common code of OTLP's log records and spans, called items here. A request contains resources, a
 * resource contains scopes, and a scope contains a list of items. With view=record, each item is a
 * line, with its resource and scope. Pure functions of a decoded request.
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_ITEMS_H
#define SLUICE_PROTO_OTLP_OTLP_ITEMS_H

#include "proto/generated/otlp_resource.pb-c.h"
#include "proto/otlp/otlp_value.h"

/*
 * A schema's functions that return the number of resources in a request, of scopes in a resource,
 * and of items in a scope.
 */
struct otlp_lists {
    size_t (*resources)(const void *request);
    size_t (*scopes)(const void *request, size_t resource);
    size_t (*items)(const void *request, size_t resource, size_t scope);
};

/* The indexes of the item that otlp_next_item has found. */
struct otlp_place {
    size_t resource, scope, item;
};
struct otlp_place otlp_place_of(const struct schema_cursor *cursor);

/* Advances the cursor to the next item. Returns false after the last item. */
bool otlp_next_item(const struct otlp_lists *lists, const void *request,
                    struct schema_cursor *cursor);

/* The resource and the scope of an item; NULL if they are absent. */
struct otlp_owner {
    const Opentelemetry__Proto__Resource__V1__Resource *resource;
    ProtobufCBinaryData resource_url; /* of the resource's schema */
    const Opentelemetry__Proto__Common__V1__InstrumentationScope *scope;
    ProtobufCBinaryData scope_url;
};

/*
 * The otlp_put functions append members to a JSON object. They omit fields that are empty, 0 or
 * were not sent. `steps` is for otlp_write_attributes.
 */
void otlp_put_owner(struct output *out, const struct otlp_owner *owner, size_t *steps);
void otlp_put_attributes(struct output *out, struct otlp_attributes attributes, uint32_t dropped,
                         size_t *steps);

/* `key` has its quotes and the colon: `"name":`. */
void otlp_put_text(struct output *out, const char *key, ProtobufCBinaryData text);
void otlp_put_hex(struct output *out, const char *key, ProtobufCBinaryData bytes);
void otlp_put_number(struct output *out, const char *key, uint32_t number);
void otlp_put_time(struct output *out, const char *key, uint64_t nanoseconds);

#endif
