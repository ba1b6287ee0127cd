/*
 * Appends JSON (RFC 8259) to an output: strings, keys and numbers, with the commas between them. No
 * writer object exists: a value or key gets a comma unless the last byte written is '{', '[', ':'
 * or a newline. The output is valid UTF-8 and valid JSON for any input. One thread per output.
 */
#ifndef SLUICE_COLLECTOR_TEXT_JSON_WRITER_H
#define SLUICE_COLLECTOR_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/compiler.h"
#include "collector/text/output.h"
#include "collector/text/plain_text.h"

/*
 * Open or close an object or array. The functions that open one first write a comma if it is due.
 */
void json_object_begin(struct output *out);
void json_object_end(struct output *out);
void json_array_begin(struct output *out);
void json_array_end(struct output *out);

/* Appends a comma if one is due, then "key": with `length` bytes, escaped as json_string does. */
void json_key(struct output *out, const char *key, size_t length);

/* Appends a key that is a literal and needs no escaping, as json_key does. */
#define json_key_literal(out, literal) json_raw_key((out), "\"" literal "\":", sizeof(literal) + 2)
void json_raw_key(struct output *out, const char *quoted, size_t length);

/* Append a key and its value, for code that runs rarely. Keys and texts end with a NUL. */
void json_member_text(struct output *out, const char *key, const char *text);
void json_member_bool(struct output *out, const char *key, bool value);
void json_member_int64(struct output *out, const char *key, int64_t value);
void json_member_uint64(struct output *out, const char *key, uint64_t value);
void json_member_double(struct output *out, const char *key, double value);

/*
 * Unless stated otherwise, the functions from here to the end of the file first write a comma if
 * one is due.
 *
 * json_string appends a string of any bytes. Quotes, backslashes and control characters (also
 * U+007F to U+009F) are escaped, in JSON's short form if there is one. Each maximal ill-formed part
 * of a UTF-8 sequence (Unicode 15, section 3.9, "substitution of maximal subparts") becomes U+FFFD.
 */
void json_string(struct output *out, const void *bytes, size_t size);

/* Nearly all strings are plain: they are copied unchanged between quotes. */
static const struct plain_rule json_plain = {0x20, {'"', '\\', '\\'}};

static inline bool json_is_plain(const void *bytes, size_t size)
{
    return plain_text_is(bytes, size, json_plain);
}

/*
 * Appends a plain string, which it checks while copying. Returns false, and appends nothing, if the
 * string is not plain or the output is nearly full.
 */
static inline bool json_put_plain(struct output *out, char before, const void *bytes, size_t size)
{
    if (out->overflow || size >= (out->capacity - out->used) / 4) /* room for quotes, `before` */
        return false;
    size_t some = before != 0;
    char *at = out->data + out->used;
    *at = before;
    at += some;
    *at = '"';
    at[1 + size] = '"';
    if (!plain_text_copy(at + 1, bytes, size, json_plain))
        return false;
    out->used += some + size + 2;
    return true;
}

/* For json_string_after only. */
NEVER_INLINE void json_string_escaped(struct output *out, char before, const void *bytes,
                                      size_t size);

/*
 * Appends a string like json_string, for a caller that knows whether a comma is due: writes
 * `before` first unless it is 0, and no comma by itself.
 */
static inline void json_string_after(struct output *out, char before, const void *bytes,
                                     size_t size)
{
    if (!json_put_plain(out, before, bytes, size))
        json_string_escaped(out, before, bytes, size);
}

void json_null(struct output *out);
void json_bool(struct output *out, bool value);
void json_int64(struct output *out, int64_t value);
void json_uint64(struct output *out, uint64_t value);

/* Append the number as a string: the protobuf JSON mapping writes 64-bit integers so. */
void json_int64_string(struct output *out, int64_t value);
void json_uint64_string(struct output *out, uint64_t value);

/*
 * Append the shortest decimal that reads back as the same double (or float), or the string "NaN",
 * "Infinity" or "-Infinity", as in the protobuf JSON mapping.
 */
void json_double(struct output *out, double value);
void json_float(struct output *out, float value);

/*
 * Appends a time (nanoseconds since 1970 UTC) as an RFC 3339 string with nine digits of fraction.
 * The range of int64_t is the years 1677 to 2262.
 */
void json_time(struct output *out, int64_t nanoseconds);

/*
 * Append strings of the protobuf JSON mapping, with 0, 3, 6 or 9 digits of fraction (`nanoseconds`
 * is below 1000000000). A Timestamp is in the years 1 to 9999; its seconds are counted from 1970
 * UTC. A Duration is given by its absolute value and its sign.
 */
void json_timestamp(struct output *out, int64_t seconds, uint32_t nanoseconds);
void json_duration(struct output *out, bool negative, uint64_t seconds, uint32_t nanoseconds);

/* Appends bytes as a string in base64 (RFC 4648, section 4), padded. */
void json_base64(struct output *out, const void *bytes, size_t size);

/* Appends bytes as a string of lowercase hexadecimal digits (hex.h). */
void json_hex(struct output *out, const void *bytes, size_t size);

#endif
