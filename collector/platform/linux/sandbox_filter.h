/* Filters system calls by seccomp(2). Only for platform/linux/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_FILTER_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_FILTER_H

#include <stdbool.h>

#include "collector/platform/sandbox.h"

/* Returns true if the filter is written for this processor and the kernel supports it. */
bool sandbox_filter_is_supported(void);

/*
 * Filters the calls of all threads of this process. no_new_privs must be set. Returns 0, or -1 with
 * errno.
 */
int sandbox_filter_install(const struct sandbox_plan *plan);

#endif
