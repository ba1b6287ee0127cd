/*
 * One run of the collector, from a checked configuration to an exit code. The main thread's work:
 * it starts the pipeline, answers signals, clients and the clock, stops it and reports the ledger.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_H
#define SLUICE_COLLECTOR_PROGRAM_H

#include "collector/config/config.h"
#include "collector/error.h"
#include "collector/sink.h"

/*
 * Runs until there is a reason to stop, and returns the exit code; what went wrong has been logged.
 * Where a file hangs for longer than the stop may take, it ends the process itself (with
 * EXIT_CODE_IO): a read or write that never returns can be waited for no other way. `tap_encoder`
 * writes the lines of those who watch (control_service.h). `running` (NULL: nobody) is told when
 * everything has been opened and started.
 */
enum exit_code program_run(const struct config *config, const struct encoder_ops *tap_encoder,
                           void (*running)(void *context), void *context);

#endif
