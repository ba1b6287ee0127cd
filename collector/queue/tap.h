/*
 * A look at the batches that pass, for whoever watches; no sink, and in no ledger.
 *
 * While the tap is on, each producing thread offers it the batches that it hands to the sinks. What
 * finds no room is counted as passed by, so the tap never holds anybody up; while it is off it
 * costs one relaxed load a batch. The few batches that may wait in it come from the same pool as
 * all others; the memory plan counts them.
 *
 * Lifecycle: create, tap_inlet for each producer, offers and looks, destroy when no producer
 * offers any more. Each inlet is one producing thread's; all else is the main thread's.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_TAP_H
#define SLUICE_COLLECTOR_QUEUE_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/batch.h"

/* Batches that may wait, of each producer; of the large ones only TAP_LARGE of all together. */
#define TAP_BATCHES 4
#define TAP_LARGE   1

enum tap_state {
    TAP_OFF,
    TAP_COUNTING, /* all that passes is counted as passed by */
    TAP_TAKING,
};

struct tap;
struct inlet;

struct tap_inlet {
    const _Atomic unsigned *state; /* an enum tap_state */
    struct tap *tap;
    struct inlet *inlet;
};

/* Returns NULL where memory is short. */
struct tap *tap_create(size_t producers);

/* Lets go of what waits. NULL is allowed. */
void tap_destroy(struct tap *tap);

/* For one producer more, while the others offer. Returns false where memory is short. */
bool tap_add_inlet(struct tap *tap);
size_t tap_inlet_count(const struct tap *tap);

/* A producer's way in, by its index. It is the tap's, and stays where it is. */
struct tap_inlet *tap_inlet(struct tap *tap, size_t producer);

/* Producer, while the tap is on: takes the batch as one more reader, or counts its records. */
void tap_take(struct tap_inlet *inlet, struct batch *batch);

/* Producer: shows a batch that it reads, and is about to hand to the sinks. */
static inline void tap_offer(struct tap_inlet *inlet, struct batch *batch)
{
    if (atomic_load_explicit(inlet->state, memory_order_relaxed) != TAP_OFF)
        tap_take(inlet, batch);
}

/* What the producers do from their next batch on. Off lets go of what waits. */
void tap_set(struct tap *tap, enum tap_state state);

/* The next batch, to be given back with tap_done before the next; NULL: there is none. */
struct batch *tap_next(struct tap *tap);
void tap_done(struct tap *tap, struct batch *batch);

/* Records that passed by since the beginning. */
uint64_t tap_passed_by(const struct tap *tap);

#endif
