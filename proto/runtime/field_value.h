/* Reads the value of a field as a number and as text, for all kinds except messages. Pure. */
#ifndef SLUICE_PROTO_RUNTIME_FIELD_VALUE_H
#define SLUICE_PROTO_RUNTIME_FIELD_VALUE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

enum field_number_type { FIELD_SIGNED, FIELD_UNSIGNED, FIELD_DOUBLE, FIELD_FLOAT };

/* A number. Enums and bools are FIELD_SIGNED. For FIELD_FLOAT, as_double has the equal double. */
struct field_number {
    enum field_number_type type;
    union {
        int64_t as_signed;
        uint64_t as_unsigned;
        double as_double;
    } is;
};

/*
 * field_is_number returns true for a number, an enum or a bool. field_is_integer returns true for
 * an integer that is neither an enum nor a bool.
 */
bool field_is_number(const struct field_type *field);
bool field_is_integer(const struct field_type *field);

/* Reads the number at `value`; field_is_number must be true. */
struct field_number field_read_number(const struct field_type *field, const void *value);

/*
 * Appends a value as plain text: numbers as in JSON, true or false, an enum's name, a string
 * unchanged, bytes in base64.
 */
void field_write_text(const struct field_type *field, const void *value, struct output *out);

#endif
