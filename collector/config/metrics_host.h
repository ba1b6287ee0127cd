/* Parses --metrics-host. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_METRICS_HOST_H
#define SLUICE_COLLECTOR_CONFIG_METRICS_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Syntax for help texts. */
#define METRICS_HOST_SYNTAX "NAME[,NAME...]"

/* A setting_parser (setting.h): parses "collector.example.net,sluice" into a struct host_names. */
bool metrics_host_parse(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault);

/* A setting_comparer for two struct host_names; compares their texts. */
bool metrics_host_equal(const void *a, const void *b);

#endif
