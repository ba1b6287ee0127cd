/*
 * Reads JSON (RFC 8259) value by value, from a buffer that need not end in a NUL.
 *
 * The caller asks for the next item until there is none, and passes over what it does not need:
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
 * No memory is allocated and nothing is copied: an item's texts are parts of the buffer, as they
 * are written, with their escapes. Whether the text is UTF-8 is not checked. One thread per reader.
 */
#ifndef SLUICE_COLLECTOR_TEXT_JSON_READER_H
#define SLUICE_COLLECTOR_TEXT_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

/* Arrays and objects that may be open at a time. */
#define JSON_MAX_DEPTH 250

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,  /* its beginning; its elements follow, and JSON_END */
    JSON_OBJECT, /* its beginning; its members follow, and JSON_END */
    JSON_END,    /* of the innermost array or object */
};

struct json_item {
    enum json_type type;
    size_t depth;     /* arrays and objects around it; JSON_END has that of its beginning */
    const char *at;   /* where it begins in the buffer */
    struct text name; /* of an object's member, without its quotes; else its data is NULL */
    struct text text; /* of a string, without its quotes; of a number or word, all of it */
};

struct json_reader {
    const char *at, *end;      /* what is not read yet; at an error, its place */
    const char *wrong;         /* why the text is not JSON; NULL: it is, as far as it was read */
    bool lenient;              /* set after begin: see below */
    bool first;                /* no item of the innermost array or object was read yet */
    size_t depth;              /* arrays and objects that are open */
    char ends[JSON_MAX_DEPTH]; /* the bracket that ends each of them */
};

/*
 * Begins to read a text, which must stay where it is. A lenient reader accepts control characters
 * in strings, and halves of surrogate pairs, which mean U+FFFD.
 */
void json_reader_begin(struct json_reader *reader, const char *text, size_t size);

/*
 * Reads the next item. Returns false at the end of the text, which has one value, and at the first
 * error: then reader->wrong is set, and stays.
 */
bool json_read(struct json_reader *reader, struct json_item *item);

/*
 * Copies what a string or name of an item means, without its escapes, to `to`, which has room for
 * `room` (≥ 1) bytes, and ends it with a NUL. Returns its size without the NUL; characters that
 * have no room are left out. What it means is never longer than how it is written.
 */
size_t json_text_copy(struct text text, char *to, size_t room);

/*
 * Takes the next character off such a text (size ≥ 1): what it means, 1 to 4 bytes of UTF-8, or an
 * ill-formed part as it is. Returns how many bytes.
 */
size_t json_text_next(struct text *text, char bytes[4]);

/* Whether a string or name of an item means this; false for a name that is not there. */
bool json_text_is(struct text text, const char *wanted);

/* The digits that a text begins with, as a number; 0: there is none, or it is 2^64 or more. */
uint64_t json_whole_number(struct text text);

/* Whether the bytes are one number as JSON has them; *is_whole: without fraction and exponent. */
bool json_is_number(const char *text, size_t size, bool *is_whole);

#endif
