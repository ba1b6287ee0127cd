/*
 * Loss on the way to us, found by the numbers that senders put on their datagrams.
 *
 * A table of senders, each with a window of the last 1024 numbers. A number is *lost* when it
 * leaves the window unseen (or is unseen when the sender restarts, is evicted, or at settlement),
 * *reordered* when it comes late but still inside the window, *duplicated* when it comes twice,
 * and *late* when it comes after it left the window (it was counted lost, or came twice). A sender
 * has *restarted* when its boot id changes, when it has no boot id and its numbers fall behind the
 * window, or when they jump ahead by more than 2^20 (a broken or forged number must not add
 * billions to the count).
 *
 * A sender whose datagrams several sockets receive, each any of them (sequence_key, spread), has a
 * longer window: as long as what all of these sockets may hold, since one of them may be read when
 * all that the others got in the meantime has been. *Reordered* is not found there.
 *
 * A late number below the first one seen moves the beginning of what is expected, so a sender
 * whose first datagrams are swapped is not blamed for what came before.
 *
 * The table is fixed in size, so forged senders cannot grow it. A sender sits in one of two sets of
 * eight places (of a table of fewer than 256 there may be but one); a newcomer where all are taken
 * evicts whoever sits there and has been quiet longest. Keys are hashed with a secret, so nobody
 * can choose whom to evict. Receivers share the table; it is divided into shards with a lock each.
 * All functions but create, settle and destroy may be called from any thread at any time.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

#define SEQUENCE_WINDOW   1024
#define SEQUENCE_MAX_JUMP (UINT64_C(1) << 20)

#define SEQUENCE_LISTENERS  65536
#define SEQUENCE_NUMBERINGS (1 << 27)

/* Senders that are spread, in all, and the numbers of each of their windows. */
#define SEQUENCE_SPREAD_SENDERS 256
#define SEQUENCE_SPREAD_LEAST   65536
#define SEQUENCE_SPREAD_MOST    1048576

struct sequence_table;

/* Bytes of a sender's own name that are kept; more of it is cut. */
#define SEQUENCE_NAME_SIZE 48

/*
 * What was found last, since datagrams come in runs of one sender: spares most of them the hash.
 * All zero before its first use; of one table and one thread.
 */
struct sequence_recent {
    bool known;
    uint32_t listener;
    uint32_t numbering;
    struct address source; /* its port counts for nothing */
    uint8_t name[SEQUENCE_NAME_SIZE];
    size_t name_size;
    uint64_t fingerprint[2];
};

/*
 * Who sent it: the listener it came to, what the number means there, its source host (the port may
 * change), its own name.
 */
struct sequence_key {
    uint32_t listener;  /* index, chosen by the caller, below SEQUENCE_LISTENERS */
    uint32_t numbering; /* chosen by the caller, below SEQUENCE_NUMBERINGS; another one is another
                           sender */
    bool spread;        /* always of this listener, in a table that has sequence_add_spread */
    const struct address *source;
    const void *sender; /* bytes, not kept */
    size_t sender_size;
    struct sequence_recent *recent; /* NULL: nobody keeps it */
    bool wraps; /* its numbers have 32 bits: 0 follows the largest. Always the same of a sender */
};

/* What one datagram showed, or what settlement found; the caller adds it to its counters. */
struct sequence_outcome {
    uint64_t lost;
    uint32_t duplicated;
    uint32_t reordered;
    uint32_t late;
    uint32_t restarted;
    uint32_t new_senders;
    /*
     * A sender evicted to make room: its unseen numbers are `evicted_lost` of listener
     * `evicted_listener`, which need not be the one of this datagram. 0 or 1.
     */
    uint32_t evicted;
    uint32_t evicted_listener;
    uint64_t evicted_lost;
};

/* Whether it is nothing, as of a number that is the one after the last. */
static inline bool sequence_is_next(const struct sequence_outcome *outcome)
{
    return (outcome->lost | outcome->duplicated | outcome->reordered | outcome->late |
            outcome->restarted | outcome->new_senders | outcome->evicted) == 0;
}

