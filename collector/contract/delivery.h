/*
 * A delivery: a destination that takes blocks of whole records, has several in flight, and reports
 * the outcome of each later.
 *
 * The writer (collector/output/delivery_writer.h) owns the blocks: it fills them, hands them over
 * in order, resends those that may be resent, and counts. The destination owns the connection and
 * interprets the answers. Only the sink's thread calls these functions; a library with its own
 * threads signals the sink's wake-up (destination_options) when there is an answer.
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
    DELIVERY_UNKNOWN,         /* it was sent and not answered: the far end may have it */
    DELIVERY_MAYBE_SENT,      /* the same, but the far end's protocol requires a resend */
    DELIVERY_PARTLY_ACCEPTED, /* refused, but the far end may have a part: not resent */
};

/* Why the far end refused. */
enum delivery_reason {
    DELIVERY_REJECTED,  /* it does not accept this content */
    DELIVERY_TOO_LARGE, /* the block or record is larger than it accepts */
    DELIVERY_DENIED,    /* authentication or authorisation failed */
};

/* One record's lines within a block. */
struct delivery_record {
    uint32_t offset, size;   /* of its bytes in the block, newlines included */
    uint32_t key, key_size;  /* of its key in the block's keys; size 0: no key */
    uint32_t lines, samples; /* samples with lines of their own; 0: not known */
    uint8_t outcome, reason; /* the answer, if the block has per_record */
    bool done;               /* an earlier try decided its outcome: it is not resent */
    bool maybe_sent;         /* an earlier try sent it and got no answer */
    bool repeated; /* it was refused together with others, some of which may have been accepted */
    uint8_t group; /* for the destination's use; kept when the block is resent */
};

/*
 * Owned by the writer and unchanged from send to answer, so that the destination need not copy it.
 * The writer never refills a lent block; it hands the ownership of its bytes and keys (from malloc)
 * to the destination, which frees them no earlier than in destroy.
 */
struct delivery_block {
    const char *route; /* from the destination's `route`; "" if it has no such function */
    const uint8_t *bytes;
    size_t size;
    struct delivery_record *records; /* contiguous in `bytes` */
    size_t count;                    /* at least 1 */
    const uint8_t *keys;             /* NULL: no record has one */

    /*
     * The epoch (one for each opened sink) and this number are the id of the block and of its first
     * record; the next records have the next numbers. A resent block keeps its id.
     */
    uint64_t first_number;
    const char *epoch;

    const char *schema, *listener; /* of all its records; NULL: the records have different ones */

    bool again;     /* set by the writer: this run has handed it over before */
    unsigned tries; /* counted by the destination; 0 when the block is first handed over */

    /* The answer, filled by the destination. If per_record is set, each record has its own. */
    uint8_t outcome, reason;
    bool per_record;

    bool lent; /* set by abandon: a library may still read the bytes and keys after the answer */
};

/* Whether a block with an unknown outcome is resent. */
enum delivery_retry {
    RETRY_AUTO,          /* only if a duplicate overwrites the first copy (encoder.h: overwrites) */
    RETRY_AT_MOST_ONCE,  /* never */
    RETRY_AT_LEAST_ONCE, /* always */
};

/* Whether records that the far end may have are resent. `overwrites`: of the encoder. */
static inline bool delivery_repeats(enum delivery_retry retry, bool spills, bool overwrites)
{
    return retry == RETRY_AT_LEAST_ONCE || spills || (retry == RETRY_AUTO && overwrites);
}

/* The keys of a sink's URL that every delivery has. */
struct delivery_options {
    uint64_t timeout; /* nanoseconds in which a block is tried */
    enum delivery_retry retry;
    uint64_t in_flight;  /* most blocks in flight */
    char *spill;         /* the folder where records wait on disk; NULL: no spill */
    uint64_t spill_size; /* most bytes in that folder */
};

/* Most bytes of a route, including its NUL, and of a record's key. */
#define DELIVERY_ROUTE_SIZE ((size_t)256)
#define DELIVERY_KEY_SIZE   ((size_t)256)

struct delivery_ops {
    /*
     * Hands a block over without waiting. Returns false if there is no room now: the destination
     * keeps no reference, and the writer offers the block again after the next answer or when `due`
     * has passed.
     */
    bool (*send)(struct destination *destination, struct delivery_block *block,
                 struct error *error);

    /*
     * Returns the next block that has its answer, or NULL if no block has. If it is not
     * acknowledged `error` has the reason. *retry_after_ns: the pause that the far end requested
     * before a resend; 0: it requested none.
     */
    struct delivery_block *(*answer)(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns);

    /*
     * Writes the record's topic or subject with its NUL into `route`, which has DELIVERY_ROUTE_SIZE
     * bytes. Returns false if the record has no valid one; the writer counts it as rejected. All
     * records of a block have the same route. NULL: there is one route.
     */
    bool (*route)(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *route);

    /*
     * Writes the record's key into `key`, which has DELIVERY_KEY_SIZE bytes, and returns its size;
     * 0: no key. NULL: no record has one.
     */
    size_t (*key)(struct destination *destination, const struct listener *listener,
                  const struct record *record, uint8_t *key);

    /* When serve must be called (monotonic nanoseconds); INT64_MAX: not needed. NULL: never. */
    int64_t (*due)(const struct destination *destination);
    void (*serve)(struct destination *destination);

    /*
     * Rereads the files that create has read (tokens, passwords). Returns 0, or -1 with `error`
     * filled and the old contents kept. NULL: it reads no files.
     */
    int (*reopen)(struct destination *destination, struct error *error);

    /*
     * Called when the deadline has passed: gives each block in flight an answer, DELIVERY_NOT_SENT
     * or DELIVERY_UNKNOWN if none came. The blocks are then fetched by `answer`.
     */
    void (*abandon)(struct destination *destination);
};

#endif
