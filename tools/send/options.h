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

    /*
     * The message of --json, which has the plan's shape or a type in `file`. NULL means that
     * messages are synthetic.
     */
    const char *given;
    const char *file;    /* the value of --schema if it is a file, or NULL */
    const char *message; /* name of a message type in `file` */
};

/* The sender's name if --sender is not given. */
extern const char send_default_sender[];

/* The command. Its options are stored in a `struct send_settings`. */
extern const struct command send_command;

#endif
