/*
 * Shows whether a thread still makes progress: it notes when it works and when it waits for work,
 * and another thread checks whether it has advanced since the last check.
 *
 * One number holds both: each change raises it, and it is odd while the thread works. So a thread
 * that is stuck stays at one odd number, while an idle thread need not be woken to prove that it is
 * alive. The thread itself writes, with plain loads and stores; one other thread checks.
 */
#ifndef SLUICE_COLLECTOR_BASE_HEARTBEAT_H
#define SLUICE_COLLECTOR_BASE_HEARTBEAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: the thread waits. */
struct heartbeat {
    _Atomic uint64_t beats;
};

/* The thread: begins a round of work, whether or not it waited before. */
static inline void heartbeat_work(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 1 : 2),
                          memory_order_relaxed);
}

/* The thread: begins to wait, or ends. */
static inline void heartbeat_wait(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 2 : 1),
                          memory_order_relaxed);
}

/* The checking thread: whether it waits or has begun a round since *seen, which is updated. */
static inline bool heartbeat_advanced(const struct heartbeat *heartbeat, uint64_t *seen)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    bool advanced = beats % 2 == 0 || beats != *seen;
    *seen = beats;
    return advanced;
}

#endif
