/*
 * Detects losses that happen before the receiver, from the sequence numbers of the senders'
 * datagrams.
 *
 * The table has, for each sender, a window of the last 1024 numbers. A number is *lost* if it
 * leaves the window unseen, or is unseen when the sender restarts or is evicted or its window is
 * closed. It is *reordered* if it arrives late but inside the window, *duplicated* if it arrives
 * twice, and *late* if it arrives after it left the window (it was counted as lost, or arrives
 * twice, or precedes the first number seen). A sender has *restarted* if its boot id changes, if it
 * has no boot id and two successive numbers are older than the window (the first of them counts as
 * late), or if a number is more than 2^20 ahead (a broken or forged number must not add billions to
 * the count). A single old number without a boot id may have been delayed, so it is only late.
 *
 * A sender is *spread* if each of its datagrams may arrive at any of several sockets. Its window is
 * as long as the contents of all these sockets, because one socket may be read only after all
 * datagrams of the others. For a spread sender, reordering by the network cannot be detected.
 *
 * A sender has *several paths* if it may have several connections, or ports whose datagrams arrive
 * at different sockets: one path may be read only after many datagrams of another. Such a sender
 * also has a long window if there is room; otherwise it has an ordinary window. It takes the long
 * window of another sender only if that sender was quiet for SEQUENCE_QUIET steps. In a long
 * window, a sender without boot id has also restarted if two successive numbers are 1024 or more
 * behind and had already arrived (the first of them counts as duplicated).
 *
 * A number below the first one seen, but inside the window, extends the expected numbers, so
 * swapped first datagrams are not counted as loss.
 *
 * The table has a fixed size, so forged senders cannot grow it. A sender is in one of two sets of
 * eight slots (possibly only one set if the table has fewer than 256 slots). If all slots are used,
 * a new sender evicts the one of these senders that has been quiet longest. Keys are hashed with a
 * secret, so a sender cannot choose which sender it evicts. Receivers share the table; it is
 * divided into shards with a lock each. Any thread may call the functions, except create, destroy
 * and those that say otherwise.
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
 * Upper limit of spread senders in a table; lower and upper limit of the size of their windows, in
 * numbers.
 */
#define SEQUENCE_SPREAD_SENDERS 256
#define SEQUENCE_SPREAD_LEAST   65536
#define SEQUENCE_SPREAD_MOST    1048576

/*
 * A sender with a long window is quiet if its shard has made this number of steps without a number
 * of the sender. Its long window may then be given to a sender of several paths.
 */
#define SEQUENCE_QUIET 65536

struct sequence_table;

/* Bytes kept of a sender's own name; longer names are cut. */
#define SEQUENCE_NAME_SIZE 48

/*
 * Caches the last key and its fingerprint. Consecutive datagrams often come from the same sender,
 * so most need no hash. Zero before its first use. Belongs to one table and one thread.
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
 * Identifies a sender: the listener, the numbering that the sender uses there, its host on any
 * port, and its own name.
 */
struct sequence_key {
    uint32_t listener;  /* index below SEQUENCE_LISTENERS, chosen by the caller */
    uint32_t numbering; /* below SEQUENCE_NUMBERINGS, chosen by the caller */
    bool spread;        /* a spread sender (see above); same for all keys of a listener; needs
                         * sequence_add_spread */
    bool several;       /* a sender with several paths (see above); same for all keys of a sender */
    const struct address *source;
    const void *sender; /* the sender's own name; the table does not keep the pointer */
    size_t sender_size;
    struct sequence_recent *recent; /* a cache of the thread; may be NULL */
    bool wraps; /* numbers have 32 bits: 0 follows 2^32 - 1; same for all keys of a sender */
};

/* The outcome of one step. The caller adds it to its counters. */
struct sequence_outcome {
    uint64_t lost;
    uint32_t duplicated;
    uint32_t reordered;
    uint32_t late;
    uint32_t restarted;
    uint32_t new_senders;
    /*
     * The number of senders that the step evicted from the table, 0 or 1. The evicted sender
     * belonged to `evicted_listener`, which may differ from the datagram's listener. `evicted_lost`
     * of its numbers were unseen.
     */
    uint32_t evicted;
    uint32_t evicted_listener;
    uint64_t evicted_lost;
};

/* Returns true if all members are zero, as when each number follows the previous one. */
static inline bool sequence_is_next(const struct sequence_outcome *outcome)
{
    return (outcome->lost | outcome->duplicated | outcome->reordered | outcome->late |
            outcome->restarted | outcome->new_senders | outcome->evicted) == 0;
}

