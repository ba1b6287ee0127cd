/*
 * Defines what the two kinds of receivers on Linux (tools/bench/receiver.h), null receivers and the
 * collector, have in common, and declares the functions that start them. Only for this folder.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_RECEIVER_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_RECEIVER_H

#include <sys/types.h>

#include "tools/bench/receiver.h"

/*
 * The functions of one kind of receiver that implement bench_receiver_count, bench_receiver_stop
 * and bench_receiver_abandon.
 */
struct receiver_ops {
    int (*count)(struct bench_receiver *receiver, struct receiver_counts *counts,
                 struct error *error);
    int (*stop)(struct bench_receiver *receiver, struct receiver_counts *counts,
                struct error *error);
    void (*abandon)(struct bench_receiver *receiver);
};

struct bench_receiver {
    const struct receiver_ops *ops;
    pid_t pid; /* the receiving process; 0 after its end */
    uint16_t port;
};

int null_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                        struct error *error);
int collector_start(struct bench_receiver **out, const struct receiver_plan *plan,
                    struct error *error);

#endif
