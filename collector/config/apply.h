/*
 * Applies entries (config/provenance.h) to a configuration one by one. Checks each entry by itself,
 * and against earlier entries. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_APPLY_H
#define SLUICE_COLLECTOR_CONFIG_APPLY_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/config/provenance.h"

struct applying {
    const struct config_registry *registry;
    const struct provenance *provenance; /* has the `files` that entries refer to by index */
    struct config *config;
    struct error *error;
};

/*
 * Stores the value of an entry in the configuration. Returns false with the error filled: the text
 * names the place of the entry, and the code is EXIT_CODE_USAGE for the command line, otherwise
 * EXIT_CODE_CONFIG.
 */
bool apply_entry(const struct applying *applying, const struct provenance_entry *entry);

/*
 * Checks that no sink writes to the dead-letter file of `entry`. Must be called after all entries
 * were applied.
 */
bool apply_check_dead_letters(const struct applying *applying,
                              const struct provenance_entry *entry);

/*
 * Adds the source of an option to an error that begins with the option. "--memory 1MiB is too
 * small" becomes "c.yaml:3:9: memory 1MiB is too small" for a file, and "SLUICE_MEMORY: memory ..."
 * for the environment. Does not change other errors.
 */
void apply_place_option(const struct config *config, struct error *error);

#endif
