/* Checks JSON strictly (RFC 8259), with Jansson. */
#ifndef SLUICE_TESTS_FUZZ_READERS_JSON_H
#define SLUICE_TESTS_FUZZ_READERS_JSON_H

#include <stddef.h>

#include "collector/text/text.h"

/*
 * Returns the error in the text, or NULL. The error is valid until the next call. Two members with
 * the same name are an error. Jansson does not support names that contain a NUL; a text with such a
 * name is checked only as UTF-8.
 */
const char *json_wrong(const char *text, size_t size);

/*
 * Compares the collector's reading of a UTF-8 text with Jansson's. `wrong` is the collector's
 * reason why the text is not JSON. If it is NULL, `again` is the value that the collector read,
 * written as JSON. Returns the difference, or NULL. Skips JSON that exceeds Jansson's limits.
 */
const char *json_differs(struct text text, const char *wrong, struct text again);

#endif
