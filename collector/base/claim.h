/*
 * Who serves a socket, where several threads may be notified that it is ready.
 *
 * The thread that takes the claim drains the socket until would-block and gives the claim up.
 * Another thread that is notified meanwhile marks the claim and does not wait. A marked claim
 * cannot be given up: the thread that has it also drains what came after the would-block. Whatever
 * belongs to the socket is touched under the claim alone, and is handed on with it.
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

/* Takes a free claim and leaves any other as it is. Returns whether the caller has it now. */
static inline bool claim_try(struct claim *claim)
{
    int expected = CLAIM_FREE;
    return atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_HELD);
}

/* Takes a free claim, or marks it: then whoever has it drains again. Returns as claim_try does. */
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
 * Gives a claim up. Returns false where it was marked meanwhile: the caller still has it, the mark
 * is gone, and the socket is to be drained again.
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
