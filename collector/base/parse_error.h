/*
 * A mistake in a text that a user wrote: a description and its position.
 *
 * A parser fills the struct and returns false. The caller knows the origin of the text (an
 * argument, a line of a file) and turns the struct into a struct error. The caller owns the struct;
 * any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_PARSE_ERROR_H
#define SLUICE_COLLECTOR_BASE_PARSE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/compiler.h"

struct parse_error {
    size_t at;        /* the offset in the text, in bytes, at which the mistake begins */
    bool no_memory;   /* out of memory; the text may be correct */
    bool hides_value; /* from `at` on the text is a secret, which error messages must not show */
    char text[288];   /* one line, cut when longer */
};

/* The most bytes that `quoted` writes, including the NUL. */
#define QUOTED_SIZE 72

/* Fills `fault` with a printf-formatted line. Returns false, for its caller to return. */
bool parse_error_set(struct parse_error *fault, size_t at, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Appends a printf-formatted text to a fault that is already filled. */
void parse_error_append(struct parse_error *fault, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends `; did you mean "NAME"?`, or nothing if `name` is NULL. */
void parse_error_suggest(struct parse_error *fault, const char *name);

/* Fills `fault` with no_memory set. Returns false. */
bool parse_error_no_memory(struct parse_error *fault);

/*
 * Writes `length` bytes of any text to the QUOTED_SIZE bytes of `buffer`, in quotation marks and on
 * one line. A long text is cut and ends with "...". Returns `buffer`.
 */
const char *quoted(const char *text, size_t length, char *buffer);

/*
 * Copies as much of the `length` bytes as fits into `size` bytes with a NUL, but never a part of a
 * UTF-8 character. Control characters become '?'. Returns the number of bytes copied, without the
 * NUL.
 */
size_t copy_printable(char *to, size_t size, const char *text, size_t length);

#endif
