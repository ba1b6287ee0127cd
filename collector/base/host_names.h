/*
 * The names by which clients may ask for something over HTTP.
 *
 * A web page can have its own name stand for 127.0.0.1, or for any address that its reader's
 * browser reaches, and then ask there as if it were at home ("DNS rebinding"). The browser still
 * says by which name it asks, in the header Host: one that is an address, or localhost, or a name
 * that the operator gave, is no such page's. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_HOST_NAMES_H
#define SLUICE_COLLECTOR_BASE_HOST_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Bytes of all names, with commas between them and a NUL at the end. */
#define HOST_NAMES_SIZE 512

struct host_names {
    char text[HOST_NAMES_SIZE]; /* in lower case; empty: none */
};

/*
 * Reads "NAME,NAME": names of hosts (RFC 1123, 2.1: letters, digits, hyphens and dots; and
 * underscores, which names of services in containers have), without a port. Returns false with
 * `fault` filled, its `at` counted from the beginning of the text; the text of the fault says no
 * more than what is wrong with the name.
 */
bool host_names_parse(const char *text, size_t length, struct host_names *names,
                      struct parse_error *fault);

/*
 * Whether `host`, the value of a header Host (RFC 9110, 7.2: a host and perhaps a port), is an IPv4
 * address, an IPv6 address in brackets, localhost, or one of the names.
 */
bool host_names_allow(const struct host_names *names, const char *host);

#endif
