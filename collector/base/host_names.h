/*
 * Checks the host names that HTTP requests use.
 *
 * A web page can let its own name resolve to 127.0.0.1, or to any address that the reader's browser
 * can reach. Its requests then go to that address as if to the page's own server ("DNS rebinding"),
 * but their Host header still contains the page's name. So a request is accepted only if its Host
 * is an address, localhost or a name that the operator configured. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_HOST_NAMES_H
#define SLUICE_COLLECTOR_BASE_HOST_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Bytes for all names, with commas between them and a NUL at the end. */
#define HOST_NAMES_SIZE 512

struct host_names {
    char text[HOST_NAMES_SIZE]; /* in lower case; empty: no names */
};

/*
 * Parses "NAME,NAME": host names (RFC 1123, 2.1: letters, digits, hyphens and dots; also
 * underscores, which service names in containers contain), without a port. Returns false with
 * `fault` filled; fault->at is an offset in `text`.
 */
bool host_names_parse(const char *text, size_t length, struct host_names *names,
                      struct parse_error *fault);

/*
 * Returns true if `host`, the value of a header Host (RFC 9110, 7.2: a host and perhaps a port), is
 * an IPv4 address, an IPv6 address in brackets, localhost, or one of the configured names.
 */
bool host_names_allow(const struct host_names *names, const char *host);

#endif
