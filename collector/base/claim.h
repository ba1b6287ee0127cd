/*
 * Decides which thread serves a socket when several may be notified that it is ready.
 *
 * The thread that takes the claim drains the socket until would-block and then gives up the claim.
 * If another thread is notified before that, it marks the claim and does not wait. A marked claim
 * cannot be given up: its holder must drain again, because datagrams may have come after the
 * would-block. Only the holder accesses the socket's data; the next holder sees all writes of the
 * previous one.
 */
#ifndef SLUICE_COLLECTOR_BASE_CLAIM_H
#define SLUICE_COLLECTOR_BASE_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>

enum claim_state { CLAIM_FREE, CLAIM_HELD, CLAIM_MARKED };

struct claim {
    _Atomic int state; /* an enum claim_state */
};

static inline void claim_init(struct claim *claim)
{
    atomic_init(&claim->state, CLAIM_FREE);
}

/* Returns true if a thread holds the claim. Only for use in a RULE. */
static inline bool claim_is_held(const struct claim *claim)
{
    return atomic_load_explicit(&claim->state, memory_order_relaxed) != CLAIM_FREE;
}

/*
 * Takes the claim if it is free; otherwise leaves it unchanged. Returns true if the caller now
 * holds it.
 */
static inline bool claim_try(struct claim *claim)
{
    int expected = CLAIM_FREE;
    return atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_HELD);
}

/*
 * Takes the claim if it is free; otherwise marks it, so that its holder drains again. Returns true
 * if the caller now holds it.
 */
static inline bool claim_take_or_mark(struct claim *claim)
{
    for (;;) {
        if (claim_try(claim))
            return true;
        int expected = CLAIM_HELD;
        if (atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_MARKED) ||
            expected == CLAIM_MARKED)
            return false;
    }
}

/*
 * Gives up the claim. If the claim was marked, clears the mark and returns false: the caller still
 * holds the claim and must drain the socket again.
 */
static inline bool claim_give_up(struct claim *claim)
{
    int expected = CLAIM_HELD;
    if (atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_FREE))
        return true;
    atomic_store(&claim->state, CLAIM_HELD);
    return false;
}

#endif
