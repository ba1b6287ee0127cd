/*
 * Globs: '*' matches any number of bytes, also zero; '?' matches any one byte; every other byte
 * matches itself. The whole text must match. Bytes are compared, not characters; case matters.
 *
 * Texts come from strangers, so the steps of a match are counted and limited. Pure functions; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_GLOB_H
#define SLUICE_COLLECTOR_TEXT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/text.h"

/*
 * Whether the text matches. Adds the number of steps to *steps: each step compares a byte, and
 * there are at most glob->size * text->size. Also returns false when *steps exceeds `limit`; the
 * caller must check *steps to tell this from a mismatch.
 */
bool glob_matches(const struct text *glob, const struct text *text, size_t *steps, size_t limit);

/* Whether the text is a glob: contains '*' or '?'. */
bool glob_is_one(const struct text *text);

#endif
