/* Parses --min-free. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_MIN_FREE_H
#define SLUICE_COLLECTOR_CONFIG_MIN_FREE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Syntax for help texts. */
#define MIN_FREE_SYNTAX "SIZE|PERCENT%"

/* A setting_parser (setting.h): parses "10GiB" or "5%" (1 to 99 %) into a struct disk_reserve. */
bool min_free_parse(const char *name, const char *text, size_t length, void *field,
                    struct parse_error *fault);

/* A setting_comparer for two struct disk_reserve. */
bool min_free_equal(const void *a, const void *b);

#endif
