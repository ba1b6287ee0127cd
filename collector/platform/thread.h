/*
 * Threads, locks and processors, free of any operating system's names.
 *
 * A port provides threads that receive no signals, a lock, and the binding of a thread to a processor.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- threads ---------------------------------------------------------------------------------- */

/* Threads, free of any operating system's names. */

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

/* --- locks ------------------------------------------------------------------------------------ */

/* A lock that one thread holds at a time; it must not be taken again by its holder. */

struct mutex;

/* Returns NULL where memory is short. */
struct mutex *mutex_create(void);

/* Nobody may hold it. NULL is allowed. */
void mutex_destroy(struct mutex *mutex);

void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

/* --- processors ------------------------------------------------------------------------------- */

/*
 * The processors that threads of this process may run on, by the system's numbers, and staying on
 * one of them. Any thread.
 */

/* More numbers than this, or higher ones, no list holds. */
#define PROCESSORS_MAX  64
#define PROCESSORS_LAST 1023

/* Some of them, in an order; a value. None: wherever the system likes. */
struct processor_list {
    size_t count;
    uint16_t numbers[PROCESSORS_MAX];
};

bool processor_is_ours(unsigned number);

/* The calling thread stays there from now on. Returns false where it cannot. */
bool processor_stay_on(unsigned number);

#endif
