/* Functions that the notifiers with epoll(7) share. Only for platform/linux/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_EPOLL_PARTS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_EPOLL_PARTS_H

#include <stdint.h>

/*
 * Creates an epoll instance, and an eventfd that it watches for these events, with data.ptr NULL.
 * Returns 0, or -1 with errno; then each of the two is open or -1.
 */
int epoll_parts_open(int *epoll, int *wake, uint32_t events);

/* Closes the descriptors that are open; -1 is allowed. */
void epoll_parts_close(int epoll, int wake);

/* Returns the epoll events for these conditions (enum notifier_interest). */
uint32_t epoll_parts_events(unsigned interests);

/* Returns the conditions that the kernel reports; all of them if the connection is broken. */
unsigned epoll_parts_ready(uint32_t events);

#endif
