/*
 * A delivery: a destination that takes blocks of whole records, has several of them in flight, and
 * reports later what became of each.
 *
 * The writer (collector/output/delivery_writer.h) owns the blocks: it fills them, hands them over
 * in order, sends again what may be sent again, and counts. The destination owns the connection and
 * knows what an answer means. Only the sink's thread calls these functions; a library that has
 * threads of its own signals the sink's wake-up (destination_options) when there is an answer.
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

/* What became of a block, or of a record. */
enum delivery_outcome {
    DELIVERY_ACKNOWLEDGED,    /* the far end has it */
    DELIVERY_REFUSED,         /* the far end will never take it; the reason says why */
    DELIVERY_NOT_SENT,        /* it is certainly not there: it may be sent again */
    DELIVERY_UNKNOWN,         /* it was sent, and no answer came: it is there, or not */
    DELIVERY_MAYBE_SENT,      /* the same, but the far end's protocol has it sent again */
    DELIVERY_PARTLY_ACCEPTED, /* refused, and some of it may be there: it is not sent again */
};

/* Why the far end refused. */
enum delivery_reason {
    DELIVERY_REJECTED,  /* it does not take what this is */
    DELIVERY_TOO_LARGE, /* it takes less at a time */
    DELIVERY_DENIED,    /* it does not know us, or we may not write there */
};

/* One record's lines within a block. */
struct delivery_record {
    uint32_t offset, size;   /* of its bytes; lines end with their newline */
    uint32_t key, key_size;  /* of its key in the block's keys; size 0: it has none */
    uint32_t lines, samples; /* samples that are written one by one; 0: not known */
    uint8_t outcome, reason; /* the answer, where the block is answered record by record */
    bool done;               /* its fate is known since an earlier try: it is not sent again */
    bool maybe_sent;         /* it was sent before, and nobody answered */
    bool repeated;           /* it was refused with others, some of which may have been taken */
    uint8_t group;           /* the destination's own, also when the block is sent again */
};

/*
 * Memory of the writer, unchanged from send to answer: nothing needs to be copied. A block that is
 * lent is never filled again. Its bytes and keys, which the writer has by malloc, are the
 * destination's to free, at the earliest when the destination is destroyed.
 */
struct delivery_block {
    const char *route; /* as the destination's route wrote it; "" without that */
    const uint8_t *bytes;
    size_t size;
    struct delivery_record *records; /* one after the other, without gaps */
    size_t count;                    /* at least 1 */
    const uint8_t *keys;             /* NULL: no record has one */

    /*
     * With the epoch, which is one for each opened sink, the number is the id of its first record,
     * and of the block. The next records have the next numbers. A block that is sent again keeps
     * them.
     */
    uint64_t first_number;
    const char *epoch;

    const char *schema, *listener; /* of all its records; NULL: they are of several */

    bool again;     /* this run has handed it over before; the writer says so */
    unsigned tries; /* the destination's own count; 0 when the block is first handed over */

    /* The answer, filled by the destination: one for all, or with per_record one for each. */
    uint8_t outcome, reason;
    bool per_record;

    bool lent; /* abandon says so: a library may read its bytes and keys after the answer */
};

/* Whether a block is sent again whose fate is unknown. */
enum delivery_retry {
    RETRY_AUTO,          /* where what comes twice overwrites itself (encoder.h: overwrites) */
    RETRY_AT_MOST_ONCE,  /* never */
    RETRY_AT_LEAST_ONCE, /* always */
};

/* Whether what may be there is sent again. `overwrites`: as the encoder does. */
static inline bool delivery_repeats(enum delivery_retry retry, bool spills, bool overwrites)
{
    return retry == RETRY_AT_LEAST_ONCE || spills || (retry == RETRY_AUTO && overwrites);
}

/* The keys of a sink's URL that are about every delivery. */
struct delivery_options {
    uint64_t timeout; /* nanoseconds that a block is sent for */
    enum delivery_retry retry;
    uint64_t in_flight;  /* blocks handed over at a time, at most */
    char *spill;         /* the folder where records wait on disk; NULL: they do not */
    uint64_t spill_size; /* bytes there, at most */
};

/* Bytes that a route may have, with the 0 that ends it, and that a record's key may have. */
#define DELIVERY_ROUTE_SIZE ((size_t)256)
#define DELIVERY_KEY_SIZE   ((size_t)256)

struct delivery_ops {
    /*
     * Hands a block over, without waiting. Returns false where there is no room now: nothing was
     * taken, and it is offered again after the next answer, or when something is due.
     */
    bool (*send)(struct destination *destination, struct delivery_block *block,
                 struct error *error);

    /*
     * The next block that has its answer, or NULL: none has now. `error` says why where it is not
     * acknowledged. *retry_after_ns: how long the far end wants to be left alone before a block is
     * sent again; 0: it did not say.
     */
    struct delivery_block *(*answer)(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns);

    /*
     * Writes where the record goes (topic, subject), ended by a 0, into `route`, which has
     * DELIVERY_ROUTE_SIZE bytes. Returns false where it goes nowhere: it is counted as rejected.
     * A block has records of one route. NULL: all go to one place.
     */
    bool (*route)(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *route);

    /*
     * Writes the record's key into `key`, which has DELIVERY_KEY_SIZE bytes, and returns its size;
     * 0: it has none. NULL: no record has one.
     */
    size_t (*key)(struct destination *destination, const struct listener *listener,
                  const struct record *record, uint8_t *key);

    /* When serve is to be called (monotonic), INT64_MAX: not at all. NULL: never. */
    int64_t (*due)(const struct destination *destination);
    void (*serve)(struct destination *destination);

    /*
     * Reads again what create read from files (tokens, passwords). Returns 0, or -1 with `error`
     * filled: the old ones stay. NULL: there are none.
     */
    int (*reopen)(struct destination *destination, struct error *error);

    /*
     * The deadline is over: each block in flight has an answer when this returns, DELIVERY_NOT_SENT
     * or DELIVERY_UNKNOWN where none came.
     */
    void (*abandon)(struct destination *destination);
};

#endif
