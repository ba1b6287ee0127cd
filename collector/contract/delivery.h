/*
 * A delivery: a destination that takes blocks of whole records, has several in flight, and reports
 * the outcome of each block later.
 *
 * The writer (collector/output/delivery_writer.h) owns the blocks: it fills them, hands them over
 * in order, resends a block if that is allowed, and counts the records. The destination owns the
 * connection and interprets the answers. Only the sink's thread calls these functions; a library
 * with its own threads signals the sink's wake-up (destination_options) when there is an answer.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DELIVERY_H
#define SLUICE_COLLECTOR_CONTRACT_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

struct destination;
struct listener;
struct record;

/* The outcome of a block, or of a record. */
enum delivery_outcome {
    DELIVERY_ACKNOWLEDGED,    /* the far end has it */
    DELIVERY_REFUSED,         /* the far end will never accept it; see the reason */
    DELIVERY_NOT_SENT,        /* the far end definitely does not have it: it may be resent */
    DELIVERY_UNKNOWN,         /* it was sent, but no answer came: the far end may have it */
    DELIVERY_MAYBE_SENT,      /* as DELIVERY_UNKNOWN, but the protocol requires a resend */
    DELIVERY_PARTLY_ACCEPTED, /* refused, but the far end may have a part of it: not resent */
};

/* Why the far end refused. */
enum delivery_reason {
    DELIVERY_REJECTED,  /* the far end does not accept this content */
    DELIVERY_TOO_LARGE, /* the far end does not accept a block or record of this size */
    DELIVERY_DENIED,    /* authentication or authorisation failed */
};

/* One record's lines within a block. */
struct delivery_record {
    uint32_t offset, size;   /* range of its bytes in the block, newlines included */
    uint32_t key, key_size;  /* range of its key in the block's `keys`; size 0: no key */
    uint32_t lines, samples; /* number of lines, and number of samples with a line of their own;
                                samples 0: not known */
    uint8_t outcome, reason; /* the answer for this record, if the block has per_record */
    bool done;               /* an earlier try has decided the record's outcome; the record is not
                              * resent */
    bool maybe_sent;         /* it was sent in an earlier try, but no answer came */
    bool repeated; /* refused together with other records, some of which may have been accepted */
    uint8_t group; /* for the destination's use; kept when the block is resent */
};

/*
 * A block of records. The writer owns it and does not change it from send to answer, so that the
 * destination need not copy it. If the destination sets `lent`, the writer does not use the bytes
 * and keys (from malloc) again: the destination then owns them, and frees them in destroy or later.
 */
struct delivery_block {
    const char *route; /* from the destination's `route`; "" if it has no such function */
    const uint8_t *bytes;
    size_t size;
    struct delivery_record *records; /* their lines are contiguous in `bytes` */
    size_t count;                    /* number of records, at least 1 */
    const uint8_t *keys;             /* NULL: no record has a key */

    /*
     * A record's id consists of `epoch`, which is new for each opened sink, and a number. The first
     * record has `first_number`, each later one the next number. The id of the block is that of its
     * first record. A resent block keeps its id.
     */
    uint64_t first_number;
    const char *epoch;

    const char *schema, *listener; /* schema and listener of its records; NULL if they differ */

    bool again;     /* set by the writer: this run has handed the block over before */
    unsigned tries; /* counted by the destination; 0 when the block is first handed over */

    /*
     * The answer, filled by the destination. If per_record is set, each record has its own answer.
     */
    uint8_t outcome, reason;
    bool per_record;

    bool lent; /* set by abandon: the destination's library may still read the bytes and keys after
                * the answer */
};

/* When a block with an unknown outcome is resent. */
enum delivery_retry {
    RETRY_AUTO,          /* only if a duplicate overwrites the first copy (encoder.h: overwrites) */
    RETRY_AT_MOST_ONCE,  /* never */
    RETRY_AT_LEAST_ONCE, /* always */
};

/*
 * Returns true if a block is sent again although the far end may already have it. `spills` is true
 * if the sink has a spill; `overwrites` is the member of struct encoder_ops.
 */
static inline bool delivery_repeats(enum delivery_retry retry, bool spills, bool overwrites)
{
    return retry == RETRY_AT_LEAST_ONCE || spills || (retry == RETRY_AUTO && overwrites);
}

/* The keys that the URL of every delivery may have. */
struct delivery_options {
    uint64_t timeout; /* nanoseconds for which a block is tried */
    enum delivery_retry retry;
    uint64_t in_flight;  /* maximum number of blocks that were sent and have no answer */
    char *spill;         /* the folder where records wait on disk; NULL means no spill */
    uint64_t spill_size; /* maximum number of bytes in that folder */
};

/*
 * The size of a buffer for a route with its NUL, and the maximum size of a record's key, in bytes.
 */
#define DELIVERY_ROUTE_SIZE ((size_t)256)
#define DELIVERY_KEY_SIZE   ((size_t)256)

struct delivery_ops {
    /*
     * Hands a block over without waiting. Returns false if there is no room now. The destination
     * then keeps no reference, and the writer offers the block again after the next answer, or at
     * `due`.
     */
    bool (*send)(struct destination *destination, struct delivery_block *block,
                 struct error *error);

    /*
     * Returns the next block that has its answer, or NULL if no block has an answer. If the block
     * was not acknowledged, `error` has the reason. *retry_after_ns: the pause that the far end
     * requested before a resend; 0: no pause was requested.
     */
    struct delivery_block *(*answer)(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns);

    /*
     * Writes the record's topic or subject with its NUL into `route`, which has DELIVERY_ROUTE_SIZE
     * bytes. Returns false if the record has no valid topic or subject; the writer counts it as
     * rejected. All records of a block have the same route. NULL if there is only one route.
     */
    bool (*route)(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *route);

    /*
     * Writes the record's key into `key`, which has DELIVERY_KEY_SIZE bytes. Returns its size, or 0
     * if the record has no key. NULL if records never have keys.
     */
    size_t (*key)(struct destination *destination, const struct listener *listener,
                  const struct record *record, uint8_t *key);

    /*
     * Returns true if the destination has no usable connection now, with the reason in `error`,
     * which may be NULL. The sink calls this in each step, until an answer of the far end shows
     * that the connection is usable again. NULL if a block that cannot be sent is answered at once.
     */
    bool (*is_away)(const struct destination *destination, struct error *error);

    /*
     * Returns when serve must be called (monotonic nanoseconds), or INT64_MAX if it need not be
     * called. NULL if serve is NULL.
     */
    int64_t (*due)(const struct destination *destination);
    void (*serve)(struct destination *destination);

    /*
     * Rereads the files that create has read (tokens, passwords). Returns 0, or -1 with `error`
     * filled and the old contents kept. NULL if the destination reads no files.
     */
    int (*reopen)(struct destination *destination, struct error *error);

    /*
     * Called when the deadline has passed. Gives an answer to each block in flight:
     * DELIVERY_NOT_SENT or DELIVERY_UNKNOWN if the far end did not answer. The writer then fetches
     * the blocks with `answer`.
     */
    void (*abandon)(struct destination *destination);
};

#endif
