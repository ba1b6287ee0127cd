/*
 * What a run reports in the log when it starts: its version, its configuration file and memory,
 * where records go, and who may ask. Listeners say for themselves that they listen.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_START_REPORT_H
#define SLUICE_COLLECTOR_PROGRAM_START_REPORT_H

#include "collector/config/config.h"
#include "collector/pipeline/memory_plan.h"

/*
 * Logs a line for each, when all is open, and where --memory leaves little for queues, or the limit
 * of open files is low, also what is to be done. `plan`: how --memory is divided. Main thread.
 */
void start_report_log(const struct config *config, const struct memory_plan *plan);

#endif
