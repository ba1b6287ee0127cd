/*
 * Logs the lines of a start: version, configuration file and memory, where records go, and the
 * control address. Sources log that they listen.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_START_REPORT_H
#define SLUICE_COLLECTOR_PROGRAM_START_REPORT_H

#include "collector/config/config.h"
#include "collector/pipeline/memory_plan.h"

/*
 * Logs these lines when everything is open. Warns if --memory leaves little for queues, or if the
 * limit of open files is low. Main thread.
 */
void start_report_log(const struct config *config, const struct memory_plan *plan);

#endif
