/*
 * Records refused system calls for sandbox_take_refusal (platform/sandbox.h). Only for
 * platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_REFUSALS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_REFUSALS_H

/*
 * From now on a refused call (SIGSYS) fails with EPERM and is recorded. Then the handler calls
 * `refused`. Returns 0, or -1 with errno.
 */
int sandbox_refusals_begin(void (*refused)(void *context), void *context);

#endif
