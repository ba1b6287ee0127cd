/* Parses lists of processors (collector/platform/thread.h). Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_PROCESSORS_H
#define SLUICE_COLLECTOR_CONFIG_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"

/* Syntax for help texts. */
#define PROCESSORS_SYNTAX "N[-N],..."

/*
 * A setting_parser (setting.h): parses "0,4-7" into a struct processor_list. Numbers may be
 * repeated.
 */
bool processors_parse(const char *name, const char *text, size_t length, void *field,
                      struct parse_error *fault);

/* A setting_comparer for two struct processor_list. */
bool processors_equal(const void *a, const void *b);

#endif
