/*
 * The program in its sandbox (platform/sandbox.h): whether it enters one, what it logs, and what a
 * reload may add. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SANDBOXING_H
#define SLUICE_COLLECTOR_PROGRAM_SANDBOXING_H

#include "collector/base/error.h"
#include "collector/config/config.h"

struct sandboxing;

/*
 * Whether --sandbox permits a start. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG):
 * --sandbox=on, and the system or the configuration does not allow a sandbox.
 */
int sandboxing_check(const struct config *config, struct error *error);

/* Announces (sandbox_expect) that sandboxing_enter will follow, before sinks are opened. */
void sandboxing_expect(const struct config *config);

/*
 * Enters the sandbox if --sandbox and the system permit it, and logs and notes (sandbox_note) what
 * is in force, or why there is none. With auto it enters with the means that work. After everything
 * is open, before other threads begin. `notify` wakes the main thread up, from any thread. Returns
 * 0 with *out (NULL: no sandbox), or -1 with `error` filled: with on a means has failed, or memory
 * is short; the process must end then.
 */
int sandboxing_enter(struct sandboxing **out, const struct config *config,
                     void (*notify)(void *context), void *context, struct error *error);

/*
 * Whether a new configuration needs only what is permitted. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG). `sandboxing` may be NULL.
 */
int sandboxing_permits(const struct sandboxing *sandboxing, const struct config *config,
                       struct error *error);

/*
 * Adds to the error of a failed reload that the sandbox may be the cause, if it may. `sandboxing`
 * may be NULL.
 */
void sandboxing_explain(const struct sandboxing *sandboxing, struct error *error);

/* Logs system calls that were refused since the last call. `sandboxing` may be NULL. */
void sandboxing_report(const struct sandboxing *sandboxing);

/* Frees; the process stays in the sandbox. NULL is allowed. */
void sandboxing_destroy(struct sandboxing *sandboxing);

#endif
