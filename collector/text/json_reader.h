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

/* The maximum number of arrays and objects that may be open at once. */
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
    size_t depth;     /* number of arrays and objects around the item; the same for JSON_END as for
                         the item that it ends */
    const char *at;   /* beginning of the item in the buffer */
    struct text name; /* name of an object's member, without quotes; otherwise its data is NULL */
    struct text text; /* text of a string, without quotes; of a number or word */
};

struct json_reader {
    const char *at, *end;      /* the part not read yet; after an error, `at` is the place of the
                                  error */
    const char *wrong;         /* reason why the text is not JSON; NULL: no error so far */
    bool lenient;              /* the caller may set it after json_reader_begin (see there) */
    bool first;                /* no item of the innermost open array or object has been read */
    size_t depth;              /* number of arrays and objects that are open */
    char ends[JSON_MAX_DEPTH]; /* the closing bracket of each open array or object */
};

/*
 * Begins to read a text, which must outlive the reader and its items. A lenient reader accepts
 * control characters in strings. It also accepts halves of surrogate pairs, and decodes them to
 * U+FFFD.
 */
void json_reader_begin(struct json_reader *reader, const char *text, size_t size);

/*
 * Reads the next item. Returns false at the end of the text, which must be a single value. Returns
 * false with reader->wrong set from the first error on.
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
 * Whether a string or name of an item, with escapes decoded, equals `wanted`; false if its data is
 * NULL.
 */
bool json_text_is(struct text text, const char *wanted);

/*
 * Returns the number that the leading digits of a text form; 0 if there are no digits, or the
 * number is 2^64 or more.
 */
uint64_t json_whole_number(struct text text);

/*
 * Whether the bytes begin like an array or an object of JSON, up to its first element or member. The
 * text may be cut after that.
 */
bool json_begins(const char *text, size_t size);

/*
 * Whether the bytes are exactly one JSON number. Sets *is_whole to whether it has neither a
 * fraction nor an exponent.
 */
bool json_is_number(const char *text, size_t size, bool *is_whole);

#endif
