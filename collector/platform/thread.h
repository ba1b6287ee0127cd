/* Threads, free of any operating system's names. CMake picks the implementation under platform/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_THREAD_H

#include "collector/base/error.h"

struct thread; /* owned by whoever started it, until joined or left */

/*
 * Starts `run(argument)` on a thread of its own that receives no signals; `name` (at most 15 bytes)
 * is what debuggers and `top -H` show. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error);

/* Waits for its end and frees it. NULL is allowed. */
void thread_join(struct thread *thread);

/* Lets it go on alone: nobody waits for its end, at which it is freed. NULL is allowed. */
void thread_leave(struct thread *thread);

#endif
