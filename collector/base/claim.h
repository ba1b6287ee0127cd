/*
 * Decides which thread serves a socket when several may be notified that it is ready.
 *
 * The thread that takes the claim drains the socket until would-block and gives the claim up.
 * Another thread that is notified during that marks the claim and does not wait. A marked claim
 * cannot be given up: its holder drains again, for datagrams that came after the would-block. The
 * socket's data is accessed only by the holder; the next holder sees all its writes.
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

/* Whether some thread holds the claim; for rules. */
static inline bool claim_is_held(const struct claim *claim)
{
    return atomic_load_explicit(&claim->state, memory_order_relaxed) != CLAIM_FREE;
}

/* Takes a free claim; does not change any other. Returns whether the caller holds it now. */
static inline bool claim_try(struct claim *claim)
{
    int expected = CLAIM_FREE;
    return atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_HELD);
}

/* Takes a free claim, or marks it so that its holder drains again. Returns as claim_try does. */
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
 * Gives a claim up. Returns false if it was marked: the mark is cleared, and the caller still holds
 * the claim and must drain the socket again.
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
