/*
 * How what happens in other threads of this process, console events and orders to a service,
 * reaches control_wait. Any thread. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H

#include <stdbool.h>
#include <windows.h>

#include "collector/platform/control.h"
#include "collector/platform/windows/control_kinds.h"

/* What was posted, by kind. */
struct control_posted {
    HANDLE semaphores[CONTROL_KINDS];
    LONG any[CONTROL_KINDS]; /* 1: one was posted */
};

/* For the control: from now on it goes there; NULL: nowhere, the control ends. */
void control_post_to(struct control_posted *to);

/*
 * Has control_wait report CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER, once for each call.
 * Returns false where there is no control, not yet or no more.
 */
bool control_post(enum control_event event);

/*
 * The same, but for an event that has been posted already: what two report of one thing, as the
 * console and the service manager do of the system's going down, counts once.
 */
bool control_post_first(enum control_event event);

/*
 * Waits until there is no control any more, which is when all has been drained and written, but at
 * most so many milliseconds.
 */
void control_await_end(unsigned long most_ms);

#endif
