/* Reads numbers, texts, bytes, enums, and the keys of maps. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/reading/json_reading.h"
#include "proto/reading/wire.h"

/* --- numbers ---------------------------------------------------------------------------------- */

struct whole {
    bool negative;
    uint64_t magnitude;
};

/*
 * Returns false if the number has a fraction, or is beyond 2^53, where it may differ from the
 * written integer.
 */
static bool whole_of_double(double value, struct whole *whole)
{
    const double limit = 9007199254740992.0;
    if (!(fabs(value) <= limit) || value != floor(value))
        return false;
    *whole = (struct whole){value < 0, (uint64_t)fabs(value)};
    return true;
}

/* Reads an integer from a number, or from a string that contains one. */
static bool whole_of(const struct json_node *value, struct whole *whole)
{
    bool is_whole;
    const char *text = value->text;
    if ((value->type != JSON_NUMBER && value->type != JSON_STRING) ||
        !json_is_number(text, value->size, &is_whole))
        return false;
    if (!is_whole)
        return whole_of_double(strtod(text, NULL), whole);
    errno = 0;
    *whole = (struct whole){text[0] == '-', strtoull(text + (text[0] == '-'), NULL, 10)};
    return errno == 0;
}

/* Reads an integer of `bits` bits. *number is its two's complement. */
static bool read_integer(struct json_reading *reading, const struct json_node *value, unsigned bits,
                         bool is_signed, uint64_t *number)
{
    struct whole whole;
    if (!whole_of(value, &whole))
        return json_refuse(reading, "%s is not an integer of 64 bits",
                           value->type == JSON_NUMBER ? value->text : json_type_name(value->type));
    uint64_t most =
        is_signed ? (UINT64_C(1) << (bits - 1)) - 1 + whole.negative : UINT64_MAX >> (64 - bits);
    if (whole.magnitude > most || (whole.negative && !is_signed && whole.magnitude != 0))
        return json_refuse(reading, "%s%" PRIu64 " is out of range of %s%u bits",
                           whole.negative ? "-" : "", whole.magnitude,
                           is_signed ? "" : "an unsigned integer of ", bits);
    *number = whole.negative ? 0 - whole.magnitude : whole.magnitude;
    return true;
}

static bool read_double(struct json_reading *reading, const struct json_node *value, double *number)
{
    bool is_whole;
    if (value->type != JSON_NUMBER && value->type != JSON_STRING)
        return json_refuse(reading, "%s is not a number", json_type_name(value->type));
    if (strcmp(value->text, "NaN") == 0)
        *number = (double)NAN;
    else if (strcmp(value->text, "Infinity") == 0)
        *number = (double)INFINITY;
    else if (strcmp(value->text, "-Infinity") == 0)
        *number = -(double)INFINITY;
    else if (json_is_number(value->text, value->size, &is_whole))
        *number = strtod(value->text, NULL);
    else
        return json_refuse(reading, "the string is not a number");
    return isfinite(*number) || value->type == JSON_STRING
               ? true
               : json_refuse(reading, "%s is out of range of a double", value->text);
}

/*
 * The smallest double that rounds to an infinite float. Smaller ones round to FLT_MAX, whose
 * shortest text is above FLT_MAX.
 */
#define FLOAT_TOO_LARGE 0x1.ffffffp127

static bool put_float(struct json_reading *reading, unsigned number, const struct json_node *value)
{
    double read;
    if (!read_double(reading, value, &read))
        return false;
    if (isfinite(read) && fabs(read) >= FLOAT_TOO_LARGE)
        return json_refuse(reading, "%g is out of range of a float", read);
    wire_float(reading->out, number, (float)read);
    return true;
}

static bool put_double(struct json_reading *reading, unsigned number, const struct json_node *value)
{
    double read;
    if (!read_double(reading, value, &read))
        return false;
    wire_double(reading->out, number, read);
    return true;
}

static uint64_t zigzag(uint64_t number)
{
    return number << 1 ^ (number >> 63 != 0 ? UINT64_MAX : 0);
}

static bool put_integer(struct json_reading *reading, const struct field_type *field,
                        const struct json_node *value)
{
    unsigned bits = field->size == 4 ? 32 : 64;
    bool is_signed = field->kind != KIND_UINT32 && field->kind != KIND_UINT64 &&
                     field->kind != KIND_FIXED32 && field->kind != KIND_FIXED64;
    uint64_t number;
    if (!read_integer(reading, value, bits, is_signed, &number))
        return false;
    switch (field->kind) {
    case KIND_FIXED64:
    case KIND_SFIXED64:
        wire_fixed64(reading->out, field->number, number);
        break;
    case KIND_FIXED32:
    case KIND_SFIXED32:
        wire_fixed32(reading->out, field->number, (uint32_t)number);
        break;
    case KIND_SINT32:
    case KIND_SINT64:
        wire_varint(reading->out, field->number, zigzag(number));
        break;
    default:
        wire_varint(reading->out, field->number, number);
        break;
    }
    return true;
}

