/* The command line of sluice-decode. */
#ifndef SLUICE_TOOLS_DECODE_OPTIONS_H
#define SLUICE_TOOLS_DECODE_OPTIONS_H

#include <stdbool.h>

#include "collector/contract/schema.h"
#include "tools/command/command.h"

struct decode_settings {
    const struct schema_ops *schema; /* name of a built-in schema, or NULL */
    const char *descriptor_set;      /* path of a file, or NULL */
    const char *message;             /* a type in that file */
    bool delimited;
    bool as_protobuf; /* otherwise JSON */
    struct json_style style;
};

/* Reads into a `struct decode_settings`. */
extern const struct command decode_command;

#endif
