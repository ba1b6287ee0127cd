/* The command line of sluice-replay. */
#ifndef SLUICE_TOOLS_REPLAY_OPTIONS_H
#define SLUICE_TOOLS_REPLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "tools/command/command.h"
#include "tools/sending/sealing.h"

struct replay_settings {
    const char *path;
    struct address destination;
    double speed;
    uint64_t port; /* destination port in the capture; 0 means any */
    bool quiet;
    struct sealing_settings sealing;
};

/* The command. Its options are stored in a `struct replay_settings`. */
extern const struct command replay_command;

#endif
