/*
 * Runs a function in every thread of the process, including those of libraries. Only for
 * platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_THREADS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SANDBOX_THREADS_H

#include <stddef.h>

/*
 * Calls `run` once in each other thread, in a signal handler, and waits for it. `run` may only make
 * system calls; it returns 0, or -1 with errno. Threads that begin during the call are included,
 * unless a thread in which `run` has returned starts them. Returns the number of threads in which
 * `run` failed or was not called within a second. Main thread.
 */
size_t sandbox_threads_run(int (*run)(void *context), void *context);

#endif
