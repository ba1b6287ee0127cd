/* Reports the folder of a sink's spill, for --check. */
#ifndef SLUICE_COLLECTOR_OUTPUT_SPILL_REPORT_H
#define SLUICE_COLLECTOR_OUTPUT_SPILL_REPORT_H

#include "collector/base/error.h"
#include "collector/output/sink_thread.h"

/*
 * Logs the contents of the sink's spill, and warns of damage, of a program that has it open, and of
 * a size that the disk has no room for. Changes nothing on the disk. Returns 0, also for a sink
 * without a spill, or -1 with `error` filled if the spill could not be opened.
 */
int spill_report_log(const struct sink_thread_options *options, struct error *error);

#endif
