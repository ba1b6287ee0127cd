/*
 * A number that one thread raises and any thread may read.
 *
 * A reader sees each counter whole, at some moment; an exact picture of several together exists
 * only once their writers have stopped. Until then one thing holds: who reads an effect first and
 * its cause second (what was written, then what was received) finds the cause there. That is what
 * release and acquire are for; they cost nothing on x86.
 */
#ifndef SLUICE_COLLECTOR_BASE_COUNTER_H
#define SLUICE_COLLECTOR_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
    _Atomic uint64_t value;
};

/* Only ever called by the counter's own thread: a plain load and store, no locked instruction. */
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
