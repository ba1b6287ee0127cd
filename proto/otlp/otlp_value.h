/*
 * OTLP's attributes and their values, as points, log records, spans and others have them. Pure
 * functions over a decoded request.
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_VALUE_H
#define SLUICE_PROTO_OTLP_OTLP_VALUE_H

#include "collector/contract/schema.h"
#include "proto/generated/otlp_common.pb-c.h"

typedef Opentelemetry__Proto__Common__V1__AnyValue OtlpValue;
typedef Opentelemetry__Proto__Common__V1__KeyValue OtlpAttribute;

/* A list of attributes in a message. */
struct otlp_attributes {
    OtlpAttribute *const *list;
    size_t count;
};

/*
 * Limit of the steps for comparing the keys of one message, so that a hostile message cannot keep a
 * sink busy for more than about 20 ms. Each comparison of two keys is a step, and each eight bytes
 * of the compared key are one more step.
 */
#define OTLP_KEY_STEPS 8000000

/*
 * Append the attributes as a JSON object, or a value as JSON: bytes in base64, an absent value as
 * null. If `steps` is not NULL, each key occurs only once in an object: the first attribute with
 * the key is written. *steps counts the steps of a whole message; if there are too many, `out`
 * overflows. If `steps` is NULL, every sent attribute is written.
 */
void otlp_write_attributes(struct output *out, struct otlp_attributes attributes, size_t *steps);
void otlp_write_value(struct output *out, const OtlpValue *value, size_t *steps);

/*
 * Returns a value as text: a string unchanged, a number in decimal, bytes in base64, lists and maps
 * as JSON, an absent value empty. The text is in the message or in the cursor's scratch arena (see
 * proto/made_text.h).
 */
struct text otlp_value_text(const OtlpValue *value, struct schema_cursor *cursor);

#endif
