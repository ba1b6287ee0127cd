/*
 * Reads JSON (RFC 8259) value by value, from a buffer that need not end in a NUL.
 *
 * The caller reads items until there are no more, and ignores those that it does not need:
 *
 *   struct json_reader reader;
 *   struct json_item item;
 *   json_reader_begin(&reader, text, size);
 *   while (json_read(&reader, &item))
 *       if (item.depth == 1 && json_text_is(item.name, "code"))
 *           ...
 *   if (reader.wrong != NULL)
 *       the text is not JSON: why, and reader.at where
 *
 * The reader allocates and copies nothing: an item's texts are parts of the buffer, with their
 * escapes. It does not check whether the text is UTF-8. One thread per reader.
 */
#ifndef SLUICE_COLLECTOR_TEXT_JSON_READER_H
#define SLUICE_COLLECTOR_TEXT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

/* The most arrays and objects that may be open at once. */
#define JSON_MAX_DEPTH 250

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,  /* its beginning; then its elements and JSON_END */
    JSON_OBJECT, /* its beginning; then its members and JSON_END */
    JSON_END,    /* of the innermost array or object */
};

struct json_item {
    enum json_type type;
    size_t depth;     /* arrays and objects around it; the same for JSON_END as for its beginning */
    const char *at;   /* where it begins in the buffer */
    struct text name; /* of an object's member, without quotes; else its data is NULL */
    struct text text; /* of a string, without quotes; of a number or word */
};

struct json_reader {
    const char *at, *end;      /* the unread part; after an error, `at` is its place */
    const char *wrong;         /* why the text is not JSON; NULL: no error so far */
    bool lenient;              /* set after begin: see below */
    bool first;                /* no item of the innermost array or object has been read */
    size_t depth;              /* arrays and objects that are open */
    char ends[JSON_MAX_DEPTH]; /* the bracket that ends each of them */
};

/*
 * Begins to read a text, which must outlive the reader and its items. A lenient reader accepts
 * control characters in strings, and halves of surrogate pairs, which it decodes to U+FFFD.
 */
void json_reader_begin(struct json_reader *reader, const char *text, size_t size);

/*
 * Reads the next item. Returns false at the end of the text, which must be one value, and from the
 * first error on, with reader->wrong set.
 */
bool json_read(struct json_reader *reader, struct json_item *item);

/*
 * Copies a string or name of an item, with escapes decoded, to `to`, which has `room` (≥ 1)
 * bytes, and appends a NUL. Returns its size without the NUL; characters that do not fit are left
 * out. Decoding never makes it longer.
 */
size_t json_text_copy(struct text text, char *to, size_t room);

/*
 * Decodes the next character of such a text (size ≥ 1) and removes it: 1 to 4 bytes of UTF-8, or an
 * ill-formed part unchanged. Returns the number of bytes.
 */
size_t json_text_next(struct text *text, char bytes[4]);

/* Whether a string or name of an item, decoded, equals `wanted`; false if its data is NULL. */
bool json_text_is(struct text text, const char *wanted);

/* The number that the leading digits of a text form; 0: no digits, or 2^64 or more. */
uint64_t json_whole_number(struct text text);

/* Whether the bytes are one JSON number; *is_whole: it has neither fraction nor exponent. */
bool json_is_number(const char *text, size_t size, bool *is_whole);

#endif
