/*
 * Finds the parts of a sink's URL that may be secrets: a user before the host, a part of the path
 * that looks like a key ("/services/T0/B0/kGXz..."), the value of a key whose name suggests a
 * password or a token, and the secrets in `query=`. The URL of a file has no secrets. The whole
 * line of a command counts as one. Pure functions.
 */
#ifndef SLUICE_COLLECTOR_TEXT_SECRET_URL_H
#define SLUICE_COLLECTOR_TEXT_SECRET_URL_H

#include <stddef.h>

/* The most bytes that secret_url_mask writes, and needs as room, for a URL of `length` bytes. */
#define SECRET_URL_ROOM(length) (3 * (length) + 1)

/* Copies a URL, with "***" for each secret. Returns the length; adds no NUL. */
size_t secret_url_mask(const char *text, size_t length, char *to);

/* Overwrites each byte of a secret with "*". The length of the URL stays the same. */
void secret_url_blank(char *text, size_t length);

#endif
