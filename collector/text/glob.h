/*
 * Matches texts with globs: '*' matches any number of bytes, also none; '?' matches any one byte;
 * every other byte matches itself. The whole text must match. Bytes are compared, not characters;
 * case matters. The texts come from unknown senders, so the steps of a match are limited. Pure
 * functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_GLOB_H
#define SLUICE_COLLECTOR_TEXT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

/*
 * Returns true if the text matches. Adds the number of steps to *steps; there is at most one step
 * per pair of a glob's byte and a text's byte. Returns false when *steps exceeds `limit`; the
 * caller checks *steps to tell this from a mismatch.
 */
bool glob_matches(const struct text *glob, const struct text *text, size_t *steps, size_t limit);

/* Returns true if the text contains '*' or '?'. */
bool glob_is_one(const struct text *text);

#endif
