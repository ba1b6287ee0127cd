/* The interfaces between the explorer's files. Only these include it. */
#ifndef SLUICE_TESTS_MODEL_PARTS_H
#define SLUICE_TESTS_MODEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/explorer.h"

#define NOBODY (-1) /* no thread: the set-up or the check runs, while threads do not */

/*
 * The past of a thread: the number of steps of each thread, and the oldest store of each object
 * that may still be seen.
 */
#define MOST_OBJECTS 160
struct past {
    uint16_t steps[MODEL_THREADS];
    uint16_t oldest[MOST_OBJECTS];
};

void past_join(struct past *past, const struct past *other);

/* Whether a run is under way: its set-up, its threads, or its check. */
bool explorer_is_running(void);

/* The thread that runs, or NOBODY, and its past. */
int explorer_current(void);
struct past *explorer_past(int thread);

/* Chooses a number below `count`. Each run chooses another one, until all were chosen. */
size_t explorer_choose(size_t count);

/* Called before a step that other threads can see: another thread may run first. */
void explorer_step(void);

/*
 * The same for a thread that waits until *ready and, if `may_end`, until no other thread can
 * continue. Returns whether it was ready.
 */
bool explorer_wait(const bool *ready, bool may_end);

/* Notes that the thread has seen, or done, what these numbers identify. */
void explorer_note(uint64_t what, uint64_t more);
uint64_t explorer_seen(void); /* all that the thread has noted, as one number */

/* Reports a fault that was found; does not return. */
_Noreturn void explorer_fault(const char *text);

/*
 * Begins the exploration again, because an object that only one thread had used turned out to be
 * shared.
 */
_Noreturn void explorer_again(void);

/* Starts a thread that calls `run(argument)`. Returns its number. */
int explorer_spawn(void (*run)(void *), void *argument);
const bool *explorer_has_ended(int thread);

/* --- memory.c --------------------------------------------------------------------------------- */

/* Called when a run, or an exploration, begins. */
void memory_begin_run(void);
void memory_forget_shared(void);

/* The order of all stores, as one number. */
uint64_t memory_order_so_far(void);

/* Memory for a run; all of it is released when the next one begins. */
void *memory_take(size_t alignment, size_t size);
bool memory_is_a_runs(const void *memory);

/*
 * Called for an object of a contract of platform/: the thread that uses it next sees all that was
 * done to it before.
 */
struct meeting {
    struct past past;
    uint64_t order;
};
void meeting_pass(struct meeting *meeting, uint64_t what);

/* --- world.c ---------------------------------------------------------------------------------- */

/* Memory for the explorer itself, all zero; never NULL. */
void *world_take(size_t size);
void world_give_back(void *memory);

#endif
