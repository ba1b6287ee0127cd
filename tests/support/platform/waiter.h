/*
 * A thread that waits on a notifier at a test's request, one wait at a time, so that the test
 * decides which threads wait, which one has an event, and in which order.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/notifier.h"

struct waiter;

/* Starts a thread as the notifier's thread of that number. An error ends the program. */
struct waiter *waiter_start(struct notifier *notifier, size_t number);

/* Begins a wait for at most `timeout_ms` milliseconds; the previous wait must have ended. */
void waiter_begin(struct waiter *waiter, int timeout_ms);

/* Whether the wait ends within `timeout_ms` milliseconds. */
bool waiter_has_ended(struct waiter *waiter, int timeout_ms);

/* The number of events (0 or 1) of the ended wait, and the event. */
size_t waiter_events(const struct waiter *waiter, struct notifier_event *event);

/* Makes the thread leave the notifier. The thread must not wait any more. */
void waiter_leave(struct waiter *waiter);

/* Ends the thread after its wait, and frees the waiter. NULL is allowed. */
void waiter_end(struct waiter *waiter);

#endif
