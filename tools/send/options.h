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

    /* The one message to send; NULL: synthetic ones. It is of the plan's shape, or of a file. */
    const char *given;
    const char *file;    /* that --schema names; NULL: it names a built-in schema */
    const char *message; /* of the file */
};

/* What the sender's name is before the options are read. */
extern const char send_default_sender[];

/* Reads into a `struct send_settings`. */
extern const struct command send_command;

#endif
