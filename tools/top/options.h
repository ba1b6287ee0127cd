/* The command line of sluice-top. */
#ifndef SLUICE_TOOLS_TOP_OPTIONS_H
#define SLUICE_TOOLS_TOP_OPTIONS_H

#include <stdbool.h>

#include "tools/command/command.h"

struct top_settings {
    const char *address; /* NULL: search for a collector */
    const char *pattern; /* of --tap; NULL: show the page */
    bool once;
};

/* The command; its options are stored in a `struct top_settings`. */
extern const struct command top_command;

#endif
