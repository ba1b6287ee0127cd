/* Notes refused system calls. Only for platform/linux/; see also platform/sandbox.h. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_REFUSALS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_REFUSALS_H

/*
 * From now on a refused call (SIGSYS) fails with EPERM, is noted, and is followed by a call of
 * `refused` in the handler. Returns 0, or -1 with errno.
 */
int sandbox_refusals_begin(void (*refused)(void *context), void *context);

#endif
