/*
 * Finds what a configuration needs, which the sandbox must permit: files, ports and programs
 * (platform/sandbox.h). Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SANDBOX_NEEDS_H
#define SLUICE_COLLECTOR_PROGRAM_SANDBOX_NEEDS_H

#include <stdbool.h>

#include "collector/config/config.h"
#include "collector/platform/sandbox.h"

/*
 * Returns why the configuration cannot run in the sandbox, as a part of a sentence, or NULL if it
 * can.
 */
const char *sandbox_needs_obstacle(const struct config *config);

/*
 * Fills a zeroed plan, which the caller frees, also on failure. Returns false if memory is short.
 */
bool sandbox_needs_find(const struct config *config, struct sandbox_plan *plan);

#endif
