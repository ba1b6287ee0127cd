/* Parses the address of --metrics. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_METRICS_ADDRESS_H
#define SLUICE_COLLECTOR_CONFIG_METRICS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/base/parse_error.h"
#include "collector/platform/local_listener.h"

/* Syntax for help texts. */
#define METRICS_PLACE_SYNTAX "[ADDR:]PORT|unix:PATH"

/* Where metrics are served. */
struct metrics_place {
    struct address address;         /* ADDRESS_NONE: not served; ADDRESS_LOCAL: at the path */
    char path[LOCAL_NAME_MOST + 1]; /* path of the socket's file, for ADDRESS_LOCAL; otherwise
                                       empty */
};

/*
 * A setting_parser (setting.h): parses "0.0.0.0:9126" into a struct address; ":9126" and "9126"
 * mean 127.0.0.1. For port 0 the system chooses a port.
 */
bool metrics_address_parse(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault);

/*
 * A setting_parser: parses the same, or "unix:/run/sluice/metrics", into a struct metrics_place.
 * Refuses "unix:@NAME" (an abstract socket), because only a file has permissions.
 */
bool metrics_place_parse(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault);

/* A setting_comparer for two struct metrics_place. */
bool metrics_place_equal(const void *a, const void *b);

#endif
