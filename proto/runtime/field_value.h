/*
 * The value of a field of any kind, as a number and as text. Not for messages. Pure.
 */
#ifndef SLUICE_PROTO_RUNTIME_FIELD_VALUE_H
#define SLUICE_PROTO_RUNTIME_FIELD_VALUE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

enum field_number_type { FIELD_SIGNED, FIELD_UNSIGNED, FIELD_DOUBLE, FIELD_FLOAT };

/* Enums and bools are signed. A float's number is the equal double. */
struct field_number {
    enum field_number_type type;
    union {
        int64_t as_signed;
        uint64_t as_unsigned;
        double as_double;
    } is;
};

/* Whether it is a number, including enums and bools; and an integer, excluding them. */
bool field_is_number(const struct field_type *field);
bool field_is_integer(const struct field_type *field);

/* The number at `value`, for a numeric field. */
struct field_number field_read_number(const struct field_type *field, const void *value);

/*
 * Appends a value as plain text: numbers as in JSON, true or false, an enum's name, a string
 * unchanged, bytes in base64.
 */
void field_write_text(const struct field_type *field, const void *value, struct output *out);

#endif
