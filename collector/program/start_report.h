/*
 * What a run reports in the log when it starts: its version, its configuration file and memory,
 * where records go, and who may ask. Listeners say for themselves that they listen.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_START_REPORT_H
#define SLUICE_COLLECTOR_PROGRAM_START_REPORT_H

#include <stdint.h>

#include "collector/config/config.h"

/* Logs a line for each, when all is open; `memory`: bytes that were taken of --memory. Main thread.
 */
void start_report_log(const struct config *config, uint64_t memory);

#endif
