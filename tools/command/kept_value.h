/* Stores an option's value in its field of the settings struct. Pure; any thread. */
#ifndef SLUICE_TOOLS_COMMAND_KEPT_VALUE_H
#define SLUICE_TOOLS_COMMAND_KEPT_VALUE_H

#include "collector/base/error.h"
#include "tools/command/command.h"

/* Stores the value, and returns as command_option.set does. */
int kept_value_set(const struct command_option *option, void *settings, const char *value,
                   struct error *error);

#endif
