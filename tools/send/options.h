/* The command line of sluice-send. */
#ifndef SLUICE_TOOLS_SEND_OPTIONS_H
#define SLUICE_TOOLS_SEND_OPTIONS_H

#include <stdbool.h>

#include "tools/command/command.h"
#include "tools/send/load.h"

struct send_settings {
    struct load_plan plan;
    bool json;
    bool quiet;

    /* The message of --json, or NULL for synthetic ones. It is of the plan's shape or of a file. */
    const char *given;
    const char *file;    /* the file of --schema; NULL: a built-in schema */
    const char *message; /* a type in that file */
};

/* Default of the sender's name. */
extern const char send_default_sender[];

/* Reads into a `struct send_settings`. */
extern const struct command send_command;

#endif
