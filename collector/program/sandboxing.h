/*
 * Enters the sandbox (platform/sandbox.h) if --sandbox requests it, logs the result, and checks
 * that a reload needs only what the sandbox permits. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SANDBOXING_H
#define SLUICE_COLLECTOR_PROGRAM_SANDBOXING_H

#include "collector/base/error.h"
#include "collector/config/config.h"

struct sandboxing;

/*
 * Returns 0 if --sandbox permits a start. Returns -1 with `error` filled (EXIT_CODE_CONFIG) if
 * --sandbox=on, and the system or the configuration does not allow a sandbox.
 */
int sandboxing_check(const struct config *config, struct error *error);

/* Announces (sandbox_expect) that sandboxing_enter will follow. Called before sinks are opened. */
void sandboxing_expect(const struct config *config);

/*
 * Enters the sandbox if --sandbox and the system permit it. Logs and notes (sandbox_note) what is
 * in force, or why there is no sandbox. With --sandbox=auto, the parts that the system supports are
 * used. Called after everything is open, before other threads begin. Any thread may call `notify`,
 * which wakes the main thread. Returns 0 with *out (NULL: no sandbox). Returns -1 with `error`
 * filled if memory is short, or if a part has failed with --sandbox=on; the process must then end.
 */
int sandboxing_enter(struct sandboxing **out, const struct config *config,
                     void (*notify)(void *context), void *context, struct error *error);

/*
 * Checks that a new configuration needs only what the sandbox permits. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_CONFIG). `sandboxing` may be NULL.
 */
int sandboxing_permits(const struct sandboxing *sandboxing, const struct config *config,
                       struct error *error);

/*
 * Adds to the error of a failed reload that the sandbox may be the cause, if that is possible.
 * `sandboxing` may be NULL.
 */
void sandboxing_explain(const struct sandboxing *sandboxing, struct error *error);

/* Logs system calls that were refused since the last call. `sandboxing` may be NULL. */
void sandboxing_report(const struct sandboxing *sandboxing);

/* Frees the memory; the process stays in the sandbox. NULL is allowed. */
void sandboxing_destroy(struct sandboxing *sandboxing);

#endif
