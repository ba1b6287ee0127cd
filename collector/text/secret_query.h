/* Finds the secrets in a URL's query: "u=me&p=pass" has one, the value of `p`. Pure functions. */
#ifndef SLUICE_COLLECTOR_TEXT_SECRET_QUERY_H
#define SLUICE_COLLECTOR_TEXT_SECRET_QUERY_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that secret_query_mask writes for a query of `length` bytes. */
#define SECRET_QUERY_ROOM(length) (3 * (length) + 1)

/*
 * Finds the first secret at or after byte *at: the value of a name that suggests a password, a
 * token or a key. Pairs are separated by "&" or "%26". Sets *at and *size to the value's offset and
 * length. Returns false if there is none.
 */
bool secret_query_find(const char *text, size_t length, size_t *at, size_t *size);

/* Copies a query, with "***" for each secret. Returns the length; adds no NUL. */
size_t secret_query_mask(const char *text, size_t length, char *to);

/* Returns true if the query contains a secret. */
bool secret_query_has(const char *text, size_t length);

#endif
