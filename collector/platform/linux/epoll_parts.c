#include "collector/platform/linux/epoll_parts.h"

#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "collector/platform/linux/event.h"
#include "collector/platform/notifier.h"
#include "collector/platform/posix/lending.h"

int epoll_parts_open(int *epoll, int *wake, uint32_t events)
{
    unsigned times = 0;
    *epoll = epoll_create1(EPOLL_CLOEXEC);
    while (*epoll < 0 && lending_begin(1, &times)) {
        *epoll = epoll_create1(EPOLL_CLOEXEC);
        lending_end(1);
    }
    *wake = event_open();
    struct epoll_event event = {.events = events, .data.ptr = NULL};
    return *epoll < 0 || *wake < 0 ? -1 : epoll_ctl(*epoll, EPOLL_CTL_ADD, *wake, &event);
}

void epoll_parts_close(int epoll, int wake)
{
    if (epoll >= 0)
        close(epoll);
    if (wake >= 0)
        close(wake);
}

uint32_t epoll_parts_events(unsigned interests)
{
    return ((interests & NOTIFIER_IN) != 0 ? (uint32_t)EPOLLIN : 0) |
           ((interests & NOTIFIER_OUT) != 0 ? (uint32_t)EPOLLOUT : 0) |
           ((interests & NOTIFIER_HANGUP) != 0 ? (uint32_t)EPOLLRDHUP : 0);
}

unsigned epoll_parts_ready(uint32_t events)
{
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) /* reported even if not requested */
        return NOTIFIER_ALL;
    return ((events & EPOLLIN) != 0 ? NOTIFIER_IN : 0u) |
           ((events & EPOLLOUT) != 0 ? NOTIFIER_OUT : 0u) |
           ((events & EPOLLRDHUP) != 0 ? NOTIFIER_HANGUP : 0u);
}
