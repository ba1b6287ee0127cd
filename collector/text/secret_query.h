/* The parts of a URL's query that are secrets: "u=me&p=pass" has one. Pure functions. */
#ifndef SLUICE_COLLECTOR_TEXT_SECRET_QUERY_H
#define SLUICE_COLLECTOR_TEXT_SECRET_QUERY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a masked query of `length` bytes may take. */
#define SECRET_QUERY_ROOM(length) (3 * (length) + 1)

/*
 * Finds the first value, from byte *at on, whose name suggests a password, a token or a key. Pairs
 * are separated by "&" or "%26". Sets *at and *size to the value's place and length. Returns false
 * if there is none.
 */
bool secret_query_find(const char *text, size_t length, size_t *at, size_t *size);

/*
 * Copies a query, with "***" in place of each such value. Returns the length; no NUL is added.
 */
size_t secret_query_mask(const char *text, size_t length, char *to);

/* Whether it has such a value. */
bool secret_query_has(const char *text, size_t length);

#endif
