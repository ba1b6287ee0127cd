/*
 * Passes events of other threads of this process to control_wait: console events and requests to a
 * service. Any thread. Only for Windows.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H

#include <stdbool.h>
#include <windows.h>

#include "collector/platform/control.h"
#include "collector/platform/windows/control_kinds.h"

/* The destination of posted events, by kind. */
struct control_posted {
    HANDLE semaphores[CONTROL_KINDS];
    LONG any[CONTROL_KINDS]; /* 1 if at least one was posted */
};

/* Sets the destination; called by the control. NULL when the control ends. */
void control_post_to(struct control_posted *to);

/*
 * Makes control_wait report CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER, once for each call.
 * Returns false if no control exists.
 */
bool control_post(enum control_event event);

/*
 * Does control_post unless the event was posted before: the console and the service manager both
 * report a shutdown, which counts once. Returns as control_post.
 */
bool control_post_first(enum control_event event);

/*
 * Waits until the control has ended, when all data is drained and written, but at most `most_ms`
 * milliseconds.
 */
void control_await_end(unsigned long most_ms);

#endif
