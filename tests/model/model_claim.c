/*
 * Models of the claim of a socket. Three threads have been notified of a datagram each. One thread
 * at a time drains the socket, and when all have given up the claim, no datagram may be left.
 *
 * A counter stands for the socket: the system increments it before it notifies a thread. A real
 * receive and the arrival of a datagram take the socket's lock, so both are read-modify-writes
 * here. The claim needs that. A thread that finds the claim already marked stores nothing, so only
 * the lock orders its datagram before the owner's last receive.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/base/claim.h"
#include "tests/model/explorer.h"

static struct socket {
    struct claim claim;
    _Atomic unsigned arrived;
    unsigned received; /* used only by the claim's owner */
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

/* Tries to get the claim once. If another thread has it, leaves the socket to that thread. */
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
