/*
 * A thread that waits for the owner of a notifier of levels (collector/platform/notifier.h), so
 * that the owner can wait for events, which is all that a thread can wait for together with others.
 *
 * Lifecycle: start; begin a wait, see whether it has ended, any number of times; destroy. One wait
 * at a time. While it runs, the thread uses what the wait needs; otherwise the owner does. Only for
 * platform/windows/. Owner's thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_LEVEL_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_LEVEL_THREAD_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

struct level_thread;

/* `wait`: what the thread calls for each wait. Returns as thread_start
 * (collector/platform/thread.h). */
int level_thread_start(struct level_thread **out, void (*wait)(void *context), void *context,
                       struct error *error);

/* Begins a wait; none may be running. */
void level_thread_begin(struct level_thread *thread);

/* Whether a wait was begun, and level_thread_ended has not returned true for it. */
bool level_thread_is_running(const struct level_thread *thread);

/*
 * Waits for at most `timeout_ms` milliseconds (negative: for ever) for the end of the wait. Returns
 * whether it has ended: then it runs no more.
 */
bool level_thread_ended(struct level_thread *thread, int timeout_ms);

/* A handle that is readable while a wait has ended and level_thread_ended has not returned true. */
wait_handle level_thread_handle(const struct level_thread *thread);

/* Ends the thread; a wait that runs must be about to end. NULL is allowed. */
void level_thread_destroy(struct level_thread *thread);

#endif
