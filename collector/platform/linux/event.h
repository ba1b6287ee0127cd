/*
 * A wake-up on eventfd(2). A wake-up is kept until it is read; several count as one. Only for
 * platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_EVENT_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_EVENT_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

/* Returns a descriptor that is readable while a wake-up is kept, or -1 with errno. */
static inline int event_open(void)
{
    unsigned times = 0;
    int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    while (event < 0 && lending_begin(1, &times)) {
        event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        lending_end(1);
    }
    return event;
}

static inline void event_signal(int event)
{
    uint64_t one = 1;
    /* A write fails only if the counter is at its maximum, so a wake-up is kept already. */
    ssize_t ignored = write(event, &one, sizeof one);
    (void)ignored;
}

static inline void event_clear(int event)
{
    uint64_t count;
    ssize_t ignored = read(event, &count, sizeof count);
    (void)ignored;
}

#endif
