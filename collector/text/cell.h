/*
 * Text in so many columns of a terminal, whatever bytes it has: for lines that people read.
 *
 * What is written is valid UTF-8 without a control character, and without those that turn the
 * direction of what follows. How wide a character is follows Unicode's East_Asian_Width (UAX #11),
 * and is never less than what a terminal gives it. Pure functions; one thread per output.
 */
#ifndef SLUICE_COLLECTOR_TEXT_CELL_H
#define SLUICE_COLLECTOR_TEXT_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* The columns that a character that is no control character takes at most, 1 or 2. */
size_t cell_columns(uint32_t character);

/*
 * Appends the text in at most `most` columns, and returns how many it takes. Of a text that takes
 * more the beginning stays, and an ellipsis (U+2026) ends it; `more` says that the text is only the
 * beginning of one. A control character becomes "\n", "\r", "\t" or "\x1b", one that turns the
 * direction "\u202e", and each maximal ill-formed part of a UTF-8 sequence U+FFFD.
 */
size_t cell_put(struct output *out, const char *text, size_t size, size_t most, bool more);

#endif
