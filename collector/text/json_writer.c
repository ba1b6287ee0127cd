#include "collector/text/json_writer.h"

#include <math.h>
#include <string.h>

#include "collector/text/base64.h"
#include "collector/text/calendar.h"
#include "collector/text/compiler.h"
#include "collector/text/control_character.h"
#include "collector/text/decimal.h"
#include "collector/text/hex.h"
#include "collector/text/shortest_double.h"
#include "collector/text/utf8.h"

/* Bytes of a buffer for a whole value: a value is appended as a whole or not at all. */
#define VALUE_SIZE 64

static bool separator_due(const struct output *out)
{
    if (out->used == 0)
        return false;
    char last = out->data[out->used - 1];
    return last != '{' && last != '[' && last != ':' && last != '\n';
}

/* Writes a comma to `text`. Returns 1 if it is due, else 0: the value then overwrites it. */
static size_t json_separator(const struct output *out, char *text)
{
    text[0] = ',';
    return separator_due(out);
}

static void put_with_separator(struct output *out, const char *bytes, size_t size)
{
    size_t comma = separator_due(out);
    char *at = output_reserve(out, comma + size);
    if (at == NULL)
        return;
    *at = ',';
    memcpy(at + comma, bytes, size);
}

void json_object_begin(struct output *out)
{
    put_with_separator(out, "{", 1);
}

void json_object_end(struct output *out)
{
    output_char(out, '}');
}

void json_array_begin(struct output *out)
{
    put_with_separator(out, "[", 1);
}

void json_array_end(struct output *out)
{
    output_char(out, ']');
}

void json_raw_key(struct output *out, const char *quoted, size_t length)
{
    put_with_separator(out, quoted, length);
}

void json_null(struct output *out)
{
    put_with_separator(out, "null", 4);
}

void json_bool(struct output *out, bool value)
{
    if (value)
        put_with_separator(out, "true", 4);
    else
        put_with_separator(out, "false", 5);
}

/* --- strings ---------------------------------------------------------------------------------- */

static bool needs_escape(uint8_t character)
{
    return control_character_is(character) || character == '"' || character == '\\';
}

/* Returns the number of leading bytes that are copied unchanged. */
static size_t plain_run(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        if (size - at >= 8 && json_is_plain(bytes + at, 8)) {
            at += 8;
        } else if (bytes[at] < 0x80) {
            if (needs_escape(bytes[at]))
                break;
            at++;
        } else {
            bool valid;
            size_t length = utf8_sequence(bytes + at, size - at, &valid);
            if (!valid || control_character_at(bytes + at, size - at) != 0)
                break;
            at += length;
        }
    }
    return at;
}

static void put_escape(struct output *out, uint8_t character)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[character >> 4], hex[character & 15]};
    size_t size = 2;
    switch (character) {
    case '"':
    case '\\':
        text[1] = (char)character;
        break;
    case '\b':
        text[1] = 'b';
        break;
    case '\f':
        text[1] = 'f';
        break;
    case '\n':
        text[1] = 'n';
        break;
    case '\r':
        text[1] = 'r';
        break;
    case '\t':
        text[1] = 't';
        break;
    default:
        size = 6;
        break;
    }
    output_bytes(out, text, size);
}

/* Appends the rest of a string, which is empty or begins with a byte to replace, and the quote. */
static void put_rest(struct output *out, const uint8_t *bytes, size_t size)
{
    while (size != 0 && !out->overflow) {
        bool valid;
        size_t length = utf8_sequence(bytes, size, &valid);
        if (valid)
            put_escape(out, bytes[length - 1]); /* U+0080 to U+009F are C2 80 to C2 9F */
        else
            output_literal(out, "\xef\xbf\xbd"); /* U+FFFD */
        bytes += length;
        size -= length;
        length = plain_run(bytes, size);
        output_bytes(out, bytes, length);
        bytes += length;
        size -= length;
    }
    output_char(out, '"');
}

/* An empty string may have no data, and C forbids adding even 0 to NULL. */
void json_string_escaped(struct output *out, char before, const void *bytes, size_t size)
{
    const uint8_t *at = size == 0 ? (const uint8_t *)"" : bytes;
    size_t run = plain_run(at, size);
    output_bytes(out, &before, before != 0);
    output_char(out, '"');
    output_bytes(out, at, run);
    put_rest(out, at + run, size - run);
}

void json_string(struct output *out, const void *bytes, size_t size)
{
    json_string_after(out, separator_due(out) ? ',' : 0, bytes, size);
}

void json_key(struct output *out, const char *key, size_t length)
{
    json_string(out, key, length);
    output_char(out, ':');
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Writes the value with these bits to the text. Returns its size, at most VALUE_SIZE - 1. */
typedef size_t value_writer(uint64_t bits, char *text);

static NEVER_INLINE void put_at_end(struct output *out, value_writer *write, uint64_t bits)
{
    char text[VALUE_SIZE];
    size_t used = json_separator(out, text);
    used += write(bits, text + used);
    output_bytes(out, text, used);
}

static ALWAYS_INLINE void put_value(struct output *out, value_writer *write, uint64_t bits)
{
    if (out->overflow || out->capacity - out->used < VALUE_SIZE) {
        put_at_end(out, write, bits);
        return;
    }
    char *text = out->data + out->used;
    size_t used = json_separator(out, text);
    out->used += used + write(bits, text + used);
}

static size_t write_int64(uint64_t bits, char *text)
{
    return decimal_int64((int64_t)bits, text);
}

static size_t write_uint64(uint64_t bits, char *text)
{
    return decimal_uint64(bits, text);
}

static size_t write_int64_string(uint64_t bits, char *text)
{
    size_t size = decimal_int64((int64_t)bits, text + 1);
    text[0] = text[1 + size] = '"';
    return size + 2;
}

static size_t write_uint64_string(uint64_t bits, char *text)
{
    size_t size = decimal_uint64(bits, text + 1);
    text[0] = text[1 + size] = '"';
    return size + 2;
}

static size_t write_double(uint64_t bits, char *text)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return shortest_double(value, text);
}

