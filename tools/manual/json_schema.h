/*
 * Writes a JSON Schema (draft 7) of the configuration file, with which editors complete and check
 * YAML. It is generated from the tables of options and keys. The caller must check the stream for
 * errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_JSON_SCHEMA_H
#define SLUICE_TOOLS_MANUAL_JSON_SCHEMA_H

#include <stdio.h>

#include "collector/config/config.h"

/* Writes the schema. Returns 0, or -1 if it does not fit in the buffer. */
int json_schema_write(FILE *out, const struct config_registry *registry);

#endif
