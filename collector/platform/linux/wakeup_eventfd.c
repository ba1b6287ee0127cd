/* Implements struct wakeup with eventfd(2) and poll(2). */
#include "collector/platform/wakeup.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/event.h"
#include "collector/platform/posix/retry.h"

struct wakeup {
    int event;
    atomic_uint waiting; /* number of waiting threads, for RULE checks */
};

int wakeup_create(struct wakeup **out, struct error *error)
{
    struct wakeup *wakeup = calloc(1, sizeof *wakeup);
    int event = event_open();
    if (wakeup == NULL || event < 0) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot create an eventfd: %s", strerror(errno));
        if (event >= 0)
            close(event);
        free(wakeup);
        return -1;
    }
    wakeup->event = event;
    atomic_init(&wakeup->waiting, 0);
    *out = wakeup;
    return 0;
}

void wakeup_destroy(struct wakeup *wakeup)
{
    if (wakeup == NULL)
        return;
    RULE(atomic_load(&wakeup->waiting) == 0, "no thread waits for a wakeup that is destroyed");
    close(wakeup->event);
    free(wakeup);
}

void wakeup_signal(struct wakeup *wakeup)
{
    event_signal(wakeup->event);
}

enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms)
{
    struct pollfd watched[2] = {
        {.fd = wakeup->event, .events = POLLIN},
        {.fd = (int)handle, .events = want_write ? POLLOUT : 0},
    };
    atomic_fetch_add(&wakeup->waiting, 1);
    int ready = poll(watched, handle == NO_HANDLE ? 1 : 2, timeout_ms);
    atomic_fetch_sub(&wakeup->waiting, 1);
    RULE((watched[0].revents & POLLNVAL) == 0, "a wakeup is waited for while it is open");
    if (ready == 0)
        return WAKEUP_TIMEOUT;
    if (ready < 0) {
        retry_pause();
        return errno == EINTR ? WAKEUP_TIMEOUT : WAKEUP_FAILED;
    }
    /* A pipe reports a closed reader as POLLERR, a socket or a terminal as POLLHUP. */
    if ((watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        return WAKEUP_BROKEN;
    if ((watched[1].revents & POLLOUT) != 0)
        return WAKEUP_WRITABLE;
    event_clear(wakeup->event);
    return WAKEUP_SIGNALLED;
}
