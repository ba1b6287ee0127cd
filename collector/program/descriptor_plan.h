/*
 * How many file descriptors a configuration may need: reserves those for the program's own uses
 * (collector/platform/process.h), and warns if the system allows too few. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H
#define SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H

#include "collector/config/config.h"

/* Reserves them; called at start and after a reload. */
void descriptor_plan_keep(const struct config *config);

/*
 * Logs a warning with both numbers if the configuration can need more descriptors than the process
 * may open. Descriptors of libraries are not known, and not counted.
 */
void descriptor_plan_warn(const struct config *config);

#endif
