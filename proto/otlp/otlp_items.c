#include "proto/otlp/otlp_items.h"

#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/sample_time.h"

typedef Opentelemetry__Proto__Resource__V1__Resource Resource;
typedef Opentelemetry__Proto__Common__V1__InstrumentationScope Scope;
typedef Opentelemetry__Proto__Common__V1__EntityRef EntityRef;

/*
 * Indexes in schema_cursor.outer. schema_cursor.index is the number of items found in the scope so
 * far.
 */
enum { OUTER_RESOURCE, OUTER_SCOPE };

/* --- the walk --------------------------------------------------------------------------------- */

bool otlp_next_item(const struct otlp_lists *lists, const void *request,
                    struct schema_cursor *cursor)
{
    size_t *resource = &cursor->outer[OUTER_RESOURCE];
    size_t *scope = &cursor->outer[OUTER_SCOPE];
    for (; *resource < lists->resources(request); ++*resource) {
        for (; *scope < lists->scopes(request, *resource); ++*scope) {
            if (cursor->index++ < lists->items(request, *resource, *scope))
                return true;
            cursor->index = 0;
        }
        *scope = 0;
    }
    return false;
}

struct otlp_place otlp_place_of(const struct schema_cursor *cursor)
{
    return (struct otlp_place){cursor->outer[OUTER_RESOURCE], cursor->outer[OUTER_SCOPE],
                               cursor->index - 1};
}

/* --- members ---------------------------------------------------------------------------------- */

static void put_key(struct output *out, const char *key)
{
    json_raw_key(out, key, strlen(key));
}

void otlp_put_text(struct output *out, const char *key, ProtobufCBinaryData text)
{
    if (text.len == 0)
        return;
    put_key(out, key);
    json_string(out, text.data, text.len);
}

void otlp_put_hex(struct output *out, const char *key, ProtobufCBinaryData bytes)
{
    if (bytes.len == 0)
        return;
    put_key(out, key);
    json_hex(out, bytes.data, bytes.len);
}

void otlp_put_number(struct output *out, const char *key, uint32_t number)
{
    if (number == 0)
        return;
    put_key(out, key);
    json_uint64(out, number);
}

void otlp_put_time(struct output *out, const char *key, uint64_t nanoseconds)
{
    int64_t time = sample_time_unsigned(nanoseconds);
    if (time == 0)
        return;
    put_key(out, key);
    json_time(out, time);
}

void otlp_put_attributes(struct output *out, struct otlp_attributes attributes, uint32_t dropped,
                         size_t *steps)
{
    if (attributes.count != 0) {
        json_key_literal(out, "attributes");
        otlp_write_attributes(out, attributes, steps);
    }
    otlp_put_number(out, "\"dropped_attributes_count\":", dropped);
}

/* --- the resource and the scope of an item ---------------------------------------------------- */

static void put_texts(struct output *out, const char *key, const ProtobufCBinaryData *texts,
                      size_t count)
{
    if (count == 0)
        return;
    put_key(out, key);
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++)
        json_string(out, texts[i].data, texts[i].len);
    json_array_end(out);
}

static void put_entities(struct output *out, EntityRef *const *entities, size_t count)
{
    if (count == 0)
        return;
    json_key_literal(out, "entity_refs");
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++) {
        const EntityRef *entity = entities[i];
        json_object_begin(out);
        otlp_put_text(out, "\"schema_url\":", entity->schema_url);
        otlp_put_text(out, "\"type\":", entity->type);
        put_texts(out, "\"id_keys\":", entity->id_keys, entity->n_id_keys);
        put_texts(out, "\"description_keys\":", entity->description_keys,
                  entity->n_description_keys);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_scope(struct output *out, const Scope *scope, ProtobufCBinaryData url,
                      size_t *steps)
{
    if (scope == NULL && url.len == 0)
        return;
    json_key_literal(out, "scope");
    json_object_begin(out);
    if (scope != NULL) {
        otlp_put_text(out, "\"name\":", scope->name);
        otlp_put_text(out, "\"version\":", scope->version);
        otlp_put_attributes(out, (struct otlp_attributes){scope->attributes, scope->n_attributes},
                            scope->dropped_attributes_count, steps);
    }
    otlp_put_text(out, "\"schema_url\":", url);
    json_object_end(out);
}

static void put_resource(struct output *out, const Resource *resource, ProtobufCBinaryData url,
                         size_t *steps)
{
    if (resource == NULL && url.len == 0)
        return;
    json_key_literal(out, "resource");
    json_object_begin(out);
    if (resource != NULL) {
        otlp_put_attributes(out,
                            (struct otlp_attributes){resource->attributes, resource->n_attributes},
                            resource->dropped_attributes_count, steps);
        put_entities(out, resource->entity_refs, resource->n_entity_refs);
    }
    otlp_put_text(out, "\"schema_url\":", url);
    json_object_end(out);
}

void otlp_put_owner(struct output *out, const struct otlp_owner *owner, size_t *steps)
{
    put_scope(out, owner->scope, owner->scope_url, steps);
    put_resource(out, owner->resource, owner->resource_url, steps);
}
