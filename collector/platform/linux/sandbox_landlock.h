/*
 * Restricts files, ports and signals to other processes by landlock(7). Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_LANDLOCK_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_LANDLOCK_H

#include "collector/platform/sandbox.h"

/*
 * Returns the version of the kernel's Landlock interface, or 0 if the kernel lacks it or has it
 * turned off.
 */
int sandbox_landlock_version(void);

/*
 * Restricts all threads, and programs that they start, to the plan, and sets no_new_privs for them.
 * *outside is the number of other threads that could not be restricted. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_INTERNAL).
 */
int sandbox_landlock_restrict(const struct sandbox_plan *plan, int version, size_t *outside,
                              struct error *error);

#endif
