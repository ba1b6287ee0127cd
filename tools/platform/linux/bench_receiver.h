/*
 * Shared by the two kinds of tools/bench/receiver.h on Linux, and one constructor for each. Only
 * for this folder.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_RECEIVER_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_RECEIVER_H

#include <sys/types.h>

#include "tools/bench/receiver.h"

/* The functions of receiver.h with the same names. */
struct receiver_ops {
    int (*count)(struct bench_receiver *receiver, struct receiver_counts *counts,
                 struct error *error);
    int (*stop)(struct bench_receiver *receiver, struct receiver_counts *counts,
                struct error *error);
    void (*abandon)(struct bench_receiver *receiver);
};

struct bench_receiver {
    const struct receiver_ops *ops;
    pid_t pid; /* the receiving process; 0: it has ended */
    uint16_t port;
};

int null_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                        struct error *error);
int collector_start(struct bench_receiver **out, const struct receiver_plan *plan,
                    struct error *error);

#endif
