/* Whether a configuration contains secrets. Main thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_SECRETS_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_SECRETS_H

#include <stdbool.h>

#include "collector/config/config.h"

/*
 * Returns whether a key was given whose value, or whose file, may be a password, a token or a
 * private key, or whether the URL of a sink contains one. The line of a command does not count: the
 * process that runs it shows the line to every user. True if memory is short.
 */
bool config_has_secrets(const struct config *config, const struct config_registry *registry);

#endif
