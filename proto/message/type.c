#include "proto/message/type.h"

#include <string.h>

static bool is_zero(const void *bytes, size_t size)
{
    static const char zeroes[16];
    return memcmp(bytes, zeroes, size) == 0;
}

/* Replaces protobuf-c's own search, which fails for a value of INT_MAX. */
const ProtobufCEnumValue *enum_find(const ProtobufCEnumDescriptor *type, int32_t number)
{
    size_t low = 0;
    size_t high = type->n_values;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (type->values[middle].value == number)
            return &type->values[middle];
        if (type->values[middle].value < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool field_is_present(const struct field_type *field, const void *message)
{
    const void *at = field_value(field, message);
    const char *quantifier = (const char *)message + field->quantifier;
    switch (field->presence) {
    case PRESENCE_FLAG:
        return *(const protobuf_c_boolean *)(const void *)quantifier != 0;
    case PRESENCE_ONEOF:
        return *(const uint32_t *)(const void *)quantifier == field->number;
    case PRESENCE_REPEATED:
        return field_elements(field, message) != 0;
    case PRESENCE_POINTER:
        return *(const void *const *)at != NULL;
    case PRESENCE_REQUIRED:
        return field->message == NULL || *(const void *const *)at != NULL;
    default:
        if (field->kind == KIND_STRING || field->kind == KIND_BYTES)
            return ((const ProtobufCBinaryData *)at)->len != 0;
        return !is_zero(at, field->size); /* -0.0 is not zero */
    }
}
