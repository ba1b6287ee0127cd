/*
 * The configuration file as a JSON Schema (draft 7), which editors complete and check YAML by: made
 * of the tables of options and keys. Written to a stream, whose errors the caller looks at.
 */
#ifndef SLUICE_TOOLS_MANUAL_JSON_SCHEMA_H
#define SLUICE_TOOLS_MANUAL_JSON_SCHEMA_H

#include <stdio.h>

#include "collector/config/config.h"

/* Returns 0, or -1 where it does not fit its memory. */
int json_schema_write(FILE *out, const struct config_registry *registry);

#endif
