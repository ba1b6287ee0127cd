/* The command line of sluice-top. */
#ifndef SLUICE_TOOLS_TOP_OPTIONS_H
#define SLUICE_TOOLS_TOP_OPTIONS_H

#include <stdbool.h>

#include "tools/command/command.h"

#define TOP_DEFAULT_ADDRESS "unix:/tmp/sluice.sock"

struct top_settings {
    const char *address;
    const char *pattern; /* of --tap, or NULL */
    bool once;
};

/* Reads into a `struct top_settings`. */
extern const struct command top_command;

#endif
