/*
 * What is wrong with a text that somebody wrote, and where in it.
 *
 * Parsers of this folder fill one and return false; whoever knows where the text came from (which
 * argument, which line of a file) makes the error of it. A value of the caller's; any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_PARSE_ERROR_H
#define SLUICE_COLLECTOR_BASE_PARSE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/compiler.h"

struct parse_error {
    size_t at;        /* byte of the text at which the trouble begins */
    bool no_memory;   /* nothing is wrong with the text: memory was short */
    bool hides_value; /* from `at` on the text is a secret: no error shows it */
    char text[288];   /* one line, cut when longer */
};

/* Bytes that `quoted` can need, with the final NUL. */
#define QUOTED_SIZE 72

/* Fills `fault` with a printf-formatted line. Returns false, for its caller to return. */
bool parse_error_set(struct parse_error *fault, size_t at, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Appends to a fault that was set. */
void parse_error_append(struct parse_error *fault, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends `; did you mean "NAME"?`, or nothing where `name` is NULL. */
void parse_error_suggest(struct parse_error *fault, const char *name);

/* Fills it for want of memory. Returns false. */
bool parse_error_no_memory(struct parse_error *fault);

/*
 * Writes `length` bytes of a stranger's text to the QUOTED_SIZE bytes of `buffer`: in quotation
 * marks, on one line, a long one cut with "..." at its end. Returns `buffer`.
 */
const char *quoted(const char *text, size_t length, char *buffer);

/*
 * Copies what of `length` bytes fits `size` bytes with a final NUL, never a part of a UTF-8
 * character; a control character becomes '?'. Returns the bytes copied without the NUL.
 */
size_t copy_printable(char *to, size_t size, const char *text, size_t length);

#endif
