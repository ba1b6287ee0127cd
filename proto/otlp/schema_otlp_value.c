/*
 * The values of OTLP's attributes as text. Lists and maps nest no deeper than the decoder lets them
 * (SCHEMA_MAX_DEPTH), which bounds the recursion.
 */

#include "collector/text/base64.h"
#include "collector/text/json_writer.h"
#include "collector/text/number.h"
#include "proto/made_text.h"
#include "proto/message_schema.h"
#include "proto/otlp/schema_otlp.h"

typedef Opentelemetry__Proto__Common__V1__ArrayValue ArrayValue;
typedef Opentelemetry__Proto__Common__V1__KeyValueList KeyValueList;

#define VALUE_IS(type) OPENTELEMETRY__PROTO__COMMON__V1__ANY_VALUE__VALUE_##type##_VALUE

/* --- inside a list or a map ------------------------------------------------------------------- */

static void write_value(struct output *out, const OtlpValue *value);

static void write_list(struct output *out, const ArrayValue *list)
{
    json_array_begin(out);
    for (size_t i = 0; i < list->n_values && !out->overflow; i++)
        write_value(out, list->values[i]);
    json_array_end(out);
}

/* A key that was sent twice stands there twice: this is what was sent, and no line of ours. */
static void write_map(struct output *out, const KeyValueList *map)
{
    json_object_begin(out);
    for (size_t i = 0; i < map->n_values && !out->overflow; i++) {
        const OtlpAttribute *member = map->values[i];
        struct text key = text_of(member->key);
        json_key(out, key.data, key.size);
        write_value(out, member->value);
    }
    json_object_end(out);
}

static void write_value(struct output *out, const OtlpValue *value)
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
        write_list(out, value->array_value);
        break;
    case VALUE_IS(KVLIST):
        write_map(out, value->kvlist_value);
        break;
    case VALUE_IS(BYTES):
        json_base64(out, value->bytes_value.data, value->bytes_value.len);
        break;
    default:
        json_null(out);
        break;
    }
}

/* --- by itself -------------------------------------------------------------------------------- */

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
        write_value(&out, value);
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
