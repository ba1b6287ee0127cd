/* Parses the address of --metrics. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_METRICS_ADDRESS_H
#define SLUICE_COLLECTOR_CONFIG_METRICS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Syntax for help texts. */
#define METRICS_ADDRESS_SYNTAX "[ADDR:]PORT"

/*
 * A setting_parser (setting.h): parses "0.0.0.0:9126" into a struct address; ":9126" and "9126"
 * mean 127.0.0.1. For port 0 the system chooses a port.
 */
bool metrics_address_parse(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault);

/* A setting_comparer for two addresses. */
bool metrics_address_equal(const void *a, const void *b);

#endif