static size_t write_float(uint64_t bits, char *text)
{
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, sizeof value);
    return shortest_float(value, text);
}

void json_int64(struct output *out, int64_t value)
{
    put_value(out, write_int64, (uint64_t)value);
}

void json_uint64(struct output *out, uint64_t value)
{
    put_value(out, write_uint64, value);
}

void json_int64_string(struct output *out, int64_t value)
{
    put_value(out, write_int64_string, (uint64_t)value);
}

void json_uint64_string(struct output *out, uint64_t value)
{
    put_value(out, write_uint64_string, value);
}

static void put_not_finite(struct output *out, bool nan, bool negative)
{
    if (nan)
        put_with_separator(out, "\"NaN\"", 5);
    else if (negative)
        put_with_separator(out, "\"-Infinity\"", 11);
    else
        put_with_separator(out, "\"Infinity\"", 10);
}

void json_double(struct output *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isfinite(value))
        put_value(out, write_double, bits);
    else
        put_not_finite(out, isnan(value), value < 0);
}

void json_float(struct output *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isfinite(value))
        put_value(out, write_float, bits);
    else
        put_not_finite(out, isnan(value), value < 0);
}

/* --- times ------------------------------------------------------------------------------------ */

static void put_date(char text[10], uint32_t day)
{
    struct calendar_date date = calendar_date_of(day);
    decimal_put_2(text, date.year / 100);
    decimal_put_2(text + 2, date.year % 100);
    text[4] = '-';
    decimal_put_2(text + 5, date.month);
    text[7] = '-';
    decimal_put_2(text + 8, date.day);
}

/* Writes 20 bytes: a quote, and date and time to the second. */
static void put_second(char *at, int64_t seconds)
{
    uint64_t since_0000 = (uint64_t)(seconds + INT64_C(86400) * CALENDAR_DAYS_BEFORE_1970);
    uint32_t of_day = (uint32_t)(since_0000 % 86400);
    memcpy(at, "\"YYYY-MM-DDThh:mm:ss", 20);
    put_date(at + 1, (uint32_t)(since_0000 / 86400));
    decimal_put_2(at + 12, of_day / 3600);
    decimal_put_2(at + 15, of_day / 60 % 60);
    decimal_put_2(at + 18, of_day % 60);
}

static void put_fraction(char *at, uint32_t nanoseconds)
{
    at[0] = '.';
    at[1] = (char)('0' + nanoseconds / 100000000);
    decimal_put_8(at + 2, nanoseconds % 100000000);
}

void json_time(struct output *out, int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / 1000000000;
    int64_t fraction = nanoseconds % 1000000000;
    if (fraction < 0) {
        fraction += 1000000000;
        seconds--;
    }
    char text[VALUE_SIZE];
    size_t comma = json_separator(out, text);
    put_second(text + comma, seconds);
    put_fraction(text + comma + 20, (uint32_t)fraction);
    memcpy(text + comma + 30, "Z\"", 2);
    output_bytes(out, text, comma + 32);
}

static size_t digits_of(uint32_t nanoseconds)
{
    if (nanoseconds == 0)
        return 0;
    return nanoseconds % 1000000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9;
}

void json_timestamp(struct output *out, int64_t seconds, uint32_t nanoseconds)
{
    char text[VALUE_SIZE];
    size_t used = json_separator(out, text);
    size_t digits = digits_of(nanoseconds);
    put_second(text + used, seconds);
    used += 20;
    put_fraction(text + used, nanoseconds);
    used += digits == 0 ? 0 : 1 + digits;
    memcpy(text + used, "Z\"", 2);
    output_bytes(out, text, used + 2);
}

void json_duration(struct output *out, bool negative, uint64_t seconds, uint32_t nanoseconds)
{
    char text[VALUE_SIZE];
    size_t used = json_separator(out, text);
    size_t digits = digits_of(nanoseconds);
    text[used++] = '"';
    if (negative)
        text[used++] = '-';
    used += decimal_uint64(seconds, text + used);
    put_fraction(text + used, nanoseconds);
    used += digits == 0 ? 0 : 1 + digits;
    memcpy(text + used, "s\"", 2);
    output_bytes(out, text, used + 2);
}

/* --- bytes ------------------------------------------------------------------------------------ */

void json_base64(struct output *out, const void *bytes, size_t size)
{
    put_with_separator(out, "\"", 1);
    base64_put(out, bytes, size);
    output_char(out, '"');
}

void json_hex(struct output *out, const void *bytes, size_t size)
{
    put_with_separator(out, "\"", 1);
    hex_put(out, bytes, size);
    output_char(out, '"');
}

/* --- members ---------------------------------------------------------------------------------- */

void json_member_text(struct output *out, const char *key, const char *text)
{
    json_key(out, key, strlen(key));
    json_string(out, text, strlen(text));
}

void json_member_bool(struct output *out, const char *key, bool value)
{
    json_key(out, key, strlen(key));
    json_bool(out, value);
}

void json_member_int64(struct output *out, const char *key, int64_t value)
{
    json_key(out, key, strlen(key));
    json_int64(out, value);
}

void json_member_uint64(struct output *out, const char *key, uint64_t value)
{
    json_key(out, key, strlen(key));
    json_uint64(out, value);
}

void json_member_double(struct output *out, const char *key, double value)
{
    json_key(out, key, strlen(key));
    json_double(out, value);
}
