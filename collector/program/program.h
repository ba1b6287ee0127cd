/*
 * One run of the collector, from a checked configuration to an exit code. The main thread's work:
 * it starts the pipeline, answers signals, clients and the clock, stops it and reports the ledger.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_PROGRAM_H
#define SLUICE_COLLECTOR_PROGRAM_PROGRAM_H

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/contract/encoder.h"

struct program_options {
    const struct config *config;            /* outlives the run */
    const struct config_registry *registry; /* that it was read with */
    const struct encoder_ops
        *tap_encoder; /* writes the lines of those who watch (control_service.h) */

    /*
     * Reads what the configuration is by now into `config`, which is all zero. Returns 0, or -1
     * with `error` filled. NULL: it cannot have changed.
     */
    int (*read_config)(void *context, struct config *config, struct error *error);

    /* Told when everything has been opened and started; NULL: nobody. */
    void (*running)(void *context);
    void *context;
};

/*
 * Whether the configuration could run: what this program was built without, and pipeline_check.
 * Returns 0, or -1 with `error` filled.
 */
int program_check(const struct config *config, struct error *error);

/*
 * Runs until there is a reason to stop, and returns the exit code; what went wrong has been logged.
 * Where a file hangs for longer than the stop may take, it ends the process itself (with
 * EXIT_CODE_IO): a read or write that never returns can be waited for no other way.
 */
enum exit_code program_run(const struct program_options *options);

#endif
