/*
 * The claim of a socket for which three threads may be notified: each has reported a datagram, one
 * thread at a time drains, and no datagram is left when all have given up.
 *
 * The socket is a count that the system raises before it notifies a thread. A receive takes the
 * socket's lock, as the arrival of a datagram does, so both are read-modify-writes. The claim needs
 * that: a thread that finds it marked leaves without a store, and only this orders its notification
 * before the last drain of the owner.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/base/claim.h"
#include "tests/model/explorer.h"

static struct socket {
    struct claim claim;
    _Atomic unsigned arrived;
    unsigned received; /* under the claim */
} * shared;

static void set_up(void)
{
    shared = calloc(1, sizeof *shared);
    claim_init(&shared->claim);
}

static void serve(void)
{
    atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_acq_rel);
    if (!claim_take_or_mark(&shared->claim))
        return;
    do
        shared->received = atomic_fetch_add_explicit(&shared->arrived, 0, memory_order_acq_rel);
    while (!claim_give_up(&shared->claim));
}

/* This thread only tries to get the claim, and leaves the socket to its owner if it fails. */
static void try_it(void)
{
    if (!claim_try(&shared->claim))
        return;
    do
        shared->received = atomic_fetch_add_explicit(&shared->arrived, 0, memory_order_acq_rel);
    while (!claim_give_up(&shared->claim));
}

static void check(void)
{
    model_expect(shared->received == atomic_load(&shared->arrived), "a datagram is left");
    model_expect(claim_try(&shared->claim), "a claim is held by no thread");
}

const struct model model_claim = {"claim", set_up, {serve, serve, serve}, check};
const struct model model_claim_tried = {"claim, tried", set_up, {serve, try_it, serve}, check};
