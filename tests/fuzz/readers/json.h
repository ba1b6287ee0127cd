/* A strict reader of JSON (RFC 8259): Jansson, which is not ours, and its UTF-8. */
#ifndef SLUICE_TESTS_FUZZ_READERS_JSON_H
#define SLUICE_TESTS_FUZZ_READERS_JSON_H

#include <stddef.h>

#include "collector/text/text.h"

/*
 * What is wrong with the text, good until the next call; NULL: nothing. Two members of the same
 * name are wrong. Jansson has no names with a NUL in them: such a text is looked at only as UTF-8.
 */
const char *json_wrong(const char *text, size_t size);

/*
 * What Jansson has against a reading of a text that is UTF-8; NULL: nothing. `wrong`: why that is
 * not JSON, or NULL; then `again` is the same value. What is JSON and too large for Jansson is
 * passed over.
 */
const char *json_differs(struct text text, const char *wrong, struct text again);

#endif
