/*
 * Who may send, as a filter of the kernel's: classic BPF for a UDP socket (socket(7),
 * SO_ATTACH_FILTER), of IPv4, IPv6 or both.
 *
 * It reads the IP header, which the kernel keeps before a socket's packet, and halves its way
 * through the ranges of the set: some twelve comparisons where there are a thousand networks. Main
 * thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_SOURCE_FILTER_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_SOURCE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/filter.h>

#include "collector/base/error.h"
#include "collector/base/networks.h"

/*
 * Writes the filter that takes what comes from `sources` to the BPF_MAXINSNS instructions of
 * `program`, and stores in *needed how many it has; where that is more than BPF_MAXINSNS, it cannot
 * be used. Returns false where memory is short.
 */
bool source_filter_make(const struct networks *sources, struct sock_filter *program,
                        size_t *needed);

/* Gives it to a socket. Returns 0, or -1 with `error` filled. */
int source_filter_attach(int fd, const struct networks *sources, struct error *error);

#endif