/*
 * Makes a table for at most `senders` senders (rounded up to whole sets; at least one set per
 * shard). Memory is allocated here and only here. `secret` keys the hash: 16 random bytes. Returns
 * NULL where memory is short.
 */
struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16]);
void sequence_table_destroy(struct sequence_table *table);

/* Bytes that such a table allocates. Pages that no sender has come to stay untouched. */
size_t sequence_table_memory(size_t senders);

/*
 * Has the table take SEQUENCE_SPREAD_SENDERS senders that are spread, with windows of that size
 * (sequence_spread_window): `sequence_spread_memory` bytes more; pages that no sender needs stay
 * untouched. Once, before sequence_keep_senders and the first step. Returns false where memory is
 * short.
 */
bool sequence_add_spread(struct sequence_table *table, uint32_t window);
size_t sequence_spread_memory(uint32_t window);

/*
 * The window, a power of two, for numbers that come up to `apart` late; where that is more than
 * SEQUENCE_SPREAD_MOST, that.
 */
uint32_t sequence_spread_window(uint64_t apart);

/*
 * Has the table keep beside each sender who it is and what it lost, for sequence_each_sender:
 * `sequence_senders_memory` bytes more; pages that no sender needs stay untouched.
 * Before the first step. Returns false where memory is short.
 */
bool sequence_keep_senders(struct sequence_table *table);
size_t sequence_senders_memory(size_t senders);

/* What is known of one sender, since it came into the table. */
struct sequence_sender {
    uint32_t listener;
    struct address source; /* without its port */
    char name[SEQUENCE_NAME_SIZE];
    size_t name_size; /* bytes, of any kind */
    uint64_t lost;
    uint64_t missing; /* unseen inside the window: they may still come, else they will be lost */
    uint64_t duplicated;
};

/*
 * Calls `visit` for every sender, where they are kept; a lock that keeps some of the others waiting
 * is held meanwhile. One that is evicted and comes back in the meantime may be visited twice, or
 * not.
 */
void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context);

/*
 * Notes that `key` sent `number`, in its life `boot_id` (0: the sender has none). Numbers may
 * begin anywhere.
 *
 * It is done in steps, for who has other work between them: each but the last brings into the cache
 * what the next one reads (of a sender in its second set: some of it), which is seldom there where
 * there are many senders. A step holds all that is needed of its key; notes of a sender end in the
 * order in which they began.
 */
struct sequence_step {
    uint64_t fingerprint[2];
    size_t set;
    uint32_t numbering;
    bool wraps;
    uint64_t boot_id;
    uint64_t number;               /* the first one */
    bool spread;                   /* the key's */
    uint32_t count;                /* of numbers one after the other: 1 to SEQUENCE_RUN_MOST */
    struct sequence_sender sender; /* but for its listener only where senders are kept */
};

/* Numbers that a step notes at most. */
#define SEQUENCE_RUN_MOST 64

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number);

/*
 * Adds `number` to a step that was begun, where it is the one after the step's last, in the same
 * life of the same sender. Then it needs no step of its own: the outcome is that of both. Returns
 * whether it was added.
 */
bool sequence_extend(const struct sequence_table *table, struct sequence_step *step,
                     const struct sequence_key *key, uint64_t boot_id, uint64_t number);
void sequence_go_on(const struct sequence_table *table, const struct sequence_step *step);
struct sequence_outcome sequence_end(struct sequence_table *table,
                                     const struct sequence_step *step);

/*
 * Closes the windows of the senders for which `ends` returns true: forgets them, calling `closed`
 * for each with its listener and the numbers still unseen in its window. Both are called with a
 * lock held that keeps some of the others waiting.
 */
struct sequence_closing {
    bool (*ends)(void *context, uint32_t listener, uint32_t numbering);
    void (*closed)(void *context, uint32_t listener, uint64_t lost);
    void *context;
};
void sequence_close(struct sequence_table *table, const struct sequence_closing *closing);

/*
 * At the end: forgets all senders, calling `closed` for each with its listener and the numbers
 * still unseen in its window. No other call may be under way.
 */
void sequence_finish(struct sequence_table *table,
                     void (*closed)(void *context, uint32_t listener, uint64_t lost),
                     void *context);

#endif
