/*
 * Appends JSON (RFC 8259) to an output: strings, keys and numbers, with the commas in between.
 *
 * There is no writer object: the last byte written determines whether a comma is due, so a value or
 * key gets one unless it follows '{', '[', ':' or the start of a line. The encoders, the protobuf
 * JSON mapping and the ledger use these functions. The output is valid UTF-8 and valid JSON for any
 * input. One thread per output.
 */
#ifndef SLUICE_COLLECTOR_TEXT_JSON_WRITER_H
#define SLUICE_COLLECTOR_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"
#include "collector/text/plain_text.h"

/* Opens or closes an object or array; opening one first writes a comma if one is due. */
void json_object_begin(struct output *out);
void json_object_end(struct output *out);
void json_array_begin(struct output *out);
void json_array_end(struct output *out);

/* A comma if one is due, then "key": of `length` bytes, escaped as json_string does. */
void json_key(struct output *out, const char *key, size_t length);

/* The same for a literal that needs no escaping. */
#define json_key_literal(out, literal) json_raw_key((out), "\"" literal "\":", sizeof(literal) + 2)
void json_raw_key(struct output *out, const char *quoted, size_t length);

/* A key that ends with a NUL, and its value (a text ends with a NUL too); for infrequent use. */
void json_member_text(struct output *out, const char *key, const char *text);
void json_member_bool(struct output *out, const char *key, bool value);
void json_member_int64(struct output *out, const char *key, int64_t value);
void json_member_uint64(struct output *out, const char *key, uint64_t value);
void json_member_double(struct output *out, const char *key, double value);

/*
 * Each function below first writes a comma if one is due.
 *
 * A string of any bytes: quote, backslash and control characters (also U+007F to U+009F) are
 * escaped, short forms where JSON has them; each maximal ill-formed part of a UTF-8 sequence
 * (Unicode 15, section 3.9, "substitution of maximal subparts") becomes U+FFFD.
 */
void json_string(struct output *out, const void *bytes, size_t size);

/*
 * The same string for a caller that knows what precedes it: never writes a comma of its own, but
 * first the character `before` if that is not 0.
 */
void json_string_after(struct output *out, char before, const void *bytes, size_t size);

/* Plain strings are copied unchanged between quotes; nearly all are plain. */
static const struct plain_rule json_plain = {0x20, {'"', '\\', '\\'}};

static inline bool json_is_plain(const void *bytes, size_t size)
{
    return plain_text_is(bytes, size, json_plain);
}

void json_null(struct output *out);
void json_bool(struct output *out, bool value);
void json_int64(struct output *out, int64_t value);
void json_uint64(struct output *out, uint64_t value);

/* The same numbers as strings, as the protobuf JSON mapping writes 64-bit integers. */
void json_int64_string(struct output *out, int64_t value);
void json_uint64_string(struct output *out, uint64_t value);

/*
 * The shortest decimal that reads back as the same double (or float), or the string "NaN",
 * "Infinity" or "-Infinity", as in the protobuf JSON mapping.
 */
void json_double(struct output *out, double value);
void json_float(struct output *out, float value);

/*
 * A time in nanoseconds since 1970 UTC as an RFC 3339 string with nine digits of fraction. An int64
 * covers the years 1677 to 2262.
 */
void json_time(struct output *out, int64_t nanoseconds);

/*
 * The strings of the protobuf JSON mapping, with 0, 3, 6 or 9 digits of fraction (`nanoseconds` is
 * below 1000000000): a Timestamp from year 1 to 9999, its seconds counted from 1970 UTC; a Duration
 * by its size and sign.
 */
void json_timestamp(struct output *out, int64_t seconds, uint32_t nanoseconds);
void json_duration(struct output *out, bool negative, uint64_t seconds, uint32_t nanoseconds);

/* Bytes as a string in base64 (RFC 4648, section 4), padded. */
void json_base64(struct output *out, const void *bytes, size_t size);

/* Bytes as a string of lowercase hexadecimal digits (hex.h). */
void json_hex(struct output *out, const void *bytes, size_t size);

#endif
