/*
 * Computes how many file descriptors a configuration may need. Reserves descriptors for the
 * program's own uses (collector/platform/process.h), and warns if the system allows too few. Main
 * thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H
#define SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H

#include "collector/config/config.h"

/* Reserves descriptors for the program's own uses; called at start and after a reload. */
void descriptor_plan_keep(const struct config *config);

/*
 * Logs a warning with the needed and the allowed number if the configuration can need more
 * descriptors than the process may open. Does not count descriptors of libraries, whose number is
 * not known.
 */
void descriptor_plan_warn(const struct config *config);

#endif
