/*
 * Writes any bytes as text in a limited number of terminal columns, for lines that people read.
 *
 * The output is valid UTF-8 without control characters and without characters that change the
 * direction of text. The width of a character follows Unicode's East_Asian_Width (UAX #11) and is
 * never less than its width on a terminal. Pure functions; one thread per output.
 */
#ifndef SLUICE_COLLECTOR_TEXT_CELL_H
#define SLUICE_COLLECTOR_TEXT_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Returns the most columns that a character takes, 1 or 2. Not for control characters. */
size_t cell_columns(uint32_t character);

/*
 * Appends the text in at most `most` columns, and returns the number of columns used. A text that
 * needs more columns, or that is only the beginning of a text (`more`), is cut and ends with an
 * ellipsis (U+2026). A control character becomes an escape such as "\n" or "\x1b", a character that
 * changes the direction of text one such as "\u202e". Each maximal ill-formed part of a UTF-8
 * sequence becomes U+FFFD.
 */
size_t cell_put(struct output *out, const char *text, size_t size, size_t most, bool more);

#endif
