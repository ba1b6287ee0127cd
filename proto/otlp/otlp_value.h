/*
 * OTLP's attributes and their values, of points, log records, spans and others. Pure functions over
 * a decoded request.
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
 * Limit of the steps of comparing the keys of one message (one for each comparison, and for eight
 * bytes of each key), so that a hostile message cannot keep a sink busy for more than about 20 ms.
 */
#define OTLP_KEY_STEPS 8000000

/*
 * Appends the attributes as a JSON object, and a value as JSON: bytes in base64, an absent value as
 * null. With `steps`, which counts for a whole message, each key occurs only once in an object: the
 * first one counts. `out` overflows if there were too many steps. With NULL every sent key is
 * written.
 */
void otlp_write_attributes(struct output *out, struct otlp_attributes attributes, size_t *steps);
void otlp_write_value(struct output *out, const OtlpValue *value, size_t *steps);

/*
 * A value as text: a string unchanged, a number in decimal, bytes in base64, lists and maps as
 * JSON, an absent value empty. The text is in the message or in the cursor's scratch arena; see
 * proto/made_text.h.
 */
struct text otlp_value_text(const OtlpValue *value, struct schema_cursor *cursor);

#endif