/*
 * Creates a table for at least `senders` senders, rounded up to whole sets and at least one set per
 * shard. `secret` keys the hash; its bytes must be random. Only this function, sequence_add_spread
 * and sequence_keep_senders allocate memory. Returns NULL if out of memory.
 */
struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16]);
void sequence_table_destroy(struct sequence_table *table);

/*
 * Returns the bytes that a table for this number of senders allocates. Pages that no sender has
 * used need no RAM.
 */
size_t sequence_table_memory(size_t senders);

/*
 * Adds room for SEQUENCE_SPREAD_SENDERS spread senders with windows of `window` numbers
 * (sequence_spread_window). Allocates sequence_spread_memory() bytes; pages that no sender has used
 * need no RAM. Call it once, before sequence_keep_senders and the first step. Returns false if out
 * of memory.
 */
bool sequence_add_spread(struct sequence_table *table, uint32_t window);
size_t sequence_spread_memory(uint32_t window);

/*
 * Returns the window size for numbers that arrive up to `apart` numbers late. It is a power of two
 * from SEQUENCE_SPREAD_LEAST to SEQUENCE_SPREAD_MOST.
 */
uint32_t sequence_spread_window(uint64_t apart);

/*
 * Makes the table keep each sender's identity and losses for sequence_each_sender. Allocates
 * sequence_senders_memory() bytes for ordinary senders, and again for spread senders; pages that no
 * sender has used need no RAM. Call it before the first step. Returns false if out of memory.
 */
bool sequence_keep_senders(struct sequence_table *table);
size_t sequence_senders_memory(size_t senders);

/* A sender, with its counts since it entered the table. */
struct sequence_sender {
    uint32_t listener;
    struct address source; /* without its port */
    char name[SEQUENCE_NAME_SIZE];
    size_t name_size; /* bytes of `name`, which may have any values */
    uint64_t lost;
    uint64_t missing; /* numbers in the window that were not seen; they may still arrive */
    uint64_t duplicated;
};

/*
 * Calls `visit` for each sender, if senders are kept. During each call the lock of a shard is held,
 * which blocks the steps of all senders in the shard. A sender that is evicted and returns during
 * the visit may be visited twice or not at all.
 */
void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context);

/*
 * A number that is being entered into the table: `key` sent `number` with `boot_id` (0 if the
 * sender has no boot id). A sender's first number may be any number.
 *
 * Three calls enter a number: sequence_begin, sequence_go_on (optional) and sequence_end. With many
 * senders, a sender's data is seldom in the processor's cache, so each call prefetches data for the
 * next one (only part of it if the sender is in its second set), and the caller does other work in
 * between. The step copies all that it needs from the key. Steps of one sender must end in the
 * order in which they began.
 */
struct sequence_step {
    uint64_t fingerprint[2];
    size_t set;
    uint32_t numbering;
    bool wraps;
    uint64_t boot_id;
    uint64_t number;               /* the first of `count` consecutive numbers */
    bool spread;                   /* as in the key */
    bool several;                  /* as in the key; false if there are no long windows */
    uint32_t count;                /* number of consecutive numbers: 1 to SEQUENCE_RUN_MOST */
    struct sequence_sender sender; /* only `listener` is set, unless senders are kept */
};

/* The upper limit of `count`. */
#define SEQUENCE_RUN_MOST 64

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number);

/*
 * Adds `number` to a step that has begun, if it follows the step's last number and has the same
 * sender and boot id. Returns true if it was added; the outcome of the step then includes it.
 */
bool sequence_extend(const struct sequence_table *table, struct sequence_step *step,
                     const struct sequence_key *key, uint64_t boot_id, uint64_t number);
void sequence_go_on(const struct sequence_table *table, const struct sequence_step *step);
struct sequence_outcome sequence_end(struct sequence_table *table,
                                     const struct sequence_step *step);

/*
 * Removes the senders for which `ends` returns true. Calls `closed` for each of them with its
 * listener and the number of unseen numbers in its window. During both callbacks the lock of a
 * shard is held.
 */
struct sequence_closing {
    bool (*ends)(void *context, uint32_t listener, uint32_t numbering);
    void (*closed)(void *context, uint32_t listener, uint64_t lost);
    void *context;
};
void sequence_close(struct sequence_table *table, const struct sequence_closing *closing);

/*
 * Removes all senders at the end, and calls `closed` for each like sequence_close. No other call
 * may be in progress.
 */
void sequence_finish(struct sequence_table *table,
                     void (*closed)(void *context, uint32_t listener, uint64_t lost),
                     void *context);

#endif
