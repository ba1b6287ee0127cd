/*
 * The attributes of OTLP and their values: of points, log records, spans and whatever has them.
 * Pure functions over a decoded request.
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_VALUE_H
#define SLUICE_PROTO_OTLP_OTLP_VALUE_H

#include "collector/contract/schema.h"
#include "proto/generated/otlp_common.pb-c.h"

typedef Opentelemetry__Proto__Common__V1__AnyValue OtlpValue;
typedef Opentelemetry__Proto__Common__V1__KeyValue OtlpAttribute;

/* A list of them, as it stands in a message. */
struct otlp_attributes {
    OtlpAttribute *const *list;
    size_t count;
};

/*
 * Steps that comparing the keys of one message may take (one for each comparison, and for eight
 * bytes of each key in it), so that a message made for it cannot keep a sink busy: some 20 ms.
 */
#define OTLP_KEY_STEPS 8000000

/*
 * Appends the attributes as a JSON object, and a value as JSON: bytes in base64, one that is not
 * there as null. With `steps`, which counts them for all of a message, no key stands twice in an
 * object: the first one counts. `out` overflows where there were too many steps. NULL: every key
 * that was sent is there.
 */
void otlp_write_attributes(struct output *out, struct otlp_attributes attributes, size_t *steps);
void otlp_write_value(struct output *out, const OtlpValue *value, size_t *steps);

/*
 * A value as text: a string as it is, a number in decimal, bytes in base64, lists and maps as JSON;
 * a value that is none is empty. It stands in the message or in the cursor's scratch arena, see
 * proto/made_text.h.
 */
struct text otlp_value_text(const OtlpValue *value, struct schema_cursor *cursor);

#endif
