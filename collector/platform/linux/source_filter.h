/*
 * A kernel filter that accepts datagrams of certain sources: classic BPF for a UDP socket
 * (socket(7), SO_ATTACH_FILTER), for IPv4, IPv6 or both. It reads the IP header, which the kernel
 * keeps in front of the packet, and does a binary search in the ranges of the set: about twelve
 * comparisons for a thousand networks. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SOURCE_FILTER_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SOURCE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/filter.h>

#include "collector/base/error.h"
#include "collector/base/networks.h"

/*
 * Makes a filter that accepts only datagrams from `sources`, in `program`, which has room for
 * BPF_MAXINSNS instructions. Sets *needed to the filter's length; a filter longer than BPF_MAXINSNS
 * cannot be used. Returns false if memory is short.
 */
bool source_filter_make(const struct networks *sources, struct sock_filter *program,
                        size_t *needed);

/* Attaches the filter to a socket. Returns 0, or -1 with `error` filled. */
int source_filter_attach(int fd, const struct networks *sources, struct error *error);

#endif
