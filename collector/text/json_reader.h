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

/* The most arrays and objects that can be open at once. */
#define JSON_MAX_DEPTH 250

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,  /* beginning of an array; its elements and JSON_END follow */
    JSON_OBJECT, /* beginning of an object; its members and JSON_END follow */
    JSON_END,    /* end of the innermost array or object */
};

struct json_item {
    enum json_type type;
    size_t depth;     /* arrays and objects around it; for JSON_END, around the one that ends */
    const char *at;   /* beginning of the item in the buffer */
    struct text name; /* of an object's member, without quotes; else its data is NULL */
    struct text text; /* of a string, without quotes; of a number or a word */
};

struct json_reader {
    const char *at, *end;      /* the unread part; after an error, `at` is its place */
    const char *wrong;         /* why the text is not JSON; NULL until there is an error */
    bool lenient;              /* the caller may set it (json_reader_begin) */
    bool first;                /* no item of the innermost array or object was read yet */
    size_t depth;              /* number of arrays and objects that are open */
    char ends[JSON_MAX_DEPTH]; /* the closing bracket of each open array or object */
};

/*
 * Begins to read a text, which must outlive the reader and its items. If the caller then sets
 * `lenient`, the reader accepts control characters in strings, and halves of surrogate pairs, which
 * it decodes to U+FFFD.
 */
void json_reader_begin(struct json_reader *reader, const char *text, size_t size);

/*
 * Reads the next item. Returns false at the end of the text, which must be a single value. On an
 * error it sets reader->wrong and returns false, as do all later calls.
 */
bool json_read(struct json_reader *reader, struct json_item *item);

/*
 * Copies a string or name of an item, with escapes decoded, to `to`, which has `room` (≥ 1) bytes,
 * and appends a NUL. Returns the size of the copy without the NUL; characters that do not fit are
 * left out. A decoded text is never longer than its source.
 */
size_t json_text_copy(struct text text, char *to, size_t room);

/*
 * Decodes the next character of a string or name of an item (size ≥ 1) and removes it from the
 * text. Stores 1 to 4 bytes of UTF-8, or an ill-formed part unchanged. Returns the number of bytes.
 */
size_t json_text_next(struct text *text, char bytes[4]);

/*
 * Returns true if a string or name of an item, with escapes decoded, equals `wanted`. Returns false
 * if its data is NULL.
 */
bool json_text_is(struct text text, const char *wanted);

/*
 * Returns the number that a text's leading digits form; 0 if it has none, or if the number is 2^64
 * or more.
 */
uint64_t json_whole_number(struct text text);

/*
 * Returns true if the bytes begin like an array or an object of JSON, up to its first element or
 * member. They may be cut after that.
 */
bool json_begins(const char *text, size_t size);

/*
 * Returns true if the bytes are exactly one JSON number. *is_whole becomes false if it has a
 * fraction or an exponent.
 */
bool json_is_number(const char *text, size_t size, bool *is_whole);

#endif
