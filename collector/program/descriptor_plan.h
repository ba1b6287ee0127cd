/*
 * How many descriptors a configuration may need (collector/platform/process.h): what is kept
 * back for the program's own uses, and a warning where the system allows fewer. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H
#define SLUICE_COLLECTOR_PROGRAM_DESCRIPTOR_PLAN_H

#include "collector/config/config.h"

/* Keeps them. At the start, and after a reload. */
void descriptor_plan_keep(const struct config *config);

/*
 * Logs a warning where all that the configuration allows at the same time needs more than the
 * process may have, with both numbers. What libraries take is not known, and not in it.
 */
void descriptor_plan_warn(const struct config *config);

#endif
