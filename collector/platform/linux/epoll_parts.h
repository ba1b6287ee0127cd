/* Shared by the notifiers on epoll(7). Only for platform/linux/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_EPOLL_PARTS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_EPOLL_PARTS_H

#include <stdint.h>

/*
 * Creates an epoll instance and an eventfd that it watches for these events, with the data NULL.
 * Returns 0, or -1 with errno; then each of the two is open or -1.
 */
int epoll_parts_open(int *epoll, int *wake, uint32_t events);

/* Closes those that are open. */
void epoll_parts_close(int epoll, int wake);

/* The events for these conditions (enum notifier_interest). */
uint32_t epoll_parts_events(unsigned interests);

/* The conditions that the kernel reports; of a broken connection all. */
unsigned epoll_parts_ready(uint32_t events);

#endif
