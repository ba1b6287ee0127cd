/*
 * Finds the parts of a sink's URL that may be secrets: a user before the host, a part of the path
 * that looks like a key ("/services/T0/B0/kGXz..."), a value with a name that suggests a password
 * or a token, and the secrets in `query=`. The URL of a file has no secrets; the whole line of a
 * command is a secret. Pure functions.
 */
#ifndef SLUICE_COLLECTOR_TEXT_SECRET_URL_H
#define SLUICE_COLLECTOR_TEXT_SECRET_URL_H

#include <stddef.h>

/* The maximum number of bytes that a masked URL takes, for a URL of `length` bytes. */
#define SECRET_URL_ROOM(length) (3 * (length) + 1)

/* Copies a URL, with "***" in place of each secret. Returns the length; no NUL is added. */
size_t secret_url_mask(const char *text, size_t length, char *to);

/* Overwrites each byte of a secret with "*", so that offsets in the URL stay valid. */
void secret_url_blank(char *text, size_t length);

#endif
