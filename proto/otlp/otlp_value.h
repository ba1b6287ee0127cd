/*
 * Writes OTLP's attributes and their values as JSON or text. Points, log records, spans, scopes and
 * resources have attributes. Pure functions of a decoded request.
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_VALUE_H
#define SLUICE_PROTO_OTLP_OTLP_VALUE_H

#include "collector/contract/schema.h"
#include "proto/generated/otlp_common.pb-c.h"

typedef Opentelemetry__Proto__Common__V1__AnyValue OtlpValue;
typedef Opentelemetry__Proto__Common__V1__KeyValue OtlpAttribute;

struct otlp_attributes {
    OtlpAttribute *const *list;
    size_t count;
};

/*
 * The most steps for comparing the keys of one message, so that a hostile message cannot occupy a
 * sink for more than about 20 ms. Each comparison of two keys counts as a step, and each eight
 * bytes of a compared key count as one more.
 */
#define OTLP_KEY_STEPS 8000000

/*
 * Append attributes as a JSON object, or a value as JSON: bytes in base64, an absent value as null.
 * If `steps` is NULL, all attributes are written. Otherwise only the first attribute with each key
 * is written, and *steps counts the steps of the whole message; `out` overflows if there are too
 * many.
 */
void otlp_write_attributes(struct output *out, struct otlp_attributes attributes, size_t *steps);
void otlp_write_value(struct output *out, const OtlpValue *value, size_t *steps);

/*
 * Returns a value as text: a string unchanged, a number in decimal, bytes in base64, lists and maps
 * as JSON, an absent value as "". The text is in the message or in the cursor's scratch arena
 * (proto/made_text.h).
 */
struct text otlp_value_text(const OtlpValue *value, struct schema_cursor *cursor);

#endif
