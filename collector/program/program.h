/*
 * One run of the collector, from a checked configuration to an exit code. The main thread starts
 * the pipeline, handles signals, clients and timers, stops the pipeline and prints the ledger.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_PROGRAM_H
#define SLUICE_COLLECTOR_PROGRAM_PROGRAM_H

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/contract/encoder.h"
#include "collector/pipeline/memory_plan.h"

struct program_options {
    const struct config *config;            /* outlives the run */
    const struct config_registry *registry; /* the registry with which `config` was read */
    const struct encoder_ops *tap_encoder;  /* for clients of --control that watch records */

    /*
     * Reads the configuration again into `config`, which is all zero. Returns 0, or -1 with `error`
     * filled. A NULL pointer means that the configuration cannot have changed.
     */
    int (*read_config)(void *context, struct config *config, struct error *error);

    /* Called when everything has been opened and started; may be NULL. */
    void (*running)(void *context);
    void *context;
};

/*
 * Checks whether this program was built with all that the configuration needs, and calls
 * pipeline_check. Returns 0, or -1 with `error` filled.
 */
int program_check(const struct config *config, struct error *error);

/*
 * Plans the memory of a run with this configuration. Returns 0, or -1 with `error` filled.
 */
int program_plan_memory(const struct config *config, struct memory_plan *plan, struct error *error);

/*
 * Runs until there is a reason to stop, and returns the exit code; errors have been logged. If a
 * thread hangs in a read or write for longer than the stop may take, ends the process with
 * EXIT_CODE_IO, because such a call cannot be interrupted.
 */
enum exit_code program_run(const struct program_options *options);

#endif
