/*
 * A world in which a seed decides everything: which thread runs, how long it takes, what time it
 * is. The collector's threads, and all that happens around the collector, are tasks of one thread
 * of the system. One runs at a time; another one may run whenever it makes a call of the platform.
 *
 * Lifecycle: world_begin, tasks, world_run. One world in a process.
 *
 */
#ifndef SLUICE_TESTS_SIMULATION_WORLD_H
#define SLUICE_TESTS_SIMULATION_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;

/* A time that never comes. */
#define WORLD_NEVER INT64_MAX

void world_begin(uint64_t seed);

/* --- chance ----------------------------------------------------------------------------------- */

/* A number below `limit` (at least 1). */
uint64_t world_below(uint64_t limit);

/* True this number of times in a thousand. */
bool world_chance(unsigned in_thousand);

/* --- time ------------------------------------------------------------------------------------- */

#define MICROSECONDS INT64_C(1000)
#define MILLISECONDS INT64_C(1000000)
#define SECONDS      INT64_C(1000000000)

/* Nanoseconds since the world began, and its date, which may jump. */
int64_t world_now_ns(void);
int64_t world_date_ns(void);
void world_set_date(int64_t difference_ns);

/* The longest pause of a task between two steps; many may pause one after the other. */
int64_t world_longest_stall_ns(void);

/* --- tasks ------------------------------------------------------------------------------------ */

/*
 * Starts a task; `name` is for the trace and is kept. The task is freed when it was joined, or with
 * the process.
 */
struct task *world_start(const char *name, void (*run)(void *argument), void *argument);

/* Waits for the end of the task. */
void world_join(struct task *task);

/* Gives the task up: no caller will join it, and its slot is reused after its end. */
void world_leave(struct task *task);

/* The task that runs. */
struct task *world_self(void);

/* A call of the platform: takes some time, and another task may run before it goes on. */
void world_step(void);

/* Waits until is_ready(context), at most to the time. Returns whether it was ready. */
bool world_wait(bool (*is_ready)(const void *context), const void *context, int64_t until_ns);

void world_sleep(int64_t nanoseconds);

/* The number of calls of the platform so far. */
uint64_t world_steps(void);

/*
 * Calls `then` at the call of the platform that follows after `steps` more calls, in the task that
 * makes it.
 */
void world_after(uint64_t steps, void (*then)(void));

/*
 * Runs the tasks until one calls world_end; returns the value given to it. If no task can ever run
 * again, the world fails.
 */
int world_run(void);
_Noreturn void world_end(int result);

/* The run has failed: prints the reason, and ends the process. */
_Noreturn void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line about an event if the trace is on. */
void world_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void world_set_trace(bool on);

#endif
