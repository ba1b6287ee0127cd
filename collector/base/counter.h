/*
 * A number that one thread increases and any thread may read.
 *
 * A reader never gets a partly written value, but several counters agree exactly only after their
 * writers have stopped. Until then, read the counter of an effect before the counter of its cause
 * (records written, then records received): the reader then never finds an effect without its
 * cause. Release and acquire ensure this order; they cost nothing on x86.
 */
#ifndef SLUICE_COLLECTOR_BASE_COUNTER_H
#define SLUICE_COLLECTOR_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
    _Atomic uint64_t value;
};

/*
 * Called only by the thread that owns the counter. So a plain load and store are enough, without a
 * locked instruction.
 */
static inline void counter_add(struct counter *counter, uint64_t amount)
{
    uint64_t value = atomic_load_explicit(&counter->value, memory_order_relaxed);
    atomic_store_explicit(&counter->value, value + amount, memory_order_release);
}

static inline void counter_set(struct counter *counter, uint64_t value)
{
    atomic_store_explicit(&counter->value, value, memory_order_release);
}

static inline uint64_t counter_read(const struct counter *counter)
{
    return atomic_load_explicit(&counter->value, memory_order_acquire);
}

#endif
