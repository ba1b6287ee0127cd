/*
 * Senders of a table of senders' numbers (sequence.h) whose windows have one size: sets of places,
 * each with a sender and its window. Where a sender has its place: sharded_sets.h.
 *
 * Where nothing else is said, the caller holds the lock of the set's shard.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_SETS_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_SETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/senders/sequence.h"
#include "collector/senders/sequence_window.h"
#include "collector/senders/sharded_sets.h"

#define SEQUENCE_CACHE_LINE 64

/*
 * Most datagrams find their set outside of the cache, so that it is laid out for few of its lines
 * to be touched: the two that every search reads come first, a sender is within one, and of its
 * window one is.
 */
struct sequence_set {
    _Atomic uint64_t fingerprint[WAYS]; /* atomic for sequence_go_on, which has no lock */
    uint64_t last_used[WAYS];           /* the shard's tick; 0: this place is empty */
    struct sender sender[WAYS];
    uint64_t seen[]; /* a window for each place */
};
_Static_assert(SEQUENCE_CACHE_LINE % sizeof(struct sender) == 0 &&
                   sizeof(struct sequence_set) % SEQUENCE_CACHE_LINE == 0,
               "no sender is on two cache lines");

struct sequence_sets {
    struct sharded_sets frame;
    uint32_t window; /* 0: there are none */
    uint8_t *first;  /* as many as the frame has, sequence_set_size(window) bytes apart */
    void *memory;    /* that they are in */
    struct sequence_sender *senders; /* of the places of all sets; NULL: not kept */
};

/*
 * For `senders` senders with windows of that size. Returns false where memory is short;
 * sequence_sets_destroy is to be called in either case.
 */
bool sequence_sets_create(struct sequence_sets *sets, size_t senders, uint32_t window,
                          const uint8_t secret[16]);

/* What is all zero is nothing. */
void sequence_sets_destroy(struct sequence_sets *sets);

/* Bytes that such sets allocate. */
size_t sequence_sets_memory(size_t senders, uint32_t window);

/* Has them keep who each sender is, and bytes that this allocates (sequence_keep_senders). */
bool sequence_sets_keep_senders(struct sequence_sets *sets);
size_t sequence_sets_senders_memory(size_t senders);

static inline size_t sequence_set_size(uint32_t window)
{
    return sizeof(struct sequence_set) + (size_t)WAYS * window / 8;
}

static inline struct sequence_set *sequence_set_at(const struct sequence_sets *sets, size_t index)
{
    return (void *)(sets->first + index * sequence_set_size(sets->window));
}

static inline struct sequence_window sequence_window_at(const struct sequence_sets *sets,
                                                        struct place place)
{
    struct sequence_set *set = sequence_set_at(sets, place.set);
    return (struct sequence_window){.sender = &set->sender[place.way],
                                    .seen = set->seen + place.way * (sets->window / 64),
                                    .size = sets->window};
}

/* The place of the step's sender. Returns false where it has none. */
bool sequence_sets_find(const struct sequence_sets *sets, const struct sequence_step *step,
                        struct place *place);

/* Where the step's sender, a newcomer, goes: an empty place, or that of the quietest sender. */
struct place sequence_sets_choose(const struct sequence_sets *sets,
                                  const struct sequence_step *step);

#endif
