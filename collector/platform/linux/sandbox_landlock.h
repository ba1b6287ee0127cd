/* Rules for files, ports and other processes, by landlock(7). Only for platform/linux/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_LANDLOCK_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_LANDLOCK_H

#include "collector/platform/sandbox.h"

/* Returns the version of the kernel's interface; 0: none, or it is turned off. */
int sandbox_landlock_version(void);

/*
 * Restricts this thread, and threads and programs that it starts, to the plan. no_new_privs must be
 * set. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int sandbox_landlock_restrict(const struct sandbox_plan *plan, int version, struct error *error);

#endif
