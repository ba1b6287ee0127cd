#include "collector/text/json_reader.h"

#include <stdint.h>
#include <string.h>

#include "collector/text/digit.h"
#include "collector/text/utf8.h"

void json_reader_begin(struct json_reader *reader, const char *text, size_t size)
{
    reader->at = text;
    reader->end = size != 0 ? text + size : text; /* `text` may be NULL */
    reader->wrong = NULL;
    reader->lenient = false;
    reader->first = true;
    reader->depth = 0;
}

static bool json_fail(struct json_reader *reader, const char *at, const char *why)
{
    reader->at = at;
    reader->wrong = why;
    return false;
}

/* Returns the next byte, or NUL at the end. A NUL in the text is an error in any case. */
static char peek(const struct json_reader *reader)
{
    return reader->at != reader->end ? *reader->at : '\0';
}

static bool accept_char(struct json_reader *reader, char wanted)
{
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static void skip_blanks(struct json_reader *reader)
{
    while (accept_char(reader, ' ') || accept_char(reader, '\t') || accept_char(reader, '\n') ||
           accept_char(reader, '\r'))
        continue;
}

/* --- numbers and words ------------------------------------------------------------------------ */

static bool skip_digits(struct json_reader *reader)
{
    if (!is_digit(peek(reader)))
        return false;
    while (is_digit(peek(reader)))
        reader->at++;
    return true;
}

/* Returns false if no number begins here; reader->at is then undefined. */
static bool skip_number(struct json_reader *reader, bool *is_whole)
{
    *is_whole = true;
    accept_char(reader, '-');
    if (accept_char(reader, '0') ? is_digit(peek(reader)) : !skip_digits(reader))
        return false;
    if (accept_char(reader, '.')) {
        *is_whole = false;
        if (!skip_digits(reader))
            return false;
    }
    if (!accept_char(reader, 'e') && !accept_char(reader, 'E'))
        return true;
    *is_whole = false;
    if (!accept_char(reader, '+'))
        accept_char(reader, '-');
    return skip_digits(reader);
}

bool json_begins(const char *text, size_t size)
{
    struct json_reader reader;
    struct json_item item;
    json_reader_begin(&reader, text, size);
    return json_read(&reader, &item) && (item.type == JSON_OBJECT || item.type == JSON_ARRAY) &&
           json_read(&reader, &item);
}

bool json_is_number(const char *text, size_t size, bool *is_whole)
{
    struct json_reader reader;
    json_reader_begin(&reader, text, size);
    return skip_number(&reader, is_whole) && reader.at == reader.end;
}

uint64_t json_whole_number(struct text text)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.size && is_digit(text.data[i]); i++) {
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return 0;
        number = number * 10 + digit;
    }
    return number;
}

static bool json_read_number(struct json_reader *reader, struct json_item *item)
{
    bool is_whole;
    item->type = JSON_NUMBER;
    if (!skip_number(reader, &is_whole))
        return json_fail(reader, item->at, "this is not a number");
    item->text = (struct text){item->at, (size_t)(reader->at - item->at)};
    return true;
}

static bool read_word(struct json_reader *reader, struct json_item *item)
{
    static const struct {
        enum json_type type;
        struct text word;
    } words[] = {{JSON_NULL, {"null", 4}}, {JSON_FALSE, {"false", 5}}, {JSON_TRUE, {"true", 4}}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        item->type = words[i].type;
        item->text = (struct text){reader->at, words[i].word.size};
        if ((size_t)(reader->end - reader->at) >= item->text.size &&
            text_equal(&item->text, &words[i].word)) {
            reader->at += item->text.size;
            return true;
        }
    }
    return json_fail(reader, item->at,
                     reader->at == reader->end ? "the text ends where a value should be"
                                               : "this is not a value");
}

/* --- strings ---------------------------------------------------------------------------------- */

#define NO_CHARACTER UINT32_MAX

/* Returns NO_CHARACTER if there are not four digits; reader->at is then undefined. */
static uint32_t read_hex(struct json_reader *reader)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char *found = memchr(digits, peek(reader), sizeof digits - 1);
        if (found == NULL)
            return NO_CHARACTER;
        value = value << 4 | ((uint32_t)(found - digits) & 0xf);
        reader->at++;
    }
    return value;
}

static uint32_t no_character(struct json_reader *reader, const char *at, const char *why)
{
    json_fail(reader, at, why);
    return NO_CHARACTER;
}

/* Reads the digits after "\u", and the second half of a surrogate pair if they are the first. */
static uint32_t read_unicode(struct json_reader *reader)
{
    const char *digits = reader->at;
    uint32_t low = NO_CHARACTER;
    uint32_t code = read_hex(reader);
    if (code == NO_CHARACTER)
        return no_character(reader, digits, "\\u is followed by four hexadecimal digits");
    if (code < 0xd800 || code >= 0xe000)
        return code;
    const char *half = reader->at;
    if (code < 0xdc00 && accept_char(reader, '\\') && accept_char(reader, 'u'))
        low = read_hex(reader);
    if (low >= 0xdc00 && low < 0xe000)
        return 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
    reader->at = half;
    return reader->lenient
               ? 0xfffd
               : no_character(reader, digits - 2, "half of a surrogate pair is not a character");
}

