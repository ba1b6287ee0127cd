#include "collector/queue/tap.h"

#include <stdlib.h>

#include "collector/base/counter.h"
#include "collector/base/rule.h"
#include "collector/queue/ring.h"

#define CACHE_LINE 64

/* `apart` keeps two producers from writing to the same cache line. */
struct inlet {
    struct tap_inlet way_in;
    struct ring *ring;
    struct counter passed_by;
    char apart[CACHE_LINE];
};

struct tap {
    _Atomic unsigned state;
    _Atomic unsigned large; /* large batches in the rings or with the main thread */
    struct inlet **inlets;  /* an inlet never moves */
    size_t count;
    size_t next; /* index of the inlet that tap_next reads first */
};

struct tap *tap_create(size_t producers)
{
    struct tap *tap = calloc(1, sizeof *tap);
    if (tap == NULL)
        return NULL;
    while (tap->count < producers) {
        if (tap_add_inlet(tap))
            continue;
        tap_destroy(tap);
        return NULL;
    }
    return tap;
}

bool tap_add_inlet(struct tap *tap)
{
    struct inlet **grown = realloc(tap->inlets, (tap->count + 1) * sizeof(struct inlet *));
    if (grown == NULL)
        return false;
    tap->inlets = grown;
    struct inlet *inlet = calloc(1, sizeof *inlet);
    if (inlet == NULL)
        return false;
    inlet->way_in = (struct tap_inlet){.state = &tap->state, .tap = tap, .inlet = inlet};
    inlet->ring = ring_create(TAP_BATCHES);
    if (inlet->ring == NULL) {
        free(inlet);
        return false;
    }
    tap->inlets[tap->count++] = inlet;
    return true;
}

size_t tap_inlet_count(const struct tap *tap)
{
    return tap->count;
}

struct tap_inlet *tap_inlet(struct tap *tap, size_t producer)
{
    RULE(producer < tap->count, "a producer has an inlet");
    return &tap->inlets[producer]->way_in;
}

/* --- producers -------------------------------------------------------------------------------- */

static bool claim_large(struct tap *tap)
{
    if (atomic_fetch_add(&tap->large, 1) < TAP_LARGE)
        return true;
    atomic_fetch_sub(&tap->large, 1);
    return false;
}

static bool tap_push(struct tap *tap, struct inlet *inlet, struct batch *batch)
{
    if (ring_level(inlet->ring) == TAP_BATCHES || (batch->large && !claim_large(tap)))
        return false;
    batch_retain(batch);
    bool pushed = ring_push(inlet->ring, batch);
    RULE(pushed, "only the producer fills its inlet");
    return pushed;
}

void tap_take(struct tap_inlet *way_in, struct batch *batch)
{
    struct tap *tap = way_in->tap;
    struct inlet *inlet = way_in->inlet;
    if (atomic_load_explicit(&tap->state, memory_order_relaxed) != TAP_TAKING ||
        !tap_push(tap, inlet, batch))
        counter_add(&inlet->passed_by, batch->count);
}

/* --- the main thread -------------------------------------------------------------------------- */

struct batch *tap_next(struct tap *tap)
{
    for (size_t i = 0; i < tap->count; i++) {
        struct inlet *inlet = tap->inlets[(tap->next + i) % tap->count];
        struct batch *batch = ring_pop(inlet->ring);
        if (batch == NULL)
            continue;
        tap->next = (tap->next + i + 1) % tap->count;
        return batch;
    }
    return NULL;
}

void tap_done(struct tap *tap, struct batch *batch)
{
    bool large = batch->large;
    batch_release(batch);
    if (!large)
        return;
    unsigned before = atomic_fetch_sub(&tap->large, 1);
    RULE(before != 0, "a large batch in the tap is counted");
}

static void release_waiting(struct tap *tap)
{
    struct batch *batch;
    while ((batch = tap_next(tap)) != NULL)
        tap_done(tap, batch);
}

/*
 * A producer may still push a batch just after the state became TAP_OFF. So waiting batches are
 * released when the tap is turned off, and again when it is turned on.
 */
void tap_set(struct tap *tap, enum tap_state state)
{
    unsigned before = atomic_exchange(&tap->state, state);
    if (state == TAP_OFF || before == TAP_OFF)
        release_waiting(tap);
}

uint64_t tap_passed_by(const struct tap *tap)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tap->count; i++)
        sum += counter_read(&tap->inlets[i]->passed_by);
    return sum;
}

void tap_destroy(struct tap *tap)
{
    if (tap == NULL)
        return;
    release_waiting(tap);
    for (size_t i = 0; i < tap->count; i++) {
        ring_destroy(tap->inlets[i]->ring);
        free(tap->inlets[i]);
    }
    free(tap->inlets);
    free(tap);
}
