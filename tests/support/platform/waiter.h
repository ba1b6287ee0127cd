/*
 * Runs a thread that waits on a notifier when the test requests it, one wait at a time. So the test
 * controls which threads wait, in which order, and which of them gets an event.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/notifier.h"

struct waiter;

/* Starts a thread, which uses the notifier as thread `number`. An error ends the program. */
struct waiter *waiter_start(struct notifier *notifier, size_t number);

/* Begins a wait for at most `timeout_ms` milliseconds; the previous wait must have ended. */
void waiter_begin(struct waiter *waiter, int timeout_ms);

/* Returns true if the wait ends within `timeout_ms` milliseconds. */
bool waiter_has_ended(struct waiter *waiter, int timeout_ms);

/* Returns the number of events of the ended wait (0 or 1), and the event. */
size_t waiter_events(const struct waiter *waiter, struct notifier_event *event);

/* Makes the thread leave the notifier (notifier.h). It must not wait again. */
void waiter_leave(struct waiter *waiter);

/* Ends the thread after its wait, and frees the waiter. NULL is allowed. */
void waiter_end(struct waiter *waiter);

#endif
