/*
 * Threads, locks and the clock, free of any operating system's names. CMake picks the
 * implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_THREAD_H

#include <stdint.h>

#include "collector/base/error.h"

struct thread; /* owned by whoever started it, until joined */
struct mutex;

/*
 * Starts `run(argument)` on a thread of its own that receives no signals; `name` (at most 15 bytes)
 * is what debuggers and `top -H` show. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error);

/* Waits for its end and frees it. NULL is allowed. */
void thread_join(struct thread *thread);

/* Returns NULL where memory is short. */
struct mutex *mutex_create(void);
void mutex_destroy(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

/* Nanoseconds of a clock that never goes back. */
int64_t clock_monotonic_ns(void);

/* Nanoseconds since 1970 UTC. */
int64_t clock_wall_ns(void);

#endif
