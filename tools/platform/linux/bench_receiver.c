/* Implements tools/bench/receiver.h on Linux for both kinds of receivers. */
#include "tools/platform/linux/bench_receiver.h"

#include "tools/platform/linux/bench_process.h"

int bench_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                         struct error *error)
{
    if (plan->who->kind == CONTENDER_COLLECTOR)
        return collector_start(out, plan, error);
    return null_receiver_start(out, plan, error);
}

uint16_t bench_receiver_port(const struct bench_receiver *receiver)
{
    return receiver->port;
}

int bench_receiver_count(struct bench_receiver *receiver, struct receiver_counts *counts,
                         struct error *error)
{
    return receiver->ops->count(receiver, counts, error);
}

int64_t bench_receiver_cpu_ns(const struct bench_receiver *receiver)
{
    return process_cpu_ns(receiver->pid);
}

size_t bench_receiver_peak_memory(const struct bench_receiver *receiver)
{
    return process_peak_memory(receiver->pid);
}

int bench_receiver_stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                        struct error *error)
{
    return receiver->ops->stop(receiver, counts, error);
}

void bench_receiver_abandon(struct bench_receiver *receiver)
{
    receiver->ops->abandon(receiver);
}
