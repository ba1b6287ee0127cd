/*
 * The blocks of a delivery: memory that is allocated once, which records are collected in and which
 * stays as it is until their answer came.
 *
 * Private to the delivery writer (delivery_state.h), in the sink's thread. A block is empty, or is
 * being filled, or waits to be handed over, or is with the destination. Those that wait are in the
 * order in which they became ready: one that is sent again goes before those that never were.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_BLOCKS_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"
#include "collector/contract/record.h"
#include "collector/output/encoded_counts.h"
#include "collector/text/output.h"

/* A block is full with so many records, or with so many bytes of keys. */
#define DELIVERY_RECORDS   ((size_t)4096)
#define DELIVERY_KEYS_SIZE ((size_t)64 * 1024)

/* Bytes of an epoch, with the 0 that ends it. */
#define DELIVERY_EPOCH_SIZE ((size_t)17)

/* Bytes that the names of a schema and of a listener may have, to be known of a block. */
#define DELIVERY_FACT_SIZE ((size_t)256)

enum block_state {
    BLOCK_EMPTY,
    BLOCK_FILLED,
    BLOCK_WAITS,
    BLOCK_OUT,
    BLOCK_LEFT, /* at a stop: it stays in the spill for the next run, and is not used again */
};

struct buffered_block {
    struct delivery_block block; /* first: it is what the destination gives back */
    enum block_state state;
    struct output out;
    struct encoded_counts *counts; /* of its records, in their order */
    uint8_t *keys;
    size_t keys_used;
    char route[DELIVERY_ROUTE_SIZE];
    char schema[DELIVERY_FACT_SIZE], listener[DELIVERY_FACT_SIZE];
    char epoch[DELIVERY_EPOCH_SIZE]; /* of the run that filled it */
    uint64_t order;                  /* in which blocks are to be sent */
    bool on_disk;                    /* it is in the spill, too, */
    uint64_t position;               /* at this position */
    size_t open;                     /* records of it whose fate was open when it was taken */
    int64_t collected_until_ns;      /* monotonic, while it is filled */
    int64_t begun_ns;                /* monotonic: it was first ready to be sent by this run */
    int64_t sealed_ns;               /* wall clock: it was, by the run that filled it */
    struct buffered_block *next;     /* of those that wait */
};

/* Whether the block is sealed and has no answer that ends it. */
static inline bool buffered_block_is_open(const struct buffered_block *buffered)
{
    return buffered->state == BLOCK_OUT || buffered->state == BLOCK_WAITS;
}

/* One record, as it is added. */
struct delivery_addition {
    const char *route;
    const uint8_t *key;
    size_t key_size;
    const char *schema, *listener;
    struct encoded_counts counts;
};

/*
 * Makes a block that always has room for one more record of `record_size` bytes until it is full.
 * Returns false where memory is short; either way buffered_block_free frees what there is.
 */
bool buffered_block_make(struct buffered_block *buffered, size_t record_size);
void buffered_block_free(struct buffered_block *buffered);

/* Bytes that it takes, beside its own structure. */
size_t buffered_block_memory(size_t record_size);

/* An empty block begins to be filled: with what a file begins with, before the first record. */
void buffered_block_begin(struct buffered_block *buffered, const char *head, size_t head_size);

/* What stands at the end of its bytes from `start` on is a record. */
void buffered_block_add(struct buffered_block *buffered, size_t start,
                        const struct delivery_addition *one);

/* Whether it has no room for one more record for certain. */
bool buffered_block_is_full(const struct buffered_block *buffered);

/* Whether this record may stand in it: it is empty, or has records of the same route. */
bool buffered_block_takes(const struct buffered_block *buffered, const char *route);

/* The filled block is ready: its fields say what is in it. */
void buffered_block_seal(struct buffered_block *buffered, uint64_t first_number, int64_t now_ns);

/* The same of one whose memory was filled otherwise. */
void buffered_block_describe(struct buffered_block *buffered, uint64_t first_number);

/* Records of it whose fate is not known yet. */
size_t buffered_block_open_records(const struct buffered_block *buffered);

/* Bytes that its lines may have. */
size_t buffered_block_room(size_t record_size);

/* Puts it among those that wait, by its order. */
void buffered_block_queue(struct buffered_block **waiting, struct buffered_block *buffered);

#endif
