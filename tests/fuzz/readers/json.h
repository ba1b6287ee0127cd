/* A strict reader of JSON (RFC 8259): Jansson, which is not ours, and its UTF-8. */
#ifndef SLUICE_TESTS_FUZZ_READERS_JSON_H
#define SLUICE_TESTS_FUZZ_READERS_JSON_H

#include <stddef.h>

#include "collector/text/text.h"

/*
 * The error in the text, valid until the next call; NULL: none. Two members with the same name are
 * an error. Jansson does not support names with a NUL: such a text is only checked as UTF-8.
 */
const char *json_wrong(const char *text, size_t size);

/*
 * Compares a reading of a UTF-8 text with Jansson's; returns the error, or NULL. `wrong`: why the
 * text is not JSON, or NULL; then `again` is the same value. JSON that is too large for Jansson is
 * skipped.
 */
const char *json_differs(struct text text, const char *wrong, struct text again);

#endif
