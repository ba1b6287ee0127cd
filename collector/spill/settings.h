/* Completes the settings of a spill. Pure functions; any thread. */
#ifndef SLUICE_COLLECTOR_SPILL_SETTINGS_H
#define SLUICE_COLLECTOR_SPILL_SETTINGS_H

#include "collector/base/error.h"
#include "collector/spill/spill.h"

/*
 * Copies the given settings, and chooses a segment size if it is 0. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG) if the sizes do not fit together.
 */
int spill_settings_complete(const struct spill_settings *given, struct spill_settings *settings,
                            struct error *error);

#endif
