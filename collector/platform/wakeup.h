/*
 * How a thread sleeps: until another one wakes it, a handle of its own becomes ready, or a time is
 * over.
 *
 * A wake-up that is sent while no thread waits is kept and ends the next wait at once; several count
 * as one. Any thread signals, also several at once. Usually one thread waits; if several do, a
 * wake-up ends the wait of at least one of them.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WAKEUP_H
#define SLUICE_COLLECTOR_PLATFORM_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"

struct wakeup;

/* The operating system's handle of something that can be waited for, or NO_HANDLE. */
typedef intptr_t wait_handle;
#define NO_HANDLE ((wait_handle)-1)

enum wakeup_reason {
    WAKEUP_TIMEOUT, /* or the wait was interrupted */
    WAKEUP_SIGNALLED,
    WAKEUP_WRITABLE, /* the handle takes data */
    WAKEUP_BROKEN,   /* the handle's other end has gone */
    WAKEUP_FAILED,   /* the system did not wait, and this paused for a millisecond instead */
};

/* Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int wakeup_create(struct wakeup **out, struct error *error);
void wakeup_destroy(struct wakeup *wakeup);

void wakeup_signal(struct wakeup *wakeup);

/*
 * Waits. `handle` is watched for a broken other end, and for being writable when `want_write`;
 * NO_HANDLE watches none. `timeout_ms` in milliseconds, negative for ever. Where several reasons
 * hold, a broken handle is reported before a writable one, and that before a signal, which is then
 * kept for the next wait.
 */
enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms);

/*
 * Waits until it is signalled, also where the system's wait fails: for a caller that may not go on
 * before.
 */
static inline void wakeup_await(struct wakeup *wakeup)
{
    while (wakeup_wait(wakeup, NO_HANDLE, false, -1) != WAKEUP_SIGNALLED)
        continue;
}

#endif
