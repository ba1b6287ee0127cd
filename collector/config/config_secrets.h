/* Detects secrets in a configuration. Main thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_SECRETS_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_SECRETS_H

#include <stdbool.h>

#include "collector/config/config.h"

/*
 * Returns true if a key was given whose value or file may be a password, a token or a private key,
 * if the URL of a sink contains one, or if memory is short. Ignores the command line of a command:
 * sink, because every user can see the command line of its process.
 */
bool config_has_secrets(const struct config *config, const struct config_registry *registry);

#endif
