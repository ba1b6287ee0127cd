/*
 * How what happens in other threads of this process, console events and orders to a service,
 * reaches control_wait. Any thread. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_POST_H

#include <stdbool.h>

#include "collector/control.h"

/*
 * Has control_wait tell CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER, once for each call. Returns
 * false where there is no control, not yet or no more.
 */
bool control_post(enum control_event event);

/*
 * Waits until there is no control any more, which is when all has been drained and written, but at
 * most so many milliseconds.
 */
void control_await_end(unsigned long most_ms);

#endif
