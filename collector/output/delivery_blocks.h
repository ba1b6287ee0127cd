/*
 * The blocks of a delivery: memory that is allocated once. Records are collected in a block, and
 * the block stays unchanged until the destination has answered them.
 *
 * Private to the delivery writer (delivery_state.h); the sink's thread. The writer has no other
 * table of blocks in flight: it lends the delivery_block to the destination, and finds a block in
 * the spill by its position.
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

/* A block is full when it has this number of records, or this number of bytes of keys. */
#define DELIVERY_RECORDS   ((size_t)4096)
#define DELIVERY_KEYS_SIZE ((size_t)64 * 1024)

/* The size of an epoch in bytes, with its NUL. */
#define DELIVERY_EPOCH_SIZE ((size_t)17)

/*
 * The maximum number of bytes, with the NUL, of the name of a schema or listener that a block
 * remembers.
 */
#define DELIVERY_FACT_SIZE ((size_t)256)

enum block_state {
    BLOCK_EMPTY,
    BLOCK_FILLED,
    BLOCK_WAITS,
    BLOCK_OUT,
    BLOCK_LEFT, /* the program has stopped and left the block in the spill for its next run; this
                 * run does not use the block again */
};

struct buffered_block {
    struct delivery_block block; /* the first member, because the destination returns a pointer to
                                    it */
    enum block_state state;
    struct output out;
    struct encoded_counts *counts; /* the counts of each record, in order */
    uint8_t *keys;
    size_t keys_used;
    char route[DELIVERY_ROUTE_SIZE];
    char schema[DELIVERY_FACT_SIZE], listener[DELIVERY_FACT_SIZE];
    char epoch[DELIVERY_EPOCH_SIZE]; /* the epoch of the run that filled the block, perhaps an
                                        earlier run */
    uint64_t order;                  /* blocks are sent in this order */
    bool on_disk;                    /* the block is also in the spill */
    uint64_t position;               /* the block's position in the spill, if on_disk */
    size_t open; /* number of the block's records that had no outcome when the block was stored or
                  * read back */
    int64_t collected_until_ns;  /* while the block is filled: when it must be sealed (monotonic) */
    int64_t begun_ns;            /* when this run was first able to send the block (monotonic) */
    int64_t sealed_ns;           /* when the block was sealed, perhaps by an earlier run (wall
                                    clock) */
    struct buffered_block *next; /* the next in the list of waiting blocks */
};

/* Returns true if the block is sealed and its delivery is not complete. */
static inline bool buffered_block_is_open(const struct buffered_block *buffered)
{
    return buffered->state == BLOCK_OUT || buffered->state == BLOCK_WAITS;
}

/* One record to add. */
struct delivery_addition {
    const char *route;
    const uint8_t *key;
    size_t key_size;
    const char *schema, *listener;
    struct encoded_counts counts;
};

/*
 * Allocates a block that has room for one more record of `record_size` bytes as long as it is not
 * full. Returns false if memory is short; buffered_block_free releases the block in either case.
 */
bool buffered_block_make(struct buffered_block *buffered, size_t record_size);
void buffered_block_free(struct buffered_block *buffered);

/* Returns the number of bytes that a block allocates, without its own structure. */
size_t buffered_block_memory(size_t record_size);

/* Begins to fill an empty block: appends the format's head, the bytes with which a file begins. */
void buffered_block_begin(struct buffered_block *buffered, const char *head, size_t head_size);

/* Adds the record that was encoded at the end of the block's bytes, from `start` on. */
void buffered_block_add(struct buffered_block *buffered, size_t start,
                        const struct delivery_addition *one);

/* Returns true if another record might not fit. */
bool buffered_block_is_full(const struct buffered_block *buffered);

/*
 * Returns true if a record with this route may be added: the block is empty, or all of its records
 * have the route.
 */
bool buffered_block_takes(const struct buffered_block *buffered, const char *route);

/* Seals the filled block: makes the fields of its delivery_block describe its contents. */
void buffered_block_seal(struct buffered_block *buffered, uint64_t first_number, int64_t now_ns);

/* Like buffered_block_seal, but sets no times. For a block that was read from a spill. */
void buffered_block_describe(struct buffered_block *buffered, uint64_t first_number);

/* Returns the number of the block's records that have no outcome yet. */
size_t buffered_block_open_records(const struct buffered_block *buffered);

/* Returns the maximum number of bytes of a block's lines. */
size_t buffered_block_room(size_t record_size);

/* Inserts the block into the list of waiting blocks, by its order. */
void buffered_block_queue(struct buffered_block **waiting, struct buffered_block *buffered);

#endif
