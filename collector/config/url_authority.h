/* Parses the address and the port of a URL. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_URL_AUTHORITY_H
#define SLUICE_COLLECTOR_CONFIG_URL_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/parse_error.h"

/*
 * Parses "ADDR:PORT" of a URL, all `length` bytes of `text`. Returns false with `fault` filled, its
 * offset counted from the beginning of `text`.
 */
bool url_parse_authority(const char *text, size_t length, struct address *address,
                         struct parse_error *fault);

/* Parses only a port. Returns false with `fault` filled, its offset set to `at`. */
bool url_parse_port(const char *text, size_t length, size_t at, uint16_t *port,
                    struct parse_error *fault);

#endif
