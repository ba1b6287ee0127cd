/* What --check says of the folder where a delivery's records are to wait. */
#ifndef SLUICE_COLLECTOR_OUTPUT_SPILL_REPORT_H
#define SLUICE_COLLECTOR_OUTPUT_SPILL_REPORT_H

#include "collector/base/error.h"
#include "collector/output/sink_thread.h"

/*
 * Logs what lies in the sink's spill, and warns of what is damaged, of another one that has it open
 * and of a size that the disk has no room for. Changes nothing on the disk. Returns 0, also for a
 * sink without a spill, or -1 with `error` filled where the spill cannot be opened.
 */
int spill_report_log(const struct sink_thread_options *options, struct error *error);

#endif
