/* The command line of sluice-decode. */
#ifndef SLUICE_TOOLS_DECODE_OPTIONS_H
#define SLUICE_TOOLS_DECODE_OPTIONS_H

#include <stdbool.h>

#include "collector/contract/schema.h"
#include "tools/command/command.h"

struct decode_settings {
    const struct schema_ops *schema; /* a built-in one, or NULL */
    const char *descriptor_set;      /* a file; NULL: none */
    const char *message;             /* of the file */
    bool delimited;
    bool as_protobuf; /* else JSON */
    struct json_style style;
};

/* Reads into a `struct decode_settings`. */
extern const struct command decode_command;

#endif
