/* The filter of system calls, by seccomp(2). Only for platform/linux/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_FILTER_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_FILTER_H

#include <stdbool.h>

#include "collector/platform/sandbox.h"

/* Whether the kernel and the processor can filter calls. */
bool sandbox_filter_is_supported(void);

/*
 * Filters the calls of all threads of this process. no_new_privs must be set. Returns 0, or -1 with
 * errno.
 */
int sandbox_filter_install(const struct sandbox_plan *plan);

#endif
