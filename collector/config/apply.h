/*
 * From what was written to what is meant: entries (config/provenance.h) into a configuration, one
 * after the other, each checked by itself and against those before it. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_APPLY_H
#define SLUICE_COLLECTOR_CONFIG_APPLY_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/config/provenance.h"

struct applying {
    const struct config_registry *registry;
    const struct provenance *provenance; /* whose file the entries are from */
    struct config *config;
    struct error *error;
};

/*
 * Puts the value of an entry into the configuration. Returns false with the error filled: it says
 * where the entry was written, and is EXIT_CODE_USAGE for the command line, EXIT_CODE_CONFIG
 * elsewhere.
 */
bool apply_entry(const struct applying *applying, const struct provenance_entry *entry);

/* When all are in: checks that no sink writes where `entry` has the dead letters. */
bool apply_check_dead_letters(const struct applying *applying,
                              const struct provenance_entry *entry);

#endif
