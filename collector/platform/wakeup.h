/*
 * Lets a thread sleep until another thread wakes it, a handle becomes ready, or a time is over.
 *
 * A port defines what a wait_handle is, and provides each function.
 *
 * A wake-up that is sent while no thread waits is kept and ends the next wait at once; several
 * count as one. Any thread may signal, also several at once. Usually one thread waits; if several
 * do, a wake-up ends the wait of at least one of them.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WAKEUP_H
#define SLUICE_COLLECTOR_PLATFORM_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"

struct wakeup;

/* The operating system's handle of an object that can be waited for, or NO_HANDLE. */
typedef intptr_t wait_handle;
#define NO_HANDLE ((wait_handle)-1)

enum wakeup_reason {
    WAKEUP_TIMEOUT, /* the time is over, or the wait was interrupted */
    WAKEUP_SIGNALLED,
    WAKEUP_WRITABLE, /* the handle accepts data */
    WAKEUP_BROKEN,   /* the handle's other end is closed */
    WAKEUP_FAILED,   /* the system's wait failed; this call paused for a millisecond */
};

/* Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int wakeup_create(struct wakeup **out, struct error *error);
void wakeup_destroy(struct wakeup *wakeup);

void wakeup_signal(struct wakeup *wakeup);

/*
 * Waits for at most `timeout_ms` milliseconds (negative: for ever). `handle` is watched for a
 * closed other end and, with `want_write`, for being writable; with NO_HANDLE it waits only for the
 * wake-up. If several reasons apply, it returns WAKEUP_BROKEN before WAKEUP_WRITABLE, and both
 * before WAKEUP_SIGNALLED; the wake-up is then kept for the next wait.
 */
enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms);

#endif
