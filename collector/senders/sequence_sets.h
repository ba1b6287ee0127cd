/*
 * Stores the senders of a sequence table (sequence.h) whose windows have the same size: sets of
 * slots, each with a sender and its window. sharded_sets.h chooses the sets of a sender.
 *
 * The caller holds the lock of the set's shard, unless stated otherwise.
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
 * For most datagrams the set is not in the processor's cache. The layout therefore keeps the number
 * of touched cache lines small: the two members that every search reads come first, a sender is on
 * one line, and a number touches one line of its window.
 */
struct sequence_set {
    _Atomic uint64_t fingerprint[WAYS]; /* atomic because sequence_go_on takes no lock */
    uint64_t last_used[WAYS];           /* tick of the shard; 0 if the slot is empty */
    struct sender sender[WAYS];
    uint64_t seen[]; /* a window for each slot */
};
_Static_assert(SEQUENCE_CACHE_LINE % sizeof(struct sender) == 0 &&
                   sizeof(struct sequence_set) % SEQUENCE_CACHE_LINE == 0,
               "no sender is on two cache lines");

/* The number of suspects (struct sequence_suspect) that a shard remembers. */
#define SEQUENCE_SUSPECTS 16

/*
 * A suspect (struct sequence_suspect) that the last step of a sender has left. It is valid only
 * while `tick` is the tick of that sender's last step.
 */
struct sequence_kept_suspect {
    uint64_t tick; /* 0 if unused */
    uint64_t number;
};

struct sequence_sets {
    struct sharded_sets frame;
    uint32_t window;                 /* numbers per window; 0 if there are no sets */
    uint8_t *first;                  /* `frame.count` sets, sequence_set_size(window) bytes apart */
    void *memory;                    /* the allocated memory, which contains the sets */
    struct sequence_sender *senders; /* an entry for each slot; NULL if senders are not kept */
    struct sequence_kept_suspect suspects[SHARDS][SEQUENCE_SUSPECTS];
};

/*
 * Creates sets for `senders` senders with windows of `window` numbers. Returns false if out of
 * memory. Call sequence_sets_destroy in either case.
 */
bool sequence_sets_create(struct sequence_sets *sets, size_t senders, uint32_t window,
                          const uint8_t secret[16]);

/* A zeroed struct is allowed. */
void sequence_sets_destroy(struct sequence_sets *sets);

/* Returns the bytes that these sets allocate. */
size_t sequence_sets_memory(size_t senders, uint32_t window);

/*
 * sequence_sets_keep_senders makes the sets keep their senders (sequence_keep_senders).
 * sequence_sets_senders_memory returns the bytes that it allocates.
 */
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
                                                        struct slot slot)
{
    struct sequence_set *set = sequence_set_at(sets, slot.set);
    return (struct sequence_window){.sender = &set->sender[slot.way],
                                    .seen = set->seen + slot.way * (sets->window / 64),
                                    .size = sets->window};
}

/* Finds the slot of the step's sender. Returns false if the sender is not in the table. */
bool sequence_sets_find(const struct sequence_sets *sets, const struct sequence_step *step,
                        struct slot *slot);

/*
 * Returns the suspect that the last step of the slot's sender has left (struct
 * sequence_suspect).
 */
struct sequence_suspect sequence_sets_suspect(const struct sequence_sets *sets, struct slot slot);

/* Stores the suspect that a step left; `tick` is the shard's tick of that step. */
void sequence_sets_keep_suspect(struct sequence_sets *sets, struct slot slot, uint64_t tick,
                                const struct sequence_suspect *suspect);

/*
 * Chooses the slot for the step's new sender: an empty one, or that of the sender that has been
 * quiet longest.
 */
struct slot sequence_sets_choose(const struct sequence_sets *sets,
                                 const struct sequence_step *step);

#endif
