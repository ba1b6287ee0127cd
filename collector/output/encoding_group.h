/*
 * Encoding once for several sinks: those whose encoders are the same and have the same settings are
 * a group, and what one of them has made of a batch the others write as well.
 *
 * A group keeps the lines of some batches. The first sink that comes with a batch encodes it. The
 * others find it encoded, or another sink at work on it: then they may encode a later batch for all
 * meanwhile. The lines of a batch are kept until all sinks of the group have had them, or until a
 * later batch needs the room. So a sink that stands still keeps no room from the others; when it
 * goes on it encodes by itself, as a sink does that is alone in its group. Of a batch whose lines
 * are longer than the room the first part is kept, and each sink encodes the rest by itself.
 *
 * Lifecycle: create the groups; each sink joins when it is made and leaves when it is destroyed,
 * both in the main thread; in between its thread takes and releases. Destroy the groups.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_ENCODING_GROUP_H
#define SLUICE_COLLECTOR_OUTPUT_ENCODING_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/encoder.h"
#include "collector/output/encoded_counts.h"
#include "collector/record/batch.h"

/* Of one batch: bytes of lines, and records, that a group keeps at most. */
#define ENCODED_SIZE    ((size_t)112 * 1024)
#define ENCODED_RECORDS ((size_t)1024)

/* Batches whose lines a group keeps, for each of its sinks, and at most. */
#define ENCODED_EACH 12
#define ENCODED_MOST 32

/* Where a record's lines end, and what is in them; no lines: it leaves none. */
struct encoded_record {
    const struct record *record; /* for who holds the batch */
    uint32_t end;                /* bytes from the batch's first on */
    struct encoded_counts counts;
};

/* The lines of a batch. Immutable for who has taken it. */
struct encoded_batch {
    size_t count;              /* its records, from the first on, that are encoded */
    size_t size;               /* bytes of their lines */
    const struct record *rest; /* the first one that is not; NULL: all are */
    struct encoded_record records[ENCODED_RECORDS];
    char text[ENCODED_SIZE];
};

struct encoding_groups;

/* A sink in its group. */
struct encoding_member;

/* Returns NULL where memory is short. */
struct encoding_groups *encoding_groups_create(void);

/* All have left. NULL is allowed. */
void encoding_groups_destroy(struct encoding_groups *groups);

/* Bytes that a group of so many sinks takes. */
size_t encoding_group_memory(size_t members);

/*
 * A sink with such an encoder joins the group of those that are the same, or a new one. What the
 * options point to outlives the membership. Returns NULL where memory is short.
 */
struct encoding_member *encoding_group_join(struct encoding_groups *groups,
                                            const struct encoder_ops *ops,
                                            const struct encoder_options *options);

/* It holds nothing of the group's. NULL is allowed. */
void encoding_group_leave(struct encoding_member *member);

enum encoding_result {
    ENCODING_TAKEN, /* here it is */
    ENCODING_BUSY,  /* another sink is encoding it at this moment */
    ENCODING_NONE,  /* it is not to be had */
};

/*
 * The lines of the batch, which a reader of it asks for: encoded by another sink before, or now by
 * this sink's `encoder`. What it has taken it releases.
 */
enum encoding_result encoding_group_take(struct encoding_member *member, struct encoder *encoder,
                                         const struct batch *batch,
                                         const struct encoded_batch **out);
void encoding_group_release(struct encoding_member *member, const struct encoded_batch *encoded);

/* Encodes a batch that this sink has not taken yet, unless another one has begun that. */
void encoding_group_prepare(struct encoding_member *member, struct encoder *encoder,
                            const struct batch *batch);

#endif
