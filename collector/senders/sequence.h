/*
 * Detects loss before the receiver, from the sequence numbers that senders put on their datagrams.
 *
 * A table of senders, each with a window of the last 1024 numbers. A number is *lost* when it
 * leaves the window unseen, or is unseen when the sender restarts, is evicted or its window is
 * closed; *reordered* when it comes late but inside the window; *duplicated* when it comes twice;
 * and *late* when it comes after it left the window (it was counted as lost, or came twice, or
 * precedes the first number seen). A sender has *restarted* when its boot id changes, when it has
 * no boot id and two successive numbers are older than the window (the first of them counts as
 * late), or when a number is more than 2^20 ahead (a broken or forged number must not add billions
 * to the count). One old number without a boot id may have been delayed, so it is only late.
 *
 * A sender is *spread* if each of its datagrams may arrive at any of several sockets. Its window is
 * as long as the contents of all these sockets, because one socket may be read only after all
 * datagrams of the others. Reordering by the sender's network cannot be detected for it.
 *
 * A sender has *several paths* if it may have several connections, or ports whose datagrams arrive
 * at different sockets: one of them may be read only after many datagrams of another. It also has a
 * long window if there is room: senders of several paths evict another one from the long windows
 * only after it was quiet for SEQUENCE_QUIET steps, and otherwise have an ordinary window. In a
 * long window a sender without boot id has also restarted when two successive numbers that are 1024
 * or more behind had come before (the first of them counts as duplicated).
 *
 * A number below the first one seen, but inside the window, moves the beginning of the expected
 * numbers, so swapped first datagrams are not counted as loss.
 *
 * The table has a fixed size, so forged senders cannot grow it. A sender is in one of two sets of
 * eight slots (perhaps only one set in a table of fewer than 256); if all slots are taken, a new
 * sender evicts the one there that has been quiet longest. Keys are hashed with a secret, so no
 * sender can choose which one is evicted. Receivers share the table; it is divided into shards with
 * a lock each. Any thread may call all functions except those that say otherwise, create and
 * destroy.
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

/*
 * The most spread senders in a table, and the least and the greatest size of their windows, in
 * numbers.
 */
#define SEQUENCE_SPREAD_SENDERS 256
#define SEQUENCE_SPREAD_LEAST   65536
#define SEQUENCE_SPREAD_MOST    1048576

/* Steps of a shard after which a quiet sender may lose its long window to one of several paths. */
#define SEQUENCE_QUIET 65536

struct sequence_table;

/* The number of bytes of a sender's own name that are kept; longer names are cut. */
#define SEQUENCE_NAME_SIZE 48

/*
 * Caches the last key and its fingerprint: consecutive datagrams often come from the same sender,
 * so most need no hash. All zero before its first use; belongs to one table and one thread.
 */
struct sequence_recent {
    bool known;
    uint32_t listener;
    uint32_t numbering;
    struct address source; /* the port is ignored */
    uint8_t name[SEQUENCE_NAME_SIZE];
    size_t name_size;
    uint64_t fingerprint[2];
};

/*
 * Identifies a sender: the listener, the numbering that the sender uses there, its host (the port
 * is ignored) and its own name.
 */
struct sequence_key {
    uint32_t listener;  /* index, chosen by the caller, below SEQUENCE_LISTENERS */
    uint32_t numbering; /* chosen by caller, below SEQUENCE_NUMBERINGS */
    bool spread;        /* the same for all keys of a listener; needs sequence_add_spread */
    bool several;       /* several paths; always the same for a sender */
    const struct address *source;
    const void *sender; /* the sender's own name: bytes, not kept */
    size_t sender_size;
    struct sequence_recent *recent; /* NULL: no cache */
    bool wraps; /* 32-bit numbers: 0 follows 2^32 - 1; always the same for a sender */
};

/* The result of one step; the caller adds it to its counters. */
struct sequence_outcome {
    uint64_t lost;
    uint32_t duplicated;
    uint32_t reordered;
    uint32_t late;
    uint32_t restarted;
    uint32_t new_senders;
    /*
     * Senders evicted to make room, 0 or 1. The evicted sender belonged to listener
     * `evicted_listener`, perhaps not this datagram's; `evicted_lost` of its numbers were unseen.
     */
    uint32_t evicted;
    uint32_t evicted_listener;
    uint64_t evicted_lost;
};

/* Whether all members are zero, as when each number follows the previous one. */
static inline bool sequence_is_next(const struct sequence_outcome *outcome)
{
    return (outcome->lost | outcome->duplicated | outcome->reordered | outcome->late |
            outcome->restarted | outcome->new_senders | outcome->evicted) == 0;
}

