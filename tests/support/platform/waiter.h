/*
 * A thread that waits on a notifier on a test's request, one wait at a time, so that a test can
 * say who is in a wait, who holds an event, and in which order.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAITER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/notifier.h"

struct waiter;

/* Starts it as the notifier's thread of that number. What goes wrong ends the program. */
struct waiter *waiter_start(struct notifier *notifier, size_t number);

/* Has it begin a wait for at most so many milliseconds; it has ended the one before. */
void waiter_begin(struct waiter *waiter, int timeout_ms);

/* Whether its wait is over, within so many milliseconds. */
bool waiter_has_ended(struct waiter *waiter, int timeout_ms);

/* Of the wait that is over: how many events (0 or 1), and the event. */
size_t waiter_events(const struct waiter *waiter, struct notifier_event *event);

/* Has it leave the notifier. It begins no other wait. */
void waiter_leave(struct waiter *waiter);

/* Ends it, after its wait, and frees it. NULL is allowed. */
void waiter_end(struct waiter *waiter);

#endif
