/* The interfaces between the files of the explorer. No other file includes them. */
#ifndef SLUICE_TESTS_MODEL_PARTS_H
#define SLUICE_TESTS_MODEL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/explorer.h"

#define NOBODY (-1) /* the set-up or the check runs instead of a thread */

/*
 * The knowledge of a thread: the number of steps of each thread and, for each object, the oldest
 * store that the thread may still see.
 */
#define MOST_OBJECTS 160
struct past {
    uint16_t steps[MODEL_THREADS];
    uint16_t oldest[MOST_OBJECTS];
};

void past_join(struct past *past, const struct past *other);

/* Returns true during a run, from its set-up to its check. */
bool explorer_is_running(void);

/*
 * explorer_current returns the running thread or NOBODY, and explorer_past the knowledge of a
 * thread.
 */
int explorer_current(void);
struct past *explorer_past(int thread);

/*
 * Returns a number below `count`. The exploration repeats the run until each of these numbers was
 * returned.
 */
size_t explorer_choose(size_t count);

/*
 * Lets another thread run first, or not. A thread must call this before each step that other
 * threads can see.
 */
void explorer_step(void);

/*
 * The same as explorer_step, for a thread that waits until *ready is true. With `may_end`, the wait
 * also ends when no other thread can continue. Returns the value of *ready.
 */
bool explorer_wait(const bool *ready, bool may_end);

/* Adds these numbers to the record of what the thread has seen and done. */
void explorer_note(uint64_t what, uint64_t more);
uint64_t explorer_seen(void); /* a hash of all that the thread has noted */

/* Reports a fault and ends the exploration. Does not return. */
_Noreturn void explorer_fault(const char *text);

/*
 * Restarts the exploration, because several threads use an object that seemed to be used by one
 * only.
 */
_Noreturn void explorer_again(void);

/* Starts a thread that calls `run(argument)`. Returns its number. */
int explorer_spawn(void (*run)(void *), void *argument);
const bool *explorer_has_ended(int thread);

/* --- memory.c --------------------------------------------------------------------------------- */

/*
 * memory_begin_run is called at the beginning of each run, and memory_forget_shared at the
 * beginning of an exploration.
 */
void memory_begin_run(void);
void memory_forget_shared(void);

/* Returns a hash of the order of all stores so far. */
uint64_t memory_order_so_far(void);

/* Returns memory for a run. The next run releases all of it. */
void *memory_take(size_t alignment, size_t size);
bool memory_is_a_runs(const void *memory);

/*
 * The knowledge that passes through an object of platform/. A thread that uses the object learns
 * all that its earlier users knew.
 */
struct meeting {
    struct past past;
    uint64_t order;
};
void meeting_pass(struct meeting *meeting, uint64_t what);

/* --- world.c ---------------------------------------------------------------------------------- */

/* Returns zeroed memory for the explorer itself, which no run releases. Never returns NULL. */
void *world_take(size_t size);
void world_give_back(void *memory);

#endif
