/*
 * Shows whether a thread still makes progress: the thread records when it works and when it waits
 * for work, and another thread checks whether it has advanced since the last check.
 *
 * One number holds both states: each change raises it, and it is odd while the thread works. The
 * number of a stuck thread stays odd and does not change. The number of an idle thread is even, so
 * the checking thread need not wake it. Only the observed thread writes, with plain loads and
 * stores; one other thread checks.
 */
#ifndef SLUICE_COLLECTOR_BASE_HEARTBEAT_H
#define SLUICE_COLLECTOR_BASE_HEARTBEAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero at first, which means that the thread waits. */
struct heartbeat {
    _Atomic uint64_t beats;
};

/*
 * Called by the observed thread when it begins a round of work, after a wait or after another
 * round.
 */
static inline void heartbeat_work(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 1 : 2),
                          memory_order_relaxed);
}

/* Called by the observed thread when it begins to wait, or ends. */
static inline void heartbeat_wait(struct heartbeat *heartbeat)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    atomic_store_explicit(&heartbeat->beats, beats + (beats % 2 == 0 ? 2 : 1),
                          memory_order_relaxed);
}

/*
 * Called by the checking thread. Returns true if the observed thread waits, or has begun a round of
 * work since *seen. Updates *seen.
 */
static inline bool heartbeat_advanced(const struct heartbeat *heartbeat, uint64_t *seen)
{
    uint64_t beats = atomic_load_explicit(&heartbeat->beats, memory_order_relaxed);
    bool advanced = beats % 2 == 0 || beats != *seen;
    *seen = beats;
    return advanced;
}

#endif
