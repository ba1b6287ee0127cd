/* A strict reader of JSON (RFC 8259) that uses Jansson. */
#ifndef SLUICE_TESTS_FUZZ_READERS_JSON_H
#define SLUICE_TESTS_FUZZ_READERS_JSON_H

#include <stddef.h>

#include "collector/text/text.h"

/*
 * Returns the error in the text, or NULL. The error is valid until the next call. Two members with
 * the same name are an error. Jansson does not support names with a NUL; texts with one are checked
 * only as UTF-8.
 */
const char *json_wrong(const char *text, size_t size);

/*
 * Compares how a UTF-8 text was read with Jansson's result. `wrong` is the reason why it is not
 * JSON, or NULL; then `again` is the same value, written again. Returns the error, or NULL. JSON
 * that exceeds Jansson's limits is skipped.
 */
const char *json_differs(struct text text, const char *wrong, struct text again);

#endif
