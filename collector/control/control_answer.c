#include "collector/control/control_answer.h"

#include <stdint.h>
#include <string.h>

#include "collector/text/hex.h"
#include "collector/text/utf8.h"

#define REPLACEMENT UINT32_C(0xfffd)

/* What is left of an answer. */
struct rest {
    const char *at;
    size_t size;
};

static bool skip(struct rest *rest, const char *expected)
{
    size_t length = strlen(expected);
    if (rest->size < length || memcmp(rest->at, expected, length) != 0)
        return false;
    rest->at += length;
    rest->size -= length;
    return true;
}

static bool read_what(struct rest *rest, char what[CONTROL_WHAT_SIZE])
{
    size_t length = 0;
    while (length < rest->size && rest->at[length] >= 'a' && rest->at[length] <= 'z')
        length++;
    if (length == 0 || length >= CONTROL_WHAT_SIZE)
        return false;
    memcpy(what, rest->at, length);
    what[length] = '\0';
    rest->at += length;
    rest->size -= length;
    return true;
}

/* --- characters ------------------------------------------------------------------------------- */

static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

static void put_character(struct output *text, uint32_t character)
{
    bool surrogate = character >= 0xd800 && character < 0xe000;
    if (surrogate || (is_control(character) && character != '\n'))
        character = REPLACEMENT;
    if (character < 0x80) {
        output_char(text, (char)character);
        return;
    }
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    output_char(text, (char)(leads[more] | character >> (6 * more)));
    while (more-- > 0)
        output_char(text, (char)(0x80 | (character >> (6 * more) & 0x3f)));
}

/* Of U+0080 to U+009F, which are two bytes. */
static bool is_c1(const uint8_t *bytes, size_t size)
{
    return size == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

static void put_plain(struct output *text, struct rest *rest)
{
    const uint8_t *bytes = (const uint8_t *)rest->at;
    bool valid;
    size_t size = utf8_sequence(bytes, rest->size, &valid);
    if (!valid || is_c1(bytes, size))
        put_character(text, REPLACEMENT);
    else if (size == 1)
        put_character(text, bytes[0]);
    else
        output_bytes(text, bytes, size);
    rest->at += size;
    rest->size -= size;
}

/* --- escapes ---------------------------------------------------------------------------------- */

/* The four digits of \uXXXX. */
static bool read_unit(struct rest *rest, uint32_t *unit)
{
    *unit = 0;
    if (rest->size < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit_value(rest->at[i]);
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    rest->at += 4;
    rest->size -= 4;
    return true;
}

/* Two escapes are one character where they are a high and a low surrogate. */
static bool put_unit(struct output *text, struct rest *rest)
{
    uint32_t unit;
    uint32_t low;
    if (!read_unit(rest, &unit))
        return false;
    struct rest next = *rest;
    if (unit >= 0xd800 && unit < 0xdc00 && skip(&next, "\\u") && read_unit(&next, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        *rest = next;
    }
    put_character(text, unit);
    return true;
}

static bool put_escape(struct output *text, struct rest *rest)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (skip(rest, "\\u"))
        return put_unit(text, rest);
    const char *name = rest->size < 2 || rest->at[1] == '\0' ? NULL : strchr(names, rest->at[1]);
    if (name == NULL)
        return false;
    put_character(text, (unsigned char)meanings[name - names]);
    rest->at += 2;
    rest->size -= 2;
    return true;
}

static bool read_string(struct rest *rest, struct output *text)
{
    while (rest->size != 0 && *rest->at != '"') {
        if (*rest->at != '\\')
            put_plain(text, rest);
        else if (!put_escape(text, rest))
            return false;
    }
    return skip(rest, "\"");
}

bool control_answer_read(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                         struct output *text)
{
    struct rest rest = {answer, size};
    return skip(&rest, "{\"") && read_what(&rest, what) && skip(&rest, "\":\"") &&
           read_string(&rest, text) && skip(&rest, "}") && rest.size == 0 && !text->overflow;
}