/* Reads an escape after its backslash. Sets reader->wrong and returns NO_CHARACTER on an error. */
static uint32_t read_escaped(struct json_reader *reader)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (accept_char(reader, 'u'))
        return read_unicode(reader);
    const char *found = memchr(escapes, peek(reader), sizeof escapes - 1);
    if (found == NULL)
        return no_character(reader, reader->at - 1, "there is no such escape");
    reader->at++;
    return (uint32_t)meanings[found - escapes];
}

static bool read_string(struct json_reader *reader, struct text *text)
{
    const char *quote = reader->at++;
    while (!accept_char(reader, '"')) {
        if (reader->at == reader->end)
            return json_fail(reader, quote, "the string has no end");
        if ((unsigned char)*reader->at < 0x20 && !reader->lenient)
            return json_fail(reader, reader->at, "a control character in a string must be escaped");
        if (*reader->at++ == '\\' && read_escaped(reader) == NO_CHARACTER)
            return false;
    }
    *text = (struct text){quote + 1, (size_t)(reader->at - 1 - (quote + 1))};
    return true;
}

static size_t encode_utf8(uint32_t code, char bytes[4])
{
    static const uint8_t firsts[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[0] = (char)(firsts[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        bytes[i] = (char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

size_t json_text_next(struct text *text, char bytes[4])
{
    struct json_reader rest;
    bool valid;
    size_t size;
    json_reader_begin(&rest, text->data, text->size);
    rest.lenient = true;
    if (accept_char(&rest, '\\')) {
        size = encode_utf8(read_escaped(&rest), bytes);
    } else {
        size = utf8_sequence((const uint8_t *)text->data, text->size, &valid);
        memcpy(bytes, text->data, size);
        rest.at += size;
    }
    *text = (struct text){rest.at, (size_t)(rest.end - rest.at)};
    return size;
}

size_t json_text_copy(struct text text, char *to, size_t room)
{
    size_t used = 0;
    while (text.size != 0) {
        char bytes[4];
        size_t size = json_text_next(&text, bytes);
        if (size >= room - used)
            break;
        memcpy(to + used, bytes, size);
        used += size;
    }
    to[used] = '\0';
    return used;
}

bool json_text_is(struct text text, const char *wanted)
{
    size_t left = strlen(wanted);
    if (text.data == NULL)
        return false;
    if (memchr(text.data, '\\', text.size) == NULL)
        return text.size == left && memcmp(text.data, wanted, left) == 0;
    while (text.size != 0) {
        char bytes[4];
        size_t size = json_text_next(&text, bytes);
        if (size > left || memcmp(bytes, wanted, size) != 0)
            return false;
        wanted += size;
        left -= size;
    }
    return left == 0;
}

/* --- items ------------------------------------------------------------------------------------ */

static bool read_name(struct json_reader *reader, struct text *name)
{
    if (peek(reader) != '"')
        return json_fail(reader, reader->at, "a name in quotes, or \"}\", should be here");
    if (!read_string(reader, name))
        return false;
    skip_blanks(reader);
    if (!accept_char(reader, ':'))
        return json_fail(reader, reader->at, "\":\" should be here");
    skip_blanks(reader);
    return true;
}

static bool open_container(struct json_reader *reader, struct json_item *item, char end)
{
    if (reader->depth == JSON_MAX_DEPTH)
        return json_fail(reader, item->at, "values nest too deep");
    item->type = end == ']' ? JSON_ARRAY : JSON_OBJECT;
    reader->ends[reader->depth++] = end;
    reader->first = true;
    reader->at++;
    return true;
}

static bool json_read_value(struct json_reader *reader, struct json_item *item)
{
    char c = peek(reader);
    item->at = reader->at;
    reader->first = false;
    switch (c) {
    case '{':
        return open_container(reader, item, '}');
    case '[':
        return open_container(reader, item, ']');
    case '"':
        item->type = JSON_STRING;
        return read_string(reader, &item->text);
    default:
        return c == '-' || is_digit(c) ? json_read_number(reader, item) : read_word(reader, item);
    }
}

/* Reads the next element or member of the innermost array or object, or its end. */
static bool read_within(struct json_reader *reader, struct json_item *item)
{
    char end = reader->ends[reader->depth - 1];
    item->at = reader->at;
    if (accept_char(reader, end)) {
        *item = (struct json_item){.type = JSON_END, .depth = --reader->depth, .at = item->at};
        reader->first = false;
        return true;
    }
    if (!reader->first && !accept_char(reader, ','))
        return json_fail(reader, reader->at,
                         end == '}' ? "\",\" or \"}\" should be here"
                                    : "\",\" or \"]\" should be here");
    skip_blanks(reader);
    return (end != '}' || read_name(reader, &item->name)) && json_read_value(reader, item);
}

bool json_read(struct json_reader *reader, struct json_item *item)
{
    if (reader->wrong != NULL)
        return false;
    *item = (struct json_item){.depth = reader->depth};
    skip_blanks(reader);
    if (reader->depth != 0)
        return read_within(reader, item);
    if (reader->first)
        return json_read_value(reader, item);
    return reader->at != reader->end &&
           json_fail(reader, reader->at, "something follows the value's end");
}
