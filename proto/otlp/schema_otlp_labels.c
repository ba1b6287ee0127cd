/* Walks over the labels of OTLP's samples and exemplars. */
#include "proto/made_text.h"
#include "proto/message_schema.h"
#include "proto/otlp/schema_otlp.h"

/*
 * The lists of labels in the order of precedence: of two labels with the same key, the first one
 * counts.
 */
enum label_stage {
    LABEL_OF_POINT,
    LABEL_SCOPE_NAME,
    LABEL_SCOPE_VERSION,
    LABEL_OF_SCOPE,
    LABEL_OF_RESOURCE,
    LABEL_END,
};

/*
 * Reads the next attribute of the present list. At its end, begins the next stage and returns
 * false.
 */
static bool next_attribute(struct otlp_attributes attributes, struct schema_cursor *cursor,
                           struct label *label)
{
    if (cursor->index >= attributes.count) {
        cursor->stage++;
        cursor->index = 0;
        return false;
    }
    const OtlpAttribute *attribute = attributes.list[cursor->index++];
    label->key = text_of(attribute->key);
    label->value = otlp_value_text(attribute->value, cursor);
    return true;
}

/*
 * Reads the only label of the present stage, and begins the next stage. Returns false if the value
 * is empty.
 */
static bool only_label(const char *key, size_t key_size, ProtobufCBinaryData value,
                       struct schema_cursor *cursor, struct label *label)
{
    cursor->stage++;
    label->key = (struct text){key, key_size};
    label->value = text_of(value);
    return value.len != 0;
}

static bool next_of_scope(const OtlpScope *scope, struct schema_cursor *cursor, struct label *label)
{
    if (scope == NULL) {
        cursor->stage = LABEL_OF_RESOURCE;
        return false;
    }
    if (cursor->stage == LABEL_SCOPE_NAME &&
        only_label("otel.scope.name", 15, scope->name, cursor, label))
        return true;
    if (cursor->stage == LABEL_SCOPE_VERSION &&
        only_label("otel.scope.version", 18, scope->version, cursor, label))
        return true;
    return next_attribute((struct otlp_attributes){scope->attributes, scope->n_attributes}, cursor,
                          label);
}

static bool next_of_resource(const OtlpResource *resource, struct schema_cursor *cursor,
                             struct label *label)
{
    struct otlp_attributes attributes = {0};
    if (resource != NULL)
        attributes = (struct otlp_attributes){resource->attributes, resource->n_attributes};
    return next_attribute(attributes, cursor, label);
}

bool otlp_next_label(const struct schema *schema, const void *message, const struct sample *sample,
                     struct schema_cursor *cursor, struct label *label)
{
    (void)schema;
    struct otlp_origin origin = otlp_origin_of(message, sample);
    made_text_forget(cursor);
    if (cursor->stage == LABEL_OF_POINT &&
        next_attribute(otlp_point_attributes(origin.metric, sample->index), cursor, label))
        return true;
    label->shared = origin.group;
    if (cursor->stage < LABEL_OF_RESOURCE && next_of_scope(origin.scope, cursor, label))
        return true;
    return cursor->stage == LABEL_OF_RESOURCE && next_of_resource(origin.resource, cursor, label);
}

bool otlp_next_exemplar_label(const struct schema *schema, const void *message,
                              const struct sample *sample, const struct sample_exemplar *exemplar,
                              struct schema_cursor *cursor, struct label *label)
{
    (void)schema;
    const OtlpMetric *metric = otlp_origin_of(message, sample).metric;
    const OtlpExemplar *from = otlp_point_exemplars(metric, sample->index).list[exemplar->index];
    made_text_forget(cursor);
    if (cursor->stage != 0)
        return false;
    return next_attribute(
        (struct otlp_attributes){from->filtered_attributes, from->n_filtered_attributes}, cursor,
        label);
}
