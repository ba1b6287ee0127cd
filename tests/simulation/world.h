/*
 * Runs the collector in a simulated world. A seed determines which thread runs, how long it takes,
 * and what time it is. The collector's threads and everything around the collector are tasks in one
 * thread of the system. One task runs at a time. At each platform call another task may continue.
 *
 * Order of calls: world_begin, start tasks, world_run. There is one world in a process.
 */
#ifndef SLUICE_TESTS_SIMULATION_WORLD_H
#define SLUICE_TESTS_SIMULATION_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task;

/* A time that is never reached. */
#define WORLD_NEVER INT64_MAX

void world_begin(uint64_t seed);

/* --- chance ----------------------------------------------------------------------------------- */

/* Returns a random number below `limit`, which must be at least 1. */
uint64_t world_below(uint64_t limit);

/* Returns true with this probability, in a thousand. */
bool world_chance(unsigned in_thousand);

/* --- time ------------------------------------------------------------------------------------- */

#define MICROSECONDS INT64_C(1000)
#define MILLISECONDS INT64_C(1000000)
#define SECONDS      INT64_C(1000000000)

/*
 * world_now_ns returns the time of the monotonic clock, world_date_ns that of the wall clock, which
 * may jump. Both are in nanoseconds.
 */
int64_t world_now_ns(void);
int64_t world_date_ns(void);
void world_set_date(int64_t difference_ns);

/* The longest pause of a task between two steps. Several pauses may follow each other. */
int64_t world_longest_stall_ns(void);

/* --- tasks ------------------------------------------------------------------------------------ */

/*
 * Starts a task. `name` is for the trace and must stay valid. The task is freed by world_join, or
 * when the process ends.
 */
struct task *world_start(const char *name, void (*run)(void *argument), void *argument);

void world_join(struct task *task);

/* Gives the task up: it will not be joined. Its slot is reused after its end. */
void world_leave(struct task *task);

struct task *world_self(void);

/* A platform call: takes some time, and another task may run before it returns. */
void world_step(void);

/* Waits until is_ready(context) returns true, or until this time. Returns true if it was ready. */
bool world_wait(bool (*is_ready)(const void *context), const void *context, int64_t until_ns);

void world_sleep(int64_t nanoseconds);

/* Returns the number of platform calls so far. */
uint64_t world_steps(void);

/* Calls `then` after `steps` more platform calls, in the task that makes the next one. */
void world_after(uint64_t steps, void (*then)(void));

/*
 * Runs the tasks until one calls world_end, and returns the value given to it. If no task can run
 * any more, the world fails.
 */
int world_run(void);
_Noreturn void world_end(int result);

/* Fails the run: prints the reason and ends the process. */
_Noreturn void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* If the trace is on, prints a line about an event. */
void world_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void world_set_trace(bool on);

#endif
