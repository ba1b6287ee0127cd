/* A strict reader of JSON (RFC 8259): Jansson, which is not ours, and its UTF-8. */
#ifndef SLUICE_TESTS_FUZZ_READERS_JSON_H
#define SLUICE_TESTS_FUZZ_READERS_JSON_H

#include <stddef.h>

/*
 * What is wrong with the text, good until the next call; NULL: nothing. Two members of the same
 * name are wrong. Jansson has no names with a NUL in them: such a text is looked at only as UTF-8.
 */
const char *json_wrong(const char *text, size_t size);

#endif
