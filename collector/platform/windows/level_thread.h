/*
 * A thread that waits in place of the owner of a notifier of levels (collector/platform/notifier.h)
 * and sets an event when its wait has ended. The owner uses it if it also waits for other things: a
 * thread can wait for several things only if they are events.
 *
 * Lifecycle: start; begin a wait and check whether it has ended, any number of times; destroy. One
 * wait at a time. While a wait runs, the thread uses the data of the wait; otherwise the owner
 * does. Only for platform/windows/. Owner's thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_LEVEL_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_LEVEL_THREAD_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

struct level_thread;

/*
 * Starts a thread that calls `wait` for each wait. Returns as thread_start
 * (collector/platform/thread.h).
 */
int level_thread_start(struct level_thread **out, void (*wait)(void *context), void *context,
                       struct error *error);

/* Begins a wait; none may be running. */
void level_thread_begin(struct level_thread *thread);

/* Returns true from level_thread_begin until level_thread_ended has returned true. */
bool level_thread_is_running(const struct level_thread *thread);

/*
 * Waits at most `timeout_ms` milliseconds (negative: for ever) for the end of the wait. Returns
 * true if it has ended.
 */
bool level_thread_ended(struct level_thread *thread, int timeout_ms);

/*
 * Returns a handle that is readable when a wait has ended, until level_thread_ended returns true.
 */
wait_handle level_thread_handle(const struct level_thread *thread);

/* Ends the thread. The caller has made sure that a running wait ends soon. NULL is allowed. */
void level_thread_destroy(struct level_thread *thread);

#endif
