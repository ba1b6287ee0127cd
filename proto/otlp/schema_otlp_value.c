/*
 * Writes the values of OTLP's attributes as JSON and as text. The recursion is as deep as lists and
 * maps are nested, which the decoder has limited (SCHEMA_MAX_DEPTH).
 */
#include <string.h>

#include "collector/text/base64.h"
#include "collector/text/json_writer.h"
#include "collector/text/number.h"
#include "proto/made_text.h"
#include "proto/message_schema.h"
#include "proto/otlp/otlp_value.h"

typedef Opentelemetry__Proto__Common__V1__ArrayValue ArrayValue;

#define VALUE_IS(type) OPENTELEMETRY__PROTO__COMMON__V1__ANY_VALUE__VALUE_##type##_VALUE

/* --- values as JSON --------------------------------------------------------------------------- */

static void write_list(struct output *out, const ArrayValue *list, size_t *steps)
{
    json_array_begin(out);
    for (size_t i = 0; i < list->n_values && !out->overflow; i++)
        otlp_write_value(out, list->values[i], steps);
    json_array_end(out);
}

/*
 * Returns one of 64 bits for a key, from its length and its first and last byte. Keys with
 * different bits differ, so most keys need no comparison.
 */
static uint64_t bit_of(const ProtobufCBinaryData *key)
{
    if (key->len == 0)
        return 1;
    size_t sum = key->len + key->data[0] * (size_t)5 + key->data[key->len - 1] * (size_t)7;
    return UINT64_C(1) << (sum & 63);
}

/* Returns true if an earlier attribute has the key of the attribute at `index`. Adds to *steps. */
static bool came_before(struct otlp_attributes attributes, size_t index, size_t *steps)
{
    const ProtobufCBinaryData *key = &attributes.list[index]->key;
    for (size_t i = 0; i < index && *steps <= OTLP_KEY_STEPS; i++) {
        const ProtobufCBinaryData *other = &attributes.list[i]->key;
        ++*steps;
        if (other->len != key->len)
            continue;
        *steps += key->len / 8;
        if (key->len == 0 || memcmp(other->data, key->data, key->len) == 0)
            return true;
    }
    return false;
}

void otlp_write_attributes(struct output *out, struct otlp_attributes attributes, size_t *steps)
{
    uint64_t seen = 0;
    json_object_begin(out);
    for (size_t i = 0; i < attributes.count && !out->overflow; i++) {
        const OtlpAttribute *attribute = attributes.list[i];
        uint64_t bit = bit_of(&attribute->key);
        if (steps != NULL && (seen & bit) != 0 && came_before(attributes, i, steps))
            continue;
        if (steps != NULL && *steps > OTLP_KEY_STEPS)
            out->overflow = true;
        seen |= bit;
        struct text key = text_of(attribute->key);
        json_key(out, key.data, key.size);
        otlp_write_value(out, attribute->value, steps);
    }
    json_object_end(out);
}

void otlp_write_value(struct output *out, const OtlpValue *value, size_t *steps)
{
    switch (value != NULL ? value->value_case : 0) {
    case VALUE_IS(STRING):
        json_string(out, value->string_value.data, value->string_value.len);
        break;
    case VALUE_IS(BOOL):
        json_bool(out, value->bool_value != 0);
        break;
    case VALUE_IS(INT):
        json_int64(out, value->int_value);
        break;
    case VALUE_IS(DOUBLE):
        json_double(out, value->double_value);
        break;
    case VALUE_IS(ARRAY):
        write_list(out, value->array_value, steps);
        break;
    case VALUE_IS(KVLIST):
        otlp_write_attributes(
            out,
            (struct otlp_attributes){value->kvlist_value->values, value->kvlist_value->n_values},
            steps);
        break;
    case VALUE_IS(BYTES):
        json_base64(out, value->bytes_value.data, value->bytes_value.len);
        break;
    default:
        json_null(out);
        break;
    }
}

/* --- values as text --------------------------------------------------------------------------- */

static struct text literal(const char *text, size_t size)
{
    return (struct text){text, size};
}

#define LITERAL(text) literal("" text, sizeof(text) - 1)

static struct text make_text(const OtlpValue *value, struct schema_cursor *cursor)
{
    struct output out = made_text_begin(cursor);
    if (value->value_case == VALUE_IS(BYTES))
        base64_put(&out, value->bytes_value.data, value->bytes_value.len);
    else if (value->value_case == VALUE_IS(DOUBLE))
        number_or_word_double(&out, value->double_value);
    else
        otlp_write_value(&out, value, NULL); /* NULL: with repeated keys */
    return made_text_end(cursor, &out);
}

struct text otlp_value_text(const OtlpValue *value, struct schema_cursor *cursor)
{
    switch (value != NULL ? value->value_case : 0) {
    case VALUE_IS(STRING):
        return text_of(value->string_value);
    case VALUE_IS(BOOL):
        return value->bool_value != 0 ? LITERAL("true") : LITERAL("false");
    case VALUE_IS(DOUBLE):
    case VALUE_IS(INT):
    case VALUE_IS(BYTES):
    case VALUE_IS(ARRAY):
    case VALUE_IS(KVLIST):
        return make_text(value, cursor);
    default:
        return LITERAL("");
    }
}
