/* The command line of sluice-replay. */
#ifndef SLUICE_TOOLS_REPLAY_OPTIONS_H
#define SLUICE_TOOLS_REPLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "tools/command/command.h"

struct replay_settings {
    const char *path;
    struct address destination;
    double speed;
    uint64_t port; /* destination port in the capture; 0: any */
    bool quiet;
};

/* The command; its options are stored in a `struct replay_settings`. */
extern const struct command replay_command;

#endif