/* --- texts, bytes, enums, bools --------------------------------------------------------------- */

static bool put_string(struct json_reading *reading, unsigned number, const struct json_node *value)
{
    if (value->type != JSON_STRING)
        return json_refuse(reading, "%s is not a string", json_type_name(value->type));
    wire_bytes(reading->out, number, value->text, value->size);
    return true;
}

/* Returns the value of a base64 digit in either alphabet (RFC 4648, sections 4 and 5), or -1. */
static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    if (at != NULL)
        return (int)(at - digits);
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/*
 * Decodes base64 in place; the padding may be missing. Returns the size, or SIZE_MAX if it is not
 * base64.
 */
static size_t decode_base64(char *text, size_t length)
{
    size_t size = 0;
    uint32_t bits = 0;
    unsigned count = 0;
    size_t padding = 0;
    while (length > 0 && padding < 2 && text[length - 1] == '=') {
        length--;
        padding++;
    }
    if ((padding != 0 && (length + padding) % 4 != 0) || length % 4 == 1)
        return SIZE_MAX;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0)
            return SIZE_MAX;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            text[size++] = (char)(bits >> count & 0xff);
        }
    }
    return size;
}

static bool put_bytes(struct json_reading *reading, unsigned number, const struct json_node *value)
{
    if (value->type != JSON_STRING)
        return json_refuse(reading, "%s is not a string of base64", json_type_name(value->type));
    size_t length = value->size;
    char *bytes = malloc(length + 1);
    if (bytes == NULL) {
        error_no_memory(reading->error);
        return false;
    }
    memcpy(bytes, value->text, length + 1);
    size_t size = decode_base64(bytes, length);
    if (size != SIZE_MAX)
        wire_bytes(reading->out, number, bytes, size);
    free(bytes);
    return size != SIZE_MAX ? true : json_refuse(reading, "the string is not base64");
}

static const ProtobufCEnumValue *value_named(const ProtobufCEnumDescriptor *type, const char *name)
{
    for (unsigned i = 0; i < type->n_value_names; i++)
        if (strcmp(type->values_by_name[i].name, name) == 0)
            return &type->values[type->values_by_name[i].index];
    return NULL;
}

static bool put_enum(struct json_reading *reading, const struct field_type *field,
                     const struct json_node *value)
{
    uint64_t number;
    if (field->null_value && value->type == JSON_NULL) {
        wire_varint(reading->out, field->number, 0);
        return true;
    }
    if (value->type == JSON_STRING) {
        const ProtobufCEnumValue *found = value_named(field->enumeration, value->text);
        if (found == NULL)
            return json_refuse(reading, "%s has no value \"%s\"", field->enumeration->name,
                               value->text);
        number = (uint64_t)(int64_t)found->value;
    } else if (!read_integer(reading, value, 32, true, &number)) {
        return false;
    } else if (field->closed && enum_find(field->enumeration, (int32_t)number) == NULL) {
        return json_refuse(reading, "%s has no value %" PRId32, field->enumeration->name,
                           (int32_t)number);
    }
    wire_varint(reading->out, field->number, number);
    return true;
}

static bool put_bool(struct json_reading *reading, unsigned number, const struct json_node *value)
{
    if (value->type != JSON_TRUE && value->type != JSON_FALSE)
        return json_refuse(reading, "%s is not a bool", json_type_name(value->type));
    wire_varint(reading->out, number, value->type == JSON_TRUE);
    return true;
}

/* --- any scalar ------------------------------------------------------------------------------- */

bool json_put_scalar(struct json_reading *reading, const struct field_type *field,
                     const struct json_node *value)
{
    switch (field->kind) {
    case KIND_DOUBLE:
        return put_double(reading, field->number, value);
    case KIND_FLOAT:
        return put_float(reading, field->number, value);
    case KIND_BOOL:
        return put_bool(reading, field->number, value);
    case KIND_STRING:
        return put_string(reading, field->number, value);
    case KIND_BYTES:
        return put_bytes(reading, field->number, value);
    case KIND_ENUM:
        return put_enum(reading, field, value);
    default:
        return put_integer(reading, field, value);
    }
}

/* A key is always a string in JSON. */
bool json_put_key(struct json_reading *reading, const struct field_type *field,
                  const struct json_node *member)
{
    const struct json_node key = {
        .type = JSON_STRING, .text = member->name, .size = member->name_size, .at = member->at};
    if (field->kind != KIND_BOOL)
        return json_put_scalar(reading, field, &key);
    bool yes = strcmp(key.text, "true") == 0;
    if (!yes && strcmp(key.text, "false") != 0)
        return json_refuse(reading, "the key is neither \"true\" nor \"false\"");
    wire_varint(reading->out, field->number, yes);
    return true;
}
