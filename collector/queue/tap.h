/*
 * Lets the main thread read batches on their way to the sinks and show them to viewers. The tap is
 * not a sink, and the ledger does not count it.
 *
 * While the tap is on, each producing thread offers it the batches that it hands to the sinks,
 * through an inlet of its own. If the tap has no room for a batch, it counts the batch's records as
 * passed by, so it never delays a producer. While it is off, it costs one relaxed load per batch.
 * The few batches in it come from the common pool; the memory plan counts them.
 *
 * Lifecycle: create; tap_inlet for each producer; offers and reads; destroy after the last offer.
 * Only the main thread calls the functions that take a `struct tap`.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_TAP_H
#define SLUICE_COLLECTOR_QUEUE_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/batch.h"

/*
 * TAP_BATCHES is how many batches of each producer can wait. TAP_LARGE is how many large batches
 * the whole tap can hold, including the one being read.
 */
#define TAP_BATCHES 4
#define TAP_LARGE   1

enum tap_state {
    TAP_OFF,
    TAP_COUNTING, /* no batch is taken; all records are counted as passed by */
    TAP_TAKING,
};

struct tap;
struct inlet;

struct tap_inlet {
    const _Atomic unsigned *state; /* an enum tap_state */
    struct tap *tap;
    struct inlet *inlet;
};

/* Returns NULL if out of memory. */
struct tap *tap_create(size_t producers);

/* Releases waiting batches. NULL is allowed. */
void tap_destroy(struct tap *tap);

/*
 * Adds a producer; other producers may offer batches during the call. Returns false if out of
 * memory.
 */
bool tap_add_inlet(struct tap *tap);
size_t tap_inlet_count(const struct tap *tap);

/* Returns the inlet of the producer with this index. The tap owns it; it never moves. */
struct tap_inlet *tap_inlet(struct tap *tap, size_t producer);

/*
 * Producer, while the tap is on: takes a reference to the batch, or counts its records as passed
 * by.
 */
void tap_take(struct tap_inlet *inlet, struct batch *batch);

/* Producer: offers a batch before handing it to the sinks. The producer must hold a reference. */
static inline void tap_offer(struct tap_inlet *inlet, struct batch *batch)
{
    if (atomic_load_explicit(inlet->state, memory_order_relaxed) != TAP_OFF)
        tap_take(inlet, batch);
}

/*
 * Sets the state for the producers' next batches. Turning the tap off or on releases the waiting
 * batches.
 */
void tap_set(struct tap *tap, enum tap_state state);

/*
 * Returns the next batch, or NULL if none waits. The caller must return it with tap_done before the
 * next call.
 */
struct batch *tap_next(struct tap *tap);
void tap_done(struct tap *tap, struct batch *batch);

/* Returns how many records have passed by since creation. */
uint64_t tap_passed_by(const struct tap *tap);

#endif
