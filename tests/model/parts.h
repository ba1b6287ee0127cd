/* Common declarations of the explorer's files, private to them. */
#ifndef SLUICE_TESTS_MODEL_PARTS_H
#define SLUICE_TESTS_MODEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/explorer.h"

#define NOBODY (-1) /* the set-up or the check, which run by themselves */

/*
 * The past: for each thread the number of steps, and for each object the oldest store that may
 * still be seen.
 */
#define MOST_OBJECTS 160
struct past {
    uint16_t steps[MODEL_THREADS];
    uint16_t oldest[MOST_OBJECTS];
};

void past_join(struct past *past, const struct past *other);

/* Whether a run is under way: its set-up, its threads, or its check. */
bool explorer_is_running(void);

/* The thread that runs, or NOBODY, and what it has seen. */
int explorer_current(void);
struct past *explorer_past(int thread);

/* A number below `count`, another one in each run until all were had. */
size_t explorer_choose(size_t count);

/* Before a step that others can see: another thread may be first. */
void explorer_step(void);

/* The same for one that waits until *ready, and, where `may_end`, for the end of all else. Returns
 * whether it was ready. */
bool explorer_wait(const bool *ready, bool may_end);

/* The thread has seen, or done, what these numbers stand for. */
void explorer_note(uint64_t what, uint64_t more);
uint64_t explorer_seen(void); /* all that the thread has noted, as one number */

/* Something was found; does not return. */
_Noreturn void explorer_fault(const char *text);

/* All must be explored again: an object is shared that was not expected to be. */
_Noreturn void explorer_again(void);

/* Another thread, which runs `run(argument)`. Returns its number. */
int explorer_spawn(void (*run)(void *), void *argument);
const bool *explorer_has_ended(int thread);

/* --- memory.c --------------------------------------------------------------------------------- */

/* A run, and an exploration, begins. */
void memory_begin_run(void);
void memory_forget_shared(void);

/* The order of all stores, as one number. */
uint64_t memory_order_so_far(void);

/* Memory for a run, all of it given back when the next one begins. */
void *memory_take(size_t alignment, size_t size);
bool memory_is_a_runs(const void *memory);

/* An object of a contract of platform/: earlier actions on it are seen by the next thread. */
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
