/* The command line of sluice-send. */
#ifndef SLUICE_TOOLS_SEND_OPTIONS_H
#define SLUICE_TOOLS_SEND_OPTIONS_H

#include <stdbool.h>

#include "tools/command/command.h"
#include "tools/send/load.h"

struct send_settings {
    struct load_plan plan;
    bool json;
};

/* Reads into a `struct send_settings`. */
extern const struct command send_command;

#endif