/*
 * Creates a table for at most `senders` senders (rounded up to whole sets; at least one set per
 * shard). `secret` keys the hash: 16 random bytes. Memory is allocated only here and by
 * sequence_add_spread and sequence_keep_senders. Returns NULL if out of memory.
 */
struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16]);
void sequence_table_destroy(struct sequence_table *table);

/* Returns the bytes that a table for `senders` allocates. Pages without senders stay untouched. */
size_t sequence_table_memory(size_t senders);

/*
 * Adds room for SEQUENCE_SPREAD_SENDERS spread senders with windows of `window` numbers
 * (sequence_spread_window). Takes sequence_spread_memory() more bytes; pages without senders stay
 * untouched. Call it once, before sequence_keep_senders and the first step. Returns false if out of
 * memory.
 */
bool sequence_add_spread(struct sequence_table *table, uint32_t window);
size_t sequence_spread_memory(uint32_t window);

/*
 * Returns the window size, a power of two, for numbers that come up to `apart` numbers late. The
 * size is between SEQUENCE_SPREAD_LEAST and SEQUENCE_SPREAD_MOST.
 */
uint32_t sequence_spread_window(uint64_t apart);

/*
 * Makes the table keep each sender's identity and losses for sequence_each_sender. Takes
 * sequence_senders_memory() more bytes for ordinary senders and again for spread senders; pages
 * without senders stay untouched. Call it before the first step. Returns false if out of memory.
 */
bool sequence_keep_senders(struct sequence_table *table);
size_t sequence_senders_memory(size_t senders);

/* One sender, with its counts since it came into the table. */
struct sequence_sender {
    uint32_t listener;
    struct address source; /* without its port */
    char name[SEQUENCE_NAME_SIZE];
    size_t name_size; /* bytes, of any kind */
    uint64_t lost;
    uint64_t missing; /* unseen inside the window: may still come */
    uint64_t duplicated;
};

/*
 * Calls `visit` for each sender if senders are kept. Each call holds the lock of a shard, which
 * blocks the steps of all senders in the shard. A sender that is evicted and returns during the
 * visit may be visited twice or not at all.
 */
void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context);

/*
 * Enters `number`, which `key` sent with `boot_id` (0: no boot id), into the table. A sender's
 * numbers may begin at any number.
 *
 * A number is entered by three calls: sequence_begin, sequence_go_on (optional) and sequence_end.
 * With many senders a sender's data is seldom in the cache, so each call prefetches data for the
 * next call (only part of it for a sender in its second set); the caller does other work in
 * between. The step copies all that it needs from the key. Steps of one sender must end in the
 * order in which they began.
 */
struct sequence_step {
    uint64_t fingerprint[2];
    size_t set;
    uint32_t numbering;
    bool wraps;
    uint64_t boot_id;
    uint64_t number;               /* the first number */
    bool spread;                   /* as in the key */
    bool several;                  /* as in the key; false if there are no long windows */
    uint32_t count;                /* consecutive numbers: 1 to SEQUENCE_RUN_MOST */
    struct sequence_sender sender; /* only `listener` is set, unless senders are kept */
};

/* A step has at most this count of numbers. */
#define SEQUENCE_RUN_MOST 64

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number);

/*
 * Adds `number` to a step that was begun, if it follows the step's last number and is from the same
 * sender and boot id. Returns whether it was added; the outcome of the step then includes it.
 */
bool sequence_extend(const struct sequence_table *table, struct sequence_step *step,
                     const struct sequence_key *key, uint64_t boot_id, uint64_t number);
void sequence_go_on(const struct sequence_table *table, const struct sequence_step *step);
struct sequence_outcome sequence_end(struct sequence_table *table,
                                     const struct sequence_step *step);

/*
 * Removes the senders for which `ends` returns true. Calls `closed` for each of them with its
 * listener and the number of unseen numbers in its window. Both callbacks run with the lock of a
 * shard held.
 */
struct sequence_closing {
    bool (*ends)(void *context, uint32_t listener, uint32_t numbering);
    void (*closed)(void *context, uint32_t listener, uint64_t lost);
    void *context;
};
void sequence_close(struct sequence_table *table, const struct sequence_closing *closing);

/*
 * Removes all senders at the end, and calls `closed` for each as sequence_close does. No other call
 * may be in progress.
 */
void sequence_finish(struct sequence_table *table,
                     void (*closed)(void *context, uint32_t listener, uint64_t lost),
                     void *context);

#endif
