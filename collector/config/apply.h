/*
 * From what was written to what is meant: entries (config/written.h) into a configuration, one
 * after the other, each checked by itself and against those before it. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_APPLY_H
#define SLUICE_COLLECTOR_CONFIG_APPLY_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/config/written.h"

struct applying {
    const struct config_registry *registry;
    const struct written *written; /* whose file the entries are from */
    struct config *config;
    struct error *error;
};

/*
 * Puts the value of an entry into the configuration. Returns false with the error filled: it says
 * where the entry was written, and is EXIT_CODE_USAGE for the command line, EXIT_CODE_CONFIG
 * elsewhere.
 */
bool apply_entry(const struct applying *applying, const struct written_entry *entry);

/* When all are in: checks that no sink writes where `entry` has the dead letters. */
bool apply_check_letters(const struct applying *applying, const struct written_entry *entry);

#endif
