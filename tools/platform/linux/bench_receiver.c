/* tools/bench/receiver.h on Linux: which kind it is, and what is the same of both. */
#include "tools/platform/linux/bench_receiver.h"

#include "tools/platform/linux/bench_process.h"

int receiver_start(struct receiver **out, const struct receiver_plan *plan, struct error *error)
{
    if (plan->who->kind == CONTENDER_COLLECTOR)
        return collector_start(out, plan, error);
    return null_receiver_start(out, plan, error);
}

const uint16_t *receiver_ports(const struct receiver *receiver, size_t *count)
{
    *count = receiver->port_count;
    return receiver->ports;
}

const char *receiver_file(const struct receiver *receiver)
{
    return receiver->file;
}

int receiver_count(struct receiver *receiver, struct receiver_counts *counts, struct error *error)
{
    return receiver->ops->count(receiver, counts, error);
}

int64_t receiver_cpu_ns(const struct receiver *receiver)
{
    return process_cpu_ns(receiver->pid);
}

size_t receiver_memory(const struct receiver *receiver)
{
    return process_memory(receiver->pid, "VmRSS");
}

size_t receiver_peak_memory(const struct receiver *receiver)
{
    return process_memory(receiver->pid, "VmHWM");
}

int receiver_stop(struct receiver *receiver, struct receiver_counts *counts, struct error *error)
{
    return receiver->ops->stop(receiver, counts, error);
}

void receiver_abandon(struct receiver *receiver)
{
    if (receiver != NULL)
        receiver->ops->abandon(receiver);
}
