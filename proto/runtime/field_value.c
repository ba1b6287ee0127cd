#include "proto/runtime/field_value.h"

#include <string.h>

#include "collector/text/base64.h"
#include "collector/text/number.h"

bool field_is_number(const struct field_type *field)
{
    return field->message == NULL && field->kind != KIND_STRING && field->kind != KIND_BYTES;
}

bool field_is_integer(const struct field_type *field)
{
    return field_is_number(field) && field->kind != KIND_DOUBLE && field->kind != KIND_FLOAT &&
           field->kind != KIND_BOOL && field->kind != KIND_ENUM;
}

struct field_number field_read_number(const struct field_type *field, const void *value)
{
    switch (field->kind) {
    case KIND_DOUBLE:
        return (struct field_number){FIELD_DOUBLE, {.as_double = *(const double *)value}};
    case KIND_FLOAT:
        return (struct field_number){FIELD_FLOAT, {.as_double = *(const float *)value}};
    case KIND_UINT64:
    case KIND_FIXED64:
        return (struct field_number){FIELD_UNSIGNED, {.as_unsigned = *(const uint64_t *)value}};
    case KIND_UINT32:
    case KIND_FIXED32:
        return (struct field_number){FIELD_UNSIGNED, {.as_unsigned = *(const uint32_t *)value}};
    case KIND_INT64:
    case KIND_SINT64:
    case KIND_SFIXED64:
        return (struct field_number){FIELD_SIGNED, {.as_signed = *(const int64_t *)value}};
    default: /* 32-bit kinds, enums and bools */
        return (struct field_number){FIELD_SIGNED, {.as_signed = *(const int32_t *)value}};
    }
}

static void write_number(struct field_number number, struct output *out)
{
    switch (number.type) {
    case FIELD_SIGNED:
        number_int64(out, number.is.as_signed);
        break;
    case FIELD_UNSIGNED:
        number_uint64(out, number.is.as_unsigned);
        break;
    case FIELD_DOUBLE:
        number_or_word_double(out, number.is.as_double);
        break;
    case FIELD_FLOAT:
        number_or_word_float(out, (float)number.is.as_double);
        break;
    }
}

static void write_bool(bool value, struct output *out)
{
    if (value)
        output_literal(out, "true");
    else
        output_literal(out, "false");
}

static void write_enum(const struct field_type *field, int32_t number, struct output *out)
{
    const ProtobufCEnumValue *named = enum_find(field->enumeration, number);
    if (named != NULL)
        output_bytes(out, named->name, strlen(named->name));
    else
        number_int64(out, number);
}

void field_write_text(const struct field_type *field, const void *value, struct output *out)
{
    const ProtobufCBinaryData *bytes = value;
    switch (field->kind) {
    case KIND_STRING:
        output_bytes(out, bytes->data, bytes->len);
        break;
    case KIND_BYTES:
        base64_put(out, bytes->data, bytes->len);
        break;
    case KIND_BOOL:
        write_bool(*(const protobuf_c_boolean *)value != 0, out);
        break;
    case KIND_ENUM:
        write_enum(field, *(const int32_t *)value, out);
        break;
    default:
        write_number(field_read_number(field, value), out);
        break;
    }
}
