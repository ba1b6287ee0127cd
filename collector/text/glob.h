/*
 * Globs: '*' stands for any bytes, also for none, '?' for any one byte, every other byte for
 * itself. The whole text must match. Bytes are compared, not characters, and case counts.
 *
 * Texts come from strangers: what a match takes is counted and bounded. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_GLOB_H
#define SLUICE_COLLECTOR_TEXT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

/*
 * Whether the text matches. Adds its steps to *steps; each step compares a byte, and there are no
 * more than the bytes of the glob times those of the text. Also returns false where *steps rises
 * above `limit`: the caller looks at that.
 */
bool glob_matches(const struct text *glob, const struct text *text, size_t *steps, size_t limit);

/* Whether the text has a character in it that a glob takes for more than itself. */
bool glob_is_one(const struct text *text);

#endif
