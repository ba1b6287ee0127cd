/*
 * Whether a thread still comes round: it says when it works and when it waits for something to do,
 * and another thread looks whether it has moved since it last looked.
 *
 * One number says both: each change raises it, and it is odd while the thread works. So a thread
 * that works without end stays at one odd number, while one that has nothing to do is not woken to
 * prove that it lives. The thread itself writes, with plain loads and stores; any one thread looks.
 */
#ifndef SLUICE_COLLECTOR_BASE_HEARTBEAT_H
#define SLUICE_COLLECTOR_BASE_HEARTBEAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: it waits. */
struct heartbeat {
    _Atomic uint64_t beats;
};

/* The thread: it begins a turn of its work, also where it has not waited before. */
static inline void heartbeat_work(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 1 : 2),
                          memory_order_relaxed);
}

/* The thread: it waits, or has ended. */
static inline void heartbeat_wait(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 2 : 1),
                          memory_order_relaxed);
}

/* Who looks: whether it waits, or has begun a turn since *seen, which becomes what is seen now. */
static inline bool heartbeat_advanced(const struct heartbeat *heartbeat, uint64_t *seen)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    bool advanced = beats % 2 == 0 || beats != *seen;
    *seen = beats;
    return advanced;
}

#endif
