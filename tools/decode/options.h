/* The command line of sluice-decode. */
#ifndef SLUICE_TOOLS_DECODE_OPTIONS_H
#define SLUICE_TOOLS_DECODE_OPTIONS_H

#include <stdbool.h>

#include "collector/contract/schema.h"
#include "tools/command/command.h"

struct decode_settings {
    const struct schema_ops *schema; /* a built-in schema, or NULL */
    /* The value of --schema if it is a file or a folder, or NULL. */
    const char *schema_path;
    const char *descriptor_set; /* file with a schema that is not built in, or NULL */
    const char *message;        /* a message type of that schema */
    struct schema_options keys; /* with `samples`: keys of a listener's schema */
    const char *texts;
    const char *sender_keys; /* file of keys for sealed datagrams, or NULL if not sealed */
    const char *capture;     /* capture with the messages; NULL: standard input */
    uint64_t port;           /* destination port in the capture; 0 means any */
    bool delimited;
    bool samples;     /* write the samples of each message */
    bool as_protobuf; /* write protobuf instead of JSON */
    struct json_style style;
};

/* The command. Its options are stored in a `struct decode_settings`. */
extern const struct command decode_command;

#endif
