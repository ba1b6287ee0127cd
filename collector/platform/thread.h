/*
 * Threads, locks and processors.
 *
 * A port provides threads that receive no signals, a lock, and the binding of a thread to a
 * processor.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/text/compiler.h"

/* --- threads ---------------------------------------------------------------------------------- */

struct thread; /* owned by its starter until thread_join or thread_leave */

/*
 * Starts `run(argument)` on a new thread that receives no signals. Debuggers and `top -H` show
 * `name` (at most 15 bytes). Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error);

/* Waits for the thread's end and frees it. NULL is allowed. */
void thread_join(struct thread *thread);

/* Detaches the thread: it continues, and is freed when it ends. NULL is allowed. */
void thread_leave(struct thread *thread);

/* --- locks ------------------------------------------------------------------------------------ */

/* A lock that one thread holds at a time. Its holder must not lock it again. */

struct LOCK_TYPE mutex;

/* Returns NULL if memory is short. */
struct mutex *mutex_create(void);

/* Frees a mutex; no thread may hold it. NULL is allowed. */
void mutex_destroy(struct mutex *mutex);

void mutex_lock(struct mutex *mutex) ACQUIRES(mutex);
void mutex_unlock(struct mutex *mutex) RELEASES(mutex);

/* --- processors ------------------------------------------------------------------------------- */

/*
 * The processors that threads of this process may run on, identified by the system's numbers. A
 * thread can be bound to one of them. Any thread.
 */

/* The most processors of a list, and the highest number. */
#define PROCESSORS_MAX  64
#define PROCESSORS_LAST 1023

/* An ordered list of processors; may be copied. If it is empty, the system chooses. */
struct processor_list {
    size_t count;
    uint16_t numbers[PROCESSORS_MAX];
};

/* Returns true if threads of this process may run on the processor. */
bool processor_is_ours(unsigned number);

/* Binds the calling thread to the processor. Returns false if the system refuses. */
bool processor_stay_on(unsigned number);

#endif
